// sets.cpp. Sets of ids.
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "bind/module.hpp"
#include "bind/region_pairs.hpp"

namespace vesica::bind {
// (ids, starts, size)
sets::Source sets_of(const nb::object& a, const nb::object& b) {
    using Side = std::tuple<In<std::int64_t>, In<std::int64_t>, std::size_t>;
    const auto [ids_a, starts_a, size] = nb::cast<Side>(a, false);
    const auto [ids_b, starts_b, same_size] = nb::cast<Side>(b, false);
    expect_size("size", same_size, size);
    return {{ids_a.data(), starts_a.data(), expect_offsets("starts", starts_a, ids_a.size())},
            {ids_b.data(), starts_b.data(), expect_offsets("starts", starts_b, ids_b.size())},
            size};
}

void define_sets(nb::module_& m) {
    define_pairs<sets_of>(m, "sets");
}

}  // namespace vesica::bind

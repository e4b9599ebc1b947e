// statistics.cpp. Weights of a bootstrap.
#include <cstddef>
#include <cstdint>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "statistics/weights.hpp"

namespace vesica::bind {
namespace {

void bootstrap_weights(Flat<std::uint64_t> keys, std::uint64_t seed, std::uint64_t first, std::size_t replicates,
                       Flat<std::uint32_t> limits, std::size_t threads, Out<double> out) {
    const std::size_t count = keys.size();
    expect_size("out", out.size(), replicates * count);
    Unlocked unlocked;
    statistics::weights(keys.data(), count, seed, first, replicates, {limits.data(), limits.size()}, threads,
                        out.data());
}

}  // namespace

void define_statistics(nb::module_& m) {
    m.def("bootstrap_weights", &bootstrap_weights, "keys"_a.noconvert(), "seed"_a, "first"_a, "replicates"_a,
          "limits"_a.noconvert(), "threads"_a, "out"_a.noconvert());
}

}  // namespace vesica::bind

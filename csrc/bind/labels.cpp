// labels.cpp. Maps of labels.
#include "regions/labels/labels.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bind/joins.hpp"
#include "bind/label_maps.hpp"
#include "bind/lane.hpp"
#include "bind/module.hpp"

namespace vesica::bind {
namespace {

// With the interpreter's lock released.
std::vector<labels::Meeting> counted(const AnyMap& a, const AnyMap& b, std::size_t threads) {
    const labels::Map left = map_of(a), right = map_of(b);
    if (a.size() != b.size()) throw nb::value_error("maps of different size");
    Unlocked unlocked;
    return labels::count(left, right, a.size(), threads);
}

// Columns: labels of a, labels of b, how many pixels have both.
PairTuple<std::int64_t> labels_count(AnyMap a, AnyMap b, std::size_t threads) {
    const std::vector<labels::Meeting> found = counted(a, b, threads);
    const auto column = [&](std::int64_t labels::Meeting::* field) {
        auto values = std::make_unique<std::int64_t[]>(found.size());
        for (std::size_t k = 0; k < found.size(); ++k) values[k] = found[k].*field;
        return values;
    };
    return give(join::Pairs<std::int64_t>{column(&labels::Meeting::a), column(&labels::Meeting::b),
                                          column(&labels::Meeting::count), found.size()});
}

// Labels of a, labels of b, and the table of both, of the pixels that no side ignores.
nb::tuple labels_table(AnyMap a, AnyMap b, std::optional<std::int64_t> ignored_a, std::optional<std::int64_t> ignored_b,
                       std::size_t threads) {
    std::vector<labels::Meeting> found = counted(a, b, threads);
    std::erase_if(found, [&](const labels::Meeting& each) { return each.a == ignored_a || each.b == ignored_b; });
    const labels::Axes axes = labels::axes_of(found);
    const lane::Fresh<std::int64_t> table(axes.a.size(), axes.b.size());
    labels::fill(found, axes, table.data());
    return nb::make_tuple(lane::fresh(axes.a.data(), axes.a.size()), lane::fresh(axes.b.data(), axes.b.size()),
                          table.array());
}

}  // namespace

void define_labels(nb::module_& m) {
    m.def("labels_count", &labels_count, "a"_a.noconvert(), "b"_a.noconvert(), "threads"_a,
          nb::sig("def labels_count(a: NDArray[numpy.integer], b: NDArray[numpy.integer], threads: int) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"));
    m.def("labels_table", &labels_table, "a"_a.noconvert(), "b"_a.noconvert(), "ignored_a"_a.none(),
          "ignored_b"_a.none(), "threads"_a,
          nb::sig("def labels_table(a: NDArray[numpy.integer], b: NDArray[numpy.integer], ignored_a: int | None, "
                  "ignored_b: int | None, threads: int) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"));
}

}  // namespace vesica::bind

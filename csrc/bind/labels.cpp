// labels.cpp. Maps of labels.
#include "regions/labels/labels.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bind/joins.hpp"
#include "bind/label_maps.hpp"
#include "bind/module.hpp"

namespace vesica::bind {
namespace {

// Columns: labels of a, labels of b, how many pixels have both.
PairTuple<std::int64_t> labels_count(AnyMap a, AnyMap b, std::size_t threads) {
    const labels::Map left = map_of(a), right = map_of(b);
    if (a.size() != b.size()) throw nb::value_error("maps of different size");
    join::Pairs<std::int64_t> columns;
    {
        Unlocked unlocked;
        const std::vector<labels::Meeting> found = labels::count(left, right, a.size(), threads);
        const auto column = [&](std::int64_t labels::Meeting::* field) {
            auto values = std::make_unique<std::int64_t[]>(found.size());
            for (std::size_t k = 0; k < found.size(); ++k) values[k] = found[k].*field;
            return values;
        };
        columns = {column(&labels::Meeting::a), column(&labels::Meeting::b), column(&labels::Meeting::count),
                   found.size()};
    }
    return give(std::move(columns));
}

}  // namespace

void define_labels(nb::module_& m) {
    m.def("labels_count", &labels_count, "a"_a.noconvert(), "b"_a.noconvert(), "threads"_a,
          nb::sig("def labels_count(a: NDArray[numpy.integer], b: NDArray[numpy.integer], threads: int) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"));
}

}  // namespace vesica::bind

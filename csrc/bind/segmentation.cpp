// segmentation.cpp. Connected components, and distances: to the nearest seed, and between the surfaces of masks.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "bind/label_maps.hpp"
#include "bind/module.hpp"
#include "segmentation/components.hpp"
#include "segmentation/distance_transform.hpp"
#include "segmentation/surfaces.hpp"

namespace vesica::bind {
namespace {

using segmentation::Grid;
using segmentation::SurfacePair;
using segmentation::Weights;

// planes, rows, columns
using WeightTuple = std::tuple<double, double, double>;

Weights weights_of(const WeightTuple& weights) {
    const auto& [plane, row, column] = weights;
    return {plane, row, column};
}

// The last three axes; a picture is one plane.
template <class Array>
Grid grid_of(const Array& array) {
    if (array.ndim() != 2 && array.ndim() != 3) refuse("a picture has two axes, a volume three");
    const std::size_t last = array.ndim() - 1;
    return {last == 2 ? array.shape(0) : 1, array.shape(last - 1), array.shape(last)};
}

template <class T>
void distance_transform(In<std::uint8_t> seeds, const WeightTuple& weights, bool root, std::size_t threads,
                        Out<T> out) {
    const Grid grid = grid_of(seeds);
    expect_size("out", out.size(), seeds.size());
    Unlocked unlocked;
    segmentation::distance_transform(seeds.data(), grid, weights_of(weights), root, threads, out.data());
}

// The label of each component; their numbers go to `out`.
Column<std::int64_t> label_components(AnyMap map, std::int64_t background, bool diagonal, Out<std::int64_t> out) {
    const labels::Map given = map_of(map);
    const Grid grid = grid_of(map);
    expect_size("out", out.size(), map.size());
    std::vector<std::int64_t> found;
    {
        Unlocked unlocked;
        found = segmentation::components(given, grid, background, diagonal, out.data());
    }
    return give(std::move(found));
}

// How many distances each label has, the squares, how many pixels have each.
using HistogramTuple = std::tuple<Column<std::int64_t>, Column<double>, Column<std::int64_t>>;

HistogramTuple histograms(const std::vector<SurfacePair>& pairs, segmentation::Histogram SurfacePair::* side) {
    std::vector<std::int64_t> lengths, counts;
    std::vector<double> squared;
    for (const SurfacePair& pair : pairs) {
        const segmentation::Histogram& one = pair.*side;
        lengths.push_back(std::int64_t(one.count.size()));
        squared.insert(squared.end(), one.squared.begin(), one.squared.end());
        counts.insert(counts.end(), one.count.begin(), one.count.end());
    }
    return {give(std::move(lengths)), give(std::move(squared)), give(std::move(counts))};
}

// Sizes of the surfaces of a and b, and the distances from a and from b.
std::tuple<Column<std::int64_t>, Column<std::int64_t>, HistogramTuple, HistogramTuple> surface_distances(
    AnyMap a, AnyMap b, const WeightTuple& weights, Flat<std::int64_t> labels, std::size_t threads) {
    const labels::Map left = map_of(a), right = map_of(b);
    const Grid grid = grid_of(a), other = grid_of(b);
    if (a.ndim() != b.ndim() || grid.planes != other.planes || grid.rows != other.rows || grid.columns != other.columns)
        refuse("maps of different size");
    std::vector<SurfacePair> pairs;
    std::vector<std::int64_t> sizes_a, sizes_b;
    {
        Unlocked unlocked;
        pairs = segmentation::surface_distances(left, right, grid, a.ndim() == 2, weights_of(weights),
                                                {labels.data(), labels.data() + labels.size()}, threads);
        for (const SurfacePair& pair : pairs) {
            sizes_a.push_back(pair.size_a);
            sizes_b.push_back(pair.size_b);
        }
    }
    return {give(std::move(sizes_a)), give(std::move(sizes_b)), histograms(pairs, &SurfacePair::from_a),
            histograms(pairs, &SurfacePair::from_b)};
}

}  // namespace

void define_segmentation(nb::module_& m) {
    m.def("label_components", &label_components, "map"_a.noconvert(), "background"_a, "diagonal"_a, "out"_a,
          nb::sig("def label_components(map: NDArray[numpy.integer], background: int, diagonal: bool, "
                  "out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> NDArray[numpy.int64]"));
    m.def("distance_transform_float32", &distance_transform<float>, "seeds"_a, "weights"_a, "root"_a, "threads"_a,
          "out"_a);
    m.def("distance_transform_float64", &distance_transform<double>, "seeds"_a, "weights"_a, "root"_a, "threads"_a,
          "out"_a);
    m.def("surface_distances", &surface_distances, "a"_a.noconvert(), "b"_a.noconvert(), "weights"_a, "labels"_a,
          "threads"_a,
          nb::sig("def surface_distances(a: NDArray[numpy.integer], b: NDArray[numpy.integer], "
                  "weights: tuple[float, float, float], labels: Annotated[NDArray[numpy.int64], "
                  "dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.int64], "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.int64]], "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.int64]]]"));
}

}  // namespace vesica::bind

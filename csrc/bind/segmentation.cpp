// segmentation.cpp. Connected components, skeletons, and distances: to the nearest seed, between the surfaces of masks,
// and from the pixels of a mask to its outside.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "bind/label_maps.hpp"
#include "bind/module.hpp"
#include "segmentation/boundary_bands.hpp"
#include "segmentation/components.hpp"
#include "segmentation/distance_transform.hpp"
#include "segmentation/skeletons.hpp"
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

// The mask becomes its skeleton.
void thin(Out<std::uint8_t> mask) {
    const Grid grid = grid_of(mask);
    Unlocked unlocked;
    segmentation::thin(mask.data(), grid, mask.ndim() == 2);
}

// The size that both maps must have.
Grid one_grid(const AnyMap& a, const AnyMap& b) {
    const Grid grid = grid_of(a), other = grid_of(b);
    if (a.ndim() != b.ndim() || grid.planes != other.planes || grid.rows != other.rows || grid.columns != other.columns)
        refuse("maps of different size");
    return grid;
}

std::vector<std::int64_t> listed(const Flat<std::int64_t>& labels) {
    return {labels.data(), labels.data() + labels.size()};
}

// Of each label: pixels of the skeleton of a, those of them in b; pixels of the skeleton of b, those of them in a.
Column<std::int64_t> centrelines(AnyMap a, AnyMap b, Flat<std::int64_t> labels, std::size_t threads) {
    const labels::Map left = map_of(a), right = map_of(b);
    const Grid grid = one_grid(a, b);
    std::vector<std::int64_t> found;
    {
        Unlocked unlocked;
        for (const segmentation::CentrelinePair& pair :
             segmentation::centrelines(left, right, grid, a.ndim() == 2, listed(labels), threads))
            found.insert(found.end(), {pair.size_a, pair.inside_b, pair.size_b, pair.inside_a});
    }
    return give(std::move(found));
}

// Of each label, for a, for b and for both: how many depths there are, one behind the other; and the pixels of each.
std::tuple<Column<std::int64_t>, Column<std::int64_t>> boundary_bands(AnyMap a, AnyMap b, Flat<std::int64_t> labels,
                                                                      std::size_t threads) {
    const labels::Map left = map_of(a), right = map_of(b);
    const Grid grid = one_grid(a, b);
    std::vector<std::int64_t> lengths, counts;
    {
        Unlocked unlocked;
        for (const segmentation::BandPair& pair :
             segmentation::boundary_bands(left, right, grid, a.ndim() == 2, listed(labels), threads))
            for (const std::vector<std::int64_t>* side : {&pair.a, &pair.b, &pair.both}) {
                lengths.push_back(std::int64_t(side->size()));
                counts.insert(counts.end(), side->begin(), side->end());
            }
    }
    return {give(std::move(lengths)), give(std::move(counts))};
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
    const Grid grid = one_grid(a, b);
    std::vector<SurfacePair> pairs;
    std::vector<std::int64_t> sizes_a, sizes_b;
    {
        Unlocked unlocked;
        pairs = segmentation::surface_distances(left, right, grid, a.ndim() == 2, weights_of(weights), listed(labels),
                                                threads);
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
    m.def("thin", &thin, "mask"_a);
    m.def("centrelines", &centrelines, "a"_a.noconvert(), "b"_a.noconvert(), "labels"_a, "threads"_a,
          nb::sig("def centrelines(a: NDArray[numpy.integer], b: NDArray[numpy.integer], "
                  "labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', "
                  "writable=False)], threads: int) -> NDArray[numpy.int64]"));
    m.def("boundary_bands", &boundary_bands, "a"_a.noconvert(), "b"_a.noconvert(), "labels"_a, "threads"_a,
          nb::sig("def boundary_bands(a: NDArray[numpy.integer], b: NDArray[numpy.integer], "
                  "labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', "
                  "writable=False)], threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]"));
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

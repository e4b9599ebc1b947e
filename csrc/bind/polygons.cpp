// polygons.cpp. Polygons, and the pixels they cover.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bind/module.hpp"
#include "bind/region_pairs.hpp"
#include "regions/raster.hpp"

namespace vesica::bind {
namespace {

// points, rings, parts, regions: the first fields of a Rings.
polygons::Regions regions_of(const nb::object& flat) {
    const auto points = nb::cast<In<double>>(flat[0], false);
    const auto rings = nb::cast<In<std::int64_t>>(flat[1], false), parts = nb::cast<In<std::int64_t>>(flat[2], false),
               regions = nb::cast<In<std::int64_t>>(flat[3], false);
    const std::size_t ring_count = expect_offsets("rings", rings, points.size() / 2);
    const std::size_t part_count = expect_offsets("parts", parts, ring_count);
    return {points.data(), rings.data(), parts.data(), regions.data(), expect_offsets("regions", regions, part_count)};
}

polygons::Side polygons_side(const nb::object& flat) {
    const polygons::Regions regions = regions_of(flat);
    return {regions, column_of<double>(flat, 4, 4 * regions.count), column_of<double>(flat, 5, regions.count)};
}

void polygons_area(nb::object flat, Out<double> out, std::size_t threads) {
    const polygons::Regions regions = regions_of(flat);
    expect_size("out", out.size(), regions.count);
    Unlocked unlocked;
    polygons::areas(regions, out.data(), threads);
}

CountTuple polygons_counts(nb::object flat, int rule, std::int64_t height, std::int64_t width, std::size_t threads) {
    const polygons::Regions regions = regions_of(flat);
    raster::Counts found;
    {
        Unlocked unlocked;
        found = raster::counts(regions, height, width, raster::Rule(rule), threads);
    }
    return {give(std::move(found.counts)), give(std::move(found.offsets))};
}

}  // namespace

polygons::Source polygons_of(const nb::object& a, const nb::object& b) {
    return {polygons_side(a), polygons_side(b)};
}

void define_polygons(nb::module_& m) {
    define_names<raster::Rule>(m, "raster_rule_names");
    define_pairs<polygons_of>(m, "polygons");
    m.attr("most_crossings") = polygons::most_crossings;
    m.def("polygons_area", &polygons_area, "rings"_a, "out"_a.noconvert(), "threads"_a);
    m.def("polygons_counts", &polygons_counts, "rings"_a, "rule"_a, "height"_a, "width"_a, "threads"_a);
}

}  // namespace vesica::bind

// surfaces.hpp. How far the surfaces of two masks are apart: for each label of two label maps, the distances from the
// surface pixels of either side to the nearest surface pixel of the other.
//
// A surface pixel belongs to the mask and has a neighbour along an axis that does not; what lies beyond the image does
// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/labels/labels.hpp"
#include "segmentation/distance_transform.hpp"

namespace vesica::segmentation {

// Squared distances, rising, and how many pixels have each.
struct Histogram {
    std::vector<double> squared;
    std::vector<std::int64_t> count;
};

struct SurfacePair {
    std::int64_t size_a = 0, size_b = 0;  // pixels of each surface
    Histogram from_a, from_b;             // both empty where one side has no surface
};

// One pair for each label. With weights of 1 the squares are exact. A picture is flat: it has no neighbours above and
// below its plane, while a volume of one plane has the outside there.
std::vector<SurfacePair> surface_distances(const labels::Map& a, const labels::Map& b, Grid grid, bool is_flat,
                                           Weights weights, const std::vector<std::int64_t>& wanted,
                                           std::size_t threads);

}  // namespace vesica::segmentation

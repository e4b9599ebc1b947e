// boundary_bands.hpp. How deep the pixels of two masks lie: for each label of two label maps, as many steps along rows,
// columns and diagonals as it takes to leave the mask. What lies beyond the image is not in it.
//
// The inner band of width d is what is at most d deep; boundary IoU is how far two of them overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/labels/labels.hpp"
#include "segmentation/distance_transform.hpp"

namespace vesica::segmentation {

// Pixels by their depth, from 1 on. A pixel of both masks is as deep as in the one in which it lies deeper.
struct BandPair {
    std::vector<std::int64_t> a, b, both;
};

// One pair for each label. A picture is flat: it has no neighbours above and below its plane.
std::vector<BandPair> boundary_bands(const labels::Map& a, const labels::Map& b, Grid grid, bool is_flat,
                                     const std::vector<std::int64_t>& wanted, std::size_t threads);

}  // namespace vesica::segmentation

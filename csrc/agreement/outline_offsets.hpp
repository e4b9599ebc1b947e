// outline_offsets.hpp. How far the outline of one mask lies outside that of another.
//
// The outline is the pixels of a mask that have a neighbour above, below, left or right outside it; beyond the image is
// outside. Distances go from centre to centre, and are exact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regions/masks/rle.hpp"

namespace vesica::agreement {

// Row rows_a[k] of a and row rows_b[k] of b, canonical counts of images of one height, are pair k.
struct MaskPairs {
    rle::Counts a, b;
    const std::int64_t* rows_a;
    const std::int64_t* rows_b;
    std::size_t count;
};

// offset[k]: half of (the mean signed distance of the outline of b from that of a − that of a from b), outside
// positive. distance[k]: the mean of all distances of both outlines. NaN where a mask is empty.
void outline_offsets(MaskPairs pairs, std::size_t height, std::size_t threads, double* offset, double* distance);

}  // namespace vesica::agreement

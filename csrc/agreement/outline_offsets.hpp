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

// Bins of distances: distance d is in bin ceil(d / step), those beyond the last in the last.
struct Bins {
    double step;
    std::size_t count;
};

// out[k * bins.count + j]: how many pixels of both outlines of pair k are at a distance of bin j from the other
// outline. Zeros where a mask is empty.
void outline_histograms(MaskPairs pairs, std::size_t height, Bins bins, std::size_t threads, std::uint32_t* out);

// differ[k]: the pixels that one mask of pair k has and the other has not. near[k]: those of them that are at most
// `within` pixels from the outline of either.
void edge_pixels(MaskPairs pairs, std::size_t height, double within, std::size_t threads, std::int64_t* differ,
                 std::int64_t* near);

}  // namespace vesica::agreement

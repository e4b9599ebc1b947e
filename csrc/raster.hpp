// raster.hpp. Which pixels belong to a polygon? Three rules, each answered in runs: nothing of the size of the image
// is made, and time and memory grow with the edges and the columns they cross.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "polygons.hpp"

namespace vesica::raster {

enum class Rule {
    coco,    // the parity walk on a grid of fifths
    centre,  // the centre of the pixel is inside; on a top or left edge counts, on others not
    border,  // vertices are indices of pixels, and the outline belongs
};

// Run lengths down the columns, background first; no run but the first is 0, and their sum is height * width.
struct Counts {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> offsets;  // region i has the counts offsets[i] ... offsets[i + 1]
};

// Coordinates stay within 2^40, for borders within 2^30: no sum of the walks loses a bit and no product overflows.
Counts counts(const polygons::Regions& regions, std::int64_t height, std::int64_t width, Rule rule,
              std::size_t threads);

}  // namespace vesica::raster

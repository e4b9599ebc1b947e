// components.hpp. The connected parts of a label map: pixels of one label that hang together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/labels/labels.hpp"
#include "segmentation/distance_transform.hpp"

namespace vesica::segmentation {

// Writes the number of its component for each pixel, from 1 on in the order of their first pixels, and 0 for pixels of
// the background. Returns the label of each component. Neighbours are those along the axes, or with `diagonal` all that
// touch: 4 or 8 in a picture, 6 or 26 in a volume.
std::vector<std::int64_t> components(const labels::Map& map, Grid grid, std::int64_t background, bool diagonal,
                                     std::int64_t* out);

}  // namespace vesica::segmentation

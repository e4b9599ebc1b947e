// skeletons.hpp. Skeletons: masks thinned to lines that are one pixel wide and hang together as the masks did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/labels/labels.hpp"
#include "segmentation/distance_transform.hpp"

namespace vesica::segmentation {

// Thinning from the border inwards, one direction after the other (Lee, Kashyap and Chu, 1994): up, down, right and
// left, and in a volume the planes behind and before. Those pixels of a border that are simple and no ends of lines are
// looked at once more one by one, in the order of their places, and removed if they still are. It ends when no
// direction removes any. `mask` is bytes of 0 and 1; what lies beyond it is background.
//
// A pixel is simple when without it object and background hang together as before: corners connect the object, and
// sides alone the background. The end of a line has one neighbour, corners included.
void thin(std::uint8_t* mask, Grid grid, bool is_flat);

// The pixels of each skeleton, and how many of them lie inside the other mask.
struct CentrelinePair {
    std::int64_t size_a = 0, inside_b = 0, size_b = 0, inside_a = 0;
};

// One pair for each label of two label maps.
std::vector<CentrelinePair> centrelines(const labels::Map& a, const labels::Map& b, Grid grid, bool is_flat,
                                        const std::vector<std::int64_t>& wanted, std::size_t threads);

}  // namespace vesica::segmentation

// label_masks.hpp. The labels of a map one by one: where each of them is, and its mask inside a box.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"
#include "base/threads.hpp"
#include "regions/labels/labels.hpp"
#include "segmentation/distance_transform.hpp"

namespace vesica::segmentation {

using Bytes = memory::Vector<std::uint8_t>;

// The part of a volume in which a label occurs: half-open along each axis.
struct Box {
    std::array<std::size_t, 3> low{SIZE_MAX, SIZE_MAX, SIZE_MAX}, high{0, 0, 0};

    bool is_empty() const { return high[0] == 0; }
    void add(const Box& other) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], other.low[axis]);
            high[axis] = std::max(high[axis], other.high[axis]);
        }
    }
    Grid grid() const { return {high[0] - low[0], high[1] - low[1], high[2] - low[2]}; }
};

// The box of each wanted label, empty where the map does not have it.
std::vector<Box> boxes_of(const labels::Map& map, Grid grid, const std::vector<std::int64_t>& wanted,
                          std::size_t threads);

// The boxes that hold a label in both maps.
std::vector<Box> joined(const std::vector<Box>& a, const std::vector<Box>& b);

// Which pixels of the box have the label, as bytes of 0 and 1. The box is not empty.
Bytes mask_of(const labels::Map& map, Grid grid, const Box& box, std::int64_t label, std::size_t threads);

// compare(k, threads) for each box that is not empty: many small ones side by side, or each large one by all threads.
template <class Compare>
void for_each_box(const std::vector<Box>& boxes, std::size_t threads, const Compare& compare) {
    std::size_t largest = 0, total = 0;
    for (const Box& box : boxes) {
        if (box.is_empty()) continue;
        largest = std::max(largest, box.grid().size());
        total += box.grid().size();
    }
    const auto some = [&](std::size_t k, std::size_t helpers) {
        if (!boxes[k].is_empty()) compare(k, helpers);
    };
    if (largest * threads <= total)
        threads::run(boxes.size(), threads, [&](std::size_t k) { some(k, 1); });
    else
        for (std::size_t k = 0; k < boxes.size(); ++k) some(k, threads);
}

}  // namespace vesica::segmentation

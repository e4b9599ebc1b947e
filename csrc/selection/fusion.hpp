// fusion.hpp. Weighted box fusion: boxes that agree become one, which is their mean by weighted score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/threshold.hpp"
#include "regions/boxes.hpp"

namespace vesica::fusion {

// Boxes in the order in which they join: `order` holds the rows that take part, the largest weighted score first.
struct Votes {
    boxes::Rows<double> boxes;
    const std::int64_t* order;
    std::size_t count;
    const double* weighted;     // of each row: weight · score, finite, not negative
    const std::uint32_t* keys;  // of each row, or null: only equal ones are fused
};

// Fused boxes, key by key, the oldest first.
struct Clusters {
    std::vector<double> boxes;          // rows of x1, y1, x2, y2
    std::vector<std::int64_t> first;    // the row that opened each
    std::vector<std::int64_t> members;  // of each row: the number of its cluster, −1 if it took no part
};

// A box joins the cluster whose fused box has the largest iou with it, if that exceeds the threshold (among equals the
// oldest), or else opens one.
Clusters fuse(const Votes& votes, const Threshold& threshold, std::size_t threads);

}  // namespace vesica::fusion

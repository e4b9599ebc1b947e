// coco_mask_table.hpp. Many rows of masks at once, as columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/coco_masks.hpp"

namespace vesica::coco_masks {

// A row with a fault has an empty mask.
struct Table {
    std::vector<std::int64_t> counts,
        offsets;  // canonical run lengths; row k has counts[offsets[k] ... offsets[k + 1])
    std::vector<std::int64_t> area;
    std::vector<std::int64_t> place;  // six numbers: the tight box x1, y1, x2, y2, then height and width of the image
    std::vector<std::uint8_t> kind;   // of the fault
    std::vector<std::int64_t> position;  // of the fault
    std::vector<std::uint8_t> finding;   // bits: 1 short counts, 2 no area
};
Table decoded(const Column& column, const std::int64_t* rows, std::size_t count, bool literal, std::size_t threads);
// The same without counts and places.
Table areas(const Column& column, const std::int64_t* rows, std::size_t count, bool literal, std::size_t threads);

}  // namespace vesica::coco_masks

// coco_masks.hpp. Masks as COCO files spell them, read from Python, and what was wrong with them.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "bind/arrays.hpp"
#include "dataset/coco_masks.hpp"

namespace vesica::bind {

// text, begin, end, form, size and xywh, which may be None.
inline coco_masks::Column coco_masks_of(const nb::object& column) {
    const nb::object xywh = column[5];
    const std::size_t count = nb::cast<In<std::int64_t>>(column[1], false).size();
    return {nb::cast<In<std::uint8_t>>(column[0], false).data(),
            column_of<std::int64_t>(column, 1, count),
            column_of<std::int64_t>(column, 2, count),
            column_of<std::uint8_t>(column, 3, count),
            column_of<std::int64_t>(column, 4, 2 * count),
            xywh.is_none() ? nullptr : column_of<double>(column, 5, 4 * count),
            count};
}

// The fault, if any: kind, side, row, other row, position, and sizes.
using FaultTuple = std::tuple<int, int, std::size_t, std::size_t, std::size_t, std::vector<std::int64_t>>;
inline FaultTuple give_fault(const coco_masks::Fault& fault) {
    return {static_cast<int>(fault.kind),
            static_cast<int>(fault.side),
            fault.row,
            fault.other,
            fault.position,
            std::vector<std::int64_t>(fault.size, fault.size + 4)};
}

}  // namespace vesica::bind

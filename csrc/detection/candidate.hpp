// candidate.hpp. A truth that a guess may be matched with.
#pragma once

#include <cstdint>

namespace vesica {

struct Candidate {
    double iou;
    std::uint32_t truth;  // its place in the cell
};

}  // namespace vesica

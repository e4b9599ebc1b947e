// masks.hpp. Dense masks: bytes by row, not 0 where a pixel belongs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regions/masks/pixels.hpp"

namespace vesica::masks {

// A stack of `count` masks, one after the other.
struct Dense {
    const std::uint8_t* data;
    std::size_t count, height, width;
};

// All masks as bits.
pixels::Owned pack(Dense stack, std::size_t threads);

// Bytes of 0 and 1 from a stack in the form of the kernels: out[(n * height + y) * width + x].
void unpack(const pixels::Stack& stack, std::uint8_t* out, std::size_t threads);

}  // namespace vesica::masks

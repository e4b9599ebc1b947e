// pixels.hpp. Masks in the form of the kernels, as Python keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bind/arrays.hpp"
#include "regions/masks/pixels.hpp"

namespace vesica::bind {

// Frozen. Some of the masks share words and runs with all of them.
struct Pixels {
    std::shared_ptr<const pixels::Mask[]> masks;
    std::size_t count;
    std::shared_ptr<const std::uint64_t[]> words;
    std::size_t word_count;
    std::shared_ptr<const pixels::Run[]> runs;
    std::size_t run_count;
    std::int64_t height, width;

    pixels::Stack stack() const { return {masks.get(), count, words.get(), runs.get(), height, width}; }
};

Pixels give(pixels::Owned stack, std::int64_t height, std::int64_t width);

}  // namespace vesica::bind

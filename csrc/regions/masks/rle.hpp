// rle.hpp. Run lengths: counts of background, foreground, background, … down the columns, and their string form.
//
// Counts of many masks lie one after the other; mask i has counts[offsets[i] ... offsets[i + 1]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/masks/pixels.hpp"

namespace vesica::rle {

struct Counts {
    const std::int64_t* data;
    const std::int64_t* offsets;
    std::size_t count;  // masks
};

struct OwnedCounts {
    std::vector<std::int64_t> data, offsets;
};

// What is wrong with the first bad mask, if any is, and where in it.
using runs::Fault;
struct Finding {
    Fault fault = Fault::none;
    std::size_t mask = 0, position = 0;
};

// Any counts → canonical ones. Zeros are dropped and their neighbours merged; a short sum is padded with background.
Finding canonical(Counts given, std::int64_t pixels, OwnedCounts& out);

// Strings, one after the other → the form of the kernels, all as runs.
struct Strings {
    const std::uint8_t* text;
    std::size_t length;           // of all of them
    const std::int64_t* lengths;  // of each
    std::size_t count;
};
Finding from_strings(const Strings& strings, std::int64_t height, std::int64_t pixels, pixels::Owned& out,
                     std::size_t threads);

// Canonical counts → strings.
void to_strings(Counts counts, std::vector<std::uint8_t>& text, std::vector<std::int64_t>& offsets);

// Canonical counts → the form of the kernels, all as runs; and back.
pixels::Owned pack(Counts counts, std::int64_t height, std::size_t threads);
OwnedCounts unpack(const pixels::Stack& stack, std::size_t threads);

// The intersection, or the union, of a[i] and b[i].
enum class Merge : int { both = 0, either };
OwnedCounts merge(Counts a, Counts b, std::int64_t pixels, Merge how);

// The part of each mask inside the window, as masks of an image of the window's size.
OwnedCounts crop(Counts counts, std::int64_t height, const pixels::Window& window);

}  // namespace vesica::rle

// rle.hpp. Run lengths: counts of background, foreground, background, … down the columns, and their string form.
//
// Counts of many masks lie one after the other; mask i has counts[offsets[i] ... offsets[i + 1]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "regions/masks/pixels.hpp"
#include "regions/masks/rle_strings.hpp"

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

// Strings, one after the other, with `rle_strings::room` before and behind them.
struct Strings {
    memory::Vector<std::uint8_t> text;
    std::vector<std::size_t> starts;  // string i is text[starts[i] ... starts[i + 1])
    std::size_t count() const { return starts.size() - 1; }
    std::size_t length() const { return starts.back() - starts.front(); }
};
Strings joined(const std::vector<std::string_view>& strings);

// Strings → the form of the kernels, all as runs.
Finding from_strings(const Strings& strings, std::int64_t height, std::int64_t pixels, pixels::Owned& out,
                     std::size_t threads);

// Masks whose bytes lie column by column, one mask after the other → canonical counts. A byte that is not 0 belongs.
// `pixels` of each, at least one.
OwnedCounts of_columns(const std::uint8_t* bytes, std::size_t masks, std::size_t pixels);

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

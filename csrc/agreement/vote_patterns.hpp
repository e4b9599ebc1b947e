// vote_patterns.hpp. K masks of one image: how many pixels have each pattern of votes, bit k being the vote of mask k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agreement/tally.hpp"
#include "regions/masks/rle.hpp"

namespace vesica::agreement {

constexpr std::size_t most_masks = 64;

// Bytes, not 0 where a pixel belongs: mask k begins at bytes + k * pixels.
Patterns of_bytes(const std::uint8_t* bytes, std::size_t masks, std::size_t pixels, std::size_t threads);

// Groups of masks as canonical counts: group g has the masks begins[g] ... begins[g + 1), at least one and at most
// most_masks of them, all of images of pixels[g] pixels.
struct Groups {
    const std::int64_t* begins;
    const std::int64_t* pixels;
    std::size_t count;
};
struct GroupedPatterns {
    std::vector<std::int64_t> sizes;  // how many patterns each group has
    Patterns patterns;
};
GroupedPatterns of_counts(rle::Counts counts, Groups groups, std::size_t threads);

// One mask for each group: the pixels whose pattern is among the chosen ones, which rise: those of group g are
// code[begins[g] ... begins[g + 1]).
struct Chosen {
    const std::uint64_t* code;
    const std::int64_t* begins;
};
rle::OwnedCounts choose(rle::Counts counts, Groups groups, Chosen chosen, std::size_t threads);

// Label maps of bytes, at most eight of them: byte k of a pattern is the label of map k.
constexpr std::size_t most_maps = 8;
Patterns of_labels(const std::uint8_t* bytes, std::size_t maps, std::size_t pixels, std::size_t threads);

}  // namespace vesica::agreement

// label_changes.hpp. Where two maps of labels change: pixels whose pair of labels is not that of their left neighbour.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace vesica::labels {

using Byte = std::uint8_t;

// Pixels are taken in pieces that stay in the nearest cache while they are looked at several times.
constexpr std::size_t piece = 1 << 14;
// Changes are found 64 pixels at a time: bit k of a word is pixel 64 · word + k + 1, which has a left neighbour.
constexpr std::size_t block = 64;
using Changes = std::array<std::uint64_t, piece / block + 1>;

// Of some bytes the largest, and the largest of all of them one further on, where 255 is 0.
struct Tops {
    Byte plain = 0, shifted = 0;

    void add(Byte byte) {
        plain = std::max(plain, byte);
        shifted = std::max(shifted, static_cast<Byte>(byte + 1));
    }
    void add(const Tops& other) {
        plain = std::max(plain, other.plain);
        shifted = std::max(shifted, other.shifted);
    }
};

void add_tops(const Byte* data, std::size_t count, Tops& tops);

// One word for each block of pixels that have a left neighbour; the last one may be short. count > 0. While the bytes
// are at hand, their tops are added.
void find_changes(const Byte* a, const Byte* b, std::size_t count, Changes& out, Tops& tops_a, Tops& tops_b);
void find_changes(const std::int64_t* a, const std::int64_t* b, std::size_t count, Changes& out);

}  // namespace vesica::labels

// bits.hpp. Rows of bytes as rows of bits and back, and bits by row as bits by column.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd.hpp"

namespace vesica::bits {

constexpr std::size_t word = 64;

inline std::size_t words(std::size_t count) {
    return (count + word - 1) / word;
}

// The lowest `count` bits, count in [0, 64].
inline std::uint64_t low(std::size_t count) {
    return count >= word ? ~0ull : (1ull << count) - 1;
}

// bytes[0 ... count) → words(count) words: bit k of word w tells whether byte 64 w + k is not 0.
// Returns the or of all words.
std::uint64_t pack(const std::uint8_t* bytes, std::size_t count, std::uint64_t* to);

// The way back: bytes of 0 and 1.
void unpack(const std::uint64_t* from, std::size_t count, std::uint8_t* bytes);

// Bit c of rows[r] becomes bit r of rows[c].
void transpose(std::uint64_t rows[word]);

// A block of words: `rows` rows of `columns` words, `stride` words apart.
struct Block {
    const std::uint64_t* data;
    std::size_t stride;
};

// The set bits of a & b.
std::int64_t count_both(Block a, Block b, std::size_t rows, std::size_t columns);

// The set bits of a; in the first and the last row only those under a mask (under both, if they are one).
std::int64_t count_under(Block a, std::size_t rows, std::size_t columns, std::uint64_t first, std::uint64_t last);

}  // namespace vesica::bits

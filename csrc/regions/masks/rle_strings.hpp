// rle_strings.hpp. COCO's compressed strings, many characters at a time. What is not as usual is left to somebody
// slower.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vesica::rle_strings {

// Bytes around a text, and numbers behind those of an answer, that may be touched: read as anything, written as
// nothing.
constexpr std::size_t room = 64;

constexpr std::size_t unusual = SIZE_MAX;

// Copy the bytes up to the first quote or backslash; returns how many there are.
std::size_t copy_plain(const std::uint8_t* from, const std::uint8_t* end, std::uint8_t* to);

// The numbers of a string, as written: differences are not resolved. At most `count` of them; their number, or
// `unusual`: a character that is none, a cut, or a number of more than 20 bits. There is room on both sides of the
// text.
std::size_t numbers(const std::uint8_t* text, std::size_t count, std::int32_t* out);

struct Sums {
    std::int64_t area, end;  // the foreground, and all of it
};

// Numbers → where the counts end: begin and end of each run in turn, for as many as there are numbers. False if some
// count but the first is not positive, or all of them are more than the pixels.
bool resolve(const std::int32_t* numbers, std::size_t count, std::int64_t pixels, std::uint32_t* ends, Sums& sums);

}  // namespace vesica::rle_strings

// strings.hpp. COCO's compressed strings, many characters at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vesica::strings {

// Bytes behind a text, and numbers behind those of an answer, that may be touched: read as anything, written as
// nothing.
constexpr std::size_t room = 64;

constexpr std::size_t unusual = SIZE_MAX;

// The numbers of a string, as written: differences are not resolved. At most `count` of them; their number, or
// `unusual` where somebody slower has to look: a character that is none, a cut, or a number of more than 20 bits.
std::size_t numbers(const std::uint8_t* text, std::size_t count, std::int32_t* out);

}  // namespace vesica::strings

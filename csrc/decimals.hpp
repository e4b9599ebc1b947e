// decimals.hpp. A decimal as JSON writes it → the double next to it, always correctly rounded.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "isa.hpp"

namespace vesica::decimals {

enum class Kind : std::uint8_t { integer, long_integer, decimal };  // long: beyond 64 bits

struct Number {
    double value = 0;
    std::int64_t integer = 0;  // of Kind::integer
    Kind kind = Kind::integer;
};

// Python refuses to make an integer of more digits.
constexpr std::ptrdiff_t most_digits = 4300;

// Read the number at `at`: digits as JSON has them, or NaN, Infinity, -Infinity. What is too large is infinity. Returns
// where the number ends, or nullptr if there is none; `ends` says that the text broke off inside one.
const char* read(const char* at, const char* end, Number& out, bool& ends);

// mantissa · 10^exponent, where the mantissa is exact. False where the method cannot tell: then `exact` can.
bool scaled(std::uint64_t mantissa, std::int64_t exponent, double& out);

// The same of the whole text of a number without sign, by the standard library.
double exact(const char* begin, const char* end, bool is_small);

inline constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Eight characters, the first in the lowest byte, whatever the machine's order.
VESICA_INLINE std::uint64_t eight(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    if constexpr (std::endian::native == std::endian::big) {
        word = (word & 0x00ff00ff00ff00ff) << 8 | (word >> 8 & 0x00ff00ff00ff00ff);
        word = (word & 0x0000ffff0000ffff) << 16 | (word >> 16 & 0x0000ffff0000ffff);
        word = word << 32 | word >> 32;
    }
    return word;
}

// The high bit of each byte that is no digit. Bytes above the first of them may be wrong.
VESICA_INLINE std::uint64_t no_digits(std::uint64_t word) {
    const std::uint64_t value = word ^ 0x3030303030303030;
    return ((value + 0x7676767676767676) | value) & 0x8080808080808080;
}

// Eight values 0 … 9, the most significant in the lowest byte → a number: pairs, then fours, then all.
VESICA_INLINE std::uint64_t joined(std::uint64_t values) {
    values = (values * 10 + (values >> 8)) & 0x00ff00ff00ff00ff;
    values = (values * 100 + (values >> 16)) & 0x0000ffff0000ffff;
    return (values * 10000 + (values >> 32)) & 0xffffffff;
}

// The common case in a few steps: up to eight digits, perhaps a point among them. Needs 16 readable bytes. What follows
// is not looked at. Returns where the number ends, or nullptr: then `read` decides.
VESICA_INLINE const char* read_short(const char* at, double& out) {
    const bool is_negative = *at == '-';
    at += is_negative;
    const std::uint64_t word = eight(at), next = eight(at + 1);
    const std::uint64_t stop = no_digits(word);
    const int whole = std::countr_zero(stop);  // eight times the digits before the first other character, plus 7
    if (whole < 15 || whole > 63 || (whole > 15 && *at == '0')) return nullptr;
    const std::uint64_t front = (std::uint64_t(1) << (whole - 7)) - 1;
    if ((word >> (whole - 7) & 0xff) != '.') {
        const auto integer =
            static_cast<std::int64_t>(joined(((word & front) ^ (0x3030303030303030 & front)) << (71 - whole)));
        out = static_cast<double>(is_negative ? -integer : integer);  // the integer -0 is 0
        return at + (whole >> 3);
    }
    // Without the point: the front of the word, and the rest as it stands one character later.
    const std::uint64_t digits = (word & front) | (next & ~front);
    const int all = std::countr_zero(no_digits(digits));
    if (all == whole || all > 63) return nullptr;
    const std::uint64_t kept = (std::uint64_t(1) << (all - 7)) - 1;
    const double value = static_cast<double>(joined(((digits & kept) ^ (0x3030303030303030 & kept)) << (71 - all))) /
                         powers[(all - whole) >> 3];
    out = is_negative ? -value : value;
    return at + (all >> 3) + 1;
}

// The same of whole numbers.
VESICA_INLINE const char* read_short(const char* at, std::int64_t& out) {
    const std::uint64_t word = eight(at);
    const int whole = std::countr_zero(no_digits(word));
    if (whole < 15 || whole > 63 || (whole > 15 && *at == '0')) return nullptr;
    const std::uint64_t front = (std::uint64_t(1) << (whole - 7)) - 1;
    out = static_cast<std::int64_t>(joined(((word & front) ^ (0x3030303030303030 & front)) << (71 - whole)));
    return at + (whole >> 3);
}

}  // namespace vesica::decimals

// decimals.hpp. The numbers of JSON, correctly rounded.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "isa.hpp"

namespace vesica::decimals {

static_assert(std::endian::native == std::endian::little, "characters are read eight at a time");

constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool is_digit(const std::uint8_t* at, const std::uint8_t* end) {
    return at != end && *at - 48u < 10;
}

// The words that Python writes for what JSON has no number for.
inline const std::uint8_t* word(const std::uint8_t* at, const std::uint8_t* end, double& value) {
    const std::string_view rest(reinterpret_cast<const char*>(at), static_cast<std::size_t>(end - at));
    const auto is = [&](std::string_view name) { return rest.substr(0, name.size()) == name; };
    if (is("NaN")) return value = std::numeric_limits<double>::quiet_NaN(), at + 3;
    if (is("Infinity")) return value = std::numeric_limits<double>::infinity(), at + 8;
    if (is("-Infinity")) return value = -std::numeric_limits<double>::infinity(), at + 9;
    return nullptr;
}

// Up to eight digits, the lowest byte first, each in a byte of its own.
inline std::uint32_t eight_digits(std::uint64_t digits) {
    digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ffull;
    digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffffull;
    return static_cast<std::uint32_t>(digits * 10000 + (digits >> 32));
}

// A number of at most seven characters, as coordinates are: 582.81. Null where somebody slower has to look.
VESICA_INLINE const std::uint8_t* read_short(const std::uint8_t* at, const std::uint8_t* end, double& value) {
    if (end - at < 8) return nullptr;
    std::uint64_t text;
    std::memcpy(&text, at, 8);
    const std::uint64_t digits = text ^ 0x3030303030303030ull;
    const std::uint64_t others =
        (((digits & 0x7f7f7f7f7f7f7f7full) + 0x7676767676767676ull) | digits) & 0x8080808080808080ull;
    const std::uint64_t after = others & (others - 1);  // without the first
    if (!after) return nullptr;
    const unsigned first = static_cast<unsigned>(std::countr_zero(others)) / 8;
    const bool has_point = at[first] == '.';
    const unsigned last = has_point ? static_cast<unsigned>(std::countr_zero(after)) / 8 : first;
    const unsigned decimals = last - first - has_point, count = last - has_point;
    if (first == 0 || (has_point && decimals == 0) || (*at == '0' && first > 1) || (at[last] | 32) == 'e')
        return nullptr;
    const std::uint64_t whole = (1ull << 8 * first) - 1;
    const std::uint64_t joined = has_point ? (digits & whole) | (digits >> 8 & ~whole) : digits;
    value = eight_digits(joined << 8 * (8 - count)) / powers[decimals];
    return at + last;
}

// The number that begins here, as Python's reader takes it; returns where it ends, or null if it is none.
inline const std::uint8_t* read(const std::uint8_t* at, const std::uint8_t* end, double& value) {
    const std::uint8_t* const begin = at;
    const bool is_negative = at != end && *at == '-';
    at += is_negative;
    if (!is_digit(at, end)) return word(begin, end, value);
    if (*at == '0' && is_digit(at + 1, end)) return nullptr;
    std::uint64_t digits = 0;
    const std::uint8_t* const first = at;
    for (; is_digit(at, end); ++at) digits = 10 * digits + (*at - 48u);
    std::ptrdiff_t count = at - first, decimals = 0;
    if (at != end && *at == '.') {
        const std::uint8_t* const point = ++at;
        for (; is_digit(at, end); ++at) digits = 10 * digits + (*at - 48u);
        decimals = at - point, count += decimals;
        if (!decimals) return nullptr;
    }
    const bool has_power = at != end && (*at | 32) == 'e';
    if (!has_power && count <= 15) {  // both are exact, so that one division rounds once
        value = static_cast<double>(digits) / powers[decimals];
        value = is_negative ? -value : value;
        return at;
    }
    if (has_power) {
        ++at;
        at += at != end && (*at == '+' || *at == '-');
        if (!is_digit(at, end)) return nullptr;
        while (is_digit(at, end)) ++at;
    }
    const char* const from = reinterpret_cast<const char*>(begin);
    const std::from_chars_result done = std::from_chars(from, reinterpret_cast<const char*>(at), value);
    if (done.ec == std::errc::result_out_of_range) {  // above all numbers, or below: the sign of the power says which
        const std::string_view written(from, static_cast<std::size_t>(at - begin));
        const bool is_tiny = written.find("e-") != written.npos || written.find("E-") != written.npos || digits == 0;
        value = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
        value = is_negative ? -value : value;
    }
    return at;
}

}  // namespace vesica::decimals

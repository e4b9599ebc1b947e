// decimals.hpp. The numbers of JSON, correctly rounded.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace vesica::decimals {

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

// decimals.hpp. A decimal as JSON writes it → the double next to it, always correctly rounded.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/simd.hpp"

#if VESICA_X86
#include <emmintrin.h>
#endif

namespace vesica::decimals {

enum class Kind : std::uint8_t { integer, long_integer, decimal };  // long: beyond 64 bits

struct Number {
    double value = 0;
    std::int64_t integer = 0;  // of Kind::integer
    Kind kind = Kind::integer;
};

// Python refuses to make an integer of more digits.
constexpr std::ptrdiff_t most_digits = 4300;

// Does a number, and nothing else that JSON has, begin with this character?
inline bool begins(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == 'N' || c == 'I';
}

// Read the number at `at`: digits as JSON has them, or NaN, Infinity, -Infinity. What is too large is infinity. Returns
// where the number ends, or nullptr if there is no number; `ends` says that the text broke off inside one.
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

// Where digits and points end among 16 characters, and which of them are points: a bit for each.
struct Shape {
    unsigned end, points;
};

VESICA_INLINE Shape shape_of(const char* at) {
#if VESICA_X86
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i value = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
    const __m128i points = _mm_cmpeq_epi8(text, _mm_set1_epi8('.'));
    const auto belong = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(digits, points)));
    const auto end = static_cast<unsigned>(std::countr_one(belong));
    return {end, static_cast<unsigned>(_mm_movemask_epi8(points)) & ((1u << end) - 1)};
#else
    Shape shape{0, 0};
    for (; shape.end < 16; ++shape.end) {
        const char c = at[shape.end];
        if (c == '.')
            shape.points |= 1u << shape.end;
        else if (c < '0' || c > '9')
            break;
    }
    return shape;
#endif
}

// Digits and perhaps a point, less than 16 characters. `is_decimal`: with a point.
VESICA_INLINE const char* read_unsigned(const char* at, double& out, bool& is_decimal) {
    const auto [end, points] = shape_of(at);
    is_decimal = points != 0;
    // At most one point, with digits on both sides; not too long, and not nothing.
    if (((points & (points - 1)) | (points & (1u | 1u << end >> 1))) || end - 1 > 14) return nullptr;
    const auto point = static_cast<unsigned>(std::countr_zero(points | 1u << end));
    if (*at == '0' && point > 1) return nullptr;
    // Without the point: the front of the text, and the rest as it stands one character later.
    std::uint64_t word = eight(at);
    if (end <= 8) {
        if (is_decimal) {
            const std::uint64_t front = (std::uint64_t(1) << 8 * point) - 1;
            word = (word & front) | (eight(at + 1) & ~front);
        }
        const unsigned count = end - is_decimal;
        const auto mantissa = static_cast<std::int64_t>(joined((word ^ 0x3030303030303030) << (64 - 8 * count)));
        out = static_cast<double>(mantissa) / powers[count - point];
        return at + end;
    }
    std::uint64_t second = eight(at + 8);
    if (is_decimal) {
        const std::uint64_t front = point < 8 ? (std::uint64_t(1) << 8 * point) - 1 : ~std::uint64_t(0);
        const std::uint64_t middle = point > 8 ? (std::uint64_t(1) << 8 * (point - 8)) - 1 : 0;
        word = (word & front) | (eight(at + 1) & ~front);
        second = (second & middle) | (eight(at + 9) & ~middle);
    }
    const unsigned count = end - is_decimal, rest = count - 8;  // up to 15 digits: less than 2^53
    std::uint64_t mantissa = joined(word ^ 0x3030303030303030);
    if (rest) {
        mantissa *= static_cast<std::uint64_t>(powers[rest]);
        mantissa += joined((second ^ 0x3030303030303030) << (64 - 8 * rest));
    }
    out = static_cast<double>(static_cast<std::int64_t>(mantissa)) / powers[count - point];
    return at + end;
}

// The common case in a few steps: up to 15 characters without exponent. Needs 24 readable bytes. What follows is not
// looked at. Returns where the number ends, or nullptr: then `read` decides.
VESICA_INLINE const char* read_short(const char* at, double& out) {
    bool is_decimal;
    if (*at != '-') [[likely]]
        return read_unsigned(at, out, is_decimal);
    const char* const behind = read_unsigned(at + 1, out, is_decimal);
    if (behind) out = is_decimal ? -out : 0 - out;  // the integer -0 is 0
    return behind;
}

// The same of 16 to 20 characters: a point, and up to 19 digits around it. Needs 40 readable bytes.
inline const char* read_long(const char* at, double& out) {
    const bool is_negative = *at == '-';
    at += is_negative;
    const Shape first = shape_of(at), second = shape_of(at + 16);
    const unsigned end = 16 + second.end, points = first.points | second.points << 16;
    const auto point = static_cast<unsigned>(std::countr_zero(points | 1u << 31));
    if (first.end < 16 || end > 20 || (points & (points - 1)) || point == 0 || point + 1 >= end) return nullptr;
    if (*at == '0' && point > 1) return nullptr;
    // Eight digits from the place on, of the text without its point.
    const auto digits = [&](unsigned place) {
        const std::uint64_t here = eight(at + place), next = eight(at + place + 1);
        const unsigned before = point <= place ? 0 : point - place;
        const std::uint64_t front = before < 8 ? (std::uint64_t(1) << 8 * before) - 1 : ~std::uint64_t(0);
        return ((here & front) | (next & ~front)) ^ 0x3030303030303030;
    };
    const unsigned count = end - 1, rest = count & 7;  // 15 to 19 digits
    std::uint64_t mantissa = joined(digits(0));
    if (count >= 16) mantissa = mantissa * 100000000 + joined(digits(8));
    if (rest) {
        mantissa *= static_cast<std::uint64_t>(powers[rest]);
        mantissa += joined(digits(count - rest) << (64 - 8 * rest));
    }
    if (!scaled(mantissa, static_cast<std::int64_t>(point) - static_cast<std::int64_t>(count), out)) return nullptr;
    if (is_negative) out = -out;
    return at + end;
}

// Up to eight characters that stand between two numbers.
struct Separator {
    std::uint64_t text, mask;
    unsigned length;

    bool is_at(const char* place) const { return ((eight(place) ^ text) & mask) == 0; }
};

// Four short numbers without signs at once, as boxes have them. Needs 80 readable bytes.
VESICA_INLINE const char* read_four(const char* at, const Separator& separator, double* out) {
    std::uint64_t words[4];
    double scales[4];
    for (int k = 0; k < 4; ++k) {
        if (k) {
            if (!separator.is_at(at)) return nullptr;
            at += separator.length;
        }
        const auto [end, points] = shape_of(at);
        const auto point = static_cast<unsigned>(std::countr_zero(points | 1u << end));
        if (((points & (points - 1)) | (points & (1u | 1u << end >> 1))) || end - 1 > 7 || point > 7) return nullptr;
        if (*at == '0' && point > 1) return nullptr;
        const std::uint64_t front = (std::uint64_t(1) << 8 * point) - 1;
        const unsigned count = end - (points != 0);
        words[k] = (((eight(at) & front) | (eight(at + 1) & ~front)) ^ 0x3030303030303030) << (64 - 8 * count);
        scales[k] = powers[count - point];
        at += end;
    }
#if VESICA_X86
    // `joined`, for all at once.
    const auto fours = [](std::uint64_t low, std::uint64_t high) {
        const __m128i both = _mm_set_epi64x(static_cast<std::int64_t>(high), static_cast<std::int64_t>(low));
        const __m128i pairs = _mm_add_epi16(
            _mm_mullo_epi16(_mm_and_si128(both, _mm_set1_epi16(0xff)), _mm_set1_epi16(10)), _mm_srli_epi16(both, 8));
        return _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    };
    const __m128i digits = _mm_packs_epi32(fours(words[0], words[1]), fours(words[2], words[3]));
    const __m128i whole = _mm_madd_epi16(digits, _mm_set1_epi32(1 << 16 | 10000));
    _mm_storeu_pd(out, _mm_div_pd(_mm_cvtepi32_pd(whole), _mm_loadu_pd(scales)));
    const __m128i others = _mm_shuffle_epi32(whole, _MM_SHUFFLE(1, 0, 3, 2));
    _mm_storeu_pd(out + 2, _mm_div_pd(_mm_cvtepi32_pd(others), _mm_loadu_pd(scales + 2)));
#else
    for (int k = 0; k < 4; ++k) out[k] = static_cast<double>(joined(words[k])) / scales[k];
#endif
    return at;
}

// A whole number of up to seven digits. Needs eight readable bytes.
VESICA_INLINE const char* read_short(const char* at, std::int64_t& out) {
    const std::uint64_t word = eight(at);
    const int whole = std::countr_zero(no_digits(word));
    if (whole < 15 || whole > 63 || (whole > 15 && *at == '0')) return nullptr;
    const std::uint64_t front = (std::uint64_t(1) << (whole - 7)) - 1;
    out = static_cast<std::int64_t>(joined(((word & front) ^ (0x3030303030303030 & front)) << (71 - whole)));
    return at + (whole >> 3);
}

}  // namespace vesica::decimals

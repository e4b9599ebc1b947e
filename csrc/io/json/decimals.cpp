#include "io/json/decimals.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/wide.hpp"

#if !defined(__cpp_lib_to_chars)
#include <locale.h>

#include <cstdlib>
#include <string>
#endif

namespace vesica::decimals {
namespace {

// 5^q = (high · 2^64 + low + something in [0, 1)) · 2^binary, with the highest bit set.
struct Power {
    std::uint64_t high, low;
    std::int32_t binary;
    bool is_exact;
};

constexpr int least = -342, most = 308;

// A large whole number in limbs of 32 bits, the lowest first.
struct Large {
    static constexpr int limbs = 36;
    std::array<std::uint32_t, limbs> limb{};

    constexpr void times_five() {
        std::uint64_t carry = 0;
        for (auto& part : limb) {
            carry += std::uint64_t(part) * 5;
            part = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    constexpr bool divide_by_five() {
        std::uint64_t rest = 0;
        for (int k = limbs; k--;) {
            rest = rest << 32 | limb[k];
            limb[k] = static_cast<std::uint32_t>(rest / 5);
            rest %= 5;
        }
        return rest == 0;
    }
    constexpr std::uint64_t bits(int first) const {  // 64 of them, from that bit on; below the number are zeros
        std::uint64_t found = 0;
        for (int k = 0; k < 3; ++k) {
            const int place = (first >> 5) + k, shift = 32 * k - (first & 31);
            const std::uint64_t part = place >= 0 && place < limbs ? limb[place] : 0;
            if (shift >= 0 && shift < 64) found |= part << shift;
            if (shift < 0) found |= part >> -shift;
        }
        return found;
    }
    constexpr int length() const {
        for (int k = limbs; k--;)
            if (limb[k]) return 32 * k + static_cast<int>(std::bit_width(limb[k]));
        return 0;
    }
};

constexpr auto made_powers() {
    std::array<Power, most - least + 1> table{};
    Large number;
    number.limb[0] = 1;
    for (int q = 0; q <= most; ++q, number.times_five()) {
        const int length = number.length();
        table[q - least] = {number.bits(length - 64), number.bits(length - 128), length - 128, length <= 128};
    }
    // 2^1120 / 5^n: a quotient of a quotient, both cut, is the quotient by both, cut.
    number = {};
    number.limb[35] = 1;
    for (int q = -1; q >= least; --q) {
        number.divide_by_five();
        const int length = number.length();
        table[q - least] = {number.bits(length - 64), number.bits(length - 128), length - 128 - 1120, false};
    }
    return table;
}

constexpr std::array<Power, most - least + 1> table = made_powers();

// top · 2^binary, and a little more if it has a rest, to the nearest double. False if that is not a normal one.
bool rounded(std::uint64_t top, bool has_rest, std::int64_t binary, double& out) {
    const int cut = 10 - std::countl_zero(top);
    std::uint64_t kept = top >> cut;  // 54 bits, the last decides how to round
    has_rest |= (top & ((std::uint64_t(1) << cut) - 1)) != 0;
    kept = (kept >> 1) + ((kept & 1) && (has_rest || (kept & 2)));
    binary += cut + 1;
    if (kept >> 53) kept >>= 1, ++binary;
    if (binary < -1074 || binary > 971) return false;
    return out = std::bit_cast<double>(static_cast<std::uint64_t>(binary + 1075) << 52 | (kept & 0xfffffffffffff)),
           true;
}

// The same as `scaled` by a true division, for numbers that are doubles, or the middle of two, to the last digit. Those
// are common: a float that was widened is written with all its digits.
bool divided(std::uint64_t mantissa, std::int64_t exponent, double& out) {
#if defined(__SIZEOF_INT128__)
    if (exponent < -27 || exponent >= 0) return false;
    const Power& power = table[static_cast<std::size_t>(-exponent - least)];  // exact: a number of 64 bits
    const int shift = std::countl_zero(mantissa);
    const unsigned __int128 dividend = static_cast<unsigned __int128>(mantissa << shift) << 63;
    const auto quotient = static_cast<std::uint64_t>(dividend / power.high);
    const bool has_rest = dividend % power.high != 0;
    return rounded(quotient, has_rest, exponent - shift - 63 - (power.binary + 64), out);
#else
    (void)mantissa, (void)exponent, (void)out;
    return false;
#endif
}

bool is_digit(char c) {
    return static_cast<unsigned char>(c - '0') < 10;
}

// Digits that were read so far, without point and leading zeros. Only the first 19 count.
struct Digits {
    std::uint64_t mantissa = 0;
    std::ptrdiff_t count = 0;  // significant ones, all of them

    const char* take(const char* at, const char* end) {
        while (end - at >= 8 && count >= 1 && count + 8 <= 19) {
            const std::uint64_t word = eight(at);
            if (no_digits(word)) break;
            mantissa = mantissa * 100000000 + joined(word ^ 0x3030303030303030);
            count += 8;
            at += 8;
        }
        for (; at < end && is_digit(*at); ++at) {
            if (count < 19) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
            count += count || *at != '0';
        }
        return at;
    }
};

const char* read_word(const char* at, const char* end, const char* word, bool& ends) {
    for (; *word; ++word, ++at) {
        if (at == end) return ends = true, nullptr;
        if (*at != *word) return nullptr;
    }
    return at;
}

}  // namespace

bool scaled(std::uint64_t mantissa, std::int64_t exponent, double& out) {
    if (mantissa <= std::uint64_t(1) << 53 && exponent >= -22 && exponent <= 22) {
        const double whole = static_cast<double>(mantissa);
        return out = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent], true;
    }
    if (mantissa == 0) return out = 0, true;
    if (exponent < least || exponent > most) return false;

    // The power lies in [p, p + 1) and the mantissa is w, so the number lies in [w·p, w·p + w): 192 bits. If both ends
    // are cut to the same 54 bits, these are the number's.
    const Power& power = table[static_cast<std::size_t>(exponent - least)];
    const int shift = std::countl_zero(mantissa);
    const std::uint64_t w = mantissa << shift;
    const Wide upper = multiply(w, power.high), lower = multiply(w, power.low);
    const std::uint64_t bottom = lower.low, middle = upper.low + lower.high;
    const std::uint64_t top = upper.high + (middle < upper.low);
    const bool has_rest = middle || bottom;
    if (!power.is_exact) {
        const int cut = 10 - std::countl_zero(top);  // bits of the top that are cut off
        const std::uint64_t ones = (std::uint64_t(1) << cut) - 1;
        // Adding w - 1 reaches the kept bits only if all that is lost, but the lowest limb, is ones.
        const bool carries = bottom + (w - 1) < bottom && middle == ~std::uint64_t(0) && (top & ones) == ones;
        const bool is_between = (top >> cut & 1) && !(top & ones) && !has_rest;  // perhaps exactly between two doubles
        if (carries || is_between) return divided(mantissa, exponent, out);
    }
    return rounded(top, has_rest, power.binary + exponent - shift + 128, out);
}

double exact(const char* begin, const char* end, bool is_small) {
    double value = 0;
#if defined(__cpp_lib_to_chars)
    const auto done = std::from_chars(begin, end, value);
    if (done.ec == std::errc::result_out_of_range) return is_small ? 0 : std::numeric_limits<double>::infinity();
#else
    (void)is_small;
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", locale_t(0));
    value = strtod_l(std::string(begin, end).c_str(), nullptr, plain);
#endif
    return value;
}

const char* read(const char* at, const char* end, Number& out, bool& ends) {
    ends = false;
    const bool is_negative = at < end && *at == '-';
    const char* const begin = at + is_negative;
    at = begin;
    if (at == end) return ends = true, nullptr;
    if (!is_digit(*at)) {
        const bool is_nan = !is_negative && *at == 'N';
        if (!is_nan && *at != 'I') return nullptr;
        at = read_word(at, end, is_nan ? "NaN" : "Infinity", ends);
        const double infinity = std::numeric_limits<double>::infinity();
        out = {is_nan        ? std::numeric_limits<double>::quiet_NaN()
               : is_negative ? -infinity
                             : infinity,
               0, Kind::decimal};
        return at;
    }

    Digits digits;
    std::int64_t exponent = 0;
    out.kind = Kind::integer;
    at = *at == '0' ? at + 1 : digits.take(at, end);
    const std::ptrdiff_t whole = at - begin;
    if (at < end && *at == '.') {
        const char* const point = at + 1;
        // Zeros behind the point count as places, not as digits.
        at = digits.take(point, end);
        if (at == point) return ends = at == end, nullptr;
        exponent = point - at;
        out.kind = Kind::decimal;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char* from = at + 1;
        const bool is_down = from < end && *from == '-';
        from += from < end && (*from == '-' || *from == '+');
        if (from == end || !is_digit(*from)) return ends = from == end, nullptr;
        std::int64_t given = 0;
        for (; from < end && is_digit(*from); ++from)
            if (given < std::int64_t(1) << 53) given = given * 10 + (*from - '0');
        exponent += is_down ? -given : given;
        at = from;
        out.kind = Kind::decimal;
    }
    if (out.kind == Kind::integer) {
        if (whole > most_digits) return nullptr;
        const std::uint64_t limit = (std::uint64_t(1) << 63) - !is_negative;
        if (digits.count <= 19 && digits.mantissa <= limit) {
            out.integer = static_cast<std::int64_t>(is_negative ? 0 - digits.mantissa : digits.mantissa);
            out.value = static_cast<double>(out.integer);  // -0 is 0
            return at;
        }
        out.kind = Kind::long_integer;
    }
    double value = 0;
    if (digits.count && (digits.count > 19 || !scaled(digits.mantissa, exponent, value)))
        value = exact(begin, at, digits.count + exponent < 0);
    out.value = is_negative ? -value : value;
    return at;
}

}  // namespace vesica::decimals

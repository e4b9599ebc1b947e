// threshold.hpp. Does num / den reach t? Decided by cross-multiplication, never by a rounded quotient.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/whole.hpp"
#include "base/wide.hpp"

namespace vesica {

// t = p / (q * 2^shift), both below 2^63. Decimals of up to 27 places are exact, with q a power of 5 or of 10.
struct Threshold {
    std::uint64_t p, q;
    unsigned shift;
    bool strict;
    double value;  // rounded

    Threshold(std::uint64_t p, std::uint64_t q, unsigned shift, bool strict)
        : p(p),
          q(q),
          shift(shift),
          strict(strict),
          value(std::ldexp(static_cast<double>(p) / static_cast<double>(q), -static_cast<int>(shift))) {}
};

// Exact, for integer parts.
inline bool reaches(std::int64_t num, std::int64_t den, const Threshold& t) {
    if (num <= 0) return false;
    Wide left = multiply(t.q, static_cast<std::uint64_t>(num));
    const Wide right = multiply(t.p, static_cast<std::uint64_t>(den));
    for (unsigned k = 0; k < t.shift; ++k) {
        if (left.high >> 63) return true;  // beyond 2^128, where no right side is
        left = {left.high << 1 | left.low >> 63, left.low << 1};
    }
    return t.strict ? left > right : left >= right;
}

// Exact.
bool reaches(const Whole& num, const Whole& den, const Threshold& t);

// Is num / den so near to t that parts which were rounded on the way, by `slack` of their size, do not decide? Below
// `least` parts may have lost all their bits. NaN is.
inline bool is_close(double num, double den, const Threshold& t, double slack, double least) {
    const double right = den * t.value;
    return !(std::fabs(num - right) > right * slack + least);
}

// Exact, for float parts as they are.
bool reaches_closely(double num, double den, const Threshold& t);

inline bool reaches(double num, double den, const Threshold& t) {
    if (!(num > 0)) return false;
    if (is_close(num, den, t, 0x1p-50, 0x1p-1000)) return reaches_closely(num, den, t);
    return num > den * t.value;
}

}  // namespace vesica

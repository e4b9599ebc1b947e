// threshold.hpp. Does num / den reach t? Decided by cross-multiplication, never by a rounded quotient.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/wide.hpp"

namespace vesica {

// t = p / (q * 2^shift). Decimals have q = 10^d, p < 2^20 and no shift; other floats have q = 1 and 53 bits of p.
struct Threshold {
    std::uint64_t p, q;
    unsigned shift;
    bool strict;

    double value() const {
        return std::ldexp(static_cast<double>(p) / static_cast<double>(q), -static_cast<int>(shift));
    }
};

// Exact for integer parts.
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

// Float parts: in double, each product rounded once. A power of two moves no bit, so t itself serves where q is 1.
inline bool reaches(double num, double den, const Threshold& t) {
    if (!(num > 0)) return false;
    const double left = num * static_cast<double>(t.q), right = den * (t.shift ? t.value() : static_cast<double>(t.p));
    return t.strict ? left > right : left >= right;
}

}  // namespace vesica

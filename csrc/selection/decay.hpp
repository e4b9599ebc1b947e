// decay.hpp. What an overlap m leaves of a score, by name: a formula and its line in the list are all that a decay is.
// The same names stand in vesica/selection/decays.py, with the options that each of them has.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/measures.hpp"
#include "base/simd.hpp"

namespace vesica::soft {

// e^x for x <= 0, to two units in the last place, and 0 where it is below 1e-307. In plain arithmetic, so that many
// are made at a time, and the same on every machine.
VESICA_INLINE double falling_exp(double x) {
    constexpr double per_octave = 0x1.71547652b82fep+0, octave_high = 0x1.62e42feep-1,
                     octave_low = 0x1.a39ef35793c76p-33;
    constexpr double whole = 0x1.8p52;  // added, it leaves no room for fractions
    const double near = x < -708 ? -708.0 : x;
    const double shifted = near * per_octave + whole, octaves = shifted - whole;
    const double r = (near - octaves * octave_high) - octaves * octave_low;  // within half an octave of 0
    // The series of e^r, in pairs and pairs of pairs: short chains are made side by side.
    const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    const auto two = [&](double even, double odd) { return even + odd * r; };
    const double low = (two(1.0, 1.0) + two(1.0 / 2, 1.0 / 6) * r2) +
                       (two(1.0 / 24, 1.0 / 120) + two(1.0 / 720, 1.0 / 5040) * r2) * r4;
    const double high = (two(1.0 / 40320, 1.0 / 362880) + two(1.0 / 3628800, 1.0 / 39916800) * r2) +
                        two(1.0 / 479001600, 1.0 / 6227020800) * r4;
    const double sum = low + high * r8;
    const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
    return x < -708 ? 0.0 : sum * power;
}

// 1 − m: by rounding alone m may exceed 1.
struct Linear {
    static VESICA_INLINE double left(double m, double) { return greater(0.0, 1 - m); }
};

// e^(−m² / sigma)
struct Gaussian {
    static VESICA_INLINE double left(double m, double sigma) { return falling_exp(-(m * m) / sigma); }
    // The same where sigma is a power of two: to multiply by 1 / sigma is exact, and faster.
    static VESICA_INLINE double left_by(double m, double per_sigma) { return falling_exp(m * m * -per_sigma); }
};

#define VESICA_DECAYS(X) X(linear, Linear) X(gaussian, Gaussian)

enum class Decay : int {
#define X(name, Type) name,
    VESICA_DECAYS(X)
#undef X
};

inline std::vector<std::string> names_of(Decay) {
    return {
#define X(name, Type) #name,
        VESICA_DECAYS(X)
#undef X
    };
}

// Call f(Type{}) for the decay.
template <class F>
void with_decay(Decay decay, const F& f) {
    switch (decay) {
#define X(name, Type) \
    case Decay::name: return f(Type{});
        VESICA_DECAYS(X)
#undef X
    }
}

// What is left of the scores of many.
template <class D>
struct Weaken {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT m, std::size_t count, double sigma,
                                   double* VESICA_RESTRICT left) {
        for (std::size_t k = 0; k < count; ++k) left[k] = D::left(m[k], sigma);
    }
};

}  // namespace vesica::soft

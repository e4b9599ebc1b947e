// measures.hpp. The formulas of vesica/overlaps/measures.py, by the same names, as template parameters of the kernels.
// Each works on any parts `p`; the compiler drops the parts that a formula does not use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "base/simd.hpp"

namespace vesica {

// What a ratio of two T is computed in: integers are exact up to the one division, which is in double.
template <class T>
using Real = std::conditional_t<std::is_integral_v<T>, double, T>;

// Written so that NaN stays NaN in the second place, and the compiler finds its min and max instructions.
template <class T>
VESICA_INLINE T lesser(T a, T b) {
    return a < b ? a : b;
}
template <class T>
VESICA_INLINE T greater(T a, T b) {
    return a > b ? a : b;
}

namespace measures {

struct Options {
    double empty;        // the answer to 0 / 0
    double alpha, beta;  // tversky
    bool of_b;           // coverage: share of the second region instead of the first
};

// The parts that the measures of any region are made of.
template <class T>
struct Parts {
    T inter, area_a, area_b;
};

// The only division of the library.
template <class T>
VESICA_INLINE Real<T> ratio(T num, T den, double empty) {
    using R = Real<T>;
    const R n = static_cast<R>(num), d = static_cast<R>(den);
    const R quotient = n / (d == 0 ? R(1) : d);
    return d == 0 ? static_cast<R>(empty) : quotient;
}

// What two regions share at least: of their union, of the first and of the second.
struct Least {
    double iou = 0, of_a = 0, of_b = 0;
};

// What is known of a measure, beside its formula. What is not said is not assumed.
struct Measure {
    // Does it grow with the overlap?
    static constexpr bool is_similarity = true;
    // Does it have one value for (a, b) and (b, a)?
    static bool is_symmetric(const Options&) { return false; }
    // What regions share whose measure reaches t > 0. Nothing here: any two that meet may reach it.
    static Least least(const Options&, double) { return {}; }
    // The options that it has, by the names of Python.
    static constexpr std::initializer_list<const char*> options{"empty"};
};

struct Symmetric : Measure {
    static bool is_symmetric(const Options&) { return true; }
};

// Never above iou, or iou itself.
struct BoundByIou : Symmetric {
    static Least least(const Options&, double t) { return {t, 0, 0}; }
};

// A measure that is one fraction: num / den.
template <class Self, class Known>
struct Fraction : Known {
    template <class P>
    static VESICA_INLINE auto value(const P& p, const Options& o) {
        return ratio(Self::num(p, o), Self::den(p, o), o.empty);
    }
};

struct Iou : Fraction<Iou, BoundByIou> {
    template <class P>
    static VESICA_INLINE auto num(const P& p, const Options&) {
        return p.inter;
    }
    template <class P>
    static VESICA_INLINE auto den(const P& p, const Options&) {
        return p.area_a + p.area_b - p.inter;
    }
};

struct Dice : Fraction<Dice, Symmetric> {
    static Least least(const Options&, double t) { return {t / (2 - t), 0, 0}; }
    template <class P>
    static VESICA_INLINE auto num(const P& p, const Options&) {
        return p.inter + p.inter;
    }
    template <class P>
    static VESICA_INLINE auto den(const P& p, const Options&) {
        return p.area_a + p.area_b;
    }
};

struct Coverage : Fraction<Coverage, Measure> {
    static Least least(const Options& o, double t) { return {0, o.of_b ? 0 : t, o.of_b ? t : 0}; }
    static constexpr std::initializer_list<const char*> options{"empty", "of"};
    template <class P>
    static VESICA_INLINE auto num(const P& p, const Options&) {
        return p.inter;
    }
    template <class P>
    static VESICA_INLINE auto den(const P& p, const Options& o) {
        return o.of_b ? p.area_b : p.area_a;
    }
};

struct Overlap : Fraction<Overlap, Symmetric> {
    template <class P>
    static VESICA_INLINE auto num(const P& p, const Options&) {
        return p.inter;
    }
    template <class P>
    static VESICA_INLINE auto den(const P& p, const Options&) {
        return lesser(p.area_a, p.area_b);
    }
};

struct Tversky : Fraction<Tversky, Measure> {
    static bool is_symmetric(const Options& o) { return o.alpha == o.beta; }
    static constexpr std::initializer_list<const char*> options{"empty", "alpha", "beta"};
    template <class P>
    static VESICA_INLINE auto num(const P& p, const Options&) {
        return static_cast<Real<decltype(p.inter)>>(p.inter);
    }
    template <class P>
    static VESICA_INLINE auto den(const P& p, const Options& o) {
        using R = Real<decltype(p.inter)>;
        const R only_a = static_cast<R>(p.area_a - p.inter), only_b = static_cast<R>(p.area_b - p.inter);
        return static_cast<R>(p.inter) + static_cast<R>(o.alpha) * only_a + static_cast<R>(o.beta) * only_b;
    }
};

struct Distance : Symmetric {
    static constexpr bool is_similarity = false;
    template <class P>
    static VESICA_INLINE auto value(const P& p, const Options& o) {
        return 1 - Iou::value(p, o);
    }
};

struct Giou : BoundByIou {
    template <class P>
    static VESICA_INLINE auto value(const P& p, const Options& o) {
        using T = decltype(p.inter);
        const T hull = p.hull_w() * p.hull_h();
        return Iou::value(p, o) - ratio(greater(T(0), hull - Iou::den(p, o)), hull, 0);
    }
};

struct Diou : BoundByIou {
    template <class P>
    static VESICA_INLINE auto value(const P& p, const Options& o) {
        using R = Real<decltype(p.inter)>;
        const R w = static_cast<R>(p.hull_w()), h = static_cast<R>(p.hull_h());
        return Iou::value(p, o) - ratio(p.centre2(), w * w + h * h, 0);
    }
};

struct Ciou : BoundByIou {
    template <class P>
    static VESICA_INLINE auto value(const P& p, const Options& o) {
        using R = Real<decltype(p.inter)>;
        constexpr R four_over_pi2 = static_cast<R>(0.40528473456935108577551785283891);
        const R turn = p.slope_a - p.slope_b;
        const R v = four_over_pi2 * (turn * turn);
        const R k = ratio(v, 1 - Iou::value(p, o) + v, 0);
        return Diou::value(p, o) - k * v;
    }
};

struct Eiou : BoundByIou {
    template <class P>
    static VESICA_INLINE auto value(const P& p, const Options& o) {
        using R = Real<decltype(p.inter)>;
        const R w = static_cast<R>(p.w_a - p.w_b), h = static_cast<R>(p.h_a - p.h_b);
        const R hull_w = static_cast<R>(p.hull_w()), hull_h = static_cast<R>(p.hull_h());
        return Diou::value(p, o) - ratio(w * w, hull_w * hull_w, 0) - ratio(h * h, hull_h * hull_h, 0);
    }
};

// Does the formula use the slopes of the boxes? They are costly, so they are made for no other.
template <class M>
constexpr bool needs_slope = std::is_same_v<M, Ciou>;

// The shared area itself: not a measure, but the same loops make it.
struct Inter {
    template <class P>
    static VESICA_INLINE auto value(const P& p, const Options&) {
        return p.inter;
    }
};

// The list: each name is a measure of vesica/overlaps/measures.py. `region` needs inter and areas alone,
// `box` needs the hull, the centres and the sides as well.
#define VESICA_REGION_MEASURES(X) \
    X(iou, Iou) X(distance, Distance) X(dice, Dice) X(coverage, Coverage) X(overlap, Overlap) X(tversky, Tversky)
#define VESICA_BOX_MEASURES(X) X(giou, Giou) X(diou, Diou) X(ciou, Ciou) X(eiou, Eiou)

enum class Name {
#define X(name, Type) name,
    VESICA_REGION_MEASURES(X) VESICA_BOX_MEASURES(X)
#undef X
};

// Call f(Measure{}) for the named measure.
template <class F>
void with_region_measure(Name name, const F& f) {
    switch (name) {
#define X(name, Type) \
    case Name::name: return f(Type{});
        VESICA_REGION_MEASURES(X)
#undef X
        default: return;
    }
}

template <class F>
void with_box_measure(Name name, const F& f) {
    switch (name) {
#define X(name, Type) \
    case Name::name: return f(Type{});
        VESICA_REGION_MEASURES(X) VESICA_BOX_MEASURES(X)
#undef X
    }
}

}  // namespace measures
}  // namespace vesica

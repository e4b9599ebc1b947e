// box_formulas.cpp. One pair of functions for each measure and type of coordinates.
#include "overlaps/box_formulas.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>

#include "base/whole.hpp"

namespace vesica::box_formulas {
namespace {

template <class To, class T>
boxes::Box<To> box(const T* row) {
    return {static_cast<To>(row[0]), static_cast<To>(row[1]), static_cast<To>(row[2]), static_cast<To>(row[3])};
}

template <class M, class To, class T>
VESICA_INLINE boxes::Pair<To> pair(const T* a, const T* b) {
    const boxes::Box<To> left = box<To>(a), right = box<To>(b);
    const To area_a = left.w() * left.h(), area_b = right.w() * right.h();
    if constexpr (measures::needs_slope<M>)
        return {left, right, area_a, area_b, left.slope(), right.slope()};
    else
        return {left, right, area_a, area_b};
}

// Is the measure a fraction of whole numbers, if the parts are whole?
template <class M>
concept Rational = requires(const measures::Parts<Whole>& p, const measures::Options& o) {
    { M::num(p, o) } -> std::same_as<Whole>;
    { M::den(p, o) } -> std::same_as<Whole>;
};

// The coordinates of two boxes are whole multiples of its unit, a power of two.
class Ruler {
  public:
    template <class T>
    Ruler(const T* a, const T* b) {
        for (const T* row : {a, b})
            for (int k = 0; k < 4; ++k)
                if (row[k] != 0) lowest_ = std::min(lowest_, lowest_bit(row[k]));
    }
    // The way from one coordinate to another; 0 where that lies before it.
    Whole way(double from, double to) const {
        if (!(from < to)) return {};
        const Whole start(from, lowest_), end(to, lowest_);
        if ((from < 0) != (to < 0)) return start + end;
        return to > 0 ? end - start : start - end;
    }

  private:
    int lowest_ = 1024;  // the power; any will do if all are 0
};

// Decided in whole numbers, for parts that were rounded.
template <class M, class T>
VESICA_NOINLINE bool reaches_closely(const T* a, const T* b, const measures::Options& options, const Threshold& t) {
    for (const T* row : {a, b})
        for (int k = 0; k < 4; ++k)
            if (!(std::fabs(row[k]) < 0x1p510)) return false;  // of rows that were not checked
    const Ruler ruler(a, b);
    const Whole inter =
        ruler.way(greater(a[0], b[0]), lesser(a[2], b[2])) * ruler.way(greater(a[1], b[1]), lesser(a[3], b[3]));
    const measures::Parts<Whole> parts{inter, ruler.way(a[0], a[2]) * ruler.way(a[1], a[3]),
                                       ruler.way(b[0], b[2]) * ruler.way(b[1], b[3])};
    return reaches(M::num(parts, options), M::den(parts, options), t);
}

// Parts of floats are within a dozen roundings of the truth, unless they are so small that bits are lost.
template <class M, class T>
bool reaches(const T* a, const T* b, const measures::Options& options, const Threshold& t) {
    const boxes::Pair<Exact<T>> found = pair<M, Exact<T>>(a, b);
    if constexpr (Rational<M> && !std::is_integral_v<T>) {
        const double num = M::num(found, options), den = M::den(found, options);
        if (is_close(num, den, t, 0x1p-46, 0x1p-900)) return reaches_closely<M>(a, b, options, t);
        return num > den * t.value;
    } else {
        return measures::judge<M>(found, options, t);
    }
}

}  // namespace

template <class T>
Formula<T> formula_of(measures::Name measure) {
    Formula<T> found{};
    measures::with_box_measure(measure, [&]<class M>(M) {
        found = {[](const T* a, const T* b, const measures::Options& options) {
                     return M::value(pair<M, T>(a, b), options);
                 },
                 reaches<M, T>};
    });
    return found;
}

template Formula<float> formula_of<float>(measures::Name);
template Formula<double> formula_of<double>(measures::Name);
template Formula<std::int64_t> formula_of<std::int64_t>(measures::Name);

}  // namespace vesica::box_formulas

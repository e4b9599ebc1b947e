// boxes.hpp. Rows of x1, y1, x2, y2 with x1 <= x2 and y1 <= y2: half-open, finite, contiguous.
// T is float, double or int64_t (coordinates below 2^30, so that no area and no sum of two overflows).
// An inverted box counts as empty and NaN stays NaN, where the caller did not check.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/measures.hpp"
#include "base/named_enum.hpp"

namespace vesica::boxes {

template <class T>
struct Rows {
    static constexpr std::size_t width = 4;
    const T* data;
    std::size_t count;
};

template <class T>
struct Box {
    T x1, y1, x2, y2;
    VESICA_INLINE T w() const { return greater(T(0), x2 - x1); }
    VESICA_INLINE T h() const { return greater(T(0), y2 - y1); }
    // The shape as an angle.
    Real<T> slope() const { return std::atan2(static_cast<Real<T>>(w()), static_cast<Real<T>>(h())); }
};

template <class T>
VESICA_INLINE Box<T> box(const T* row) {
    return {row[0], row[1], row[2], row[3]};
}

// What the measures are made of, for one pair of boxes. The slopes are needed by ciou alone.
template <class T>
struct Pair {
    Box<T> a, b;
    T area_a, area_b, inter, w_a, h_a, w_b, h_b;
    Real<T> slope_a, slope_b;

    VESICA_INLINE Pair(const Box<T>& a, const Box<T>& b, T area_a, T area_b, Real<T> slope_a = 0, Real<T> slope_b = 0)
        : a(a),
          b(b),
          area_a(area_a),
          area_b(area_b),
          inter(greater(T(0), lesser(a.x2, b.x2) - greater(a.x1, b.x1)) *
                greater(T(0), lesser(a.y2, b.y2) - greater(a.y1, b.y1))),
          w_a(a.w()),
          h_a(a.h()),
          w_b(b.w()),
          h_b(b.h()),
          slope_a(slope_a),
          slope_b(slope_b) {}
    VESICA_INLINE T hull_w() const { return greater(a.x2, b.x2) - lesser(a.x1, b.x1); }
    VESICA_INLINE T hull_h() const { return greater(a.y2, b.y2) - lesser(a.y1, b.y1); }
    VESICA_INLINE Real<T> centre2() const {
        const Real<T> dx = static_cast<Real<T>>((a.x1 + a.x2) - (b.x1 + b.x2));
        const Real<T> dy = static_cast<Real<T>>((a.y1 + a.y2) - (b.y1 + b.y2));
        return (dx * dx + dy * dy) / 4;
    }
};

// The measure of every pair: out[i * b.count + j].
template <class T>
void pairwise(measures::Name measure, const measures::Options& options, Rows<T> a, Rows<T> b, Real<T>* out,
              std::size_t threads);

// The measure of a[i] with b[i]: out[i]. Both have a.count rows.
template <class T>
void aligned(measures::Name measure, const measures::Options& options, Rows<T> a, Rows<T> b, Real<T>* out,
             std::size_t threads);

// The shared area of every pair: out[i * b.count + j].
template <class T>
void inter(Rows<T> a, Rows<T> b, T* out, std::size_t threads);

// The k partners in b with the largest measure, best first, ties to the lower index: index[i * k + r], value[i * k +
// r]. k <= b.count.
template <class T>
void best(measures::Name measure, const measures::Options& options, Rows<T> a, Rows<T> b, std::size_t k,
          std::int64_t* index, Real<T>* value, std::size_t threads);

// What is wrong with the first bad row, if any is.
#define VESICA_BOX_FAULTS(X) X(none) X(nan) X(infinite) X(inverted_x) X(inverted_y) X(too_large) X(too_small)
VESICA_NAMED_ENUM(Fault, int, VESICA_BOX_FAULTS);
struct Finding {
    Fault fault;
    std::size_t row;
};
// What coordinates may be, either side of 0: beyond, the square of a hull could overflow. _check/__init__.py says the
// same to users.
template <class T>
constexpr T limit = (1 << 30) - 1;
template <>
inline constexpr float limit<float> = 0x1p60f;
template <>
inline constexpr double limit<double> = 0x1p508;
// Looks for rows with NaN or infinity, with x2 < x1 or y2 < y1, with coordinates beyond +-limit, and with two sides
// above 0 whose product is below the smallest normal number.
template <class T>
Finding first_fault(Rows<T> rows, T limit);

// Of rows of x, y, width, height: are all numbers within +-limit, and no side below 0?
bool are_sides_sound(Rows<double> rows, double limit, std::size_t threads);

}  // namespace vesica::boxes

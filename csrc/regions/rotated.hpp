// rotated.hpp. Rows of cx, cy, w, h, angle, cos, sin: finite, w and h not negative. The angle turns +x towards +y;
// only equality and order of angles are used, so any unit will do, the same for both sides.
// All arithmetic is in double, whatever the type of the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/measures.hpp"

namespace vesica::rotated {

struct Rows {
    static constexpr std::size_t width = 7;
    const double* data;
    std::size_t count;
};

// Rows of cx, cy, w, h, angle, as users write them: any numbers.
struct Given {
    static constexpr std::size_t width = 5;
    const double* data;
    std::size_t count;
};

// How angles are written. Those of `Rows` are clockwise.
struct Writing {
    bool is_deg, is_ccw;
};

// Is no number beyond the limit, and no side below the least? NaN is beyond.
bool are_sound(Given rows, double limit, double least_side);

// What is left of each angle, in radians, when quarter turns are taken off until it is within ±45°.
void take_quarters(Given rows, bool is_ccw, double* rest);

// The rows with cosine and sine: of the angles in radians, or of what `take_quarters` left of those in degrees.
void turn(Given rows, Writing writing, const double* cos, const double* sin, double* out);

// Rotated boxes by column, with the half sides of the upright box around each, a little widened.
struct Columns {
    explicit Columns(Rows rows);

    std::unique_ptr<double[]> numbers;
    const double *cx, *cy, *w, *h, *angle, *cos, *sin, *area, *reach_x, *reach_y;
    std::size_t count;
};

using Parts = measures::Parts<double>;

// Pairs (i[k], j[k]) whose shared area is wanted: clipped many at a time.
struct Lanes {
    static constexpr std::size_t most = 64;
    std::uint32_t i[most], j[most];
    double inter[most];
    std::size_t count = 0;

    bool full() const { return count == most; }
    void add(std::size_t a, std::size_t b) {
        i[count] = static_cast<std::uint32_t>(a), j[count] = static_cast<std::uint32_t>(b), ++count;
    }
    // Fill inter[0 ... count).
    void clip(const Columns& a, const Columns& b);
};

// The measure of every pair: out[i * b.count + j].
template <class R>
void pairwise(measures::Name measure, const measures::Options& options, Rows a, Rows b, R* out, std::size_t threads);

// The measure of a[i] with b[i]: out[i].
template <class R>
void aligned(measures::Name measure, const measures::Options& options, Rows a, Rows b, R* out, std::size_t threads);

// The shared area of every pair: out[i * b.count + j].
void inter(Rows a, Rows b, double* out, std::size_t threads);

// As boxes::best.
template <class R>
void best(measures::Name measure, const measures::Options& options, Rows a, Rows b, std::size_t k, std::int64_t* index,
          R* value, std::size_t threads);

}  // namespace vesica::rotated

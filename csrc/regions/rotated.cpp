#include "regions/rotated.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/formulas.hpp"
#include "base/grid_index.hpp"
#include "base/threads.hpp"
#include "base/top_k.hpp"

namespace vesica::rotated {
namespace {

VESICA_INLINE double clamp(double x, double lo, double hi) {
    return lesser(hi, greater(lo, x));
}

// The integral of clamp(y, -half_h, half_h) along the edge p -> q, over the part of it with |x| <= half_w.
VESICA_INLINE double under_edge(double px, double py, double qx, double qy, double half_w, double half_h) {
    const double run = qx - px, climb = qy - py;
    const double x0 = clamp(px, -half_w, half_w), x1 = clamp(qx, -half_w, half_w);
    const double safe_run = run == 0 ? 1.0 : run;
    const double y0 = py + clamp((x0 - px) / safe_run, 0.0, 1.0) * climb;
    const double y1 = qy + clamp((x1 - qx) / safe_run, -1.0, 0.0) * climb;
    const double low0 = clamp(y0, -half_h, half_h), low1 = clamp(y1, -half_h, half_h);
    // The part before y enters the band, the part inside, the part after it left, as shares of the edge.
    const double rise = y1 - y0, safe_rise = rise == 0 ? 1.0 : rise;
    const double before = clamp((low0 - y0) / safe_rise, 0.0, 1.0);
    const double inside = (low1 - low0) / safe_rise;
    const double after = clamp((y1 - low1) / safe_rise, 0.0, 1.0);
    const double middle = (low0 + low1) / 2;
    const double mean = inside * middle + before * low0 + after * low1;
    return (x1 - x0) * (rise == 0 ? middle : mean);
}

struct One {
    double cx, cy, w, h, angle, cos, sin, area;
};

VESICA_INLINE One pick(bool first, const One& a, const One& b) {
    return {first ? a.cx : b.cx,       first ? a.cy : b.cy,   first ? a.w : b.w,     first ? a.h : b.h,
            first ? a.angle : b.angle, first ? a.cos : b.cos, first ? a.sin : b.sin, first ? a.area : b.area};
}

// The area shared by a and b. In the frame of the smaller box, with its sides along the axes, integrate the length of
// each column of the other that lies inside: exact, without clipping, without epsilons, homogeneous in length.
VESICA_INLINE double shared_area(const One& a, const One& b) {
    // Ordered by value, so that (a, b) and (b, a) do the same arithmetic. Without branches: & and |, not && and ||.
    const bool b_first =
        (b.area < a.area) |
        ((b.area == a.area) &
         ((b.w < a.w) |
          ((b.w == a.w) &
           ((b.h < a.h) |
            ((b.h == a.h) &
             ((b.cx < a.cx) | ((b.cx == a.cx) & ((b.cy < a.cy) | ((b.cy == a.cy) & (b.angle < a.angle))))))))));
    const One f = pick(b_first, b, a), p = pick(b_first, a, b);

    // Centres are subtracted before anything is turned: large coordinates cancel.
    const double dx = p.cx - f.cx, dy = p.cy - f.cy;
    const double ox = dx * f.cos + dy * f.sin, oy = dy * f.cos - dx * f.sin;
    // Equal angles must leave exactly (1, 0), so that a box is exactly itself.
    const bool parallel = p.angle == f.angle;
    const double c = parallel ? 1.0 : p.cos * f.cos + p.sin * f.sin;
    const double s = parallel ? 0.0 : p.sin * f.cos - p.cos * f.sin;
    const double ux = c * (p.w / 2), uy = s * (p.w / 2), vx = -s * (p.h / 2), vy = c * (p.h / 2);
    const double x0 = ox - ux - vx, y0 = oy - uy - vy, x1 = ox + ux - vx, y1 = oy + uy - vy;
    const double x2 = ox + ux + vx, y2 = oy + uy + vy, x3 = ox - ux + vx, y3 = oy - uy + vy;
    const double half_w = f.w / 2, half_h = f.h / 2;
    const double lower = under_edge(x0, y0, x1, y1, half_w, half_h) + under_edge(x1, y1, x2, y2, half_w, half_h);
    const double upper = under_edge(x2, y2, x3, y3, half_w, half_h) + under_edge(x3, y3, x0, y0, half_w, half_h);
    return lesser(f.area, greater(0.0, 0.0 - (lower + upper)));  // f.area <= p.area
}

VESICA_INLINE One one(const Columns& c, std::size_t i) {
    return {c.cx[i], c.cy[i], c.w[i], c.h[i], c.angle[i], c.cos[i], c.sin[i], c.area[i]};
}

struct Clip {
    static VESICA_INLINE void body(const Columns& a, const Columns& b, const std::uint32_t* VESICA_RESTRICT i,
                                   const std::uint32_t* VESICA_RESTRICT j, std::size_t count,
                                   double* VESICA_RESTRICT out) {
        for (std::size_t k = 0; k < count; ++k) out[k] = shared_area(one(a, i[k]), one(b, j[k]));
    }
};

struct Zip {
    static VESICA_INLINE void body(const Columns& a, const Columns& b, double* VESICA_RESTRICT out) {
        for (std::size_t k = 0; k < a.count; ++k) out[k] = shared_area(one(a, k), one(b, k));
    }
};

// Which of b[from ... from + count) have an upright box that meets the one of a[i]?
struct Meets {
    static VESICA_INLINE void body(const Columns& a, std::size_t i, const Columns& b, std::size_t from,
                                   std::size_t count, std::uint8_t* VESICA_RESTRICT meets) {
        const double cx = a.cx[i], cy = a.cy[i], reach_x = a.reach_x[i], reach_y = a.reach_y[i];
        const double *VESICA_RESTRICT xs = b.cx + from, *VESICA_RESTRICT ys = b.cy + from;
        const double *VESICA_RESTRICT rx = b.reach_x + from, *VESICA_RESTRICT ry = b.reach_y + from;
        for (std::size_t j = 0; j < count; ++j)
            meets[j] = (std::fabs(xs[j] - cx) <= reach_x + rx[j]) & (std::fabs(ys[j] - cy) <= reach_y + ry[j]);
    }
};

template <class R>
struct Blank {
    static VESICA_INLINE void body(R* out, std::size_t count, R value) { std::fill_n(out, count, value); }
};

// Fills rows of values: regions that cannot meet share nothing, the others wait in lanes until there are enough to
// clip.
template <class R, class ValueOf>
class Filler {
  public:
    Filler(const ValueOf& value_of, const Columns& a, const Columns& b) : value_of_(value_of), a_(a), b_(b) {}

    // The values of a[i] with b[from ... from + count) as if none met: out[0 ... count), of which place(j) is b[j]'s.
    template <class Place>
    void blank(std::size_t i, std::size_t from, std::size_t count, R* out, const Place& place) const {
        if (a_.area[i] > 0 && b_.all_have_area)
            simd::run<Blank<R>>(out, count, static_cast<R>(value_of_(Parts{0, 1, 1})));
        else
            for (std::size_t j = from; j < from + count; ++j) *place(j) = value(0, i, j);
    }

    // Those of b[from ... from + count) that may meet a[i]: their values will go to place(j).
    template <class Place>
    void row(std::size_t i, std::size_t from, std::size_t count, const Place& place) {
        constexpr std::size_t width = 512;
        std::uint8_t meets[width + 8];
        for (std::size_t start = from; start < from + count; start += width) {
            const std::size_t here = std::min(width, from + count - start);
            std::memset(meets + here, 0, 8);
            simd::run<Meets>(a_, i, b_, start, here, &meets[0]);
            for (std::size_t j = 0; j < here; j += 8) {
                // A byte each, which is 0 or 1: the first lowest. To go from one to the next is to ask no other.
                std::uint64_t eight = 0;
                for (unsigned k = 0; k < 8; ++k) eight |= static_cast<std::uint64_t>(meets[j + k]) << 8 * k;
                for (; eight; eight &= eight - 1) {
                    const std::size_t k = start + j + static_cast<std::size_t>(std::countr_zero(eight)) / 8;
                    place_[lanes_.count] = place(k);
                    lanes_.add(i, k);
                    if (lanes_.full()) settle();
                }
            }
        }
    }

    // Clip what waits. Rows are complete only after this.
    void settle() {
        lanes_.clip(a_, b_);
        for (std::size_t k = 0; k < lanes_.count; ++k) *place_[k] = value(lanes_.inter[k], lanes_.i[k], lanes_.j[k]);
        lanes_.count = 0;
    }

  private:
    R value(double inter, std::size_t i, std::size_t j) const {
        return static_cast<R>(value_of_(Parts{inter, a_.area[i], b_.area[j]}));
    }

    const ValueOf& value_of_;
    const Columns &a_, &b_;
    Lanes lanes_;
    R* place_[Lanes::most];
};

// Rows by rising cx, so that those which may meet a given one stand together.
struct Sorted {
    std::vector<std::uint32_t> order;
    std::vector<double> numbers;

    explicit Sorted(Rows rows) : order(rows.count), numbers(rows.count * Rows::width) {
        for (std::size_t i = 0; i < rows.count; ++i) order[i] = static_cast<std::uint32_t>(i);
        const auto cx = [&](std::uint32_t i) { return rows.data[i * Rows::width]; };
        const auto is_number = [&](std::uint32_t i) { return cx(i) == cx(i); };
        const auto numbered = std::partition(order.begin(), order.end(), is_number);  // NaN has no order
        std::sort(order.begin(), numbered, [&](std::uint32_t i, std::uint32_t j) { return cx(i) < cx(j); });
        for (std::size_t k = 0; k < order.size(); ++k)
            std::copy_n(rows.data + order[k] * Rows::width, Rows::width, numbers.data() + k * Rows::width);
    }
    Rows rows() const { return {numbers.data(), order.size()}; }
};

template <class R, class ValueOf>
void matrix(const ValueOf& value_of, Rows a, Rows b, R* out, std::size_t threads) {
    if (!a.count || !b.count) return;
    const Sorted sorted(b);
    const Columns left(a), right(sorted.rows());
    const double reach = *std::max_element(right.reach_x, right.reach_x + b.count);
    const std::size_t share =
        threads::at_least_one(std::min<std::size_t>(1 + (1 << 16) / b.count, a.count / (4 * threads)));
    threads::over(a.count, share, a.count * b.count < 4096 ? 1 : threads, [&](std::size_t begin, std::size_t end) {
        Filler<R, ValueOf> filler(value_of, left, right);
        for (std::size_t i = begin; i < end; ++i) {
            R* const to = out + i * b.count;
            const auto place = [&](std::size_t j) { return to + sorted.order[j]; };
            filler.blank(i, 0, b.count, to, place);
            const double far = left.reach_x[i] + reach, low = left.cx[i] - far, high = left.cx[i] + far;
            const double *ends = right.cx + b.count, *first = std::lower_bound(right.cx, ends, low);
            const double* last = std::upper_bound(first, ends, high);
            filler.row(i, first - right.cx, last - first, place);
        }
        filler.settle();
    });
}

template <class R, class ValueOf>
void zip(const ValueOf& value_of, Rows a, Rows b, R* out, std::size_t threads) {
    constexpr std::size_t grain = 512;
    threads::over(a.count, grain, threads, [&](std::size_t begin, std::size_t end) {
        const Columns left({a.data + Rows::width * begin, end - begin});
        const Columns right({b.data + Rows::width * begin, end - begin});
        double inter[grain];
        simd::run<Zip>(left, right, &inter[0]);
        for (std::size_t k = 0; k < left.count; ++k)
            out[begin + k] = static_cast<R>(value_of(Parts{inter[k], left.area[k], right.area[k]}));
    });
}

}  // namespace

Columns::Columns(Rows rows) : numbers(new double[10 * rows.count + 1]), count(rows.count), all_have_area(true) {
    const std::size_t n = count;
    double* const to = numbers.get();
    for (std::size_t i = 0; i < n; ++i) {
        const double* r = rows.data + Rows::width * i;
        for (std::size_t c = 0; c < Rows::width; ++c) to[c * n + i] = r[c];
        to[7 * n + i] = r[2] * r[3] + 0 * (r[0] + r[1] + r[4]);  // NaN and infinity anywhere make NaN
        all_have_area &= to[7 * n + i] > 0;
        const double reach_x = (r[2] * std::fabs(r[5]) + r[3] * std::fabs(r[6])) / 2;
        const double reach_y = (r[2] * std::fabs(r[6]) + r[3] * std::fabs(r[5])) / 2;
        to[8 * n + i] = reach_x + grid_index::hair * (std::fabs(r[0]) + reach_x);
        to[9 * n + i] = reach_y + grid_index::hair * (std::fabs(r[1]) + reach_y);
    }
    cx = to, cy = to + n, w = to + 2 * n, h = to + 3 * n, angle = to + 4 * n, cos = to + 5 * n, sin = to + 6 * n;
    area = to + 7 * n, reach_x = to + 8 * n, reach_y = to + 9 * n;
}

void Lanes::clip(const Columns& a, const Columns& b) {
    if (count) simd::run<Clip>(a, b, &i[0], &j[0], count, &inter[0]);
}

template <class R>
void pairwise(measures::Name measure, const measures::Options& options, Rows a, Rows b, R* out, std::size_t threads) {
    matrix(measures::value_of<double>(measure, options), a, b, out, threads);
}

template <class R>
void aligned(measures::Name measure, const measures::Options& options, Rows a, Rows b, R* out, std::size_t threads) {
    zip(measures::value_of<double>(measure, options), a, b, out, threads);
}

void inter(Rows a, Rows b, double* out, std::size_t threads) {
    matrix([](const Parts& parts) { return parts.inter; }, a, b, out, threads);
}

template <class R>
void best(measures::Name measure, const measures::Options& options, Rows a, Rows b, std::size_t k, std::int64_t* index,
          R* value, std::size_t threads) {
    const auto value_of = measures::value_of<double>(measure, options);
    const Columns left(a), right(b);
    top_k::of_rows(a.count, b.count, k, index, value, threads,
                   [&](std::size_t i, std::size_t from, std::size_t count, R* values) {
                       Filler<R, decltype(value_of)> filler(value_of, left, right);
                       const auto place = [&](std::size_t j) { return values + (j - from); };
                       filler.blank(i, from, count, values, place);
                       filler.row(i, from, count, place);
                       filler.settle();
                   });
}

#define VESICA_INSTANTIATE(R)                                                                                   \
    template void pairwise<R>(measures::Name, const measures::Options&, Rows, Rows, R*, std::size_t);           \
    template void aligned<R>(measures::Name, const measures::Options&, Rows, Rows, R*, std::size_t);            \
    template void best<R>(measures::Name, const measures::Options&, Rows, Rows, std::size_t, std::int64_t*, R*, \
                          std::size_t);
VESICA_INSTANTIATE(float)
VESICA_INSTANTIATE(double)

}  // namespace vesica::rotated

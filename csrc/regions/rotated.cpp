#include "regions/rotated.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "base/formulas.hpp"
#include "base/grid_index.hpp"
#include "base/threads.hpp"
#include "base/top_k.hpp"

namespace vesica::rotated {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

const double* row_of(Rows rows, std::size_t i) {
    return rows.data + Rows::width * i;
}

VESICA_INLINE double area_of(const double* r) {
    return r[2] * r[3] + 0 * (r[0] + r[1] + r[4]);  // NaN and infinity anywhere make NaN
}

// A reach by which a filter never loses a pair to rounding.
VESICA_INLINE double widened(double reach, double centre) {
    return reach + grid_index::hair * (std::fabs(centre) + reach);
}

// The half sides of the upright box around a rotated one, a little widened.
VESICA_INLINE double reach_x_of(const One& a) {
    return widened((a.w * std::fabs(a.cos) + a.h * std::fabs(a.sin)) / 2, a.cx);
}
VESICA_INLINE double reach_y_of(const One& a) {
    return widened((a.w * std::fabs(a.sin) + a.h * std::fabs(a.cos)) / 2, a.cy);
}

VESICA_INLINE One one(const double* r) {
    return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], area_of(r)};
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

// A few rotated boxes by column: one side of pairs that are clipped together. Their numbers are copied from their rows,
// so that threads share no more than the rows.
struct Some {
    static constexpr std::size_t most = 64;
    double cx[most], cy[most], w[most], h[most], angle[most], cos[most], sin[most], area[most];

    void put(std::size_t k, const double* r) {
        cx[k] = r[0], cy[k] = r[1], w[k] = r[2], h[k] = r[3], angle[k] = r[4], cos[k] = r[5], sin[k] = r[6];
        area[k] = area_of(r);
    }
};

VESICA_INLINE One one(const Some& s, std::size_t i) {
    return {s.cx[i], s.cy[i], s.w[i], s.h[i], s.angle[i], s.cos[i], s.sin[i], s.area[i]};
}

// Do the upright boxes around the two meet?
VESICA_INLINE bool meet(const One& a, const One& b) {
    return (std::fabs(b.cx - a.cx) <= reach_x_of(a) + reach_x_of(b)) &
           (std::fabs(b.cy - a.cy) <= reach_y_of(a) + reach_y_of(b));
}

// What they share, and whether the upright boxes around them meet: a number as wide as theirs, which vectors need not
// narrow.
struct ZipNear {
    static VESICA_INLINE void body(const Some& a, const Some& b, std::size_t count, double* VESICA_RESTRICT inter,
                                   std::uint64_t* VESICA_RESTRICT meets) {
        for (std::size_t k = 0; k < count; ++k) inter[k] = shared_area(one(a, k), one(b, k));
        for (std::size_t k = 0; k < count; ++k) meets[k] = meet(one(a, k), one(b, k));
    }
};

// An axis as the filter sees it: the nearest float to a share of a length. What is in order stays in order, so what
// does not meet as floats does not meet. Where there is no such length, all is 0 or NaN.
struct Axis {
    double origin = 0, per_length = 0;

    Axis() = default;
    Axis(double low, double high) : origin(low), per_length(1 / (high - low)) {
        if (!(per_length > 0 && per_length < infinity)) origin = per_length = 0;
    }
    VESICA_INLINE float at(double x) const { return static_cast<float>((x - origin) * per_length); }
};

struct Sides {
    float left, top, right, bottom;
};

// A row of a, its sides, and the stretch of places in `Upright` where its partners are.
struct Window {
    Sides sides;
    std::uint32_t row, begin, end;
};

// The upright boxes around rotated ones, in places where those that one box may meet stand together. Their sides are
// floats, of which twice as many are looked at in one instruction as of doubles: a filter that may pass too much, never
// too little.
class Upright {
  public:
    // Boxes are looked at by whole vectors, so columns are that much longer than what they hold.
    static constexpr std::size_t lanes = 32;

    enum class Order { as_given, by_x };

    Upright(Rows rows, Order order)
        : rows_(rows), stride_(rows.count + lanes), sides_(4 * stride_), order_(rows.count) {
        measure();
        if (order == Order::by_x && x_.per_length > 0) ends_.resize(std::min<std::size_t>(rows.count, 1 << 20));
        put();
    }

    bool all_have_area() const { return all_have_area_; }
    // Which row stands at this place?
    std::size_t row_at(std::size_t place) const { return order_[place]; }

    const float* left() const { return sides_.data(); }
    const float* top() const { return left() + stride_; }
    const float* right() const { return top() + stride_; }
    const float* bottom() const { return right() + stride_; }

    // Row i, which is r, and the places [begin, end).
    Window window(const double* r, std::size_t i, std::size_t begin, std::size_t end) const {
        const One box = one(r);
        return {sides_of(box), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(begin),
                static_cast<std::uint32_t>(end)};
    }
    // Row i, and the places among which are all that it may meet.
    Window window(const double* r, std::size_t i) const {
        Window all = window(r, i, 0, rows_.count);
        const double far = widened(reach_x_of(one(r)) + reach_, r[0]);
        if (ends_.empty() || !(far < infinity)) return all;
        const std::size_t low = cell(r[0] - far);
        all.begin = low ? ends_[low - 1] : 0, all.end = ends_[cell(r[0] + far)];
        return all;
    }

  private:
    Sides sides_of(const One& box) const {
        const double x = widened(reach_x_of(box), box.cx), y = widened(reach_y_of(box), box.cy);
        return {x_.at(box.cx - x), y_.at(box.cy - y), x_.at(box.cx + x), y_.at(box.cy + y)};
    }

    // How far the boxes extend, and how far from its centre the widest of them reaches.
    void measure() {
        double left = infinity, right = -infinity, top = infinity, bottom = -infinity;
        for (std::size_t i = 0; i < rows_.count; ++i) {  // NaN is passed over: it meets nothing
            const One box = one(row_of(rows_, i));
            const double reach = reach_x_of(box), x = widened(reach, box.cx), y = widened(reach_y_of(box), box.cy);
            left = lesser(box.cx - x, left), right = greater(box.cx + x, right);
            top = lesser(box.cy - y, top), bottom = greater(box.cy + y, bottom);
            reach_ = greater(reach, reach_);
            all_have_area_ &= box.area > 0;
        }
        x_ = Axis(left, right), y_ = Axis(top, bottom);
    }

    // Every box to its place: by cells along x, those of a cell as they came.
    void put() {
        std::vector<std::uint32_t> cells;
        if (!ends_.empty()) {
            cells.resize(rows_.count);
            for (std::size_t i = 0; i < rows_.count; ++i) ++ends_[cells[i] = cell(row_of(rows_, i)[0])];
            std::uint32_t total = 0;
            for (std::uint32_t& end : ends_) end = std::exchange(total, total + end);  // so far, where its cell begins
        }
        float* const to = sides_.data();
        for (std::size_t i = 0; i < rows_.count; ++i) {
            const std::size_t at = ends_.empty() ? i : ends_[cells[i]]++;
            const Sides sides = sides_of(one(row_of(rows_, i)));
            order_[at] = static_cast<std::uint32_t>(i);
            to[at] = sides.left, to[stride_ + at] = sides.top;
            to[2 * stride_ + at] = sides.right, to[3 * stride_ + at] = sides.bottom;
        }
    }

    std::uint32_t cell(double x) const {
        const float last = static_cast<float>(ends_.size() - 1);
        return static_cast<std::uint32_t>(greater(0.0f, lesser(x_.at(x) * last, last)));  // NaN is in the last
    }

    Rows rows_;
    std::size_t stride_;
    std::vector<float> sides_;
    std::vector<std::uint32_t> order_, ends_;
    Axis x_, y_;
    double reach_ = 0;
    bool all_have_area_ = true;
};

// A row of a, and those of a few places that it may meet: bit k is the place first + k.
struct Group {
    std::uint32_t row, first, bits;
};

// Bit k, for each k: read from memory by whole vectors.
constexpr std::array<std::uint32_t, Upright::lanes> bit = [] {
    std::array<std::uint32_t, Upright::lanes> bits{};
    for (std::size_t k = 0; k < Upright::lanes; ++k) bits[k] = std::uint32_t(1) << k;
    return bits;
}();

// The groups of some windows in which any two may meet: may pass too much, never too little. NaN passes.
struct Near {
    static VESICA_INLINE void body(const Upright& b, const Window* windows, std::size_t count,
                                   Group* VESICA_RESTRICT groups, std::size_t* found) {
        std::size_t size = 0;
        for (const Window* w = windows; w < windows + count; ++w) {
            const Sides sides = w->sides;
            for (std::size_t from = w->begin; from < w->end; from += Upright::lanes) {
                const float *VESICA_RESTRICT left = b.left() + from, *VESICA_RESTRICT right = b.right() + from;
                const float *VESICA_RESTRICT top = b.top() + from, *VESICA_RESTRICT bottom = b.bottom() + from;
                std::uint32_t bits = 0;
                for (std::size_t k = 0; k < Upright::lanes; ++k) {
                    const bool may_meet = !(left[k] > sides.right) & !(sides.left > right[k]) &
                                          !(top[k] > sides.bottom) & !(sides.top > bottom[k]);
                    bits |= -static_cast<std::uint32_t>(may_meet) & bit[k];
                }
                bits &= ~std::uint32_t(0) >> (Upright::lanes - std::min<std::size_t>(Upright::lanes, w->end - from));
                groups[size] = {w->row, static_cast<std::uint32_t>(from), bits};
                size += bits != 0;
            }
        }
        *found = size;
    }
};

template <class R>
struct Blank {
    static VESICA_INLINE void body(R* out, std::size_t count, R value) { std::fill_n(out, count, value); }
};

template <class R>
void fill(R* out, std::size_t count, R value) {
    const R zero = 0;
    if (std::memcmp(&value, &zero, sizeof value))
        simd::run<Blank<R>>(out, count, value);
    else
        std::memset(out, 0, count * sizeof(R));  // for which processors have an instruction of their own
}

// Fills rows of values: regions that cannot meet share nothing, the others wait until there are enough to clip.
// place(i, j) is where the value of a[i] with b[j] goes.
template <class R, class ValueOf, class Place>
class Filler {
  public:
    Filler(const ValueOf& value_of, Rows a, Rows b, const Upright& upright, const Place& place)
        : value_of_(value_of), place_(place), a_(a), b_(b), upright_(upright) {}

    // The values of a[begin ... end) with b[from ... from + count) as if none met: rows of `count`, one after another.
    void blank(std::size_t begin, std::size_t end, std::size_t from, std::size_t count, R* out) const {
        const R blank = static_cast<R>(value_of_(Parts{0, 1, 1}));
        const auto has_area = [&](std::size_t i) { return upright_.all_have_area() && area_of(row_of(a_, i)) > 0; };
        while (begin < end) {
            std::size_t plain = begin;  // up to there all have, so one value is that of all
            while (plain < end && has_area(plain)) ++plain;
            fill(out, (plain - begin) * count, blank);
            out += (plain - begin) * count;
            if (plain < end)
                for (std::size_t j = from; j < from + count; ++j) *out++ = value(0, plain, j);
            begin = plain + 1;
        }
    }

    // Those of a window that may meet its row.
    void look(Window window) {
        while (window.begin < window.end) {
            const std::size_t room = (most_groups - groups_) * Upright::lanes;
            const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(window.end, window.begin + room));
            windows_[windows_waiting_++] = {window.sides, window.row, window.begin, end};
            groups_ += (end - window.begin + Upright::lanes - 1) / Upright::lanes;
            if (groups_ == most_groups || windows_waiting_ == most_windows) collect();
            window.begin = end;
        }
    }

    // Rows are complete only after this.
    void settle() {
        collect();
        clip();
    }

  private:
    static constexpr std::size_t most_groups = 256, most_windows = 64;

    // Which pairs of the windows that wait may meet?
    void collect() {
        Group groups[most_groups];
        std::size_t found = 0;
        simd::run<Near>(upright_, &windows_[0], windows_waiting_, &groups[0], &found);
        windows_waiting_ = groups_ = 0;
        // From pair to pair: how many there are in a group is no branch to be guessed.
        for (std::size_t g = 0; g < found;) {
            Group& group = groups[g];
            const std::size_t place = group.first + static_cast<std::size_t>(std::countr_zero(group.bits));
            add(group.row, upright_.row_at(place));
            group.bits &= group.bits - 1;
            g += group.bits == 0;
        }
    }

    void add(std::size_t i, std::size_t j) {
        left_.put(count_, row_of(a_, i));
        right_.put(count_, row_of(b_, j));
        places_[count_++] = place_(i, j);
        if (count_ == Some::most) clip();
    }

    void clip() {
        double inter[Some::most];
        std::uint64_t meets[Some::most];
        simd::run<ZipNear>(left_, right_, count_, &inter[0], &meets[0]);
        for (std::size_t k = 0; k < count_; ++k)
            if (meets[k]) *places_[k] = static_cast<R>(value_of_(Parts{inter[k], left_.area[k], right_.area[k]}));
        count_ = 0;
    }

    R value(double inter, std::size_t i, std::size_t j) const {
        return static_cast<R>(value_of_(Parts{inter, area_of(row_of(a_, i)), area_of(row_of(b_, j))}));
    }

    const ValueOf& value_of_;
    const Place& place_;
    Rows a_, b_;
    const Upright& upright_;
    Window windows_[most_windows];
    std::size_t windows_waiting_ = 0, groups_ = 0;
    Some left_, right_;
    R* places_[Some::most];
    std::size_t count_ = 0;
};

template <class R, class ValueOf>
void matrix(const ValueOf& value_of, Rows a, Rows b, R* out, std::size_t threads) {
    if (!a.count || !b.count) return;
    const Upright upright(b, Upright::Order::by_x);
    const std::size_t share =
        threads::at_least_one(std::min<std::size_t>(1 + (1 << 16) / b.count, a.count / (4 * threads)));
    const auto place = [&](std::size_t i, std::size_t j) { return out + i * b.count + j; };
    threads::over(a.count, share, a.count * b.count < 4096 ? 1 : threads, [&](std::size_t begin, std::size_t end) {
        Filler<R, ValueOf, decltype(place)> filler(value_of, a, b, upright, place);
        filler.blank(begin, end, 0, b.count, place(begin, 0));
        for (std::size_t i = begin; i < end; ++i) filler.look(upright.window(row_of(a, i), i));
        filler.settle();
    });
}

struct AreSound {
    static VESICA_INLINE void body(Given rows, double limit, double least_side, bool* answer) {
        int sound = 1;
        for (std::size_t k = 0; k < rows.count * Given::width; ++k) sound &= std::fabs(rows.data[k]) <= limit;
        for (std::size_t i = 0; i < rows.count; ++i) {
            const double* const r = rows.data + Given::width * i;
            sound &= (r[2] >= least_side) & (r[3] >= least_side);
        }
        *answer = sound != 0;
    }
};

// Steps and their order are those of the array code in vesica/regions/rotated.py: the bits are the same.
VESICA_INLINE double quarters_of(double angle) {
    return std::nearbyint(angle / 90);
}

struct TakeQuarters {
    static VESICA_INLINE void body(Given rows, bool is_ccw, double* VESICA_RESTRICT rest) {
        for (std::size_t i = 0; i < rows.count; ++i) {
            const double given = rows.data[Given::width * i + 4], angle = is_ccw ? -given : given;
            rest[i] = (angle - 90 * quarters_of(angle)) * (std::numbers::pi / 180);
        }
    }
};

struct Turn {
    static VESICA_INLINE void body(Given rows, Writing writing, const double* VESICA_RESTRICT cos,
                                   const double* VESICA_RESTRICT sin, double* VESICA_RESTRICT out) {
        for (std::size_t i = 0; i < rows.count; ++i) {
            const double* const r = rows.data + Given::width * i;
            double* const to = out + Rows::width * i;
            for (std::size_t c = 0; c < 4; ++c) to[c] = r[c];
            to[4] = writing.is_ccw ? -r[4] : r[4];
            to[5] = cos[i], to[6] = sin[i];
            if (!writing.is_deg) continue;
            // Cosine and sine of the quarter turns: 1, 0, −1, 0 and 0, 1, 0, −1. Products with them are exact.
            const double quarters = quarters_of(to[4]), quarter = quarters - 4 * std::floor(quarters / 4);
            const double odd = quarter - 2 * std::floor(quarter / 2);
            const double c = (1 - odd) * (1 - quarter), s = odd * (2 - quarter);
            to[5] = cos[i] * c - sin[i] * s, to[6] = sin[i] * c + cos[i] * s;
        }
    }
};

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

bool are_sound(Given rows, double limit, double least_side) {
    bool answer = true;
    simd::run<AreSound>(rows, limit, least_side, &answer);
    return answer;
}

void take_quarters(Given rows, bool is_ccw, double* rest) {
    simd::run<TakeQuarters>(rows, is_ccw, rest);
}

void turn(Given rows, Writing writing, const double* cos, const double* sin, double* out) {
    simd::run<Turn>(rows, writing, cos, sin, out);
}

Columns::Columns(Rows rows) : numbers(new double[10 * rows.count + 1]), count(rows.count) {
    const std::size_t n = count;
    double* const to = numbers.get();
    for (std::size_t i = 0; i < n; ++i) {
        const double* const r = row_of(rows, i);
        for (std::size_t c = 0; c < Rows::width; ++c) to[c * n + i] = r[c];
        to[7 * n + i] = area_of(r), to[8 * n + i] = reach_x_of(one(r)), to[9 * n + i] = reach_y_of(one(r));
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
    const Upright upright(b, Upright::Order::as_given);
    top_k::of_rows(a.count, b.count, k, index, value, threads,
                   [&](std::size_t i, std::size_t from, std::size_t count, R* values) {
                       const auto place = [&](std::size_t, std::size_t j) { return values + (j - from); };
                       Filler<R, decltype(value_of), decltype(place)> filler(value_of, a, b, upright, place);
                       filler.blank(i, i + 1, from, count, values);
                       filler.look(upright.window(row_of(a, i), i, from, from + count));
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

#include "regions/raster.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/simd.hpp"
#include "base/threads.hpp"

namespace vesica::raster {
namespace {

using Int = std::int64_t;

struct Image {
    Int height, width;

    Int row(Int y) const { return std::clamp<Int>(y, 0, height); }
};

// Rounded up, as numerators may be negative.
Int ceil_div(Int a, Int b) {
    return a / b + (a % b > 0);
}

// The smallest t in [1, most] at which `reached` holds; `most` if it holds nowhere. It never turns false again.
template <class Number, class Reached>
Number first_step(Number guess, Number most, const Reached& reached) {
    for (Number t = std::clamp<Number>(guess, 1, most), tries = 0; tries < 3; ++tries) {
        const bool is_reached = reached(t), is_first = t == 1 || !reached(t - 1);
        if (is_reached && is_first) return t;
        t += is_reached ? -1 : 1;
        if (t > most) return most;
    }
    Number low = 1, high = most;
    while (low < high) {
        const Number middle = low + (high - low) / 2;
        if (reached(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// The first pixel whose centre is at a place on the grid of fifths or behind it.
template <class Number>
VESICA_INLINE Number pixel_of(Number fifths) {
    return static_cast<Number>(static_cast<std::make_unsigned_t<Number>>(std::max<Number>(0, fifths + 2)) / 5);
}

template <class Number>
VESICA_INLINE Number fifths(double x) {
    return static_cast<Number>(5.0 * x + 0.5);
}

// A toggle is one word: numbers in order are in the order of columns, then of rows.
VESICA_INLINE std::uint64_t toggle_at(Int column, Int row) {
    return static_cast<std::uint64_t>(column) << 32 | static_cast<std::uint64_t>(row);
}
std::uint32_t column_of(std::uint64_t toggle) {
    return static_cast<std::uint32_t>(toggle >> 32);
}
std::uint32_t row_of(std::uint64_t toggle) {
    return static_cast<std::uint32_t>(toggle);
}

// One edge walked on the grid of fifths of a pixel, in unit steps along its longer axis. Only the steps from
// x = 5c + 2 to 5c + 3, the centre of column c, matter: each toggles the column from some row on.
template <class Number>
class Walk {
  public:
    VESICA_INLINE Walk(Number x0, Number y0, Number x1, Number y1) {
        const Number dx = std::abs(x1 - x0), dy = std::abs(y1 - y0);
        is_flat_ = dx >= dy;
        const bool turned = is_flat_ ? x1 < x0 : y1 < y0;
        x0_ = turned ? x1 : x0, y0_ = turned ? y1 : y0, steps_ = is_flat_ ? dx : dy;
        const Number across = is_flat_ ? y1 - y0 : x1 - x0;
        across_ = static_cast<double>(turned ? -across : across);
        slope_ = across_ / static_cast<double>(steps_);
    }

    // The toggles of the columns [begin, end), which it crosses. Up to `vector` words behind them are overwritten.
    VESICA_INLINE void toggle(Number begin, Number end, Number height, std::uint64_t* to) const {
        const double steps_per_column = is_flat_ ? 0 : static_cast<double>(steps_) / across_;
        for (; begin < end; begin += vector, to += vector) {
            const Number count = end - begin;
            if (is_flat_)
                flat(begin, count, height, to);
            else if (!steep(begin, count, steps_per_column, height, to)) [[unlikely]]
                search(begin, std::min<Number>(count, vector), steps_per_column, height, to);
        }
    }

    // Most edges cross few columns. The last one is looked at again to fill a vector: no count is mispredicted.
    static constexpr Number vector = 8;

  private:
    VESICA_INLINE void flat(Number begin, Number count, Number height, std::uint64_t* to) const {
        // The smaller y of the two points beside the centre. Rounding keeps their order, so the slope tells which.
        const Number shift = 2 - x0_ + (slope_ < 0);
        for (Number k = 0; k < vector; ++k) {
            const Number column = begin + std::min<Number>(k, count - 1);
            to[k] = toggle_at(column, std::min(height, pixel_of(other(y0_, 5 * column + shift))));
        }
    }
    // The y of the last point before the edge steps from one of x, x + 1 to the other. False: some are elsewhere.
    VESICA_INLINE bool steep(Number begin, Number count, double steps_per_column, Number height,
                             std::uint64_t* to) const {
        Number is_there = 1;
        for (Number k = 0; k < vector; ++k) {
            const Number column = begin + std::min<Number>(k, count - 1), x = 5 * column + 2;
            const Number t = std::clamp<Number>(guess(x, steps_per_column), 1, steps_);
            is_there &= crossed(x, t) & ((t == 1) | !crossed(x, t - 1));
            to[k] = toggle_at(column, std::min(height, pixel_of<Number>(y0_ + t - 1)));
        }
        return is_there;
    }
    VESICA_NOINLINE void search(Number begin, Number count, double steps_per_column, Number height,
                                std::uint64_t* to) const {
        for (Number k = 0; k < count; ++k) {
            const Number column = begin + k, x = 5 * column + 2;
            const auto is_crossed = [&](Number t) { return crossed(x, t); };
            const Number t = first_step<Number>(guess(x, steps_per_column), steps_, is_crossed);
            to[k] = toggle_at(column, std::min(height, pixel_of<Number>(y0_ + t - 1)));
        }
    }

    // The other coordinate after t steps: this very expression, because others round otherwise.
    VESICA_INLINE Number other(Number start, Number t) const {
        return static_cast<Number>(static_cast<double>(start) + slope_ * static_cast<double>(t) + 0.5);
    }
    VESICA_INLINE Number guess(Number x, double steps_per_column) const {
        return static_cast<Number>((static_cast<double>(x - x0_) + 0.5) * steps_per_column) + 1;
    }
    // Has it left x, or x + 1 on the way to the left, after t steps?
    VESICA_INLINE bool crossed(Number x, Number t) const { return (other(x0_, t) > x) == (slope_ > 0); }

    bool is_flat_;
    Number x0_, y0_, steps_;
    double across_, slope_;
};

// Vertices in a row, on the grid of fifths, and the first columns whose centre is there or behind. An edge goes from
// each to the next one.
template <class Number>
struct Vertices {
    static constexpr std::size_t most = 64;
    Number x[most + 1], y[most + 1], column[most + 1];
    std::size_t toggles = 0;  // of all edges
};

// Vertices [first, first + edges] of a ring; the one before the first is the last.
template <class Number>
struct Place {
    static VESICA_INLINE void body(const double* ring, std::size_t vertices, std::size_t first, std::size_t edges,
                                   Number width, Vertices<Number>* out) {
        const double* const before = ring + 2 * ((first ? first : vertices) - 1);
        out->x[0] = fifths<Number>(before[0]), out->y[0] = fifths<Number>(before[1]);
        for (std::size_t k = 0; k < edges; ++k) {
            out->x[k + 1] = fifths<Number>(ring[2 * (first + k)]);
            out->y[k + 1] = fifths<Number>(ring[2 * (first + k) + 1]);
        }
        for (std::size_t k = 0; k <= edges; ++k) out->column[k] = std::min(width, pixel_of(out->x[k]));
        Number sum = 0;
        for (std::size_t k = 0; k < edges; ++k) sum += std::abs(out->column[k + 1] - out->column[k]);
        out->toggles = static_cast<std::size_t>(sum);
    }
};

template <class Number>
struct WalkEdges {
    static VESICA_INLINE void body(const Vertices<Number>* at, std::size_t edges, Number height, std::uint64_t* to) {
        for (std::size_t k = 0; k < edges; ++k) {
            const Number begin = std::min(at->column[k], at->column[k + 1]);
            const Number end = std::max(at->column[k], at->column[k + 1]);
            if (begin == end) continue;
            Walk<Number>(at->x[k], at->y[k], at->x[k + 1], at->y[k + 1]).toggle(begin, end, height, to);
            to += end - begin;
        }
    }
};

// The first row whose centre is at y or below, in each column whose centre the edge crosses. From the left end, so
// that the two owners of an edge agree.
template <class Toggle>
void cross_centres(double x0, double y0, double x1, double y1, const Image& image, const Toggle& toggle) {
    if (x1 < x0) std::swap(x0, x1), std::swap(y0, y1);
    const Int first = std::max<Int>(0, static_cast<Int>(std::ceil(x0 - 0.5)));
    const Int last = std::min<Int>(image.width - 1, static_cast<Int>(std::ceil(x1 - 0.5)) - 1);
    for (Int column = first; column <= last; ++column) {
        const double run = static_cast<double>(column) + 0.5 - x0;
        const double y = std::clamp(y0 + run * (y1 - y0) / (x1 - x0), std::min(y0, y1), std::max(y0, y1));
        toggle(column, image.row(static_cast<Int>(std::ceil(y - 0.5))));
    }
}

// A pixel index next to the number: halves go up.
Int nearest(double x) {
    return static_cast<Int>(std::floor(x + 0.5));
}

// The first row at or below the edge, in each column that it crosses: the inside of a ring of indices.
template <class Toggle>
void cross_indices(Int x0, Int y0, Int x1, Int y1, const Image& image, const Toggle& toggle) {
    if (x1 < x0) std::swap(x0, x1), std::swap(y0, y1);
    for (Int column = std::max<Int>(0, x0); column < std::min(x1, image.width); ++column)
        toggle(column, image.row(y0 + ceil_div((column - x0) * (y1 - y0), x1 - x0)));
}

// The pixels of an edge from index to index, joined by sides or corners: the nearest one after each step along the
// longer axis, and of two equally near the one further on.
void outline(Int x0, Int y0, Int x1, Int y1, const Image& image, std::vector<Run>& runs) {
    using Whole = std::uint64_t;  // twice a product of two sides fits
    const Int step_y = y1 < y0 ? -1 : 1;
    const Whole dx = static_cast<Whole>(std::abs(x1 - x0)), dy = static_cast<Whole>(std::abs(y1 - y0));
    const Int first = std::max<Int>(0, std::min(x0, x1)), last = std::min<Int>(image.width - 1, std::max(x0, x1));
    for (Int column = first; column <= last; ++column) {
        const Whole along = static_cast<Whole>(std::abs(column - x0));
        Whole from, to;  // steps along y
        if (dx >= dy) {
            from = to = dx ? (2 * dy * along + dx) / (2 * dx) : 0;
        } else {
            // After t steps the column is (2 dx t + dy) / (2 dy), rounded down.
            from = along ? ((2 * along - 1) * dy + 2 * dx - 1) / (2 * dx) : 0;
            to = along < dx ? ((2 * along + 1) * dy + 2 * dx - 1) / (2 * dx) - 1 : dy;
        }
        const Int one = y0 + step_y * static_cast<Int>(from), other = y0 + step_y * static_cast<Int>(to);
        const Int top = image.row(std::min(one, other)), bottom = image.row(std::max(one, other) + 1);
        if (top < bottom) runs.push_back({column * image.height + top, column * image.height + bottom});
    }
}

}  // namespace

void Painter::open(std::int64_t height, std::int64_t width, Rule rule) {
    height_ = height, width_ = width, rule_ = rule;
    toggles_.clear(), runs_.clear();
    is_in_order_ = true;
}

void Painter::add(const double* points, std::size_t vertices) {
    if (rule_ == Rule::coco) return walk(points, vertices);
    const double* const end = points + 2 * vertices;
    const double* before = end - 2;
    for (const double* p = points; p != end; before = p, p += 2) edge(before[0], before[1], p[0], p[1]);
}

void Painter::walk(const double* points, std::size_t vertices) {
    // What fits 32 bits many times over, as nearly all does, takes half the room in vectors.
    constexpr double small = 1 << 24;
    double most = static_cast<double>(std::max(height_, width_));
    for (std::size_t k = 0; k < 2 * vertices; ++k) most = std::max(most, std::fabs(points[k]));
    most < small ? walk_on<std::int32_t>(points, vertices) : walk_on<Int>(points, vertices);
}

template <class Number>
void Painter::walk_on(const double* points, std::size_t vertices) {
    Vertices<Number> at;
    for (std::size_t first = 0; first < vertices; first += at.most) {
        const std::size_t edges = std::min(at.most, vertices - first), before = toggles_.size();
        simd::run<Place<Number>>(points, vertices, first, edges, static_cast<Number>(width_), &at);
        toggles_.resize(before + at.toggles + static_cast<std::size_t>(Walk<Number>::vector));
        simd::run<WalkEdges<Number>>(&at, edges, static_cast<Number>(height_), toggles_.data() + before);
        toggles_.resize(before + at.toggles);
        steps_.add(edges + at.toggles);
    }
}

void Painter::edge(double x0, double y0, double x1, double y1) {
    const Image image{height_, width_};
    steps_.add(1 + static_cast<std::size_t>(std::min(std::fabs(x1 - x0), static_cast<double>(width_))));
    const auto toggle = [&](Int column, Int row) { toggles_.push_back(toggle_at(column, row)); };
    if (rule_ == Rule::centre) return cross_centres(x0, y0, x1, y1, image, toggle);
    cross_indices(nearest(x0), nearest(y0), nearest(x1), nearest(y1), image, toggle);
    outline(nearest(x0), nearest(y0), nearest(x1), nearest(y1), image, runs_);
    is_in_order_ = false;
}

// Inside is where the number of toggles so far is odd. Every column is toggled an even number of times.
void Painter::close_part() {
    if (toggles_.empty()) return;
    is_in_order_ = is_in_order_ && runs_.empty();
    std::uint32_t low = UINT32_MAX, high = 0;
    for (const Toggle toggle : toggles_)
        low = std::min(low, column_of(toggle)), high = std::max(high, column_of(toggle));
    const std::size_t columns = std::size_t(high) - low + 1;
    if (columns <= 4 * toggles_.size()) {
        fill(low, columns);
    } else {  // rings far from each other
        std::sort(toggles_.begin(), toggles_.end());
        for (std::size_t k = 0; k + 1 < toggles_.size(); k += 2)
            add(column_of(toggles_[k]), row_of(toggles_[k]), row_of(toggles_[k + 1]));
    }
    toggles_.clear();
}

// Toggles are put into the order of their columns, of which each has a few.
void Painter::fill(std::uint32_t low, std::size_t columns) {
    starts_.assign(columns + 1, 0);
    for (const Toggle toggle : toggles_) ++starts_[column_of(toggle) - low + 1];
    for (std::size_t c = 0; c < columns; ++c) starts_[c + 1] += starts_[c];
    rows_.resize(toggles_.size());
    for (const Toggle toggle : toggles_) rows_[starts_[column_of(toggle) - low]++] = row_of(toggle);
    runs_.reserve(runs_.size() + toggles_.size() / 2);
    for (std::size_t c = 0, begin = 0; c < columns; begin = starts_[c++]) {  // starts moved on to ends
        steps_.add(1 + starts_[c] - begin);
        std::uint32_t *const first = rows_.data() + begin, *const end = rows_.data() + starts_[c];
        const auto column = static_cast<std::uint32_t>(low + c);
        if (end - first == 2) {
            add(column, std::min(first[0], first[1]), std::max(first[0], first[1]));
        } else {
            std::sort(first, end);
            for (std::uint32_t* at = first; at + 1 < end; at += 2) add(column, at[0], at[1]);
        }
    }
}

void Painter::add(std::uint32_t column, std::uint32_t begin, std::uint32_t end) {
    if (begin == end) return;
    const Int top = static_cast<Int>(column) * height_;
    if (is_in_order_ && !runs_.empty() && runs_.back().end == top + begin)
        runs_.back().end = top + end;
    else
        runs_.push_back({top + begin, top + end});
}

const std::vector<Run>& Painter::runs() {
    if (is_in_order_) return runs_;
    // Those of several parts, and of outlines, come in any order, overlap and touch.
    std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
    std::size_t kept = 0;
    for (const Run& run : runs_) {
        if (kept && run.begin <= runs_[kept - 1].end)
            runs_[kept - 1].end = std::max(runs_[kept - 1].end, run.end);
        else
            runs_[kept++] = run;
    }
    runs_.resize(kept);
    return runs_;
}

namespace {

// Append the run lengths of region i.
void paint(Painter& painter, const polygons::Regions& regions, std::size_t i, Int pixels, std::vector<Int>& counts) {
    for (Int part = regions.first_part(i); part < regions.end_part(i); ++part) {
        for (Int ring = regions.parts[part]; ring < regions.parts[part + 1]; ++ring) {
            const Int begin = regions.rings[ring], end = regions.rings[ring + 1];
            painter.add(regions.points + 2 * begin, static_cast<std::size_t>(end - begin));
        }
        painter.close_part();
    }
    runs::ToCounts writer(counts);
    for (const Run& run : painter.runs()) writer.add(run.begin, run.end);
    writer.close(pixels);
}

}  // namespace

Counts counts(const polygons::Regions& regions, std::int64_t height, std::int64_t width, Rule rule,
              std::size_t threads) {
    constexpr std::size_t grain = 16;
    const std::size_t chunks = (regions.count + grain - 1) / grain;
    std::vector<std::vector<Int>> lists(chunks);
    Counts out;
    out.offsets.assign(regions.count + 1, 0);
    threads::over(regions.count, grain, threads, [&](std::size_t begin, std::size_t end) {
        Painter painter;
        std::vector<Int>& list = lists[begin / grain];
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t before = list.size();
            painter.open(height, width, rule);
            paint(painter, regions, i, height * width, list);
            out.offsets[i + 1] = static_cast<Int>(list.size() - before);
        }
    });
    for (std::size_t i = 0; i < regions.count; ++i) out.offsets[i + 1] += out.offsets[i];
    out.counts.reserve(static_cast<std::size_t>(out.offsets.back()));
    for (const std::vector<Int>& list : lists) out.counts.insert(out.counts.end(), list.begin(), list.end());
    return out;
}

}  // namespace vesica::raster

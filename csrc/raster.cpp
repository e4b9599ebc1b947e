#include "raster.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "threads.hpp"

namespace vesica::raster {
namespace {

using Int = std::int64_t;

struct Image {
    Int height, width;

    Int row(Int y) const { return std::clamp<Int>(y, 0, height); }
};

// Rounded down, as numerators may be negative.
Int floor_div(Int a, Int b) {
    return a / b - (a % b < 0);
}
Int ceil_div(Int a, Int b) {
    return a / b + (a % b > 0);
}

// The smallest t in [1, most] at which `reached` holds; `most` if it holds nowhere. It never turns false again.
template <class Reached>
Int first_step(Int guess, Int most, const Reached& reached) {
    guess = std::clamp<Int>(guess, 1, most);
    if (reached(guess) && (guess == 1 || !reached(guess - 1))) return guess;
    Int low = 1, high = most;
    while (low < high) {
        const Int middle = low + (high - low) / 2;
        if (reached(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// One edge walked on the grid of fifths of a pixel, in unit steps along its longer axis. Only the steps from
// x = 5c + 2 to 5c + 3, the centre of column c, matter: each toggles the column from some row on.
class Walk {
  public:
    Walk(Int x0, Int y0, Int x1, Int y1) {
        const Int dx = std::abs(x1 - x0), dy = std::abs(y1 - y0);
        flat_ = dx >= dy;
        if (flat_ ? x1 < x0 : y1 < y0) std::swap(x0, x1), std::swap(y0, y1);
        x0_ = x0, y0_ = y0, low_ = std::min(x0, x1), high_ = std::max(x0, x1), steps_ = flat_ ? dx : dy;
        slope_ = static_cast<double>(flat_ ? y1 - y0 : x1 - x0) / static_cast<double>(steps_);
    }

    template <class Toggle>
    void each_column(const Image& image, const Toggle& toggle) const {
        const Int first = std::max<Int>(0, ceil_div(low_ - 2, 5));
        const Int last = std::min<Int>(image.width - 1, floor_div(high_ - 3, 5));
        for (Int column = first; column <= last; ++column) {
            const Int y = flat_ ? flat_y(5 * column + 2) : steep_y(5 * column + 2);
            toggle(column, image.row(floor_div(y + 2, 5)));
        }
    }

  private:
    // The other coordinate after t steps: this very expression, because others round otherwise.
    Int other(Int t) const {
        return static_cast<Int>(static_cast<double>(flat_ ? y0_ : x0_) + slope_ * static_cast<double>(t) + 0.5);
    }
    // The smaller y of the two points at x and x + 1.
    Int flat_y(Int x) const { return std::min(other(x - x0_), other(x + 1 - x0_)); }
    // The y of the last point before the edge steps from one of x, x + 1 to the other.
    Int steep_y(Int x) const {
        const double guess = std::ceil((static_cast<double>(x) + 0.5 - static_cast<double>(x0_)) / slope_);
        const auto crossed = [&](Int t) { return slope_ > 0 ? other(t) > x : other(t) <= x; };
        return y0_ + first_step(static_cast<Int>(guess), steps_, crossed) - 1;
    }

    bool flat_;
    Int x0_, y0_, low_, high_, steps_;
    double slope_;
};

Int fifths(double x) {
    return static_cast<Int>(5.0 * x + 0.5);
}

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
}

void Painter::add(const double* points, std::size_t vertices) {
    const double* const end = points + 2 * vertices;
    const double* before = end - 2;
    for (const double* p = points; p != end; before = p, p += 2) edge(before[0], before[1], p[0], p[1]);
}

void Painter::edge(double x0, double y0, double x1, double y1) {
    const Image image{height_, width_};
    const auto toggle = [&](Int column, Int row) { toggles_.push_back(column * height_ + row); };
    if (rule_ == Rule::coco) return Walk(fifths(x0), fifths(y0), fifths(x1), fifths(y1)).each_column(image, toggle);
    if (rule_ == Rule::centre) return cross_centres(x0, y0, x1, y1, image, toggle);
    cross_indices(nearest(x0), nearest(y0), nearest(x1), nearest(y1), image, toggle);
    outline(nearest(x0), nearest(y0), nearest(x1), nearest(y1), image, runs_);
}

// Inside is where the number of toggles so far is odd. Every column is toggled an even number of times.
void Painter::close_part() {
    std::sort(toggles_.begin(), toggles_.end());
    for (std::size_t k = 0; k + 1 < toggles_.size(); k += 2)
        if (toggles_[k] < toggles_[k + 1]) runs_.push_back({toggles_[k], toggles_[k + 1]});
    toggles_.clear();
}

const std::vector<Run>& Painter::runs() {
    // They come in any order, overlap and touch.
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
    Int done = 0;
    for (const Run& run : painter.runs()) {
        counts.push_back(run.begin - done), counts.push_back(run.end - run.begin);
        done = run.end;
    }
    if (done < pixels || done == 0) counts.push_back(pixels - done);
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

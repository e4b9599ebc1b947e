#include "agreement/outline_offsets.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"
#include "base/threads.hpp"

namespace vesica::agreement {
namespace {

using Runs = std::span<const std::int64_t>;

Runs runs_of(rle::Counts masks, std::int64_t row) {
    const std::int64_t* const at = masks.offsets + row;
    return {masks.data + at[0], static_cast<std::size_t>(at[1] - at[0])};
}

// Call work(column, top, bottom) for each stretch of a column that belongs to the mask.
template <class Work>
void over_columns(Runs counts, std::size_t height, const Work& work) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const auto length = static_cast<std::size_t>(counts[k]);
        if (k % 2)
            for (std::size_t from = at; from < at + length;) {
                const std::size_t column = from / height, end = std::min(at + length, (column + 1) * height);
                work(column, from - column * height, end - column * height);
                from = end;
            }
        at += length;
    }
}

// The part of the image that both masks lie in. Columns are lines: pixels of a line lie side by side.
struct Window {
    std::size_t first = SIZE_MAX, last = 0, top = SIZE_MAX, bottom = 0;  // last and bottom are beyond it

    void add(Runs counts, std::size_t height) {
        over_columns(counts, height, [&](std::size_t column, std::size_t from, std::size_t to) {
            first = std::min(first, column);
            last = std::max(last, column + 1);
            top = std::min(top, from);
            bottom = std::max(bottom, to);
        });
    }
    std::size_t lines() const { return last - first; }
    std::size_t length() const { return bottom - top; }
};

constexpr std::uint32_t no_gap = UINT32_MAX;

// One mask in a window that has a pixel more on every side, where nothing belongs.
class Drawn {
  public:
    void draw(Runs counts, std::size_t height, const Window& window) {
        lines_ = window.lines();
        step_ = window.length() + 2;
        mask_.assign((lines_ + 2) * step_, 0);
        over_columns(counts, height, [&](std::size_t column, std::size_t from, std::size_t to) {
            std::uint8_t* const line = mask_.data() + (column - window.first + 1) * step_ + 1;
            std::fill(line + (from - window.top), line + (to - window.top), std::uint8_t(1));
        });
        trace();
    }

    bool has(std::size_t at) const { return mask_[at] != 0; }

    // Places of the outline.
    const std::vector<std::size_t>& outline() const { return outline_; }

    // The square of the way from a place to the nearest pixel of the outline: along its own line, then along those
    // beside it as long as they can be nearer.
    double squared_to(std::size_t at) const {
        const std::size_t own = at / step_;
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t away = 0; away <= lines_ && double(away) * double(away) < best; ++away) {
            if (own >= away) look(at - away * step_, away, best);
            if (away && own + away < lines_ + 2) look(at + away * step_, away, best);
        }
        return best;
    }

  private:
    void look(std::size_t at, std::size_t away, double& best) const {
        if (gaps_[at] == no_gap) return;
        const double along = gaps_[at], across = double(away);
        best = std::min(best, along * along + across * across);
    }

    // The outline, and for every pixel the way along its line to the nearest pixel of it.
    void trace() {
        outline_.clear();
        gaps_.assign(mask_.size(), no_gap);
        for (std::size_t line = 1; line <= lines_; ++line) {
            for (std::size_t at = line * step_ + 1; at + 1 < (line + 1) * step_; ++at)
                if (mask_[at] && !(mask_[at - 1] && mask_[at + 1] && mask_[at - step_] && mask_[at + step_])) {
                    outline_.push_back(at);
                    gaps_[at] = 0;
                }
            std::uint32_t* const gaps = gaps_.data() + line * step_;
            for (std::size_t k = 1; k < step_; ++k)
                if (gaps[k - 1] != no_gap) gaps[k] = std::min(gaps[k], gaps[k - 1] + 1);
            for (std::size_t k = step_ - 1; k-- > 0;)
                if (gaps[k + 1] != no_gap) gaps[k] = std::min(gaps[k], gaps[k + 1] + 1);
        }
    }

    std::size_t lines_ = 0, step_ = 0;
    std::vector<std::uint8_t> mask_;
    std::vector<std::size_t> outline_;
    std::vector<std::uint32_t> gaps_;
};

struct Sums {
    double with_sign = 0, without = 0;
};

// The distances of one outline from another, outside its mask positive.
Sums distances(const Drawn& from, const Drawn& to, interrupt::Steps& done) {
    Sums sums;
    for (const std::size_t at : from.outline()) {
        const double distance = std::sqrt(to.squared_to(at));
        sums.with_sign += to.has(at) ? -distance : distance;
        sums.without += distance;
        done.add(1 + static_cast<std::size_t>(distance));
    }
    return sums;
}

// One mask in a window that has a margin on every side, and which of its pixels are of its outline.
class Edged {
  public:
    void draw(Runs counts, std::size_t height, const Window& window, std::size_t margin) {
        const std::size_t lines = window.lines();
        step_ = window.length() + 2 * margin;
        mask_.assign((lines + 2 * margin) * step_, 0);
        over_columns(counts, height, [&](std::size_t column, std::size_t from, std::size_t to) {
            std::uint8_t* const line = mask_.data() + (column - window.first + margin) * step_ + margin;
            std::fill(line + (from - window.top), line + (to - window.top), std::uint8_t(1));
        });
        edge_.assign(mask_.size(), 0);
        const std::uint8_t *const mask = mask_.data(), *const before = mask - step_, *const behind = mask + step_;
        std::uint8_t* const edge = edge_.data();
        for (std::size_t at = margin * step_; at < (lines + margin) * step_; ++at)
            edge[at] = mask[at] & (1 ^ (mask[at - 1] & mask[at + 1] & before[at] & behind[at]));
    }

    const std::uint8_t* mask() const { return mask_.data(); }
    bool is_edge(std::size_t at) const { return edge_[at] != 0; }
    std::size_t step() const { return step_; }
    std::size_t places() const { return mask_.size(); }

  private:
    std::size_t step_ = 0;
    std::vector<std::uint8_t> mask_, edge_;
};

// Call work(place) for each pixel that one of two masks in one window has alone.
template <class Work>
void each_difference(const Edged& a, const Edged& b, const Work& work) {
    const std::uint8_t *const one = a.mask(), *const other = b.mask();
    std::size_t at = 0;
    for (; at + 8 <= a.places(); at += 8) {
        std::uint64_t left, right;
        std::memcpy(&left, one + at, sizeof left);
        std::memcpy(&right, other + at, sizeof right);
        if (left == right) continue;  // most of them
        for (std::size_t k = at; k < at + 8; ++k)
            if (one[k] != other[k]) work(k);
    }
    for (; at < a.places(); ++at)
        if (one[at] != other[at]) work(at);
}

// The way to each place that is so near, in a window with lines of `step` places.
void disc_of(double within, std::size_t step, std::vector<std::ptrdiff_t>& disc) {
    disc.clear();
    const auto radius = static_cast<std::ptrdiff_t>(std::floor(within)), line = static_cast<std::ptrdiff_t>(step);
    for (std::ptrdiff_t across = -radius; across <= radius; ++across)
        for (std::ptrdiff_t along = -radius; along <= radius; ++along)
            if (static_cast<double>(across * across + along * along) <= within * within)
                disc.push_back(across * line + along);
}

// Both masks of a pair in the window around them; false if both are empty.
bool draw(MaskPairs pairs, std::size_t k, std::size_t height, Drawn& a, Drawn& b) {
    const Runs one = runs_of(pairs.a, pairs.rows_a[k]), other = runs_of(pairs.b, pairs.rows_b[k]);
    if (one.size() < 2 && other.size() < 2) return false;  // background alone
    Window window;
    window.add(one, height);
    window.add(other, height);
    a.draw(one, height, window);
    b.draw(other, height, window);
    return true;
}

}  // namespace

void outline_offsets(MaskPairs pairs, std::size_t height, std::size_t threads, double* offset, double* distance) {
    threads::over(pairs.count, 16, threads, [&](std::size_t begin, std::size_t end) {
        Drawn a, b;
        interrupt::Steps done;
        for (std::size_t k = begin; k < end; ++k) {
            offset[k] = distance[k] = std::numeric_limits<double>::quiet_NaN();
            if (!draw(pairs, k, height, a, b) || a.outline().empty() || b.outline().empty()) continue;
            const Sums beyond_a = distances(b, a, done), beyond_b = distances(a, b, done);
            const double count_a = double(a.outline().size()), count_b = double(b.outline().size());
            offset[k] = (beyond_a.with_sign / count_b - beyond_b.with_sign / count_a) / 2;
            distance[k] = (beyond_a.without + beyond_b.without) / (count_a + count_b);
        }
    });
}

void outline_histograms(MaskPairs pairs, std::size_t height, Bins bins, std::size_t threads, std::uint32_t* out) {
    threads::over(pairs.count, 16, threads, [&](std::size_t begin, std::size_t end) {
        Drawn a, b;
        interrupt::Steps done;
        for (std::size_t k = begin; k < end; ++k) {
            std::uint32_t* const row = out + k * bins.count;
            std::fill(row, row + bins.count, 0u);
            if (!draw(pairs, k, height, a, b) || a.outline().empty() || b.outline().empty()) continue;
            for (const auto& [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}})
                for (const std::size_t at : from->outline()) {
                    const double distance = std::sqrt(to->squared_to(at));
                    const double bin = std::min(std::ceil(distance / bins.step), double(bins.count - 1));
                    ++row[static_cast<std::size_t>(bin)];
                    done.add(1 + static_cast<std::size_t>(distance));
                }
        }
    });
}

void edge_pixels(MaskPairs pairs, std::size_t height, double within, std::size_t threads, std::int64_t* differ,
                 std::int64_t* near) {
    const auto margin = static_cast<std::size_t>(std::max(1.0, std::floor(within)));
    threads::over(pairs.count, 16, threads, [&](std::size_t begin, std::size_t end) {
        Edged a, b;
        std::vector<std::ptrdiff_t> disc;
        interrupt::Steps done;
        for (std::size_t k = begin; k < end; ++k) {
            differ[k] = near[k] = 0;
            const Runs one = runs_of(pairs.a, pairs.rows_a[k]), other = runs_of(pairs.b, pairs.rows_b[k]);
            if (std::ranges::equal(one, other)) continue;
            Window window;
            window.add(one, height);
            window.add(other, height);
            a.draw(one, height, window, margin);
            b.draw(other, height, window, margin);
            disc_of(within, a.step(), disc);
            each_difference(a, b, [&](std::size_t at) {
                ++differ[k];
                near[k] += std::ranges::any_of(disc, [&](std::ptrdiff_t away) {
                    const std::size_t there = at + static_cast<std::size_t>(away);  // wraps around where it is negative
                    return a.is_edge(there) || b.is_edge(there);
                });
            });
            done.add(a.places() / 64 + static_cast<std::size_t>(differ[k]));
        }
    });
}

}  // namespace vesica::agreement

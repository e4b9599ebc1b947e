#include "agreement/outline_offsets.hpp"

#include <algorithm>
#include <cmath>
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

    // Places of the window, the pixel more on every side among them.
    std::size_t places() const { return mask_.size(); }

    // Places of the outline.
    const std::vector<std::size_t>& outline() const { return outline_; }

    // The square of the way from a place to the nearest pixel of the outline: along its own line, then along those
    // beside it as long as they can be nearer. What is not below `best` is not looked for.
    double squared_to(std::size_t at, double best = std::numeric_limits<double>::infinity()) const {
        const std::size_t own = at / step_;
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
    // Squares of distances are whole numbers, so that nothing lies between this and the square of `within`.
    const double beyond = std::floor(within * within) + 1;
    threads::over(pairs.count, 16, threads, [&](std::size_t begin, std::size_t end) {
        Drawn a, b;
        interrupt::Steps done;
        for (std::size_t k = begin; k < end; ++k) {
            differ[k] = near[k] = 0;
            if (!draw(pairs, k, height, a, b)) continue;
            for (std::size_t at = 0; at < a.places(); ++at) {
                if (a.has(at) == b.has(at)) continue;
                ++differ[k];
                near[k] += a.squared_to(at, beyond) < beyond || b.squared_to(at, beyond) < beyond;
                done.add(1);
            }
        }
    });
}

}  // namespace vesica::agreement

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
#include "base/simd.hpp"
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
    std::size_t at = 0, column = 0, start = 0;  // of the column
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const auto length = static_cast<std::size_t>(counts[k]);
        if (k % 2)
            for (std::size_t from = at; from < at + length;) {
                if (from - start >= 2 * height) column = from / height, start = column * height;
                if (from - start >= height) ++column, start += height;  // as a rule, and no division
                const std::size_t end = std::min(at + length, start + height);
                work(column, from - start, end - start);
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

// No pixel of the outline: farther than any, and still so when some lines are added.
constexpr std::uint32_t no_gap = UINT32_MAX / 2;

// Pixels of a mask of which one of four neighbours does not belong.
struct FindEdge {
    static VESICA_INLINE void body(const std::uint8_t* VESICA_RESTRICT mask, std::size_t step, std::size_t count,
                                   std::uint8_t* VESICA_RESTRICT edge) {
        const std::uint8_t *const before = mask - step, *const behind = mask + step;
        for (std::size_t k = 0; k < count; ++k)
            edge[k] = mask[k] & (1 ^ ((mask - 1)[k] & mask[k + 1] & before[k] & behind[k]));
    }
};

// Ways to the outline from one line to the next: 0 at its pixels, else one more than that beside it.
struct FirstGaps {
    static VESICA_INLINE void body(const std::uint8_t* VESICA_RESTRICT edge,
                                   const std::uint32_t* VESICA_RESTRICT beside, std::size_t count,
                                   std::uint32_t* VESICA_RESTRICT gaps) {
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint32_t more = std::min(beside[k] + 1, no_gap);
            gaps[k] = edge[k] ? 0 : more;
        }
    }
};

// The same backwards, where that is nearer.
struct NearerGaps {
    static VESICA_INLINE void body(const std::uint32_t* VESICA_RESTRICT beside, std::size_t count,
                                   std::uint32_t* VESICA_RESTRICT gaps) {
        for (std::size_t k = 0; k < count; ++k) gaps[k] = std::min(gaps[k], beside[k] + 1);
    }
};

// One mask in a window with a margin of one pixel of background on every side.
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

    // The square of the way from a place to the nearest pixel of the outline: across the lines at its own place, then
    // at those beside it as long as they can be nearer.
    double squared_to(std::size_t at) const {
        const std::size_t own = at % step_;
        std::uint64_t best = UINT64_MAX;
        for (std::size_t away = 0; std::uint64_t(away) * away < best; ++away) {
            const bool is_low = away <= own, is_high = away < step_ - own;
            if (!is_low && !is_high) break;
            if (is_low) look(at - away, away, best);
            if (is_high) look(at + away, away, best);
        }
        return static_cast<double>(best);
    }

  private:
    void look(std::size_t at, std::size_t along, std::uint64_t& best) const {
        const std::uint64_t across = gaps_[at];
        best = std::min(best, across * across + std::uint64_t(along) * along);
    }

    // The outline, and for every pixel the way across the lines to the nearest pixel of it.
    void trace() {
        outline_.clear();
        edge_.assign(mask_.size(), 0);
        simd::run<FindEdge>(mask_.data() + step_, step_, lines_ * step_, edge_.data() + step_);
        std::size_t at = 0;
        for (; at + 8 <= edge_.size(); at += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, edge_.data() + at, sizeof eight);
            if (!eight) continue;  // most of them
            for (std::size_t k = at; k < at + 8; ++k)
                if (edge_[k]) outline_.push_back(k);
        }
        for (; at < edge_.size(); ++at)
            if (edge_[at]) outline_.push_back(at);

        gaps_.resize(mask_.size());
        std::fill_n(gaps_.begin(), step_, no_gap);
        for (std::size_t line = 1; line < lines_ + 2; ++line)
            simd::run<FirstGaps>(static_cast<const std::uint8_t*>(edge_.data()) + line * step_,
                                 static_cast<const std::uint32_t*>(gaps_.data()) + (line - 1) * step_, step_,
                                 gaps_.data() + line * step_);
        for (std::size_t line = lines_ + 1; line-- > 0;)
            simd::run<NearerGaps>(static_cast<const std::uint32_t*>(gaps_.data()) + (line + 1) * step_, step_,
                                  gaps_.data() + line * step_);
    }

    std::size_t lines_ = 0, step_ = 0;
    std::vector<std::uint8_t> mask_, edge_;
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

struct OrInto {
    static VESICA_INLINE void body(const std::uint8_t* VESICA_RESTRICT from, std::size_t count,
                                   std::uint8_t* VESICA_RESTRICT to) {
        for (std::size_t k = 0; k < count; ++k) to[k] |= from[k];
    }
};

// Pixels that one of two masks has alone, and those of them that are marked.
struct CountDifferences {
    static VESICA_INLINE void body(const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* marks,
                                   std::size_t count, std::int64_t* differ, std::int64_t* marked) {
        constexpr std::size_t few = 128;  // sums of bytes do not overflow
        for (std::size_t at = 0; at < count; at += few) {
            const std::size_t size = std::min(few, count - at);
            std::uint8_t all = 0, some = 0;
            for (std::size_t k = at; k < at + size; ++k) {
                const std::uint8_t is_one = a[k] ^ b[k];
                all = static_cast<std::uint8_t>(all + is_one);
                some = static_cast<std::uint8_t>(some + (is_one & marks[k]));
            }
            *differ += all, *marked += some;
        }
    }
};

// Two masks in a window that has a margin on every side, and what is near the outline of either.
class Beside {
  public:
    explicit Beside(double within)
        : within_(within), margin_(static_cast<std::size_t>(std::max(1.0, std::floor(within)))) {}

    void draw(Runs one, Runs other, std::size_t height, const Window& window) {
        lines_ = window.lines() + 2 * margin_;
        step_ = window.length() + 2 * margin_;
        edge_.assign(places(), 0);
        for (auto& [runs, mask] : {std::pair{one, &a_}, std::pair{other, &b_}}) {
            mask->assign(places(), 0);
            over_columns(runs, height, [&, to = mask->data()](std::size_t column, std::size_t from, std::size_t until) {
                std::uint8_t* const line = to + (column - window.first + margin_) * step_ + margin_;
                std::fill(line + (from - window.top), line + (until - window.top), std::uint8_t(1));
            });
            own_.assign(places(), 0);
            const std::size_t first = margin_ * step_;
            simd::run<FindEdge>(mask->data() + first, step_, window.lines() * step_, own_.data() + first);
            simd::run<OrInto>(static_cast<const std::uint8_t*>(own_.data()), places(), edge_.data());
        }
        mark();
    }

    void count(std::int64_t& differ, std::int64_t& near) const {
        const std::uint8_t *const a = a_.data(), *const b = b_.data(), *const marks = near_.data();
        std::int64_t *const all = &differ, *const some = &near;
        simd::run<CountDifferences>(a, b, marks, places(), all, some);
    }

    std::size_t places() const { return lines_ * step_; }

  private:
    // A disc is made of stretches of lines: those of the lines far from its middle are parts of those near it.
    void mark() {
        near_.assign(places(), 0);
        own_ = edge_;  // along the lines so far
        const auto radius = static_cast<std::size_t>(std::floor(within_));
        for (std::size_t along = 0; along <= radius; ++along) {
            if (along) {
                simd::run<OrInto>(static_cast<const std::uint8_t*>(edge_.data()), places() - along,
                                  own_.data() + along);
                simd::run<OrInto>(static_cast<const std::uint8_t*>(edge_.data()) + along, places() - along,
                                  own_.data());
            }
            for (std::size_t across = 0; across <= radius; ++across)
                if (width(across) == along) {
                    const std::size_t away = across * step_;
                    const std::uint8_t* const own = own_.data();
                    simd::run<OrInto>(own, places() - away, near_.data() + away);
                    if (across) simd::run<OrInto>(own + away, places() - away, near_.data());
                }
        }
    }

    // How far a disc reaches along a line that is so far from its middle.
    std::size_t width(std::size_t across) const {
        const double rest = within_ * within_ - static_cast<double>(across * across);
        auto along = static_cast<std::size_t>(std::sqrt(rest));
        while (static_cast<double>(along * along) > rest) --along;
        while (static_cast<double>((along + 1) * (along + 1)) <= rest) ++along;
        return along;
    }

    double within_;
    std::size_t margin_, lines_ = 0, step_ = 0;
    std::vector<std::uint8_t> a_, b_, edge_, own_, near_;
};

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
    threads::over(pairs.count, 16, threads, [&](std::size_t begin, std::size_t end) {
        Beside beside(within);
        interrupt::Steps done;
        for (std::size_t k = begin; k < end; ++k) {
            differ[k] = near[k] = 0;
            const Runs one = runs_of(pairs.a, pairs.rows_a[k]), other = runs_of(pairs.b, pairs.rows_b[k]);
            if (std::ranges::equal(one, other)) continue;
            Window window;
            window.add(one, height);
            window.add(other, height);
            beside.draw(one, other, height, window);
            beside.count(differ[k], near[k]);
            done.add(beside.places() / 64 * (1 + static_cast<std::size_t>(within)));
        }
    });
}

}  // namespace vesica::agreement

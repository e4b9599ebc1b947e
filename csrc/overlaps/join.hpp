// join.hpp. The pairs whose measure reaches a threshold, sorted by i, then j. Memory O(N + pairs).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/grid_index.hpp"
#include "base/interrupt.hpp"
#include "base/partition.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"
#include "base/threshold.hpp"
#include "regions/boxes.hpp"
#include "regions/rotated.hpp"

namespace vesica::join {

template <class R>
struct Pairs {
    std::unique_ptr<std::int64_t[]> i, j;
    std::unique_ptr<R[]> value;
    std::size_t count;
};

// One key for each row, or null: no keys. Pairs with different keys are never formed.
struct Keys {
    const std::uint32_t *a, *b;
};

struct Request {
    measures::Name measure;
    measures::Options options;
    Threshold threshold;
    Keys keys;
    bool self;  // b is a: pairs with i < j
    std::size_t threads;
};

template <class T>
Pairs<Real<T>> of_boxes(const Request& request, boxes::Rows<T> a, boxes::Rows<T> b);

// The same for boxes so few that all pairs are looked at sooner than grids are made.
template <class T>
Pairs<Real<T>> of_few_boxes(const Request& request, boxes::Rows<T> a, boxes::Rows<T> b);

Pairs<double> of_rotated(const Request& request, rotated::Rows a, rotated::Rows b);

inline constexpr float anything = std::numeric_limits<float>::infinity();

// What the filters may assume about partners.
struct Bound {
    double iou;                 // their iou is at least this; 0: only that they meet
    double shrink_a, shrink_b;  // a partner reaches this share of its half sides from its centre
    float apart;                // how far apart the rough_log2 of their sides, or of their areas, may be

    // Of A + B, what two partners have in common at least.
    double share() const { return iou / (1 + iou); }
};

Bound bound_of(measures::Name measure, const measures::Options& options, double t);

// For rows that were not checked: NaN, and numbers whose squares overflow, have no place in a grid.
inline bool in_range(double x) {
    return std::fabs(x) < 0x1p510;
}

// A box as the filters see it: reaching `shrink` of its half sides from its centre. Boxes without area share nothing,
// and have no place in a grid.
template <class T>
bool has_place(const T* row) {
    return row[2] > row[0] && row[3] > row[1] && in_range(static_cast<double>(row[0])) &&
           in_range(static_cast<double>(row[1])) && in_range(static_cast<double>(row[2])) &&
           in_range(static_cast<double>(row[3]));
}
// Inlined, so that it is built where it is kept: a copy, by wider words than it was written in, waits for the writes.
template <class T>
VESICA_INLINE grid_index::Point point_of(const T* row, double shrink, std::size_t index) {
    const double x1 = static_cast<double>(row[0]), y1 = static_cast<double>(row[1]);
    const double x2 = static_cast<double>(row[2]), y2 = static_cast<double>(row[3]);
    const double w = x2 - x1, h = y2 - y1;
    const double far_x = std::max(std::fabs(x1), std::fabs(x2)), far_y = std::max(std::fabs(y1), std::fabs(y2));
    return {(x1 + x2) / 2,
            (y1 + y2) / 2,
            shrink * w / 2 + grid_index::hair * far_x,
            shrink * h / 2 + grid_index::hair * far_y,
            grid_index::rough_log2(w),
            grid_index::rough_log2(h),
            static_cast<std::uint32_t>(index)};
}

// Rotated boxes, by the upright boxes around them: index[k] of columns[k], for those that have area.
grid_index::Point point_of(const rotated::Columns& columns, std::size_t at, std::size_t index);
bool has_place(const rotated::Columns& columns, std::size_t at);

// Can the upright boxes around two rotated boxes share as much as partners must? `share` of A + B.
bool may_share(const rotated::Columns& a, std::size_t p, const rotated::Columns& b, std::size_t q, double share);

template <class R>
struct Hit {
    std::uint32_t i, j;
    R value;
};

// Hits in stretches of rows, which threads can sort apart: of one stretch they are left in their lists.
template <class R>
class Stretches {
  public:
    Stretches(std::vector<std::vector<Hit<R>>>& lists, std::size_t count, std::size_t rows, std::size_t threads)
        : lists_(lists),
          size_(partition::is_shared(count, threads) ? std::clamp(count >> 13, std::size_t(1), std::size_t(256)) : 1),
          width_((rows + size_ - 1) / size_) {
        starts_ = {0, count};
        if (size_ > 1) gather(count, threads);
    }
    std::size_t size() const { return size_; }
    // The first row of a stretch, and the first of its hits among all.
    std::size_t row(std::size_t stretch) const { return stretch * width_; }
    std::size_t start(std::size_t stretch) const { return starts_[stretch]; }

    template <class Visit>
    void each(std::size_t stretch, const Visit& visit) const {
        if (size_ == 1) {
            for (const auto& list : lists_)
                for (const Hit<R>& hit : list) visit(hit);
            return;
        }
        for (std::size_t k = starts_[stretch]; k < starts_[stretch + 1]; ++k) visit(hits_[k]);
    }

  private:
    void gather(std::size_t count, std::size_t threads) {
        std::vector<std::uint32_t> counts(lists_.size() * size_, 0);
        threads::run(lists_.size(), threads, [&](std::size_t k) {
            for (const Hit<R>& hit : lists_[k]) ++counts[k * size_ + hit.i / width_];
        });
        std::vector<std::size_t> at(counts.size());
        starts_.assign(size_ + 1, 0);
        std::size_t total = 0;
        for (std::size_t stretch = 0; stretch < size_; ++stretch) {
            starts_[stretch] = total;
            for (std::size_t k = 0; k < lists_.size(); ++k)
                at[k * size_ + stretch] = total, total += counts[k * size_ + stretch];
        }
        starts_[size_] = total;
        hits_.resize(count);
        threads::run(lists_.size(), threads, [&](std::size_t k) {
            for (const Hit<R>& hit : lists_[k]) hits_[at[k * size_ + hit.i / width_]++] = hit;
            lists_[k] = {};  // its memory is not needed twice
        });
    }

    std::vector<std::vector<Hit<R>>>& lists_;
    std::size_t size_, width_;
    std::vector<std::size_t> starts_;
    memory::Vector<Hit<R>> hits_;
};

// Lists of hits, in any order → columns sorted by i, then j.
template <class R>
Pairs<R> sorted(std::vector<std::vector<Hit<R>>>& lists, std::size_t rows, std::size_t threads) {
    std::size_t count = 0;
    for (const auto& list : lists) count += list.size();
    Pairs<R> out{std::make_unique_for_overwrite<std::int64_t[]>(count),
                 std::make_unique_for_overwrite<std::int64_t[]>(count), std::make_unique_for_overwrite<R[]>(count),
                 count};
    struct Entry {
        std::uint32_t j;
        R value;
    };
    const Stretches<R> stretches(lists, count, rows, threads);
    threads::run(stretches.size(), threads, [&](std::size_t stretch) {
        const std::size_t first = std::min(stretches.row(stretch), rows);
        const std::size_t last = std::min(stretches.row(stretch + 1), rows);
        const std::size_t start = stretches.start(stretch), here = stretches.start(stretch + 1) - start;
        interrupt::Steps steps;
        std::vector<std::size_t> at(last - first + 1, 0);
        stretches.each(stretch, [&](const Hit<R>& hit) { ++at[hit.i - first + 1], steps.add(1); });
        for (std::size_t i = first; i < last; ++i) at[i - first + 1] += at[i - first];
        const auto entries = std::make_unique_for_overwrite<Entry[]>(here);
        stretches.each(stretch,
                       [&](const Hit<R>& hit) { entries[at[hit.i - first]++] = {hit.j, hit.value}, steps.add(1); });
        std::size_t begin = 0;
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t end = at[i - first];  // filling moved each start to the next one's
            std::sort(entries.get() + begin, entries.get() + end,
                      [](const Entry& a, const Entry& b) { return a.j < b.j; });
            steps.add(4 * (end - begin));
            for (; begin < end; ++begin) {
                const std::size_t to = start + begin;
                out.i[to] = static_cast<std::int64_t>(i), out.j[to] = entries[begin].j;
                out.value[to] = entries[begin].value;
            }
        }
    });
    return out;
}

// Run find(task, hits) on every task of the grid and sort what they found.
template <class R, class Find>
Pairs<R> collect(const grid_index::Grid& grid, std::size_t rows, std::size_t threads, const Find& find) {
    const std::vector<grid_index::Task> tasks = grid_index::tasks(grid);
    std::vector<std::vector<Hit<R>>> lists(tasks.size());
    threads::run(tasks.size(), threads, [&](std::size_t k) { find(tasks[k], lists[k]); });
    return sorted(lists, rows, threads);
}

}  // namespace vesica::join

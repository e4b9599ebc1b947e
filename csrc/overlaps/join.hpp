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
template <class T>
grid_index::Point point_of(const T* row, double shrink, std::size_t index) {
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

// Lists of hits, in any order → columns sorted by i, then j.
template <class R>
Pairs<R> sorted(std::vector<std::vector<Hit<R>>>& lists, std::size_t rows) {
    std::size_t count = 0;
    for (const auto& list : lists) count += list.size();
    Pairs<R> out{std::make_unique_for_overwrite<std::int64_t[]>(count),
                 std::make_unique_for_overwrite<std::int64_t[]>(count), std::make_unique_for_overwrite<R[]>(count),
                 count};
    interrupt::Steps steps;
    std::vector<std::size_t> at(rows + 1, 0);
    for (const auto& list : lists)
        for (const Hit<R>& hit : list) ++at[hit.i + 1], steps.add(1);
    for (std::size_t i = 0; i < rows; ++i) at[i + 1] += at[i];
    struct Entry {
        std::uint32_t j;
        R value;
    };
    const auto entries = std::make_unique_for_overwrite<Entry[]>(count);
    for (auto& list : lists) {
        for (const Hit<R>& hit : list) entries[at[hit.i]++] = {hit.j, hit.value}, steps.add(1);
        list = {};  // its memory is not needed twice
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t end = at[i];  // filling moved each start to the next one's
        std::sort(entries.get() + begin, entries.get() + end, [](const Entry& a, const Entry& b) { return a.j < b.j; });
        steps.add(4 * (end - begin));
        for (; begin < end; ++begin)
            out.i[begin] = static_cast<std::int64_t>(i), out.j[begin] = entries[begin].j,
            out.value[begin] = entries[begin].value;
    }
    return out;
}

// Run find(task, hits) on every task of the grid and sort what they found.
template <class R, class Find>
Pairs<R> collect(const grid_index::Grid& grid, std::size_t rows, std::size_t threads, const Find& find) {
    const std::vector<grid_index::Task> tasks = grid_index::tasks(grid);
    std::vector<std::vector<Hit<R>>> lists(tasks.size());
    threads::run(tasks.size(), threads, [&](std::size_t k) { find(tasks[k], lists[k]); });
    return sorted(lists, rows);
}

}  // namespace vesica::join

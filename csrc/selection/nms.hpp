// nms.hpp. Greedy non-maximum suppression: walk from the best region to the worst, keep each one that no kept one
// has suppressed. Memory O(N), whatever overlaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "base/order.hpp"
#include "base/partition.hpp"
#include "overlaps/join.hpp"
#include "overlaps/region_pairs.hpp"

namespace vesica::nms {

constexpr std::uint32_t none = ~std::uint32_t(0);

struct Request {
    measures::Name measure;
    measures::Options options;
    Threshold threshold;
    const double* scores;
    const std::uint32_t* keys;    // one for each region: only equal ones suppress each other; or null
    const std::uint32_t* images;  // one for each region, which `limit` counts by; or null: one image
    double least;                 // regions with a lower score take no part
    std::size_t limit;            // so many are kept in an image; 0: all
    bool with_by;                 // is `by` wanted: what suppressed each region?
    std::size_t threads;

    join::Bound bound() const { return join::bound_of(measure, options, threshold.value); }
};

// Regions with one key, best first.
using order::Group;

// What has become of each region.
struct Fates {
    Fates(std::size_t count, std::size_t threads) {
        partition::fill(by, count, threads, none);
        partition::fill(is_kept, count, threads, std::uint8_t(0));
    }

    bool is_dead(std::uint32_t row) const { return by[row] != none; }

    memory::Vector<std::uint32_t> by;  // what suppressed it, or none; without `with_by` perhaps not for all
    memory::Vector<std::uint8_t> is_kept;
};

struct Answer {
    std::unique_ptr<std::int64_t[]> kept;  // best first
    std::size_t count;
    memory::Vector<std::uint32_t> by;
};

// Regions in order, by key and score, cut into groups; and what is left of them once all groups have been walked.
class Walk {
  public:
    Walk(const Request& request, std::size_t count);

    // Call walk(group, fates) on every group, from several threads.
    template <class Each>
    void run(const Each& walk) {
        threads::run(groups_.tasks.size() - 1, request_.threads, [&](std::size_t task) {
            for (std::size_t g = groups_.tasks[task]; g < groups_.tasks[task + 1]; ++g) walk(groups_[g], fates_);
        });
    }

    Answer answer();

  private:
    const Request& request_;
    Fates fates_;
    order::Rows order_;  // best first
    order::Groups groups_;
};

// Keep the regions of a group one after the other. strike(k, row) marks those after place k that the kept one
// suppresses.
template <class Strike>
void keep_each(Group group, std::size_t limit, Fates& fates, const Strike& strike) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < group.count; ++k) {
        const std::uint32_t row = group.rows[k];
        if (fates.is_dead(row)) continue;
        fates.is_kept[row] = 1;
        strike(k, row);
        if (++kept == limit) return;
    }
}

// The same with a grid of the group, whose points are numbered by their place in it. `test` has begin(row),
// meet(row, kill) for one that may be a partner, and end(kill).
template <class Test>
void keep_by_grid(const grid_index::Grid& grid, grid_index::Apart apart, Group group, std::size_t limit, Fates& fates,
                  Test& test) {
    std::vector<std::uint32_t> places(group.count, none);  // in the grid
    for (std::size_t q = 0; q < grid.points.size(); ++q) places[grid.points[q].index] = static_cast<std::uint32_t>(q);
    interrupt::Steps steps;
    keep_each(group, limit, fates, [&](std::size_t k, std::uint32_t row) {
        if (places[k] == none) return;
        const auto kill = [&](std::uint32_t other) { fates.by[other] = row; };
        test.begin(row);
        for (const grid_index::Group& near : grid.groups)
            steps.add(grid_index::around(grid, near, grid.points[places[k]], apart, 0, [&](std::size_t q) {
                const std::uint32_t place = grid.points[q].index;
                if (place > k && !fates.is_dead(group.rows[place])) test.meet(group.rows[place], kill);
            }));
        test.end(kill);
    });
}

template <class T>
Answer of_boxes(const Request& request, boxes::Rows<T> rows);

Answer of_rotated(const Request& request, rotated::Rows rows);

// Regions of any kind: a source of parts, of the regions with themselves. Compiled in nms_regions.cpp, for the kinds
// that can be compared with themselves.
template <class S>
Answer of_source(const Request& request, const S& source);

}  // namespace vesica::nms

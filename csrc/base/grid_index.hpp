// grid_index.hpp. Which regions can be partners at all? A filter: it may pass too much, never too little.
//
// Each region is a point, its centre, with a reach along each axis: two can be partners only if their centres are no
// further apart than their reaches together, on both axes. Regions are grouped by key and roughly by size, so that a
// few large ones do not widen the search for the many small; where a measure bounds the ratio of sizes, groups and
// points of other sizes are passed over. Each group is a grid of cells, about as many as it has points, and a row of
// cells is one stretch of points. O(N + points looked at), memory O(N).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"
#include "base/memory.hpp"

namespace vesica::grid_index {

// By how much of the largest coordinate filters are widened, so that rounding never loses a pair.
constexpr double hair = 1.0 / (1ull << 40);

// A logarithm of the size, roughly to the base 2: sizes with ratio <= 2^x are less than x + 0.09 apart. The bits of a
// positive double, read as an integer, are its exponent and then its fraction: straight lines between powers of two.
inline float rough_log2(double size) {
    constexpr double one = 1ull << 52;
    return static_cast<float>(static_cast<double>(std::bit_cast<std::int64_t>(size)) / one - 1023);
}

// One region as the filter sees it: centre, reaches, logarithms of two sizes, and its row in the caller's table.
struct Point {
    double x, y, reach_x, reach_y;
    float u, v;
    std::uint32_t index;
};

// How far apart the logarithms of the sizes of two partners may be.
struct Apart {
    float u, v;
};

// The smallest and the largest of some logarithms.
struct Span {
    float low = 1e9f, high = -1e9f;

    void add(float x) { low = std::min(low, x), high = std::max(high, x); }
    bool is_near(float x, float apart) const { return x >= low - apart && x <= high + apart; }
    bool is_near(const Span& other, float apart) const {
        return other.high >= low - apart && other.low <= high + apart;
    }
};

// One axis of a grid. Monotone, so that a point between two others is in a cell between theirs.
struct Axis {
    double origin = 0, per_length = 0;
    std::size_t cells = 1;

    std::size_t cell(double x) const {
        const double last = static_cast<double>(static_cast<std::int64_t>(cells) - 1);  // signed: in one instruction
        const double at = std::min(std::max(0.0, (x - origin) * per_length), last);     // 0 for NaN, which 0 · ∞ is
        return static_cast<std::size_t>(static_cast<std::int64_t>(at));
    }
};

struct Group {
    std::uint32_t key = 0;
    Span u, v;
    double reach_x = 0, reach_y = 0;  // the largest among its points
    double low_x, high_x, low_y, high_y;
    Axis x, y;
    std::size_t begin = 0, end = 0;  // points, by rows of cells
    std::size_t cells = 0;           // where the starts of its cells begin
};

struct Grid {
    // `keys` has one key for each row of the caller's table, or is null.
    Grid(memory::Vector<Point> points, const std::uint32_t* keys, std::size_t threads);

    memory::Vector<Point> points;
    std::vector<Group> groups;             // by key, size
    memory::Vector<std::uint32_t> starts;  // the first point of each cell, counted from the group's begin

    // The groups with this key.
    std::pair<std::size_t, std::size_t> groups_of(std::uint32_t key) const;
};

// A piece of work: some points of one group of the first grid.
struct Task {
    std::size_t group, begin, end;
};
std::vector<Task> tasks(const Grid& grid);

// Call visit(begin, end) for the stretches, none of them empty, of positions in one group among which all partners of
// the point are. Returns how many positions that were.
template <class Visit>
std::size_t stretches(const Grid& grid, const Group& group, const Point& point, Apart apart, const Visit& visit) {
    const double far_x = point.reach_x + group.reach_x, far_y = point.reach_y + group.reach_y;
    const double low_x = point.x - far_x, high_x = point.x + far_x;
    const double low_y = point.y - far_y, high_y = point.y + far_y;
    if (high_x < group.low_x || low_x > group.high_x || high_y < group.low_y || low_y > group.high_y ||
        !group.u.is_near(point.u, apart.u) || !group.v.is_near(point.v, apart.v))
        return 0;
    const std::uint32_t* const starts = grid.starts.data() + group.cells;
    const std::size_t left = group.x.cell(low_x), right = group.x.cell(high_x);
    const std::size_t top = group.y.cell(low_y), bottom = group.y.cell(high_y);
    std::size_t seen = 0;
    for (std::size_t row = top; row <= bottom; ++row) {
        const std::uint32_t* const cells = starts + row * group.x.cells;
        const std::size_t begin = cells[left], end = cells[right + 1];
        seen += end - begin + 1;
        if (begin < end) visit(group.begin + begin, group.begin + end);  // most are empty where there are few points
    }
    return seen;
}

// Call visit(q) for the positions q >= from in one group that may be partners of the point. Returns how many it looked
// at.
template <class Visit>
std::size_t around(const Grid& grid, const Group& group, const Point& point, Apart apart, std::size_t from,
                   const Visit& visit) {
    return stretches(grid, group, point, apart, [&](std::size_t begin, std::size_t end) {
        for (std::size_t q = std::max(from, begin); q < end; ++q) {
            const Point& partner = grid.points[q];
            // & and not &&: four cheap tests and one branch that is nearly always not taken.
            if ((std::fabs(partner.x - point.x) <= point.reach_x + partner.reach_x) &
                (std::fabs(partner.y - point.y) <= point.reach_y + partner.reach_y) &
                (std::fabs(partner.u - point.u) <= apart.u) & (std::fabs(partner.v - point.v) <= apart.v))
                visit(q);
        }
    });
}

// Call visit(p, q) for positions p in a.points and q in b.points that may be partners. With `self`, a and b are one
// grid and each unordered pair is visited once.
template <class Visit>
void each(const Grid& a, const Task& task, const Grid& b, Apart apart, bool self, const Visit& visit) {
    const Group& mine = a.groups[task.group];
    interrupt::Steps steps;
    const auto [first_group, last_group] = b.groups_of(mine.key);
    for (std::size_t g = self ? task.group : first_group; g < last_group; ++g) {
        const Group& other = b.groups[g];
        if (!mine.u.is_near(other.u, apart.u) || !mine.v.is_near(other.v, apart.v)) continue;
        const bool same_group = self && g == task.group;
        for (std::size_t p = task.begin; p < task.end; ++p)
            steps.add(
                around(b, other, a.points[p], apart, same_group ? p + 1 : 0, [&](std::size_t q) { visit(p, q); }));
    }
}

}  // namespace vesica::grid_index

// edges.hpp. Edges of polygons, and how much of a level line lies inside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace vesica::polygons {

// One edge that rises from (x0, y0) to (x1, y1), or lies flat.
struct Edge {
    double x0, y0, x1, y1;
    double low_x, high_x;
    std::uint32_t part;   // which part it bounds
    std::uint32_t place;  // its number on its ring

    // Where it is at height y. Exact at both ends and for upright edges.
    double at(double y) const {
        if (x0 == x1) return x0;
        // From the nearer end, so that it is exact at both.
        const double up = (y - y0) / (y1 - y0), down = (y1 - y) / (y1 - y0);
        const double x = up < down ? x0 + up * (x1 - x0) : x1 - down * (x1 - x0);
        return std::clamp(x, std::min(x0, x1), std::max(x0, x1));
    }
};

// The height between two levels, and not at them, at which two edges cross; NaN: they do not.
inline double crossing(const Edge& e, const Edge& f, double bottom, double top) {
    constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
    const double low = std::max({e.y0, f.y0, bottom}), high = std::min({e.y1, f.y1, top});
    if (!(low < high)) return nowhere;
    const double before = e.at(low) - f.at(low), after = e.at(high) - f.at(high);
    if (!((before < 0 && after > 0) || (before > 0 && after < 0))) return nowhere;
    const double y = low + (high - low) * (before / (before - after));
    return y > low && y < high ? y : nowhere;
}

// Where a level line meets an edge.
struct Hit {
    double x;
    std::uint32_t edge;
};

// Nearly sorted already: the order of the last slab, and at the end so many new ones.
inline void sort_hits(std::vector<Hit>& hits, std::size_t fresh) {
    constexpr std::size_t few = 32;
    if (fresh > few) {
        std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.x < b.x; });
        return;
    }
    for (std::size_t at = 1; at < hits.size(); ++at) {
        const Hit hit = hits[at];
        std::size_t to = at;
        for (; to > 0 && hit.x < hits[to - 1].x; --to) hits[to] = hits[to - 1];
        hits[to] = hit;
    }
}

// What is known of a point while it moves to the right: in how many parts it is, of those below `second` and of those
// from there on. It is inside when it is in one of each; where there is no second group, in one of the first.
class Inside {
  public:
    void start(std::uint32_t parts, std::uint32_t second) {
        odd_.assign(parts, 0);
        second_ = second;
        counts_[0] = 0, counts_[1] = second < parts ? 0 : 1;
    }
    // Go across an edge of this part. To go across it again takes it back.
    void cross(std::uint32_t part) {
        odd_[part] ^= 1;
        counts_[part >= second_] += odd_[part] ? 1 : std::size_t(-1);
    }
    bool both() const { return counts_[0] && counts_[1]; }

    // How much lies inside, from x = left to right, across these hits. Leaves things as they were.
    double length(const std::vector<Hit>& hits, const std::vector<Edge>& edges, double left, double right) {
        const std::size_t before[2] = {counts_[0], counts_[1]};
        double sum = 0, start = left;
        bool was = both();
        for (const Hit& hit : hits) {
            cross(edges[hit.edge].part);
            const bool is = both();
            if (is && !was) start = hit.x;
            if (was && !is) sum += hit.x - start;
            was = is;
        }
        if (was) sum += right - start;
        for (const Hit& hit : hits) odd_[edges[hit.edge].part] ^= 1;
        counts_[0] = before[0], counts_[1] = before[1];
        return sum;
    }

  private:
    std::vector<std::uint8_t> odd_;
    std::uint32_t second_ = 0;
    std::size_t counts_[2] = {0, 0};
};

}  // namespace vesica::polygons

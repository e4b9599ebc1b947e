// strips.hpp. What many edges cover that lie side by side and cross each other: by strips that are halved.
//
// A strip is halved at the middle one of the levels at which something happens in it: an edge ends, or two cross. In
// each half most edges meet nothing. They are walls: they keep their places from bottom to top, and what happens on one
// side of a wall does not concern the other. So a half falls into runs of edges between two walls, and each run, with
// the few levels of its own, is halved in turn. Until the last halves n edges that cross k times are looked at about
// log n times each: O((n + k) log² n), where slabs from side to side take O((n + k) n).
//
// Rounding cannot do more than misplace an edge by what it rounds: that a run is closed (whatever enters it below
// leaves it above, or comes back) follows from the places of vertices, each of which is looked up once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/interrupt.hpp"
#include "regions/edges.hpp"

namespace vesica::polygons {

// The area of what crosses more often than this is not measured: it would take minutes, and gigabytes.
inline constexpr std::size_t most_crossings = 5'000'000;

// A ValueError of Python. `areas` catches it: a region that is at fault by itself has the area NaN.
struct TooManyCrossings : std::invalid_argument {
    TooManyCrossings();
};

// A flat edge, which bounds nothing sideways.
struct Flat {
    double y, x0, x1;
};

class Strips {
  public:
    // Edges that are not flat, and flat ones: all those of closed rings that are somewhere between y = 0 and y =
    // height.
    Strips(const std::vector<Edge>& edges, const std::vector<Flat>& flats, Inside& inside)
        : edges_(edges), flats_(flats), inside_(inside), run_(edges.size()) {}

    // What lies inside between y = 0 and y = height. Throws TooManyCrossings.
    double covered(double height);

  private:
    using List = std::vector<std::uint32_t>;

    static constexpr std::uint32_t none = ~std::uint32_t(0);
    static constexpr std::size_t few = 12;  // edges for which slabs are faster

    struct Strip {
        double low, high;

        double height() const { return high - low; }
        double middle() const { return low + height() / 2; }
        bool has(double y) const { return low < y && y < high; }
        bool is_spanned_by(const Edge& e) const { return e.y0 <= low && e.y1 >= high; }
    };
    // Between two walls, or none.
    struct Gap {
        std::uint32_t left, right;
    };
    struct Crossing {
        double y;
        std::uint32_t e, f;
    };
    // An edge from the bottom of a strip to its top.
    struct Spanning {
        double low, high;  // where it is there
        double slack;      // by how much that may be off
        std::uint32_t edge;
        bool is_met;
    };
    struct Runs;

    double parted(const Strip& strip, List edges, List flats, const Gap& gap);
    double halved(const Strip& strip, const List& edges, const List& flats, const Gap& gap);
    double crossed(const Strip& strip, const List& edges, const Gap& gap);
    double parted_by(const Strip& strip, List edges, std::vector<Crossing> crossings, const Gap& gap);
    double between(const Strip& strip, const List& edges, std::vector<Crossing> crossings, const Gap& gap);
    double slabs(const Strip& strip, const List& edges, std::vector<double> levels, const Gap& gap);

    std::vector<Spanning> line_of(const Strip& strip, const List& edges) const;
    void add_crossings(const Strip& strip, const List& edges, std::vector<double>& levels);
    void count(std::size_t crossings);
    double x_of(std::uint32_t wall, double y) const { return wall == none ? 0 : edges_[wall].at(y); }
    void cross_open(const Strip& strip, const std::uint32_t* begin, const std::uint32_t* end);
    template <class Run>
    double walk(const Strip& strip, const Gap& gap, const Runs& runs, const Run& run);

    const std::vector<Edge>& edges_;
    const std::vector<Flat>& flats_;
    Inside& inside_;
    std::vector<Hit> hits_;
    List run_;  // of an edge, while runs are made
    std::size_t crossings_ = 0;
    interrupt::Steps steps_;
};

}  // namespace vesica::polygons

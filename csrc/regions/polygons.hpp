// polygons.hpp. Regions with straight edges: parts that are united, each of one or more rings filled even-odd.
// Rings may cross themselves and each other, and may share edges. Coordinates are finite; all arithmetic is in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/boxes.hpp"
#include "regions/edges.hpp"
#include "regions/strips.hpp"

namespace vesica::polygons {

// Flat arrays. Region i has the parts regions[i] ... regions[i + 1], part p the rings parts[p] ... parts[p + 1], ring r
// the vertices rings[r] ... rings[r + 1], and vertex v the numbers points[2v], points[2v + 1].
struct Regions {
    const double* points;
    const std::int64_t *rings, *parts, *regions;
    std::size_t count;

    std::int64_t first_part(std::size_t i) const { return regions[i]; }
    std::int64_t end_part(std::size_t i) const { return regions[i + 1]; }
};

// The part of the plane that is looked at, [0, w] x [0, h] once (x, y) is the origin.
struct Window {
    double x, y, w, h;

    Window turned() const { return {y, x, h, w}; }
};

// Measures areas by slabs: between two levels at which an edge ends or two cross, the length that is covered changes
// evenly, so the area is the height of the slab times the length at its middle. Where many edges lie side by side,
// strips take over. Memory is kept from call to call. What crosses more than `most_crossings` times throws
// TooManyCrossings.
class Slabs {
  public:
    // The area of region i.
    double area(const Regions& regions, std::size_t i);
    // The area that a[i] and b[j] share inside the window around what their upright boxes share.
    double shared(const Regions& a, std::size_t i, const Regions& b, std::size_t j, const Window& window);

  private:
    double area_of_parts(const Regions& regions, std::int64_t first, std::int64_t end);
    bool are_apart(const Regions& regions, std::int64_t first, std::int64_t end);
    bool is_simple(const Regions& regions, std::int64_t ring);
    void add(const Regions& regions, std::int64_t first, std::int64_t end, const Window& window);
    void add_all(const Regions& regions, std::int64_t first, std::int64_t end, const Window& window);
    double covered(std::uint32_t second);
    double by_strips(const Window& window, std::uint32_t second);
    bool find_levels(const Window& window);
    void start();

    std::vector<Edge> edges_;
    std::vector<double> levels_;
    std::vector<std::uint32_t> open_;
    std::vector<Hit> hits_;
    std::vector<Flat> flats_;
    Inside inside_;
    std::vector<boxes::Box<double>> around_;
    std::uint32_t parts_ = 0;
    bool turned_ = false;  // x and y are exchanged
};

// out[i] = area of region i, or NaN where its edges cross more than `most_crossings` times.
void areas(const Regions& regions, double* out, std::size_t threads);

// Regions with the upright box around each (rows of x1, y1, x2, y2) and its area.
struct Side {
    Regions regions;
    const double *boxes, *area;
};

// A source of parts: see region_pairs.hpp.
class Source {
  public:
    using Number = double;

    Source(const Side& a, const Side& b) : a_(a), b_(b) {}

    std::size_t n() const { return a_.regions.count; }
    std::size_t m() const { return b_.regions.count; }
    double area_a(std::size_t i) const { return a_.area[i]; }
    double area_b(std::size_t j) const { return b_.area[j]; }
    boxes::Box<double> box_a(std::size_t i) const { return boxes::box(a_.boxes + 4 * i); }
    boxes::Box<double> box_b(std::size_t j) const { return boxes::box(b_.boxes + 4 * j); }

    class Row {
      public:
        Row(const Source& source, std::size_t i) : source_(source), i_(i) {}
        double inter(std::size_t j);

      private:
        const Source& source_;
        std::size_t i_;
        Slabs slabs_;
    };

  private:
    Side a_, b_;
};

}  // namespace vesica::polygons

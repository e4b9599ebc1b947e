// raster.hpp. Which pixels belong to a polygon? Three rules, each answered in runs: nothing of the size of the image
// is made, and time and memory grow with the edges and the columns they cross.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "base/memory.hpp"
#include "base/named_enum.hpp"
#include "regions/masks/runs.hpp"
#include "regions/polygons.hpp"

namespace vesica::raster {

// coco: the parity walk on a grid of fifths.
// centre: the centre of the pixel is inside; on a top or left edge counts, on others not.
// border: vertices are indices of pixels, and the outline belongs.
#define VESICA_RASTER_RULES(X) X(coco) X(centre) X(border)
VESICA_NAMED_ENUM(Rule, int, VESICA_RASTER_RULES);

// Run lengths down the columns, background first; no run but the first is 0, and their sum is height * width.
struct Counts {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> offsets;  // region i has the counts offsets[i] ... offsets[i + 1]
};

using Run = runs::LongRun;

// Draws one region after the other: its parts, each of one or more rings filled even-odd. Memory is kept.
// Coordinates stay within 2^40, for borders within 2^30: no sum of the walks loses a bit and no product overflows.
class Painter {
  public:
    static constexpr double limit = 1ull << 40;

    void open(std::int64_t height, std::int64_t width, Rule rule);
    // A ring of the part that is being drawn: x, y of each vertex.
    void add(const double* points, std::size_t vertices);
    // The part has all its rings.
    void close_part();
    // All parts as one: sorted, not touching each other.
    const std::vector<Run>& runs();

  private:
    // A column and a row of it: from there on, what was outside is inside, and the other way round.
    using Toggle = std::uint64_t;

    void walk(const double* points, std::size_t vertices);
    template <class Number>
    void walk_on(const double* points, std::size_t vertices);
    void edge(double x0, double y0, double x1, double y1);
    void fill(std::uint32_t low, std::size_t columns);
    void add(std::uint32_t column, std::uint32_t begin, std::uint32_t end);

    std::int64_t height_ = 0, width_ = 0;
    Rule rule_ = Rule::coco;
    bool is_in_order_ = true;  // the runs are, and do not touch
    memory::Vector<Toggle> toggles_;
    std::vector<std::uint32_t> starts_;  // of each column among the rows
    memory::Vector<std::uint32_t> rows_;
    std::vector<Run> runs_;
    interrupt::Steps steps_;
};

Counts counts(const polygons::Regions& regions, std::int64_t height, std::int64_t width, Rule rule,
              std::size_t threads);

}  // namespace vesica::raster

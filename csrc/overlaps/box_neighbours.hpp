// box_neighbours.hpp. Many boxes, and which of them are near each other: a grid that finds stretches, and a filter by
// vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/grid_index.hpp"
#include "base/memory.hpp"
#include "base/order.hpp"
#include "base/partition.hpp"
#include "overlaps/box_columns.hpp"
#include "overlaps/join.hpp"

namespace vesica {

// Many boxes of one group, in the order of a grid; places are counted in that order.
template <class T>
class Neighbourhood {
  public:
    using F = box_columns::Filtered<T>;

    Neighbourhood(const join::Bound& bound, boxes::Rows<T> boxes, order::Group group, std::size_t threads)
        : apart_{bound.apart, bound.apart},
          grid_(points(bound, boxes, group, threads), nullptr, threads),
          line_(grid_.points.size()) {
        partition::Chunks(size(), threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t q = begin; q < end; ++q) {
                const std::uint32_t row = group.rows[rank(q)];
                line_.put(q, boxes::box(boxes.data + 4 * row), row, bound.share());
            }
        });
    }

    std::size_t size() const { return grid_.points.size(); }
    const box_columns::Lined<F>& line() const { return line_; }
    // How many of the group are better.
    std::uint32_t rank(std::size_t place) const { return grid_.points[place].index; }

    // Call visit(other) for those that may share enough with the one at this place, itself among them. `found` is
    // scratch, and grows as it is needed. Returns how many it looked at.
    template <class Visit>
    std::size_t each_near(std::size_t place, memory::Vector<std::uint32_t>& found, const Visit& visit) const {
        std::size_t seen = 0;
        for (const grid_index::Group& near : grid_.groups)
            seen += grid_index::stretches(
                grid_, near, grid_.points[place], apart_, [&](std::size_t begin, std::size_t end) {
                    if (found.size() < end - begin + box_columns::lanes)
                        found.resize(2 * (end - begin) + box_columns::lanes);
                    const std::size_t count = box_columns::near(line_, place, begin, end, found.data());
                    for (std::size_t k = 0; k < count; ++k) visit(found[k]);
                });
        return seen;
    }

  private:
    // Boxes without area overlap no box and have no place.
    static memory::Vector<grid_index::Point> points(const join::Bound& bound, boxes::Rows<T> boxes, order::Group group,
                                                    std::size_t threads) {
        const double shrink = std::max(bound.shrink_a, bound.shrink_b);
        const auto row_of = [&](std::size_t k) { return boxes.data + 4 * group.rows[k]; };
        memory::Vector<grid_index::Point> points;
        partition::chosen(
            group.count, threads, [&](std::size_t k) { return join::has_place(row_of(k)); },
            [&](std::size_t total) { points.resize(total); },
            [&](std::size_t k, std::size_t place) { points[place] = join::point_of(row_of(k), shrink, k); });
        return points;
    }

    grid_index::Apart apart_;
    grid_index::Grid grid_;
    box_columns::Lined<F> line_;
};

}  // namespace vesica

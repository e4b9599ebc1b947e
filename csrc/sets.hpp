// sets.hpp. Finite sets as regions: a member is a pixel of an image of one row. A source of parts (sources.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boxes.hpp"

namespace vesica::sets {

// N sets, one after the other: the members of set i are ids[starts[i]] … ids[starts[i + 1] − 1], rising, from 0 on.
struct Members {
    const std::int64_t *ids, *starts;
    std::size_t count;

    std::int64_t size(std::size_t i) const { return starts[i + 1] - starts[i]; }
    boxes::Box<double> box(std::size_t i) const;
};

class Source {
  public:
    using Number = std::int64_t;

    // All members are below `size`.
    Source(const Members& a, const Members& b, std::size_t size);

    std::size_t n() const { return a_.count; }
    std::size_t m() const { return b_.count; }
    Number area_a(std::size_t i) const { return a_.size(i); }
    Number area_b(std::size_t j) const { return b_.size(j); }
    boxes::Box<double> box_a(std::size_t i) const { return a_.box(i); }
    boxes::Box<double> box_b(std::size_t j) const { return b_.box(j); }

    // The first partner is met member by member. Who meets a second one will meet many: then the sets that hold each
    // member are walked once, and every later answer is there already.
    class Row {
      public:
        Row(const Source& source, std::size_t i) : source_(source), i_(i) {}
        Number inter(std::size_t j);

      private:
        Number merged(std::size_t j) const;
        void walk();

        const Source& source_;
        std::size_t i_;
        bool has_met_ = false;
        std::vector<std::uint32_t> shared_;  // with each set of b
    };

  private:
    Members a_, b_;
    // Which sets of b hold each member.
    std::vector<std::size_t> first_;
    std::vector<std::uint32_t> holders_;
};

}  // namespace vesica::sets

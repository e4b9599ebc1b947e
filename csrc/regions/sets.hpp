// sets.hpp. Finite sets as regions: the area of a set is how many members it has. A source of parts (region_pairs.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vesica::sets {

// N sets, one after the other: the members of set i are ids[starts[i]] … ids[starts[i + 1] − 1], rising, from 0 on.
struct Members {
    const std::int64_t *ids, *starts;
    std::size_t count;

    std::int64_t size(std::size_t i) const { return starts[i + 1] - starts[i]; }
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

    // The first partner is met member by member. A row that meets a second one will meet many: then all are met at
    // once, and every later answer is there already.
    class Row {
      public:
        Row(const Source& source, std::size_t i) : source_(source), i_(i) {}
        Number inter(std::size_t j);

      private:
        const Source& source_;
        std::size_t i_;
        bool has_met_ = false;
        std::vector<std::uint32_t> shared_;  // with each set of b
    };

    class Partners {
      public:
        explicit Partners(const Source& source) : source_(source), shared_(source.m(), 0) {}

        template <class Visit>
        void each(std::size_t i, const Visit& visit) {
            source_.each_holder(i, [&](std::uint32_t j) {
                if (shared_[j]++ == 0) met_.push_back(j);
            });
            for (const std::uint32_t j : met_) visit(j, static_cast<Number>(shared_[j])), shared_[j] = 0;
            met_.clear();
        }

      private:
        const Source& source_;
        std::vector<std::uint32_t> shared_, met_;
    };

  private:
    // Call visit(j) for each member of set i of a and each set j of b that holds it.
    template <class Visit>
    void each_holder(std::size_t i, const Visit& visit) const {
        for (std::int64_t k = a_.starts[i]; k < a_.starts[i + 1]; ++k) {
            const std::size_t member = static_cast<std::size_t>(a_.ids[k]);
            for (std::size_t h = first_[member]; h < first_[member + 1]; ++h) visit(holders_[h]);
        }
    }

    Number merged(std::size_t i, std::size_t j) const;

    Members a_, b_;
    std::vector<std::size_t> first_;      // where the holders of each member begin
    std::vector<std::uint32_t> holders_;  // sets of b
};

}  // namespace vesica::sets

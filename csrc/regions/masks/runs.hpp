// runs.hpp. Runs of foreground, as positions down the columns of an image: from counts, to counts, and what two lists
// of them share.
//
// A list of runs is sorted; no run is empty and none touches the next. Counts are lengths of background, foreground,
// background, … in turn. Canonical counts have no zero but, perhaps, the first, and their sum is the number of pixels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/named_enum.hpp"
#include "base/simd.hpp"

namespace vesica::runs {

template <class Position>
struct Run {
    Position begin, end;
};

// Any image.
using LongRun = Run<std::int64_t>;
// Images of fewer than 2^32 pixels.
using ShortRun = Run<std::uint32_t>;

// What is wrong with counts, or with the string that they are written as.
#define VESICA_COUNT_FAULTS(X) X(none) X(negative) X(too_long) X(character) X(cut) X(too_large)
VESICA_NAMED_ENUM(Fault, int, VESICA_COUNT_FAULTS);

// Any counts → runs, appended to a list: counts of 0 vanish, and what they kept apart becomes one run.
template <class List>
class FromCounts {
  public:
    FromCounts(List& runs, std::int64_t pixels) : runs_(runs), before_(runs.size()), pixels_(pixels) {}

    Fault add(std::int64_t count) {
        if (count < 0) return Fault::negative;
        if (count > pixels_ - position_) return Fault::too_long;
        if (is_set_ && count) {
            using Position = decltype(runs_.back().end);
            const auto begin = static_cast<Position>(position_), end = static_cast<Position>(position_ + count);
            if (runs_.size() > before_ && runs_.back().end == begin)
                runs_.back().end = end;
            else
                runs_.push_back({begin, end});
            area_ += count;
        }
        position_ += count, is_set_ = !is_set_;
        return Fault::none;
    }
    std::int64_t area() const { return area_; }
    // The pixels behind the last count are background.
    bool is_short() const { return position_ < pixels_; }

  private:
    List& runs_;
    std::size_t before_;  // runs of other masks
    std::int64_t pixels_, position_ = 0, area_ = 0;
    bool is_set_ = false;
};

// Runs that rise → canonical counts, appended to a list. Runs that touch become one.
class ToCounts {
  public:
    explicit ToCounts(std::vector<std::int64_t>& counts) : counts_(counts) {}

    void add(std::int64_t begin, std::int64_t end) {
        if (begin == end_ && end_) {
            counts_.back() += end - begin;
        } else {
            counts_.push_back(begin - end_);
            counts_.push_back(end - begin);
        }
        end_ = end;
    }
    // Where the last run ended.
    std::int64_t end() const { return end_; }
    // The rest of the mask is background; the next one begins.
    void close(std::int64_t pixels) {
        if (end_ < pixels || !end_) counts_.push_back(pixels - end_);
        end_ = 0;
    }

  private:
    std::vector<std::int64_t>& counts_;
    std::int64_t end_ = 0;
};

// The runs that end after `from` and begin before `to`.
template <class R>
std::pair<const R*, const R*> between(const R* begin, const R* end, std::int64_t from, std::int64_t to) {
    if (begin != end && begin->end <= from)
        begin = std::partition_point(begin, end, [&](const R& run) { return run.end <= from; });
    if (begin != end && end[-1].begin >= to)
        end = std::partition_point(begin, end, [&](const R& run) { return run.begin < to; });
    return {begin, end};
}

// Call visit(begin, end) for each stretch that two lists of runs share, in order.
//
// Masks mostly have one run a column, and the same of the two ends first in column after column: branches are guessed
// well, and then nothing waits for the last comparison.
template <class R, class Visit>
VESICA_INLINE void each_shared(std::pair<const R*, const R*> a, std::pair<const R*, const R*> b, const Visit& visit) {
    auto [p, p_end] = a;
    auto [q, q_end] = b;
    if (p == p_end || q == q_end) return;
    for (;;) {
        const auto begin = std::max(p->begin, q->begin);
        if (p->end < q->end) {
            if (p->end > begin) visit(begin, p->end);
            if (++p == p_end) return;
            if (q->end <= p->begin && ++q == q_end) return;
        } else {
            if (q->end > begin) visit(begin, q->end);
            if (++q == q_end) return;
            if (p->end <= q->begin && ++p == p_end) return;
        }
    }
}

// How many positions two lists of runs share.
template <class R>
std::int64_t count_shared(std::pair<const R*, const R*> a, std::pair<const R*, const R*> b) {
    std::int64_t sum = 0;
    each_shared(a, b, [&](auto begin, auto end) { sum += end - begin; });
    return sum;
}

}  // namespace vesica::runs

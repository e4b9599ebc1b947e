// precision_walk.hpp. One walk over the guesses of a category, best first, for all lanes: what precision at given
// recalls is made of. Guesses come in blocks, and none is kept.
//
// The best precision at a recall or any higher one is the best of the stretches between recalls from there on. How many
// right guesses reach each recall is known beforehand, so one number is kept for each stretch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"

namespace vesica::precision_recall {

struct Request {
    const double* recalls;
    std::size_t recall_count;
    const std::int64_t* limits;  // of guesses in a cell, rising; the last one cuts nothing that the records have
    std::size_t limit_count;
    std::size_t first_limit;  // precision and scores are made from this one on
    double epsilon;           // added to the number of guesses before the division
    std::size_t threads;
};

// Guesses of one category, best first; they follow those of the block before.
struct Block {
    const double* score;                     // null where no scores are asked for
    const std::uint32_t* rank;               // in its cell
    const std::uint64_t *matched, *ignored;  // (guesses, words)
    std::size_t count;
};

// What a walk has seen so far, in arrays of the caller, all zero at first. A lane is area · thresholds + threshold.
struct Seen {
    std::uint32_t* right;  // (limits, lanes)
    std::uint32_t* wrong;  // (limits - first limit, lanes)
    double* best;          // (limits - first limit, lanes, recalls): best precision up to the next recall
    double* reached;       // like best: the score that reaches the recall; null where no scores are asked for
    double* top;           // (limits - first limit, 2): is there a guess, and the score of the first
};

// Where the answers of a category go: see precision_recall.hpp.
struct Answer {
    double *precision, *recall, *scores;  // scores may be null
    std::size_t category, category_count;
};

// One guess that found a truth: how many were wrong before it, and its place in the block.
struct Hit {
    std::uint32_t wrong, at;
};

// What a walk works with while it is fed: empty in between, so one serves many walks.
struct Scratch {
    std::vector<std::vector<Hit>> hits = std::vector<std::vector<Hit>>(64);  // of each lane of a word
    memory::Vector<std::uint64_t> pending;
    memory::Vector<double> precisions;
};

class Walk {
  public:
    // positives: (areas,) how many truths are to be found.
    Walk(const Request& request, std::size_t thresholds, std::size_t areas, const std::int64_t* positives,
         const Seen& seen);

    void feed(const Block& block, Scratch& scratch);
    // Of the lanes [first, last). Nothing is written where there is nothing to be found.
    void write(const Answer& answer, std::size_t first, std::size_t last) const;
    std::size_t lanes() const { return lanes_; }

    // Several walks over one category: each counts its guesses, begins with what those before it have counted, and is
    // fed; then the first takes over what the others have seen, one after the other, of the lanes [first, last).
    void count(const Block& block, Scratch& scratch);
    void take_over(const Walk& next, std::size_t first, std::size_t last);

  private:
    void feed_recalls(const Block& block, std::size_t m, std::uint32_t limit, Scratch& scratch);
    void feed_curves(const Block& block, std::size_t w, std::size_t m, std::uint32_t limit, Scratch& scratch);
    void count_wrong(const Block& block, std::size_t w, std::size_t m, std::uint32_t limit, Scratch& scratch);
    // How many recalls a number of right guesses reaches.
    std::size_t reached_by(std::uint32_t right, std::size_t lane) const;
    void close(std::size_t lane, std::size_t m, const Block& block, Scratch& scratch);
    void write_lane(const Answer& answer, std::size_t lane, std::size_t m) const;

    std::uint32_t limit(std::size_t m) const;
    std::size_t lanes_of(std::size_t w) const { return lanes_ - 64 * w < 64 ? lanes_ - 64 * w : 64; }
    std::uint64_t all_of(std::size_t w) const { return ~std::uint64_t(0) >> (64 - lanes_of(w)); }
    // Of a lane from the first limit on.
    std::size_t made(std::size_t m, std::size_t lane) const { return (m - request_.first_limit) * lanes_ + lane; }
    // Of the recalls of a lane.
    std::size_t recalls_of(std::size_t lane) const { return lane / thresholds_ * request_.recall_count; }

    const Request& request_;
    std::size_t thresholds_, areas_, lanes_, words_;
    const std::int64_t* positives_;
    Seen seen_;
    std::vector<std::uint32_t> needed_;  // (areas, recalls): right guesses that reach each recall, rising
    std::vector<std::uint32_t> places_;  // (areas, recalls): which recall that is, for those who ask may list any order
    std::vector<std::uint32_t> as_asked_;  // (areas, recalls): the same as `needed_`, by recall
};

}  // namespace vesica::precision_recall

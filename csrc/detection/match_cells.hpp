// match_cells.hpp. Which guess finds which truth? In every cell (one image, one category), for every lane (one
// threshold, one range of areas) at once.
//
// Lanes are bits: lane = area range * thresholds + threshold, in words of 64. What comes out is a record of each guess:
// the lanes in which it found a truth, and those in which it does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"
#include "base/named_enum.hpp"
#include "dataset/coco_masks.hpp"

namespace vesica::match_cells {

using Word = std::uint64_t;

// Columns of one side. A place below 0 leaves the row out.
struct Side {
    std::size_t count;
    const std::int32_t *image, *category;
    const double* area;  // null: that of the region
};

struct Truths : Side {
    const std::uint8_t* crowd;    // may be found by many; null: no truth is one
    const std::uint8_t* ignore;   // neither to be found nor wrong to find; null: no truth is. Crowds are among them.
    const std::uint8_t* id_zero;  // has id 0: its match does not count, though it is taken; null: no truth has it
};

struct Guesses : Side {
    const double* score;
    const std::uint8_t* lenient;  // where it finds nothing it does not count; null: no guess is
};

struct Lanes {
    std::vector<double> bars;             // the least value that matches, one for each threshold
    std::vector<double> lowest, highest;  // of each range of areas, both included
    std::size_t count() const { return bars.size() * lowest.size(); }
    std::size_t words() const { return (count() + 63) / 64; }
};

// coco: the best truth that is free, counted ones first; of equals the last.
// voc: the best truth, free or not; of equals the first.
#define VESICA_MATCH_RULES(X) X(coco) X(voc)
VESICA_NAMED_ENUM(Rule, int, VESICA_MATCH_RULES);

struct Request {
    Lanes lanes;
    Rule rule;
    std::size_t images, categories;
    std::size_t limit;  // guesses of a cell that are looked at, best first
    bool is_plain;      // COCO's rule one lane and one truth at a time: the only way for values of NaN
    bool wants_partners;
    std::size_t threads;
};

// Cells by category, then image; those without guess and truth are left out. The guesses of a cell follow those of the
// one before, best first.
struct Records {
    std::vector<std::int64_t> categories;   // the first cell of each category, and the end
    memory::Vector<std::int32_t> image;     // of each cell
    memory::Vector<std::int32_t> guesses;   // of each cell: how many
    memory::Vector<std::int32_t> counted;   // (cells, area ranges): truths to be found
    memory::Vector<std::int32_t> row;       // of each guess
    memory::Vector<double> score;           // of each guess
    memory::Vector<Word> matched, ignored;  // (guesses, words)
    memory::Vector<std::int32_t> partner;   // (guesses, lanes): the row of its truth, or -1
    coco_masks::Fault fault;                // the first mask that cannot be read; then nothing else is of use
    coco_masks::Findings findings;
};

// Boxes are x, y, width, height.
Records of_boxes(const Request& request, const Truths& truths, const double* truth_boxes, const Guesses& guesses,
                 const double* guess_boxes);

// Masks, by their IoU, or by that of their boundaries where it is smaller. See cell_masks.hpp for `literal`.
Records of_masks(const Request& request, const Truths& truths, const coco_masks::Column& truth_masks,
                 const Guesses& guesses, const coco_masks::Column& guess_masks, bool boundary, bool literal);

// Pairs that were found beforehand, by guess: those of guess g are starts[g] ... starts[g + 1]. Pairs that are not
// listed share nothing. Areas of guesses must be given.
struct Pairs {
    const std::int64_t* starts;
    const std::int64_t* truth;  // of each pair: the row of its truth
    const double* value;
};

// Regions of any kind, by their pairs.
Records of_pairs(const Request& request, const Truths& truths, const Guesses& guesses, const Pairs& pairs);

// Who is near whom: in every cell the pairs whose value reaches the floor, by guess, then truth.
struct Near {
    memory::Vector<std::int64_t> starts;  // of each guess: its first pair; and the end
    memory::Vector<std::int32_t> truth;   // of each pair: the row of its truth
    memory::Vector<double> value;
    coco_masks::Fault fault;  // the first mask that cannot be read; then nothing else is of use
};

// The cells to look at. Every guess of a cell is looked at, and no lane.
struct Places {
    std::size_t images, categories, threads;
    double floor;
};

Near near_boxes(const Places& places, const Truths& truths, const double* truth_boxes, const Guesses& guesses,
                const double* guess_boxes);
Near near_masks(const Places& places, const Truths& truths, const coco_masks::Column& truth_masks,
                const Guesses& guesses, const coco_masks::Column& guess_masks, bool boundary, bool literal);

}  // namespace vesica::match_cells

// cell_masks.hpp. The masks of one cell, the truths and guesses of one image and category, and how far they overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "dataset/coco_masks.hpp"

namespace vesica {

// A truth that a guess may be matched with.
struct Candidate {
    double iou;
    std::uint32_t truth;  // its place in the cell
};

}  // namespace vesica

namespace vesica::coco_masks {

// Scores guesses against truths. One object serves one thread, cell after cell; memory is kept.
class Masks {
  public:
    // crowd: a byte for each truth of the column, or null. literal: what pycocotools answers, also where it is wrong.
    Masks(const Column& truths, const Column& guesses, const std::uint8_t* crowd, bool literal);

    // The truths of the next cell, by row.
    void open(const std::uint32_t* truths, std::size_t count);
    // Append the truths whose IoU with the guess reaches the floor, in order; all of them if the floor is not positive.
    void compare(std::uint32_t guess, double floor, std::vector<Candidate>& found);
    // The pixels of a guess.
    double area(std::uint32_t guess);

    // Of all rows so far the first with a fault, if any has one. Such rows count as empty masks.
    const Fault& fault() const { return fault_; }
    // Rows that were put right; each is counted once if all calls for a guess come in a row.
    const Findings& findings() const { return findings_; }

    // For boundary.hpp: the shapes that the last calls made.
    std::size_t count() const { return count_; }
    bool is_crowd(std::size_t truth) const { return crowd_ && crowd_[rows_[truth]]; }
    const Shape& truth(std::size_t truth) const { return truths_[truth]; }
    const Shape& guess() const { return guess_; }

  private:
    static constexpr std::int64_t no_row = -1;

    void load(std::uint32_t guess);
    void note(Fault fault, Side side, std::uint32_t row);
    void tally(const Shape& shape);
    double iou(std::size_t truth, double floor);
    double literal_iou(std::size_t truth);

    Column truth_column_, guess_column_;
    const std::uint8_t* crowd_;
    bool literal_;
    Decoder decoder_;
    std::vector<Shape> truths_;
    std::vector<std::uint32_t> rows_;
    std::size_t count_ = 0;
    Shape guess_;
    std::int64_t guess_row_ = no_row;
    Shape spare_;  // a guess of which only the area is wanted
    std::int64_t spare_row_ = no_row;
    Fault fault_;
    Findings findings_;
    interrupt::Steps steps_;
};

// One cell of all rows of two columns: out[g * truths + t] is the score of a pair, 0 below the floor.
template <class Scorer>
void matrix(Scorer& scorer, std::size_t guesses, std::size_t truths, double floor, double* out) {
    std::vector<std::uint32_t> rows(truths);
    for (std::size_t k = 0; k < truths; ++k) rows[k] = static_cast<std::uint32_t>(k);
    scorer.open(rows.data(), truths);
    std::vector<Candidate> found;
    for (std::size_t g = 0; g < guesses; ++g) {
        found.clear();
        scorer.compare(static_cast<std::uint32_t>(g), floor, found);
        std::fill_n(out + g * truths, truths, 0.0);
        for (const Candidate& one : found) out[g * truths + one.truth] = one.iou;
    }
}

}  // namespace vesica::coco_masks

// boundary.hpp. Boundary IoU: how far the seams of two masks overlap, the pixels near what is not the mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detection/cell_masks.hpp"

namespace vesica::coco_masks {

// How far from the background the seam reaches: two hundredths of the diagonal, rounded to the even one of two halves.
std::int64_t seam_width(std::int64_t height, std::int64_t width);

// The seam of a mask: the pixels with background, or the outside of the image, within a distance of `width` along
// both axes. As bits of the tight box, in the layout of pixels.hpp; the words behind them are of any content.
struct Seam {
    std::vector<std::uint64_t> words;
    std::int64_t area = 0;
    bool is_made = false;
};

// Scores guesses by the smaller of mask IoU and boundary IoU; against a crowd by mask IoU alone. The face of Masks.
class Boundaries {
  public:
    Boundaries(const Column& truths, const Column& guesses, const std::uint8_t* crowd, bool literal)
        : masks_(truths, guesses, crowd, literal) {}

    void open(const std::uint32_t* truths, std::size_t count);
    void compare(std::uint32_t guess, double floor, std::vector<Candidate>& found);
    double area(std::uint32_t guess) { return masks_.area(guess); }
    const Fault& fault() const { return masks_.fault(); }
    const Findings& findings() const { return masks_.findings(); }

  private:
    // How wide the seam is. The masks of a cell have one size, so it is seldom computed.
    std::int64_t width_of(const Shape& shape);
    // Is every pixel of it near an edge?
    bool is_all_seam(const Shape& shape);
    const Seam& made(const Shape& shape, Seam& seam);

    Masks masks_;
    std::vector<Seam> truths_;
    Seam guess_;
    std::vector<std::uint64_t> core_;                       // the pixels that are no seam
    std::int64_t height_ = 0, width_ = 0, seam_width_ = 1;  // of the last mask: its image, and its seam
};

}  // namespace vesica::coco_masks

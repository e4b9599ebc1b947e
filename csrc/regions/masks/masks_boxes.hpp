// masks_boxes.hpp. Boxes over masks: the area of a mask inside a box whose edges may cut pixels.
//
// A cut pixel counts in part. The columns of a box fall into at most three slices, one cut on the left, whole ones, one
// cut on the right; so do its rows. The shared area is the sum over all nine of their fields of pixels times weights:
// pixels are counted exactly, so the answer is the same however they are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/masks/pixels.hpp"

namespace vesica::masks_boxes {

// x1, y1, x2, y2 in double, as boxes::Rows; areas are those of the whole box, inside the image or not.
struct Boxes {
    explicit Boxes(boxes::Rows<double> rows);
    boxes::Box<double> operator[](std::size_t j) const { return boxes::box(rows.data + 4 * j); }

    boxes::Rows<double> rows;
    std::vector<double> area;
};

// Counts pixels of one mask in many windows. Each count costs time: by runs more than by bits, by bits more than by a
// table of sums. When counting has cost as much as the better form would have, that is made.
class Counter {
  public:
    Counter(const pixels::Stack& stack, const pixels::Mask& mask) : stack_(stack), mask_(mask) {}
    double inter(const boxes::Box<double>& box);

  private:
    std::int64_t count(const pixels::Window& window);
    void spend(const pixels::Window& window);
    void make_bits();
    void make_sums();

    pixels::Stack stack_;
    pixels::Mask mask_;
    std::size_t spent_ = 0;
    std::vector<std::uint64_t> words_;
    std::vector<std::int32_t> sums_;  // [x * (rows + 1) + y]: pixels left of x and above y
};

// Masks against boxes: a source of parts, see region_pairs.hpp.
class MasksBoxes {
  public:
    using Number = double;
    MasksBoxes(const pixels::Stack& a, boxes::Rows<double> b) : a_(a), b_(b) {}
    std::size_t n() const { return a_.count; }
    std::size_t m() const { return b_.rows.count; }
    Number area_a(std::size_t i) const { return static_cast<double>(a_.masks[i].area); }
    Number area_b(std::size_t j) const { return b_.area[j]; }
    boxes::Box<double> box_a(std::size_t i) const { return pixels::Masks::box(a_.masks[i]); }
    boxes::Box<double> box_b(std::size_t j) const { return b_[j]; }

    class Row {
      public:
        Row(const MasksBoxes& source, std::size_t i) : b_(source.b_), counter_(source.a_, source.a_.masks[i]) {}
        Number inter(std::size_t j) { return counter_.inter(b_[j]); }

      private:
        const Boxes& b_;
        Counter counter_;
    };

  private:
    pixels::Stack a_;
    Boxes b_;
};

// The same the other way round. Each pair is counted by itself.
class BoxesMasks {
  public:
    using Number = double;
    BoxesMasks(boxes::Rows<double> a, const pixels::Stack& b) : a_(a), b_(b) {}
    std::size_t n() const { return a_.rows.count; }
    std::size_t m() const { return b_.count; }
    Number area_a(std::size_t i) const { return a_.area[i]; }
    Number area_b(std::size_t j) const { return static_cast<double>(b_.masks[j].area); }
    boxes::Box<double> box_a(std::size_t i) const { return a_[i]; }
    boxes::Box<double> box_b(std::size_t j) const { return pixels::Masks::box(b_.masks[j]); }

    class Row {
      public:
        Row(const BoxesMasks& source, std::size_t i) : b_(source.b_), box_(source.a_[i]) {}
        Number inter(std::size_t j) { return Counter(b_, b_.masks[j]).inter(box_); }

      private:
        const pixels::Stack& b_;
        boxes::Box<double> box_;
    };

  private:
    Boxes a_;
    pixels::Stack b_;
};

}  // namespace vesica::masks_boxes

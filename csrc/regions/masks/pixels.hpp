// pixels.hpp. Stacks of masks in the one form that kernels read, whatever they were before.
//
// Positions run down the columns of an image of `height` rows: position = x * height + y. Each mask is cut to its box,
// and is either
//   bits: bands of 64 rows, counted from the top of the image; word (band, column) has one bit for each of them; or
//   runs: starts and ends of stretches of positions, sorted, not touching each other.
// Runs serve where bits would be mostly zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "regions/boxes.hpp"
#include "regions/masks/bits.hpp"
#include "regions/masks/runs.hpp"

namespace vesica::pixels {

using Run = runs::LongRun;

// One row of the table.
struct Mask {
    std::int64_t area, x1, y1, x2, y2;  // the box is half-open; all 0 for an empty mask
    std::int64_t word;                  // its first word, or -1: it has runs
    std::int64_t run, end;              // its runs

    bool has_bits() const { return word >= 0; }
    bool has_runs() const { return run < end; }
    std::size_t columns() const { return static_cast<std::size_t>(x2 - x1); }
    std::int64_t band() const { return y1 >> 6; }
    std::size_t bands() const { return area ? static_cast<std::size_t>(((y2 - 1) >> 6) - band() + 1) : 0; }
    std::size_t words() const { return bands() * columns(); }
};

struct Stack {
    const Mask* masks;
    std::size_t count;
    const std::uint64_t* words;
    const Run* runs;
    std::int64_t height, width;
};

// A stack that owns its memory. Words and runs are taken when they are known to be so many.
struct Owned {
    std::unique_ptr<Mask[]> masks;
    std::size_t count = 0;
    std::unique_ptr<std::uint64_t[]> words;
    std::size_t word_count = 0;
    std::unique_ptr<Run[]> runs;
    std::size_t run_count = 0;
};

// One mask while it is made: words or runs.
struct Made {
    std::unique_ptr<std::uint64_t[]> words;
    std::size_t word_count = 0;
    std::vector<Run> runs;
};

// Masks that were made one by one, all behind each other. Sets where the words and runs of each are.
Owned gathered(std::unique_ptr<Mask[]> masks, std::vector<Made>& made);

// The set bits of a mask, whose box is known.
std::int64_t area_of(const std::uint64_t* words, const Mask& mask);

// A whole number of pixels: [x1, x2) x [y1, y2).
struct Window {
    std::int64_t x1, y1, x2, y2;
};

// Do the boxes of two masks meet?
inline bool meet(const Mask& a, const Mask& b) {
    // & and not &&: most pairs of a picture are apart, in no order that a processor could guess.
    return (a.x1 < b.x2) & (b.x1 < a.x2) & (a.y1 < b.y2) & (b.y1 < a.y2);
}

// The pixels that two masks of one image share.
std::int64_t shared(const Stack& a, const Mask& mask_a, const Stack& b, const Mask& mask_b);

// The pixels of a mask inside the window, which lies within its box.
std::int64_t inside(const Stack& stack, const Mask& mask, const Window& window);

// The column that a position is in. Asked for positions that rise, mostly to the next column: it seldom divides.
struct Column {
    std::int64_t height, x = 0, top = 0;  // top: the first position of column x

    void seek(std::int64_t position) {
        if (position - top < height) return;
        ++x, top += height;
        if (position - top >= height) x = position / height, top = x * height;
    }
};

// Call visit(x, y1, y2) for each column that the run covers, in columns [x1, x2).
template <class Visit>
void each_column(Run run, std::int64_t height, std::int64_t x1, std::int64_t x2, const Visit& visit) {
    run.begin = std::max(run.begin, x1 * height), run.end = std::min(run.end, x2 * height);
    if (run.begin >= run.end) return;
    Column column{height};
    for (column.seek(run.begin); run.begin < run.end; run.begin = column.top += height, ++column.x)
        visit(column.x, run.begin - column.top, std::min(run.end - column.top, height));
}

// Sets the bits of runs that rise, in the words of a box that they lie in. `words` is word (first band, x1).
class Painter {
  public:
    Painter(std::uint64_t* words, const Mask& box, std::int64_t height)
        : words_(words), box_(box), stride_(box.columns()), column_{height} {}
    void add(Run run);

  private:
    std::uint64_t* words_;
    const Mask& box_;
    std::size_t stride_;
    Column column_;
};

// The bits of a mask that has runs, into the words of its box.
void paint(const Stack& stack, const Mask& mask, std::uint64_t* words);

// The runs of a mask that has bits, in order.
void runs_of(const std::uint64_t* words, const Mask& mask, std::int64_t height, std::vector<Run>& runs);

// The area and the box of a mask that is given by its runs, one after the other.
class Extent {
  public:
    explicit Extent(std::int64_t height) : column_{height} {}
    void add(Run run);
    // `word`, `run` and `end` are left to the caller.
    Mask mask() const;

  private:
    Column column_;
    std::int64_t area_ = 0, left_ = 0, last_ = 0, top_ = INT64_MAX, bottom_ = 0;
};

// The same of all runs at once, where their area is known.
Mask extent_of(const runs::ShortRun* runs, std::size_t count, std::int64_t height, std::int64_t area);

// A stack of runs some of whose masks have bits as well.
class Painted {
  public:
    // Makes bits for those of the masks that are wanted, where words are not many more than runs. They must have runs.
    Painted(const Stack& stack, const std::vector<bool>& is_wanted, std::size_t threads);
    Stack stack() const {
        return {masks_.data(), masks_.size(), words_.get(), stack_.runs, stack_.height, stack_.width};
    }

  private:
    Stack stack_;
    std::vector<Mask> masks_;
    std::unique_ptr<std::uint64_t[]> words_;
};

// The boxes of masks by column, as vector instructions want them. Sides of images are below 2^30.
class Corners {
  public:
    explicit Corners(const Stack& stack);
    // Which boxes meet this one? In rising order.
    void meeting(const Mask& mask, std::vector<std::uint32_t>& found) const;

  private:
    std::size_t count_;
    std::vector<std::int32_t> numbers_;  // all x1, then all y1, x2, y2
};

// Masks against masks: a source of parts, see region_pairs.hpp.
class Masks {
  public:
    using Number = std::int64_t;
    Masks(const Stack& a, const Stack& b) : a_(a), b_(b) {}
    // Every pair is going to be looked at: masks of runs that will meet several others get bits.
    void prepare(std::size_t threads);
    bool all_have_area() const { return all_have_area_; }
    std::size_t steps() const { return steps_; }
    std::size_t n() const { return a_.count; }
    std::size_t m() const { return b_.count; }
    Number area_a(std::size_t i) const { return a_.masks[i].area; }
    Number area_b(std::size_t j) const { return b_.masks[j].area; }
    boxes::Box<double> box_a(std::size_t i) const { return box(a_.masks[i]); }
    boxes::Box<double> box_b(std::size_t j) const { return box(b_.masks[j]); }

    class Row {
      public:
        Row(const Masks& source, std::size_t i) : source_(source), a_(source.a_), b_(source.b_), mask_(a_.masks[i]) {}
        // Those that it may share pixels with. The source is prepared.
        void partners(std::vector<std::uint32_t>& found) const { source_.corners_->meeting(mask_, found); }
        Number inter(std::size_t j) {
            const Mask& other = b_.masks[j];
            return meet(mask_, other) ? shared(a_, mask_, b_, other) : 0;
        }

      private:
        const Masks& source_;
        const Stack &a_, &b_;
        const Mask& mask_;
    };

    static boxes::Box<double> box(const Mask& mask) {
        return {static_cast<double>(mask.x1), static_cast<double>(mask.y1), static_cast<double>(mask.x2),
                static_cast<double>(mask.y2)};
    }

  private:
    Stack a_, b_;
    std::unique_ptr<Painted> painted_a_, painted_b_;
    std::unique_ptr<Corners> corners_;  // of b
    bool all_have_area_ = false;
    std::size_t steps_ = 0;
};

}  // namespace vesica::pixels

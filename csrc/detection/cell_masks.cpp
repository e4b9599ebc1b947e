#include "detection/cell_masks.hpp"

#include <algorithm>

namespace vesica::coco_masks {
namespace {

bool meet(const Shape& a, const Shape& b) {
    return (a.x1 < b.x2) & (b.x1 < a.x2) & (a.y1 < b.y2) & (b.y1 < a.y2);
}

// No more pixels than these are shared.
std::int64_t most_shared(const Shape& a, const Shape& b) {
    const std::int64_t columns = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
    const std::int64_t rows = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
    return std::min({a.area, b.area, columns * rows});
}

std::int64_t shared(const Shape& a, const Shape& b) {
    // Only the columns that both have.
    const std::int64_t from = std::max(a.x1, b.x1) * a.height, to = std::min(a.x2, b.x2) * a.height;
    const auto between = [&](const Shape& shape) {
        return runs::between(shape.runs.data(), shape.runs.data() + shape.runs.size(), from, to);
    };
    return runs::count_shared(between(a), between(b));
}

// The counts of a mask one after the other, as they were written.
class Reader {
  public:
    explicit Reader(const Shape& shape)
        : shape_(shape), total_(shape.is_literal ? shape.counts.size() : canonical_counts()) {
        left_ = count(at_++);
    }
    std::int64_t left() const { return left_; }
    bool is_set() const { return is_set_; }
    // Go on; true if the next count was begun.
    bool take(std::int64_t pixels) {
        left_ -= pixels;
        if (left_ || at_ >= total_) return false;
        left_ = count(at_++), is_set_ = !is_set_;
        return true;
    }

  private:
    std::int64_t pixels() const { return shape_.height * shape_.width; }
    std::size_t canonical_counts() const {
        const std::size_t runs = shape_.runs.size();
        return 2 * runs + (runs == 0 || shape_.runs.back().end < pixels());
    }
    std::int64_t count(std::size_t k) const {
        if (shape_.is_literal) return shape_.counts[k];
        const std::size_t run = k / 2;
        if (k % 2) return shape_.runs[run].end - shape_.runs[run].begin;
        const std::int64_t begin = run < shape_.runs.size() ? shape_.runs[run].begin : pixels();
        return begin - (run ? shape_.runs[run - 1].end : 0);
    }

    const Shape& shape_;
    std::size_t total_, at_ = 0;
    std::int64_t left_ = 0;
    bool is_set_ = false;
};

}  // namespace

Masks::Masks(const Column& truths, const Column& guesses, const std::uint8_t* crowd, bool literal)
    : truth_column_(truths), guess_column_(guesses), crowd_(crowd), literal_(literal), decoder_(literal) {}

void Masks::open(const std::uint32_t* truths, std::size_t count) {
    rows_.assign(truths, truths + count);
    count_ = count;
    if (truths_.size() < count) truths_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        note(decoder_.decode(truth_column_, rows_[k], truths_[k]), Side::truth, rows_[k]);
        tally(truths_[k]);
        steps_.add(steps_.of_regions);
    }
}

void Masks::note(Fault fault, Side side, std::uint32_t row) {
    if (!fault) return;
    fault.side = side, fault.row = row;
    if (fault.before(fault_)) fault_ = fault;
}

void Masks::tally(const Shape& shape) {
    findings_.short_counts += shape.is_short, findings_.no_area += shape.has_no_area;
}

void Masks::load(std::uint32_t guess) {
    if (guess_row_ == guess) return;
    guess_row_ = guess;
    note(decoder_.decode(guess_column_, guess, guess_), Side::guess, guess);
    if (spare_row_ != guess) tally(guess_);
}

double Masks::area(std::uint32_t guess) {
    if (guess_row_ == guess) return static_cast<double>(guess_.area);
    if (spare_row_ != guess) {
        spare_row_ = guess;
        note(decoder_.read(guess_column_, guess, spare_), Side::guess, guess);
        tally(spare_);
    }
    return static_cast<double>(spare_.area);
}

void Masks::compare(std::uint32_t guess, double floor, std::vector<Candidate>& found) {
    load(guess);
    steps_.add(steps_.of_regions);
    for (std::size_t k = 0; k < count_; ++k) {
        steps_.add(steps_.of_regions / 4);
        const double value = iou(k, floor);
        if (floor <= 0 || value >= floor) found.push_back({value, static_cast<std::uint32_t>(k)});
    }
}

// The IoU; 0 where it is below a positive floor and a bound shows it.
double Masks::iou(std::size_t k, double floor) {
    const Shape& truth = truths_[k];
    const bool is_near = meet(guess_, truth);
    if (guess_.area && truth.area && (guess_.height != truth.height || guess_.width != truth.width)) {
        if (literal_) return is_near ? -1 : 0;
        Fault differ;
        differ.kind = Kind::sizes_differ, differ.other = rows_[k];
        const std::int64_t sizes[] = {guess_.height, guess_.width, truth.height, truth.width};
        std::copy_n(sizes, 4, differ.size);
        note(differ, Side::guess, static_cast<std::uint32_t>(guess_row_));
        return 0;
    }
    if (!is_near) return 0;
    if (guess_.is_literal || truth.is_literal) return literal_iou(k);
    // One division of whole numbers. More shared pixels never give less, also when rounded: bounds are safe.
    const auto share = [&](std::int64_t pixels) {
        const std::int64_t all = is_crowd(k) ? guess_.area : guess_.area + truth.area - pixels;
        return static_cast<double>(pixels) / static_cast<double>(all);
    };
    if (floor > 0 && share(most_shared(guess_, truth)) < floor) return 0;
    return share(shared(guess_, truth));
}

// Both lists of counts are walked side by side, each taking up at most one new count in a step. As in pycocotools
// the walk ends when the current counts of both are used up, which counts of 0 bring about too early.
double Masks::literal_iou(std::size_t k) {
    Reader a(guess_), b(truths_[k]);
    std::int64_t both = 0, either = 0;
    do {
        const std::int64_t step = std::min(a.left(), b.left());
        if (a.is_set() && b.is_set()) both += step;
        if (a.is_set() || b.is_set()) either += step;
        const bool a_moves = a.take(step), b_moves = b.take(step);
        if (!step && !a_moves && !b_moves) {
            Fault endless;
            endless.kind = Kind::endless, endless.other = rows_[k];
            note(endless, Side::guess, static_cast<std::uint32_t>(guess_row_));
            return 0;
        }
    } while (a.left() + b.left());
    if (!both) return 0;
    return static_cast<double>(both) / static_cast<double>(is_crowd(k) ? guess_.area : either);
}

}  // namespace vesica::coco_masks

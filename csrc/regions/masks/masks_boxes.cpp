#include "regions/masks/masks_boxes.hpp"

#include <algorithm>
#include <cmath>

namespace vesica::masks_boxes {
namespace {

using pixels::Mask;
using pixels::Window;

// Pixels [begin, end) along one axis, each of which counts with this weight.
struct Slice {
    std::int64_t begin, end;
    double weight;
};

struct Slices {
    Slice slice[3];
    int count = 0;

    // [low, high) with low < high.
    Slices(double low, double high) {
        auto begin = static_cast<std::int64_t>(std::floor(low)), end = static_cast<std::int64_t>(std::ceil(high));
        if (low > static_cast<double>(begin)) {
            const double cut = std::min(static_cast<double>(begin + 1), high) - low;
            slice[count++] = {begin, begin + 1, cut};
            ++begin;
        }
        const bool is_cut = high < static_cast<double>(end) && begin < end;
        const std::int64_t whole = is_cut ? end - 1 : end;
        if (begin < whole) slice[count++] = {begin, whole, 1};
        if (is_cut) slice[count++] = {end - 1, end, high - static_cast<double>(end - 1)};
    }
    const Slice* begin() const { return slice; }
    const Slice* end() const { return slice + count; }
};

// Sums, or words, beyond which no table is made: 64 or 128 MB.
constexpr std::size_t most_sums = std::size_t(1) << 24;

}  // namespace

Boxes::Boxes(boxes::Rows<double> rows) : rows(rows), area(rows.count) {
    for (std::size_t j = 0; j < rows.count; ++j) {
        const boxes::Box<double> box = (*this)[j];
        area[j] = box.w() * box.h();
    }
}

double Counter::inter(const boxes::Box<double>& box) {
    const double left = static_cast<double>(mask_.x1), right = static_cast<double>(mask_.x2);
    const double top = static_cast<double>(mask_.y1), bottom = static_cast<double>(mask_.y2);
    const double x1 = std::max(box.x1, left), x2 = std::min(box.x2, right);
    const double y1 = std::max(box.y1, top), y2 = std::min(box.y2, bottom);
    if (!(x1 < x2 && y1 < y2)) return 0;
    if (x1 == left && x2 == right && y1 == top && y2 == bottom) return static_cast<double>(mask_.area);
    const Slices columns(x1, x2), rows(y1, y2);
    double sum = 0;
    for (const Slice& across : columns) {
        double part = 0;
        for (const Slice& down : rows)
            part += down.weight * static_cast<double>(count({across.begin, down.begin, across.end, down.end}));
        sum += across.weight * part;
    }
    return sum;
}

std::int64_t Counter::count(const Window& window) {
    if (sums_.empty()) spend(window);
    if (sums_.empty()) return pixels::inside(stack_, mask_, window);
    const std::int64_t stride = mask_.y2 - mask_.y1 + 1;
    const std::int32_t* const left = sums_.data() + (window.x1 - mask_.x1) * stride;
    const std::int32_t* const right = sums_.data() + (window.x2 - mask_.x1) * stride;
    const std::int64_t top = window.y1 - mask_.y1, bottom = window.y2 - mask_.y1;
    return (right[bottom] - right[top]) - (left[bottom] - left[top]);
}

// About the processor's steps: a row of words is counted eight at a time, a run is a division or two, and sums take two
// for a pixel.
void Counter::spend(const Window& window) {
    const std::size_t pixels = mask_.columns() * static_cast<std::size_t>(mask_.y2 - mask_.y1);
    if (mask_.has_bits()) {
        const auto bands = static_cast<std::size_t>(((window.y2 - 1) >> 6) - (window.y1 >> 6) + 1);
        spent_ += 16 + bands * (8 + static_cast<std::size_t>(window.x2 - window.x1) / 8);
        if (spent_ > 2 * pixels && pixels <= most_sums) make_sums();
        return;
    }
    const auto runs = static_cast<std::size_t>(mask_.end - mask_.run);
    spent_ += 32 + 32 * runs * static_cast<std::size_t>(window.x2 - window.x1) / mask_.columns();
    if (spent_ > 16 * runs + mask_.words() && mask_.words() <= most_sums) make_bits();
}

void Counter::make_bits() {
    words_.resize(mask_.words());
    pixels::paint(stack_, mask_, words_.data());
    mask_.word = 0, stack_.words = words_.data(), spent_ = 0;
}

void Counter::make_sums() {
    const std::size_t columns = mask_.columns(), rows = static_cast<std::size_t>(mask_.y2 - mask_.y1);
    const std::size_t stride = rows + 1, skip = static_cast<std::size_t>(mask_.y1 & 63);
    sums_.resize((columns + 1) * stride);
    std::fill_n(sums_.begin(), stride, 0);
    for (std::size_t x = 0; x < columns; ++x) {
        const std::int32_t* VESICA_RESTRICT before = sums_.data() + x * stride;
        std::int32_t* VESICA_RESTRICT here = sums_.data() + (x + 1) * stride;
        std::int32_t sum = 0;
        here[0] = 0;
        for (std::size_t y = 0; y < rows; ++y) {
            const std::size_t at = y + skip;
            const std::uint64_t word = stack_.words[static_cast<std::size_t>(mask_.word) + (at >> 6) * columns + x];
            sum += static_cast<std::int32_t>(word >> (at & 63) & 1);
            here[y + 1] = before[y + 1] + sum;
        }
    }
}

}  // namespace vesica::masks_boxes

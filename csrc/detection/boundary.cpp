#include "detection/boundary.hpp"

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"
#include "base/simd.hpp"
#include "regions/masks/pixels.hpp"

namespace vesica::coco_masks {
namespace {

pixels::Mask mask_of(const Shape& shape) {
    return {shape.area, shape.x1, shape.y1, shape.x2, shape.y2, 0, 0, 0};
}

// So many words or a few more.
VESICA_INLINE std::size_t whole_vectors(std::size_t words) {
    return (words + 7) / 8 * 8;
}

// Bits in bands of 64 rows, `stride` words apart; a word has those of one column in one band. It is copied into loops
// that write words: the compiler cannot know that none of them is one of these numbers.
struct Bands {
    std::uint64_t* words;
    std::size_t bands, columns, stride;

    // Turn the bits of a column over, from this row to the end of its band; `fill` does so for the bands below.
    void toggle(std::size_t column, std::size_t row) const {
        words[row / 64 * stride + column] ^= ~std::uint64_t(0) << row % 64;
    }
};

// Where both ends of each run were toggled, set its bits: the last bit of a band tells whether a run goes on below.
VESICA_INLINE void fill(Bands at) {
    for (std::size_t b = 1; b < at.bands; ++b) {
        const std::uint64_t* VESICA_RESTRICT const above = at.words + (b - 1) * at.stride;
        std::uint64_t* VESICA_RESTRICT const row = at.words + b * at.stride;
        for (std::size_t c = 0; c < at.columns; ++c)
            row[c] ^= static_cast<std::uint64_t>(static_cast<std::int64_t>(above[c]) >> 63);
    }
}

struct Fill {
    static VESICA_INLINE void body(Bands at) { fill(at); }
};

// Words of one vector and of up to three others to its right, all of them read before one is written.
VESICA_INLINE void meet(std::uint64_t* at, std::size_t first, std::size_t second, std::size_t third) {
    std::uint64_t found[8];
    for (std::size_t k = 0; k < 8; ++k) found[k] = at[k] & at[k + first] & at[k + second] & at[k + third];
    for (std::size_t k = 0; k < 8; ++k) at[k] = found[k];
}

// Columns whose neighbours at distances 0 … reach to the right are set too. A pass takes four times as many as the one
// before: of few columns, what was written last is not yet where it can be read quickly. Only the first
// columns − reach can have such pixels; the others are of no use then. They and the eight words behind the last
// band are read and overwritten, so that a pass takes whole vectors.
VESICA_INLINE void narrow(Bands at, std::size_t reach) {
    for (std::size_t b = 0; b < at.bands; ++b) {
        std::uint64_t* const row = at.words + b * at.stride;
        for (std::size_t done = 0; done < reach;) {  // neighbours that are looked at already
            const std::size_t most = reach - done, first = std::min(done + 1, most),
                              second = std::min(2 * done + 2, most), third = std::min(3 * done + 3, most);
            done += third;
            for (std::size_t c = 0, count = at.columns - done; c < count; c += 8) meet(row + c, first, second, third);
        }
    }
}

// Take the core, which lies `width` columns too far left and as many rows too high, away from the mask.
VESICA_INLINE void subtract(Bands mask, Bands core, std::size_t width) {
    const std::size_t far = width / 64, shift = width % 64, count = mask.columns - 2 * width;
    for (std::size_t b = far; b < mask.bands; ++b) {
        std::uint64_t* VESICA_RESTRICT const row = mask.words + b * mask.stride + width;
        const std::uint64_t* VESICA_RESTRICT const high = core.words + (b - far) * core.stride;
        if (!shift)
            for (std::size_t c = 0; c < count; ++c) row[c] &= ~high[c];
        else if (b == far)
            for (std::size_t c = 0; c < count; ++c) row[c] &= ~(high[c] << shift);
        else
            for (std::size_t c = 0; c < count; ++c)
                row[c] &= ~(high[c] << shift | (high - core.stride)[c] >> (64 - shift));
    }
}

// From the ends of runs to the seam. The core begins as the mask without the last 2 * width rows of each run: the
// pixels without background within `width` above and below, moved up by `width`.
struct TakeSeam {
    static VESICA_INLINE void body(Bands mask, Bands core, std::size_t width) {
        fill(mask), fill(core);
        narrow(core, 2 * width);
        subtract(mask, core, width);
    }
};

}  // namespace

std::int64_t seam_width(std::int64_t height, std::int64_t width) {
    const auto square = [](std::int64_t side) { return static_cast<double>(side) * static_cast<double>(side); };
    const double reach = std::nearbyint(0.02 * std::sqrt(square(height) + square(width)));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(reach));
}

namespace {

// Bands of zeros, with a band and a vector more behind them.
Bands cleared(std::vector<std::uint64_t>& words, std::size_t bands, std::size_t columns, std::size_t stride) {
    words.assign((bands + 1) * stride + 8, 0);
    return {words.data(), bands, columns, stride};
}

// Call visit(column, begin, end) for each run and each column that it covers: counted from the left of the box, and
// rows from the top of its first band.
template <class Visit>
void each_column(const Shape& shape, const Visit& visit) {
    const std::int64_t height = shape.height, x1 = shape.x1, top = shape.y1 & ~std::int64_t(63);
    pixels::Column column{height};
    for (const Run *run = shape.runs.data(), *const end = run + shape.runs.size(); run != end; ++run) {
        column.seek(run->begin);
        std::int64_t y = run->begin - column.top, left = std::int64_t(run->end) - run->begin;
        for (std::int64_t x = column.x - x1; left > 0; ++x, y = 0) {
            const std::int64_t bottom = std::min(y + left, height);
            visit(static_cast<std::size_t>(x), static_cast<std::size_t>(y - top),
                  static_cast<std::size_t>(bottom - top));
            left -= bottom - y;
        }
    }
}

}  // namespace

std::int64_t Boundaries::width_of(const Shape& shape) {
    if (shape.height != height_ || shape.width != width_)
        height_ = shape.height, width_ = shape.width, seam_width_ = seam_width(height_, width_);
    return seam_width_;
}

bool Boundaries::is_all_seam(const Shape& shape) {
    return std::min(shape.x2 - shape.x1, shape.y2 - shape.y1) <= 2 * width_of(shape);
}

void Boundaries::open(const std::uint32_t* truths, std::size_t count) {
    masks_.open(truths, count);
    if (truths_.size() < count) truths_.resize(count);
    for (std::size_t k = 0; k < count; ++k) truths_[k].is_made = false;
}

const Seam& Boundaries::made(const Shape& shape, Seam& seam) {
    if (seam.is_made) return seam;
    interrupt::poll();
    const pixels::Mask mask = mask_of(shape);
    const auto width = static_cast<std::size_t>(width_of(shape));
    // A band more than there are rows for: where a run ends, the row behind it is toggled.
    const Bands all = cleared(seam.words, mask.bands(), mask.columns(), mask.columns());
    if (is_all_seam(shape)) {
        each_column(shape, [all](std::size_t column, std::size_t begin, std::size_t end) {
            all.toggle(column, begin), all.toggle(column, end);
        });
        simd::run<Fill>(all);
    } else {
        Bands core = cleared(core_, mask.bands(), mask.columns(), whole_vectors(mask.columns()));
        each_column(shape, [all, core, width](std::size_t column, std::size_t begin, std::size_t end) {
            all.toggle(column, begin), all.toggle(column, end);
            // Of a run that is too short nothing is left: what is toggled twice is as before.
            core.toggle(column, begin), core.toggle(column, std::max(begin + 2 * width, end) - 2 * width);
        });
        // Below the band in which the last run of the core ends, all is 0.
        core.bands = (static_cast<std::size_t>(mask.y2 - (mask.band() << 6)) - 2 * width) / 64 + 1;
        simd::run<TakeSeam>(all, core, width);
    }
    seam.area = pixels::area_of(seam.words.data(), mask);
    seam.is_made = true;
    return seam;
}

void Boundaries::compare(std::uint32_t guess, double floor, std::vector<Candidate>& found) {
    const std::size_t first = found.size();
    masks_.compare(guess, floor, found);
    guess_.is_made = false;
    std::size_t kept = first;
    for (std::size_t k = first; k < found.size(); ++k) {
        Candidate one = found[k];
        const Shape &a = masks_.guess(), &b = masks_.truth(one.truth);
        // Of two masks that are nothing but seam, both IoUs are the same.
        if (one.iou > 0 && !masks_.is_crowd(one.truth) && !(is_all_seam(a) && is_all_seam(b))) {
            const Seam &of_a = made(a, guess_), &of_b = made(b, truths_[one.truth]);
            const pixels::Mask mask_a = mask_of(a), mask_b = mask_of(b);
            const pixels::Stack left{&mask_a, 1, of_a.words.data(), nullptr, a.height, a.width};
            const pixels::Stack right{&mask_b, 1, of_b.words.data(), nullptr, b.height, b.width};
            const std::int64_t both = pixels::shared(left, mask_a, right, mask_b);
            one.iou = std::min(one.iou, static_cast<double>(both) / static_cast<double>(of_a.area + of_b.area - both));
        }
        if (floor <= 0 || one.iou >= floor) found[kept++] = one;
    }
    found.resize(kept);
}

}  // namespace vesica::coco_masks

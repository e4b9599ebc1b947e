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

// Bands of 64 rows; a word has the bits of one column in one of them.
struct Bands {
    std::uint64_t* words;
    std::size_t bands, columns;
};

// Pixels whose neighbours at distances 0 … reach, along one axis towards the end, are set too: in ever larger steps.
template <class Step>
VESICA_INLINE void narrow(std::size_t reach, const Step& step) {
    std::size_t done = 0;  // neighbours that are looked at already
    for (; 2 * done + 1 <= reach; done = 2 * done + 1) step(done + 1);
    if (done < reach) step(reach - done);
}

// The pixels of a mask that have no background within `width`, moved by `width` to the left and up. Only the
// first columns − 2 * width columns can have such pixels, and there must be some; the last 2 * width are of no use.
struct Erode {
    static VESICA_INLINE void body(Bands at, std::size_t width) {
        std::size_t count = at.columns;
        narrow(2 * width, [&](std::size_t step) {
            count -= step;
            for (std::size_t b = 0; b < at.bands; ++b) {
                std::uint64_t* const row = at.words + b * at.columns;
                for (std::size_t c = 0; c < count; ++c) row[c] &= row[c + step];
            }
        });
        narrow(2 * width, [&](std::size_t step) {
            const std::size_t far = step / 64, shift = step % 64;
            for (std::size_t b = 0; b < at.bands; ++b) {
                std::uint64_t* const row = at.words + b * at.columns;
                const std::uint64_t* const low = row + far * at.columns;
                if (b + far >= at.bands)
                    std::fill_n(row, count, 0);
                else if (b + far + 1 == at.bands)
                    for (std::size_t c = 0; c < count; ++c) row[c] &= low[c] >> shift;
                else if (!shift)
                    for (std::size_t c = 0; c < count; ++c) row[c] &= low[c];
                else
                    for (std::size_t c = 0; c < count; ++c)
                        row[c] &= low[c] >> shift | low[c + at.columns] << (64 - shift);
            }
        });
    }
};

// Take what `Erode` left away from the mask.
struct Subtract {
    static VESICA_INLINE void body(Bands at, const std::uint64_t* eroded, std::size_t width) {
        const std::size_t far = width / 64, shift = width % 64;
        for (std::size_t b = far; b < at.bands; ++b) {
            std::uint64_t* VESICA_RESTRICT const row = at.words + b * at.columns + width;
            const std::uint64_t* VESICA_RESTRICT const high = eroded + (b - far) * at.columns;
            const std::size_t count = at.columns - 2 * width;
            if (!shift)
                for (std::size_t c = 0; c < count; ++c) row[c] &= ~high[c];
            else if (b == far)
                for (std::size_t c = 0; c < count; ++c) row[c] &= ~(high[c] << shift);
            else
                for (std::size_t c = 0; c < count; ++c)
                    row[c] &= ~(high[c] << shift | (high - at.columns)[c] >> (64 - shift));
        }
    }
};

}  // namespace

std::int64_t seam_width(std::int64_t height, std::int64_t width) {
    const auto square = [](std::int64_t side) { return static_cast<double>(side) * static_cast<double>(side); };
    const double reach = std::nearbyint(0.02 * std::sqrt(square(height) + square(width)));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(reach));
}

namespace {

// Is every pixel of it near an edge?
bool is_all_seam(const Shape& shape) {
    return std::min(shape.x2 - shape.x1, shape.y2 - shape.y1) <= 2 * seam_width(shape.height, shape.width);
}

}  // namespace

void Boundaries::open(const std::uint32_t* truths, std::size_t count) {
    masks_.open(truths, count);
    if (truths_.size() < count) truths_.resize(count);
    for (std::size_t k = 0; k < count; ++k) truths_[k].is_made = false;
}

const Seam& Boundaries::made(const Shape& shape, Seam& seam) {
    if (seam.is_made) return seam;
    interrupt::poll();
    const pixels::Mask mask = mask_of(shape);
    seam.words.assign(mask.words(), 0);
    pixels::Painter painter(seam.words.data(), mask, shape.height);
    for (const Run& run : shape.runs) painter.add({run.begin, run.end});
    if (!is_all_seam(shape)) {
        scratch_ = seam.words;
        const auto reach = static_cast<std::size_t>(seam_width(shape.height, shape.width));
        simd::run<Erode>(Bands{scratch_.data(), mask.bands(), mask.columns()}, reach);
        simd::run<Subtract>(Bands{seam.words.data(), mask.bands(), mask.columns()}, scratch_.data(), reach);
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

#include "regions/masks/pixels.hpp"

#include <algorithm>
#include <bit>

#include "base/threads.hpp"

namespace vesica::pixels {
namespace {

using bits::word;

// Words that reading takes as long as one run. A vector instruction counts eight of them, a run costs a misprediction.
constexpr std::size_t words_per_run = 32;
// Words beyond which bits are made for fewer masks: 128 MB.
constexpr std::size_t most_words = std::size_t(1) << 24;

std::int64_t both_bits(const Stack& a, const Mask& mask_a, const Stack& b, const Mask& mask_b) {
    const std::int64_t x1 = std::max(mask_a.x1, mask_b.x1), x2 = std::min(mask_a.x2, mask_b.x2);
    const std::int64_t y1 = std::max(mask_a.y1, mask_b.y1), y2 = std::min(mask_a.y2, mask_b.y2);
    const std::int64_t first = y1 >> 6, last = (y2 - 1) >> 6;
    const auto block = [&](const Stack& stack, const Mask& mask) {
        const std::size_t columns = mask.columns();
        const std::uint64_t* words = stack.words + mask.word;
        return bits::Block{words + static_cast<std::size_t>(first - mask.band()) * columns + (x1 - mask.x1), columns};
    };
    return bits::count_both(block(a, mask_a), block(b, mask_b), static_cast<std::size_t>(last - first + 1),
                            static_cast<std::size_t>(x2 - x1));
}

std::pair<const Run*, const Run*> between(const Stack& stack, const Mask& mask, std::int64_t from, std::int64_t to) {
    return runs::between(stack.runs + mask.run, stack.runs + mask.end, from, to);
}

std::int64_t both_runs(const Stack& a, const Mask& mask_a, const Stack& b, const Mask& mask_b) {
    // Only the columns that both have.
    const std::int64_t from = std::max(mask_a.x1, mask_b.x1) * a.height;
    const std::int64_t to = std::min(mask_a.x2, mask_b.x2) * a.height;
    return runs::count_shared(between(a, mask_a, from, to), between(b, mask_b, from, to));
}

// Bits of one mask against runs of the other.
std::int64_t bits_and_runs(const Stack& a, const Mask& mask_a, const Stack& b, const Mask& mask_b) {
    const std::int64_t x1 = std::max(mask_a.x1, mask_b.x1), x2 = std::min(mask_a.x2, mask_b.x2);
    const auto [begin, end] = between(b, mask_b, x1 * a.height, x2 * a.height);
    std::int64_t sum = 0;
    for (const Run* run = begin; run != end; ++run)
        each_column(*run, a.height, x1, x2, [&](std::int64_t x, std::int64_t y1, std::int64_t y2) {
            y1 = std::max(y1, mask_a.y1), y2 = std::min(y2, mask_a.y2);
            if (y1 < y2) sum += inside(a, mask_a, {x, y1, x + 1, y2});
        });
    return sum;
}

struct Box {
    std::int32_t x1, y1, x2, y2;
};

// A byte for each box: does it meet the given one? The columns lie `stride` numbers behind each other.
struct FindMeeting {
    static VESICA_INLINE void body(const std::int32_t* columns, std::size_t stride, std::size_t count, Box box,
                                   std::uint8_t* VESICA_RESTRICT out) {
        const std::int32_t *VESICA_RESTRICT x1 = columns, *VESICA_RESTRICT y1 = columns + stride;
        const std::int32_t *VESICA_RESTRICT x2 = columns + 2 * stride, *VESICA_RESTRICT y2 = columns + 3 * stride;
        for (std::size_t j = 0; j < count; ++j)
            out[j] = (box.x1 < x2[j]) & (x1[j] < box.x2) & (box.y1 < y2[j]) & (y1[j] < box.y2);
    }
};

// The rows that runs cover. A run that goes on in the next column has the last row and the first.
struct FindRows {
    static VESICA_INLINE void body(const runs::ShortRun* VESICA_RESTRICT runs, std::size_t count, std::int64_t height,
                                   std::int64_t* rows) {
        const auto tall = static_cast<std::int32_t>(height);
        const double share = 1.0 / static_cast<double>(height);
        std::int32_t top = INT32_MAX, bottom = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const auto begin = static_cast<std::int32_t>(runs[k].begin), end = static_cast<std::int32_t>(runs[k].end);
            // Half a pixel keeps the quotient away from whole numbers by more than it is rounded.
            const auto column = static_cast<std::int32_t>((static_cast<double>(begin) + 0.5) * share);
            const std::int32_t first = begin - column * tall, last = end - column * tall;
            const bool goes_on = last > tall;
            top = std::min(top, goes_on ? 0 : first), bottom = std::max(bottom, goes_on ? tall : last);
        }
        rows[0] = top, rows[1] = bottom;
    }
};

// The pixels of the window whose position is below p.
std::int64_t before(const Window& window, std::int64_t height, std::int64_t p) {
    const std::int64_t x = p / height, y = p - x * height;
    const std::int64_t rows = window.y2 - window.y1;
    const std::int64_t whole = std::clamp(x, window.x1, window.x2) - window.x1;
    const bool cut = x >= window.x1 && x < window.x2;
    return whole * rows + (cut ? std::clamp(y, window.y1, window.y2) - window.y1 : 0);
}

}  // namespace

std::int64_t shared(const Stack& a, const Mask& mask_a, const Stack& b, const Mask& mask_b) {
    if (mask_a.has_bits() && mask_b.has_bits()) return both_bits(a, mask_a, b, mask_b);
    if (mask_a.has_runs() && mask_b.has_runs()) return both_runs(a, mask_a, b, mask_b);
    return mask_a.has_bits() ? bits_and_runs(a, mask_a, b, mask_b) : bits_and_runs(b, mask_b, a, mask_a);
}

std::int64_t inside(const Stack& stack, const Mask& mask, const Window& window) {
    if (!mask.has_bits()) {
        const auto [begin, end] = between(stack, mask, window.x1 * stack.height, window.x2 * stack.height);
        std::int64_t sum = 0;
        for (const Run* run = begin; run != end; ++run)
            sum += before(window, stack.height, run->end) - before(window, stack.height, run->begin);
        return sum;
    }
    const std::size_t columns = mask.columns();
    const std::int64_t first = window.y1 >> 6, last = (window.y2 - 1) >> 6;
    const std::uint64_t* words = stack.words + mask.word + static_cast<std::size_t>(first - mask.band()) * columns;
    const std::uint64_t top = ~bits::low(static_cast<std::size_t>(window.y1 & 63));
    const std::uint64_t bottom = bits::low(static_cast<std::size_t>((window.y2 - 1) & 63) + 1);
    return bits::count_under({words + (window.x1 - mask.x1), columns}, static_cast<std::size_t>(last - first + 1),
                             static_cast<std::size_t>(window.x2 - window.x1), top, bottom);
}

void Painter::add(Run run) {
    const std::int64_t height = column_.height;
    column_.seek(run.begin);
    std::int64_t y = run.begin - column_.top, left = run.end - run.begin;
    for (std::int64_t x = column_.x; left > 0; ++x, y = 0) {
        const std::int64_t end = std::min(y + left, height);
        left -= end - y;
        const std::int64_t first = y >> 6, last = (end - 1) >> 6;
        std::uint64_t* at = words_ + static_cast<std::size_t>(first - box_.band()) * stride_ + (x - box_.x1);
        const std::uint64_t top = ~bits::low(static_cast<std::size_t>(y & 63));
        const std::uint64_t bottom = bits::low(static_cast<std::size_t>((end - 1) & 63) + 1);
        if (first == last) {
            *at |= top & bottom;
            continue;
        }
        *at |= top;
        for (std::int64_t band = first + 1; band < last; ++band) *(at += stride_) = ~0ull;
        *(at += stride_) |= bottom;
    }
}

void runs_of(const std::uint64_t* words, const Mask& mask, std::int64_t height, std::vector<Run>& runs) {
    const std::size_t columns = mask.columns(), bands = mask.bands(), before_all = runs.size();
    for (std::size_t c = 0; c < columns; ++c) {
        const std::int64_t top = (mask.x1 + static_cast<std::int64_t>(c)) * height + (mask.band() << 6);
        bool open = false;
        for (std::size_t b = 0; b < bands; ++b) {
            const std::uint64_t here = words[b * columns + c];
            // Where a bit differs from the one above it, a run begins or ends.
            std::uint64_t edges = here ^ (here << 1 | static_cast<std::uint64_t>(open));
            open = here >> 63;
            const std::int64_t base = top + static_cast<std::int64_t>(b * word);
            for (; edges; edges &= edges - 1) {
                const std::int64_t at = base + std::countr_zero(edges);
                if (here >> std::countr_zero(edges) & 1) {
                    // A run that goes on at the top of the next column is one run.
                    if (runs.size() > before_all && runs.back().end == at)
                        runs.back().end = -1;
                    else
                        runs.push_back({at, -1});
                } else {
                    runs.back().end = at;
                }
            }
        }
        if (open) runs.back().end = top + static_cast<std::int64_t>(bands * word);
    }
}

Owned gathered(std::unique_ptr<Mask[]> masks, std::vector<Made>& made) {
    Owned out;
    out.count = made.size(), out.masks = std::move(masks);
    for (std::size_t n = 0; n < made.size(); ++n) {
        Mask& mask = out.masks[n];
        mask.word = made[n].word_count ? static_cast<std::int64_t>(out.word_count) : -1;
        mask.run = static_cast<std::int64_t>(out.run_count);
        out.word_count += made[n].word_count, out.run_count += made[n].runs.size();
        mask.end = static_cast<std::int64_t>(out.run_count);
    }
    out.words = std::make_unique_for_overwrite<std::uint64_t[]>(out.word_count);
    out.runs = std::make_unique_for_overwrite<Run[]>(out.run_count);
    for (std::size_t n = 0; n < made.size(); ++n) {
        if (made[n].word_count)
            std::copy_n(made[n].words.get(), made[n].word_count, out.words.get() + out.masks[n].word);
        std::copy(made[n].runs.begin(), made[n].runs.end(), out.runs.get() + out.masks[n].run);
        made[n] = {};  // its memory is not needed twice
    }
    return out;
}

std::int64_t area_of(const std::uint64_t* words, const Mask& mask) {
    return bits::count_under({words, mask.columns()}, mask.bands(), mask.columns(), ~0ull, ~0ull);
}

void Extent::add(Run run) {
    column_.seek(run.begin);
    if (!area_) left_ = column_.x;
    area_ += run.end - run.begin, last_ = run.end;
    const std::int64_t begin = run.begin - column_.top, end = run.end - column_.top;
    const bool goes_on = end > column_.height;  // into the next column
    top_ = std::min(top_, goes_on ? 0 : begin), bottom_ = std::max(bottom_, goes_on ? column_.height : end);
}

Mask Extent::mask() const {
    if (!area_) return {0, 0, 0, 0, 0, -1, 0, 0};
    return {area_, left_, top_, (last_ - 1) / column_.height + 1, bottom_, -1, 0, 0};
}

Mask extent_of(const runs::ShortRun* runs, std::size_t count, std::int64_t height, std::int64_t area) {
    if (!count) return {0, 0, 0, 0, 0, -1, 0, 0};
    if (runs[count - 1].end > INT32_MAX) {
        Extent extent(height);
        for (std::size_t k = 0; k < count; ++k) extent.add({runs[k].begin, runs[k].end});
        return extent.mask();
    }
    std::int64_t rows[2];
    simd::run<FindRows>(runs, count, height, &rows[0]);
    return {area, runs[0].begin / height, rows[0], (runs[count - 1].end - 1) / height + 1, rows[1], -1, 0, 0};
}

Painted::Painted(const Stack& stack, const std::vector<bool>& is_wanted, std::size_t threads)
    : stack_(stack), masks_(stack.masks, stack.masks + stack.count) {
    const auto runs = [&](std::size_t i) { return static_cast<std::size_t>(masks_[i].end - masks_[i].run); };
    std::size_t per_run = words_per_run;
    const auto gets_bits = [&](std::size_t i) { return is_wanted[i] && masks_[i].words() <= per_run * runs(i); };
    for (; per_run; per_run /= 2) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < stack.count; ++i) sum += gets_bits(i) ? masks_[i].words() : 0;
        if (sum <= most_words) break;
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i < stack.count; ++i) {
        if (!gets_bits(i)) continue;
        masks_[i].word = static_cast<std::int64_t>(total), total += masks_[i].words();
    }
    words_ = std::make_unique_for_overwrite<std::uint64_t[]>(total);
    threads::over(stack.count, 8, total > (1 << 14) ? threads : 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (masks_[i].has_bits()) paint(stack_, masks_[i], words_.get() + masks_[i].word);
    });
}

void paint(const Stack& stack, const Mask& mask, std::uint64_t* words) {
    std::fill_n(words, mask.words(), 0);
    Painter painter(words, mask, stack.height);
    for (std::int64_t r = mask.run; r < mask.end; ++r) painter.add(stack.runs[r]);
}

Corners::Corners(const Stack& stack) : count_(stack.count), numbers_(4 * stack.count) {
    for (std::size_t j = 0; j < count_; ++j) {
        const Mask& mask = stack.masks[j];
        const std::int64_t sides[4] = {mask.x1, mask.y1, mask.x2, mask.y2};
        for (std::size_t k = 0; k < 4; ++k) numbers_[k * count_ + j] = static_cast<std::int32_t>(sides[k]);
    }
}

void Corners::meeting(const Mask& mask, std::vector<std::uint32_t>& found) const {
    constexpr std::size_t tile = 256;
    std::uint64_t flags[tile / 8];
    std::uint8_t* const bytes = reinterpret_cast<std::uint8_t*>(flags);
    const Box box{static_cast<std::int32_t>(mask.x1), static_cast<std::int32_t>(mask.y1),
                  static_cast<std::int32_t>(mask.x2), static_cast<std::int32_t>(mask.y2)};
    found.clear();
    for (std::size_t from = 0; from < count_; from += tile) {
        const std::size_t count = std::min(tile, count_ - from);
        std::fill_n(flags, tile / 8, 0);
        simd::run<FindMeeting>(numbers_.data() + from, count_, count, box, bytes);
        for (std::size_t w = 0; w < (count + 7) / 8; ++w) {
            if (!flags[w]) continue;
            for (std::size_t j = 8 * w; j < std::min(count, 8 * w + 8); ++j)
                if (bytes[j]) found.push_back(static_cast<std::uint32_t>(from + j));
        }
    }
}

void Masks::prepare(std::size_t threads) {
    // Bits pay when a mask meets this many others: to draw a run takes as long as to merge it with those of eight.
    constexpr std::size_t several = 8;
    corners_ = std::make_unique<Corners>(b_);
    const auto all = [](const Stack& s, const auto& test) { return std::all_of(s.masks, s.masks + s.count, test); };
    const auto has_area = [](const Mask& mask) { return mask.area > 0; };
    const auto has_runs = [](const Mask& mask) { return !mask.has_bits(); };
    all_have_area_ = all(a_, has_area) && all(b_, has_area);
    const bool paint_a = all(a_, has_runs), paint_b = all(b_, has_runs);
    const bool is_self = a_.masks == b_.masks && a_.count == b_.count;
    if (!paint_a && !paint_b) return;
    std::vector<std::size_t> met_a(a_.count), met_b(b_.count);
    std::vector<std::uint32_t> partners;
    for (std::size_t i = 0; i < a_.count; ++i) {
        corners_->meeting(a_.masks[i], partners);
        met_a[i] = partners.size();
        for (const std::uint32_t j : partners) ++met_b[j];
    }
    const auto wanted = [](const std::vector<std::size_t>& met) {
        std::vector<bool> is_wanted(met.size());
        for (std::size_t k = 0; k < met.size(); ++k) is_wanted[k] = met[k] >= several;
        return is_wanted;
    };
    if (paint_a) painted_a_ = std::make_unique<Painted>(a_, wanted(met_a), threads), a_ = painted_a_->stack();
    if (paint_b && !is_self)
        painted_b_ = std::make_unique<Painted>(b_, wanted(met_b), threads), b_ = painted_b_->stack();
    if (is_self) b_ = a_;
    steps_ = a_.count * b_.count;
    for (std::size_t i = 0; i < a_.count; ++i) {
        const Mask& mask = a_.masks[i];
        const std::size_t runs = static_cast<std::size_t>(mask.end - mask.run);
        steps_ += met_a[i] * (mask.has_bits() ? 16 + mask.words() / 8 : 8 * runs);
    }
}

}  // namespace vesica::pixels

#include "regions/masks/sparse.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/threads.hpp"

namespace vesica::sparse {
namespace {

using pixels::Made;
using pixels::Mask;
using pixels::Run;

constexpr std::size_t grain = 1 << 16;
// Words that a pixel may cost: bits then take no more memory than the indices did.
constexpr std::size_t words_per_pixel = 3;

bool is_outside(std::int64_t index, std::int64_t size) {
    return static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(size);
}

// The smallest and the largest of some numbers.
struct Span {
    std::int64_t low = INT64_MAX, high = INT64_MIN;

    bool is_within(std::int64_t size) const { return low >= 0 && high < size; }
};

struct FindSpan {
    static VESICA_INLINE void body(const std::int64_t* VESICA_RESTRICT values, std::size_t count, Span* found) {
        std::int64_t low = INT64_MAX, high = INT64_MIN;
        for (std::size_t k = 0; k < count; ++k) low = lesser(low, values[k]), high = greater(high, values[k]);
        *found = {low, high};
    }
};

Span span(const std::int64_t* values, std::size_t count) {
    Span found;
    simd::run<FindSpan>(values, count, &found);
    return found;
}

// Does any number fall below the one before it?
struct FindFall {
    static VESICA_INLINE void body(const std::int64_t* VESICA_RESTRICT values, std::size_t count, bool* answer) {
        std::uint64_t any = 0;
        for (std::size_t k = 1; k < count; ++k) any |= values[k] < values[k - 1];
        *answer = any;
    }
};

bool is_sorted(const std::int64_t* values, std::size_t count, std::size_t threads) {
    std::atomic<bool> falls = false;
    threads::over(count, grain, threads, [&](std::size_t begin, std::size_t end) {
        bool here = false;
        simd::run<FindFall>(values + begin, std::min(end + 1, count) - begin, &here);
        if (here) falls = true;
    });
    return !falls;
}

// The pixels of each layer. Layers that come in order stay where they are, others are copied layer by layer.
class Layers {
  public:
    Layers(const Indices& at, std::int64_t n, std::size_t threads)
        : y_(at.y), x_(at.x), starts_(static_cast<std::size_t>(n) + 1) {
        if (is_sorted(at.n, at.count, threads)) {
            is_sound_ = !at.count || (at.n[0] >= 0 && at.n[at.count - 1] < n);
            std::size_t k = 0;
            for (std::size_t layer = 0; layer < starts_.size(); ++layer)
                starts_[layer] = k = static_cast<std::size_t>(
                    std::lower_bound(at.n + k, at.n + at.count, static_cast<std::int64_t>(layer)) - at.n);
            return;
        }
        is_sound_ = span(at.n, at.count).is_within(n);
        if (!is_sound_) return;
        for (std::size_t k = 0; k < at.count; ++k) ++starts_[static_cast<std::size_t>(at.n[k]) + 1];
        for (std::size_t layer = 1; layer < starts_.size(); ++layer) starts_[layer] += starts_[layer - 1];
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        copies_.resize(2 * at.count);
        std::int64_t *const y = copies_.data(), *const x = y + at.count;
        for (std::size_t k = 0; k < at.count; ++k) {
            const std::size_t to = next[static_cast<std::size_t>(at.n[k])]++;
            y[to] = at.y[k], x[to] = at.x[k];
        }
        y_ = y, x_ = x;
    }
    // Is every n the number of a layer? If not, there are no layers.
    bool is_sound() const { return is_sound_; }
    std::size_t size(std::size_t layer) const { return starts_[layer + 1] - starts_[layer]; }
    const std::int64_t* y(std::size_t layer) const { return y_ + starts_[layer]; }
    const std::int64_t* x(std::size_t layer) const { return x_ + starts_[layer]; }

  private:
    const std::int64_t *y_, *x_;
    std::vector<std::size_t> starts_;
    std::vector<std::int64_t> copies_;
    bool is_sound_ = true;
};

// Sorted, once each, neighbours joined.
std::vector<Run> runs_of(const std::int64_t* y, const std::int64_t* x, std::size_t count, std::int64_t height) {
    std::vector<std::int64_t> positions(count);
    for (std::size_t k = 0; k < count; ++k) positions[k] = x[k] * height + y[k];
    std::sort(positions.begin(), positions.end());
    std::vector<Run> runs;
    for (const std::int64_t p : positions) {
        if (runs.empty() || p > runs.back().end)
            runs.push_back({p, p + 1});
        else
            runs.back().end = p + 1;
    }
    return runs;
}

// The mask of some pixels, which lie in the box.
Made make(const std::int64_t* y, const std::int64_t* x, std::size_t count, std::int64_t height, Mask& mask) {
    Made made;
    if (mask.words() > words_per_pixel * count) {
        made.runs = runs_of(y, x, count, height);
        mask.area = 0;
        for (const Run& run : made.runs) mask.area += run.end - run.begin;
        return made;
    }
    made.word_count = mask.words();
    made.words = std::make_unique<std::uint64_t[]>(made.word_count);
    const std::size_t stride = mask.columns();
    // Word (band 0, column 0) of the image, which need not exist.
    const std::int64_t origin = -(mask.band() * static_cast<std::int64_t>(stride) + mask.x1);
    for (std::size_t k = 0; k < count; ++k)
        made.words[static_cast<std::size_t>((y[k] >> 6) * static_cast<std::int64_t>(stride) + x[k] + origin)] |=
            1ull << (y[k] & 63);
    mask.area = pixels::area_of(made.words.get(), mask);
    return made;
}

Finding first_outside(const Indices& at, const Size& size) {
    for (std::size_t k = 0; k < at.count; ++k) {
        if (is_outside(at.n[k], size.n)) return {0, k};
        if (is_outside(at.y[k], size.height)) return {1, k};
        if (is_outside(at.x[k], size.width)) return {2, k};
    }
    return {};
}

// The columns inside, as three rows behind each other.
std::vector<std::int64_t> kept(const Indices& at, const Size& size) {
    std::vector<std::int64_t> rows;
    const auto is_kept = [&](std::size_t k) {
        return !is_outside(at.n[k], size.n) && !is_outside(at.y[k], size.height) && !is_outside(at.x[k], size.width);
    };
    for (const std::int64_t* row : {at.n, at.y, at.x})
        for (std::size_t k = 0; k < at.count; ++k)
            if (is_kept(k)) rows.push_back(row[k]);
    return rows;
}

}  // namespace

Finding pack(Indices at, Size size, bool drop, std::size_t threads, pixels::Owned& out) {
    const Layers layers(at, size.n, threads);
    std::atomic<bool> is_sound = layers.is_sound();
    const std::size_t count = is_sound ? static_cast<std::size_t>(size.n) : 0;
    auto masks = std::make_unique<Mask[]>(count);
    std::vector<Made> made(count);
    const std::size_t bundle = threads::at_least_one(grain / 4 * count / threads::at_least_one(at.count));
    threads::over(count, bundle, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) {
            const std::size_t pixels = layers.size(n);
            masks[n] = {0, 0, 0, 0, 0, -1, 0, 0};
            if (!pixels) continue;
            const Span y = span(layers.y(n), pixels), x = span(layers.x(n), pixels);
            if (!y.is_within(size.height) || !x.is_within(size.width)) {
                is_sound = false;
                return;
            }
            masks[n] = {1, x.low, y.low, x.high + 1, y.high + 1, -1, 0, 0};
            made[n] = make(layers.y(n), layers.x(n), pixels, size.height, masks[n]);
        }
    });
    if (is_sound) {
        out = pixels::gathered(std::move(masks), made);
        return {};
    }
    if (!drop) return first_outside(at, size);
    const std::vector<std::int64_t> rows = kept(at, size);
    const std::size_t inside = rows.size() / 3;
    return pack({rows.data(), rows.data() + inside, rows.data() + 2 * inside, inside}, size, false, threads, out);
}

}  // namespace vesica::sparse

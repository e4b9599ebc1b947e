// box_columns.hpp. Boxes by column, and the question which of them may share enough with one of them, many at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "regions/boxes.hpp"

namespace vesica::box_columns {

// Boxes are looked at by whole vectors, so columns are that much longer than what they hold.
constexpr std::size_t lanes = 16;

// F is float for boxes that are float, and double for all others.
template <class T>
using Filtered = std::conditional_t<std::is_same_v<T, float>, float, double>;

// Columns of float hold boxes of double as the next larger ones, so that no partner is missed: twice as many boxes are
// looked at at a time, and hardly more of them are found.
template <class F, class T>
constexpr bool is_rounded = sizeof(F) < sizeof(T);
// Without a branch, which would be taken for every other number: the floats of one sign have their bits in order.
template <class F, class T>
F rounded_down(T value) {
    const F found = static_cast<F>(value);
    if constexpr (!is_rounded<F, T>) return found;
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(found));
    const std::uint32_t away = found > value;
    return std::bit_cast<float>(bits >> 31 ? bits + away : bits - away);
}
template <class F, class T>
F rounded_up(T value) {
    if constexpr (!is_rounded<F, T>) return static_cast<F>(value);
    return -rounded_down<F>(-value);
}

// Corners; the least area that partners share with a box, some part of its own area; and whose box it is.
template <class F>
struct Lined {
    memory::Vector<F> x1, y1, x2, y2, share;
    memory::Vector<std::uint32_t> rows;

    explicit Lined(std::size_t count) : rows(count) {
        for (memory::Vector<F>* column : {&x1, &y1, &x2, &y2, &share}) column->resize(count + lanes);
    }
    template <class T>
    void put(std::size_t at, const boxes::Box<T>& box, std::uint32_t row, double part) {
        x1[at] = rounded_down<F>(box.x1), y1[at] = rounded_down<F>(box.y1);
        x2[at] = rounded_up<F>(box.x2), y2[at] = rounded_up<F>(box.y2);
        using Exact = std::conditional_t<is_rounded<F, T>, T, F>;  // a side may be too thin for a float
        const Exact w = static_cast<Exact>(box.w()), h = static_cast<Exact>(box.h());
        share[at] = static_cast<F>(static_cast<Exact>(part) * w * h);
        rows[at] = row;
    }
    void move(std::size_t from, std::size_t to) {
        x1[to] = x1[from], y1[to] = y1[from], x2[to] = x2[from], y2[to] = y2[from];
        share[to] = share[from], rows[to] = rows[from];
    }
};

// `slack` bounds the relative rounding error of a shared area. `least` is the smallest normal number: a product below
// it may lose bits, or be 0.
template <class F>
constexpr F slack = std::is_same_v<F, float> ? F(1e-5) : F(1e-12);
template <class F>
constexpr F least = std::numeric_limits<F>::min();

// What partners have in common: the least area that both of them ask for, or anything at all.
enum class Common { share, anything };

// Bit k, for each k: read from memory by whole vectors.
template <class Bits>
constexpr std::array<Bits, lanes> bit = [] {
    std::array<Bits, lanes> bits{};
    for (std::size_t k = 0; k < lanes; ++k) bits[k] = Bits(1) << k;
    return bits;
}();

// One box against sixteen at a time.
template <class F, Common common>
struct Asker {
    using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
    const Lined<F>& boxes;
    F left, top, right, bottom, mine;

    VESICA_INLINE Asker(const Lined<F>& boxes, std::size_t i)
        : boxes(boxes),
          left(boxes.x1[i]),
          top(boxes.y1[i]),
          right(boxes.x2[i]),
          bottom(boxes.y2[i]),
          mine(boxes.share[i]) {}

    // Add those of the sixteen from here on that may share enough.
    VESICA_INLINE std::size_t ask(std::size_t from, std::uint32_t* VESICA_RESTRICT found, std::size_t hits) const {
        const F *VESICA_RESTRICT x1 = boxes.x1.data() + from, *VESICA_RESTRICT y1 = boxes.y1.data() + from;
        const F *VESICA_RESTRICT x2 = boxes.x2.data() + from, *VESICA_RESTRICT y2 = boxes.y2.data() + from;
        [[maybe_unused]] const F* VESICA_RESTRICT share = boxes.share.data() + from;
        Bits bits = 0;  // bit k is set for the k-th of the sixteen
        for (std::size_t k = 0; k < lanes; ++k) {
            bool is_near;
            if constexpr (common == Common::anything) {
                is_near = (x1[k] < right) & (left < x2[k]) & (y1[k] < bottom) & (top < y2[k]);
            } else {
                const F w = lesser(right, x2[k]) - greater(left, x1[k]);
                const F h = lesser(bottom, y2[k]) - greater(top, y1[k]);
                const F area = w * h;
                is_near = (w > 0) & (h > 0) & (area + area * slack<F> + least<F> >= mine + share[k]);
            }
            bits |= -static_cast<Bits>(is_near) & bit<Bits>[k];
        }
        for (; bits; bits &= bits - 1)
            found[hits++] = static_cast<std::uint32_t>(from + static_cast<std::size_t>(std::countr_zero(bits)));
        return hits;
    }
};

template <class F, Common common>
struct Near {
    static VESICA_INLINE void body(const Lined<F>& boxes, std::size_t i, std::size_t begin, std::size_t end,
                                   std::uint32_t* VESICA_RESTRICT found, std::size_t* count) {
        const Asker<F, common> asker(boxes, i);
        std::size_t hits = 0;
        for (std::size_t from = begin; from < end; from += lanes) hits = asker.ask(from, found, hits);
        while (hits && found[hits - 1] >= end) --hits;
        *count = hits;
    }
};

template <class F, Common common>
struct NearBlocks {
    static VESICA_INLINE void body(const Lined<F>& boxes, std::size_t i, const std::uint32_t* blocks, std::size_t some,
                                   std::size_t end, std::uint32_t* VESICA_RESTRICT found, std::size_t* count) {
        const Asker<F, common> asker(boxes, i);
        std::size_t hits = 0;
        for (std::size_t k = 0; k < some; ++k) hits = asker.ask(blocks[k] * lanes, found, hits);
        while (hits && found[hits - 1] >= end) --hits;
        *count = hits;
    }
};

// Which of the boxes [begin, end) may have as much in common with box i? May pass too much, never too little. `found`
// has room for end − begin + lanes places; the number of them comes back.
template <Common common = Common::share, class F>
std::size_t near(const Lined<F>& boxes, std::size_t i, std::size_t begin, std::size_t end, std::uint32_t* found) {
    std::size_t count = 0;
    simd::run<Near<F, common>>(boxes, i, begin, end, found, &count);
    return count;
}

// The same among blocks of `lanes` boxes each, in rising order, of the boxes [0, end).
template <Common common = Common::share, class F>
std::size_t near(const Lined<F>& boxes, std::size_t i, const std::uint32_t* blocks, std::size_t some, std::size_t end,
                 std::uint32_t* found) {
    std::size_t count = 0;
    simd::run<NearBlocks<F, common>>(boxes, i, blocks, some, end, found, &count);
    return count;
}

}  // namespace vesica::box_columns

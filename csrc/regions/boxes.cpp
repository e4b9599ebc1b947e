#include "regions/boxes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>

#include "base/threads.hpp"
#include "base/top_k.hpp"

namespace vesica::boxes {
namespace {

// Pairs above which a second thread pays for its waking up.
constexpr std::size_t pairs_worth_threads = 1 << 16;
// Columns in a tile: five of them, as float, fit the first-level cache together with the output.
constexpr std::size_t tile = 1024;
// Bytes of output that one thread writes in a go: whole huge pages, so that two threads seldom share one.
constexpr std::size_t chunk_bytes = std::size_t(4) << 20;

using measures::needs_slope;

// Boxes by column, as vector instructions want them.
template <class T>
struct Columns {
    std::unique_ptr<T[]> numbers;
    std::unique_ptr<Real<T>[]> slopes;
    const T *x1, *y1, *x2, *y2, *area;
    const Real<T>* slope;
    std::size_t count;

    Columns(Rows<T> rows, bool with_slope) : numbers(new T[5 * rows.count + 1]), count(rows.count) {
        T* const to = numbers.get();
        for (std::size_t i = 0; i < count; ++i) {
            const Box<T> b = box(rows.data + 4 * i);
            to[i] = b.x1, to[count + i] = b.y1, to[2 * count + i] = b.x2, to[3 * count + i] = b.y2;
            to[4 * count + i] = b.w() * b.h();
        }
        x1 = to, y1 = to + count, x2 = to + 2 * count, y2 = to + 3 * count, area = to + 4 * count;
        if (with_slope) {
            slopes.reset(new Real<T>[count + 1]);
            for (std::size_t i = 0; i < count; ++i) slopes[i] = box(rows.data + 4 * i).slope();
        }
        // Never read unless the measure needs it; a valid address either way.
        slope = with_slope ? slopes.get() : nullptr;
    }
};

// One row of the matrix: a[i] against columns [from, from + count).
template <class M, class T, class Out>
struct Row {
    static VESICA_INLINE void body(const Columns<T>& a, std::size_t i, const Columns<T>& b, std::size_t from,
                                   std::size_t count, const measures::Options& options, Out* VESICA_RESTRICT out) {
        const Box<T> left{a.x1[i], a.y1[i], a.x2[i], a.y2[i]};
        const T area = a.area[i];
        const Real<T> slope = needs_slope<M> ? a.slope[i] : Real<T>(0);
        const T *VESICA_RESTRICT x1 = b.x1 + from, *VESICA_RESTRICT y1 = b.y1 + from;
        const T *VESICA_RESTRICT x2 = b.x2 + from, *VESICA_RESTRICT y2 = b.y2 + from;
        const T* VESICA_RESTRICT areas = b.area + from;
        const Real<T>* VESICA_RESTRICT slopes = needs_slope<M> ? b.slope + from : nullptr;
        const measures::Options o = options;
        for (std::size_t j = 0; j < count; ++j) {
            const Box<T> right{x1[j], y1[j], x2[j], y2[j]};
            const Real<T> other = needs_slope<M> ? slopes[j] : Real<T>(0);
            out[j] = M::value(Pair<T>(left, right, area, areas[j], slope, other), o);
        }
    }
};

// The row of a measure, and what it needs: the loops around rows are compiled once, not once for each measure.
template <class T, class Out>
struct RowOf {
    void (*run)(const Columns<T>& a, std::size_t i, const Columns<T>& b, std::size_t from, std::size_t count,
                const measures::Options& options, Out* out);
    bool with_slope;
};
template <class M, class T, class Out>
RowOf<T, Out> row_of() {
    return {[](const Columns<T>& a, std::size_t i, const Columns<T>& b, std::size_t from, std::size_t count,
               const measures::Options& options,
               Out* out) { simd::run<Row<M, T, Out>>(a, i, b, from, count, options, out); },
            needs_slope<M>};
}
template <class T>
RowOf<T, Real<T>> row_of(measures::Name measure) {
    RowOf<T, Real<T>> found{};
    measures::with_box_measure(measure, [&]<class M>(M) { found = row_of<M, T, Real<T>>(); });
    return found;
}

// a[i] against b[i].
template <class M, class T>
struct Zip {
    static VESICA_INLINE void body(const Columns<T>& a, const Columns<T>& b, const measures::Options& options,
                                   Real<T>* VESICA_RESTRICT out) {
        const measures::Options o = options;
        for (std::size_t i = 0; i < a.count; ++i) {
            const Box<T> left{a.x1[i], a.y1[i], a.x2[i], a.y2[i]}, right{b.x1[i], b.y1[i], b.x2[i], b.y2[i]};
            const Real<T> slope_a = needs_slope<M> ? a.slope[i] : Real<T>(0);
            const Real<T> slope_b = needs_slope<M> ? b.slope[i] : Real<T>(0);
            out[i] = M::value(Pair<T>(left, right, a.area[i], b.area[i], slope_a, slope_b), o);
        }
    }
};

// Areas of boxes whose sides are not below this are normal numbers. Of integers all are.
template <class T>
constexpr T least_side = std::is_same_v<T, float>    ? T(0x1p-63)
                         : std::is_same_v<T, double> ? T(0x1p-511)
                                                     : T(0);

constexpr std::size_t sound_rows = 16;
// Are all of these rows boxes whose sides are not below the least, or with `Points` are 0? Sixteen of them at a time,
// without a branch; one more row must follow.
template <class T, bool Points>
struct Sound {
    static VESICA_INLINE void body(const T* VESICA_RESTRICT data, std::size_t blocks, T limit, bool* all) {
        constexpr std::size_t rows = sound_rows;
        using Flag = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        Flag bad[4 * rows] = {}, is_start[4 * rows];
        for (std::size_t k = 0; k < 4 * rows; ++k) is_start[k] = k % 4 < 2;
        for (std::size_t block = 0; block < blocks; ++block, data += 4 * rows)
            for (std::size_t k = 0; k < 4 * rows; ++k) {
                // x1 against x2, y1 against y2, two columns on. Written so that NaN is bad.
                const Flag outside = !((data[k] >= -limit) & (data[k] <= limit));
                bad[k] |= outside | (is_odd(data[k], data[k + 2]) & is_start[k]);
            }
        Flag any = 0;
        for (const Flag one : bad) any |= one;
        *all = !any;
    }
    static VESICA_INLINE bool is_odd(T from, T to) {
        if constexpr (std::is_integral_v<T>) return to < from;  // not subtracted: they may be of any size
        const T side = to - from;
        return Points ? (side != 0) & (side < least_side<T>) : side < least_side<T>;
    }
};

// Does the area have fewer digits than other numbers, or none?
template <class T>
bool is_tiny(const T* row) {
    if constexpr (std::is_integral_v<T>) return false;
    const Box<T> b = box(row);
    return b.w() > 0 && b.h() > 0 && b.w() * b.h() < std::numeric_limits<T>::min();
}

// The same of x, y, width, height.
struct SidesSound {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT data, std::size_t count, double limit, bool* all) {
        constexpr std::size_t lanes = 32;
        std::uint64_t bad[lanes] = {};
        double least[lanes];
        for (std::size_t k = 0; k < lanes; ++k) least[k] = k % 4 < 2 ? -limit : 0;
        for (; count >= lanes; count -= lanes, data += lanes)
            for (std::size_t k = 0; k < lanes; ++k) bad[k] |= !((data[k] >= least[k]) & (data[k] <= limit));
        for (std::size_t k = 0; k < count; ++k) bad[k] |= !((data[k] >= least[k]) & (data[k] <= limit));
        std::uint64_t any = 0;
        for (const std::uint64_t one : bad) any |= one;
        *all = !any;
    }
};

template <class T, class Out>
void matrix(const RowOf<T, Out>& row, const measures::Options& options, Rows<T> a, Rows<T> b, Out* out,
            std::size_t threads) {
    if (!a.count || !b.count) return;
    const Columns<T> left(a, row.with_slope), right(b, row.with_slope);
    const bool small = a.count * b.count < pairs_worth_threads;
    const std::size_t share =
        threads::at_least_one(std::min(chunk_bytes / (b.count * sizeof(Out)), a.count / (2 * threads)));
    threads::over(a.count, share, small ? 1 : threads, [&](std::size_t begin, std::size_t end) {
        // Blocks of rows small enough that the page of output just touched is still near.
        constexpr std::size_t block = 64;
        for (std::size_t top = begin; top < end; top += block)
            for (std::size_t from = 0; from < b.count; from += tile)
                for (std::size_t i = top; i < std::min(top + block, end); ++i)
                    row.run(left, i, right, from, std::min(tile, b.count - from), options, out + i * b.count + from);
    });
}

}  // namespace

template <class T>
void pairwise(measures::Name measure, const measures::Options& options, Rows<T> a, Rows<T> b, Real<T>* out,
              std::size_t threads) {
    matrix(row_of<T>(measure), options, a, b, out, threads);
}

template <class T>
void inter(Rows<T> a, Rows<T> b, T* out, std::size_t threads) {
    matrix(row_of<measures::Inter, T, T>(), {}, a, b, out, threads);
}

template <class T>
void aligned(measures::Name measure, const measures::Options& options, Rows<T> a, Rows<T> b, Real<T>* out,
             std::size_t threads) {
    const bool small = a.count < pairs_worth_threads / 8;
    threads::over(a.count, tile, small ? 1 : threads, [&](std::size_t begin, std::size_t end) {
        measures::with_box_measure(measure, [&]<class M>(M) {
            const Columns<T> left({a.data + 4 * begin, end - begin}, needs_slope<M>);
            const Columns<T> right({b.data + 4 * begin, end - begin}, needs_slope<M>);
            simd::run<Zip<M, T>>(left, right, options, out + begin);
        });
    });
}

template <class T>
void best(measures::Name measure, const measures::Options& options, Rows<T> a, Rows<T> b, std::size_t k,
          std::int64_t* index, Real<T>* value, std::size_t threads) {
    const RowOf<T, Real<T>> row = row_of<T>(measure);
    const Columns<T> left(a, row.with_slope), right(b, row.with_slope);
    top_k::of_rows(a.count, b.count, k, index, value, threads,
                   [&](std::size_t i, std::size_t from, std::size_t count, Real<T>* values) {
                       row.run(left, i, right, from, count, options, values);
                   });
}

template <class T>
Finding first_fault(Rows<T> rows, T limit) {
    const std::size_t blocks = rows.count ? (rows.count - 1) / sound_rows : 0;
    bool all = false;
    simd::run<Sound<T, false>>(rows.data, blocks, limit, &all);
    if (!all) simd::run<Sound<T, true>>(rows.data, blocks, limit, &all);
    for (std::size_t i = all ? blocks * sound_rows : 0; i < rows.count; ++i) {
        const T* r = rows.data + 4 * i;
        // One test for the sound row; the rest finds out what is wrong. Written so that NaN fails it, and so that
        // integers are known to be small before they are subtracted.
        bool within = true;
        for (int c = 0; c < 4; ++c) within &= r[c] >= -limit && r[c] <= limit;
        if (within && r[2] - r[0] >= 0 && r[3] - r[1] >= 0) {
            if (!is_tiny(r)) continue;
            return {Fault::too_small, i};
        }
        if constexpr (!std::is_integral_v<T>) {
            for (int c = 0; c < 4; ++c)
                if (std::isnan(r[c])) return {Fault::nan, i};
            for (int c = 0; c < 4; ++c)
                if (std::isinf(r[c])) return {Fault::infinite, i};
        }
        if (!within) return {Fault::too_large, i};
        return {r[2] - r[0] >= 0 ? Fault::inverted_y : Fault::inverted_x, i};
    }
    return {Fault::none, 0};
}

bool are_sides_sound(Rows<double> rows, double limit, std::size_t threads) {
    constexpr std::size_t at_once = std::size_t(1) << 15;
    std::atomic<bool> are_all{true};
    threads::over(rows.count, at_once, threads, [&](std::size_t begin, std::size_t end) {
        bool all = false;
        simd::run<SidesSound>(rows.data + 4 * begin, 4 * (end - begin), limit, &all);
        if (!all) are_all.store(false, std::memory_order_relaxed);
    });
    return are_all;
}

#define VESICA_INSTANTIATE(T)                                                                                     \
    template void pairwise<T>(measures::Name, const measures::Options&, Rows<T>, Rows<T>, Real<T>*, std::size_t); \
    template void aligned<T>(measures::Name, const measures::Options&, Rows<T>, Rows<T>, Real<T>*, std::size_t);  \
    template void inter<T>(Rows<T>, Rows<T>, T*, std::size_t);                                                    \
    template void best<T>(measures::Name, const measures::Options&, Rows<T>, Rows<T>, std::size_t, std::int64_t*, \
                          Real<T>*, std::size_t);                                                                 \
    template Finding first_fault<T>(Rows<T>, T);
VESICA_INSTANTIATE(float)
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(std::int64_t)

}  // namespace vesica::boxes

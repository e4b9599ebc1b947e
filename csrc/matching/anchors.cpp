#include "matching/anchors.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "overlaps/box_formulas.hpp"

namespace vesica::anchors {
namespace {

using box_formulas::Exact;
using boxes::Box;
using boxes::Rows;

// Neighbouring anchors that are compared or passed over together.
constexpr std::size_t block = 64;
constexpr std::size_t lanes = 8;
// Pairs above which a second thread pays for its waking up.
constexpr std::size_t pairs_worth_threads = 1 << 16;

template <class T>
Box<Exact<T>> wide(const T* row) {
    using E = Exact<T>;
    return {static_cast<E>(row[0]), static_cast<E>(row[1]), static_cast<E>(row[2]), static_cast<E>(row[3])};
}

// Anchors by column, filled up with points to whole blocks, and the box around each block.
template <class E>
struct Table {
    std::size_t count, blocks;
    std::vector<E> x1, y1, x2, y2, area;
    std::vector<Box<E>> around;

    template <class T>
    explicit Table(Rows<T> rows)
        : count(rows.count),
          blocks((rows.count + block - 1) / block),
          x1(blocks * block),
          y1(x1),
          x2(x1),
          y2(x1),
          area(x1) {
        constexpr E most = std::numeric_limits<E>::max(), least = std::numeric_limits<E>::lowest();
        around.assign(blocks, {most, most, least, least});
        for (std::size_t i = 0; i < count; ++i) {
            const Box<E> box = wide(rows.data + 4 * i);
            x1[i] = box.x1, y1[i] = box.y1, x2[i] = box.x2, y2[i] = box.y2, area[i] = box.w() * box.h();
            // NaN, in rows that were not checked, compares false and widens nothing.
            Box<E>& hull = around[i / block];
            if (box.x1 < hull.x1) hull.x1 = box.x1;
            if (box.y1 < hull.y1) hull.y1 = box.y1;
            if (box.x2 > hull.x2) hull.x2 = box.x2;
            if (box.y2 > hull.y2) hull.y2 = box.y2;
        }
    }
    std::size_t padded() const { return blocks * block; }
};

// What some truths of one image leave behind: the best of them for each anchor, and which anchors attain the
// maximum of one.
struct Piece {
    std::vector<double> iou, column, peaks;
    std::vector<std::int64_t> best;
    std::vector<std::uint8_t> attains;

    Piece(std::size_t padded, std::size_t blocks)
        : iou(padded), column(padded), peaks(blocks), best(padded, -1), attains(padded) {}

    // Of two that are equal the earlier truth stays.
    void add(const Piece& later) {
        for (std::size_t i = 0; i < iou.size(); ++i) {
            if (later.iou[i] > iou[i]) iou[i] = later.iou[i], best[i] = later.best[i];
            attains[i] |= later.attains[i];
        }
    }
};

// One truth against all anchors of the blocks it meets.
template <class E>
struct Column {
    static VESICA_INLINE void body(const Table<E>& anchors, const Box<E>& truth, std::int64_t row, Piece* piece) {
        const measures::Options options{};
        const E area = truth.w() * truth.h();
        double peak = 0;
        for (std::size_t b = 0; b < anchors.blocks; ++b) {
            const Box<E>& hull = anchors.around[b];
            piece->peaks[b] = 0;
            if (hull.x1 >= truth.x2 || hull.x2 <= truth.x1 || hull.y1 >= truth.y2 || hull.y2 <= truth.y1) continue;
            const std::size_t from = b * block;
            const E *VESICA_RESTRICT x1 = anchors.x1.data() + from, *VESICA_RESTRICT y1 = anchors.y1.data() + from;
            const E *VESICA_RESTRICT x2 = anchors.x2.data() + from, *VESICA_RESTRICT y2 = anchors.y2.data() + from;
            const E* VESICA_RESTRICT areas = anchors.area.data() + from;
            double *VESICA_RESTRICT column = piece->column.data() + from,
                                    *VESICA_RESTRICT iou = piece->iou.data() + from;
            std::int64_t* VESICA_RESTRICT best = piece->best.data() + from;
            for (std::size_t i = 0; i < block; ++i) {
                const boxes::Pair<E> pair({x1[i], y1[i], x2[i], y2[i]}, truth, areas[i], area);
                const double value = measures::Iou::value(pair, options);
                column[i] = value;
                best[i] = simd::choose(value > iou[i], row, best[i]);
                iou[i] = greater(value, iou[i]);
            }
            double side[lanes] = {};
            for (std::size_t i = 0; i < block; i += lanes)
                for (std::size_t l = 0; l < lanes; ++l) side[l] = greater(column[i + l], side[l]);
            for (const double one : side) piece->peaks[b] = greater(one, piece->peaks[b]);
            peak = greater(piece->peaks[b], peak);
        }
        if (!(peak > 0)) return;
        for (std::size_t b = 0; b < anchors.blocks; ++b)
            if (piece->peaks[b] == peak)
                for (std::size_t i = b * block; i < (b + 1) * block; ++i)
                    piece->attains[i] |= static_cast<std::uint8_t>(piece->column[i] == peak);
    }
};

template <class T>
Piece meet(const Table<Exact<T>>& anchors, Rows<T> truths, std::size_t begin, std::size_t end) {
    Piece piece(anchors.padded(), anchors.blocks);
    interrupt::Steps steps;
    for (std::size_t j = begin; j < end; ++j, steps.add(anchors.padded())) {
        const Box<Exact<T>> truth = wide(truths.data + 4 * j);
        if (truth.w() > 0 && truth.h() > 0)
            simd::run<Column<Exact<T>>>(anchors, truth, static_cast<std::int64_t>(j), &piece);
    }
    return piece;
}

}  // namespace

template <class T>
void assign(const Request& request, Rows<T> anchors, Rows<T> truths, Images images, std::int64_t* best, double* iou,
            std::uint8_t* marks) {
    using E = Exact<T>;
    const Table<E> table(anchors);
    const box_formulas::Formula<T> formula = box_formulas::formula_of<T>(measures::Name::iou);
    const auto begin_of = [&](std::size_t image) { return static_cast<std::size_t>(images.offsets[image]); };

    const auto settle = [&](std::size_t image, const Piece& piece) {
        for (std::size_t i = 0; i < anchors.count; ++i) {
            const std::size_t at = image * anchors.count + i;
            best[at] = piece.best[i], iou[at] = piece.iou[i], marks[at] = 0;
            if (piece.best[i] < 0) continue;
            const T *anchor = anchors.data + 4 * i, *truth = truths.data + 4 * piece.best[i];
            if (formula.reaches(anchor, truth, {}, request.negative)) marks[at] |= bit(Mark::not_background);
            if (formula.reaches(anchor, truth, {}, request.positive)) marks[at] |= bit(Mark::positive);
            if (piece.attains[i]) marks[at] |= bit(Mark::attains);
        }
    };

    const std::size_t pairs = anchors.count * truths.count;
    const std::size_t threads = pairs < pairs_worth_threads ? 1 : request.threads;
    if (images.count >= threads)
        return threads::run(images.count, threads, [&](std::size_t image) {
            settle(image, meet(table, truths, begin_of(image), begin_of(image + 1)));
        });

    // Few images: several threads share the truths of each. What is the best does not depend on where they are cut.
    for (std::size_t image = 0; image < images.count; ++image) {
        const std::size_t begin = begin_of(image), count = begin_of(image + 1) - begin;
        const std::size_t shares = threads::at_least_one(std::min(threads, count));
        std::vector<Piece> pieces(shares, Piece(0, 0));
        threads::run(shares, threads, [&](std::size_t s) {
            pieces[s] = meet(table, truths, begin + count * s / shares, begin + count * (s + 1) / shares);
        });
        for (std::size_t s = 1; s < shares; ++s) pieces[0].add(pieces[s]);
        settle(image, pieces[0]);
    }
}

#define VESICA_INSTANTIATE(T) \
    template void assign<T>(const Request&, Rows<T>, Rows<T>, Images, std::int64_t*, double*, std::uint8_t*);
VESICA_INSTANTIATE(float)
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(std::int64_t)

}  // namespace vesica::anchors

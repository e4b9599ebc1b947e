// soft_fading.hpp. Gaussian soft-NMS of boxes where every overlap counts: whole blocks of scores fade at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/interrupt.hpp"
#include "selection/soft_blocks.hpp"
#include "selection/soft_walk.hpp"
#include "selection/tournament.hpp"

namespace vesica::soft {

// Boxes of a block: as many doubles as the widest vector has.
constexpr std::size_t fading_block = 8;

// Boxes beside each other, and their areas.
template <class F>
struct Measured {
    const box_columns::Lined<F>& line;
    const double* areas;
};

// The overlap of one box with some blocks of boxes, 0 where they share nothing: those of one block after the other.
template <class M, class F>
struct BlockOverlaps {
    static VESICA_INLINE void body(Measured<F> others, const std::uint32_t* blocks, std::size_t some,
                                   const boxes::Box<double>& given, const measures::Options& options,
                                   double* VESICA_RESTRICT overlaps) {
        const boxes::Box<double> box = given;
        const measures::Options o = options;
        const double area = box.w() * box.h();
        const F *const lefts = others.line.x1.data(), *const tops = others.line.y1.data();
        const F *const rights = others.line.x2.data(), *const bottoms = others.line.y2.data();
        for (std::size_t b = 0; b < some; ++b, overlaps += fading_block) {
            const std::size_t from = blocks[b] * fading_block;
            const F *VESICA_RESTRICT x1 = lefts + from, *VESICA_RESTRICT y1 = tops + from;
            const F *VESICA_RESTRICT x2 = rights + from, *VESICA_RESTRICT y2 = bottoms + from;
            const double* VESICA_RESTRICT areas = others.areas + from;
            for (std::size_t k = 0; k < fading_block; ++k) {
                const boxes::Box<double> other{x1[k], y1[k], x2[k], y2[k]};
                const boxes::Pair<double> pair(box, other, area, areas[k]);
                overlaps[k] = pair.inter > 0 ? greater(M::value(pair, o), 0.0) : 0.0;
            }
        }
    }
};

template <class F>
using BlockOverlapsOf = void (*)(Measured<F> others, const std::uint32_t* blocks, std::size_t some,
                                 const boxes::Box<double>& box, const measures::Options& options, double* overlaps);
// Null for measures that need the slopes of boxes.
template <class F>
BlockOverlapsOf<F> block_overlaps_of(measures::Name measure) {
    BlockOverlapsOf<F> found = nullptr;
    measures::with_box_measure(measure, [&]<class M>(M) {
        if constexpr (!measures::needs_slope<M>)
            found = [](Measured<F> others, const std::uint32_t* blocks, std::size_t some, const boxes::Box<double>& box,
                       const measures::Options& options, double* overlaps) {
                simd::run<BlockOverlaps<M, F>>(others, blocks, some, box, options, overlaps);
            };
    });
    return found;
}

// The scores of some blocks of boxes, each by its overlap. Without overlap a score is multiplied by 1. To divide by a
// power of two is to multiply by another, which is faster.
template <bool is_power>
struct Fade {
    static VESICA_INLINE void body(const std::uint32_t* blocks, std::size_t some,
                                   const double* VESICA_RESTRICT overlaps, double sigma, double* scores) {
        const double per_sigma = 1 / sigma;
        for (std::size_t b = 0; b < some; ++b, overlaps += fading_block) {
            double* VESICA_RESTRICT to = scores + blocks[b] * fading_block;
            for (std::size_t k = 0; k < fading_block; ++k) {
                const double m = overlaps[k];
                to[k] *= is_power ? Gaussian::left_by(m, per_sigma) : Gaussian::left(m, sigma);
            }
        }
    }
};

// Gaussian decay of floats, where every overlap counts: whole blocks fade, and scores lie beside their boxes.
template <class T>
class Fading {
  public:
    Fading(const Setting<T>& setting, BlockOverlapsOf<box_columns::Filtered<T>> measure)
        : s_(setting), measure_(measure), blocks_(setting) {
        areas_.resize(blocks_.count()), scores_.resize(blocks_.count());
        for (std::size_t k = 0; k < blocks_.count(); ++k) {
            const std::uint32_t row = blocks_.line().rows[k];
            const boxes::Box<double> box = wide(row);
            scores_[k] = s_.scores[row], areas_[k] = box.w() * box.h();
        }
        settle();
        int exponent;
        is_power_ = std::frexp(s_.rule.sigma, &exponent) == 0.5 && exponent > -1000;
    }

    void walk(std::vector<Entry>& picks) {
        constexpr std::size_t pause = 64;  // takes between two clearings
        for (std::size_t taken_so_far = 1;; ++taken_so_far) {
            const Entry best = next();
            if (!(best.score >= s_.rule.min_score)) return;
            picks.push_back(best);
            if (taken_so_far == s_.rule.limit) return;
            take(best.row);
            if (taken_so_far % pause == 0) clear(), interrupt::poll();
        }
    }

  private:
    boxes::Box<double> wide(std::uint32_t row) const {
        const boxes::Box<T> box = boxes::box(s_.box(row));
        return {box.x1, box.y1, box.x2, box.y2};
    }

    // Whole blocks, of which the places behind the last box stay `taken`.
    void settle() {
        const std::size_t places = blocks_.blocks() * fading_block;
        areas_.resize(places), scores_.resize(places);
        std::fill(scores_.begin() + static_cast<std::ptrdiff_t>(blocks_.count()), scores_.end(), taken);
        tops_.start(blocks_.blocks(), [&](std::size_t block) { return top_of(block); });
    }
    // NaN (−inf * 0, of a taken one) compares false: skipped.
    double top_of(std::size_t block) const {
        constexpr std::size_t half = fading_block / 2;  // two short chains, side by side
        const double* const scores = scores_.data() + block * fading_block;
        double left = taken, right = taken;
        for (std::size_t k = 0; k < half; ++k)
            left = greater(scores[k], left), right = greater(scores[k + half], right);
        return greater(left, right);
    }

    // The best that is left; among equals the lowest row.
    Entry next() {
        constexpr std::uint32_t none = ~std::uint32_t(0);
        std::uint32_t row = none;
        const auto won = [&](std::size_t block, double top) {
            const std::size_t end = std::min((block + 1) * fading_block, blocks_.count());
            for (std::size_t k = block * fading_block; k < end; ++k)
                row = std::min(row, scores_[k] == top ? blocks_.line().rows[k] : none);
        };
        const double score = tops_.highest([&](std::size_t block) { return top_of(block); }, won);
        return {score, row};
    }

    void take(std::uint32_t row) {
        scores_[s_.place[row]] = taken;
        const std::span<const std::uint32_t> near = blocks_.find_near(row);
        overlaps_.resize(near.size() * fading_block);
        measure_({blocks_.line(), areas_.data()}, near.data(), near.size(), wide(row), s_.request.options,
                 overlaps_.data());
        const auto fade = [&]<bool is_power>(std::bool_constant<is_power>) {
            simd::run<Fade<is_power>>(near.data(), near.size(), overlaps_.data(), s_.rule.sigma, scores_.data());
        };
        is_power_ ? fade(std::true_type()) : fade(std::false_type());
    }

    bool stays(std::size_t place) const { return scores_[place] >= s_.rule.min_score; }

    void clear() {
        std::size_t left = 0;
        for (std::size_t k = 0; k < blocks_.count(); ++k) left += stays(k);
        if (8 * left > 7 * blocks_.count()) return;
        const auto moved = [&](std::size_t from, std::size_t to) {
            scores_[to] = scores_[from], areas_[to] = areas_[from];
        };
        blocks_.clear([&](std::size_t k) { return stays(k); }, moved);
        settle();
    }

    const Setting<T>& s_;
    BlockOverlapsOf<box_columns::Filtered<T>> measure_;
    Blocks<T, fading_block> blocks_;
    std::vector<double> areas_, scores_;  // by place
    Tournament tops_;                     // the highest score of each block
    memory::Vector<double> overlaps_;     // of the moment
    bool is_power_;
};

}  // namespace vesica::soft

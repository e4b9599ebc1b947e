#include "detection/precision_walk.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/simd.hpp"
#include "detection/recall_points.hpp"

namespace vesica::precision_recall {
namespace {

using Word = std::uint64_t;
using Pending = memory::Vector<Word>;

// Counters of the 64 lanes of a word: how many of the words have each.
struct CountLanes {
    static VESICA_INLINE void body(const Word* words, std::size_t count, std::uint32_t* counters) {
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint32_t halves[2] = {static_cast<std::uint32_t>(words[k]),
                                             static_cast<std::uint32_t>(words[k] >> 32)};
            for (std::uint32_t lane = 0; lane < 64; ++lane) counters[lane] += halves[lane / 32] >> (lane & 31) & 1;
        }
    }
};

// What is pending of each lane of a word, added to 64 counters, or to those of so many lanes.
void count_pending(Pending& pending, std::uint32_t* counters) {
    simd::run<CountLanes>(static_cast<const Word*>(pending.data()), pending.size(), counters);
    pending.clear();
}

void add_pending(Pending& pending, std::uint32_t* total, std::size_t lanes) {
    std::uint32_t counters[64] = {};
    count_pending(pending, counters);
    for (std::size_t lane = 0; lane < lanes; ++lane) total[lane] += counters[lane];
}

// The share of right guesses at each hit, of which so many came before. Divisions are many, and come in vectors.
struct Precisions {
    static VESICA_INLINE void body(const Hit* hits, std::size_t count, std::size_t before, double epsilon,
                                   double* VESICA_RESTRICT out) {
        for (std::size_t k = 0; k < count; ++k) {
            const double right = static_cast<double>(before + k + 1), wrong = static_cast<double>(hits[k].wrong);
            out[k] = right / ((wrong + right) + epsilon);
        }
    }
};

}  // namespace

Walk::Walk(const Request& request, std::size_t thresholds, std::size_t areas, const std::int64_t* positives,
           const Seen& seen)
    : request_(request),
      thresholds_(thresholds),
      areas_(areas),
      lanes_(thresholds * areas),
      words_((lanes_ + 63) / 64),
      positives_(positives),
      seen_(seen),
      needed_(areas * request.recall_count),
      places_(areas * request.recall_count),
      as_asked_(areas * request.recall_count) {
    const std::size_t recalls = request.recall_count;
    for (std::size_t a = 0; a < areas; ++a) {
        if (!positives[a]) continue;
        std::uint32_t *const need = as_asked_.data() + a * recalls, *const place = places_.data() + a * recalls;
        recall_points::needed(request.recalls, recalls, positives[a], need);
        std::iota(place, place + recalls, 0);
        std::stable_sort(place, place + recalls, [&](std::uint32_t x, std::uint32_t y) { return need[x] < need[y]; });
        for (std::size_t k = 0; k < recalls; ++k) needed_[a * recalls + k] = need[place[k]];
    }
}

std::uint32_t Walk::limit(std::size_t m) const {
    return static_cast<std::uint32_t>(
        std::min<std::int64_t>(std::max<std::int64_t>(request_.limits[m], 0), UINT32_MAX));
}

void Walk::feed(const Block& block, Scratch& scratch) {
    for (std::size_t m = 0; m < request_.first_limit; ++m) feed_recalls(block, m, limit(m), scratch);
    for (std::size_t m = request_.first_limit; m < request_.limit_count; ++m)
        for (std::size_t w = 0; w < words_; ++w) feed_curves(block, w, m, limit(m), scratch);
}

void Walk::count(const Block& block, Scratch& scratch) {
    for (std::size_t m = 0; m < request_.limit_count; ++m) feed_recalls(block, m, limit(m), scratch);
    for (std::size_t m = request_.first_limit; m < request_.limit_count; ++m)
        for (std::size_t w = 0; w < words_; ++w) count_wrong(block, w, m, limit(m), scratch);
}

void Walk::count_wrong(const Block& block, std::size_t w, std::size_t m, std::uint32_t limit, Scratch& scratch) {
    Pending& pending = scratch.pending;
    pending.clear();
    for (std::size_t at = 0; at < block.count; ++at)
        if (block.rank[at] < limit)
            pending.push_back(~block.matched[at * words_ + w] & ~block.ignored[at * words_ + w] & all_of(w));
    add_pending(pending, seen_.wrong + made(m, 64 * w), lanes_of(w));
}

void Walk::take_over(const Walk& next, std::size_t first, std::size_t last) {
    const std::size_t recalls = request_.recall_count;
    for (std::size_t m = 0; m < request_.limit_count; ++m) {
        for (std::size_t lane = first; lane < last; ++lane) {
            std::uint32_t &right = seen_.right[m * lanes_ + lane], before = right;
            right = next.seen_.right[m * lanes_ + lane];
            if (m < request_.first_limit) continue;
            const std::size_t at = made(m, lane) * recalls;
            for (std::size_t k = at; k < at + recalls; ++k) seen_.best[k] = std::max(seen_.best[k], next.seen_.best[k]);
            if (!seen_.reached || !positives_[lane / thresholds_]) continue;
            // The guess that reaches a recall is in one of the two walks: here are the recalls of the second.
            const std::size_t begin = reached_by(before, lane), end = reached_by(right, lane);
            std::copy(next.seen_.reached + at + begin, next.seen_.reached + at + end, seen_.reached + at + begin);
        }
    }
    // `top` stays: the first guess of all is the best of its cell, so the first walk has it under every limit. What is
    // wrong is asked for no more.
}

// Only how many are found.
void Walk::feed_recalls(const Block& block, std::size_t m, std::uint32_t limit, Scratch& scratch) {
    Pending& pending = scratch.pending;
    for (std::size_t w = 0; w < words_; ++w) {
        pending.clear();
        for (std::size_t at = 0; at < block.count; ++at) {
            const Word right = block.matched[at * words_ + w] & ~block.ignored[at * words_ + w] & all_of(w);
            if (right && block.rank[at] < limit) pending.push_back(right);
        }
        add_pending(pending, seen_.right + m * lanes_ + 64 * w, lanes_of(w));
    }
}

void Walk::feed_curves(const Block& block, std::size_t w, std::size_t m, std::uint32_t limit, Scratch& scratch) {
    Pending& pending = scratch.pending;
    const std::size_t lanes = lanes_of(w);
    const Word all = all_of(w);
    for (auto& hits : scratch.hits) hits.clear();
    std::uint32_t wrong[64] = {};
    std::copy_n(seen_.wrong + made(m, 64 * w), lanes, wrong);
    double* const top = seen_.top + 2 * (m - request_.first_limit);
    // Wrong guesses are counted many at a time, for their number is needed only at the next right one.
    pending.clear();
    for (std::size_t at = 0; at < block.count; ++at) {
        if (block.rank[at] >= limit) continue;
        if (!top[0]) top[0] = 1, top[1] = block.score ? block.score[at] : 0;
        const Word hit = block.matched[at * words_ + w], off = block.ignored[at * words_ + w];
        if (Word right = hit & ~off & all) {
            count_pending(pending, wrong);
            for (; right; right &= right - 1) {
                const int lane = std::countr_zero(right);
                scratch.hits[static_cast<std::size_t>(lane)].push_back({wrong[lane], static_cast<std::uint32_t>(at)});
            }
        }
        pending.push_back(~hit & ~off & all);
    }
    count_pending(pending, wrong);
    std::copy_n(wrong, lanes, seen_.wrong + made(m, 64 * w));
    for (std::size_t k = 0; k < lanes; ++k)
        if (!scratch.hits[k].empty()) close(64 * w + k, m, block, scratch);
}

std::size_t Walk::reached_by(std::uint32_t right, std::size_t lane) const {
    const std::uint32_t* const need = needed_.data() + recalls_of(lane);
    return static_cast<std::size_t>(std::upper_bound(need, need + request_.recall_count, right) - need);
}

// A wrong guess never raises precision, so the envelope stands on the right ones alone.
void Walk::close(std::size_t lane, std::size_t m, const Block& block, Scratch& scratch) {
    if (!positives_[lane / thresholds_]) return;
    const std::vector<Hit>& hits = scratch.hits[lane % 64];
    memory::Vector<double>& precisions = scratch.precisions;
    std::uint32_t& right = seen_.right[m * lanes_ + lane];
    precisions.resize(hits.size());
    simd::run<Precisions>(hits.data(), hits.size(), std::size_t(right), request_.epsilon, precisions.data());
    const std::size_t recalls = request_.recall_count;
    const std::uint32_t* const need = needed_.data() + recalls_of(lane);
    double* const best = seen_.best + made(m, lane) * recalls;
    double* const reached = seen_.reached ? seen_.reached + made(m, lane) * recalls : nullptr;
    std::size_t count = reached_by(right, lane);
    for (std::size_t k = 0; k < hits.size(); ++k) {
        for (++right; count < recalls && need[count] <= right; ++count)
            if (reached) reached[count] = block.score[hits[k].at];
        if (count) best[count - 1] = std::max(best[count - 1], precisions[k]);
    }
}

void Walk::write(const Answer& answer, std::size_t first, std::size_t last) const {
    for (std::size_t m = 0; m < request_.limit_count; ++m)
        for (std::size_t lane = first; lane < last; ++lane)
            if (positives_[lane / thresholds_]) write_lane(answer, lane, m);
}

void Walk::write_lane(const Answer& answer, std::size_t lane, std::size_t m) const {
    const std::size_t t = lane % thresholds_, a = lane / thresholds_;
    const std::uint32_t right = seen_.right[m * lanes_ + lane];
    answer.recall[((t * answer.category_count + answer.category) * areas_ + a) * request_.limit_count + m] =
        static_cast<double>(right) / static_cast<double>(positives_[a]);
    if (m < request_.first_limit) return;

    const std::size_t recalls = request_.recall_count, limits = request_.limit_count - request_.first_limit;
    const std::size_t step = answer.category_count * areas_ * limits;
    const std::size_t out = (t * recalls * answer.category_count + answer.category) * areas_ * limits + a * limits + m -
                            request_.first_limit;
    const std::uint32_t* const need = as_asked_.data() + recalls_of(lane);
    const std::uint32_t* const place = places_.data() + recalls_of(lane);
    const double* const best = seen_.best + made(m, lane) * recalls;
    const double* const reached = answer.scores ? seen_.reached + made(m, lane) * recalls : nullptr;
    const double* const top = seen_.top + 2 * (m - request_.first_limit);
    // The first recall out of reach ends it, also for later ones that would be in reach.
    std::size_t in_reach = 0;
    if (top[0])
        while (in_reach < recalls && need[in_reach] <= right) ++in_reach;
    double envelope = 0;
    for (std::size_t k = recalls; k-- > 0;) {
        const std::size_t r = place[k], at = out + r * step;
        envelope = std::max(envelope, best[k]);
        answer.precision[at] = r < in_reach ? envelope : 0;
        // Where no right guess is needed, the first one reaches it, whatever it is.
        if (reached) answer.scores[at] = r >= in_reach ? 0 : need[r] ? reached[k] : top[1];
    }
}

}  // namespace vesica::precision_recall

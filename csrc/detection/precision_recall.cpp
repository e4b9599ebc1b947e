#include "detection/precision_recall.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/order.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"
#include "detection/recall_points.hpp"

namespace vesica::precision_recall {
namespace {

using Word = std::uint64_t;

// One guess that found a truth: how many were wrong before it.
struct Hit {
    std::uint32_t wrong, at;
};

// Counters of the 64 lanes of a word.
struct CountWrong {
    static VESICA_INLINE void body(const Word* wrong, std::size_t count, std::uint32_t* counters) {
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint32_t halves[2] = {static_cast<std::uint32_t>(wrong[k]),
                                             static_cast<std::uint32_t>(wrong[k] >> 32)};
            for (std::uint32_t lane = 0; lane < 64; ++lane) counters[lane] += halves[lane / 32] >> (lane & 31) & 1;
        }
    }
};

// The share of right guesses at each hit. Divisions are many, and come in vectors.
struct Precisions {
    static VESICA_INLINE void body(const Hit* hits, std::size_t count, double epsilon, double* VESICA_RESTRICT out) {
        for (std::size_t k = 0; k < count; ++k) {
            const double right = static_cast<double>(k + 1), wrong = static_cast<double>(hits[k].wrong);
            out[k] = right / ((wrong + right) + epsilon);
        }
    }
};

class Category {
  public:
    Category(const Records& records, const Request& request, std::size_t number, std::size_t first_guess,
             double* precision, double* recall, double* scores, std::size_t threads)
        : records_(records),
          request_(request),
          number_(number),
          first_(first_guess),
          threads_(threads),
          precision_(precision),
          recall_(recall),
          scores_(scores),
          lanes_(records.thresholds * records.areas),
          words_((lanes_ + 63) / 64) {}

    void write() {
        const std::size_t begin = cells_begin(), end = cells_end();
        count_positives(begin, end);
        if (begin == end || std::all_of(positives_.begin(), positives_.end(), [](auto n) { return !n; })) return;
        sort(begin, end);
        for (std::size_t m = 0; m < request_.limit_count; ++m) {
            const std::uint32_t limit = static_cast<std::uint32_t>(
                std::min<std::int64_t>(std::max<std::int64_t>(request_.limits[m], 0), UINT32_MAX));
            if (m < request_.first_limit)
                for (std::size_t w = 0; w < words_; ++w) write_recalls(w, m, limit);
            else
                for (std::size_t w = 0; w < words_; ++w) write_curves(w, m, limit);
        }
    }

  private:
    std::size_t cells_begin() const { return static_cast<std::size_t>(records_.categories[number_]); }
    std::size_t cells_end() const { return static_cast<std::size_t>(records_.categories[number_ + 1]); }

    void count_positives(std::size_t begin, std::size_t end) {
        positives_.assign(records_.areas, 0);
        for (std::size_t cell = begin; cell < end; ++cell)
            for (std::size_t a = 0; a < records_.areas; ++a)
                positives_[a] += records_.counted[cell * records_.areas + a];
    }

    void sort(std::size_t begin, std::size_t end) {
        for (std::size_t cell = begin; cell < end; ++cell)
            for (std::int32_t k = 0; k < records_.guesses[cell]; ++k) ranks_.push_back(static_cast<std::uint32_t>(k));
        order_ = order::all_best_first(records_.score + first_, ranks_.size(), threads_);
    }

    Word matched(std::uint32_t row, std::size_t w) const { return records_.matched[(first_ + row) * words_ + w]; }
    Word ignored(std::uint32_t row, std::size_t w) const { return records_.ignored[(first_ + row) * words_ + w]; }
    std::size_t lanes_of(std::size_t w) const { return std::min<std::size_t>(64, lanes_ - 64 * w); }

    std::size_t place(std::size_t lane, std::size_t m) const {
        const std::size_t t = lane % records_.thresholds, a = lane / records_.thresholds;
        return ((t * records_.category_count + number_) * records_.areas + a) * request_.limit_count + m;
    }

    // Only how many are found, which no order changes: the first few guesses of each cell are looked at.
    void write_recalls(std::size_t w, std::size_t m, std::uint32_t limit) {
        std::uint32_t found[64] = {};
        std::uint32_t first = 0;
        for (std::size_t cell = cells_begin(); cell < cells_end(); ++cell) {
            const auto count = static_cast<std::uint32_t>(records_.guesses[cell]);
            for (std::uint32_t row = first; row < first + std::min(count, limit); ++row)
                for (Word right = matched(row, w) & ~ignored(row, w); right; right &= right - 1)
                    ++found[std::countr_zero(right)];
            first += count;
        }
        for (std::size_t k = 0; k < lanes_of(w); ++k)
            if (const std::int64_t positives = positives_[(64 * w + k) / records_.thresholds])
                recall_[place(64 * w + k, m)] = static_cast<double>(found[k]) / static_cast<double>(positives);
    }

    // Some guesses one after the other: of each lane of a word the hits, and how many were wrong.
    struct Walk {
        std::vector<std::vector<Hit>> hits = std::vector<std::vector<Hit>>(64);
        std::uint32_t wrong[64] = {};
        std::size_t top;  // the first guess that is looked at, or the end of the order

        void count(std::vector<Word>& pending) {
            simd::run<CountWrong>(static_cast<const Word*>(pending.data()), pending.size(), &wrong[0]);
            pending.clear();
        }
    };

    void walk(std::size_t w, std::uint32_t limit, std::size_t begin, std::size_t end, Walk& found) const {
        const Word all = lanes_of(w) == 64 ? ~Word(0) : (Word(1) << lanes_of(w)) - 1;
        // Wrong guesses are counted many at a time, for their number is needed only at the next right one.
        std::vector<Word> pending;
        found.top = order_.size();
        for (std::size_t at = begin; at < end; ++at) {
            const std::uint32_t row = order_[at];
            if (ranks_[row] >= limit) continue;
            found.top = std::min(found.top, at);
            const Word hit = matched(row, w), off = ignored(row, w);
            if (Word right = hit & ~off) {
                found.count(pending);
                for (; right; right &= right - 1) {
                    const int lane = std::countr_zero(right);
                    found.hits[static_cast<std::size_t>(lane)].push_back(
                        {found.wrong[lane], static_cast<std::uint32_t>(at)});
                }
            }
            pending.push_back(~hit & ~off & all);
        }
        found.count(pending);
    }

    // Threads walk a stretch each; what was wrong before a stretch is added to its hits.
    void write_curves(std::size_t w, std::size_t m, std::uint32_t limit) {
        constexpr std::size_t worth_a_thread = 1 << 11;
        const std::size_t stretches = threads::at_least_one(std::min(threads_, order_.size() / worth_a_thread));
        const std::size_t share = (order_.size() + stretches - 1) / stretches;
        std::vector<Walk> walks(stretches);
        threads::run(stretches, threads_, [&](std::size_t k) {
            walk(w, limit, std::min(k * share, order_.size()), std::min((k + 1) * share, order_.size()), walks[k]);
        });
        std::size_t top = order_.size();
        for (const Walk& found : walks) top = std::min(top, found.top);
        const std::size_t tasks = std::min(threads_, lanes_of(w));
        threads::run(tasks, threads_, [&](std::size_t task) {
            Scratch scratch;
            for (std::size_t k = task; k < lanes_of(w); k += tasks) {
                std::vector<Hit>& hits = walks[0].hits[k];
                std::uint32_t wrong = walks[0].wrong[k];
                for (std::size_t s = 1; s < stretches; wrong += walks[s].wrong[k], ++s)
                    for (const Hit& hit : walks[s].hits[k]) hits.push_back({wrong + hit.wrong, hit.at});
                write_lane(64 * w + k, m, hits, top, scratch);
            }
        });
    }

    // What is made anew for each lane.
    struct Scratch {
        std::vector<double> envelope{};
        std::vector<std::uint32_t> needed{};
        std::int64_t needed_for = -1;
    };

    // A wrong guess never raises precision, so the envelope stands on the right ones alone.
    void write_lane(std::size_t lane, std::size_t m, const std::vector<Hit>& hits, std::size_t top,
                    Scratch& scratch) const {
        const std::size_t t = lane % records_.thresholds, a = lane / records_.thresholds;
        const std::int64_t positives = positives_[a];
        if (!positives) return;
        const double all = static_cast<double>(positives);
        recall_[place(lane, m)] = static_cast<double>(hits.size()) / all;

        std::vector<double>& envelope = scratch.envelope;
        envelope.resize(hits.size());
        simd::run<Precisions>(hits.data(), hits.size(), request_.epsilon, envelope.data());
        double best = 0;
        for (std::size_t k = hits.size(); k-- > 0;) envelope[k] = best = std::max(best, envelope[k]);
        const std::size_t limits = request_.limit_count - request_.first_limit;
        const std::size_t step = records_.category_count * records_.areas * limits;
        std::size_t out = (t * request_.recall_count * records_.category_count + number_) * records_.areas * limits +
                          a * limits + (m - request_.first_limit);
        const std::vector<std::uint32_t>& need = needed(positives, scratch);
        bool in_reach = top < order_.size();
        for (std::size_t r = 0; r < request_.recall_count; ++r, out += step) {
            // The first recall out of reach ends it, also for later ones that would be in reach.
            in_reach = in_reach && need[r] <= hits.size();
            double precision = 0, score = 0;
            if (in_reach && need[r]) {
                precision = envelope[need[r] - 1];
                score = score_at(hits[need[r] - 1].at);
            } else if (in_reach) {  // the first guess, whatever it is
                precision = best;
                score = score_at(top);
            }
            precision_[out] = precision;
            if (scores_) scores_[out] = score;
        }
    }

    double score_at(std::size_t at) const { return records_.score[first_ + order_[at]]; }

    const std::vector<std::uint32_t>& needed(std::int64_t positives, Scratch& scratch) const {
        if (positives == scratch.needed_for) return scratch.needed;
        scratch.needed.resize(request_.recall_count);
        recall_points::needed(request_.recalls, request_.recall_count, positives, scratch.needed.data());
        scratch.needed_for = positives;
        return scratch.needed;
    }

    const Records& records_;
    const Request& request_;
    std::size_t number_, first_, threads_;
    double *precision_, *recall_, *scores_;
    std::size_t lanes_, words_;
    std::vector<std::int64_t> positives_;
    std::vector<std::uint32_t> ranks_;
    order::Rows order_;
};

}  // namespace

void accumulate(const Records& records, const Request& request, double* precision, double* recall, double* scores) {
    const std::size_t categories = records.category_count;
    const std::size_t cells = records.thresholds * categories * records.areas;
    const std::size_t made = cells * request.recall_count * (request.limit_count - request.first_limit);
    std::fill_n(precision, made, -1.0);
    std::fill_n(recall, cells * request.limit_count, -1.0);
    if (scores) std::fill_n(scores, made, -1.0);

    std::vector<std::size_t> first(categories + 1, 0), work(categories);
    for (std::size_t c = 0; c < categories; ++c) {
        first[c + 1] = first[c];
        for (std::int64_t cell = records.categories[c]; cell < records.categories[c + 1]; ++cell)
            first[c + 1] += static_cast<std::size_t>(records.guesses[cell]);
    }
    // The longest first, so that no thread ends long after the others.
    std::iota(work.begin(), work.end(), std::size_t(0));
    std::stable_sort(work.begin(), work.end(),
                     [&](std::size_t a, std::size_t b) { return first[a + 1] - first[a] > first[b + 1] - first[b]; });
    const auto write = [&](std::size_t k, std::size_t threads) {
        Category(records, request, work[k], first[work[k]], precision, recall, scores, threads).write();
    };
    // All threads together on a category that would keep one of them longer than its share of all; then on one each.
    constexpr std::size_t many = 1 << 12;
    const std::size_t fair = first[categories] / threads::at_least_one(request.threads);
    std::size_t large = 0;
    for (; request.threads > 1 && large < categories; ++large) {
        const std::size_t guesses = first[work[large] + 1] - first[work[large]];
        if (guesses < many || guesses <= fair) break;
        write(large, request.threads);
    }
    threads::run(categories - large, request.threads, [&](std::size_t k) { write(large + k, 1); });
}

}  // namespace vesica::precision_recall

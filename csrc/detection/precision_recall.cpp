#include "detection/precision_recall.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/order.hpp"
#include "base/threads.hpp"

namespace vesica::precision_recall {
namespace {

// A category of records: sorted, and walked over a block at a time.
class Category {
  public:
    // Many threads may sort it.
    Category(const Records& records, const Request& request, std::size_t number, std::size_t first_guess,
             std::size_t threads)
        : records_(records),
          request_(request),
          number_(number),
          first_(first_guess),
          threads_(threads),
          lanes_(records.thresholds * records.areas),
          words_((lanes_ + 63) / 64) {}

    void write(double* precision, double* recall, double* scores) {
        const std::size_t begin = cells_begin(), end = cells_end();
        count_positives(begin, end);
        if (begin == end || std::all_of(positives_.begin(), positives_.end(), [](auto n) { return !n; })) return;
        sort(begin, end);
        const std::size_t made = request_.limit_count - request_.first_limit;
        std::vector<std::uint32_t> right(request_.limit_count * lanes_), wrong(made * lanes_);
        std::vector<double> best(made * lanes_ * request_.recall_count), reached(scores ? best.size() : 0);
        std::vector<double> top(2 * made);
        Walk walk(request_, records_.thresholds, records_.areas, positives_.data(),
                  {right.data(), wrong.data(), best.data(), scores ? reached.data() : nullptr, top.data()});
        for (std::size_t from = 0; from < order_.size(); from += block)
            walk.feed(rows(from, std::min(block, order_.size() - from), scores));
        walk.write({precision, recall, scores, number_, records_.category_count});
    }

  private:
    static constexpr std::size_t block = 2048;  // guesses: they stay in the cache

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

    // Some guesses in their order, one behind the other.
    Block rows(std::size_t from, std::size_t count, bool with_scores) {
        score_.resize(with_scores ? count : 0);
        rank_.resize(count);
        matched_.resize(count * words_);
        ignored_.resize(count * words_);
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t row = order_[from + k];
            rank_[k] = ranks_[row];
            if (with_scores) score_[k] = records_.score[first_ + row];
            for (std::size_t w = 0; w < words_; ++w) {
                matched_[k * words_ + w] = records_.matched[(first_ + row) * words_ + w];
                ignored_[k * words_ + w] = records_.ignored[(first_ + row) * words_ + w];
            }
        }
        return {with_scores ? score_.data() : nullptr, rank_.data(), matched_.data(), ignored_.data(), count};
    }

    const Records& records_;
    const Request& request_;
    std::size_t number_, first_, threads_, lanes_, words_;
    std::vector<std::int64_t> positives_;
    std::vector<std::uint32_t> ranks_, rank_;
    order::Rows order_;
    std::vector<std::uint64_t> matched_, ignored_;
    std::vector<double> score_;
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
        Category(records, request, work[k], first[work[k]], threads).write(precision, recall, scores);
    };
    // All threads together sort a category that would keep one of them longer than its share of all; then one each.
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

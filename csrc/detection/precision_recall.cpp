#include "detection/precision_recall.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/order.hpp"
#include "base/threads.hpp"

namespace vesica::precision_recall {
namespace {

constexpr std::size_t block = 2048;       // guesses: they stay in the cache
constexpr std::size_t longest = 1 << 18;  // of what one thread walks over before signals are looked for

// What one walk has seen, all zero at first.
struct State {
    State(const Request& request, std::size_t lanes, bool with_scores)
        : right(request.limit_count * lanes),
          wrong((request.limit_count - request.first_limit) * lanes),
          best(wrong.size() * request.recall_count),
          reached(with_scores ? best.size() : 0),
          top(2 * (request.limit_count - request.first_limit)) {}

    Seen seen() {
        return {right.data(), wrong.data(), best.data(), reached.empty() ? nullptr : reached.data(), top.data()};
    }

    std::vector<std::uint32_t> right, wrong;
    std::vector<double> best, reached, top;
};

// Turn counts of parts into counts of all parts before each.
void sum_before(std::vector<State>& states, std::vector<std::uint32_t> State::* counts) {
    std::vector<std::uint32_t> total((states[0].*counts).size());
    for (State& state : states)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += std::exchange((state.*counts)[k], total[k]);
}

// A category of records: sorted, and walked over a block at a time.
class Category {
  public:
    // Many threads may sort it and walk over it.
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
        const bool with_scores = scores;
        const std::size_t count = part_count();
        std::vector<State> states(count, State(request_, lanes_, with_scores));
        std::vector<Walk> walks;
        for (State& state : states)
            walks.emplace_back(request_, records_.thresholds, records_.areas, positives_.data(), state.seen());
        if (count > 1) {
            over_parts(count, with_scores, [&](std::size_t part, const Block& rows) { walks[part].count(rows); });
            sum_before(states, &State::right);
            sum_before(states, &State::wrong);
        }
        over_parts(count, with_scores, [&](std::size_t part, const Block& rows) { walks[part].feed(rows); });
        for (std::size_t part = 1; part < count; ++part) walks[0].take_over(walks[part]);
        walks[0].write({precision, recall, scores, number_, records_.category_count});
    }

  private:
    // Guesses in their order, one behind the other.
    struct Rows {
        std::vector<double> score;
        std::vector<std::uint32_t> rank;
        std::vector<std::uint64_t> matched, ignored;
    };

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

    // One walk, or where there are threads as many as have more guesses to look at than there is to put together.
    std::size_t part_count() const {
        if (threads_ < 2) return 1;
        const std::size_t made = (request_.limit_count - request_.first_limit) * lanes_ * request_.recall_count;
        const std::size_t wanted = std::max(threads_, order_.size() / longest);
        return std::max<std::size_t>(1, std::min(wanted, order_.size() / std::max(made, block)));
    }

    // Call work(part, block) for the blocks of each part in turn.
    template <class Work>
    void over_parts(std::size_t count, bool with_scores, const Work& work) const {
        const std::size_t all = order_.size();
        threads::run(count, threads_, [&](std::size_t part) {
            const std::size_t end = all * (part + 1) / count;
            Rows rows;
            for (std::size_t from = all * part / count; from < end; from += block)
                work(part, gathered(rows, from, std::min(block, end - from), with_scores));
        });
    }

    Block gathered(Rows& rows, std::size_t from, std::size_t count, bool with_scores) const {
        rows.score.resize(with_scores ? count : 0);
        rows.rank.resize(count);
        rows.matched.resize(count * words_);
        rows.ignored.resize(count * words_);
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t row = order_[from + k];
            rows.rank[k] = ranks_[row];
            if (with_scores) rows.score[k] = records_.score[first_ + row];
            for (std::size_t w = 0; w < words_; ++w) {
                rows.matched[k * words_ + w] = records_.matched[(first_ + row) * words_ + w];
                rows.ignored[k * words_ + w] = records_.ignored[(first_ + row) * words_ + w];
            }
        }
        const double* const score = with_scores ? rows.score.data() : nullptr;
        return {score, rows.rank.data(), rows.matched.data(), rows.ignored.data(), count};
    }

    const Records& records_;
    const Request& request_;
    std::size_t number_, first_, threads_, lanes_, words_;
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
        Category(records, request, work[k], first[work[k]], threads).write(precision, recall, scores);
    };
    // All threads together work on a category that would keep one of them longer than its share of all; then one each.
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

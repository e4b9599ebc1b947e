#include "detection/precision_recall.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/order.hpp"
#include "base/partition.hpp"
#include "base/threads.hpp"

namespace vesica::precision_recall {
namespace {

// A category of records: sorted, and walked over a block at a time, by several threads where it is large.
class Category {
  public:
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
        reached_.resize(scores ? made * lanes_ * request_.recall_count : 0);
        // Whole blocks for each thread.
        const std::size_t blocks = (order_.size() + block - 1) / block;
        const std::size_t share = (blocks + threads_ - 1) / threads_ * block;
        const std::size_t count = share ? (order_.size() + share - 1) / share : 1;
        std::vector<Part> parts(count, Part(request_, lanes_));
        const auto each_row = [&](std::size_t part, const auto& see) {
            Rows rows;
            Walk walk = walk_of(parts[part]);
            const std::size_t last = std::min((part + 1) * share, order_.size());
            for (std::size_t from = part * share; from < last; from += block)
                see(walk, gather(from, std::min(block, last - from), scores, rows));
        };
        if (count > 1) {
            threads::run(count - 1, threads_, [&](std::size_t part) {
                each_row(part, [](Walk& walk, const Block& some) { walk.count(some); });
            });
            pass_on(parts);
        }
        threads::run(count, threads_, [&](std::size_t part) {
            each_row(part, [](Walk& walk, const Block& some) { walk.feed(some); });
        });
        for (std::size_t part = 1; part < count; ++part) parts[0].add(parts[part]);
        walk_of(parts[0]).write({precision, recall, scores, number_, records_.category_count});
    }

  private:
    static constexpr std::size_t block = 2048;  // guesses: they stay in the cache

    // What a walk over some of the guesses sees. Whatever their number, the answer is that of one walk over all: right
    // and wrong ones are counted from the first guess on, and the best precision is the best of all parts.
    struct Part {
        std::vector<std::uint32_t> right, wrong;
        std::vector<double> best, top;

        Part(const Request& request, std::size_t lanes) {
            const std::size_t made = request.limit_count - request.first_limit;
            right.resize(request.limit_count * lanes), wrong.resize(made * lanes);
            best.resize(made * lanes * request.recall_count), top.resize(2 * made);
        }
        // The one that follows.
        void add(const Part& next) {
            right = next.right;
            for (std::size_t k = 0; k < best.size(); ++k) best[k] = std::max(best[k], next.best[k]);
            for (std::size_t k = 0; k < top.size(); k += 2)
                if (!top[k]) top[k] = next.top[k], top[k + 1] = next.top[k + 1];
        }
    };

    // Each part has counted its own guesses: let it begin with those of the parts before.
    static void pass_on(std::vector<Part>& parts) {
        const auto pass = [&](std::vector<std::uint32_t> Part::* counters) {
            for (std::size_t k = 0; k < (parts[0].*counters).size(); ++k) {
                std::uint32_t before = 0;
                for (Part& part : parts) {
                    const std::uint32_t own = (part.*counters)[k];
                    (part.*counters)[k] = before, before += own;
                }
            }
        };
        pass(&Part::right), pass(&Part::wrong);
    }

    // Each recall is reached in one part, which alone writes its score.
    Walk walk_of(Part& part) {
        return Walk(request_, records_.thresholds, records_.areas, positives_.data(),
                    {part.right.data(), part.wrong.data(), part.best.data(),
                     reached_.empty() ? nullptr : reached_.data(), part.top.data()});
    }

    // Some guesses, one behind the other.
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

    // Some guesses in their order.
    Block gather(std::size_t from, std::size_t count, bool with_scores, Rows& rows) const {
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
        return {with_scores ? rows.score.data() : nullptr, rows.rank.data(), rows.matched.data(), rows.ignored.data(),
                count};
    }

    const Records& records_;
    const Request& request_;
    std::size_t number_, first_, threads_, lanes_, words_;
    std::vector<std::int64_t> positives_;
    std::vector<std::uint32_t> ranks_;
    order::Rows order_;
    std::vector<double> reached_;  // see precision_walk.hpp
};

}  // namespace

void accumulate(const Records& records, const Request& request, double* precision, double* recall, double* scores) {
    const std::size_t categories = records.category_count;
    const std::size_t cells = records.thresholds * categories * records.areas;
    const std::size_t made = cells * request.recall_count * (request.limit_count - request.first_limit);
    // Fresh pages: to touch them first is most of the work.
    partition::Chunks(made, request.threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
        std::fill(precision + begin, precision + end, -1.0);
        if (scores) std::fill(scores + begin, scores + end, -1.0);
    });
    std::fill_n(recall, cells * request.limit_count, -1.0);

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
    // All threads together take a category that would keep one of them longer than its share of all; then one each.
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

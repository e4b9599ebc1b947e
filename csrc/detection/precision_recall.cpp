#include "detection/precision_recall.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/order.hpp"
#include "base/threads.hpp"

namespace vesica::precision_recall {
namespace {

constexpr std::size_t block = 2048;       // guesses: they stay in the cache
constexpr std::size_t least = 1024;       // of a part
constexpr std::size_t longest = 1 << 18;  // of what one thread walks over before signals are looked for
constexpr std::size_t lanes_at_once = 4;  // of those that several threads put together

// What one walk has seen, all zero at first.
struct State {
    State(const Request& request, std::size_t lanes, bool with_scores)
        : right(request.limit_count * lanes, 0),
          wrong((request.limit_count - request.first_limit) * lanes, 0),
          best(wrong.size() * request.recall_count, 0),
          reached(with_scores ? best.size() : 0, 0),
          top(2 * (request.limit_count - request.first_limit), 0) {}

    Seen seen() {
        return {right.data(), wrong.data(), best.data(), reached.empty() ? nullptr : reached.data(), top.data()};
    }

    memory::Vector<std::uint32_t> right, wrong;
    memory::Vector<double> best, reached, top;
};

// Guesses in their order, one behind the other.
struct Gathered {
    memory::Vector<double> score;
    memory::Vector<std::uint32_t> rank;
    memory::Vector<std::uint64_t> matched, ignored;
};

// What a thread works with.
struct Tool {
    Gathered rows;
    Scratch scratch;
};
using Tools = threads::Tools<Tool>;

// One walk over some guesses of a category.
struct Part {
    Part(const Request& request, std::size_t thresholds, std::size_t areas, const std::int64_t* positives,
         bool with_scores)
        : state(request, thresholds * areas, with_scores), walk(request, thresholds, areas, positives, state.seen()) {}

    State state;
    Walk walk;
};

// Turn counts of parts into counts of all parts before each.
void sum_before(std::vector<std::unique_ptr<Part>>& parts, memory::Vector<std::uint32_t> State::* counts) {
    std::vector<std::uint32_t> total((parts[0]->state.*counts).size());
    for (const auto& part : parts)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += std::exchange((part->state.*counts)[k], total[k]);
}

// Where the answers of all categories go; scores may be null.
struct Output {
    double *precision, *recall, *scores;
};

// A category of records: sorted, and walked over a block at a time. One thread makes it all, or several walk over parts
// of it.
class Category {
  public:
    Category(const Records& records, const Request& request, Tools& tools, std::size_t number, std::size_t first_guess,
             std::size_t guesses, const Output& out)
        : records_(records),
          request_(request),
          tools_(tools),
          number_(number),
          first_(first_guess),
          guesses_(guesses),
          out_(out),
          lanes_(records.thresholds * records.areas),
          words_((lanes_ + 63) / 64) {}

    // By one thread.
    void write() {
        if (!rank()) return;
        order_ = order::all_best_first(records_.score + first_, guesses_);
        split(1);
        begin(0), feed(0), finish(0, lanes_);
    }

    // By several: sort the scores; prepare; begin each part; sum; feed each part; finish some lanes at a time. What
    // names a part or lanes may be called by several threads at a time.
    order::Scores scores() const { return {records_.score + first_, guesses_}; }
    void prepare(order::Rows order, std::size_t threads) {
        if (!rank()) return;
        order_ = std::move(order);
        split(threads);
    }
    // Into one part, or where there are threads into two for each of them, as long as it takes longer to look at the
    // guesses of a part than to put it together with the others.
    void split(std::size_t threads) {
        const std::size_t made = (request_.limit_count - request_.first_limit) * lanes_ * request_.recall_count;
        const std::size_t wanted = threads < 2 ? 1 : std::max(2 * threads, order_.size() / longest);
        parts_.resize(std::max<std::size_t>(1, std::min(wanted, order_.size() / std::max(made / 8, least))));
    }
    // None where there is nothing to be found.
    std::size_t parts() const { return parts_.size(); }
    void begin(std::size_t part) {
        parts_[part] = std::make_unique<Part>(request_, records_.thresholds, records_.areas, positives_.data(),
                                              out_.scores != nullptr);
        if (parts() == 1) return;  // nothing comes before it
        over_blocks(part, [&](const Block& rows, Scratch& scratch) { parts_[part]->walk.count(rows, scratch); });
    }
    void sum() {
        sum_before(parts_, &State::right);
        sum_before(parts_, &State::wrong);
    }
    void feed(std::size_t part) {
        over_blocks(part, [&](const Block& rows, Scratch& scratch) { parts_[part]->walk.feed(rows, scratch); });
    }
    std::size_t lanes() const { return parts() ? lanes_ : 0; }
    void finish(std::size_t first, std::size_t last) {
        Walk& walk = parts_[0]->walk;
        for (std::size_t part = 1; part < parts(); ++part) walk.take_over(parts_[part]->walk, first, last);
        walk.write({out_.precision, out_.recall, out_.scores, number_, records_.category_count}, first, last);
    }

  private:
    std::size_t cells_begin() const { return static_cast<std::size_t>(records_.categories[number_]); }
    std::size_t cells_end() const { return static_cast<std::size_t>(records_.categories[number_ + 1]); }

    // Count what is to be found, and the rank of each guess in its cell; false where there is nothing.
    bool rank() {
        positives_.assign(records_.areas, 0);
        for (std::size_t cell = cells_begin(); cell < cells_end(); ++cell)
            for (std::size_t a = 0; a < records_.areas; ++a)
                positives_[a] += records_.counted[cell * records_.areas + a];
        if (std::all_of(positives_.begin(), positives_.end(), [](auto n) { return !n; })) return false;
        ranks_.resize(guesses_);
        auto rank = ranks_.begin();
        for (std::size_t cell = cells_begin(); cell < cells_end(); ++cell) {
            const auto next = rank + records_.guesses[cell];
            std::iota(rank, next, 0u);
            rank = next;
        }
        return true;
    }

    // The first guess of a part. The best guesses are right more often, and a right one takes longer than a wrong one:
    // so the first parts are shorter.
    std::size_t start(std::size_t part) const {
        const double share = static_cast<double>(part) / static_cast<double>(parts());
        return part == parts()
                   ? order_.size()
                   : static_cast<std::size_t>(static_cast<double>(order_.size()) * share * std::sqrt(share));
    }

    // Call work(block, scratch) for the blocks of a part in turn.
    template <class Work>
    void over_blocks(std::size_t part, const Work& work) const {
        tools_.with([] { return std::make_unique<Tool>(); },
                    [&](Tool& tool) {
                        const std::size_t end = start(part + 1);
                        for (std::size_t from = start(part); from < end; from += block)
                            work(gathered(tool.rows, from, std::min(block, end - from), out_.scores), tool.scratch);
                    });
    }

    Block gathered(Gathered& rows, std::size_t from, std::size_t count, bool with_scores) const {
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
    Tools& tools_;
    std::size_t number_, first_, guesses_;
    Output out_;
    std::size_t lanes_, words_;
    std::vector<std::int64_t> positives_;
    memory::Vector<std::uint32_t> ranks_;
    order::Rows order_;
    std::vector<std::unique_ptr<Part>> parts_;
};

// A category that would keep a thread for half of its share of all is sorted and walked over in parts: what begins late
// must not end late.
constexpr std::size_t many = 1 << 12;

// All threads walk over categories that are sorted and split.
void write_in_parts(std::vector<Category>& categories, std::size_t threads) {
    if (categories.empty()) return;
    struct Task {
        Category* category;
        std::size_t number;  // of a part, or of the first lane
    };
    std::vector<Task> parts, lanes;
    for (Category& category : categories) {
        for (std::size_t part = 0; part < category.parts(); ++part) parts.push_back({&category, part});
        for (std::size_t lane = 0; lane < category.lanes(); lane += lanes_at_once) lanes.push_back({&category, lane});
    }
    threads::run(parts.size(), threads, [&](std::size_t k) { parts[k].category->begin(parts[k].number); });
    for (Category& category : categories)
        if (category.parts()) category.sum();
    threads::run(parts.size(), threads, [&](std::size_t k) { parts[k].category->feed(parts[k].number); });
    threads::run(lanes.size(), threads, [&](std::size_t k) {
        Category& category = *lanes[k].category;
        category.finish(lanes[k].number, std::min(lanes[k].number + lanes_at_once, category.lanes()));
    });
}

}  // namespace

void accumulate(const Records& records, const Request& request, double* precision, double* recall, double* scores) {
    const std::size_t categories = records.category_count;
    const std::size_t cells = records.thresholds * categories * records.areas;
    const std::size_t made = cells * request.recall_count * (request.limit_count - request.first_limit);
    constexpr std::size_t at_once = std::size_t(1) << 15;
    // Before all else, for the numbers of a category lie far apart.
    threads::over(made, at_once, request.threads, [&](std::size_t begin, std::size_t end) {
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
    const auto guesses = [&](std::size_t k) { return first[work[k] + 1] - first[work[k]]; };
    Tools tools;
    const auto category = [&](std::size_t k) {
        return Category(records, request, tools, work[k], first[work[k]], guesses(k), {precision, recall, scores});
    };
    const std::size_t threads = request.threads, half = first[categories] / (2 * threads::at_least_one(threads));
    std::vector<Category> large;
    std::vector<order::Scores> lists;
    for (std::size_t k = 0; threads > 1 && k < categories && guesses(k) >= many && guesses(k) > half; ++k) {
        large.push_back(category(k));
        lists.push_back(large.back().scores());
    }
    std::vector<order::Rows> orders = order::all_best_first(lists, threads);
    threads::run(categories, threads, [&](std::size_t k) {
        k < large.size() ? large[k].prepare(std::move(orders[k]), threads) : category(k).write();
    });
    write_in_parts(large, threads);
}

}  // namespace vesica::precision_recall

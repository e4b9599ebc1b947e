// soft_walk.hpp. The walk of soft-NMS: which region is taken next, and what is left of the scores of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/interrupt.hpp"
#include "base/order.hpp"
#include "base/threads.hpp"
#include "selection/soft.hpp"

namespace vesica::soft {

// The score of a region that was taken: below every min_score, and not above it whatever it is multiplied by.
inline constexpr double taken = -std::numeric_limits<double>::infinity();
// Regions that meet the one that was taken in a go.
inline constexpr std::size_t batch = 256;

struct Entry {
    double score;
    std::uint32_t row;
};

inline bool is_better(const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
}
inline bool is_worse(const Entry& a, const Entry& b) {
    return is_better(b, a);
}

// The scores of those that overlap the taken one, each by its m.
inline void weaken(const Rule& rule, const std::uint32_t* rows, const double* m, std::size_t count, double* scores) {
    double left[batch];
    for (std::size_t from = 0; from < count; from += batch) {
        const std::size_t some = std::min(batch, count - from);
        with_decay(rule.decay, [&]<class D>(D) { simd::run<Weaken<D>>(m + from, some, rule.sigma, &left[0]); });
        for (std::size_t k = 0; k < some; ++k) scores[rows[from + k]] *= left[k];
    }
}

using order::Group;

// What may come next, best first: rows with the scores they had at first, in order, and a heap of those that decayed.
class Queue {
  public:
    Queue(Group group, const double* first) : group_(group), first_(first) {}

    bool empty() const { return next_ == group_.count && heap_.empty(); }
    void push(const Entry& entry) {
        heap_.push_back(entry);
        std::push_heap(heap_.begin(), heap_.end(), is_worse);
    }
    Entry pop() {
        if (next_ < group_.count) {
            const std::uint32_t row = group_.rows[next_];
            const Entry fresh{first_[row], row};
            if (heap_.empty() || is_better(fresh, heap_.front())) return ++next_, fresh;
        }
        std::pop_heap(heap_.begin(), heap_.end(), is_worse);
        const Entry top = heap_.back();
        heap_.pop_back();
        return top;
    }

  private:
    Group group_;
    const double* first_;
    std::size_t next_ = 0;
    std::vector<Entry> heap_;
};

// Walk one key. near.score(row) is the score of the moment, near.take(row) takes the row and lets others decay.
template <class Near>
void walk(const Rule& rule, Group group, const double* first, Near&& near, std::vector<Entry>& picks) {
    Queue queue(group, first);
    interrupt::Steps steps;
    for (std::size_t left = rule.limit ? rule.limit : group.count; left && !queue.empty();) {
        const Entry best = queue.pop();
        const double now = near.score(best.row);
        if (now == best.score) {
            --left;
            picks.push_back(best);
            near.take(best.row);
            steps.add(steps.of_regions);
        } else if (now >= rule.min_score) {
            queue.push({now, best.row});
        }
    }
}

// Scores by row. find(row, visit) calls visit(rows, m, count) for those that the row lets decay; they may be out
// already.
template <class Find>
struct ByRow {
    const Rule& rule;
    double* scores;
    Find find;

    double score(std::uint32_t row) const { return scores[row]; }
    void take(std::uint32_t row) {
        scores[row] = taken;
        find(row, [&](const std::uint32_t* rows, const double* m, std::size_t count) {
            weaken(rule, rows, m, count, scores);
        });
    }
};
template <class Find>
ByRow(const Rule&, double*, Find) -> ByRow<Find>;

// walk_group(group, scores, picks) walks one key; `scores` are those of the moment, or `taken`.
template <class WalkGroup>
Picks run(const Rule& rule, const Scored& given, std::size_t threads, const WalkGroup& walk_group) {
    constexpr std::size_t rows_in_task = 1024;
    const order::Groups groups(order::best_first(given.scores, given.count, rule.min_score), given.keys, rows_in_task);
    std::vector<double> scores(given.scores, given.scores + given.count);
    std::vector<std::vector<Entry>> lists(groups.tasks.size() - 1);
    threads::run(lists.size(), threads, [&](std::size_t task) {
        for (std::size_t g = groups.tasks[task]; g < groups.tasks[task + 1]; ++g)
            walk_group(groups[g], scores.data(), lists[task]);
    });

    std::vector<Entry> picks;
    for (const std::vector<Entry>& list : lists) picks.insert(picks.end(), list.begin(), list.end());
    if (groups.count() > 1) std::sort(picks.begin(), picks.end(), is_better);
    Picks out{std::make_unique<std::int64_t[]>(picks.size()), std::make_unique<double[]>(picks.size()), picks.size()};
    for (std::size_t k = 0; k < picks.size(); ++k) out.index[k] = picks[k].row, out.score[k] = picks[k].score;
    return out;
}

}  // namespace vesica::soft

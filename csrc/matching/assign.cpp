#include "matching/assign.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/order.hpp"
#include "base/threads.hpp"
#include "base/union_find.hpp"

namespace vesica::assign {
namespace {

constexpr std::int64_t none = augmenting_paths::none;

// Places sorted by a small key, by counting; those of one key keep their order.
struct Buckets {
    std::vector<std::size_t> start;  // of each key, and the end
    std::vector<std::size_t> places;

    template <class KeyOf>
    Buckets(std::size_t keys, std::size_t count, const KeyOf& key_of) : start(keys + 2), places(count) {
        for (std::size_t k = 0; k < count; ++k) ++start[key_of(k) + 2];
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (std::size_t k = 0; k < count; ++k) places[start[key_of(k) + 1]++] = k;
        start.pop_back();  // filling moved each start to the next one's
    }
};

template <class Cost, class Rows>
std::optional<Shortage> solve(Rows rows, Cost alone, std::vector<std::int64_t>& edge_of) {
    augmenting_paths::Assignment<Cost, Rows> assignment(rows, alone);
    const std::optional<Shortage> shortage = assignment.run();
    edge_of = assignment.edge_of();
    return shortage;
}

// make(Cost()) gives the rows in the costs that say the goal.
template <class Make>
std::optional<Shortage> solve(Goal goal, const Make& make, std::vector<std::int64_t>& edge_of) {
    if (goal == Goal::sum) return solve(make(double()), 0.0, edge_of);
    const std::optional<Shortage> shortage = solve(make(double()), augmenting_paths::never, edge_of);
    // There are no more pairs than rows, so where all of them can have one, nothing is left to count.
    if (goal == Goal::complete || !shortage) return shortage;
    return solve(make(augmenting_paths::Ranked()), augmenting_paths::Ranked{1, 0}, edge_of);
}

// Pairs, cut into connected components that are solved one by one. Those of one component have rows and columns of
// their own, so that several threads may each work on another one.
class Components {
  public:
    Components(const Pairs& pairs, Goal goal)
        : pairs_(pairs),
          goal_(goal),
          component_(pairs.count),
          count_(number()),
          members_(count_ + 1, pairs.count, [&](std::size_t k) { return component_[k]; }),
          chosen_(pairs.rows, none),
          local_row_(pairs.rows, unseen),
          local_column_(pairs.columns, unseen) {}

    std::optional<Shortage> run(std::size_t threads) {
        const std::vector<std::size_t> tasks = cut();
        std::vector<std::optional<Shortage>> shortages(tasks.size());
        threads::run(tasks.size() - 1, threads, [&](std::size_t task) {
            for (std::size_t c = tasks[task]; c < tasks[task + 1]; ++c) first_of(shortages[task], solve_component(c));
        });
        if (goal_ == Goal::complete) first_of(shortages.back(), lonely_row());
        for (const auto& shortage : shortages) first_of(shortages.back(), shortage);
        return shortages.back();
    }

    // The places of the chosen pairs, ordered by row.
    std::vector<std::int64_t> places() const {
        std::vector<std::int64_t> found;
        for (const std::int64_t place : chosen_)
            if (place != none) found.push_back(place);
        return found;
    }

  private:
    static constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

    // Whatever the threads do, the first of all rows is named.
    static void first_of(std::optional<Shortage>& first, const std::optional<Shortage>& other) {
        if (other && (!first || other->row < first->row)) first = other;
    }

    // A pair that gains nothing is not wanted where a row may as well stay alone.
    bool is_wanted(std::size_t k) const {
        const double value = pairs_.value[k];
        return goal_ == Goal::sum ? value > 0 : value > -augmenting_paths::never;
    }

    // Give each pair the number of its component; pairs that are not wanted go behind the last one.
    std::size_t number() {
        const std::size_t rows = pairs_.rows;
        Connected connected(rows + pairs_.columns);
        for (std::size_t k = 0; k < pairs_.count; ++k)
            if (is_wanted(k)) connected.join(row(k), rows + column(k));
        std::vector<std::size_t> number_of(rows, 0);  // of a row that stands for its component, plus 1
        std::size_t count = 0;
        for (std::size_t k = 0; k < pairs_.count; ++k) {
            if (!is_wanted(k)) continue;
            std::size_t& number = number_of[connected.find(row(k))];  // rows come first, so a row stands for it
            if (!number) number = ++count;
            component_[k] = number - 1;
        }
        for (std::size_t k = 0; k < pairs_.count; ++k)
            if (!is_wanted(k)) component_[k] = count;
        return count;
    }

    // Where tasks begin, and the end: components of a few thousand pairs each.
    std::vector<std::size_t> cut() const {
        constexpr std::size_t pairs_in_task = 4096;
        std::vector<std::size_t> tasks{0};
        for (std::size_t c = 1; c < count_; ++c)
            if (members_.start[c] - members_.start[tasks.back()] >= pairs_in_task) tasks.push_back(c);
        tasks.push_back(count_);
        return tasks;
    }

    std::optional<Shortage> lonely_row() const {
        std::vector<char> has_pair(pairs_.rows, 0);
        for (std::size_t k = 0; k < members_.start[count_]; ++k) has_pair[row(members_.places[k])] = 1;
        const auto lonely = std::find(has_pair.begin(), has_pair.end(), 0);
        if (lonely == has_pair.end()) return std::nullopt;
        return Shortage{static_cast<std::size_t>(lonely - has_pair.begin()), 1};
    }

    std::optional<Shortage> solve_component(std::size_t c) {
        const std::size_t* const places = members_.places.data() + members_.start[c];
        const std::size_t count = members_.start[c + 1] - members_.start[c];
        if (count == 1) {
            chosen_[row(places[0])] = static_cast<std::int64_t>(places[0]);
            return std::nullopt;
        }
        std::vector<std::size_t> rows;
        std::uint32_t columns = 0;
        for (std::size_t k = 0; k < count; ++k) {
            std::uint32_t &r = local_row_[row(places[k])], &s = local_column_[column(places[k])];
            if (r == unseen) r = static_cast<std::uint32_t>(rows.size()), rows.push_back(row(places[k]));
            if (s == unseen) s = columns++;
        }
        // Paths are fewer from the shorter side. Only where every row is wanted, they must begin there.
        const bool turned = goal_ != Goal::complete && columns < rows.size();
        const auto near = [&](std::size_t k) { return turned ? local_column_[column(k)] : local_row_[row(k)]; };
        const auto far = [&](std::size_t k) { return turned ? local_row_[row(k)] : local_column_[column(k)]; };
        const std::size_t n = turned ? columns : rows.size(), m = turned ? rows.size() : columns;

        Buckets by_row(n, count, [&](std::size_t k) { return near(places[k]); });
        augmenting_paths::Edges edges{std::move(by_row.start), std::vector<std::uint32_t>(count),
                                      std::vector<double>(count), m};
        for (std::size_t e = 0; e < count; ++e) {
            const std::size_t k = places[by_row.places[e]];
            edges.column[e] = far(k), edges.cost[e] = -pairs_.value[k];
        }
        std::vector<std::int64_t> edge_of;
        const auto shortage = is_full(edges) ? solve_full(edges, edge_of) : solve_few(edges, edge_of);
        for (const std::int64_t e : edge_of) {
            if (e == none) continue;
            const std::size_t place = places[by_row.places[static_cast<std::size_t>(e)]];
            chosen_[row(place)] = static_cast<std::int64_t>(place);
        }
        if (!shortage) return std::nullopt;
        return Shortage{rows[shortage->row], shortage->rows};
    }

    // Would a matrix be about as small as the list?
    static bool is_full(const augmenting_paths::Edges& edges) {
        return edges.rows() * edges.columns <= 4 * edges.cost.size();
    }

    std::optional<Shortage> solve_few(const augmenting_paths::Edges& edges, std::vector<std::int64_t>& edge_of) const {
        return solve(goal_, [&]<class Cost>(Cost) { return augmenting_paths::Sparse<Cost>(edges); }, edge_of);
    }

    std::optional<Shortage> solve_full(const augmenting_paths::Edges& edges, std::vector<std::int64_t>& edge_of) const {
        const std::size_t n = edges.rows(), m = edges.columns;
        std::vector<double> matrix(n * m, augmenting_paths::never);
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t e = edges.start[r]; e < edges.start[r + 1]; ++e)
                matrix[r * m + edges.column[e]] = edges.cost[e];
        const auto shortage =
            solve(goal_, [&]<class Cost>(Cost) { return augmenting_paths::Dense<Cost>(matrix.data(), n, m); }, edge_of);
        for (std::size_t r = 0; r < n; ++r)
            if (edge_of[r] != none) edge_of[r] = edges.find(r, static_cast<std::size_t>(edge_of[r]) % m);
        return shortage;
    }

    std::size_t row(std::size_t k) const { return static_cast<std::size_t>(pairs_.row[k]); }
    std::size_t column(std::size_t k) const { return static_cast<std::size_t>(pairs_.column[k]); }

    const Pairs& pairs_;
    const Goal goal_;
    std::vector<std::size_t> component_;  // of each pair
    const std::size_t count_;
    const Buckets members_;  // the pairs of each component
    std::vector<std::int64_t> chosen_;
    std::vector<std::uint32_t> local_row_, local_column_;
};

}  // namespace

std::vector<std::int64_t> greedy(const Pairs& pairs, const double* scores) {
    order::Rows turns(scores ? 0 : pairs.columns);
    std::iota(turns.begin(), turns.end(), std::uint32_t{0});
    if (scores) turns = order::best_first(scores, pairs.columns, -augmenting_paths::never);
    const Buckets by_column(pairs.columns, pairs.count,
                            [&](std::size_t k) { return static_cast<std::size_t>(pairs.column[k]); });
    std::vector<char> is_taken(pairs.rows, 0);
    std::vector<std::int64_t> chosen;
    for (const std::uint32_t column : turns) {
        std::int64_t best = none;
        for (std::size_t at = by_column.start[column]; at < by_column.start[column + 1]; ++at) {
            const std::int64_t k = static_cast<std::int64_t>(by_column.places[at]);
            const double value = pairs.value[k];
            if (is_taken[static_cast<std::size_t>(pairs.row[k])] || value != value) continue;
            if (best == none || value > pairs.value[best]) best = k;
        }
        if (best == none) continue;
        is_taken[static_cast<std::size_t>(pairs.row[best])] = 1;
        chosen.push_back(best);
    }
    std::sort(chosen.begin(), chosen.end());  // pairs are ordered by row
    return chosen;
}

Choice optimal(const Pairs& pairs, Goal goal, std::size_t threads) {
    Components components(pairs, goal);
    const std::optional<Shortage> shortage = components.run(threads);
    return {components.places(), shortage};
}

std::optional<Shortage> dense(const double* costs, std::size_t rows, std::size_t columns, Goal goal,
                              std::int64_t* out) {
    std::vector<std::int64_t> edge_of;
    const auto shortage =
        solve(goal, [&]<class Cost>(Cost) { return augmenting_paths::Dense<Cost>(costs, rows, columns); }, edge_of);
    for (std::size_t i = 0; i < rows; ++i)
        out[i] = edge_of[i] == none ? none : edge_of[i] % static_cast<std::int64_t>(columns);
    return shortage;
}

}  // namespace vesica::assign

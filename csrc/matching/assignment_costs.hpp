// assignment_costs.hpp. What pairs of rows and columns cost: a matrix, or a list of the few pairs that may be. Both
// behind one face, for augmenting_paths.hpp: offers(), and a search that relaxes rows and closes columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/simd.hpp"

namespace vesica::augmenting_paths {

inline constexpr double never = std::numeric_limits<double>::infinity();
inline constexpr std::int64_t none = -1;

// A cost in which a count goes before any sum: exact, where adding a large number to each cost would round them.
struct Ranked {
    double count = 0, sum = 0;

    friend Ranked operator+(Ranked a, Ranked b) { return {a.count + b.count, a.sum + b.sum}; }
    friend Ranked operator-(Ranked a, Ranked b) { return {a.count - b.count, a.sum - b.sum}; }
    // Two that are out of reach are equal, whatever their sums.
    friend bool operator<(Ranked a, Ranked b) {
        return a.count < b.count || (a.count == b.count && a.count < never && a.sum < b.sum);
    }
};

// An entry of the matrix as a cost. Only counts are ever infinite, so sums stay numbers.
template <class Cost>
VESICA_INLINE Cost lifted(double entry) {
    if constexpr (std::is_same_v<Cost, double>)
        return entry;
    else
        return entry < never ? Cost{0, entry} : Cost{never, 0};
}

template <class Cost>
inline const Cost unreachable = lifted<Cost>(never);

// The best column of a row, and what the second best would cost.
template <class Cost>
struct Offers {
    Cost low, second;
    std::size_t column;
};

template <class Cost>
struct Near {
    Cost distance;
    std::size_t column;
};

// Several minima side by side are a few vector instructions; one alone would be a chain of branches.
inline constexpr std::size_t lanes = 8;

template <class Cost>
struct TwoBest {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT entries, const Cost* VESICA_RESTRICT price,
                                   std::size_t count, Offers<Cost>* out) {
        Cost low[lanes], second[lanes];
        std::int64_t at[lanes];
        for (std::size_t l = 0; l < lanes; ++l) low[l] = second[l] = unreachable<Cost>, at[l] = 0;
        const auto look = [&](std::size_t j, std::size_t l) {
            const Cost d = lifted<Cost>(entries[j]) - price[j];
            const bool nearer = d < low[l];
            const Cost other = nearer ? low[l] : d;
            second[l] = other < second[l] ? other : second[l];
            at[l] = nearer ? static_cast<std::int64_t>(j) : at[l];
            low[l] = nearer ? d : low[l];
        };
        std::size_t j = 0;
        for (; j + lanes <= count; j += lanes)
            for (std::size_t l = 0; l < lanes; ++l) look(j + l, l);
        for (; j < count; ++j) look(j, j % lanes);
        Offers<Cost> found{low[0], second[0], static_cast<std::size_t>(at[0])};
        for (std::size_t l = 1; l < lanes; ++l) {
            const std::size_t here = static_cast<std::size_t>(at[l]);
            const bool nearer = low[l] < found.low || (!(found.low < low[l]) && here < found.column);
            const Cost other = nearer ? found.low : low[l];
            found.second = std::min({found.second, second[l], other});
            if (nearer) found.low = low[l], found.column = here;
        }
        *out = found;
    }
};

// Shorter ways to all columns through one row, and the shortest of all.
template <class Cost>
struct Relax {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT entries, const Cost* VESICA_RESTRICT price, Cost start,
                                   std::int64_t row, std::size_t count, Cost* VESICA_RESTRICT distance,
                                   std::int64_t* VESICA_RESTRICT from, Cost* out) {
        Cost low[lanes];
        for (std::size_t l = 0; l < lanes; ++l) low[l] = unreachable<Cost>;
        const auto look = [&](std::size_t j, std::size_t l) {
            const Cost d = start + (lifted<Cost>(entries[j]) - price[j]);
            const bool nearer = d < distance[j];
            const Cost least = nearer ? d : distance[j];
            from[j] = nearer ? row : from[j];
            distance[j] = least;
            low[l] = least < low[l] ? least : low[l];
        };
        std::size_t j = 0;
        for (; j + lanes <= count; j += lanes)
            for (std::size_t l = 0; l < lanes; ++l) look(j + l, l);
        for (; j < count; ++j) look(j, j % lanes);
        *out = *std::min_element(low, low + lanes);
    }
};

// Is there an entry that is not above the bar?
template <class Cost>
struct AnyWithin {
    static VESICA_INLINE void body(const Cost* VESICA_RESTRICT values, std::size_t count, Cost bar, bool* answer) {
        int any = 0;
        for (std::size_t j = 0; j < count; ++j) any |= !(bar < values[j]);
        *answer = any != 0;
    }
};

// A matrix of costs, all of which are looked at.
template <class Cost>
class Dense {
  public:
    Dense(const double* entries, std::size_t rows, std::size_t columns)
        : entries_(entries), rows_(rows), columns_(columns), price_(columns), distance_(columns), from_(columns) {}

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    // An edge is a pair that may be chosen: the place of its entry.
    Cost cost(std::int64_t edge) const { return lifted<Cost>(entries_[edge]); }
    std::size_t column(std::int64_t edge) const { return static_cast<std::size_t>(edge) % columns_; }
    std::int64_t edge(std::size_t row, std::size_t column) const {
        return static_cast<std::int64_t>(row * columns_ + column);
    }

    Offers<Cost> offers(std::size_t row, const Cost* price) const {
        Offers<Cost> found;
        simd::run<TwoBest<Cost>>(entries_ + row * columns_, price, columns_, &found);
        return found;
    }

    // The least entry of each column, where there is one.
    void column_minima(Cost* price) const {
        std::fill_n(price, columns_, unreachable<Cost>);
        for (std::size_t e = 0; e < rows_ * columns_;)
            for (std::size_t j = 0; j < columns_; ++j, ++e) price[j] = std::min(price[j], lifted<Cost>(entries_[e]));
        std::replace_if(price, price + columns_, [](const Cost& p) { return !(p < unreachable<Cost>); }, Cost{});
    }

    // A search: columns are open, at some distance, until they are closed.
    void begin(const Cost* price) {
        std::copy_n(price, columns_, price_.data());
        std::fill_n(distance_.data(), columns_, unreachable<Cost>);
    }
    void relax(std::size_t row, Cost start) {
        simd::run<Relax<Cost>>(entries_ + row * columns_, static_cast<const Cost*>(price_.data()), start,
                               static_cast<std::int64_t>(row), columns_, distance_.data(), from_.data(), &low_);
    }
    // The nearest open column; among equals one without an owner, which ends the search, then the first.
    Near<Cost> nearest(const std::int64_t* owner) const {
        constexpr std::size_t block = 64;
        std::optional<std::size_t> first;
        if (!(low_ < unreachable<Cost>)) return {unreachable<Cost>, 0};
        for (std::size_t from = 0; from < columns_; from += block) {
            const std::size_t to = std::min(from + block, columns_);
            bool any = false;
            simd::run<AnyWithin<Cost>>(distance_.data() + from, to - from, low_, &any);
            for (std::size_t j = from; any && j < to; ++j) {
                if (low_ < distance_[j]) continue;
                if (owner[j] == none) return {low_, j};
                if (!first) first = j;
            }
        }
        return {low_, first.value_or(0)};
    }
    // Prices of minus infinity keep a closed column out of reach without a branch.
    void close(std::size_t column) {
        price_[column] = Cost{} - unreachable<Cost>;
        distance_[column] = unreachable<Cost>;
    }
    std::size_t reached_from(std::size_t column) const { return static_cast<std::size_t>(from_[column]); }
    std::int64_t reached_by(std::size_t column) const { return edge(reached_from(column), column); }

  private:
    const double* entries_;
    std::size_t rows_, columns_;
    std::vector<Cost> price_, distance_;  // as the search sees them
    std::vector<std::int64_t> from_;
    Cost low_ = unreachable<Cost>;
};

// The pairs that may be chosen, row after row; all others are forbidden.
struct Edges {
    std::vector<std::size_t> start;  // of each row, and the end
    std::vector<std::uint32_t> column;
    std::vector<double> cost;
    std::size_t columns = 0;

    std::size_t rows() const { return start.size() - 1; }
    // Which of the edges of a row leads to a column.
    std::int64_t find(std::size_t row, std::size_t to) const {
        const auto begin = column.begin() + static_cast<std::ptrdiff_t>(start[row]);
        const auto end = column.begin() + static_cast<std::ptrdiff_t>(start[row + 1]);
        return std::find(begin, end, to) - column.begin();
    }
};

// The same for few pairs, of which only those are looked at that a path can reach.
template <class Cost>
class Sparse {
  public:
    explicit Sparse(const Edges& edges)
        : edges_(edges),
          distance_(edges.columns, unreachable<Cost>),
          is_closed_(edges.columns),
          from_(edges.columns),
          by_(edges.columns) {}

    std::size_t rows() const { return edges_.rows(); }
    std::size_t columns() const { return edges_.columns; }
    Cost cost(std::int64_t edge) const { return lifted<Cost>(edges_.cost[static_cast<std::size_t>(edge)]); }
    std::size_t column(std::int64_t edge) const { return edges_.column[static_cast<std::size_t>(edge)]; }
    std::int64_t edge(std::size_t row, std::size_t column) const { return edges_.find(row, column); }

    Offers<Cost> offers(std::size_t row, const Cost* price) const {
        Offers<Cost> found{unreachable<Cost>, unreachable<Cost>, 0};
        for (std::size_t e = edges_.start[row]; e < edges_.start[row + 1]; ++e) {
            const Cost d = lifted<Cost>(edges_.cost[e]) - price[edges_.column[e]];
            if (d < found.low)
                found = {d, found.low, edges_.column[e]};
            else if (d < found.second)
                found.second = d;
        }
        return found;
    }

    void column_minima(Cost* price) const {
        std::fill_n(price, columns(), unreachable<Cost>);
        for (std::size_t e = 0; e < edges_.cost.size(); ++e)
            price[edges_.column[e]] = std::min(price[edges_.column[e]], lifted<Cost>(edges_.cost[e]));
    }

    void begin(const Cost* price) {
        price_ = price;
        for (const std::size_t j : reached_) distance_[j] = unreachable<Cost>, is_closed_[j] = 0;
        reached_.clear();
        heap_.clear();
    }
    void relax(std::size_t row, Cost start) {
        for (std::size_t e = edges_.start[row]; e < edges_.start[row + 1]; ++e) {
            const std::size_t j = edges_.column[e];
            const Cost d = start + (lifted<Cost>(edges_.cost[e]) - price_[j]);
            if (is_closed_[j] || !(d < distance_[j])) continue;
            if (!(distance_[j] < unreachable<Cost>)) reached_.push_back(j);
            distance_[j] = d, from_[j] = row, by_[j] = static_cast<std::int64_t>(e);
            heap_.push_back({d, j});
            std::push_heap(heap_.begin(), heap_.end(), farther);
        }
    }
    // Among equals the first.
    Near<Cost> nearest(const std::int64_t*) {
        while (!heap_.empty()) {
            const Near<Cost> top = heap_.front();
            if (!is_closed_[top.column] && !(distance_[top.column] < top.distance)) return top;
            std::pop_heap(heap_.begin(), heap_.end(), farther);  // a longer way to a column that was reached again
            heap_.pop_back();
        }
        return {unreachable<Cost>, 0};
    }
    void close(std::size_t column) { is_closed_[column] = 1; }
    std::size_t reached_from(std::size_t column) const { return from_[column]; }
    std::int64_t reached_by(std::size_t column) const { return by_[column]; }

  private:
    static bool farther(const Near<Cost>& a, const Near<Cost>& b) {
        return b.distance < a.distance || (!(a.distance < b.distance) && b.column < a.column);
    }

    const Edges& edges_;
    const Cost* price_ = nullptr;
    std::vector<Cost> distance_;
    std::vector<char> is_closed_;
    std::vector<std::size_t> from_, reached_;
    std::vector<std::int64_t> by_;
    std::vector<Near<Cost>> heap_;
};

}  // namespace vesica::augmenting_paths

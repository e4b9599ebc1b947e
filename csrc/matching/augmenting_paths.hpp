// augmenting_paths.hpp. The cheapest assignment of rows to columns, by shortest augmenting paths.
//
// Rows come in one by one. Each takes a column, or pushes another row on to the next best one, along the path that adds
// least to the sum; so the sum over the rows that are in is smallest at every moment. Columns have prices (the dual
// variables), which only fall, and that of a column without an owner is 0. Before that, rows bid: most of them find
// their column by the two best offers alone, and only the rest need a path.
//
// A row may stay alone at a stated cost; where that is infinite it must not. Infinite entries forbid a pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"
#include "matching/assignment_costs.hpp"

namespace vesica::augmenting_paths {

// A row that must be matched and cannot: it and others, `rows` together, have one column fewer than they are.
struct Shortage {
    std::size_t row, rows;
};

template <class Cost, class Rows>
class Assignment {
  public:
    Assignment(Rows& rows, Cost alone)
        : rows_(rows),
          alone_(alone),
          edge_of_(rows.rows(), none),
          owner_(rows.columns(), none),
          price_(rows.columns()) {}

    std::optional<Shortage> run() {
        // Where every column will have an owner, prices may start anywhere, and start close.
        if (rows_.rows() == rows_.columns() && !(alone_ < unreachable<Cost>)) rows_.column_minima(price_.data());
        for (const std::size_t row : bids())
            if (const auto shortage = insert(row)) return shortage;
        return std::nullopt;
    }

    // The edge of each row, or `none`.
    const std::vector<std::int64_t>& edge_of() const { return edge_of_; }

  private:
    // Each row takes its best column and lowers the price until the second best is as good; the row that had it before
    // bids again. Prices can fight over ever smaller steps, so the bids are counted. Rows that are left over need a
    // path.
    std::vector<std::size_t> bids() {
        constexpr std::size_t bids_of_a_row = 4;
        std::size_t left = bids_of_a_row * rows_.rows();
        std::vector<std::size_t> waiting;
        for (std::size_t first = 0; first < rows_.rows(); ++first) {
            std::int64_t row = static_cast<std::int64_t>(first);
            while (row != none) row = left-- ? bid(static_cast<std::size_t>(row), waiting) : waits(row, waiting, left);
        }
        return waiting;
    }

    static std::int64_t waits(std::int64_t row, std::vector<std::size_t>& waiting, std::size_t& left) {
        left = 0;
        waiting.push_back(static_cast<std::size_t>(row));
        return none;
    }

    // Returns the row that lost its column, or `none`.
    std::int64_t bid(std::size_t row, std::vector<std::size_t>& waiting) {
        steps_.add(price_.size());
        const Offers<Cost> found = rows_.offers(row, price_.data());
        if (alone_ < found.low) return none;  // prices only fall, so it stays alone
        const Cost second = std::min(found.second, alone_);
        const std::int64_t before = owner_[found.column];
        const bool falls = found.low < second && second < unreachable<Cost>;
        // Without a fall two rows could take it from each other for ever.
        if (!(found.low < unreachable<Cost>) || (before != none && !falls)) {
            waiting.push_back(row);
            return none;
        }
        if (falls) price_[found.column] = price_[found.column] - (second - found.low);
        owner_[found.column] = static_cast<std::int64_t>(row);
        edge_of_[row] = rows_.edge(row, found.column);
        if (before != none) edge_of_[static_cast<std::size_t>(before)] = none;
        return before;
    }

    std::optional<Shortage> insert(std::size_t row) {
        rows_.begin(price_.data());
        closed_.clear();
        std::size_t at = row, loner = row;
        Cost start{}, least_alone = unreachable<Cost>;
        Near<Cost> near;
        for (;;) {
            if (start + alone_ < least_alone) least_alone = start + alone_, loner = at;
            rows_.relax(at, start);
            steps_.add(price_.size());
            near = rows_.nearest(owner_.data());
            if (least_alone < near.distance) break;
            if (!(near.distance < unreachable<Cost>)) return Shortage{row, closed_.size() + 1};
            if (owner_[near.column] == none) break;
            rows_.close(near.column);
            closed_.push_back(near);
            at = static_cast<std::size_t>(owner_[near.column]);
            start = near.distance - (rows_.cost(edge_of_[at]) - price_[near.column]);
        }
        const bool ends_alone = least_alone < near.distance;
        const Cost end = ends_alone ? least_alone : near.distance;
        for (const Near<Cost>& c : closed_) price_[c.column] = price_[c.column] - (end - c.distance);
        if (!ends_alone)
            hand_on(row, near.column);
        else if (loner != row)
            hand_on(row, rows_.column(std::exchange(edge_of_[loner], none)));
        return std::nullopt;
    }

    // The column goes to the row from which it was reached, that row's own column to the one before, up to `row`.
    void hand_on(std::size_t row, std::size_t column) {
        for (;;) {
            const std::size_t taker = rows_.reached_from(column);
            const std::int64_t before = std::exchange(edge_of_[taker], rows_.reached_by(column));
            owner_[column] = static_cast<std::int64_t>(taker);
            if (taker == row) return;
            column = rows_.column(before);
        }
    }

    Rows& rows_;
    const Cost alone_;
    std::vector<std::int64_t> edge_of_, owner_;
    std::vector<Cost> price_;
    std::vector<Near<Cost>> closed_;
    interrupt::Steps steps_;
};

}  // namespace vesica::augmenting_paths

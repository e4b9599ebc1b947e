// assign.hpp. One-to-one matching: which of the allowed pairs are chosen. No row and no column is in two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/named_enum.hpp"
#include "matching/augmenting_paths.hpp"

namespace vesica::assign {

using augmenting_paths::Shortage;

// Rows and columns that may be paired, ordered by row. A pair whose value is NaN is not allowed.
struct Pairs {
    const std::int64_t *row, *column;
    const double* value;
    std::size_t count;
    std::size_t rows, columns;
};

// Columns choose, the highest score first, equal ones and those without scores (nullptr) in their own order: each the
// free row with the largest value, among equals the first. No score is NaN. Returns the places of the chosen pairs,
// ordered by row.
std::vector<std::int64_t> greedy(const Pairs& pairs, const double* scores);

// What the best choice is: the largest sum, where rows may stay unmatched; the most pairs, and then the largest sum;
// or the largest sum among those that leave no row out.
#define VESICA_GOALS(X) X(sum) X(count) X(complete)
VESICA_NAMED_ENUM(Goal, int, VESICA_GOALS);

// Either the places of the chosen pairs, ordered by row, or a row that cannot be had.
struct Choice {
    std::vector<std::int64_t> places;
    std::optional<Shortage> shortage;
};

// The best choice, by connected components: no pair joins two of them, so their best choices are the best together.
// Memory O(rows + columns + pairs).
Choice optimal(const Pairs& pairs, Goal goal, std::size_t threads);

// What costs may be, either side of 0: beyond, a sum along a path could overflow. _check/matching.py says the same to
// users.
inline constexpr double limit = 0x1p960;

// The same of a matrix of costs, of which small ones are wanted and infinite ones forbidden: the column of each row, or
// -1. With Goal::complete there must not be more rows than columns.
std::optional<Shortage> dense(const double* costs, std::size_t rows, std::size_t columns, Goal goal, std::int64_t* out);

}  // namespace vesica::assign

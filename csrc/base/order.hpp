// order.hpp. Rows in order: by score, best first, or by key; equal ones stay as they were.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"

namespace vesica::order {

using Rows = memory::Vector<std::uint32_t>;

constexpr std::size_t none = ~std::size_t(0);

// A number that falls as the score rises; that of NaN is the highest.
inline std::uint64_t falling(double score) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(score + 0.0);  // −0 is 0
    if (score != score) return ~std::uint64_t(0);
    return bits >> 63 ? bits : ~bits & ~(std::uint64_t(1) << 63);
}

// The row of the first score that is NaN, or `none`.
std::size_t first_nan(const double* scores, std::size_t count);

// Rows whose score is at least `least`, best first; equal scores by index. No score is NaN.
Rows best_first(const double* scores, std::size_t count, double least, std::size_t threads = 1);

// All rows, best first, NaN last; equal scores by index.
Rows all_best_first(const double* scores, std::size_t count, std::size_t threads = 1);

// Some scores.
struct Scores {
    const double* data;
    std::size_t count;
};

// The same of each of several lists, for all threads at once.
std::vector<Rows> all_best_first(const std::vector<Scores>& lists, std::size_t threads);

// Some rows of one key.
struct Group {
    const std::uint32_t* rows;
    std::size_t count;
};

// Rows by key; those of one key in the order they came in. And tasks: some groups each, for threads to share.
struct Groups {
    // `keys` has one for each row of the caller's table, or is null: one group.
    Groups(Rows rows, const std::uint32_t* keys, std::size_t rows_in_task, std::size_t threads = 1);

    std::size_t count() const { return starts.size() - 1; }
    Group operator[](std::size_t g) const { return {rows.data() + starts[g], starts[g + 1] - starts[g]}; }

    Rows rows;
    std::vector<std::size_t> starts;  // of each group, and the end
    std::vector<std::size_t> tasks;   // the first group of each, and the end
};

}  // namespace vesica::order

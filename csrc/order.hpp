// order.hpp. Rows in order: by score, best first, or by key; equal ones stay as they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vesica::order {

constexpr std::size_t none = ~std::size_t(0);

// The first score that is NaN, or none.
std::size_t first_nan(const double* scores, std::size_t count);

// Rows whose score is at least `least`, best first; equal scores by index. No score is NaN.
std::vector<std::uint32_t> best_first(const double* scores, std::size_t count, double least);

// The same rows, sorted by keys[row], equal keys in the order they have.
std::vector<std::uint32_t> by_key(std::vector<std::uint32_t> rows, const std::uint32_t* keys);

}  // namespace vesica::order

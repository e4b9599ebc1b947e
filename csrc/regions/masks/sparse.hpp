// sparse.hpp. Sparse stacks of masks: one column (n, y, x) for each pixel, in any order, perhaps more than once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regions/masks/pixels.hpp"

namespace vesica::sparse {

// The three rows of the index table, each of `count` numbers.
struct Indices {
    const std::int64_t *n, *y, *x;
    std::size_t count;
};

struct Size {
    std::int64_t n, height, width;
};

// The first column that lies outside, and which of its numbers (0: n, 1: y, 2: x); axis -1: all lie inside.
struct Finding {
    int axis = -1;
    std::size_t column = 0;
};

// Indices → the form of the kernels. Columns outside are a finding, or left out with `drop`.
Finding pack(Indices indices, Size size, bool drop, std::size_t threads, pixels::Owned& out);

}  // namespace vesica::sparse

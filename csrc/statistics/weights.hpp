// weights.hpp. How often each key is drawn in each replicate of a bootstrap: a hash decides, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vesica::statistics {

// A number of 32 bits is worth as many as the number of limits that it reaches; they rise.
struct Limits {
    const std::uint32_t* data;
    std::size_t count;
};

// out[r * count + i] = how often key i is drawn in replicate first + r. Replicates 2 p and 2 p + 1 are the lower and
// the upper half of one hash of the seed, p and the key.
void weights(const std::uint64_t* keys, std::size_t count, std::uint64_t seed, std::uint64_t first,
             std::size_t replicates, Limits limits, std::size_t threads, double* out);

}  // namespace vesica::statistics

// components.hpp. Which regions hang together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vesica::components {

// Regions linked by pairs (i[k], j[k]), directly or through others, get one number: the lowest row among them.
std::vector<std::int64_t> components(const std::int64_t* i, const std::int64_t* j, std::size_t pairs, std::size_t rows);

}  // namespace vesica::components

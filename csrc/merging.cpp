#include "merging.hpp"

#include <algorithm>
#include <numeric>

namespace vesica::merging {

std::vector<std::int64_t> components(const std::int64_t* i, const std::int64_t* j, std::size_t pairs,
                                     std::size_t rows) {
    std::vector<std::int64_t> parent(rows);
    std::iota(parent.begin(), parent.end(), std::int64_t(0));
    const auto root = [&](std::int64_t row) {
        while (parent[row] != row) row = parent[row] = parent[parent[row]];  // halving the way for the next one
        return row;
    };
    for (std::size_t k = 0; k < pairs; ++k) {
        const std::int64_t a = root(i[k]), b = root(j[k]);
        parent[std::max(a, b)] = std::min(a, b);
    }
    for (std::size_t row = 0; row < rows; ++row) parent[row] = parent[parent[row]];  // a parent is never behind
    return parent;
}

}  // namespace vesica::merging

#include "selection/components.hpp"

#include "base/union_find.hpp"

namespace vesica::components {

std::vector<std::int64_t> components(const std::int64_t* i, const std::int64_t* j, std::size_t pairs,
                                     std::size_t rows) {
    Connected connected(rows);
    for (std::size_t k = 0; k < pairs; ++k)
        connected.join(static_cast<std::size_t>(i[k]), static_cast<std::size_t>(j[k]));
    std::vector<std::int64_t> lowest(rows);
    for (std::size_t row = 0; row < rows; ++row) lowest[row] = static_cast<std::int64_t>(connected.find(row));
    return lowest;
}

}  // namespace vesica::components

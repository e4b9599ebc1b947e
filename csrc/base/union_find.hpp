// union_find.hpp. Which elements are connected, directly or through others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace vesica {

class Connected {
  public:
    explicit Connected(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }

    // The lowest of all that are connected with x.
    std::size_t find(std::size_t x) {
        while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];  // halving the way for the next one
        return x;
    }
    void join(std::size_t x, std::size_t y) {
        x = find(x), y = find(y);
        parent_[std::max(x, y)] = std::min(x, y);
    }

  private:
    std::vector<std::size_t> parent_;
};

}  // namespace vesica

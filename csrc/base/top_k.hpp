// top_k.hpp. The k best partners of each row, from rows of values that are made and forgotten.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/interrupt.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"

namespace vesica::top_k {

// The best k of a stream of values, best first; among equals the earlier one.
template <class R>
class Top {
  public:
    Top(std::size_t k, std::int64_t* index, R* value) : k_(k), index_(index), value_(value) {}

    // The smallest value in the list once it is full. NaN never enters: it compares false.
    bool admits(R value) const { return size_ < k_ ? value == value : value > value_[k_ - 1]; }
    bool full() const { return size_ == k_; }
    R least() const { return value_[k_ - 1]; }

    void put(std::int64_t index, R value) {
        std::size_t at = size_ < k_ ? size_++ : k_ - 1;
        for (; at > 0 && value_[at - 1] < value; --at) value_[at] = value_[at - 1], index_[at] = index_[at - 1];
        value_[at] = value, index_[at] = index;
    }

    // Slots that only NaN could fill.
    void close() {
        for (; size_ < k_; ++size_) index_[size_] = -1, value_[size_] = std::numeric_limits<R>::quiet_NaN();
    }

  private:
    std::size_t k_, size_ = 0;
    std::int64_t* index_;
    R* value_;
};

// Is any value above the bar? Without branches, so that it is a few vector instructions.
template <class R>
struct AnyAbove {
    static VESICA_INLINE void body(const R* VESICA_RESTRICT values, std::size_t count, R bar, bool* answer) {
        int any = 0;
        for (std::size_t j = 0; j < count; ++j) any |= values[j] > bar;
        *answer = any != 0;
    }
};

// make(i, from, count, values) writes the measure of a[i] with b[from ... from + count).
// index and value have n rows of k; k <= m. Ties go to the lower index.
template <class R, class Make>
void of_rows(std::size_t n, std::size_t m, std::size_t k, std::int64_t* index, R* value, std::size_t threads,
             const Make& make) {
    if (!n || !k) return;
    constexpr std::size_t width = 256, pairs_in_chunk = 1 << 14;
    threads::over(n, threads::at_least_one(pairs_in_chunk / m), threads, [&](std::size_t begin, std::size_t end) {
        R values[width];
        interrupt::Steps steps;
        for (std::size_t i = begin; i < end; ++i) {
            Top<R> top(k, index + i * k, value + i * k);
            for (std::size_t from = 0; from < m; from += width) {
                const std::size_t count = std::min(width, m - from);
                make(i, from, count, &values[0]);
                steps.add(count);
                bool worth = !top.full();
                if (!worth) simd::run<AnyAbove<R>>(&values[0], count, top.least(), &worth);
                if (!worth) continue;
                for (std::size_t j = 0; j < count; ++j)
                    if (top.admits(values[j])) top.put(static_cast<std::int64_t>(from + j), values[j]);
            }
            top.close();
        }
    });
}

}  // namespace vesica::top_k

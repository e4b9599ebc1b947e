// pairwise_sum.hpp. Sums of floats in NumPy's order, of numbers that come a few at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/simd.hpp"

namespace vesica {

// NumPy halves a long sum, at multiples of 8, until at most 128 numbers are left; of those it adds up eight columns
// side by side. How many numbers there will be is said beforehand: it decides where the halves are.
class PairwiseSum {
  public:
    void start(std::size_t count) {
        count_ = count;
        waiting_ = known_ = 0;
        if (count) open(count, 0);
    }

    VESICA_INLINE void add(const double* numbers, std::size_t count) {
        while (count) {
            const std::size_t grouped = leaf_ - leaf_ % 8;
            const std::size_t taken = at_ < grouped ? std::min(count, grouped - at_) : std::min(count, leaf_ - at_);
            if (at_ < grouped) {
                add_columns(numbers, taken);
                if (at_ + taken == grouped)
                    value_ = ((columns_[0] + columns_[1]) + (columns_[2] + columns_[3])) +
                             ((columns_[4] + columns_[5]) + (columns_[6] + columns_[7]));
            } else {
                for (std::size_t k = 0; k < taken; ++k) value_ += numbers[k];
            }
            at_ += taken;
            numbers += taken;
            count -= taken;
            if (at_ == leaf_) close();
        }
    }

    std::size_t count() const { return count_; }
    // Once all numbers were added.
    double total() const { return count_ ? sums_[0].value : 0; }

  private:
    static constexpr std::size_t longest_leaf = 128, deepest = 28;  // 2^30 numbers

    struct Part {
        std::uint32_t count, depth;
    };
    struct Sum {
        double value;
        std::uint32_t depth;
    };

    void open(std::size_t count, std::uint32_t depth) {
        while (count > longest_leaf) {
            const std::size_t half = count / 2 - count / 2 % 8;
            parts_[waiting_++] = {static_cast<std::uint32_t>(count - half), ++depth};
            count = half;
        }
        leaf_ = count;
        depth_ = depth;
        at_ = 0;
        value_ = 0;
        std::fill_n(columns_, 8, 0.0);
    }

    VESICA_INLINE void add_columns(const double* numbers, std::size_t count) {
        std::size_t k = 0;
        for (; k < count && (at_ + k) % 8; ++k) columns_[(at_ + k) % 8] += numbers[k];
        double columns[8];
        std::copy_n(columns_, 8, columns);
        for (; k + 8 <= count; k += 8)
            for (std::size_t j = 0; j < 8; ++j) columns[j] += numbers[k + j];
        std::copy_n(columns, 8, columns_);
        for (; k < count; ++k) columns_[(at_ + k) % 8] += numbers[k];
    }

    // Sums of equal depth are the two halves of one.
    void close() {
        Sum sum{value_, depth_};
        while (known_ && sums_[known_ - 1].depth == sum.depth) sum = {sums_[--known_].value + sum.value, sum.depth - 1};
        sums_[known_++] = sum;
        if (waiting_) {
            const Part next = parts_[--waiting_];
            open(next.count, next.depth);
        }
    }

    double columns_[8] = {};
    double value_ = 0;
    std::size_t count_ = 0, leaf_ = 0, at_ = 0, waiting_ = 0, known_ = 0;
    std::uint32_t depth_ = 0;
    Part parts_[deepest];
    Sum sums_[deepest];
};

}  // namespace vesica

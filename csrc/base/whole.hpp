// whole.hpp. Whole numbers of any length that floats lead to, without a sign: for decisions that rounding must not
// make.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vesica {

// The power of two of the lowest bit of x, which is finite and not 0.
int lowest_bit(double x);

class Whole {
  public:
    Whole() = default;
    explicit Whole(std::uint64_t value);
    // |x| / 2^exponent, for a finite x whose lowest bit is not below 2^exponent.
    Whole(double x, int exponent);

    bool is_zero() const { return !count_; }
    Whole shifted(unsigned bits) const;  // times 2^bits

    friend Whole operator+(const Whole& a, const Whole& b);
    friend Whole operator-(const Whole& a, const Whole& b);  // a >= b
    friend Whole operator*(const Whole& a, const Whole& b);
    friend bool operator<(const Whole& a, const Whole& b);

  private:
    // Coordinates below 2^510 whose lowest bits are 2^-1074 or above have 1584 bits, areas 3168; a threshold adds up to
    // 64 bits and a shift of up to 1127.
    static constexpr std::size_t room = 144;
    void trim(std::size_t count);

    std::size_t count_ = 0;  // the last digit is not 0
    std::array<std::uint32_t, room> digits_;
};

}  // namespace vesica

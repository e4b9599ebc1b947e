#include "base/whole.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace vesica {
namespace {

// |x| = mantissa * 2^exponent.
struct Taken {
    std::uint64_t mantissa;
    int exponent;
};

Taken taken(double x) {
    int exponent = 0;
    const double share = std::frexp(std::fabs(x), &exponent);
    return {static_cast<std::uint64_t>(std::ldexp(share, 53)), exponent - 53};
}

}  // namespace

int lowest_bit(double x) {
    const Taken found = taken(x);
    return found.exponent + std::countr_zero(found.mantissa);
}

Whole::Whole(std::uint64_t value) {
    digits_[0] = static_cast<std::uint32_t>(value), digits_[1] = static_cast<std::uint32_t>(value >> 32);
    trim(2);
}

Whole::Whole(double x, int exponent) {
    if (x == 0) return;
    const Taken found = taken(x);
    const int zeros = std::countr_zero(found.mantissa);
    *this = Whole(found.mantissa >> zeros).shifted(static_cast<unsigned>(found.exponent + zeros - exponent));
}

Whole Whole::shifted(unsigned bits) const {
    if (is_zero()) return {};
    const std::size_t digits = bits / 32;
    const unsigned rest = bits % 32;
    assert(count_ + digits < room);
    Whole out;
    std::fill_n(out.digits_.begin(), digits, 0u);
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < count_; ++k) {
        carry |= static_cast<std::uint64_t>(digits_[k]) << rest;
        out.digits_[digits + k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    out.digits_[digits + count_] = static_cast<std::uint32_t>(carry);
    out.trim(digits + count_ + 1);
    return out;
}

Whole operator+(const Whole& a, const Whole& b) {
    if (a.count_ < b.count_) return b + a;
    assert(a.count_ < Whole::room);
    Whole out;
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < a.count_; ++k) {
        carry += static_cast<std::uint64_t>(a.digits_[k]) + (k < b.count_ ? b.digits_[k] : 0u);
        out.digits_[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    out.digits_[a.count_] = static_cast<std::uint32_t>(carry);
    out.trim(a.count_ + 1);
    return out;
}

Whole operator-(const Whole& a, const Whole& b) {
    assert(!(a < b));
    Whole out;
    std::uint64_t borrow = 0;
    for (std::size_t k = 0; k < a.count_; ++k) {
        const std::uint64_t left = std::uint64_t(a.digits_[k]) - (k < b.count_ ? b.digits_[k] : 0u) - borrow;
        out.digits_[k] = static_cast<std::uint32_t>(left);
        borrow = left >> 63;
    }
    out.trim(a.count_);
    return out;
}

Whole operator*(const Whole& a, const Whole& b) {
    assert(a.count_ + b.count_ <= Whole::room);
    Whole out;
    std::fill_n(out.digits_.begin(), a.count_ + b.count_, 0u);
    for (std::size_t i = 0; i < a.count_; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < b.count_; ++j) {
            carry += static_cast<std::uint64_t>(a.digits_[i]) * b.digits_[j] + out.digits_[i + j];
            out.digits_[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        out.digits_[i + b.count_] = static_cast<std::uint32_t>(carry);
    }
    out.trim(a.count_ + b.count_);
    return out;
}

bool operator<(const Whole& a, const Whole& b) {
    if (a.count_ != b.count_) return a.count_ < b.count_;
    for (std::size_t k = a.count_; k--;)
        if (a.digits_[k] != b.digits_[k]) return a.digits_[k] < b.digits_[k];
    return false;
}

void Whole::trim(std::size_t count) {
    while (count && !digits_[count - 1]) --count;
    count_ = count;
}

}  // namespace vesica

// wide.hpp. Whole products of two 64-bit numbers.
#pragma once

#include <compare>
#include <cstdint>

namespace vesica {

struct Wide {
    std::uint64_t high, low;
    friend bool operator==(const Wide&, const Wide&) = default;
    friend auto operator<=>(const Wide&, const Wide&) = default;
};

inline Wide multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    const auto all = static_cast<unsigned __int128>(a) * b;
    return {static_cast<std::uint64_t>(all >> 64), static_cast<std::uint64_t>(all)};
#else
    const std::uint64_t low = 0xffffffffu;
    const std::uint64_t a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
    const std::uint64_t mid = a1 * b0 + (a0 * b0 >> 32), mid2 = a0 * b1 + (mid & low);
    return {a1 * b1 + (mid >> 32) + (mid2 >> 32), a * b};
#endif
}

}  // namespace vesica

// input.hpp. What every target needs: the input where a sanitiser sees each step beyond it, and a way to complain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/simd.hpp"

namespace vesica::fuzz {

// The bytes in memory of exactly their size.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : size_(size), data_(new char[size]) {
        if (size) std::memcpy(data_.get(), data, size);
    }
    const char* begin() const { return data_.get(); }
    const char* end() const { return begin() + size_; }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_;
    std::unique_ptr<char[]> data_;
};

// Stop, so that libFuzzer keeps the input.
inline void hold(bool is_so, const char* rule) {
    if (is_so) return;
    std::fprintf(stderr, "broken: %s\n", rule);
    std::abort();
}

// Call act() with each instruction set that there is, the widest last.
template <class Act>
void each_level(const Act& act) {
    for (const simd::Level level : {simd::Level::baseline, simd::Level::avx2, simd::Level::avx512}) {
        if (level > simd::available()) return;
        simd::limit(level);
        act();
    }
}

}  // namespace vesica::fuzz

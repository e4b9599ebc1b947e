#include "base/simd.hpp"

#include <algorithm>
#include <atomic>

namespace vesica::simd {

Level available() {
#if VESICA_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return Level::avx512;
    if (__builtin_cpu_supports("avx2")) return Level::avx2;
#endif
    return Level::baseline;
}

bool counts_bits() {
#if VESICA_X86
    static const bool answer = [] {
        __builtin_cpu_init();
        return static_cast<bool>(__builtin_cpu_supports("avx512vpopcntdq"));
    }();
    return answer;
#else
    return false;
#endif
}

static std::atomic<Level> chosen{available()};

Level current() {
    return chosen.load(std::memory_order_relaxed);
}

void limit(Level level) {
    chosen.store(std::min(level, available()));
}

const char* name(Level level) {
    switch (level) {
        case Level::avx512: return "avx512";
        case Level::avx2: return "avx2";
        case Level::baseline: break;
    }
    return "baseline";
}

}  // namespace vesica::simd

// simd.hpp. One source, several instruction sets: the processor picks when the library runs.
#pragma once

#include <cstdint>

#if (defined(__x86_64__) || defined(_M_X64)) && (defined(__GNUC__) || defined(__clang__))
#define VESICA_X86 1
#define VESICA_AVX512_FEATURES "avx512f,avx512bw,avx512dq,avx512vl"
#if defined(__clang__)  // it takes the full width by itself, and would ignore the whole list for one unknown word
#define VESICA_AVX512 __attribute__((target(VESICA_AVX512_FEATURES)))
#else
#define VESICA_AVX512 __attribute__((target(VESICA_AVX512_FEATURES ",prefer-vector-width=512")))
#endif
#define VESICA_AVX512_COUNTING __attribute__((target(VESICA_AVX512_FEATURES ",avx512vpopcntdq")))
#define VESICA_AVX2 __attribute__((target("avx2")))
#else
#define VESICA_X86 0
#endif

// A kernel body must be inlined into each version below, or it keeps the baseline instructions.
#if defined(_MSC_VER) && !defined(__clang__)
#define VESICA_INLINE __forceinline
#define VESICA_NOINLINE __declspec(noinline)
#define VESICA_RESTRICT __restrict
#else
#define VESICA_INLINE inline __attribute__((always_inline))
#define VESICA_NOINLINE __attribute__((noinline))
#define VESICA_RESTRICT __restrict__
#endif

namespace vesica::simd {

// a or b, by bits: in a loop that keeps the index of the best so far, a plain choice becomes a masked store, at which
// processors are several times slower.
VESICA_INLINE std::int64_t choose(bool first, std::int64_t a, std::int64_t b) {
    const std::int64_t mask = -static_cast<std::int64_t>(first);
    return (a & mask) | (b & ~mask);
}

enum class Level { baseline, avx2, avx512 };

// The widest instruction set this processor and its operating system offer.
Level available();

// The one in use: `available()`, unless `limit` lowered it.
Level current();

// Use at most this level from now on. For tests, which compare the versions with each other.
void limit(Level level);

const char* name(Level level);

// Does the processor count the bits of many words in one instruction? Not all do that have AVX-512.
bool counts_bits();

#if VESICA_X86
template <class Kernel, class... Args>
VESICA_AVX512_COUNTING void run_avx512_counting(const Args&... args) {
    Kernel::body(args...);
}
template <class Kernel, class... Args>
VESICA_AVX512 void run_avx512(const Args&... args) {
    Kernel::body(args...);
}
template <class Kernel, class... Args>
VESICA_AVX2 void run_avx2(const Args&... args) {
    Kernel::body(args...);
}
#endif
template <class Kernel, class... Args>
void run_baseline(const Args&... args) {
    Kernel::body(args...);
}

// Run the body of the kernel, compiled once for each level. One that says `static constexpr bool is_counting = true`
// is compiled once more, for processors that count bits by vectors.
template <class Kernel, class... Args>
void run(const Args&... args) {
#if VESICA_X86
    switch (current()) {
        case Level::avx512:
            if constexpr (requires { Kernel::is_counting; })
                if (counts_bits()) return run_avx512_counting<Kernel>(args...);
            return run_avx512<Kernel>(args...);
        case Level::avx2: return run_avx2<Kernel>(args...);
        case Level::baseline: break;
    }
#endif
    run_baseline<Kernel>(args...);
}

}  // namespace vesica::simd

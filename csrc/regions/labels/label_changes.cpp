#include "regions/labels/label_changes.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if VESICA_X86
#include <immintrin.h>
#endif

namespace vesica::labels {
namespace {

template <class T>
std::uint64_t changes_at(const T* a, const T* b, std::size_t count) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < count; ++k)
        word |= static_cast<std::uint64_t>((a[k + 1] != a[k]) | (b[k + 1] != b[k])) << k;
    return word;
}

// Eight bytes as one number, the first lowest; compilers make one load of it.
std::uint64_t eight(const Byte* p) {
    std::uint64_t word = 0;
    for (unsigned k = 0; k < 8; ++k) word |= static_cast<std::uint64_t>(p[k]) << 8 * k;
    return word;
}

struct FindTops {
    static VESICA_INLINE void body(const Byte* data, std::size_t count, Byte* tops) {
        Byte top = 0, top_shifted = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const Byte shifted = static_cast<Byte>(data[k] + 1);
            top = std::max(top, data[k]), top_shifted = std::max(top_shifted, shifted);
        }
        tops[0] = top, tops[1] = top_shifted;
    }
};

void changes_baseline(const Byte* a, const Byte* b, std::size_t blocks, std::uint64_t* out, Tops& tops_a,
                      Tops& tops_b) {
    add_tops(a, blocks * block, tops_a), add_tops(b, blocks * block, tops_b);
    constexpr std::uint64_t each = 0x0101010101010101u;
    for (std::size_t w = 0; w < blocks; ++w) {
        out[w] = 0;
        for (std::size_t k = 0; k < block; k += 8) {
            const Byte *pa = a + w * block + k, *pb = b + w * block + k;
            const std::uint64_t differ = (eight(pa) ^ eight(pa + 1)) | (eight(pb) ^ eight(pb + 1));
            // The top bit of each byte that is not 0, brought down; then the eight of them side by side.
            const std::uint64_t ones = (((differ & 0x7f * each) + 0x7f * each) | differ) >> 7 & each;
            out[w] |= (ones * 0x0102040810204080u >> 56) << k;
        }
    }
}

void changes_baseline(const std::int64_t* a, const std::int64_t* b, std::size_t blocks, std::uint64_t* out) {
    for (std::size_t w = 0; w < blocks; ++w) out[w] = changes_at(a + w * block, b + w * block, block);
}

#if VESICA_X86
VESICA_AVX2 inline __m256i load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// The largest bytes of a vector, lane by lane.
struct Tops256 {
    __m256i plain, shifted;

    VESICA_AVX2 void add(__m256i bytes) {
        plain = _mm256_max_epu8(plain, bytes);
        shifted = _mm256_max_epu8(shifted, _mm256_sub_epi8(bytes, _mm256_set1_epi8(-1)));
    }
};

VESICA_AVX2 inline Byte largest(__m256i bytes) {
    Byte lanes[32];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), bytes);
    return *std::max_element(lanes, lanes + 32);
}

VESICA_AVX2 void changes_avx2(const Byte* a, const Byte* b, std::size_t blocks, std::uint64_t* out, Tops& tops_a,
                              Tops& tops_b) {
    Tops256 all_a{_mm256_setzero_si256(), _mm256_setzero_si256()}, all_b = all_a;
    for (std::size_t w = 0; w < blocks; ++w) {
        std::uint64_t equal = 0;
        for (std::size_t half = 0; half < 2; ++half) {
            const Byte *pa = a + w * block + half * 32, *pb = b + w * block + half * 32;
            const __m256i now_a = load(pa), now_b = load(pb);
            all_a.add(now_a), all_b.add(now_b);
            const __m256i same =
                _mm256_and_si256(_mm256_cmpeq_epi8(now_a, load(pa + 1)), _mm256_cmpeq_epi8(now_b, load(pb + 1)));
            equal |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(same))) << (32 * half);
        }
        out[w] = ~equal;
    }
    tops_a.add({largest(all_a.plain), largest(all_a.shifted)});
    tops_b.add({largest(all_b.plain), largest(all_b.shifted)});
}

VESICA_AVX2 void changes_avx2(const std::int64_t* a, const std::int64_t* b, std::size_t blocks, std::uint64_t* out) {
    for (std::size_t w = 0; w < blocks; ++w) {
        std::uint64_t equal = 0;
        for (std::size_t k = 0; k < block; k += 4) {
            const std::int64_t *pa = a + w * block + k, *pb = b + w * block + k;
            const __m256i same = _mm256_and_si256(_mm256_cmpeq_epi64(load(pa), load(pa + 1)),  //
                                                  _mm256_cmpeq_epi64(load(pb), load(pb + 1)));
            equal |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(same))) << k;
        }
        out[w] = ~equal;
    }
}

// Not by 64 bytes at a time: a load of those that is one byte further on always reaches into two lines of the cache.
VESICA_AVX2 void changes_avx512(const Byte* a, const Byte* b, std::size_t blocks, std::uint64_t* out, Tops& tops_a,
                                Tops& tops_b) {
    changes_avx2(a, b, blocks, out, tops_a, tops_b);
}

VESICA_AVX512 void changes_avx512(const std::int64_t* a, const std::int64_t* b, std::size_t blocks,
                                  std::uint64_t* out) {
    for (std::size_t w = 0; w < blocks; ++w) {
        std::uint64_t word = 0;
        for (std::size_t k = 0; k < block; k += 8) {
            const std::int64_t *pa = a + w * block + k, *pb = b + w * block + k;
            const unsigned some = _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(pa), _mm512_loadu_si512(pa + 1)) |
                                  _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(pb), _mm512_loadu_si512(pb + 1));
            word |= static_cast<std::uint64_t>(some) << k;
        }
        out[w] = word;
    }
}
#endif

template <class T, class... More>
void find(const T* a, const T* b, std::size_t count, Changes& out, More&... more) {
    const std::size_t full = (count - 1) / block, rest = (count - 1) % block;
    out[full] = changes_at(a + full * block, b + full * block, rest);
#if VESICA_X86
    switch (simd::current()) {
        case simd::Level::avx512: return changes_avx512(a, b, full, out.data(), more...);
        case simd::Level::avx2: return changes_avx2(a, b, full, out.data(), more...);
        case simd::Level::baseline: break;
    }
#endif
    changes_baseline(a, b, full, out.data(), more...);
}

}  // namespace

void add_tops(const Byte* data, std::size_t count, Tops& tops) {
    Byte found[2];
    simd::run<FindTops>(data, count, static_cast<Byte*>(found));
    tops.add({found[0], found[1]});
}

void find_changes(const Byte* a, const Byte* b, std::size_t count, Changes& out, Tops& tops_a, Tops& tops_b) {
    for (std::size_t k = (count - 1) / block * block; k < count; ++k) tops_a.add(a[k]), tops_b.add(b[k]);
    find(a, b, count, out, tops_a, tops_b);
}

void find_changes(const std::int64_t* a, const std::int64_t* b, std::size_t count, Changes& out) {
    find(a, b, count, out);
}

}  // namespace vesica::labels

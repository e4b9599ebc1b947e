#include "regions/masks/bits.hpp"

#include <array>
#include <bit>
#include <cstring>

#if VESICA_X86
#include <immintrin.h>
#endif

namespace vesica::bits {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are read eight at a time");

// Eight bytes, each 0 or not → eight bits.
std::uint64_t eight_bits(const std::uint8_t* bytes) {
    constexpr std::uint64_t sevens = 0x7f7f7f7f7f7f7f7full;
    std::uint64_t x;
    std::memcpy(&x, bytes, sizeof x);
    x = (((x & sevens) + sevens) | x) >> 7 & 0x0101010101010101ull;
    return x * 0x0102040810204080ull >> 56;
}

std::uint64_t word_baseline(const std::uint8_t* bytes) {
    std::uint64_t found = 0;
    for (std::size_t k = 0; k < word; k += 8) found |= eight_bits(bytes + k) << k;
    return found;
}

// Pack `count` whole words.
using Pack = std::uint64_t (*)(const std::uint8_t*, std::size_t, std::uint64_t*);

std::uint64_t pack_baseline(const std::uint8_t* bytes, std::size_t count, std::uint64_t* to) {
    std::uint64_t any = 0;
    for (std::size_t w = 0; w < count; ++w) any |= to[w] = word_baseline(bytes + word * w);
    return any;
}

// Eight bits → eight bytes of 0 and 1.
const std::array<std::uint64_t, 256> spread = [] {
    std::array<std::uint64_t, 256> t{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        std::uint8_t eight[8];
        for (std::size_t k = 0; k < 8; ++k) eight[k] = byte >> k & 1;
        std::memcpy(&t[byte], eight, sizeof eight);
    }
    return t;
}();

using Unpack = void (*)(const std::uint64_t*, std::size_t, std::uint8_t*);

void unpack_baseline(const std::uint64_t* from, std::size_t count, std::uint8_t* bytes) {
    for (std::size_t w = 0; w < count; ++w)
        for (std::size_t k = 0; k < word; k += 8) std::memcpy(bytes + word * w + k, &spread[from[w] >> k & 255], 8);
}

#if VESICA_X86
VESICA_AVX512 std::uint64_t pack_avx512(const std::uint8_t* bytes, std::size_t count, std::uint64_t* to) {
    std::uint64_t any = 0;
    for (std::size_t w = 0; w < count; ++w) {
        const __m512i x = _mm512_loadu_si512(bytes + word * w);
        any |= to[w] = _mm512_test_epi8_mask(x, x);
    }
    return any;
}

VESICA_AVX2 std::uint64_t pack_avx2(const std::uint8_t* bytes, std::size_t count, std::uint64_t* to) {
    std::uint64_t any = 0;
    const __m256i zero = _mm256_setzero_si256();
    for (std::size_t w = 0; w < count; ++w) {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + word * w));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + word * w + 32));
        const std::uint32_t a = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero)));
        const std::uint32_t b = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero)));
        any |= to[w] = a | static_cast<std::uint64_t>(b) << 32;
    }
    return any;
}

VESICA_AVX512 void unpack_avx512(const std::uint64_t* from, std::size_t count, std::uint8_t* bytes) {
    for (std::size_t w = 0; w < count; ++w) _mm512_storeu_si512(bytes + word * w, _mm512_maskz_set1_epi8(from[w], 1));
}
#endif

Pack pack_words() {
#if VESICA_X86
    switch (simd::current()) {
        case simd::Level::avx512: return pack_avx512;
        case simd::Level::avx2: return pack_avx2;
        case simd::Level::baseline: break;
    }
#endif
    return pack_baseline;
}

Unpack unpack_words() {
#if VESICA_X86
    if (simd::current() == simd::Level::avx512) return unpack_avx512;
#endif
    return unpack_baseline;
}

struct Transpose {
    // Exchange ever smaller blocks: the upper right with the lower left.
    static VESICA_INLINE void body(std::uint64_t* VESICA_RESTRICT rows) {
        step<32>(rows, 0x00000000ffffffffull);
        step<16>(rows, 0x0000ffff0000ffffull);
        step<8>(rows, 0x00ff00ff00ff00ffull);
        step<4>(rows, 0x0f0f0f0f0f0f0f0full);
        step<2>(rows, 0x3333333333333333ull);
        step<1>(rows, 0x5555555555555555ull);
    }
    template <std::size_t side>
    static VESICA_INLINE void step(std::uint64_t* VESICA_RESTRICT rows, std::uint64_t mask) {
        for (std::size_t top = 0; top < word; top += 2 * side)
            for (std::size_t r = top; r < top + side; ++r) {
                const std::uint64_t swap = ((rows[r] >> side) ^ rows[r + side]) & mask;
                rows[r] ^= swap << side, rows[r + side] ^= swap;
            }
    }
};

struct CountBoth {
    static constexpr bool is_counting = true;
    static VESICA_INLINE void body(Block a, Block b, std::size_t rows, std::size_t columns, std::int64_t* answer) {
        std::int64_t sum = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint64_t *VESICA_RESTRICT left = a.data + r * a.stride,
                                                 *VESICA_RESTRICT right = b.data + r * b.stride;
            for (std::size_t c = 0; c < columns; ++c) sum += std::popcount(left[c] & right[c]);
        }
        *answer = sum;
    }
};

struct CountUnder {
    static constexpr bool is_counting = true;
    static VESICA_INLINE void body(Block a, std::size_t rows, std::size_t columns, std::uint64_t first,
                                   std::uint64_t last, std::int64_t* answer) {
        std::int64_t sum = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint64_t mask = (r == 0 ? first : ~0ull) & (r + 1 == rows ? last : ~0ull);
            const std::uint64_t* VESICA_RESTRICT from = a.data + r * a.stride;
            for (std::size_t c = 0; c < columns; ++c) sum += std::popcount(from[c] & mask);
        }
        *answer = sum;
    }
};

}  // namespace

std::uint64_t pack(const std::uint8_t* bytes, std::size_t count, std::uint64_t* to) {
    const std::size_t whole = count / word, rest = count % word;
    std::uint64_t any = pack_words()(bytes, whole, to);
    if (rest) {
        std::uint8_t last[word] = {};
        std::memcpy(last, bytes + word * whole, rest);
        any |= to[whole] = word_baseline(last);
    }
    return any;
}

void unpack(const std::uint64_t* from, std::size_t count, std::uint8_t* bytes) {
    const std::size_t whole = count / word, rest = count % word;
    unpack_words()(from, whole, bytes);
    if (rest) {
        std::uint8_t last[word];
        unpack_baseline(from + whole, 1, last);
        std::memcpy(bytes + word * whole, last, rest);
    }
}

void transpose(std::uint64_t rows[word]) {
    simd::run<Transpose>(rows);
}

std::int64_t count_both(Block a, Block b, std::size_t rows, std::size_t columns) {
    std::int64_t answer;
    simd::run<CountBoth>(a, b, rows, columns, &answer);
    return answer;
}

std::int64_t count_under(Block a, std::size_t rows, std::size_t columns, std::uint64_t first, std::uint64_t last) {
    std::int64_t answer;
    simd::run<CountUnder>(a, rows, columns, first, last, &answer);
    return answer;
}

}  // namespace vesica::bits

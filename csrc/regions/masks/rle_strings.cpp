#include "regions/masks/rle_strings.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/simd.hpp"

#if VESICA_X86
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
// Its own header leaves lanes undefined on purpose, and GCC 12 warns of it.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace vesica::rle_strings {
namespace {

std::size_t copy_plain_baseline(const std::uint8_t* from, const std::uint8_t* end, std::uint8_t* to) {
    const std::uint8_t* at = from;
    while (at != end && *at != '"' && *at != '\\') *to++ = *at++;
    return static_cast<std::size_t>(at - from);
}

constexpr std::size_t unusual = SIZE_MAX;

// The numbers of a string, as written: differences are not resolved. Returns how many, or `unusual`: a character
// outside 48 … 111, a number that is cut off, or one of more than 20 bits.
std::size_t numbers_baseline(const std::uint8_t* text, std::size_t count, std::int32_t* out) {
    std::int32_t* to = out;
    for (std::size_t at = 0; at < count;) {
        const unsigned code = text[at] - 48u;
        if (code < 32) {  // one character, as most are
            *to++ = static_cast<std::int32_t>(code ^ 16) - 16, ++at;
            continue;
        }
        if (code > 63) return unusual;
        std::uint32_t bits = code & 31;
        for (unsigned shift = 5;; shift += 5) {
            if (++at == count || shift == 20) return unusual;
            const unsigned next = text[at] - 48u;
            if (next > 63) return unusual;
            bits |= (next & 31) << shift;
            if (next & 32) continue;
            if (next & 16) bits |= ~0u << (shift + 5);
            break;
        }
        *to++ = static_cast<std::int32_t>(bits), ++at;
    }
    return static_cast<std::size_t>(to - out);
}

// Numbers → where the counts end: begin and end of each run in turn, for as many as there are numbers. False if some
// count but the first is not positive, or all of them are more than the pixels.
//
// Differences begin with the fourth number, so the first has no part in them. A step is below 2^20: a count shows its
// sign before it could come round to being positive again.
bool resolve_baseline(const std::int32_t* numbers, std::size_t count, std::int64_t pixels, std::uint32_t* ends,
                      Sums& sums) {
    std::uint32_t lengths[2] = {0, 0};                             // of the last foreground and background
    std::uint32_t signs = static_cast<std::uint32_t>(numbers[0]);  // the highest bit: a count was negative, or 0
    std::int64_t position = numbers[0], area = 0;
    ends[0] = static_cast<std::uint32_t>(position);
    std::size_t k = 1;
    for (; k + 1 < count; k += 2) {
        lengths[0] += static_cast<std::uint32_t>(numbers[k]), signs |= lengths[0] - 1;
        area += lengths[0], position += lengths[0], ends[k] = static_cast<std::uint32_t>(position);
        lengths[1] += static_cast<std::uint32_t>(numbers[k + 1]), signs |= lengths[1] - 1;
        position += lengths[1], ends[k + 1] = static_cast<std::uint32_t>(position);
    }
    if (k < count) {
        lengths[0] += static_cast<std::uint32_t>(numbers[k]), signs |= lengths[0] - 1;
        area += lengths[0], position += lengths[0], ends[k] = static_cast<std::uint32_t>(position);
    }
    sums = {area, position};
    return !(signs >> 31) && position <= pixels;
}

#if VESICA_X86
VESICA_AVX512 std::size_t copy_plain_avx512(const std::uint8_t* from, const std::uint8_t* end, std::uint8_t* to) {
    const std::uint8_t* at = from;
    const __m512i quote = _mm512_set1_epi8('"'), slash = _mm512_set1_epi8('\\');
    for (; at != end; at += 64, to += 64) {
        const std::size_t left = std::min<std::size_t>(64, static_cast<std::size_t>(end - at));
        const __mmask64 valid = ~0ull >> (64 - left);
        const __m512i text = _mm512_maskz_loadu_epi8(valid, at);
        _mm512_storeu_si512(to, text);
        const std::uint64_t stops = _mm512_cmpeq_epi8_mask(text, quote) | _mm512_cmpeq_epi8_mask(text, slash);
        if (stops) return static_cast<std::size_t>(at - from) + static_cast<std::size_t>(std::countr_zero(stops));
        if (left < 64) return static_cast<std::size_t>(end - from);
    }
    return static_cast<std::size_t>(end - from);
}

// Which lanes a permutation takes so that those whose bit is set come first: a byte each.
constexpr std::array<std::uint64_t, 256> to_front = [] {
    std::array<std::uint64_t, 256> lanes{};
    for (unsigned set = 0; set < 256; ++set)
        for (unsigned lane = 0, place = 0; lane < 8; ++lane)
            if (set >> lane & 1) lanes[set] |= std::uint64_t(lane) << (8 * place++);
    return lanes;
}();

// Eight bytes, each as a lane.
VESICA_AVX2 inline __m256i lanes_of(const void* bytes) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(bytes)));
}

// The five bits of lower groups go below what is there, in the lanes whose bit is set.
VESICA_AVX2 inline __m256i with_lower(__m256i value, unsigned where, const std::uint8_t* groups) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i is_there = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(where)), bit), bit);
    const __m256i codes = _mm256_sub_epi32(lanes_of(groups), _mm256_set1_epi32(48));
    const __m256i group = _mm256_and_si256(codes, _mm256_set1_epi32(31));
    return _mm256_blendv_epi8(value, _mm256_or_si256(_mm256_slli_epi32(value, 5), group), is_there);
}

// As numbers_avx512 below, eight characters at a time.
VESICA_AVX2 std::size_t numbers_avx2(const std::uint8_t* text, std::size_t count, std::int32_t* out) {
    std::int32_t* to = out;
    const __m256i low = _mm256_set1_epi32(31), sign = _mm256_set1_epi32(16), high = _mm256_set1_epi32(~63);
    const auto flags = [](__m256i lanes) VESICA_AVX2 {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
    };
    unsigned bad = 0, open = 0;
    for (std::size_t at = 0; at < count; at += 8) {
        const unsigned valid = count - at < 8 ? (1u << (count - at)) - 1 : 0xffu;
        const __m256i code = _mm256_sub_epi32(lanes_of(text + at), _mm256_set1_epi32(48));
        const __m256i is_code = _mm256_cmpeq_epi32(_mm256_and_si256(code, high), _mm256_setzero_si256());
        bad |= valid & ~flags(is_code);
        const unsigned goes_on = valid & flags(_mm256_slli_epi32(code, 26));
        const unsigned before = goes_on << 4 | open;
        const unsigned one = before >> 3 & 0xff, two = one & before >> 2, three = two & before >> 1;
        bad |= three & before;
        __m256i value = _mm256_sub_epi32(_mm256_xor_si256(_mm256_and_si256(code, low), sign), sign);
        value = with_lower(value, one, text + at - 1);
        if (two) value = with_lower(value, two, text + at - 2);
        if (three) value = with_lower(value, three, text + at - 3);
        const unsigned ends = valid & ~goes_on;
        const __m256i packed = _mm256_permutevar8x32_epi32(value, lanes_of(&to_front[ends]));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), packed);
        to += std::popcount(ends);
        open = before >> 8;
    }
    const bool is_cut = count && (text[count - 1] - 48u) & 32;
    return bad || is_cut ? unusual : static_cast<std::size_t>(to - out);
}

// Sixteen characters.
VESICA_AVX512 inline __m512i codes(const std::uint8_t* at) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    return _mm512_sub_epi32(_mm512_cvtepu8_epi32(bytes), _mm512_set1_epi32(48));
}

// The five bits of lower groups go below what is there.
VESICA_AVX512 inline __m512i with_lower(__m512i value, __mmask16 where, const std::uint8_t* groups) {
    const __m512i group = _mm512_and_si512(codes(groups), _mm512_set1_epi32(31));
    return _mm512_mask_or_epi32(value, where, _mm512_slli_epi32(value, 5), group);
}

// Sixteen characters at a time: each that ends a number looks back at those before it.
VESICA_AVX512 std::size_t numbers_avx512(const std::uint8_t* text, std::size_t count, std::int32_t* out) {
    std::int32_t* to = out;
    const __m512i low = _mm512_set1_epi32(31), more = _mm512_set1_epi32(32), sign = _mm512_set1_epi32(16);
    __mmask16 bad = 0;
    std::uint32_t open = 0;  // a bit for each of the four characters before: does its number go on?
    for (std::size_t at = 0; at < count; at += 16) {
        const auto valid = static_cast<__mmask16>(count - at < 16 ? (1u << (count - at)) - 1 : 0xffffu);
        const __m512i code = codes(text + at);
        bad |= _mm512_mask_cmpgt_epu32_mask(valid, code, _mm512_set1_epi32(63));
        const __mmask16 goes_on = _mm512_mask_test_epi32_mask(valid, code, more);
        // Bit k + 4 - j: does the character j places before k go on?
        const std::uint32_t before = static_cast<std::uint32_t>(goes_on) << 4 | open;
        const auto one = static_cast<__mmask16>(before >> 3), two = static_cast<__mmask16>(one & before >> 2);
        const auto three = static_cast<__mmask16>(two & before >> 1), four = static_cast<__mmask16>(three & before);
        bad |= four;
        __m512i value = _mm512_sub_epi32(_mm512_xor_si512(_mm512_and_si512(code, low), sign), sign);
        value = with_lower(value, one, text + at - 1);
        if (two) value = with_lower(value, two, text + at - 2);
        if (three) value = with_lower(value, three, text + at - 3);
        const auto ends = static_cast<__mmask16>(valid & ~goes_on);
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(ends, value));
        to += std::popcount(static_cast<unsigned>(ends));
        open = before >> 16;
    }
    const bool is_cut = count && (text[count - 1] - 48u) & 32;
    return bad || is_cut ? unusual : static_cast<std::size_t>(to - out);
}

// Lanes moved up by k, zeros behind them.
template <int k>
VESICA_AVX512 inline __m512i up(__m512i lanes) {
    return _mm512_alignr_epi32(lanes, _mm512_setzero_si512(), 16 - k);
}

// Sixteen numbers at a time: sums over every second one are counts, sums over these are ends.
VESICA_AVX512 bool resolve_avx512(const std::int32_t* numbers, std::size_t count, std::int64_t pixels,
                                  std::uint32_t* ends, Sums& sums) {
    const __m512i most = _mm512_set1_epi32(static_cast<int>(pixels));
    const __m512i last_two = _mm512_set_epi32(15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14);
    __m512i lengths = _mm512_setzero_si512(), position = _mm512_set1_epi32(numbers[0]);
    __m512i area = _mm512_setzero_si512();
    ends[0] = static_cast<std::uint32_t>(numbers[0]);
    __mmask16 bad = _mm512_cmpgt_epu32_mask(position, most);
    for (std::size_t k = 1; k < count; k += 16) {
        const auto valid = static_cast<__mmask16>(count - k < 16 ? (1u << (count - k)) - 1 : 0xffffu);
        __m512i length = _mm512_maskz_loadu_epi32(valid, numbers + k);
        length = _mm512_add_epi32(length, up<2>(length));
        length = _mm512_add_epi32(length, up<4>(length));
        length = _mm512_add_epi32(length, up<8>(length));
        length = _mm512_maskz_add_epi32(valid, length, lengths);
        lengths = _mm512_permutexvar_epi32(last_two, length);
        bad |= _mm512_cmpgt_epu32_mask(length, most) | _mm512_mask_testn_epi32_mask(valid, length, length);
        area = _mm512_mask_add_epi32(area, 0x5555, area, length);
        __m512i end = _mm512_add_epi32(length, up<1>(length));
        end = _mm512_add_epi32(end, up<2>(end));
        end = _mm512_add_epi32(end, up<4>(end));
        end = _mm512_add_epi32(_mm512_add_epi32(end, up<8>(end)), position);
        position = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), end);
        bad |= _mm512_cmpgt_epu32_mask(end, most);
        _mm512_storeu_si512(ends + k, end);
    }
    const auto whole = [](int lane) { return static_cast<std::int64_t>(static_cast<std::uint32_t>(lane)); };
    sums = {whole(_mm512_reduce_add_epi32(area)), whole(_mm512_cvtsi512_si32(position))};
    return !bad;
}
#endif

bool is_wide() {
#if VESICA_X86
    return simd::current() == simd::Level::avx512;
#else
    return false;
#endif
}

std::size_t numbers(const std::uint8_t* text, std::size_t count, std::int32_t* out) {
#if VESICA_X86
    if (is_wide()) return numbers_avx512(text, count, out);
    if (simd::current() == simd::Level::avx2) return numbers_avx2(text, count, out);
#endif
    return numbers_baseline(text, count, out);
}

bool resolve(const std::int32_t* numbers, std::size_t count, std::int64_t pixels, std::uint32_t* ends, Sums& sums) {
#if VESICA_X86
    constexpr std::int64_t most = std::int64_t(1) << 27;  // sixteen counts and a position fit into 32 bits
    if (is_wide() && pixels <= most) return resolve_avx512(numbers, count, pixels, ends, sums);
#endif
    return resolve_baseline(numbers, count, pixels, ends, sums);
}

}  // namespace

std::size_t copy_plain(const std::uint8_t* from, const std::uint8_t* end, std::uint8_t* to) {
#if VESICA_X86
    if (is_wide()) return copy_plain_avx512(from, end, to);
#endif
    return copy_plain_baseline(from, end, to);
}

bool Reader::quick(const std::uint8_t* text, std::size_t length, std::int64_t pixels,
                   memory::Vector<runs::ShortRun>& runs, Sums& sums) {
    static_assert(sizeof(runs::ShortRun) == 2 * sizeof(std::uint32_t));
    numbers_.resize(length + room);
    const std::size_t count = numbers(text, length, numbers_.data());
    if (count == unusual || !count) return false;
    runs.resize((count + 1 + room) / 2);
    if (!resolve(numbers_.data(), count, pixels, &runs.data()->begin, sums)) return false;
    runs.resize(count / 2);
    return true;
}

runs::Fault number(const std::uint8_t* text, std::size_t end, std::size_t& at, std::int64_t& value) {
    using runs::Fault;
    constexpr unsigned most_bits = 60;  // beyond any image; one more group may hold nothing but the sign
    std::uint64_t bits = 0;
    unsigned shift = 0;
    for (;;) {
        if (at == end) return Fault::cut;
        const unsigned code = text[at] - 48u;
        if (code > 63) return Fault::character;
        const std::uint64_t group = code & 31;
        if (shift > most_bits || (shift == most_bits && group != 0 && group != 31)) return Fault::too_large;
        bits |= group << shift;
        shift += 5, ++at;
        if (code & 32) continue;
        if (code & 16 && shift < 64) bits |= ~0ull << shift;  // the sign goes on
        value = static_cast<std::int64_t>(bits);
        return Fault::none;
    }
}

}  // namespace vesica::rle_strings

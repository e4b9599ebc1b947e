#include "io/json/number_lists.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/simd.hpp"

#if VESICA_X86
#include <immintrin.h>
#endif

namespace vesica::number_lists {
namespace {

// Which of 64 characters are what: a bit for each, the first the lowest.
struct Classes {
    std::uint64_t digit, zero, point, minus, comma, space, open, close;
};

// What stood before the next 64 characters, each 0 or 1.
struct Before {
    std::uint64_t digit = 0, point = 0, minus = 0, comma = 0, space = 0, open = 0, close = 0;
    std::uint64_t leading_zero = 0, in_fraction = 0;
};

// Passed by value, so that it stays in registers.
struct State {
    const char* at;
    int opened, room;
    Skipped safe;  // the answer, if nothing better comes
    bool is_over = false;
    Before before{};
};

std::uint64_t below(int place) {
    return place > 63 ? ~std::uint64_t(0) : (std::uint64_t(1) << place) - 1;
}

VESICA_INLINE std::uint64_t moved(std::uint64_t mask, std::uint64_t& before) {
    const std::uint64_t answer = mask << 1 | before;
    before = mask >> 63;
    return answer;
}

// Take the next 64 characters. False at the end of the list, or where the text is not plain: then `safe` has the
// answer.
VESICA_INLINE bool step(const Classes& is, const char* at, State& state) {
    Before& before = state.before;
    const std::uint64_t digit = moved(is.digit, before.digit), point = moved(is.point, before.point);
    const std::uint64_t minus = moved(is.minus, before.minus), comma = moved(is.comma, before.comma);
    const std::uint64_t space = moved(is.space, before.space), open = moved(is.open, before.open);
    const std::uint64_t close = moved(is.close, before.close);

    // Each character has those it may follow.
    const std::uint64_t start = open | comma | space, whole = digit | close;
    std::uint64_t right = is.digit & (digit | point | minus | start);
    right |= is.point & digit;
    right |= (is.minus | is.open) & start;
    right |= is.comma & whole;
    right |= is.space & comma;
    right |= is.close & (whole | open);
    // A number that begins with 0 has no other digit before its point.
    right &= ~(is.digit & moved(is.digit & (start | minus) & is.zero, before.leading_zero));
    // A fraction is not followed by a second point. Adding its first digit to the mask of digits carries through the
    // run of digits, so that the sum has a bit at the character behind the fraction.
    const std::uint64_t first = is.digit & point;
    const std::uint64_t partial = is.digit + before.in_fraction;
    const std::uint64_t sum = partial + first;
    before.in_fraction = partial < is.digit || sum < partial;
    right &= ~(sum & ~is.digit & is.point);
    // So many digits in a row may be more than an integer may have.
    if (is.digit == ~std::uint64_t(0)) right = 0;

    const int plain = std::countr_one(right);
    std::uint64_t brackets = (is.open | is.close) & below(plain);
    int opened = state.opened;
    for (; brackets; brackets &= brackets - 1) {
        const int place = std::countr_zero(brackets);
        opened += is.open >> place & 1 ? 1 : -1;
        if (opened > state.room) return state.is_over = true, false;
        if (opened == 0) {
            state.safe = {at + place + 1, 0};
            return state.is_over = true, false;
        }
    }
    if (const std::uint64_t commas = is.comma & below(plain)) {
        const int last = 63 - std::countl_zero(commas);
        const int before_it = std::popcount(is.open & below(last)) - std::popcount(is.close & below(last));
        state.safe = {at + last + 1, state.opened + before_it};
    }
    state.opened = opened;
    state.is_over = plain < 64;
    return plain == 64;
}

#if VESICA_X86
VESICA_AVX512 State run_avx512(State state, const char* end) {
    for (; end - state.at >= 64; state.at += 64) {
        const char* const at = state.at;
        const __m512i text = _mm512_loadu_si512(at);
        const auto is = [&](char c) VESICA_AVX512 { return _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(c)); };
        const auto digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(text, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
        if (!step({digit, is('0'), is('.'), is('-'), is(','), is(' '), is('['), is(']')}, at, state)) break;
    }
    return state;
}

VESICA_AVX2 State run_avx2(State state, const char* end) {
    for (; end - state.at >= 64; state.at += 64) {
        const char* const at = state.at;
        const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
        const auto bits = [&](__m256i low, __m256i high) VESICA_AVX2 {
            return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
                   static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
        };
        const auto is = [&](char c) VESICA_AVX2 {
            return bits(_mm256_cmpeq_epi8(a, _mm256_set1_epi8(c)), _mm256_cmpeq_epi8(b, _mm256_set1_epi8(c)));
        };
        const auto is_digit = [&](__m256i text) VESICA_AVX2 {
            const __m256i value = _mm256_sub_epi8(text, _mm256_set1_epi8('0'));
            return _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)), value);
        };
        const std::uint64_t digit = bits(is_digit(a), is_digit(b));
        if (!step({digit, is('0'), is('.'), is('-'), is(','), is(' '), is('['), is(']')}, at, state)) break;
    }
    return state;
}

State run_baseline(State state, const char* end) {
    for (; end - state.at >= 64; state.at += 64) {
        const char* const at = state.at;
        __m128i text[4];
        std::memcpy(text, at, 64);
        const auto bits = [&](auto test) {
            std::uint64_t found = 0;
            for (int k = 0; k < 4; ++k)
                found |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(test(text[k])))) << 16 * k;
            return found;
        };
        const auto is = [&](char c) { return bits([&](__m128i v) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); }); };
        const std::uint64_t digit = bits([](__m128i v) {
            const __m128i value = _mm_sub_epi8(v, _mm_set1_epi8('0'));
            return _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
        });
        if (!step({digit, is('0'), is('.'), is('-'), is(','), is(' '), is('['), is(']')}, at, state)) break;
    }
    return state;
}
#else
State run_baseline(State state, const char* end) {
    for (; end - state.at >= 64; state.at += 64) {
        const char* const at = state.at;
        Classes is{};
        for (int k = 0; k < 64; ++k) {
            const std::uint64_t bit = std::uint64_t(1) << k;
            switch (at[k]) {
                case '0': is.zero |= bit; [[fallthrough]];
                case '1':
                case '2':
                case '3':
                case '4':
                case '5':
                case '6':
                case '7':
                case '8':
                case '9': is.digit |= bit; break;
                case '.': is.point |= bit; break;
                case '-': is.minus |= bit; break;
                case ',': is.comma |= bit; break;
                case ' ': is.space |= bit; break;
                case '[': is.open |= bit; break;
                case ']': is.close |= bit; break;
                default: break;
            }
        }
        if (!step(is, at, state)) break;
    }
    return state;
}
#endif

State run(const State& state, const char* end) {
#if VESICA_X86
    switch (simd::current()) {
        case simd::Level::avx512: return run_avx512(state, end);
        case simd::Level::avx2: return run_avx2(state, end);
        case simd::Level::baseline: break;
    }
#endif
    return run_baseline(state, end);
}

}  // namespace

Skipped skip(const char* at, const char* end, int opened, int room) {
    State state{at, opened, room, {at, opened}};
    state.before.comma = 1;  // a value is due
    state = run(state, end);
    if (state.is_over) return state.safe;
    // The end of the text, in a room of its own.
    char rest[64] = {};
    const char* const from = state.at;
    if (from < end) std::memcpy(rest, from, static_cast<std::size_t>(end - from));
    const Skipped safe = std::exchange(state.safe, {nullptr, 0});
    state.at = rest;
    state = run(state, rest + 64);
    return state.safe.at ? Skipped{from + (state.safe.at - rest), state.safe.opened} : safe;
}

}  // namespace vesica::number_lists

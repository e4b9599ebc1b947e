#include "statistics/weights.hpp"

#include <algorithm>
#include <vector>

#include "base/interrupt.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"

namespace vesica::statistics {
namespace {

constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
// Keys at a time: what is between the steps of a block stays in the first cache.
constexpr std::size_t block = 512;
// Limits that all numbers are held against, and numbers of which one that reaches the next is looked for at a time: of
// Poisson's limits for a mean of 1, one number in 273 reaches the fifth.
constexpr std::size_t often = 4, group = 32;

// The finaliser of SplitMix64.
VESICA_INLINE std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct MixAll {
    static VESICA_INLINE void body(const std::uint64_t* VESICA_RESTRICT keys, std::size_t count,
                                   std::uint64_t* VESICA_RESTRICT out) {
        for (std::size_t k = 0; k < count; ++k) out[k] = mix(keys[k]);
    }
};

// Two replicates of some keys; one that is not wanted has no room.
struct Draw {
    static VESICA_INLINE void body(const std::uint64_t* VESICA_RESTRICT mixed, std::size_t count, std::uint64_t state,
                                   Limits limits, double* low, double* high) {
        std::uint32_t halves[2][block];
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint64_t found = mix(mixed[k] + state);
            halves[0][k] = static_cast<std::uint32_t>(found);
            halves[1][k] = static_cast<std::uint32_t>(found >> 32);
        }
        if (low) worth(halves[0], count, limits, low);
        if (high) worth(halves[1], count, limits, high);
    }
    // The first limits are for all; few numbers reach the next one, and the others are for the groups that have some.
    static VESICA_INLINE void worth(const std::uint32_t* VESICA_RESTRICT numbers, std::size_t count, Limits limits,
                                    double* VESICA_RESTRICT out) {
        const std::size_t usual = std::min<std::size_t>(often, limits.count);
        std::int32_t reached[block];
        for (std::size_t k = 0; k < count; ++k) reached[k] = 0;
        for (std::size_t at = 0; at < usual; ++at) {
            const std::uint32_t limit = limits.data[at];
            for (std::size_t k = 0; k < count; ++k) reached[k] += numbers[k] >= limit;
        }
        for (std::size_t first = 0; first < count && usual < limits.count; first += group) {
            const std::size_t size = std::min(group, count - first);
            std::uint32_t top = 0;
            for (std::size_t k = 0; k < size; ++k) top = std::max(top, numbers[first + k]);
            for (std::size_t at = usual; at < limits.count && top >= limits.data[at]; ++at)
                for (std::size_t k = 0; k < size; ++k) reached[first + k] += numbers[first + k] >= limits.data[at];
        }
        for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<double>(reached[k]);
    }
};

}  // namespace

void weights(const std::uint64_t* keys, std::size_t count, std::uint64_t seed, std::uint64_t first,
             std::size_t replicates, Limits limits, std::size_t threads, double* out) {
    if (!replicates || !count) return;
    std::vector<std::uint64_t> mixed(count);
    simd::run<MixAll>(keys, count, mixed.data());
    const std::uint64_t inner = mix(seed + step), first_pair = first / 2;
    const std::size_t pairs = static_cast<std::size_t>((first + replicates - 1) / 2 - first_pair) + 1;
    const std::size_t grain = std::max<std::size_t>(1, (1 << 16) / count);
    threads::over(pairs, grain, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const std::uint64_t pair = first_pair + p, state = mix(inner + (pair + 1) * step);
            const auto row = [&](std::uint64_t replicate) -> double* {
                const bool is_wanted = replicate >= first && replicate - first < replicates;
                return is_wanted ? out + static_cast<std::size_t>(replicate - first) * count : nullptr;
            };
            double *const low = row(2 * pair), *const high = row(2 * pair + 1);
            for (std::size_t k = 0; k < count; k += block) {
                const std::size_t size = std::min(block, count - k);
                simd::run<Draw>(mixed.data() + k, size, state, limits, low ? low + k : nullptr,
                                high ? high + k : nullptr);
            }
            interrupt::poll();
        }
    });
}

}  // namespace vesica::statistics

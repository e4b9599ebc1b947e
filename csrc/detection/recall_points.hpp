// recall_points.hpp. How many truths must be found to reach given recalls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/simd.hpp"

namespace vesica::recall_points {

// out[r] = the fewest right guesses n whose recall n / positives, by this very division, is not below recalls[r];
// positives + 1 where that is out of reach. There is at least one positive. Beyond 2^32 − 1, which no guesses reach, n
// is that.
struct Needed {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT recalls, std::size_t count, std::int64_t positives,
                                   std::uint32_t* VESICA_RESTRICT out) {
        // Vectors of short integers are twice as long.
        if (positives < INT32_MAX - 4)
            each<std::int32_t>(recalls, count, positives, out);
        else
            each<std::int64_t>(recalls, count, positives, out);
    }

    template <class Int>
    static VESICA_INLINE void each(const double* VESICA_RESTRICT recalls, std::size_t count, std::int64_t positives,
                                   std::uint32_t* VESICA_RESTRICT out) {
        const double all = static_cast<double>(positives);
        const std::int64_t most = std::min<std::int64_t>(positives + 1, UINT32_MAX);
        for (std::size_t r = 0; r < count; ++r) {
            const double recall = recalls[r];
            // The product may be rounded to a whole number on either side: of one below it and two above, those
            // that fall short are counted.
            const double near = (recall > 0 ? std::min(recall, 1.0) : 0.0) * all;
            const auto low = static_cast<Int>(std::max(near - 1, 0.0));
            Int n = low;
            for (Int k = 0; k < 3; ++k) n += static_cast<double>(low + k) / all < recall;
            out[r] = static_cast<std::uint32_t>(std::min<std::int64_t>(n, most));
        }
    }
};

inline void needed(const double* recalls, std::size_t count, std::int64_t positives, std::uint32_t* out) {
    simd::run<Needed>(recalls, count, positives, out);
}

}  // namespace vesica::recall_points

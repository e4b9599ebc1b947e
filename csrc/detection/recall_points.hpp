// recall_points.hpp. How many truths must be found to reach given recalls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/simd.hpp"

namespace vesica::recall_points {

// out[r] = the fewest right guesses n whose recall n / positives, by this very division, is not below recalls[r];
// positives + 1 where that is out of reach. There is at least one positive.
struct Needed {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT recalls, std::size_t count, std::int64_t positives,
                                   std::uint32_t* VESICA_RESTRICT out) {
        const double all = static_cast<double>(positives);
        for (std::size_t r = 0; r < count; ++r) {
            const double recall = recalls[r];
            // The product may be rounded to a whole number on either side: of one below it and two above, those
            // that fall short are counted.
            const double near = (recall > 0 ? std::min(recall, 1.0) : 0.0) * all;
            const auto low = static_cast<std::int32_t>(std::max(near - 1, 0.0));
            std::int32_t n = low;
            for (std::int32_t k = 0; k < 3; ++k) n += static_cast<double>(low + k) / all < recall;
            out[r] = static_cast<std::uint32_t>(std::min<std::int64_t>(n, positives + 1));
        }
    }
};

inline void needed(const double* recalls, std::size_t count, std::int64_t positives, std::uint32_t* out) {
    simd::run<Needed>(recalls, count, positives, out);
}

}  // namespace vesica::recall_points

#include "base/threshold.hpp"

#include <algorithm>

namespace vesica {

bool reaches(const Whole& num, const Whole& den, const Threshold& t) {
    const Whole left = (num * Whole(t.q)).shifted(t.shift), right = den * Whole(t.p);
    return !num.is_zero() && (t.strict ? right < left : !(left < right));
}

bool reaches_closely(double num, double den, const Threshold& t) {
    if (!std::isfinite(num) || !std::isfinite(den)) return false;  // of rows that were not checked
    if (!(den > 0)) return num > 0;
    const int lowest = std::min(lowest_bit(num), lowest_bit(den));
    return reaches(Whole(num, lowest), Whole(den, lowest), t);
}

}  // namespace vesica

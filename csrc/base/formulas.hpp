// formulas.hpp. The measures of any regions behind pointers, for loops in which a pair costs far more than a call: such
// a loop is compiled once, not once for each measure.
#pragma once

#include <cstdint>

#include "base/measures.hpp"
#include "base/threshold.hpp"

namespace vesica::measures {

// Does the pair reach the threshold? Decided in the exact type of the parts.
template <class M, class P>
bool judge(const P& exact, const Options& o, const Threshold& threshold) {
    if constexpr (requires { M::num(exact, o); }) {
        return reaches(M::num(exact, o), M::den(exact, o), threshold);
    } else {
        const double value = static_cast<double>(M::value(exact, o)), t = threshold.value;
        return exact.inter > 0 && (threshold.strict ? value > t : value >= t);
    }
}

// T is std::int64_t or double.
template <class T>
struct Formula {
    double (*value)(const Parts<T>& parts, const Options& options);
    bool (*reaches)(const Parts<T>& parts, const Options& options, const Threshold& threshold);
};

// The formula of a measure that needs inter and areas alone.
template <class T>
Formula<T> formula_of(Name measure);

// The measure as a function of the parts alone.
template <class T>
auto value_of(Name measure, const Options& options) {
    return [formula = formula_of<T>(measure), options](const Parts<T>& parts) { return formula.value(parts, options); };
}

}  // namespace vesica::measures

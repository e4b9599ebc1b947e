// formulas.cpp. One pair of functions for each measure and type of parts.
#include "base/formulas.hpp"

namespace vesica::measures {

template <class T>
Formula<T> formula_of(Name measure) {
    Formula<T> found{};
    with_region_measure(measure, [&]<class M>(M) {
        found = {[](const Parts<T>& parts, const Options& options) { return M::value(parts, options); },
                 judge<M, Parts<T>>};
    });
    return found;
}

template Formula<double> formula_of<double>(Name);
template Formula<std::int64_t> formula_of<std::int64_t>(Name);

}  // namespace vesica::measures

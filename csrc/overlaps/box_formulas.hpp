// box_formulas.hpp. The measures of two boxes behind pointers, for loops that look at few pairs: such a loop is
// compiled once, not once for each measure. Loops over all pairs have the measure as a template parameter
// (regions/boxes.cpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/formulas.hpp"
#include "regions/boxes.hpp"

namespace vesica::box_formulas {

// The type of the parts of which a threshold is decided.
template <class T>
using Exact = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

// Rows of x1, y1, x2, y2; T is float, double or std::int64_t.
template <class T>
struct Formula {
    Real<T> (*value)(const T* a, const T* b, const measures::Options& options);
    // Exact for the fractions of areas (iou, dice, coverage, overlap); other measures are values rounded in Exact<T>.
    bool (*reaches)(const T* a, const T* b, const measures::Options& options, const Threshold& threshold);
};

template <class T>
Formula<T> formula_of(measures::Name measure);

}  // namespace vesica::box_formulas

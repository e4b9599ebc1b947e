// box_formulas.cpp. One pair of functions for each measure and type of coordinates.
#include "overlaps/box_formulas.hpp"

namespace vesica::box_formulas {
namespace {

template <class To, class T>
boxes::Box<To> box(const T* row) {
    return {static_cast<To>(row[0]), static_cast<To>(row[1]), static_cast<To>(row[2]), static_cast<To>(row[3])};
}

template <class M, class To, class T>
VESICA_INLINE boxes::Pair<To> pair(const T* a, const T* b) {
    const boxes::Box<To> left = box<To>(a), right = box<To>(b);
    const To area_a = left.w() * left.h(), area_b = right.w() * right.h();
    if constexpr (measures::needs_slope<M>)
        return {left, right, area_a, area_b, left.slope(), right.slope()};
    else
        return {left, right, area_a, area_b};
}

}  // namespace

template <class T>
Formula<T> formula_of(measures::Name measure) {
    Formula<T> found{};
    measures::with_box_measure(measure, [&]<class M>(M) {
        found = {[](const T* a, const T* b, const measures::Options& options) {
                     return M::value(pair<M, T>(a, b), options);
                 },
                 [](const T* a, const T* b, const measures::Options& options, const Threshold& threshold) {
                     return measures::judge<M>(pair<M, Exact<T>>(a, b), options, threshold);
                 }};
    });
    return found;
}

template Formula<float> formula_of<float>(measures::Name);
template Formula<double> formula_of<double>(measures::Name);
template Formula<std::int64_t> formula_of<std::int64_t>(measures::Name);

}  // namespace vesica::box_formulas

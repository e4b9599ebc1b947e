// region_kinds.hpp. The kinds of pairs that are a source of parts. Their verbs are compiled in region_kinds.cpp and
// nowhere else.
#pragma once

#include "overlaps/region_pairs.hpp"
#include "regions/masks/masks_boxes.hpp"
#include "regions/masks/pixels.hpp"
#include "regions/polygons.hpp"
#include "regions/sets.hpp"

#define VESICA_REGION_KINDS(X) \
    X(pixels::Masks) X(masks_boxes::MasksBoxes) X(masks_boxes::BoxesMasks) X(polygons::Source) X(sets::Source)

// The verbs of region_pairs.hpp for one kind; Extern is `extern` or nothing.
#define VESICA_REGION_VERBS(Extern, S)                                                                           \
    Extern template void pairwise<S>(measures::Name, const measures::Options&, const S&, double*, std::size_t);  \
    Extern template void aligned<S>(measures::Name, const measures::Options&, const S&, double*, std::size_t);   \
    Extern template void inter<S>(const S&, bool, S::Number*, std::size_t);                                      \
    Extern template void best<S>(measures::Name, const measures::Options&, const S&, std::size_t, std::int64_t*, \
                                 double*, std::size_t);                                                          \
    Extern template join::Pairs<double> join<S>(const join::Request&, const S&);

namespace vesica::region_pairs {

#define X(S) VESICA_REGION_VERBS(extern, S)
VESICA_REGION_KINDS(X)
#undef X

}  // namespace vesica::region_pairs

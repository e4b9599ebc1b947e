// join.hpp. The pairs whose measure reaches a threshold, sorted by i, then j. Memory O(N + pairs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "boxes.hpp"
#include "rotated.hpp"
#include "threshold.hpp"

namespace vesica::join {

template <class R>
struct Pairs {
    std::unique_ptr<std::int64_t[]> i, j;
    std::unique_ptr<R[]> value;
    std::size_t count;
};

// One key for each row, or none at all. Pairs with different keys are never formed.
struct Keys {
    const std::uint32_t *a, *b;
};

struct Request {
    measures::Name measure;
    measures::Options options;
    Threshold threshold;
    Keys keys;
    bool self;  // b is a: pairs with i < j
    std::size_t threads;
};

template <class T>
Pairs<Real<T>> of_boxes(const Request& request, boxes::Rows<T> a, boxes::Rows<T> b);

Pairs<double> of_rotated(const Request& request, rotated::Rows a, rotated::Rows b);

}  // namespace vesica::join

// anchors.hpp. Anchors and the truths of many images: who is whose best. One column of the matrix exists at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.hpp"
#include "regions/boxes.hpp"

namespace vesica::anchors {

// What is known of an anchor's iou with its best truth.
enum Mark : std::uint8_t {
    not_background = 1,  // it reaches `negative`
    positive = 2,        // it reaches `positive`
    attains = 4,         // of some truth, no anchor has a larger one
};

struct Request {
    Threshold positive, negative;
    std::size_t threads;
};

// The truths of image k are rows offsets[k] ... offsets[k + 1]; offsets rise from 0 to truths.count.
struct Images {
    const std::int64_t* offsets;
    std::size_t count;
};

// For each image and each anchor: the row of its best truth (tie: the lower; -1 where none shares area with it), their
// iou, and marks. All have images.count * anchors.count entries. Which iou is larger is decided by the quotient in
// double; floats are widened before the first subtraction. Thresholds are decided by cross-multiplication.
template <class T>
void assign(const Request& request, boxes::Rows<T> anchors, boxes::Rows<T> truths, Images images, std::int64_t* best,
            double* iou, std::uint8_t* marks);

}  // namespace vesica::anchors

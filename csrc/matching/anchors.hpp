// anchors.hpp. The best truth of each anchor, and the anchors that are best for a truth, in many images. One column of
// the matrix exists at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/named_enum.hpp"
#include "base/threshold.hpp"
#include "regions/boxes.hpp"

namespace vesica::anchors {

// What is known of an anchor's iou with its best truth: a bit each.
// not_background: it reaches `negative`. positive: it reaches `positive`. attains: of some truth, no anchor has a
// larger one.
#define VESICA_ANCHOR_MARKS(X) X(not_background) X(positive) X(attains)
VESICA_NAMED_ENUM(Mark, std::uint8_t, VESICA_ANCHOR_MARKS);

constexpr std::uint8_t bit(Mark mark) {
    return static_cast<std::uint8_t>(1 << static_cast<int>(mark));
}

struct Request {
    Threshold positive, negative;
    std::size_t threads;
};

// The truths of image k are rows offsets[k] ... offsets[k + 1]; offsets rise from 0 to truths.count.
struct Images {
    const std::int64_t* offsets;
    std::size_t count;
};

// For each image and each anchor: the row of its best truth (tie: the lower; -1 where no truth shares area with it),
// their iou, and marks. All have images.count * anchors.count entries. Which iou is larger is decided by the quotient
// in double; floats are widened before the first subtraction. Thresholds are decided by cross-multiplication.
template <class T>
void assign(const Request& request, boxes::Rows<T> anchors, boxes::Rows<T> truths, Images images, std::int64_t* best,
            double* iou, std::uint8_t* marks);

}  // namespace vesica::anchors

// distance_transform.hpp. The exact Euclidean distance from every pixel to the nearest seed, in two or three
// dimensions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vesica::segmentation {

// Pixels of a volume in C order; a picture is one plane.
struct Grid {
    std::size_t planes, rows, columns;

    std::size_t size() const { return planes * rows * columns; }
};

// The square of the distance between neighbours along each axis.
struct Weights {
    double plane, row, column;
};

// Squared distances, or their roots, from each pixel to the nearest one whose byte in `seeds` is not 0; infinite where
// there is none. With weights of 1, doubles hold every square, and floats as long as the squared diagonal is below
// 2^24.
template <class T>
void distance_transform(const std::uint8_t* seeds, Grid grid, Weights weights, bool root, std::size_t threads, T* out);

}  // namespace vesica::segmentation

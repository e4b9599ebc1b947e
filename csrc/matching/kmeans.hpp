// kmeans.hpp. Groups of shapes around centres, where near means: a large iou of the two, laid on one corner.
// Shapes and centres have finite widths and heights whose product is above 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vesica::kmeans {

// By column.
struct Shapes {
    const double *w, *h;
    std::size_t count;
};

struct Centre {
    double w, h;
};

// The members of one cluster.
struct Sum {
    double w = 0, h = 0;
    std::int64_t count = 0;
};

// The nearest centre of each shape (tie: the earlier one) and the iou with it; what belongs to each of the k centres
// goes to `sums`. Returns the sum of the ious. Sums are made in an order that no number of threads changes.
double nearest(Shapes shapes, const Centre* centres, std::size_t k, std::int32_t* label, double* iou, Sum* sums,
               std::size_t threads);

// The median width and the median height of the members of each cluster; one without members keeps its centre.
void medians(Shapes shapes, const std::int32_t* label, Centre* centres, std::size_t k, std::size_t threads);

}  // namespace vesica::kmeans

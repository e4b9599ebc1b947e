// precision_means.hpp. Means of precision and recall: the numbers of a summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace vesica::precision_recall {

// (thresholds, recalls, categories, areas, limits), −1 where a category has no truths. Recall itself has one "recall".
struct Table {
    const double* values;
    std::size_t thresholds, recalls, categories, areas, limits;
};

// Which of them a number is the mean of; all thresholds and categories, or some.
struct Line {
    std::optional<std::vector<std::size_t>> thresholds, categories;
    std::size_t area, limit;
};

// out[k] = the mean of the values of lines[k] above −1, added up in NumPy's order: by threshold, recall, category. −1
// without any.
void means(const Table& table, const std::vector<Line>& lines, double* out, std::size_t threads);

}  // namespace vesica::precision_recall

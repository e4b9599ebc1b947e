// precision_recall.hpp. From records to precision at given recalls: one sort of each category, one walk over it for all
// lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detection/precision_walk.hpp"

namespace vesica::precision_recall {

// What records have, see match_cells.hpp. Guesses of a cell come best first.
struct Records {
    const std::int64_t* categories;  // the first cell of each, and the end
    std::size_t category_count;
    const std::int32_t* guesses;  // of each cell: how many
    const std::int32_t* counted;  // (cells, area ranges)
    const double* score;
    const std::uint64_t *matched, *ignored;  // (guesses, words)
    std::size_t thresholds, areas;
};

// precision and scores: (thresholds, recalls, categories, areas, limits - first limit); recall: (thresholds,
// categories, areas, limits). -1 where there is nothing to be found. `scores` may be null.
void accumulate(const Records& records, const Request& request, double* precision, double* recall, double* scores);

}  // namespace vesica::precision_recall

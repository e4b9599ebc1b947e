// precision_recall.hpp. From records to precision at given recalls: one sort of each category, one walk over it for all
// lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

struct Request {
    const double* recalls;
    std::size_t recall_count;
    const std::int64_t* limits;  // of guesses in a cell, rising; the last one cuts nothing that the records have
    std::size_t limit_count;
    std::size_t first_limit;  // precision and scores are made from this one on
    double epsilon;           // added to the number of guesses before the division
    std::size_t threads;
};

// precision and scores: (thresholds, recalls, categories, areas, limits - first limit); recall: (thresholds,
// categories, areas, limits). -1 where there is nothing to be found. `scores` may be null.
void accumulate(const Records& records, const Request& request, double* precision, double* recall, double* scores);

}  // namespace vesica::precision_recall

// bootstrap.hpp. The scores of many replicates of a data set, from its records: nothing is matched or sorted again.
//
// In a replicate each image counts as often as it was drawn: a guess drawn w times stands for w guesses in a row, and a
// truth for w truths. A category without a truth in a replicate has no value there, and is left out of means.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detection/precision_recall.hpp"
#include "statistics/weights.hpp"

namespace vesica::bootstrap {

// What numbers are read from: one range of areas, under one limit of guesses in a cell.
struct Strip {
    std::size_t area;
    std::int64_t limit;
    bool has_precision;  // or recall alone
};

// A number: the mean of precision, at all recalls, or of recall, over some thresholds and categories.
struct Line {
    std::size_t strip;
    bool is_precision;
    const std::uint8_t* thresholds;  // (thresholds,): is each of them counted?
    const std::uint8_t* categories;  // (categories,), or null: all of them
};

// Where right and wrong guesses are counted: in one lane, from a score on.
struct Cut {
    std::size_t area, threshold;
    double least_score;
};

// How often images are drawn: as `given` says, (replicates, images), or else by their keys.
struct Draws {
    const std::uint64_t* keys;
    std::uint64_t seed, first;
    statistics::Limits limits;
    const std::uint8_t* given;
};

struct Request {
    const double* recalls;
    std::size_t recall_count;
    double epsilon;  // as in precision_recall.hpp
    const Strip* strips;
    std::size_t strip_count;
    const Line* lines;
    std::size_t line_count;
    const Cut* cut;  // or null
    std::size_t replicates;
    std::size_t threads;
};

// NaN where there is no value.
struct Answer {
    double* overall;  // (replicates, lines)
    double* classes;  // (replicates, categories, lines that count all categories), or null
    double* counts;   // (replicates, categories, 3): right, wrong, truths; or null
};

// `image` is that of each cell, below `images`.
void replicate(const precision_recall::Records& records, const std::int32_t* image, std::size_t images,
               const Draws& draws, const Request& request, const Answer& answer);

}  // namespace vesica::bootstrap

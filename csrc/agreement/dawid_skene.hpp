// dawid_skene.hpp. The truth behind labels of several annotators, each with a confusion matrix of its own: expectation
// and maximisation (Dawid and Skene 1979).
#pragma once

#include <cstddef>
#include <cstdint>

namespace vesica::agreement {

// Ratings unit by unit: those of unit u are said[begins[u] ... begins[u + 1]), each annotator * labels + label.
struct Ratings {
    const std::int64_t* said;
    const std::int64_t* begins;
    const double* weight;  // of each unit
    std::size_t units, annotators, labels;
};

struct DawidSkeneOptions {
    bool is_free;      // the prior is found, not kept
    double tolerance;  // stop when nothing changes by more
    std::size_t most;  // steps
};

// `confusion` (annotators, truth, given) and `prior` (labels) are where it begins, and where it ends; `belief`
// (units, labels) is what it believes. Returns the steps; one more than the most if they were not enough.
std::size_t dawid_skene(const Ratings& ratings, const DawidSkeneOptions& options, double* confusion, double* prior,
                        double* belief);

}  // namespace vesica::agreement

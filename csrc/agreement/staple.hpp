// staple.hpp. What K annotators' votes tell about the truth: expectation and maximisation over patterns of votes
// (STAPLE, Warfield 2004; with a free prior Dawid and Skene 1979).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/named_enum.hpp"

namespace vesica::agreement {

// How a fit ended.
#define VESICA_STAPLE_STATUSES(X) X(ok) X(not_converged) X(no_foreground) X(no_background) X(no_pixels)
VESICA_NAMED_ENUM(StapleStatus, int, VESICA_STAPLE_STATUSES);

// Patterns of votes: bit k of `code` is the vote of annotator k, bit k of `asked` whether it had one. No count is 0.
struct Votes {
    const std::uint64_t* code;
    const std::uint64_t* asked;
    const std::int64_t* count;
    std::size_t size;
};

struct StapleOptions {
    bool is_free;      // the prior is found, not kept at the mean vote
    double start;      // of all sensitivities and specificities
    double tolerance;  // stop when nothing changes by more
    std::size_t most;  // steps
};

struct StapleFit {
    StapleStatus status;
    std::size_t steps;
    double prior;
};

// Sensitivity and specificity of each annotator, (annotators) each, and for each pattern the probability that its
// pixels belong. An annotator that no weight says anything about keeps what it had.
StapleFit staple(const Votes& votes, std::size_t annotators, const StapleOptions& options, double* sensitivity,
                 double* specificity, double* belief);

}  // namespace vesica::agreement

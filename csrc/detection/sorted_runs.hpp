// sorted_runs.hpp. Guesses of records in rows of bytes, each category by score: what is kept on disk; and many such
// runs merged, a block at a time.
//
// row = score (4 or 8 bytes) · image (4) · rank in its cell (1, 2 or 4) · lanes matched · lanes ignored, little-endian
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "detection/precision_recall.hpp"

namespace vesica::sorted_runs {

struct Layout {
    std::size_t score_bytes, rank_bytes, lanes;

    std::size_t lane_bytes() const { return (lanes + 7) / 8; }
    std::size_t words() const { return (lanes + 63) / 64; }
    std::size_t row_bytes() const { return score_bytes + 4 + rank_bytes + 2 * lane_bytes(); }
};

// The rows of records: by category; within it best first, NaN last, then by image and rank. `image` has one for each
// cell.
void pack(const precision_recall::Records& records, const std::int32_t* image, const Layout& layout,
          std::size_t threads, std::uint8_t* out);

// Some rows of one category of a run, which follow those that were taken before.
struct Run {
    const std::uint8_t* rows;
    std::size_t count;
    const std::int32_t* images;  // the rank of each of the run's images among those of all runs
    std::size_t image_count;
    Layout layout;
    bool is_end;  // no more rows follow
};

constexpr std::size_t no_fault = ~std::size_t(0);

// Rows of all runs in one order: best first, then by image and rank. It goes as far as it can without rows that are not
// there yet, and tells how many of each run it took. The answer is `no_fault`, or the number of a run that speaks of an
// image that it does not have.
std::size_t merge(const Run* runs, std::size_t count, const std::function<void(const precision_recall::Block&)>& give,
                  std::int64_t* taken);

}  // namespace vesica::sorted_runs

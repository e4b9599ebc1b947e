#include "segmentation/boundary_bands.hpp"

#include <algorithm>

#include "base/interrupt.hpp"
#include "base/memory.hpp"
#include "base/simd.hpp"
#include "segmentation/label_masks.hpp"

namespace vesica::segmentation {
namespace {

using Depths = memory::Vector<std::uint32_t>;

struct LeastOfTwo {
    static VESICA_INLINE void body(const std::uint32_t* row, std::size_t count, std::uint32_t* out) {
        for (std::size_t x = 0; x < count; ++x) out[x] = std::min(out[x], row[x]);
    }
};

// Depths inside a box that holds all pixels of the mask, with a border of zeros around it. Two sweeps, from the first
// pixel and from the last: each pixel is one deeper than the least deep of the neighbours that a sweep has passed.
class Sweeps {
  public:
    Sweeps(const Bytes& mask, Grid part, bool is_flat)
        : part_(part), is_flat_(is_flat), width_(part.columns + 2), least_(width_), depths_(padded()) {
        std::fill(depths_.begin(), depths_.end(), 0);
        for (std::size_t z = 0; z < part.planes; ++z)
            for (std::size_t y = 0; y < part.rows; ++y) {
                const std::uint8_t* const line = mask.data() + (z * part.rows + y) * part.columns;
                std::uint32_t* const out = row(z, y);
                for (std::size_t x = 0; x < part.columns; ++x) out[x] = line[x] ? deepest : 0;
            }
        interrupt::Steps done;
        for (std::size_t z = 0; z < part.planes; ++z)
            for (std::size_t y = 0; y < part.rows; ++y, done.add(part.columns)) sweep(z, y, -1);
        for (std::size_t z = part.planes; z-- > 0;)
            for (std::size_t y = part.rows; y-- > 0; done.add(part.columns)) sweep(z, y, 1);
    }

    const std::uint32_t* row(std::size_t z, std::size_t y) const {
        return depths_.data() + ((z + plane_border()) * (part_.rows + 2) + y + 1) * width_ + 1;
    }

  private:
    static constexpr std::uint32_t deepest = UINT32_MAX - 1;

    std::size_t plane_border() const { return is_flat_ ? 0 : 1; }
    std::size_t padded() const { return (part_.planes + 2 * plane_border()) * (part_.rows + 2) * width_; }
    std::uint32_t* row(std::size_t z, std::size_t y) {
        return const_cast<std::uint32_t*>(static_cast<const Sweeps*>(this)->row(z, y));
    }

    // `way` is −1 for rows and columns that come before, 1 for those that come after.
    void sweep(std::size_t z, std::size_t y, std::ptrdiff_t way) {
        std::uint32_t* const line = row(z, y);
        const std::ptrdiff_t across = way * std::ptrdiff_t(width_);
        const std::ptrdiff_t plane = way * std::ptrdiff_t(width_ * (part_.rows + 2));
        std::copy_n(line - 1 + across, width_, least_.data());
        if (!is_flat_)
            for (const std::ptrdiff_t step : {plane - std::ptrdiff_t(width_), plane, plane + std::ptrdiff_t(width_)})
                simd::run<LeastOfTwo>(static_cast<const std::uint32_t*>(line - 1 + step), width_, least_.data());
        std::uint32_t beside = 0;  // the pixel before this one, in the direction of the sweep
        for (std::size_t k = 0; k < part_.columns; ++k) {
            const std::size_t x = way < 0 ? k : part_.columns - 1 - k;
            const std::uint32_t near = std::min({least_[x], least_[x + 1], least_[x + 2], beside});
            beside = line[x] = std::min(line[x], near + 1);
        }
    }

    Grid part_;
    bool is_flat_;
    std::size_t width_;
    std::vector<std::uint32_t> least_;  // of the rows that a sweep has passed
    Depths depths_;
};

void count(std::uint32_t depth, std::vector<std::int64_t>& counts) {
    if (!depth) return;
    if (counts.size() < depth) counts.resize(depth);
    ++counts[depth - 1];
}

}  // namespace

std::vector<BandPair> boundary_bands(const labels::Map& a, const labels::Map& b, Grid grid, bool is_flat,
                                     const std::vector<std::int64_t>& wanted, std::size_t threads) {
    std::vector<BandPair> answer(wanted.size());
    if (!grid.size() || wanted.empty()) return answer;
    const std::vector<Box> boxes = joined(boxes_of(a, grid, wanted, threads), boxes_of(b, grid, wanted, threads));
    for_each_box(boxes, threads, [&](std::size_t k, std::size_t helpers) {
        const Grid part = boxes[k].grid();
        const Sweeps left(mask_of(a, grid, boxes[k], wanted[k], helpers), part, is_flat);
        const Sweeps right(mask_of(b, grid, boxes[k], wanted[k], helpers), part, is_flat);
        BandPair& pair = answer[k];
        for (std::size_t z = 0; z < part.planes; ++z)
            for (std::size_t y = 0; y < part.rows; ++y) {
                const std::uint32_t *const of_a = left.row(z, y), *const of_b = right.row(z, y);
                for (std::size_t x = 0; x < part.columns; ++x) {
                    count(of_a[x], pair.a);
                    count(of_b[x], pair.b);
                    count(of_a[x] && of_b[x] ? std::max(of_a[x], of_b[x]) : 0, pair.both);
                }
            }
    });
    return answer;
}

}  // namespace vesica::segmentation

#include "segmentation/surfaces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/interrupt.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"
#include "segmentation/label_masks.hpp"

namespace vesica::segmentation {
namespace {

// A pixel is inside when its neighbours along all axes have the label too: what remains of the others is the surface.
struct Surface {
    static VESICA_INLINE void body(const std::uint8_t* line, const std::array<const std::uint8_t*, 4>& beside,
                                   std::size_t count, std::uint8_t* out) {
        for (std::size_t x = 0; x < count; ++x)
            out[x] = line[x] & (1 ^ (beside[0][x] & beside[1][x] & beside[2][x] & beside[3][x]));
        // Beyond the ends of the row is outside.
        out[0] = line[0];
        out[count - 1] = line[count - 1];
        for (std::size_t x = 1; x + 1 < count; ++x) out[x] |= line[x] & (1 ^ (line[x - 1] & line[x + 1]));
    }
};

// The surface of a mask whose box holds all of its pixels.
Bytes surface_of(const Bytes& mask, Grid part, bool is_flat, std::size_t threads) {
    Bytes surface(part.size());
    const std::size_t plane = part.rows * part.columns;
    const std::vector<std::uint8_t> outside(part.columns, 0), inside(part.columns, 1);
    threads::run(part.planes, threads, [&](std::size_t z) {
        for (std::size_t y = 0; y < part.rows; ++y) {
            const std::uint8_t* const line = mask.data() + z * plane + y * part.columns;
            const std::uint8_t* const beyond = is_flat ? inside.data() : outside.data();
            simd::run<Surface>(
                line,
                std::array<const std::uint8_t*, 4>{
                    y ? line - part.columns : outside.data(), y + 1 < part.rows ? line + part.columns : outside.data(),
                    z ? line - plane : beyond, z + 1 < part.planes ? line + plane : beyond},
                part.columns, surface.data() + z * plane + y * part.columns);
        }
    });
    return surface;
}

// Steps to other rows, by rising distance: as many as are worth trying one by one.
struct Step {
    std::int64_t planes, rows;
    double squared;
};

std::vector<Step> steps_nearby(Grid grid, Weights weights) {
    constexpr std::size_t most = 200;
    std::vector<Step> steps;
    const double least =
        std::min(grid.rows > 1 ? weights.row : weights.plane, grid.planes > 1 ? weights.plane : weights.row);
    const double reach = grid.rows > 1 && grid.planes > 1 ? 16 * std::sqrt(least) : 100 * std::sqrt(least);
    const auto far = [&](std::size_t count, double weight) {
        return std::int64_t(std::min(double(count - 1), std::floor(reach / std::sqrt(weight))));
    };
    const std::int64_t z_most = far(grid.planes, weights.plane), y_most = far(grid.rows, weights.row);
    for (std::int64_t z = -z_most; z <= z_most; ++z)
        for (std::int64_t y = -y_most; y <= y_most; ++y) {
            const double squared = double(y * y) * weights.row + double(z * z) * weights.plane;
            if (squared <= reach * reach) steps.push_back({z, y, squared});
        }
    std::stable_sort(steps.begin(), steps.end(), [](const Step& l, const Step& r) { return l.squared < r.squared; });
    if (steps.size() > most) steps.resize(most);
    return steps;
}

// Columns to the nearest surface pixel in the same row.
using Gaps = memory::Vector<std::uint32_t>;
constexpr std::uint32_t no_gap = UINT32_MAX;

Gaps gaps_in_rows(const Bytes& surface, Grid part, std::size_t threads) {
    Gaps gaps(part.size());
    threads::over(part.planes * part.rows, std::max<std::size_t>(1, (std::size_t(1) << 18) / part.columns), threads,
                  [&](std::size_t begin, std::size_t end) {
                      for (std::size_t row = begin; row < end; ++row) {
                          const std::uint8_t* const line = surface.data() + row * part.columns;
                          std::uint32_t* const out = gaps.data() + row * part.columns;
                          std::uint32_t steps = no_gap;
                          for (std::size_t x = 0; x < part.columns; ++x)
                              out[x] = steps = line[x] ? 0 : steps + (steps != no_gap);
                          if (steps == no_gap) continue;
                          steps = no_gap;
                          for (std::size_t x = part.columns; x-- > 0;)
                              out[x] = steps = std::min(steps + (steps != no_gap), out[x]);
                      }
                  });
    return gaps;
}

// How often each squared distance occurs. Small whole numbers are counted in a table.
class Counter {
  public:
    void add(double squared) {
        const auto whole = std::size_t(std::min(squared, double(table_.size())));
        if (whole < table_.size() && double(whole) == squared)
            ++table_[whole];
        else
            ++others_[squared];
    }
    void add(const Counter& other) {
        for (std::size_t k = 0; k < table_.size(); ++k) table_[k] += other.table_[k];
        for (const auto& [squared, count] : other.others_) others_[squared] += count;
    }
    Histogram histogram() const {
        std::vector<std::pair<double, std::int64_t>> rows(others_.begin(), others_.end());
        for (std::size_t k = 0; k < table_.size(); ++k)
            if (table_[k]) rows.emplace_back(double(k), table_[k]);
        std::sort(rows.begin(), rows.end());
        Histogram answer;
        for (const auto& [squared, count] : rows) {
            answer.squared.push_back(squared);
            answer.count.push_back(count);
        }
        return answer;
    }

  private:
    std::vector<std::int64_t> table_ = std::vector<std::int64_t>(1024);
    std::unordered_map<double, std::int64_t> others_;
};

// From every pixel of one surface to the other: rows nearby first, since good guesses are near, and by the distance
// transform of the whole box where they do not suffice.
Histogram distances(const Bytes& from, const Bytes& to, Grid part, Weights weights, const std::vector<Step>& steps,
                    std::size_t threads) {
    const Gaps gaps = gaps_in_rows(to, part, threads);
    const double reach = steps.back().squared;
    const bool is_all = steps.size() == (2 * part.planes - 1) * (2 * part.rows - 1);
    const std::size_t rows = part.planes * part.rows;
    Counter counter;
    std::vector<std::size_t> far;
    std::mutex lock;
    threads::over(
        rows, std::max<std::size_t>(1, (std::size_t(1) << 16) / part.columns), threads,
        [&](std::size_t begin, std::size_t end) {
            Counter found;
            std::vector<std::size_t> left;
            interrupt::Steps done;
            for (std::size_t row = begin; row < end; ++row) {
                const auto z = std::int64_t(row / part.rows), y = std::int64_t(row % part.rows);
                const std::uint8_t* const line = from.data() + row * part.columns;
                for (std::size_t x = 0; x < part.columns; ++x) {
                    if (!line[x]) continue;
                    double best = std::numeric_limits<double>::infinity();
                    std::size_t k = 0;
                    for (; k < steps.size() && steps[k].squared < best; ++k) {
                        const std::int64_t to_z = z + steps[k].planes, to_y = y + steps[k].rows;
                        if (to_z < 0 || to_y < 0 || std::size_t(to_z) >= part.planes || std::size_t(to_y) >= part.rows)
                            continue;
                        const std::uint32_t gap =
                            gaps[(std::size_t(to_z) * part.rows + std::size_t(to_y)) * part.columns + x];
                        if (gap == no_gap) continue;
                        best = std::min(best, double(gap) * double(gap) * weights.column + steps[k].squared);
                    }
                    done.add(k);
                    if (best <= reach || is_all)
                        found.add(best);
                    else
                        left.push_back(row * part.columns + x);
                }
            }
            const std::lock_guard<std::mutex> guard(lock);
            counter.add(found);
            far.insert(far.end(), left.begin(), left.end());
        });
    if (!far.empty()) {
        memory::Vector<double> squared(part.size());
        distance_transform(to.data(), part, weights, false, threads, squared.data());
        for (const std::size_t at : far) counter.add(squared[at]);
    }
    return counter.histogram();
}

std::int64_t size_of(const Bytes& surface) {
    std::int64_t size = 0;
    for (const std::uint8_t pixel : surface) size += pixel;
    return size;
}

}  // namespace

std::vector<SurfacePair> surface_distances(const labels::Map& a, const labels::Map& b, Grid grid, bool is_flat,
                                           Weights weights, const std::vector<std::int64_t>& wanted,
                                           std::size_t threads) {
    std::vector<SurfacePair> answer(wanted.size());
    if (!grid.size() || wanted.empty()) return answer;
    const std::vector<Box> boxes_a = boxes_of(a, grid, wanted, threads), boxes_b = boxes_of(b, grid, wanted, threads);
    const std::vector<Box> boxes = joined(boxes_a, boxes_b);
    for_each_box(boxes, threads, [&](std::size_t k, std::size_t helpers) {
        const Grid part = boxes[k].grid();
        const auto surface = [&](const labels::Map& of, const Box& own) {
            return own.is_empty() ? Bytes()
                                  : surface_of(mask_of(of, grid, boxes[k], wanted[k], helpers), part, is_flat, helpers);
        };
        const Bytes left = surface(a, boxes_a[k]), right = surface(b, boxes_b[k]);
        SurfacePair& pair = answer[k];
        pair.size_a = size_of(left);
        pair.size_b = size_of(right);
        if (left.empty() || right.empty()) return;
        const std::vector<Step> steps = steps_nearby(part, weights);
        pair.from_a = distances(left, right, part, weights, steps, helpers);
        pair.from_b = distances(right, left, part, weights, steps, helpers);
    });
    return answer;
}

}  // namespace vesica::segmentation

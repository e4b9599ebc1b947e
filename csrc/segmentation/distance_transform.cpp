#include "segmentation/distance_transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/threads.hpp"

namespace vesica::segmentation {
namespace {

constexpr std::size_t together = 16;  // lines that lie side by side in memory: a cache line of floats

// Along a row: how far the nearest seed is, squared.
template <class T>
void along_row(const std::uint8_t* seeds, std::size_t columns, double weight, T* out) {
    constexpr T none = std::numeric_limits<T>::infinity();
    T steps = none;
    for (std::size_t x = 0; x < columns; ++x) {
        steps = seeds[x] ? T(0) : steps + T(1);
        out[x] = steps;
    }
    if (steps == none) return;
    steps = none;
    for (std::size_t x = columns; x-- > 0;) {
        steps = std::min(steps + T(1), out[x]);
        out[x] = T(steps * steps * weight);
    }
}

// The lowest of the parabolas that stand on a line, one above each pixel with a finite value, and how high it is at
// every pixel. Products and sums alone: what they give is exact where the heights are whole numbers.
class Envelope {
  public:
    explicit Envelope(std::size_t length) : at_(length), height_(length), lift_(length) {}

    // The line becomes, for each pixel, the least of value + weight * distance². A pixel with the value 0 keeps it, and
    // is nearer to what lies behind it than anything before it: so each stretch between zeros is a line of its own.
    template <class T>
    void lower(T* line, std::size_t length, double weight) {
        for (std::size_t q = 0; q < length;) {
            if (line[q] == T(0)) {
                ++q;
                continue;
            }
            const std::size_t begin = q ? q - 1 : 0;
            while (q < length && line[q] != T(0)) ++q;
            lower_stretch(line + begin, std::min(q + 1, length) - begin, weight);
        }
    }

  private:
    template <class T>
    void lower_stretch(T* line, std::size_t length, double weight) {
        constexpr T none = std::numeric_limits<T>::infinity();
        std::size_t count = 0;
        for (std::size_t q = 0; q < length; ++q) {
            if (line[q] == none) continue;
            const double place = double(q), height = line[q], lift = height + weight * place * place;
            // The last one is nowhere the lowest when its neighbours meet below it.
            while (count >= 2 && (lift - lift_[count - 1]) * (at_[count - 1] - at_[count - 2]) <=
                                     (lift_[count - 1] - lift_[count - 2]) * (place - at_[count - 1]))
                --count;
            at_[count] = place;
            height_[count] = height;
            lift_[count] = lift;
            ++count;
        }
        if (!count) return;
        const auto value = [&](std::size_t of, double place) {
            const double steps = place - at_[of];
            return height_[of] + weight * steps * steps;
        };
        std::size_t k = 0;
        for (std::size_t q = 0; q < length; ++q) {
            double best = value(k, double(q));
            while (k + 1 < count) {
                const double next = value(k + 1, double(q));
                if (next > best) break;
                best = next;
                ++k;
            }
            line[q] = T(best);
        }
    }

    std::vector<double> at_, height_, lift_;
};

// Lines of `length` pixels, `stride` apart, that begin at `first`, first + 1, …
template <class T>
void across(T* first, std::size_t lines, std::size_t length, std::size_t stride, double weight, bool root,
            std::vector<T>& turned, Envelope& envelope) {
    turned.resize(together * length);
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t x = 0; x < lines; ++x) turned[x * length + q] = first[q * stride + x];
    for (std::size_t x = 0; x < lines; ++x) envelope.lower(turned.data() + x * length, length, weight);
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t x = 0; x < lines; ++x) {
            const T value = turned[x * length + q];
            first[q * stride + x] = root ? std::sqrt(value) : value;
        }
}

template <class T>
void take_roots(T* values, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) values[k] = std::sqrt(values[k]);
}

}  // namespace

template <class T>
void distance_transform(const std::uint8_t* seeds, Grid grid, Weights weights, bool root, std::size_t threads, T* out) {
    const std::size_t plane = grid.rows * grid.columns, blocks = (grid.columns + together - 1) / together;
    if (!grid.size()) return;
    const bool has_rows = grid.rows > 1, has_planes = grid.planes > 1;
    // Rows and columns of one plane after the other, while it is in the cache.
    const auto of_plane = [&](std::size_t z) {
        T* const at = out + z * plane;
        for (std::size_t y = 0; y < grid.rows; ++y)
            along_row(seeds + z * plane + y * grid.columns, grid.columns, weights.column, at + y * grid.columns);
        std::vector<T> turned;
        Envelope envelope(grid.rows);
        for (std::size_t b = 0; has_rows && b < blocks; ++b)
            across(at + b * together, std::min(together, grid.columns - b * together), grid.rows, grid.columns,
                   weights.row, root && !has_planes, turned, envelope);
        if (root && !has_rows && !has_planes) take_roots(at, plane);
    };
    if (has_planes) {
        threads::run(grid.planes, threads, of_plane);
        threads::run(grid.rows, threads, [&](std::size_t y) {
            std::vector<T> turned;
            Envelope envelope(grid.planes);
            for (std::size_t b = 0; b < blocks; ++b)
                across(out + y * grid.columns + b * together, std::min(together, grid.columns - b * together),
                       grid.planes, plane, weights.plane, root, turned, envelope);
        });
        return;
    }
    if (!has_rows) return of_plane(0);
    threads::over(grid.rows, 64, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t y = begin; y < end; ++y)
            along_row(seeds + y * grid.columns, grid.columns, weights.column, out + y * grid.columns);
    });
    threads::over(blocks, 4, threads, [&](std::size_t begin, std::size_t end) {
        std::vector<T> turned;
        Envelope envelope(grid.rows);
        for (std::size_t b = begin; b < end; ++b)
            across(out + b * together, std::min(together, grid.columns - b * together), grid.rows, grid.columns,
                   weights.row, root, turned, envelope);
    });
}

template void distance_transform<float>(const std::uint8_t*, Grid, Weights, bool, std::size_t, float*);
template void distance_transform<double>(const std::uint8_t*, Grid, Weights, bool, std::size_t, double*);

}  // namespace vesica::segmentation

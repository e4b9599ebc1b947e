#include "segmentation/skeletons.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/interrupt.hpp"
#include "segmentation/label_masks.hpp"

namespace vesica::segmentation {
namespace {

// The 27 places of a cube around a pixel as bits, in C order: bit 13 is the pixel itself.
using Cube = std::uint32_t;
constexpr unsigned places = 27, middle = 13;

struct Step {
    int plane, row, column;

    constexpr int apart() const { return plane * plane + row * row + column * column; }
};

constexpr Step step_to(unsigned place) {
    return {int(place / 9) - 1, int(place / 3 % 3) - 1, int(place % 3) - 1};
}

// The places that are at most so many steps along axes from the middle, itself left out.
constexpr Cube within(int steps) {
    Cube found = 0;
    for (unsigned k = 0; k < places; ++k)
        if (k != middle && step_to(k).apart() <= steps) found |= Cube(1) << k;
    return found;
}

// Of each place those beside it, by sides alone or by corners too.
constexpr std::array<Cube, places> beside(int steps) {
    std::array<Cube, places> found{};
    for (unsigned k = 0; k < places; ++k)
        for (unsigned other = 0; other < places; ++other) {
            const Step a = step_to(k), b = step_to(other);
            const Step between{a.plane - b.plane, a.row - b.row, a.column - b.column};
            const bool is_near = between.plane * between.plane <= 1 && between.row * between.row <= 1 &&
                                 between.column * between.column <= 1;
            if (k != other && is_near && between.apart() <= steps) found[k] |= Cube(1) << other;
        }
    return found;
}

constexpr Cube faces = within(1), edges = within(2), all = within(3);
constexpr std::array<Cube, places> by_side = beside(1), by_corner = beside(3);

constexpr Cube lowest(Cube some) {
    return some & (~some + 1);
}

// What hangs together with the first place among some.
Cube connected(Cube first, Cube some, const std::array<Cube, places>& neighbours) {
    Cube found = first, edge = first;
    while (edge) {
        Cube next = 0;
        for (; edge; edge &= edge - 1) next |= neighbours[unsigned(std::countr_zero(edge))];
        edge = next & some & ~found;
        found |= edge;
    }
    return found;
}

// Is the object around the pixel one piece, and the background at its sides one piece too, among the places that share
// a side or an edge with it? (Bertrand and Malandain, 1994.) Background that touches the pixel by edges alone does not
// count.
bool is_simple(Cube object) {
    const Cube background = ~object & edges, open = background & faces;
    return object && open && connected(lowest(object), object, by_corner) == object &&
           (open & ~connected(lowest(open), background, by_side)) == 0;
}

// `cube` may have the pixel itself.
bool is_removable(Cube cube) {
    const Cube object = cube & all;
    return std::popcount(object) != 1 && is_simple(object);
}

// The same for a picture, by its eight neighbours.
const std::array<bool, 512>& removable_in_picture() {
    static const std::array<bool, 512> table = [] {
        std::array<bool, 512> found{};
        for (Cube plane = 0; plane < 512; ++plane) found[plane] = is_removable(plane << 9);
        return found;
    }();
    return table;
}

constexpr std::array<Step, 6> directions{{{0, -1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}}};

class Thinning {
  public:
    Thinning(std::uint8_t* mask, Grid grid, bool is_flat)
        : mask_(mask),
          grid_(grid),
          is_flat_(is_flat),
          width_(grid.columns + 2),
          plane_(width_ * (grid.rows + 2)),
          pixels_((grid.planes + 2) * plane_, std::uint8_t(0)) {
        for_rows([](std::uint8_t* line, std::uint8_t* pixels, std::size_t count) { std::copy_n(line, count, pixels); });
    }

    void run() {
        find_border();
        const std::size_t number = is_flat_ ? 4 : 6;
        for (std::size_t idle = 0, k = 0; idle < number; ++k) idle = remove(directions[k % number]) ? 0 : idle + 1;
        for_rows([](std::uint8_t* line, std::uint8_t* pixels, std::size_t count) {
            for (std::size_t x = 0; x < count; ++x) line[x] = pixels[x] & 1;
        });
    }

  private:
    static constexpr std::uint8_t object = 1, listed = 2;

    template <class Work>
    void for_rows(const Work& work) {
        for (std::size_t z = 0; z < grid_.planes; ++z)
            for (std::size_t y = 0; y < grid_.rows; ++y)
                work(mask_ + (z * grid_.rows + y) * grid_.columns,
                     pixels_.data() + (z + 1) * plane_ + (y + 1) * width_ + 1, grid_.columns);
    }

    std::ptrdiff_t offset(Step step) const {
        return step.plane * std::ptrdiff_t(plane_) + step.row * std::ptrdiff_t(width_) + step.column;
    }

    bool is_object(std::size_t at) const { return pixels_[at] & object; }

    bool removable(std::size_t at) const {
        if (is_flat_) return removable_in_picture()[square(at)];
        return is_removable(square(at - plane_) | square(at) << 9 | square(at + plane_) << 18);
    }

    // The nine pixels around a place in its plane.
    Cube square(std::size_t at) const {
        Cube found = 0;
        unsigned bit = 0;
        for (const std::size_t row : {at - width_, at, at + width_})
            for (const std::size_t place : {row - 1, row, row + 1}) found |= Cube(pixels_[place] & object) << bit++;
        return found;
    }

    // Only pixels that have background beside a side of theirs can be removed.
    void find_border() {
        for (std::size_t at = 0; at < pixels_.size(); ++at)
            if (is_object(at) && is_at_border(at)) list(at, border_);
    }

    bool is_at_border(std::size_t at) const {
        return std::any_of(directions.begin(), directions.begin() + (is_flat_ ? 4 : 6), [&](const Step& step) {
            return !is_object(std::size_t(std::ptrdiff_t(at) + offset(step)));
        });
    }

    void list(std::size_t at, std::vector<std::size_t>& places) {
        pixels_[at] |= listed;
        places.push_back(at);
    }

    // Remove what can be from the border on one side; was there any?
    bool remove(Step direction) {
        const std::ptrdiff_t outwards = offset(direction);
        candidates_.clear();
        interrupt::Steps done;
        for (const std::size_t at : border_) {
            done.add(8);
            if (!is_object(std::size_t(std::ptrdiff_t(at) + outwards)) && removable(at)) candidates_.push_back(at);
        }
        fresh_.clear();
        bool is_changed = false;
        for (const std::size_t at : candidates_) {
            done.add(8);
            if (!removable(at)) continue;
            is_changed = true;
            pixels_[at] = 0;
            for (const Step& step : directions) {
                const auto next = std::size_t(std::ptrdiff_t(at) + offset(step));
                if (pixels_[next] == object) list(next, fresh_);
            }
        }
        if (is_changed) renew_border();
        return is_changed;
    }

    // The border without what was removed, and with what lies open now, in the order of places.
    void renew_border() {
        std::erase_if(border_, [&](std::size_t at) { return !is_object(at); });
        std::sort(fresh_.begin(), fresh_.end());
        const auto end_of_old = std::ptrdiff_t(border_.size());
        border_.insert(border_.end(), fresh_.begin(), fresh_.end());
        std::inplace_merge(border_.begin(), border_.begin() + end_of_old, border_.end());
    }

    std::uint8_t* mask_;
    Grid grid_;
    bool is_flat_;
    std::size_t width_, plane_;
    Bytes pixels_;  // with a border of background around them: bits `object` and `listed`
    std::vector<std::size_t> border_, candidates_, fresh_;
};

std::int64_t size_of(const Bytes& mask) {
    return std::count(mask.begin(), mask.end(), std::uint8_t(1));
}

std::int64_t shared(const Bytes& a, const Bytes& b) {
    std::int64_t found = 0;
    for (std::size_t k = 0; k < a.size(); ++k) found += a[k] & b[k];
    return found;
}

}  // namespace

void thin(std::uint8_t* mask, Grid grid, bool is_flat) {
    if (grid.size()) Thinning(mask, grid, is_flat).run();
}

std::vector<CentrelinePair> centrelines(const labels::Map& a, const labels::Map& b, Grid grid, bool is_flat,
                                        const std::vector<std::int64_t>& wanted, std::size_t threads) {
    std::vector<CentrelinePair> answer(wanted.size());
    if (!grid.size() || wanted.empty()) return answer;
    const std::vector<Box> boxes = joined(boxes_of(a, grid, wanted, threads), boxes_of(b, grid, wanted, threads));
    for_each_box(boxes, threads, [&](std::size_t k, std::size_t helpers) {
        const Grid part = boxes[k].grid();
        const Bytes left = mask_of(a, grid, boxes[k], wanted[k], helpers);
        const Bytes right = mask_of(b, grid, boxes[k], wanted[k], helpers);
        Bytes line_a = left, line_b = right;
        thin(line_a.data(), part, is_flat);
        thin(line_b.data(), part, is_flat);
        answer[k] = {size_of(line_a), shared(line_a, right), size_of(line_b), shared(line_b, left)};
    });
    return answer;
}

}  // namespace vesica::segmentation

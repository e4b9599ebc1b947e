// soft_blocks.hpp. The boxes of one key in a line, neighbours side by side, and which blocks of them may meet one box.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/order.hpp"
#include "overlaps/box_columns.hpp"
#include "overlaps/join.hpp"
#include "selection/soft.hpp"

namespace vesica::soft {

// What boxes of one group need to find their neighbours.
template <class T>
struct Setting {
    const Rule& rule;
    const join::Request& request;
    join::Bound bound;
    boxes::Rows<T> boxes;
    order::Group group;
    const double* scores;  // of the moment
    std::uint32_t* place;  // of each row, in the line or among the points

    bool is_out(std::uint32_t row) const { return !(scores[row] >= rule.min_score); }
    const T* box(std::uint32_t row) const { return boxes.data + 4 * row; }
};

// Boxes of about one size, from about one place: a number, so that they lie side by side when it is sorted. Every
// second row goes backwards, so that the end of one is beside the beginning of the next. No answer depends on it, but
// every box must have one: a number that is not negative.
template <class T>
struct PlaceCodes {
    static VESICA_INLINE void body(const T* boxes, const std::uint32_t* rows, std::size_t count,
                                   double* VESICA_RESTRICT codes) {
        for (std::size_t k = 0; k < count; ++k) codes[k] = code(boxes + 4 * static_cast<std::size_t>(rows[k]));
    }

  private:
    static VESICA_INLINE double code(const T* row) {
        constexpr double lines = 65536, places = 16777216;
        const double x1 = static_cast<double>(row[0]), y1 = static_cast<double>(row[1]);
        const double w = static_cast<double>(row[2]) - x1, h = static_cast<double>(row[3]) - y1;
        const double side = greater(w, h);
        const double level = std::bit_cast<double>(std::bit_cast<std::uint64_t>(side) & exponent);  // a power of two
        const double down = rest(std::floor(y1 / level), lines);
        const double across = rest(std::floor(x1 / level * 256), places);
        const double along = rest(down, 2) > 0 ? places - 1 - across : across;
        const double rank = static_cast<double>(std::bit_cast<std::int64_t>(level) >> 52);
        const double found = (rank * lines + down) * places + along;
        // Not of a box without sides, or one so thin or so far away that a quotient is infinite: that compares false.
        return (side > 0) & (found >= 0) & (found <= std::numeric_limits<double>::max()) ? found : 0.0;
    }
    static constexpr std::uint64_t exponent = 0x7ff0000000000000;
    static VESICA_INLINE double rest(double number, double of) { return number - std::floor(number / of) * of; }
};

// Boxes of one group in a line, neighbours side by side; the hulls of blocks of `size` of them, and of lots of `lanes`
// blocks.
template <class T, std::size_t size>
class Blocks {
  public:
    using F = box_columns::Filtered<T>;
    // Up to `size` − 1 places behind the last box are read, as many as columns have behind what they hold.
    static_assert(size <= box_columns::lanes);

    explicit Blocks(const Setting<T>& setting)
        : s_(setting),
          count_(setting.group.count),
          line_(count_),
          hulls_(blocks() + 1),
          lots_(lots() + 1),
          near_lots_(lots() + box_columns::lanes),
          near_(blocks() + box_columns::lanes) {
        std::vector<double> codes(count_);
        simd::run<PlaceCodes<T>>(s_.boxes.data, s_.group.rows, count_, codes.data());
        const order::Rows order = order::best_first(codes.data(), count_, 0);
        for (std::size_t k = 0; k < count_; ++k) {
            const std::uint32_t row = s_.group.rows[order[k]];
            line_.put(k, boxes::box(s_.box(row)), row, s_.bound.share());
        }
        settle();
    }

    std::size_t count() const { return count_; }
    // Blocks that hold the boxes; the last may have room left.
    std::size_t blocks() const { return (count_ + size - 1) / size; }
    const box_columns::Lined<F>& line() const { return line_; }

    // Find the blocks among which all are that share enough with the row, in rising order. The row itself is put behind
    // the hulls; what a partner shares with it, the partner's block and lot do.
    std::span<const std::uint32_t> find_near(std::uint32_t row) {
        const boxes::Box<T> box = boxes::box(s_.box(row));
        lots_.put(lots(), box, row, s_.bound.share());
        hulls_.put(blocks(), box, row, s_.bound.share());
        return s_.bound.share() > 0 ? find<box_columns::Common::share>() : find<box_columns::Common::anything>();
    }

    // Keep those for which stays(place) holds; moved(from, to) is told where they go.
    template <class Stays, class Moved>
    void clear(const Stays& stays, const Moved& moved) {
        std::size_t to = 0;
        for (std::size_t k = 0; k < count_; ++k) {
            if (!stays(k)) continue;
            line_.move(k, to), moved(k, to), ++to;
        }
        count_ = to;
        settle();
    }

  private:
    std::size_t lots() const { return (blocks() + box_columns::lanes - 1) / box_columns::lanes; }

    template <box_columns::Common common>
    std::span<const std::uint32_t> find() {
        const std::size_t some = box_columns::near<common>(lots_, lots(), 0, lots(), near_lots_.data());
        return {near_.data(),
                box_columns::near<common>(hulls_, blocks(), near_lots_.data(), some, blocks(), near_.data())};
    }

    // The boxes around lots of `number` boxes each, of the first `count` of a line.
    static void surround(const box_columns::Lined<F>& line, std::size_t count, std::size_t number,
                         box_columns::Lined<F>& hulls) {
        for (std::size_t begin = 0; begin < count; begin += number) {
            constexpr F beyond = std::numeric_limits<F>::infinity();
            boxes::Box<F> hull{beyond, beyond, -beyond, -beyond};  // NaN compares false: not in it
            for (std::size_t k = begin; k < std::min(begin + number, count); ++k)
                hull = {lesser(line.x1[k], hull.x1), lesser(line.y1[k], hull.y1), greater(line.x2[k], hull.x2),
                        greater(line.y2[k], hull.y2)};
            hulls.put(begin / number, hull, 0, 0);
        }
    }

    // Places of the rows, and the boxes around blocks and lots of them.
    void settle() {
        for (std::size_t k = 0; k < count_; ++k) s_.place[line_.rows[k]] = static_cast<std::uint32_t>(k);
        surround(line_, count_, size, hulls_);
        surround(hulls_, blocks(), box_columns::lanes, lots_);
    }

    const Setting<T>& s_;
    std::size_t count_;
    box_columns::Lined<F> line_, hulls_, lots_;
    std::vector<std::uint32_t> near_lots_, near_;
};

}  // namespace vesica::soft

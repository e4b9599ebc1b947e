// soft_boxes.cpp. Soft-NMS of boxes, whose neighbours are looked up when one of them is taken.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/interrupt.hpp"
#include "overlaps/box_columns.hpp"
#include "overlaps/box_formulas.hpp"
#include "overlaps/box_neighbours.hpp"
#include "selection/soft.hpp"
#include "selection/soft_walk.hpp"

namespace vesica::soft {
namespace {

// What boxes of one group need to find their neighbours.
template <class T>
struct Setting {
    const Rule& rule;
    const join::Request& request;
    join::Bound bound;
    boxes::Rows<T> boxes;
    Group group;
    const double* scores;  // of the moment
    std::uint32_t* place;  // of each row, in the line or among the points

    bool is_out(std::uint32_t row) const { return !(scores[row] >= rule.min_score); }
    const T* box(std::uint32_t row) const { return boxes.data + 4 * row; }
};

// The measure of one box with many, by column.
template <class M, class E>
struct Values {
    static VESICA_INLINE void body(const E (&corners)[4][batch], std::size_t count, const boxes::Box<E>& given,
                                   const measures::Options& options, double* VESICA_RESTRICT values) {
        const boxes::Box<E> box = given;
        const measures::Options o = options;
        const E area = box.w() * box.h();
        const Real<E> slope = measures::needs_slope<M> ? box.slope() : Real<E>(0);
        for (std::size_t k = 0; k < count; ++k) {
            const boxes::Box<E> other{corners[0][k], corners[1][k], corners[2][k], corners[3][k]};
            const Real<E> turned = measures::needs_slope<M> ? other.slope() : Real<E>(0);
            values[k] = M::value(boxes::Pair<E>(box, other, area, other.w() * other.h(), slope, turned), o);
        }
    }
};

template <class E>
using ValuesOf = void (*)(const E (&corners)[4][batch], std::size_t count, const boxes::Box<E>& box,
                          const measures::Options& options, double* values);
template <class E>
ValuesOf<E> values_of(measures::Name measure) {
    ValuesOf<E> found = nullptr;
    measures::with_box_measure(measure, [&]<class M>(M) {
        found = [](const E(&corners)[4][batch], std::size_t count, const boxes::Box<E>& box,
                   const measures::Options& options,
                   double* values) { simd::run<Values<M, E>>(corners, count, box, options, values); };
    });
    return found;
}

// A box that was taken meets others: which of them decay, and by how much. The taken one comes first.
template <class T>
class Meeting {
  public:
    using E = box_formulas::Exact<T>;

    explicit Meeting(const Setting<T>& setting)
        : s_(setting),
          formula_(box_formulas::formula_of<T>(setting.request.measure)),
          measure_(values_of<E>(setting.request.measure)) {}

    // How many went out.
    template <class Visit>
    std::size_t operator()(std::uint32_t row, const std::uint32_t* others, std::size_t count, const Visit& visit) {
        std::size_t out = 0;
        for (std::size_t from = 0; from < count; from += batch)
            out += meet(row, others + from, std::min(batch, count - from), visit);
        return out;
    }

  private:
    template <class Visit>
    std::size_t meet(std::uint32_t row, const std::uint32_t* others, std::size_t given, const Visit& visit) {
        std::size_t count = 0;
        for (std::size_t k = 0; k < given; ++k) {
            const T* const box = s_.box(others[k]);
            for (std::size_t side = 0; side < 4; ++side) corners_[side][count] = static_cast<E>(box[side]);
            rows_[count] = others[k], count += !s_.is_out(others[k]);
        }
        const T* const own = s_.box(row);
        const boxes::Box<E> box{static_cast<E>(own[0]), static_cast<E>(own[1]), static_cast<E>(own[2]),
                                static_cast<E>(own[3])};
        measure_(corners_, count, box, s_.request.options, &values_[0]);
        // What does not reach the threshold does not decay. Above 0 everything does.
        for (std::size_t k = 0; k < count; ++k)
            if (!(values_[k] > 0) || (s_.request.threshold.p && !reaches(row, rows_[k]))) values_[k] = 0;
        visit(&rows_[0], &values_[0], count);
        std::size_t out = 0;
        for (std::size_t k = 0; k < count; ++k) out += s_.is_out(rows_[k]);
        return out;
    }
    bool reaches(std::uint32_t row, std::uint32_t other) const {
        return formula_.reaches(s_.box(row), s_.box(other), s_.request.options, s_.request.threshold);
    }

    const Setting<T>& s_;
    box_formulas::Formula<T> formula_;
    ValuesOf<E> measure_;
    E corners_[4][batch];
    std::uint32_t rows_[batch];
    double values_[batch];
};

// Boxes of one group in a line, neighbours side by side, and the boxes around blocks of them.
template <class T>
class Blocks {
  public:
    using F = box_columns::Filtered<T>;

    explicit Blocks(const Setting<T>& setting)
        : s_(setting),
          count_(setting.group.count),
          line_(count_),
          hulls_(count_ / box_columns::lanes + 2),
          near_(count_ / box_columns::lanes + 2 + box_columns::lanes) {
        std::vector<double> codes(count_);
        for (std::size_t k = 0; k < count_; ++k) codes[k] = code(s_.box(s_.group.rows[k]));
        const order::Rows order = order::best_first(codes.data(), count_, 0);
        for (std::size_t k = 0; k < count_; ++k) {
            const std::uint32_t row = s_.group.rows[order[k]];
            line_.put(k, boxes::box(s_.box(row)), row, s_.bound.share());
        }
        settle();
    }

    std::size_t count() const { return count_; }
    const box_columns::Lined<F>& line() const { return line_; }

    // The blocks among which all are that share enough with the row, in rising order.
    std::size_t find_near(std::uint32_t row) {
        const std::size_t blocks = (count_ + box_columns::lanes - 1) / box_columns::lanes;
        hulls_.put(blocks, boxes::box(s_.box(row)), row, s_.bound.share());  // what a partner shares, its block does
        return box_columns::near(hulls_, blocks, 0, blocks, near_.data());
    }
    const std::uint32_t* near() const { return near_.data(); }

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
    // Boxes of about one size, from about one place: a number, so that they lie side by side when it is sorted. No
    // answer depends on it.
    static double code(const T* row) {
        const double x1 = static_cast<double>(row[0]), y1 = static_cast<double>(row[1]);
        const double x2 = static_cast<double>(row[2]), y2 = static_cast<double>(row[3]);
        const double side = std::max(x2 - x1, y2 - y1);
        if (!(side > 0 && join::in_range(side) && join::in_range(x1) && join::in_range(y1))) return 0;
        const int level = std::ilogb(side);
        const auto bits = [](double number, double values) { return number - std::floor(number / values) * values; };
        const double down = bits(std::floor(std::ldexp(y1, -level)), 65536);
        const double across = bits(std::floor(std::ldexp(x1, 8 - level)), 16777216);
        return ((level + 1100) * 65536.0 + down) * 16777216 + across;
    }

    // Places of the rows, and the boxes around blocks of them.
    void settle() {
        for (std::size_t k = 0; k < count_; ++k) s_.place[line_.rows[k]] = static_cast<std::uint32_t>(k);
        for (std::size_t begin = 0; begin < count_; begin += box_columns::lanes) {
            boxes::Box<F> hull{line_.x1[begin], line_.y1[begin], line_.x2[begin], line_.y2[begin]};
            for (std::size_t k = begin; k < std::min(begin + box_columns::lanes, count_); ++k)
                hull = {lesser(line_.x1[k], hull.x1), lesser(line_.y1[k], hull.y1), greater(line_.x2[k], hull.x2),
                        greater(line_.y2[k], hull.y2)};
            hulls_.put(begin / box_columns::lanes, hull, 0, 0);
        }
    }

    const Setting<T>& s_;
    std::size_t count_;
    box_columns::Lined<F> line_, hulls_;
    std::vector<std::uint32_t> near_;
};

// Every box that is taken looks at all that are left. Those that are out are cleared away when they are many.
template <class T>
class Looking {
  public:
    explicit Looking(const Setting<T>& setting)
        : s_(setting), meeting_(setting), blocks_(setting), found_(setting.group.count + box_columns::lanes) {}

    template <class Visit>
    void operator()(std::uint32_t row, const Visit& visit) {
        const std::size_t some = blocks_.find_near(row);
        const std::size_t count =
            box_columns::near(blocks_.line(), s_.place[row], blocks_.near(), some, blocks_.count(), found_.data());
        for (std::size_t k = 0; k < count; ++k) found_[k] = blocks_.line().rows[found_[k]];
        out_ += 1 + meeting_(row, found_.data(), count, visit);
        if (4 * out_ <= blocks_.count()) return;
        blocks_.clear([&](std::size_t k) { return !s_.is_out(blocks_.line().rows[k]); },
                      [](std::size_t, std::size_t) {});
        out_ = 0;
    }

  private:
    const Setting<T>& s_;
    Meeting<T> meeting_;
    Blocks<T> blocks_;
    std::size_t out_ = 0;
    std::vector<std::uint32_t> found_;
};

// The overlap of one box with some blocks of boxes, 0 where they share nothing: those of one block after the other.
template <class M, class F>
struct BlockOverlaps {
    static VESICA_INLINE void body(const box_columns::Lined<F>& line, const std::uint32_t* blocks, std::size_t some,
                                   const boxes::Box<double>& given, const measures::Options& options,
                                   double* VESICA_RESTRICT overlaps) {
        const boxes::Box<double> box = given;
        const measures::Options o = options;
        const double area = box.w() * box.h();
        for (std::size_t b = 0; b < some; ++b, overlaps += box_columns::lanes) {
            const std::size_t from = blocks[b] * box_columns::lanes;
            const F *VESICA_RESTRICT x1 = line.x1.data() + from, *VESICA_RESTRICT y1 = line.y1.data() + from;
            const F *VESICA_RESTRICT x2 = line.x2.data() + from, *VESICA_RESTRICT y2 = line.y2.data() + from;
            for (std::size_t k = 0; k < box_columns::lanes; ++k) {
                const boxes::Box<double> other{x1[k], y1[k], x2[k], y2[k]};
                const boxes::Pair<double> pair(box, other, area, other.w() * other.h());
                overlaps[k] = pair.inter > 0 ? greater(0.0, M::value(pair, o)) : 0.0;
            }
        }
    }
};

template <class F>
using BlockOverlapsOf = void (*)(const box_columns::Lined<F>& line, const std::uint32_t* blocks, std::size_t some,
                                 const boxes::Box<double>& box, const measures::Options& options, double* overlaps);
// Null for measures that need the slopes of boxes.
template <class F>
BlockOverlapsOf<F> block_overlaps_of(measures::Name measure) {
    BlockOverlapsOf<F> found = nullptr;
    measures::with_box_measure(measure, [&]<class M>(M) {
        if constexpr (!measures::needs_slope<M>)
            found = [](const box_columns::Lined<F>& line, const std::uint32_t* blocks, std::size_t some,
                       const boxes::Box<double>& box, const measures::Options& options, double* overlaps) {
                simd::run<BlockOverlaps<M, F>>(line, blocks, some, box, options, overlaps);
            };
    });
    return found;
}

// The scores of some blocks of boxes, each by its overlap. Without overlap a score is multiplied by 1. To divide by a
// power of two is to multiply by another, which is faster.
template <bool is_power>
struct Fade {
    static VESICA_INLINE void body(const std::uint32_t* blocks, std::size_t some,
                                   const double* VESICA_RESTRICT overlaps, double sigma, double* scores) {
        const double per_sigma = 1 / sigma;
        for (std::size_t b = 0; b < some; ++b, overlaps += box_columns::lanes) {
            double* VESICA_RESTRICT to = scores + blocks[b] * box_columns::lanes;
            for (std::size_t k = 0; k < box_columns::lanes; ++k) {
                const double m = overlaps[k];
                to[k] *= is_power ? Gaussian::left_by(m, per_sigma) : Gaussian::left(m, sigma);
            }
        }
    }
};

// The largest of `wide` scores, for some lots of them. NaN (−inf * 0, of a taken one) compares false: skipped.
constexpr std::size_t wide = 4 * box_columns::lanes;
struct Tops {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT scores, const std::uint32_t* lots, std::size_t some,
                                   double* VESICA_RESTRICT tops) {
        for (std::size_t b = 0; b < some; ++b) {
            const double* VESICA_RESTRICT lot = scores + lots[b] * wide;
            double top[8];
            for (std::size_t k = 0; k < 8; ++k) top[k] = taken;
            for (std::size_t from = 0; from < wide; from += 8)
                for (std::size_t k = 0; k < 8; ++k) top[k] = lot[from + k] > top[k] ? lot[from + k] : top[k];
            double highest = top[0];
            for (std::size_t k = 1; k < 8; ++k) highest = top[k] > highest ? top[k] : highest;
            tops[lots[b]] = highest;
        }
    }
};

// Gaussian decay of floats, where every overlap counts: whole blocks fade, and scores lie beside their boxes.
template <class T>
class Fading {
  public:
    Fading(const Setting<T>& setting, BlockOverlapsOf<box_columns::Filtered<T>> measure)
        : s_(setting),
          measure_(measure),
          blocks_(setting),
          tops_(setting.group.count / wide + 1, taken),
          scores_(tops_.size() * wide, taken) {
        for (std::size_t k = 0; k < blocks_.count(); ++k) scores_[k] = s_.scores[blocks_.line().rows[k]];
        rank_all();
        int exponent;
        is_power_ = std::frexp(s_.rule.sigma, &exponent) == 0.5 && exponent > -1000;
    }

    void walk(std::vector<Entry>& picks) {
        constexpr std::size_t pause = 64;  // takes between two clearings
        for (std::size_t taken_so_far = 1;; ++taken_so_far) {
            const Entry best = next();
            if (!(best.score >= s_.rule.min_score)) return;
            picks.push_back(best);
            if (taken_so_far == s_.rule.limit) return;
            take(best.row);
            if (taken_so_far % pause == 0) clear(), interrupt::poll();
        }
    }

  private:
    void rank_all() {
        lots_.clear();
        for (std::size_t lot = 0; lot < tops_.size(); ++lot) lots_.push_back(static_cast<std::uint32_t>(lot));
        simd::run<Tops>(scores_.data(), lots_.data(), lots_.size(), tops_.data());
    }

    // The best that is left; among equals the lowest row.
    Entry next() const {
        Entry best{taken, ~std::uint32_t(0)};
        for (const double top : tops_) best.score = top > best.score ? top : best.score;
        for (std::size_t lot = 0; lot < tops_.size() && best.score > taken; ++lot)
            for (std::size_t k = lot * wide; tops_[lot] == best.score && k < (lot + 1) * wide; ++k)
                if (scores_[k] == best.score) best.row = std::min(best.row, blocks_.line().rows[k]);
        return best;
    }

    void take(std::uint32_t row) {
        scores_[s_.place[row]] = taken;
        const boxes::Box<T> own = boxes::box(s_.box(row));
        const boxes::Box<double> box{own.x1, own.y1, own.x2, own.y2};
        const std::size_t some = blocks_.find_near(row);
        overlaps_.resize(some * box_columns::lanes);
        measure_(blocks_.line(), blocks_.near(), some, box, s_.request.options, overlaps_.data());
        const auto fade = [&]<bool is_power>(std::bool_constant<is_power>) {
            simd::run<Fade<is_power>>(blocks_.near(), some, overlaps_.data(), s_.rule.sigma, scores_.data());
        };
        is_power_ ? fade(std::true_type()) : fade(std::false_type());
        lots_.assign(1, s_.place[row] / wide);  // a box without area is near no box, not even itself
        for (std::size_t k = 0; k < some; ++k) {
            const std::uint32_t lot = static_cast<std::uint32_t>(blocks_.near()[k] * box_columns::lanes / wide);
            if (lot != lots_.back()) lots_.push_back(lot);
        }
        simd::run<Tops>(scores_.data(), lots_.data(), lots_.size(), tops_.data());
    }

    bool stays(std::size_t place) const { return scores_[place] >= s_.rule.min_score; }

    void clear() {
        std::size_t left = 0;
        for (std::size_t k = 0; k < blocks_.count(); ++k) left += stays(k);
        if (8 * left > 7 * blocks_.count()) return;
        blocks_.clear([&](std::size_t k) { return stays(k); },
                      [&](std::size_t from, std::size_t to) { scores_[to] = scores_[from]; });
        std::fill(scores_.begin() + static_cast<std::ptrdiff_t>(blocks_.count()), scores_.end(), taken);
        rank_all();
        tops_.resize(blocks_.count() / wide + 1), scores_.resize(tops_.size() * wide);
    }

    const Setting<T>& s_;
    BlockOverlapsOf<box_columns::Filtered<T>> measure_;
    Blocks<T> blocks_;
    std::vector<double> tops_, scores_;
    memory::Vector<double> overlaps_;  // of the moment
    std::vector<std::uint32_t> lots_;
    bool is_power_;
};

// Every box that is taken looks into the cells around it.
template <class T>
class InCells {
  public:
    explicit InCells(const Setting<T>& setting)
        : s_(setting), meeting_(setting), near_(setting.bound, setting.boxes, setting.group, 1) {
        for (std::size_t k = 0; k < s_.group.count; ++k) s_.place[s_.group.rows[k]] = nowhere;
        for (std::size_t p = 0; p < near_.size(); ++p) s_.place[near_.line().rows[p]] = static_cast<std::uint32_t>(p);
    }

    template <class Visit>
    void operator()(std::uint32_t row, const Visit& visit) {
        if (s_.place[row] == nowhere) return;
        found_.clear();
        near_.each_near(s_.place[row], room_, [&](std::uint32_t other) { found_.push_back(near_.line().rows[other]); });
        meeting_(row, found_.data(), found_.size(), visit);
    }

  private:
    static constexpr std::uint32_t nowhere = ~std::uint32_t(0);

    const Setting<T>& s_;
    Meeting<T> meeting_;
    Neighbourhood<T> near_;
    memory::Vector<std::uint32_t> room_;
    std::vector<std::uint32_t> found_;
};

}  // namespace

template <class T>
Picks of_boxes(const Rule& rule, const join::Request& request, boxes::Rows<T> rows, const double* scores) {
    // Boxes of one key up to which looking at all is faster than a grid.
    constexpr std::size_t few = 1 << 14;
    const join::Bound bound = join::bound_of(request.measure, request.options, request.threshold.value);
    std::vector<std::uint32_t> place(rows.count);
    return run(rule, {scores, request.keys.a, rows.count}, request.threads,
               [&](Group group, double* now, std::vector<Entry>& list) {
                   const Setting<T> setting{rule, request, bound, rows, group, now, place.data()};
                   if constexpr (!std::is_integral_v<T>)
                       if (group.count <= few && rule.decay == Decay::gaussian && !request.threshold.p)
                           if (const auto measure = block_overlaps_of<box_columns::Filtered<T>>(request.measure))
                               return Fading<T>(setting, measure).walk(list);
                   if (group.count <= few)
                       return walk(rule, group, scores, ByRow{rule, now, Looking<T>(setting)}, list);
                   walk(rule, group, scores, ByRow{rule, now, InCells<T>(setting)}, list);
               });
}

template Picks of_boxes<float>(const Rule&, const join::Request&, boxes::Rows<float>, const double*);
template Picks of_boxes<double>(const Rule&, const join::Request&, boxes::Rows<double>, const double*);
template Picks of_boxes<std::int64_t>(const Rule&, const join::Request&, boxes::Rows<std::int64_t>, const double*);

}  // namespace vesica::soft

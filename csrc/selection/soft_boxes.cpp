// soft_boxes.cpp. Soft-NMS of boxes, whose neighbours are looked up when one of them is taken.
#include <algorithm>
#include <span>
#include <vector>

#include "overlaps/box_columns.hpp"
#include "overlaps/box_formulas.hpp"
#include "overlaps/box_neighbours.hpp"
#include "selection/soft.hpp"
#include "selection/soft_blocks.hpp"
#include "selection/soft_fading.hpp"
#include "selection/soft_walk.hpp"

namespace vesica::soft {
namespace {

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

// Every box that is taken looks at all that are left. Those that are out are cleared away when they are many.
template <class T>
class Looking {
  public:
    explicit Looking(const Setting<T>& setting)
        : s_(setting), meeting_(setting), blocks_(setting), found_(setting.group.count + box_columns::lanes) {}

    template <class Visit>
    void operator()(std::uint32_t row, const Visit& visit) {
        const std::span<const std::uint32_t> near = blocks_.find_near(row);
        const std::size_t count =
            box_columns::near(blocks_.line(), s_.place[row], near.data(), near.size(), blocks_.count(), found_.data());
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
    Blocks<T, box_columns::lanes> blocks_;
    std::size_t out_ = 0;
    std::vector<std::uint32_t> found_;
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

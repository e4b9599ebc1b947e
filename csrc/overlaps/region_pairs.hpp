// region_pairs.hpp. Pairs of regions of any kind behind one face, and the verbs that need no more than that face.
//
// A source of parts S has
//   S::Number                       what areas are counted in: std::int64_t or double
//   s.n(), s.m()                    how many regions there are on both sides
//   s.area_a(i), s.area_b(j)        their areas, as Number
//   s.box_a(i), s.box_b(j)          the smallest upright boxes around them, as boxes::Box<double>
//   S::Row(s, i)                    region i of a, made ready to meet many; may be costly
//   row.inter(j)                    the area it shares with region j of b, as Number
//   s.prepare(threads)              optional: called once before every pair is looked at
//   row.partners(list)              optional: those j that may share area with it; then also
//   s.all_have_area()               whether every region has area; both after `prepare`
//   s.steps()                       optional: about how many steps of the processor all pairs take; 0: not known
// In place of boxes it may have
//   S::Partners(s)                  which regions meet; belongs to one thread
//   partners.each(i, visit)         calls visit(j, shared area) for each j that region i shares area with
// Everything but a Row is const and may be used by many threads at once; a Row belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/formulas.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "base/top_k.hpp"
#include "overlaps/join.hpp"

namespace vesica::region_pairs {

using measures::Parts;

template <class S>
void prepare(S& source, std::size_t threads) {
    if constexpr (requires { source.prepare(threads); }) source.prepare(threads);
}

template <class S>
Parts<typename S::Number> parts(const S& source, typename S::Row& row, std::size_t i, std::size_t j) {
    return {row.inter(j), source.area_a(i), source.area_b(j)};
}

// Run work(begin, end) on ranges of rows: several of them at a time where rows are short.
template <class S, class Work>
void over_rows(const S& source, std::size_t m, std::size_t threads, const Work& work) {
    constexpr std::size_t pairs_in_chunk = 64, steps_of_a_pair = 256;
    // Steps of the processor, roughly, from which on a second thread pays for its waking up.
    constexpr std::size_t worth_threads = 1 << 16;
    std::size_t steps = source.n() * m * steps_of_a_pair;
    if constexpr (requires { source.steps(); }) steps = source.steps() ? source.steps() : steps;
    threads::over(source.n(), threads::at_least_one(pairs_in_chunk / threads::at_least_one(m)),
                  steps < worth_threads ? 1 : threads, work);
}

// value_of(parts) of every pair: out[i * m + j].
template <class R, class S, class ValueOf>
void matrix(const S& source, R* out, std::size_t threads, const ValueOf& value_of) {
    const std::size_t m = source.m();
    over_rows(source, m, threads, [&](std::size_t begin, std::size_t end) {
        interrupt::Steps steps;
        for (std::size_t i = begin; i < end; ++i) {
            typename S::Row row(source, i);
            const auto fill = [&](std::size_t j) {
                out[i * m + j] = value_of(parts(source, row, i, j));
                steps.add(steps.of_regions);
            };
            if constexpr (requires(std::vector<std::uint32_t>& found) { row.partners(found); }) {
                if (source.all_have_area()) {
                    // What shares nothing has one value, whatever its area is.
                    std::vector<std::uint32_t> partners;
                    row.partners(partners);
                    const Parts<typename S::Number> apart{0, 1, 1};
                    std::fill_n(out + i * m, m, value_of(apart));
                    for (const std::uint32_t j : partners) fill(j);
                    continue;
                }
            }
            for (std::size_t j = 0; j < m; ++j) fill(j);
        }
    });
}

// value_of(parts) of a[i] with b[i]: out[i].
template <class R, class S, class ValueOf>
void zip(const S& source, R* out, std::size_t threads, const ValueOf& value_of) {
    over_rows(source, 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            typename S::Row row(source, i);
            out[i] = value_of(parts(source, row, i, i));
        }
    });
}

// The measure of every pair: out[i * m + j].
template <class S>
void pairwise(measures::Name measure, const measures::Options& options, const S& source, double* out,
              std::size_t threads) {
    matrix(source, out, threads, measures::value_of<typename S::Number>(measure, options));
}

// The measure of a[i] with b[i]: out[i].
template <class S>
void aligned(measures::Name measure, const measures::Options& options, const S& source, double* out,
             std::size_t threads) {
    zip(source, out, threads, measures::value_of<typename S::Number>(measure, options));
}

// The shared area of every pair: out[i * m + j]; or of a[i] with b[i]: out[i].
template <class S>
void inter(const S& source, bool is_aligned, typename S::Number* out, std::size_t threads) {
    const auto shared = [](const Parts<typename S::Number>& parts) { return parts.inter; };
    if (is_aligned) return zip(source, out, threads, shared);
    matrix(source, out, threads, shared);
}

// The k partners with the largest measure: as boxes::best.
template <class S>
void best(measures::Name measure, const measures::Options& options, const S& source, std::size_t k, std::int64_t* index,
          double* value, std::size_t threads) {
    const auto measured = measures::value_of<typename S::Number>(measure, options);
    over_rows(source, source.m(), threads, [&](std::size_t begin, std::size_t end) {
        interrupt::Steps steps;
        for (std::size_t i = begin; i < end; ++i) {
            typename S::Row row(source, i);
            top_k::Top<double> top(k, index + i * k, value + i * k);
            for (std::size_t j = 0; j < source.m(); ++j) {
                const double found = measured(parts(source, row, i, j));
                if (top.admits(found)) top.put(static_cast<std::int64_t>(j), found);
                steps.add(steps.of_regions);
            }
            top.close();
        }
    });
}

// Regions as points with the reach of their upright boxes. Those without area share nothing and take no part.
template <class BoxOf, class AreaOf>
grid_index::Grid grid_of(std::size_t count, const BoxOf& box_of, const AreaOf& area_of, const std::uint32_t* keys,
                         std::size_t threads) {
    memory::Vector<grid_index::Point> points;
    points.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double area = static_cast<double>(area_of(i));
        const boxes::Box<double> box = box_of(i);
        if (!(area > 0)) continue;
        const double far_x = std::max(std::fabs(box.x1), std::fabs(box.x2));
        const double far_y = std::max(std::fabs(box.y1), std::fabs(box.y2));
        const double reach_x = (box.x2 - box.x1) / 2 + grid_index::hair * far_x;
        const double reach_y = (box.y2 - box.y1) / 2 + grid_index::hair * far_y;
        // Areas are bound to each other, sides are not: the height is there for the groups alone.
        points.push_back({(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, reach_x, reach_y, grid_index::rough_log2(area),
                          grid_index::rough_log2(reach_y), static_cast<std::uint32_t>(i)});
    }
    return grid_index::Grid(std::move(points), keys, threads);
}

// Can region i of a and region j of b share as much as partners must? `share` of A + B, by their upright boxes.
template <class S>
bool may_share(const S& source, std::size_t i, std::size_t j, double share) {
    const boxes::Box<double> a = source.box_a(i), b = source.box_b(j);
    const double w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1), h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
    const double areas = static_cast<double>(source.area_a(i) + source.area_b(j));
    return w > 0 && h > 0 && w * h >= share * areas * (1 - grid_index::hair);
}

// The pairs that reach the threshold. Upright boxes must meet, in enough area; only then are two regions compared.
template <class S>
join::Pairs<double> join(const join::Request& request, const S& source) {
    const join::Bound bound = join::bound_of(request.measure, request.options, request.threshold.value);
    const auto box_a = [&](std::size_t i) { return source.box_a(i); };
    const auto box_b = [&](std::size_t j) { return source.box_b(j); };
    const auto area_a = [&](std::size_t i) { return source.area_a(i); };
    const auto area_b = [&](std::size_t j) { return source.area_b(j); };
    const grid_index::Grid left = grid_of(source.n(), box_a, area_a, request.keys.a, request.threads);
    const grid_index::Grid other =
        grid_of(request.self ? 0 : source.m(), box_b, area_b, request.self ? nullptr : request.keys.b, request.threads);
    const grid_index::Grid& right = request.self ? left : other;
    const double share = bound.share();

    const auto formula = measures::formula_of<typename S::Number>(request.measure);
    return join::collect<double>(
        left, source.n(), request.threads, [&](const grid_index::Task& task, std::vector<join::Hit<double>>& hits) {
            interrupt::Steps steps;
            grid_index::each(left, task, right, {bound.apart, join::anything}, request.self,
                             [&](std::size_t p, std::size_t q) {
                                 std::uint32_t i = left.points[p].index, j = right.points[q].index;
                                 if (request.self && j < i) std::swap(i, j);
                                 if (!may_share(source, i, j, share)) return;
                                 steps.add(steps.of_regions);
                                 typename S::Row row(source, i);
                                 const auto found = parts(source, row, i, j);
                                 if (formula.reaches(found, request.options, request.threshold))
                                     hits.push_back({i, j, formula.value(found, request.options)});
                             });
        });
}

// The same, where it is known which regions meet.
template <class S>
    requires requires { typename S::Partners; }
join::Pairs<double> join(const join::Request& request, const S& source) {
    constexpr std::size_t rows_in_task = 256;
    std::vector<std::vector<join::Hit<double>>> lists((source.n() + rows_in_task - 1) / rows_in_task);
    const auto formula = measures::formula_of<typename S::Number>(request.measure);
    threads::over(source.n(), rows_in_task, request.threads, [&](std::size_t begin, std::size_t end) {
        typename S::Partners partners(source);
        std::vector<join::Hit<double>>& hits = lists[begin / rows_in_task];
        for (std::size_t i = begin; i < end; ++i, interrupt::poll())
            partners.each(i, [&](std::size_t j, typename S::Number shared) {
                if (request.self && j <= i) return;
                if (request.keys.a && request.keys.a[i] != request.keys.b[j]) return;
                const Parts<typename S::Number> found{shared, source.area_a(i), source.area_b(j)};
                if (formula.reaches(found, request.options, request.threshold))
                    hits.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                                    formula.value(found, request.options)});
            });
    });
    return join::sorted(lists, source.n(), request.threads);
}

}  // namespace vesica::region_pairs

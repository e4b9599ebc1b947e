#include "overlaps/join.hpp"

#include <optional>

#include "base/formulas.hpp"
#include "base/partition.hpp"
#include "overlaps/box_formulas.hpp"

namespace vesica::join {
namespace {

using grid_index::hair;

template <class T>
grid_index::Grid grid_of(boxes::Rows<T> rows, const std::uint32_t* keys, double shrink, std::size_t threads) {
    memory::Vector<grid_index::Point> points;
    partition::chosen(
        rows.count, threads, [&](std::size_t i) { return has_place(rows.data + 4 * i); },
        [&](std::size_t total) { points.resize(total); },
        [&](std::size_t i, std::size_t place) { points[place] = point_of(rows.data + 4 * i, shrink, i); });
    return grid_index::Grid(std::move(points), keys, threads);
}

// The rows in the order of the grid, so that the merge reads them one after the other.
template <class T>
memory::Vector<T> in_order(const T* data, std::size_t width, const grid_index::Grid& grid, std::size_t threads) {
    memory::Vector<T> rows(width * grid.points.size() + 1);
    partition::Chunks(grid.points.size(), threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
            std::copy_n(data + width * grid.points[p].index, width, rows.data() + width * p);
    });
    return rows;
}

grid_index::Grid grid_of(rotated::Rows rows, const std::uint32_t* keys, std::size_t threads) {
    const rotated::Columns columns(rows);
    memory::Vector<grid_index::Point> points;
    points.reserve(rows.count);
    for (std::size_t i = 0; i < rows.count; ++i)
        if (has_place(columns, i)) points.push_back(point_of(columns, i, i));
    return grid_index::Grid(std::move(points), keys, threads);
}

// Both grids and their rows; in a self-join there is one of each. Two threads make a side each; more make one after the
// other, together.
template <class Table>
class Sides {
  public:
    template <class MakeA, class MakeB, class MakeRows>
    Sides(const Request& request, const MakeA& make_a, const MakeB& make_b, const MakeRows& make_rows)
        : self_(request.self) {
        const auto make = [&](std::size_t side) {
            grids_[side].emplace(side ? make_b() : make_a());
            rows_[side].emplace(make_rows(*grids_[side], side == 0));
        };
        const std::size_t sides = self_ ? 1 : 2;
        if (request.threads > 2)
            for (std::size_t side = 0; side < sides; ++side) make(side);
        else
            threads::run(sides, request.threads, make);
    }
    const grid_index::Grid& left() const { return *grids_[0]; }
    const grid_index::Grid& right() const { return *grids_[self_ ? 0 : 1]; }
    const Table& left_rows() const { return *rows_[0]; }
    const Table& right_rows() const { return *rows_[self_ ? 0 : 1]; }

  private:
    bool self_;
    std::optional<grid_index::Grid> grids_[2];
    std::optional<Table> rows_[2];
};

}  // namespace

bool has_place(const rotated::Columns& columns, std::size_t at) {
    return columns.area[at] > 0 && in_range(columns.cx[at]) && in_range(columns.cy[at]) &&
           in_range(columns.reach_x[at]) && in_range(columns.reach_y[at]);
}

grid_index::Point point_of(const rotated::Columns& columns, std::size_t at, std::size_t index) {
    // Upright boxes must meet; areas are bound to each other, sides are not. The height is there for the groups: tall
    // boxes would widen the search for flat ones.
    return {columns.cx[at],
            columns.cy[at],
            columns.reach_x[at],
            columns.reach_y[at],
            grid_index::rough_log2(columns.area[at]),
            grid_index::rough_log2(columns.reach_y[at]),
            static_cast<std::uint32_t>(index)};
}

bool may_share(const rotated::Columns& a, std::size_t p, const rotated::Columns& b, std::size_t q, double share) {
    const auto overlap = [](double d, double ra, double rb) {
        return std::min({2 * ra, 2 * rb, ra + rb - std::fabs(d)});
    };
    const double upright =
        overlap(a.cx[p] - b.cx[q], a.reach_x[p], b.reach_x[q]) * overlap(a.cy[p] - b.cy[q], a.reach_y[p], b.reach_y[q]);
    return upright >= share * (a.area[p] + b.area[q]);
}

Bound bound_of(measures::Name measure, const measures::Options& options, double t) {
    if (t <= 0) return {0, 1, 1, anything};
    measures::Least least;
    measures::with_box_measure(measure, [&]<class M>(M) { least = M::least(options, t * (1 - hair)); });
    if (least.iou <= 0) return {0, 1 - 2 * least.of_a, 1 - 2 * least.of_b, anything};
    const double shrink = (1 - least.iou) / (1 + least.iou);
    return {least.iou, shrink, shrink, static_cast<float>(std::log2(1 / least.iou) + 0.1)};
}

template <class T>
Pairs<Real<T>> of_few_boxes(const Request& request, boxes::Rows<T> a, boxes::Rows<T> b) {
    const box_formulas::Formula<T> formula = box_formulas::formula_of<T>(request.measure);
    std::vector<std::vector<Hit<Real<T>>>> found(1);
    for (std::size_t i = 0; i < a.count; ++i) {
        const T* const row_a = a.data + 4 * i;
        if (!has_place(row_a)) continue;
        for (std::size_t j = request.self ? i + 1 : 0; j < b.count; ++j) {
            const T* const row_b = b.data + 4 * j;
            const bool meet = lesser(row_a[2], row_b[2]) > greater(row_a[0], row_b[0]) &&
                              lesser(row_a[3], row_b[3]) > greater(row_a[1], row_b[1]);
            if (!meet || !has_place(row_b) || (request.keys.a && request.keys.a[i] != request.keys.b[j])) continue;
            if (formula.reaches(row_a, row_b, request.options, request.threshold))
                found[0].push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                                    formula.value(row_a, row_b, request.options)});
        }
    }
    return sorted(found, a.count, 1);
}

template <class T>
Pairs<Real<T>> of_boxes(const Request& request, boxes::Rows<T> a, boxes::Rows<T> b) {
    using R = Real<T>;
    const Bound bound = bound_of(request.measure, request.options, request.threshold.value);
    // A self-join has one grid, so each box gets the larger of the two reaches.
    const double shrink_a = request.self ? std::max(bound.shrink_a, bound.shrink_b) : bound.shrink_a;
    const Sides<memory::Vector<T>> sides(
        request, [&] { return grid_of(a, request.keys.a, shrink_a, request.threads); },
        [&] { return grid_of(b, request.keys.b, bound.shrink_b, request.threads); },
        [&](const grid_index::Grid& grid, bool first) {
            return in_order((first ? a : b).data, 4, grid, request.threads);
        });
    const grid_index::Grid &left = sides.left(), &right = sides.right();
    const memory::Vector<T>&rows_a = sides.left_rows(), &rows_b = sides.right_rows();

    const box_formulas::Formula<T> formula = box_formulas::formula_of<T>(request.measure);
    return collect<R>(left, a.count, request.threads, [&](const grid_index::Task& task, std::vector<Hit<R>>& hits) {
        grid_index::each(left, task, right, {bound.apart, bound.apart}, request.self,
                         [&](std::size_t p, std::size_t q) {
                             std::uint32_t i = left.points[p].index, j = right.points[q].index;
                             const T *row_a = rows_a.data() + 4 * p, *row_b = rows_b.data() + 4 * q;
                             // The first of a pair is the one with the lower index: not every measure is symmetric.
                             if (request.self && j < i) std::swap(i, j), std::swap(row_a, row_b);
                             if (formula.reaches(row_a, row_b, request.options, request.threshold))
                                 hits.push_back({i, j, formula.value(row_a, row_b, request.options)});
                         });
    });
}

Pairs<double> of_rotated(const Request& request, rotated::Rows a, rotated::Rows b) {
    const Bound bound = bound_of(request.measure, request.options, request.threshold.value);
    const Sides<rotated::Columns> sides(
        request, [&] { return grid_of(a, request.keys.a, request.threads); },
        [&] { return grid_of(b, request.keys.b, request.threads); },
        [&](const grid_index::Grid& grid, bool first) {
            const memory::Vector<double> rows =
                in_order((first ? a : b).data, rotated::Rows::width, grid, request.threads);
            return rotated::Columns({rows.data(), grid.points.size()});
        });
    const grid_index::Grid &left = sides.left(), &right = sides.right();
    const rotated::Columns &columns_a = sides.left_rows(), &columns_b = sides.right_rows();
    const grid_index::Apart apart{bound.apart, anything};
    const double share = bound.share();

    const measures::Formula<double> formula = measures::formula_of<double>(request.measure);
    return collect<double>(
        left, a.count, request.threads, [&](const grid_index::Task& task, std::vector<Hit<double>>& hits) {
            rotated::Lanes lanes;
            const auto settle = [&] {
                lanes.clip(columns_a, columns_b);
                for (std::size_t k = 0; k < lanes.count; ++k) {
                    const std::size_t p = lanes.i[k], q = lanes.j[k];
                    std::uint32_t i = left.points[p].index, j = right.points[q].index;
                    rotated::Parts parts{lanes.inter[k], columns_a.area[p], columns_b.area[q]};
                    if (request.self && j < i) std::swap(i, j), std::swap(parts.area_a, parts.area_b);
                    if (formula.reaches(parts, request.options, request.threshold))
                        hits.push_back({i, j, formula.value(parts, request.options)});
                }
                lanes.count = 0;
            };
            grid_index::each(left, task, right, apart, request.self, [&](std::size_t p, std::size_t q) {
                if (!may_share(columns_a, p, columns_b, q, share)) return;
                lanes.add(p, q);
                if (lanes.full()) settle();
            });
            settle();
        });
}

#define VESICA_INSTANTIATE(T)                                                            \
    template Pairs<Real<T>> of_boxes<T>(const Request&, boxes::Rows<T>, boxes::Rows<T>); \
    template Pairs<Real<T>> of_few_boxes<T>(const Request&, boxes::Rows<T>, boxes::Rows<T>);
VESICA_INSTANTIATE(float)
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(std::int64_t)

}  // namespace vesica::join

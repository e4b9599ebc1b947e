// matching.cpp. Assignments, anchors and k-means.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "matching/anchors.hpp"
#include "matching/assign.hpp"
#include "matching/kmeans.hpp"

namespace vesica::bind {
namespace {

// best, iou and marks: images x anchors.
template <class T>
void anchors_assign(const ThresholdTuple& positive, const ThresholdTuple& negative, In<T> anchors, In<T> truths,
                    Flat<std::int64_t> offsets, Out<std::int64_t> best, Out<double> iou, Out<std::uint8_t> marks,
                    std::size_t threads) {
    const std::size_t n = expect_rows("anchors", anchors, 4), m = expect_rows("truths", truths, 4);
    const std::size_t images = expect_offsets("offsets", offsets, m);
    expect_size("best", best.size(), images * n);
    expect_size("iou", iou.size(), images * n);
    expect_size("marks", marks.size(), images * n);
    Unlocked unlocked;
    anchors::assign<T>({threshold_of(positive), threshold_of(negative), threads}, {anchors.data(), n},
                       {truths.data(), m}, {offsets.data(), images}, best.data(), iou.data(), marks.data());
}

template <class T>
void define_anchors(nb::module_& m) {
    m.def("anchors_assign", &anchors_assign<T>, "positive"_a, "negative"_a, "anchors"_a.noconvert(),
          "truths"_a.noconvert(), "offsets"_a.noconvert(), "best"_a.noconvert(), "iou"_a.noconvert(),
          "marks"_a.noconvert(), "threads"_a);
}

// Two rows: widths and heights.
kmeans::Shapes shapes_of(const In<double>& columns) {
    if (columns.ndim() != 2 || columns.shape(0) != 2) refuse("`shapes` must be a row of widths and one of heights");
    const std::size_t count = columns.shape(1);
    return {columns.data(), columns.data() + count, count};
}

// The sum of all ious, and for each cluster the sums of widths and of heights, and how many members it has.
std::tuple<double, Column<double>, Column<double>, Column<std::int64_t>> kmeans_nearest(
    In<double> shapes, In<double> centres, Out<std::int32_t> label, Out<double> iou, std::size_t threads) {
    const std::size_t k = expect_rows("centres", centres, 2);
    const kmeans::Shapes all = shapes_of(shapes);
    expect_size("label", label.size(), all.count);
    expect_size("iou", iou.size(), all.count);
    std::vector<kmeans::Sum> sums(k);
    std::vector<double> w(k), h(k);
    std::vector<std::int64_t> count(k);
    double total;
    {
        Unlocked unlocked;
        total = kmeans::nearest(all, reinterpret_cast<const kmeans::Centre*>(centres.data()), k, label.data(),
                                iou.data(), sums.data(), threads);
        for (std::size_t c = 0; c < k; ++c) w[c] = sums[c].w, h[c] = sums[c].h, count[c] = sums[c].count;
    }
    return {total, give(std::move(w)), give(std::move(h)), give(std::move(count))};
}

void kmeans_medians(In<double> shapes, In<std::int32_t> label, Out<double> centres, std::size_t threads) {
    const kmeans::Shapes all = shapes_of(shapes);
    expect_rows("centres", centres, 2);
    expect_size("label", label.size(), all.count);
    Unlocked unlocked;
    kmeans::medians(all, label.data(), reinterpret_cast<kmeans::Centre*>(centres.data()), centres.shape(0), threads);
}

assign::Pairs pairs_of(const Flat<std::int64_t>& row, const Flat<std::int64_t>& column, const Flat<double>& value,
                       std::size_t rows, std::size_t columns) {
    expect_size("row", row.size(), value.size());
    expect_size("column", column.size(), value.size());
    return {row.data(), column.data(), value.data(), value.size(), rows, columns};
}

// Scores of no length mean: no scores.
Column<std::int64_t> assign_greedy(Flat<std::int64_t> row, Flat<std::int64_t> column, Flat<double> value,
                                   std::size_t rows, std::size_t columns, Flat<double> scores) {
    const assign::Pairs pairs = pairs_of(row, column, value, rows, columns);
    expect_optional("scores", scores.size(), columns);
    std::vector<std::int64_t> places;
    {
        Unlocked unlocked;
        places = assign::greedy(pairs, given(scores));
    }
    return give(std::move(places));
}

// The row that is short of columns and how many rows compete with it, itself among them.
using ShortageTuple = std::optional<std::tuple<std::size_t, std::size_t>>;
ShortageTuple give_shortage(const std::optional<assign::Shortage>& shortage) {
    if (!shortage) return std::nullopt;
    return std::tuple{shortage->row, shortage->rows};
}

std::tuple<Column<std::int64_t>, ShortageTuple> assign_optimal(Flat<std::int64_t> row, Flat<std::int64_t> column,
                                                               Flat<double> value, std::size_t rows,
                                                               std::size_t columns, int goal, std::size_t threads) {
    const assign::Pairs pairs = pairs_of(row, column, value, rows, columns);
    assign::Choice choice;
    {
        Unlocked unlocked;
        choice = assign::optimal(pairs, assign::Goal(goal), threads);
    }
    return {give(std::move(choice.places)), give_shortage(choice.shortage)};
}

ShortageTuple assign_dense(In<double> costs, int goal, Out<std::int64_t> out) {
    if (costs.ndim() != 2) refuse("`costs` must be a table");
    expect_size("out", out.size(), costs.shape(0));
    if (assign::Goal(goal) == assign::Goal::complete) expect_at_most("rows", costs.shape(0), costs.shape(1));
    Unlocked unlocked;
    return give_shortage(assign::dense(costs.data(), costs.shape(0), costs.shape(1), assign::Goal(goal), out.data()));
}

}  // namespace

void define_matching(nb::module_& m) {
    define_names<assign::Goal>(m, "goal_names");
    define_names<anchors::Mark>(m, "anchor_mark_names");
    define_anchors<float>(m);
    define_anchors<double>(m);
    define_anchors<std::int64_t>(m);
    m.def("kmeans_nearest", &kmeans_nearest, "shapes"_a.noconvert(), "centres"_a.noconvert(), "label"_a.noconvert(),
          "iou"_a.noconvert(), "threads"_a);
    m.def("kmeans_medians", &kmeans_medians, "shapes"_a.noconvert(), "label"_a.noconvert(), "centres"_a.noconvert(),
          "threads"_a);
    m.def("assign_greedy", &assign_greedy, "row"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "rows"_a,
          "columns"_a, "scores"_a.noconvert());
    m.def("assign_optimal", &assign_optimal, "row"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(),
          "rows"_a, "columns"_a, "goal"_a, "threads"_a);
    m.def("assign_dense", &assign_dense, "costs"_a.noconvert(), "goal"_a, "out"_a.noconvert());
}

}  // namespace vesica::bind

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
    Unlocked unlocked;
    anchors::assign<T>({threshold_of(positive), threshold_of(negative), threads}, {anchors.data(), anchors.shape(0)},
                       {truths.data(), truths.shape(0)}, {offsets.data(), offsets.size() - 1}, best.data(), iou.data(),
                       marks.data());
}

template <class T>
void define_anchors(nb::module_& m) {
    m.def("anchors_assign", &anchors_assign<T>, "positive"_a, "negative"_a, "anchors"_a.noconvert(),
          "truths"_a.noconvert(), "offsets"_a.noconvert(), "best"_a.noconvert(), "iou"_a.noconvert(),
          "marks"_a.noconvert(), "threads"_a);
}

// Two rows: widths and heights.
kmeans::Shapes shapes_of(const In<double>& columns) {
    const std::size_t count = columns.shape(1);
    return {columns.data(), columns.data() + count, count};
}

// The sum of all ious, and for each cluster the sums of widths and of heights, and how many members it has.
std::tuple<double, Column<double>, Column<double>, Column<std::int64_t>> kmeans_nearest(
    In<double> shapes, In<double> centres, Out<std::int32_t> label, Out<double> iou, std::size_t threads) {
    const std::size_t k = centres.shape(0);
    std::vector<kmeans::Sum> sums(k);
    std::vector<double> w(k), h(k);
    std::vector<std::int64_t> count(k);
    double total;
    {
        Unlocked unlocked;
        total = kmeans::nearest(shapes_of(shapes), reinterpret_cast<const kmeans::Centre*>(centres.data()), k,
                                label.data(), iou.data(), sums.data(), threads);
        for (std::size_t c = 0; c < k; ++c) w[c] = sums[c].w, h[c] = sums[c].h, count[c] = sums[c].count;
    }
    return {total, give(std::move(w)), give(std::move(h)), give(std::move(count))};
}

void kmeans_medians(In<double> shapes, In<std::int32_t> label, Out<double> centres, std::size_t threads) {
    Unlocked unlocked;
    kmeans::medians(shapes_of(shapes), label.data(), reinterpret_cast<kmeans::Centre*>(centres.data()),
                    centres.shape(0), threads);
}

assign::Pairs pairs_of(const Flat<std::int64_t>& row, const Flat<std::int64_t>& column, const Flat<double>& value,
                       std::size_t rows, std::size_t columns) {
    return {row.data(), column.data(), value.data(), value.size(), rows, columns};
}

// Scores of no length mean: no scores.
Column<std::int64_t> assign_greedy(Flat<std::int64_t> row, Flat<std::int64_t> column, Flat<double> value,
                                   std::size_t rows, std::size_t columns, Flat<double> scores) {
    std::vector<std::int64_t> places;
    {
        Unlocked unlocked;
        places = assign::greedy(pairs_of(row, column, value, rows, columns), given(scores));
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
    assign::Choice choice;
    {
        Unlocked unlocked;
        choice = assign::optimal(pairs_of(row, column, value, rows, columns), assign::Goal(goal), threads);
    }
    return {give(std::move(choice.places)), give_shortage(choice.shortage)};
}

ShortageTuple assign_dense(In<double> costs, int goal, Out<std::int64_t> out) {
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

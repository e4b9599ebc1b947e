// dataset.cpp. Masks as COCO files spell them.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "bind/coco_masks.hpp"
#include "bind/module.hpp"
#include "dataset/coco_mask_table.hpp"
#include "detection/boundary.hpp"
#include "detection/cell_masks.hpp"

namespace vesica::bind {
namespace {

// Area, kind and position of the fault, and findings of each row.
using AreaTuple = std::tuple<Column<std::int64_t>, Column<std::uint8_t>, Column<std::int64_t>, Column<std::uint8_t>>;
AreaTuple give_areas(coco_masks::Table& table) {
    return {give(std::move(table.area)), give(std::move(table.kind)), give(std::move(table.position)),
            give(std::move(table.finding))};
}

AreaTuple coco_masks_areas(nb::object column, Flat<std::int64_t> rows, bool literal, std::size_t threads) {
    const coco_masks::Column from = coco_masks_of(column);
    coco_masks::Table table;
    {
        Unlocked unlocked;
        table = coco_masks::areas(from, rows.data(), rows.size(), literal, threads);
    }
    return give_areas(table);
}

// Counts, offsets, boxes and sizes in rows of six, and the columns of `coco_masks_areas`.
std::tuple<Column<std::int64_t>, Column<std::int64_t>, Column<std::int64_t>, AreaTuple> coco_masks_decode(
    nb::object column, Flat<std::int64_t> rows, bool literal, std::size_t threads) {
    const coco_masks::Column from = coco_masks_of(column);
    coco_masks::Table table;
    {
        Unlocked unlocked;
        table = coco_masks::decoded(from, rows.data(), rows.size(), literal, threads);
    }
    return {give(std::move(table.counts)), give(std::move(table.offsets)), give(std::move(table.place)),
            give_areas(table)};
}

// The fault, and the rows that were put right: short counts, no area.
using ScoredTuple = std::tuple<FaultTuple, std::tuple<std::size_t, std::size_t>>;

template <class Scorer>
ScoredTuple coco_masks_matrix(const nb::object& guesses, const nb::object& truths,
                              const std::optional<Flat<std::uint8_t>>& crowd, double floor, bool literal, double* out,
                              std::size_t size) {
    const coco_masks::Column a = coco_masks_of(guesses), b = coco_masks_of(truths);
    expect_size("out", size, a.count * b.count);
    if (crowd) expect_size("crowd", crowd->size(), b.count);
    Scorer scorer(b, a, crowd ? crowd->data() : nullptr, literal);
    {
        Unlocked unlocked;
        coco_masks::matrix(scorer, a.count, b.count, floor, out);
    }
    return {give_fault(scorer.fault()), {scorer.findings().short_counts, scorer.findings().no_area}};
}

ScoredTuple coco_masks_iou(nb::object guesses, nb::object truths, std::optional<Flat<std::uint8_t>> crowd, double floor,
                           bool boundary, bool literal, Out<double> out) {
    return (boundary
                ? coco_masks_matrix<coco_masks::Boundaries>
                : coco_masks_matrix<coco_masks::Masks>)(guesses, truths, crowd, floor, literal, out.data(), out.size());
}

}  // namespace

void define_dataset(nb::module_& m) {
    define_names<coco_masks::Form>(m, "mask_form_names");
    define_names<coco_masks::Kind>(m, "mask_fault_names");
    define_names<coco_masks::Side>(m, "mask_side_names");
    m.def("coco_masks_areas", &coco_masks_areas, "column"_a, "rows"_a.noconvert(), "literal"_a, "threads"_a);
    m.def("coco_masks_decode", &coco_masks_decode, "column"_a, "rows"_a.noconvert(), "literal"_a, "threads"_a);
    m.def("coco_masks_iou", &coco_masks_iou, "guesses"_a, "truths"_a, "crowd"_a.none(), "floor"_a, "boundary"_a,
          "literal"_a, "out"_a.noconvert());
}

}  // namespace vesica::bind

// detection.cpp. Matching of cells, precision and recall, and both of many replicates.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/coco_masks.hpp"
#include "bind/module.hpp"
#include "detection/bootstrap.hpp"
#include "detection/match_cells.hpp"
#include "detection/precision_means.hpp"
#include "detection/precision_recall.hpp"
#include "detection/precision_walk.hpp"
#include "detection/sorted_runs.hpp"

namespace vesica::bind {
namespace {

// image, category, area, crowd, ignore, id_zero
using TruthTuple = std::tuple<Flat<std::int32_t>, Flat<std::int32_t>, Flat<double>, Flat<std::uint8_t>,
                              Flat<std::uint8_t>, Flat<std::uint8_t>>;
// image, category, area, score, lenient
using GuessTuple = std::tuple<Flat<std::int32_t>, Flat<std::int32_t>, Flat<double>, Flat<double>, Flat<std::uint8_t>>;

match_cells::Truths truths_of(const TruthTuple& columns) {
    const auto& [image, category, area, crowd, ignore, id_zero] = columns;
    const std::size_t count = image.size();
    expect_size("category", category.size(), count);
    expect_optional("area", area.size(), count);
    expect_optional("crowd", crowd.size(), count);
    expect_optional("ignore", ignore.size(), count);
    expect_optional("id_zero", id_zero.size(), count);
    return {{count, image.data(), category.data(), given(area)}, given(crowd), given(ignore), given(id_zero)};
}

match_cells::Guesses guesses_of(const GuessTuple& columns) {
    const auto& [image, category, area, score, lenient] = columns;
    const std::size_t count = image.size();
    expect_size("category", category.size(), count);
    expect_optional("area", area.size(), count);
    expect_size("score", score.size(), count);
    expect_optional("lenient", lenient.size(), count);
    return {{count, image.data(), category.data(), given(area)}, score.data(), given(lenient)};
}

// bars, lowest, highest, rule, images, categories, limit, plain, partners, threads
using DetectTuple = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>, int, std::size_t,
                               std::size_t, std::size_t, bool, bool, std::size_t>;

match_cells::Request request_of(const DetectTuple& request) {
    const auto& [bars, lowest, highest, rule, images, categories, limit, plain, partners, threads] = request;
    expect_size("highest", highest.size(), lowest.size());
    return {{bars, lowest, highest}, match_cells::Rule(rule), images, categories, limit, plain, partners, threads};
}

// categories, image, guesses, counted, row, score, matched, ignored, partner; the first fault, and how
// many masks were put right: counts that were short, polygons without area
using RecordTuple = std::tuple<Column<std::int64_t>, Column<std::int32_t>, Column<std::int32_t>, Column<std::int32_t>,
                               Column<std::int32_t>, Column<double>, Column<std::uint64_t>, Column<std::uint64_t>,
                               Column<std::int32_t>, FaultTuple, std::size_t, std::size_t>;

RecordTuple give_records(match_cells::Records records) {
    return {give(std::move(records.categories)), give(std::move(records.image)),   give(std::move(records.guesses)),
            give(std::move(records.counted)),    give(std::move(records.row)),     give(std::move(records.score)),
            give(std::move(records.matched)),    give(std::move(records.ignored)), give(std::move(records.partner)),
            give_fault(records.fault),           records.findings.short_counts,    records.findings.no_area};
}

RecordTuple match_cells_boxes(const DetectTuple& request, const TruthTuple& truths, In<double> truth_boxes,
                              const GuessTuple& guesses, In<double> guess_boxes) {
    const match_cells::Request asked = request_of(request);
    const match_cells::Truths left = truths_of(truths);
    const match_cells::Guesses right = guesses_of(guesses);
    expect_size("truth_boxes", truth_boxes.size(), 4 * left.count);
    expect_size("guess_boxes", guess_boxes.size(), 4 * right.count);
    match_cells::Records records;
    {
        Unlocked unlocked;
        records = match_cells::of_boxes(asked, left, truth_boxes.data(), right, guess_boxes.data());
    }
    return give_records(std::move(records));
}

RecordTuple match_cells_masks(const DetectTuple& request, const TruthTuple& truths, nb::object truth_masks,
                              const GuessTuple& guesses, nb::object guess_masks, bool boundary, bool literal) {
    const match_cells::Request asked = request_of(request);
    const match_cells::Truths left = truths_of(truths);
    const match_cells::Guesses right = guesses_of(guesses);
    const coco_masks::Column left_masks = coco_masks_of(truth_masks), right_masks = coco_masks_of(guess_masks);
    expect_size("truth_masks", left_masks.count, left.count);
    expect_size("guess_masks", right_masks.count, right.count);
    match_cells::Records records;
    {
        Unlocked unlocked;
        records = match_cells::of_masks(asked, left, left_masks, right, right_masks, boundary, literal);
    }
    return give_records(std::move(records));
}

RecordTuple match_cells_pairs(const DetectTuple& request, const TruthTuple& truths, const GuessTuple& guesses,
                              Flat<std::int64_t> starts, Flat<std::int64_t> truth, Flat<double> value) {
    const match_cells::Request asked = request_of(request);
    const match_cells::Truths left = truths_of(truths);
    const match_cells::Guesses right = guesses_of(guesses);
    expect_size("starts", expect_offsets("starts", starts, truth.size()), right.count);
    expect_size("value", value.size(), truth.size());
    match_cells::Records records;
    {
        Unlocked unlocked;
        records = match_cells::of_pairs(asked, left, right, {starts.data(), truth.data(), value.data()});
    }
    return give_records(std::move(records));
}

// images, categories, threads, floor
using PlaceTuple = std::tuple<std::size_t, std::size_t, std::size_t, double>;

match_cells::Places places_of(const PlaceTuple& columns) {
    const auto& [images, categories, threads, floor] = columns;
    return {images, categories, threads, floor};
}

// starts, truth, value; the first fault
using NearTuple = std::tuple<Column<std::int64_t>, Column<std::int32_t>, Column<double>, FaultTuple>;

NearTuple give_near(match_cells::Near near) {
    return {give(std::move(near.starts)), give(std::move(near.truth)), give(std::move(near.value)),
            give_fault(near.fault)};
}

NearTuple near_boxes(const PlaceTuple& places, const TruthTuple& truths, In<double> truth_boxes,
                     const GuessTuple& guesses, In<double> guess_boxes) {
    const match_cells::Truths left = truths_of(truths);
    const match_cells::Guesses right = guesses_of(guesses);
    expect_size("truth_boxes", truth_boxes.size(), 4 * left.count);
    expect_size("guess_boxes", guess_boxes.size(), 4 * right.count);
    match_cells::Near near;
    {
        Unlocked unlocked;
        near = match_cells::near_boxes(places_of(places), left, truth_boxes.data(), right, guess_boxes.data());
    }
    return give_near(std::move(near));
}

NearTuple near_masks(const PlaceTuple& places, const TruthTuple& truths, nb::object truth_masks,
                     const GuessTuple& guesses, nb::object guess_masks, bool boundary, bool literal) {
    const match_cells::Truths left = truths_of(truths);
    const match_cells::Guesses right = guesses_of(guesses);
    const coco_masks::Column left_masks = coco_masks_of(truth_masks), right_masks = coco_masks_of(guess_masks);
    expect_size("truth_masks", left_masks.count, left.count);
    expect_size("guess_masks", right_masks.count, right.count);
    match_cells::Near near;
    {
        Unlocked unlocked;
        near = match_cells::near_masks(places_of(places), left, left_masks, right, right_masks, boundary, literal);
    }
    return give_near(std::move(near));
}

// categories, guesses, counted, score, matched, ignored, thresholds, areas
using CurveTuple = std::tuple<Flat<std::int64_t>, Flat<std::int32_t>, Flat<std::int32_t>, Flat<double>,
                              Flat<std::uint64_t>, Flat<std::uint64_t>, std::size_t, std::size_t>;

struct CurveColumns {
    precision_recall::Records records;
    std::size_t cells, tables;
};

CurveColumns curve_columns(const CurveTuple& columns) {
    const auto& [categories, guesses, counted, score, matched, ignored, thresholds, areas] = columns;
    const std::size_t tables = thresholds * areas * (expect_offsets("starts", categories, guesses.size()));
    const std::size_t words = (thresholds * areas + 63) / 64;
    expect_size("counted", counted.size(), guesses.size() * areas);
    expect_size("matched", matched.size(), score.size() * words);
    expect_size("ignored", ignored.size(), score.size() * words);
    return {{categories.data(), categories.size() - 1, guesses.data(), counted.data(), score.data(), matched.data(),
             ignored.data(), thresholds, areas},
            guesses.size(),
            tables};
}

void precision_recall_arrays(const CurveTuple& records, Flat<double> recalls, Flat<std::int64_t> limits,
                             std::size_t first_limit, double epsilon, Out<double> precision, Out<double> recall,
                             std::optional<Out<double>> scores, std::size_t threads) {
    const CurveColumns found = curve_columns(records);
    expect_at_most("first_limit", first_limit, limits.size());
    expect_size("precision", precision.size(), found.tables * recalls.size() * (limits.size() - first_limit));
    expect_size("recall", recall.size(), found.tables * limits.size());
    if (scores) expect_size("scores", scores->size(), precision.size());
    Unlocked unlocked;
    precision_recall::accumulate(
        found.records, {recalls.data(), recalls.size(), limits.data(), limits.size(), first_limit, epsilon, threads},
        precision.data(), recall.data(), scores ? scores->data() : nullptr);
}

// thresholds, categories, area, limit
using MeanTuple = std::tuple<std::optional<std::vector<std::size_t>>, std::optional<std::vector<std::size_t>>,
                             std::size_t, std::size_t>;
using PrecisionTable = nb::ndarray<const double, nb::ndim<5>, nb::c_contig, nb::device::cpu>;

void precision_means(PrecisionTable values, const std::vector<MeanTuple>& lines, Out<double> out, std::size_t threads) {
    const precision_recall::Table table{values.data(),   values.shape(0), values.shape(1),
                                        values.shape(2), values.shape(3), values.shape(4)};
    expect_size("out", out.size(), lines.size());
    std::vector<precision_recall::Line> wanted;
    for (const auto& [thresholds, categories, area, limit] : lines) {
        expect_below("area", area, table.areas);
        expect_below("limit", limit, table.limits);
        for (const std::size_t one : thresholds.value_or(std::vector<std::size_t>()))
            expect_below("thresholds", one, table.thresholds);
        for (const std::size_t one : categories.value_or(std::vector<std::size_t>()))
            expect_below("categories", one, table.categories);
        wanted.push_back({thresholds, categories, area, limit});
    }
    Unlocked unlocked;
    precision_recall::means(table, wanted, out.data(), threads);
}

// right, wrong, best, reached, top
using SeenTuple =
    std::tuple<Out<std::uint32_t>, Out<std::uint32_t>, Out<double>, std::optional<Out<double>>, Out<double>>;
// recalls, limits, first limit, epsilon, thresholds, positives
using WalkTuple = std::tuple<Flat<double>, Flat<std::int64_t>, std::size_t, double, std::size_t, Flat<std::int64_t>>;
// rows, ranks of images, bytes of a score, is the end
using RunTuple = std::tuple<Flat<std::uint8_t>, Flat<std::int32_t>, std::size_t, bool>;

// What a walk needs, looked at.
struct WalkArrays {
    precision_recall::Request request;
    precision_recall::Seen seen;
    std::size_t thresholds, areas;
    const std::int64_t* positives;

    precision_recall::Walk walk() const { return {request, thresholds, areas, positives, seen}; }
};

WalkArrays walk_arrays(const WalkTuple& how, const SeenTuple& seen) {
    const auto& [recalls, limits, first_limit, epsilon, thresholds, positives] = how;
    const auto& [right, wrong, best, reached, top] = seen;
    expect_at_most("first_limit", first_limit, limits.size());
    const std::size_t lanes = thresholds * positives.size(), made = limits.size() - first_limit;
    expect_size("right", right.size(), limits.size() * lanes);
    expect_size("wrong", wrong.size(), made * lanes);
    expect_size("best", best.size(), made * lanes * recalls.size());
    if (reached) expect_size("reached", reached->size(), best.size());
    expect_size("top", top.size(), made * 2);
    return {{recalls.data(), recalls.size(), limits.data(), limits.size(), first_limit, epsilon, 1},
            {right.data(), wrong.data(), best.data(), reached ? reached->data() : nullptr, top.data()},
            thresholds,
            positives.size(),
            positives.data()};
}

std::vector<sorted_runs::Run> runs_of(const std::vector<RunTuple>& given, std::size_t rank_bytes, std::size_t lanes) {
    expect_at_most("rank_bytes", rank_bytes, 4);
    std::vector<sorted_runs::Run> runs;
    for (const auto& [rows, images, score_bytes, is_end] : given) {
        const sorted_runs::Layout layout{score_bytes == 4 ? std::size_t(4) : 8, rank_bytes, lanes};
        expect_size("rows", rows.size(), rows.size() / layout.row_bytes() * layout.row_bytes());
        runs.push_back({rows.data(), rows.size() / layout.row_bytes(), images.data(), images.size(), layout, is_end});
    }
    return runs;
}

void sorted_run(const CurveTuple& records, Flat<std::int32_t> image, std::size_t score_bytes, std::size_t rank_bytes,
                Out<std::uint8_t> rows, std::size_t threads) {
    const CurveColumns found = curve_columns(records);
    expect_size("image", image.size(), found.cells);
    expect_at_most("rank_bytes", rank_bytes, 4);
    const sorted_runs::Layout layout{score_bytes == 4 ? std::size_t(4) : 8, rank_bytes,
                                     found.records.thresholds * found.records.areas};
    expect_size("rows", rows.size(), std::get<3>(records).size() * layout.row_bytes());
    Unlocked unlocked;
    sorted_runs::pack(found.records, image.data(), layout, threads, rows.data());
}

// The number of a run that is damaged, or −1.
std::int64_t walk_runs(const std::vector<RunTuple>& given, std::size_t rank_bytes, const WalkTuple& how,
                       const SeenTuple& seen, Out<std::int64_t> taken) {
    const WalkArrays arrays = walk_arrays(how, seen);
    const auto runs = runs_of(given, rank_bytes, arrays.thresholds * arrays.areas);
    expect_size("taken", taken.size(), runs.size());
    Unlocked unlocked;
    precision_recall::Walk walk = arrays.walk();
    precision_recall::Scratch scratch;
    const std::size_t fault = sorted_runs::merge(
        runs.data(), runs.size(), [&](const precision_recall::Block& block) { walk.feed(block, scratch); },
        taken.data());
    return fault == sorted_runs::no_fault ? -1 : static_cast<std::int64_t>(fault);
}

void walk_answer(const WalkTuple& how, const SeenTuple& seen, Out<double> precision, Out<double> recall,
                 std::optional<Out<double>> scores) {
    const WalkArrays arrays = walk_arrays(how, seen);
    const std::size_t lanes = arrays.thresholds * arrays.areas;
    expect_size("precision", precision.size(), std::get<2>(seen).size());
    expect_size("recall", recall.size(), lanes * arrays.request.limit_count);
    if (scores) expect_size("scores", scores->size(), precision.size());
    if (scores && !arrays.seen.reached) expect_size("reached", 0, precision.size());
    Unlocked unlocked;
    arrays.walk().write({precision.data(), recall.data(), scores ? scores->data() : nullptr, 0, 1}, 0, lanes);
}

// All rows of whole runs, one behind the other in their order. The answer is as of `walk_runs`.
std::int64_t joined_runs(const std::vector<RunTuple>& given, std::size_t rank_bytes, std::size_t lanes,
                         Out<double> score, Out<std::uint64_t> matched, Out<std::uint64_t> ignored) {
    const auto runs = runs_of(given, rank_bytes, lanes);
    const std::size_t words = (lanes + 63) / 64;
    std::size_t total = 0;
    for (const auto& run : runs) total += run.count;
    expect_size("score", score.size(), total);
    expect_size("matched", matched.size(), total * words);
    expect_size("ignored", ignored.size(), total * words);
    Unlocked unlocked;
    std::vector<std::int64_t> taken(runs.size());
    std::size_t at = 0;
    const auto keep = [&](const precision_recall::Block& block) {
        std::copy_n(block.score, block.count, score.data() + at);
        std::copy_n(block.matched, block.count * words, matched.data() + at * words);
        std::copy_n(block.ignored, block.count * words, ignored.data() + at * words);
        at += block.count;
    };
    const std::size_t fault = sorted_runs::merge(runs.data(), runs.size(), keep, taken.data());
    return fault == sorted_runs::no_fault ? -1 : static_cast<std::int64_t>(fault);
}

// area, limit, has precision
using StripTuple = std::tuple<std::size_t, std::int64_t, bool>;
// strip, is precision, thresholds, categories (none: all of them)
using LineTuple = std::tuple<std::size_t, bool, Flat<std::uint8_t>, Flat<std::uint8_t>>;
// area, threshold, least score
using CutTuple = std::tuple<std::size_t, std::size_t, double>;
// keys, seed, first, limits, given
using DrawTuple = std::tuple<Flat<std::uint64_t>, std::uint64_t, std::uint64_t, Flat<std::uint32_t>, In<std::uint8_t>>;

void detection_bootstrap(const CurveTuple& records, Flat<std::int32_t> image, const DrawTuple& draws,
                         Flat<double> recalls, double epsilon, const std::vector<StripTuple>& strips,
                         const std::vector<LineTuple>& lines, const std::optional<CutTuple>& cut,
                         std::size_t replicates, Out<double> overall, std::optional<Out<double>> classes,
                         std::optional<Out<double>> counts, std::size_t threads) {
    const CurveColumns found = curve_columns(records);
    const auto& [keys, seed, first, limits, given_times] = draws;
    const std::size_t thresholds = found.records.thresholds, categories = found.records.category_count;
    expect_size("image", image.size(), found.cells);
    if (given_times.size()) expect_size("given", given_times.size(), replicates * keys.size());
    std::vector<bootstrap::Strip> wanted;
    for (const auto& [area, limit, has_precision] : strips) {
        expect_at_most("area", area + 1, found.records.areas);
        wanted.push_back({area, limit, has_precision});
    }
    std::vector<bootstrap::Line> numbers;
    std::size_t class_lines = 0;
    for (const auto& [strip, is_precision, counted, members] : lines) {
        expect_at_most("strip", strip + 1, strips.size());
        expect_size("thresholds", counted.size(), thresholds);
        expect_optional("categories", members.size(), categories);
        numbers.push_back({strip, is_precision, counted.data(), given(members)});
        class_lines += !members.size();
    }
    bootstrap::Cut counted_at{};
    if (cut) {
        counted_at = {std::get<0>(*cut), std::get<1>(*cut), std::get<2>(*cut)};
        expect_at_most("area", counted_at.area + 1, found.records.areas);
        expect_at_most("threshold", counted_at.threshold + 1, thresholds);
    }
    expect_size("overall", overall.size(), replicates * lines.size());
    expect_size("counts", counts ? counts->size() : 0, cut ? replicates * categories * 3 : 0);
    if (classes) expect_size("classes", classes->size(), replicates * categories * class_lines);
    Unlocked unlocked;
    bootstrap::replicate(
        found.records, image.data(), keys.size(),
        {keys.data(), seed, first, {limits.data(), limits.size()}, given_times.size() ? given_times.data() : nullptr},
        {recalls.data(), recalls.size(), epsilon, wanted.data(), wanted.size(), numbers.data(), numbers.size(),
         cut ? &counted_at : nullptr, replicates, threads},
        {overall.data(), classes ? classes->data() : nullptr, counts ? counts->data() : nullptr});
}

}  // namespace

void define_detection(nb::module_& m) {
    define_names<match_cells::Rule>(m, "match_rule_names");
    m.def("match_cells_boxes", &match_cells_boxes, "request"_a, "truths"_a, "truth_boxes"_a.noconvert(), "guesses"_a,
          "guess_boxes"_a.noconvert());
    m.def("match_cells_masks", &match_cells_masks, "request"_a, "truths"_a, "truth_masks"_a, "guesses"_a,
          "guess_masks"_a, "boundary"_a, "literal"_a);
    m.def("match_cells_pairs", &match_cells_pairs, "request"_a, "truths"_a, "guesses"_a, "starts"_a.noconvert(),
          "truth"_a.noconvert(), "value"_a.noconvert());
    m.def("near_boxes", &near_boxes, "places"_a, "truths"_a, "truth_boxes"_a.noconvert(), "guesses"_a,
          "guess_boxes"_a.noconvert());
    m.def("near_masks", &near_masks, "places"_a, "truths"_a, "truth_masks"_a, "guesses"_a, "guess_masks"_a,
          "boundary"_a, "literal"_a);
    m.def("precision_recall", &precision_recall_arrays, "records"_a, "recalls"_a.noconvert(), "limits"_a.noconvert(),
          "first_limit"_a, "epsilon"_a, "precision"_a.noconvert(), "recall"_a.noconvert(),
          "scores"_a.noconvert().none(), "threads"_a);
    m.def("precision_means", &precision_means, "values"_a.noconvert(), "lines"_a, "out"_a.noconvert(), "threads"_a);
    m.def("sorted_run", &sorted_run, "records"_a, "image"_a.noconvert(), "score_bytes"_a, "rank_bytes"_a,
          "rows"_a.noconvert(), "threads"_a);
    m.def("walk_runs", &walk_runs, "runs"_a, "rank_bytes"_a, "how"_a, "seen"_a, "taken"_a.noconvert());
    m.def("walk_answer", &walk_answer, "how"_a, "seen"_a, "precision"_a.noconvert(), "recall"_a.noconvert(),
          "scores"_a.noconvert().none());
    m.def("joined_runs", &joined_runs, "runs"_a, "rank_bytes"_a, "lanes"_a, "score"_a.noconvert(),
          "matched"_a.noconvert(), "ignored"_a.noconvert());
    m.def("detection_bootstrap", &detection_bootstrap, "records"_a, "image"_a.noconvert(), "draws"_a,
          "recalls"_a.noconvert(), "epsilon"_a, "strips"_a, "lines"_a, "cut"_a.none(), "replicates"_a,
          "overall"_a.noconvert(), "classes"_a.noconvert().none(), "counts"_a.noconvert().none(), "threads"_a);
}

}  // namespace vesica::bind

// selection.cpp. NMS, soft-NMS, fusion and components.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/order.hpp"
#include "bind/module.hpp"
#include "bind/region_pairs.hpp"
#include "regions/rotated.hpp"
#include "selection/components.hpp"
#include "selection/fusion.hpp"
#include "selection/nms.hpp"
#include "selection/soft.hpp"

namespace vesica::bind {
namespace {

// What nms asks of regions with these scores. A column of no length means: no such column.
using Scores = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
struct NmsArguments {
    int measure;
    const OptionTuple& options;
    const ThresholdTuple& threshold;
    const Scores& scores;
    const Keys &keys, &images;
    double least;
    std::size_t limit, threads;
};

// The row of the first NaN score, or −1; the kept rows; with `with_by`, the row that suppressed each row, or −1.
using NmsTuple = std::tuple<std::int64_t, Column<std::int64_t>, std::optional<Column<std::int64_t>>>;
template <class Find>
NmsTuple nms_of(const NmsArguments& a, std::size_t rows, bool with_by, const Find& find) {
    expect_size("scores", a.scores.size(), rows);
    expect_optional("keys", a.keys.size(), rows);
    expect_optional("images", a.images.size(), rows);
    const nms::Request request{measures::Name(a.measure),
                               options_of(a.options),
                               threshold_of(a.threshold),
                               a.scores.data(),
                               given(a.keys),
                               given(a.images),
                               a.least,
                               a.limit,
                               with_by,
                               a.threads};
    nms::Answer answer{std::make_unique<std::int64_t[]>(0), 0, {}};
    std::vector<std::int64_t> by;
    std::int64_t bad = -1;
    {
        Unlocked unlocked;
        const std::size_t row = order::first_nan(a.scores.data(), a.scores.size());
        if (row == order::none)
            answer = find(request);
        else
            bad = static_cast<std::int64_t>(row);
        if (with_by) {
            by.resize(answer.by.size());
            for (std::size_t i = 0; i < by.size(); ++i)
                by[i] = answer.by[i] == nms::none ? -1 : static_cast<std::int64_t>(answer.by[i]);
        }
    }
    return {bad, give(std::move(answer.kept), answer.count),
            with_by ? std::optional(give(std::move(by))) : std::nullopt};
}

template <class Rows, auto Find, class T>
NmsTuple rows_nms(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<T> rows, Scores scores,
                  Keys keys, Keys images, double least, std::size_t limit, bool with_by, std::size_t threads) {
    const Rows regions{rows.data(), expect_rows("regions", rows, Rows::width)};
    return nms_of({measure, options, threshold, scores, keys, images, least, limit, threads}, regions.count, with_by,
                  [&](const nms::Request& request) { return Find(request, regions); });
}

template <auto Make>
NmsTuple source_nms(int measure, const OptionTuple& options, const ThresholdTuple& threshold, nb::object regions,
                    Scores scores, Keys keys, Keys images, double least, std::size_t limit, bool with_by,
                    std::size_t threads) {
    const auto source = Make(regions, regions);
    return nms_of({measure, options, threshold, scores, keys, images, least, limit, threads}, source.n(), with_by,
                  [&](const nms::Request& request) { return nms::of_source(request, source); });
}

void define_nms(nb::module_& m) {
    const auto define = [&](const char* name, auto* kernel) {
        m.def(name, kernel, "measure"_a, "options"_a, "threshold"_a, "regions"_a.noconvert(), "scores"_a.noconvert(),
              "keys"_a.noconvert(), "images"_a.noconvert(), "least"_a, "limit"_a, "with_by"_a, "threads"_a);
    };
    define("boxes_nms", &rows_nms<boxes::Rows<float>, nms::of_boxes<float>, float>);
    define("boxes_nms", &rows_nms<boxes::Rows<double>, nms::of_boxes<double>, double>);
    define("boxes_nms", &rows_nms<boxes::Rows<std::int64_t>, nms::of_boxes<std::int64_t>, std::int64_t>);
    define("rotated_nms", &rows_nms<rotated::Rows, nms::of_rotated, double>);
    define("masks_nms", &source_nms<masks_of>);
    define("polygons_nms", &source_nms<polygons_of>);
    define("sets_nms", &source_nms<sets_of>);
}

// decay, sigma, min_score, limit
using SoftTuple = std::tuple<int, double, double, std::size_t>;
using PickTuple = std::tuple<Column<std::int64_t>, Column<double>>;

soft::Rule soft_rule(const SoftTuple& rule) {
    const auto& [decay, sigma, min_score, limit] = rule;
    return {soft::Decay(decay), sigma, min_score, limit};
}

PickTuple give_picks(soft::Picks picks) {
    return {give(std::move(picks.index), picks.count), give(std::move(picks.score), picks.count)};
}

template <class T>
PickTuple boxes_soft(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<T> rows,
                     Scores scores, Keys keys, const SoftTuple& rule, std::size_t threads) {
    const std::size_t count = expect_rows("rows", rows, 4);
    expect_size("scores", scores.size(), count);
    expect_optional("keys", keys.size(), count);
    soft::Picks picks;
    {
        Unlocked unlocked;
        picks = soft::of_boxes<T>(soft_rule(rule), request_of(measure, options, threshold, keys, keys, true, threads),
                                  {rows.data(), count}, scores.data());
    }
    return give_picks(std::move(picks));
}

PickTuple edges_soft(Flat<std::int64_t> i, Flat<std::int64_t> j, Flat<double> value, bool both_ways, Scores scores,
                     Keys keys, const SoftTuple& rule, std::size_t threads) {
    expect_size("j", j.size(), i.size());
    expect_size("value", value.size(), i.size());
    expect_optional("keys", keys.size(), scores.size());
    soft::Picks picks;
    {
        Unlocked unlocked;
        picks = soft::of_edges(soft_rule(rule), {scores.data(), given(keys), scores.size()},
                               {i.data(), j.data(), value.data(), i.size(), both_ways}, threads);
    }
    return give_picks(std::move(picks));
}

// Corners of the fused boxes behind each other, first members, and the cluster of each row.
std::tuple<Column<double>, Column<std::int64_t>, Column<std::int64_t>> boxes_fuse(In<double> rows,
                                                                                  Flat<std::int64_t> order,
                                                                                  Flat<double> weighted, Keys keys,
                                                                                  const ThresholdTuple& threshold,
                                                                                  std::size_t threads) {
    const std::size_t count = expect_rows("rows", rows, 4);
    expect_at_most("order", order.size(), count);
    expect_size("weighted", weighted.size(), count);
    expect_optional("keys", keys.size(), count);
    fusion::Clusters found;
    {
        Unlocked unlocked;
        found = fusion::fuse({{rows.data(), count}, order.data(), order.size(), weighted.data(), given(keys)},
                             threshold_of(threshold), threads);
    }
    return {give(std::move(found.boxes)), give(std::move(found.first)), give(std::move(found.members))};
}

Column<std::int64_t> components_of(Flat<std::int64_t> i, Flat<std::int64_t> j, std::size_t rows) {
    expect_size("j", j.size(), i.size());
    std::vector<std::int64_t> found;
    {
        Unlocked unlocked;
        found = components::components(i.data(), j.data(), i.size(), rows);
    }
    return give(std::move(found));
}

template <class T>
void define_soft(nb::module_& m) {
    m.def("boxes_soft", &boxes_soft<T>, "measure"_a, "options"_a, "threshold"_a, "rows"_a.noconvert(),
          "scores"_a.noconvert(), "keys"_a.noconvert(), "rule"_a, "threads"_a);
}

}  // namespace

void define_selection(nb::module_& m) {
    define_nms(m);
    define_names<soft::Decay>(m, "decay_names");
    define_soft<float>(m);
    define_soft<double>(m);
    define_soft<std::int64_t>(m);
    m.def("edges_soft", &edges_soft, "i"_a.noconvert(), "j"_a.noconvert(), "value"_a.noconvert(), "both_ways"_a,
          "scores"_a.noconvert(), "keys"_a.noconvert(), "rule"_a, "threads"_a);
    m.def("boxes_fuse", &boxes_fuse, "rows"_a.noconvert(), "order"_a.noconvert(), "weighted"_a.noconvert(),
          "keys"_a.noconvert(), "threshold"_a, "threads"_a);
    m.def("components", &components_of, "i"_a.noconvert(), "j"_a.noconvert(), "rows"_a);
}

}  // namespace vesica::bind

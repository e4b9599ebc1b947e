// agreement.cpp. Patterns of votes, what they tell about the truth, and how far outlines are apart.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "agreement/dawid_skene.hpp"
#include "agreement/outline_offsets.hpp"
#include "agreement/staple.hpp"
#include "agreement/vote_patterns.hpp"
#include "base/threads.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace vesica::bind {
namespace {

// Patterns that occur, and their pixels.
using PatternTuple = std::tuple<Column<std::uint64_t>, Column<std::int64_t>>;

PatternTuple give_patterns(agreement::Patterns patterns) {
    return {give(std::move(patterns.code)), give(std::move(patterns.count))};
}

using Rows = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

PatternTuple vote_patterns_dense(Rows masks, std::size_t threads) {
    expect_at_most("masks", masks.shape(0), agreement::most_masks);
    agreement::Patterns found;
    {
        Unlocked unlocked;
        found = agreement::of_bytes(masks.data(), masks.shape(0), masks.shape(1), threads);
    }
    return give_patterns(std::move(found));
}

PatternTuple vote_patterns_labels(Rows maps, std::size_t threads) {
    expect_at_most("maps", maps.shape(0), agreement::most_maps);
    agreement::Patterns found;
    {
        Unlocked unlocked;
        found = agreement::of_labels(maps.data(), maps.shape(0), maps.shape(1), threads);
    }
    return give_patterns(std::move(found));
}

// Groups of masks of a number that the kernels take.
agreement::Groups groups_of(const Flat<std::int64_t>& groups, const Flat<std::int64_t>& pixels, std::size_t masks) {
    const std::size_t count = expect_offsets("groups", groups, masks);
    for (std::size_t g = 0; g < count; ++g) {
        const std::int64_t size = groups.data()[g + 1] - groups.data()[g];
        if (size < 1 || static_cast<std::size_t>(size) > agreement::most_masks) refuse("a group has 1 to 64 masks");
    }
    expect_size("pixels", pixels.size(), count);
    return {groups.data(), pixels.data(), count};
}

// How many patterns each group has, and those of all groups.
std::tuple<Column<std::int64_t>, Column<std::uint64_t>, Column<std::int64_t>> vote_patterns_runs(
    Flat<std::int64_t> counts, Flat<std::int64_t> offsets, Flat<std::int64_t> groups, Flat<std::int64_t> pixels,
    std::size_t threads) {
    const std::size_t masks = expect_offsets("offsets", offsets, counts.size());
    const agreement::Groups wanted = groups_of(groups, pixels, masks);
    agreement::GroupedPatterns found;
    {
        Unlocked unlocked;
        found = agreement::of_counts({counts.data(), offsets.data(), masks}, wanted, threads);
    }
    return {give(std::move(found.sizes)), give(std::move(found.patterns.code)), give(std::move(found.patterns.count))};
}

// The pixels of each group whose pattern is among its chosen ones.
CountTuple vote_patterns_choose(Flat<std::int64_t> counts, Flat<std::int64_t> offsets, Flat<std::int64_t> groups,
                                Flat<std::int64_t> pixels, Flat<std::uint64_t> code, Flat<std::int64_t> chosen,
                                std::size_t threads) {
    const std::size_t masks = expect_offsets("offsets", offsets, counts.size());
    const agreement::Groups wanted = groups_of(groups, pixels, masks);
    expect_size("chosen", expect_offsets("chosen", chosen, code.size()), wanted.count);
    rle::OwnedCounts found;
    {
        Unlocked unlocked;
        found =
            agreement::choose({counts.data(), offsets.data(), masks}, wanted, {code.data(), chosen.data()}, threads);
    }
    return {give(std::move(found.data)), give(std::move(found.offsets))};
}

// Fits of groups of patterns. `columns` are code, asked and count; `out` sensitivity, specificity, belief and prior;
// `ends` the number of the status and the steps.
void staple(std::tuple<Flat<std::uint64_t>, Flat<std::uint64_t>, Flat<std::int64_t>> columns, Flat<std::int64_t> groups,
            std::size_t annotators, std::tuple<bool, double, double, std::size_t> options, std::size_t threads,
            std::tuple<Out<double>, Out<double>, Out<double>, Out<double>> out,
            std::tuple<Out<std::int64_t>, Out<std::int64_t>> ends) {
    const auto& [code, asked, count] = columns;
    const auto& [sensitivity, specificity, belief, prior] = out;
    const auto& [status, steps] = ends;
    const std::size_t patterns = code.size(), fits = expect_offsets("groups", groups, patterns);
    expect_at_most("annotators", annotators, agreement::most_masks);
    expect_size("asked", asked.size(), patterns);
    expect_size("count", count.size(), patterns);
    expect_size("belief", belief.size(), patterns);
    expect_size("sensitivity", sensitivity.size(), fits * annotators);
    expect_size("specificity", specificity.size(), fits * annotators);
    for (const std::size_t size : {prior.size(), status.size(), steps.size()}) expect_size("prior", size, fits);
    const auto [is_free, start, tolerance, most] = options;
    const agreement::StapleOptions wanted{is_free, start, tolerance, most};
    const std::int64_t* const begins = groups.data();
    double *const to_sensitivity = sensitivity.data(), *const to_specificity = specificity.data(),
                  *const to_belief = belief.data(), *const to_prior = prior.data();
    std::int64_t *const to_status = status.data(), *const to_steps = steps.data();
    const std::uint64_t *const codes = code.data(), *const asked_of = asked.data();
    const std::int64_t* const counts = count.data();
    Unlocked unlocked;
    threads::over(fits, 16, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t f = begin; f < end; ++f) {
            const auto first = static_cast<std::size_t>(begins[f]), last = static_cast<std::size_t>(begins[f + 1]);
            const agreement::StapleFit fit =
                agreement::staple({codes + first, asked_of + first, counts + first, last - first}, annotators, wanted,
                                  to_sensitivity + f * annotators, to_specificity + f * annotators, to_belief + first);
            to_prior[f] = fit.prior, to_status[f] = static_cast<std::int64_t>(fit.status);
            to_steps[f] = static_cast<std::int64_t>(fit.steps);
        }
    });
}

// `ratings` are said, begins and weight. Returns the steps.
std::size_t dawid_skene(std::tuple<Flat<std::int64_t>, Flat<std::int64_t>, Flat<double>> ratings,
                        std::size_t annotators, std::tuple<bool, double, std::size_t> options, Out<double> confusion,
                        Out<double> prior, Out<double> belief) {
    const auto& [said, begins, weight] = ratings;
    const std::size_t units = expect_offsets("begins", begins, said.size()), labels = prior.size();
    expect_size("confusion", confusion.size(), annotators * labels * labels);
    expect_size("weight", weight.size(), units);
    expect_size("belief", belief.size(), units * labels);
    for (std::size_t r = 0; r < said.size(); ++r)
        if (said.data()[r] < 0 || static_cast<std::size_t>(said.data()[r]) >= annotators * labels)
            refuse("`said` must be an annotator and a label");
    const auto [is_free, tolerance, most] = options;
    const agreement::Ratings given{said.data(), begins.data(), weight.data(), units, annotators, labels};
    double *const to_confusion = confusion.data(), *const to_prior = prior.data(), *const to_belief = belief.data();
    const agreement::DawidSkeneOptions wanted{is_free, tolerance, most};
    Unlocked unlocked;
    return agreement::dawid_skene(given, wanted, to_confusion, to_prior, to_belief);
}

// Rows of masks that are there.
void expect_masks(const char* name, const Flat<std::int64_t>& rows, std::size_t masks) {
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (rows.data()[k] < 0 || static_cast<std::size_t>(rows.data()[k]) >= masks)
            refuse("`" + std::string(name) + "` must be rows of " + std::to_string(masks) + " masks");
}

// Counts and offsets of masks, and which of them are in pairs.
using PairedMasks = std::tuple<Flat<std::int64_t>, Flat<std::int64_t>, Flat<std::int64_t>>;

agreement::MaskPairs mask_pairs(const PairedMasks& a, const PairedMasks& b) {
    const auto& [counts_a, offsets_a, rows_a] = a;
    const auto& [counts_b, offsets_b, rows_b] = b;
    const std::size_t masks_a = expect_offsets("offsets_a", offsets_a, counts_a.size());
    const std::size_t masks_b = expect_offsets("offsets_b", offsets_b, counts_b.size());
    expect_masks("rows_a", rows_a, masks_a);
    expect_masks("rows_b", rows_b, masks_b);
    expect_size("rows_b", rows_b.size(), rows_a.size());
    return {{counts_a.data(), offsets_a.data(), masks_a},
            {counts_b.data(), offsets_b.data(), masks_b},
            rows_a.data(),
            rows_b.data(),
            rows_a.size()};
}

void outline_offsets(PairedMasks a, PairedMasks b, std::size_t height, std::size_t threads, Out<double> offset,
                     Out<double> distance) {
    const agreement::MaskPairs pairs = mask_pairs(a, b);
    for (const std::size_t size : {offset.size(), distance.size()}) expect_size("offset", size, pairs.count);
    Unlocked unlocked;
    agreement::outline_offsets(pairs, height, threads, offset.data(), distance.data());
}

void outline_histograms(PairedMasks a, PairedMasks b, std::size_t height, double step, std::size_t bins,
                        std::size_t threads, Out<std::uint32_t> out) {
    const agreement::MaskPairs pairs = mask_pairs(a, b);
    if (!(step > 0) || !bins) refuse("bins must have a width above 0, and be one or more");
    expect_size("out", out.size(), pairs.count * bins);
    Unlocked unlocked;
    agreement::outline_histograms(pairs, height, {step, bins}, threads, out.data());
}

void edge_pixels(PairedMasks a, PairedMasks b, std::size_t height, double within, std::size_t threads,
                 Out<std::int64_t> differ, Out<std::int64_t> near) {
    const agreement::MaskPairs pairs = mask_pairs(a, b);
    for (const std::size_t size : {differ.size(), near.size()}) expect_size("differ", size, pairs.count);
    Unlocked unlocked;
    agreement::edge_pixels(pairs, height, within, threads, differ.data(), near.data());
}

}  // namespace

void define_agreement(nb::module_& m) {
    define_names<agreement::StapleStatus>(m, "staple_status_names");
    m.def("outline_offsets", &outline_offsets, "a"_a, "b"_a, "height"_a, "threads"_a, "offset"_a.noconvert(),
          "distance"_a.noconvert());
    m.def("outline_histograms", &outline_histograms, "a"_a, "b"_a, "height"_a, "step"_a, "bins"_a, "threads"_a,
          "out"_a.noconvert());
    m.def("edge_pixels", &edge_pixels, "a"_a, "b"_a, "height"_a, "within"_a, "threads"_a, "differ"_a.noconvert(),
          "near"_a.noconvert());
    m.def("vote_patterns_dense", &vote_patterns_dense, "masks"_a.noconvert(), "threads"_a);
    m.def("vote_patterns_labels", &vote_patterns_labels, "maps"_a.noconvert(), "threads"_a);
    m.def("vote_patterns_runs", &vote_patterns_runs, "counts"_a.noconvert(), "offsets"_a.noconvert(),
          "groups"_a.noconvert(), "pixels"_a.noconvert(), "threads"_a);
    m.def("vote_patterns_choose", &vote_patterns_choose, "counts"_a.noconvert(), "offsets"_a.noconvert(),
          "groups"_a.noconvert(), "pixels"_a.noconvert(), "code"_a.noconvert(), "chosen"_a.noconvert(), "threads"_a);
    m.def("dawid_skene", &dawid_skene, "ratings"_a, "annotators"_a, "options"_a, "confusion"_a.noconvert(),
          "prior"_a.noconvert(), "belief"_a.noconvert());
    m.def("staple", &staple, "columns"_a, "groups"_a.noconvert(), "annotators"_a, "options"_a, "threads"_a, "out"_a,
          "ends"_a);
}

}  // namespace vesica::bind

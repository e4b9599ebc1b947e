// region_pairs.hpp. The verbs of the kinds that are a source of parts, and how these sources are read from Python.
#pragma once

#include <string>

#include "bind/joins.hpp"
#include "overlaps/region_kinds.hpp"

namespace vesica::bind {

// Both sides: tuples of flat arrays, which stay the owners of their memory.
pixels::Masks masks_of(const nb::object& a, const nb::object& b);
polygons::Source polygons_of(const nb::object& a, const nb::object& b);
sets::Source sets_of(const nb::object& a, const nb::object& b);

// The verbs of a kind that is a source of parts. Make(a, b) reads both sides from Python: tuples of flat arrays.
template <auto Make>
void define_pairs(nb::module_& m, const std::string& kind) {
    using Source = decltype(Make(nb::object(), nb::object()));
    using Number = typename Source::Number;
    const auto named = [&](const char* verb) { return kind + verb; };
    m.def(
        named("_pairwise").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<double> out, std::size_t threads) {
            Source source = Make(a, b);
            expect_size("out", out.size(), source.n() * source.m());
            Unlocked unlocked;
            region_pairs::prepare(source, threads);
            region_pairs::pairwise(measures::Name(measure), options_of(options), source, out.data(), threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_aligned").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<double> out, std::size_t threads) {
            Source source = Make(a, b);
            expect_size("b", source.m(), source.n());
            expect_size("out", out.size(), source.n());
            Unlocked unlocked;
            region_pairs::aligned(measures::Name(measure), options_of(options), source, out.data(), threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_inter").c_str(),
        [](nb::object a, nb::object b, Out<Number> out, std::size_t threads) {
            Source source = Make(a, b);
            if (out.ndim() == 1) expect_size("b", source.m(), source.n());
            expect_size("out", out.size(), out.ndim() == 1 ? source.n() : source.n() * source.m());
            Unlocked unlocked;
            if (out.ndim() > 1) region_pairs::prepare(source, threads);
            region_pairs::inter(source, out.ndim() == 1, out.data(), threads);
        },
        "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_best").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<std::int64_t> index,
           Out<double> value, std::size_t threads) {
            Source source = Make(a, b);
            const std::size_t k = expect_best(index, value, source.n(), source.m());
            Unlocked unlocked;
            region_pairs::prepare(source, threads);
            region_pairs::best(measures::Name(measure), options_of(options), source, k, index.data(), value.data(),
                               threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "index"_a.noconvert(), "value"_a.noconvert(), "threads"_a);
    m.def(
        named("_join").c_str(),
        [](int measure, const OptionTuple& options, const ThresholdTuple& threshold, nb::object a, nb::object b,
           Keys keys_a, Keys keys_b, bool self, std::size_t threads) {
            Source source = Make(a, b);
            expect_keys(keys_a, source.n(), keys_b, source.m(), self);
            join::Pairs<double> pairs;
            {
                Unlocked unlocked;
                pairs =
                    region_pairs::join(request_of(measure, options, threshold, keys_a, keys_b, self, threads), source);
            }
            return give(std::move(pairs));
        },
        "measure"_a, "options"_a, "threshold"_a, "a"_a, "b"_a, "keys_a"_a.noconvert(), "keys_b"_a.noconvert(),
        "self_join"_a, "threads"_a);
}

}  // namespace vesica::bind

// rotated.cpp. Rotated boxes.
#include "regions/rotated.hpp"

#include <cstddef>
#include <cstdint>

#include "bind/joins.hpp"
#include "bind/module.hpp"

namespace vesica::bind {
namespace {

// These three take a few nanoseconds a row: to release the interpreter's lock would take longer than most calls.
bool rotated_are_sound(In<double> rows, double limit, double least_side) {
    return rotated::are_sound({rows.data(), expect_rows("rows", rows, rotated::Given::width)}, limit, least_side);
}

void rotated_take_quarters(In<double> rows, bool is_ccw, Out<double> rest) {
    const std::size_t n = expect_rows("rows", rows, rotated::Given::width);
    expect_size("rest", rest.size(), n);
    rotated::take_quarters({rows.data(), n}, is_ccw, rest.data());
}

void rotated_turn(In<double> rows, bool is_deg, bool is_ccw, In<double> cos, In<double> sin, Out<double> out) {
    const std::size_t n = expect_rows("rows", rows, rotated::Given::width);
    expect_size("cos", cos.size(), n);
    expect_size("sin", sin.size(), n);
    expect_size("out", out.size(), n * rotated::Rows::width);
    rotated::turn({rows.data(), n}, {is_deg, is_ccw}, cos.data(), sin.data(), out.data());
}

template <class R>
void rotated_pairwise(int measure, const OptionTuple& options, In<double> a, In<double> b, Out<R> out,
                      std::size_t threads) {
    const std::size_t n = expect_rows("a", a, rotated::Rows::width), m = expect_rows("b", b, rotated::Rows::width);
    expect_size("out", out.size(), n * m);
    Unlocked unlocked;
    rotated::pairwise<R>(measures::Name(measure), options_of(options), {a.data(), n}, {b.data(), m}, out.data(),
                         threads);
}

template <class R>
void rotated_aligned(int measure, const OptionTuple& options, In<double> a, In<double> b, Out<R> out,
                     std::size_t threads) {
    const std::size_t n = expect_rows("a", a, rotated::Rows::width);
    expect_size("b", expect_rows("b", b, rotated::Rows::width), n);
    expect_size("out", out.size(), n);
    Unlocked unlocked;
    rotated::aligned<R>(measures::Name(measure), options_of(options), {a.data(), n}, {b.data(), n}, out.data(),
                        threads);
}

void rotated_inter(In<double> a, In<double> b, Out<double> out, std::size_t threads) {
    const std::size_t n = expect_rows("a", a, rotated::Rows::width), m = expect_rows("b", b, rotated::Rows::width);
    expect_size("out", out.size(), n * m);
    Unlocked unlocked;
    rotated::inter({a.data(), n}, {b.data(), m}, out.data(), threads);
}

template <class R>
void rotated_best(int measure, const OptionTuple& options, In<double> a, In<double> b, Out<std::int64_t> index,
                  Out<R> value, std::size_t threads) {
    const std::size_t n = expect_rows("a", a, rotated::Rows::width), m = expect_rows("b", b, rotated::Rows::width);
    const std::size_t k = expect_best(index, value, n, m);
    Unlocked unlocked;
    rotated::best<R>(measures::Name(measure), options_of(options), {a.data(), n}, {b.data(), m}, k, index.data(),
                     value.data(), threads);
}

PairTuple<double> rotated_join(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<double> a,
                               In<double> b, Keys keys_a, Keys keys_b, bool self, std::size_t threads) {
    const std::size_t n = expect_rows("a", a, rotated::Rows::width), m = expect_rows("b", b, rotated::Rows::width);
    expect_keys(keys_a, n, keys_b, m, self);
    join::Pairs<double> pairs;
    {
        Unlocked unlocked;
        pairs = join::of_rotated(request_of(measure, options, threshold, keys_a, keys_b, self, threads), {a.data(), n},
                                 {b.data(), m});
    }
    return give(std::move(pairs));
}

template <class R>
void define_rotated_as(nb::module_& m) {
    m.def("rotated_pairwise", &rotated_pairwise<R>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a);
    m.def("rotated_aligned", &rotated_aligned<R>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a);
    m.def("rotated_best", &rotated_best<R>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "index"_a.noconvert(), "value"_a.noconvert(), "threads"_a);
}

}  // namespace

void define_rotated(nb::module_& m) {
    m.def("rotated_are_sound", &rotated_are_sound, "rows"_a.noconvert(), "limit"_a, "least_side"_a);
    m.def("rotated_take_quarters", &rotated_take_quarters, "rows"_a.noconvert(), "is_ccw"_a, "rest"_a.noconvert());
    m.def("rotated_turn", &rotated_turn, "rows"_a.noconvert(), "is_deg"_a, "is_ccw"_a, "cos"_a.noconvert(),
          "sin"_a.noconvert(), "out"_a.noconvert());
    define_rotated_as<float>(m);
    define_rotated_as<double>(m);
    m.def("rotated_inter", &rotated_inter, "a"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
    m.def("rotated_join", &rotated_join, "measure"_a, "options"_a, "threshold"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "keys_a"_a.noconvert(), "keys_b"_a.noconvert(), "self_join"_a, "threads"_a);
}

}  // namespace vesica::bind

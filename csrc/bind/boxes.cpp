// boxes.cpp. Boxes: overlaps, the best partners, joins, and what is wrong with rows.
#include "regions/boxes.hpp"

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "bind/joins.hpp"
#include "bind/module.hpp"

namespace vesica::bind {
namespace {

template <class T>
std::size_t rows_of(const In<T>& a) {
    return a.shape(a.ndim() - 2);
}

// A batch of tables: the work of each, one after the other.
template <class T, class R, class Work>
void each_table(const In<T>& a, const In<T>& b, const Out<R>& out, std::size_t width, const Work& work) {
    if (a.ndim() < 2 || b.ndim() < 2) refuse("`a` and `b` must be tables");
    const std::size_t n = rows_of<T>(a), m = rows_of<T>(b);
    std::size_t batch = 1;
    for (std::size_t axis = 0; axis + 2 < a.ndim(); ++axis) batch *= a.shape(axis);
    expect_size("a", a.size(), batch * n * width);
    expect_size("b", b.size(), batch * m * width);
    expect_size("out", out.size(), batch * n * m);
    const T *from_a = a.data(), *from_b = b.data();
    R* to = out.data();
    Unlocked unlocked;
    for (std::size_t k = 0; k < batch; ++k) work(from_a + k * n * width, n, from_b + k * m * width, m, to + k * n * m);
}

template <class T>
void boxes_pairwise(int measure, const OptionTuple& options, In<T> a, In<T> b, Out<Real<T>> out, std::size_t threads) {
    each_table<T, Real<T>>(a, b, out, 4, [&](const T* pa, std::size_t n, const T* pb, std::size_t m, Real<T>* to) {
        boxes::pairwise<T>(measures::Name(measure), options_of(options), {pa, n}, {pb, m}, to, threads);
    });
}

template <class T>
void boxes_inter(In<T> a, In<T> b, Out<T> out, std::size_t threads) {
    each_table<T, T>(a, b, out, 4, [&](const T* pa, std::size_t n, const T* pb, std::size_t m, T* to) {
        boxes::inter<T>({pa, n}, {pb, m}, to, threads);
    });
}

template <class T>
void boxes_aligned(int measure, const OptionTuple& options, In<T> a, In<T> b, Out<Real<T>> out, std::size_t threads) {
    const std::size_t count = out.size();
    expect_size("a", a.size(), 4 * count);
    expect_size("b", b.size(), 4 * count);
    Unlocked unlocked;
    boxes::aligned<T>(measures::Name(measure), options_of(options), {a.data(), count}, {b.data(), count}, out.data(),
                      threads);
}

template <class T>
void boxes_best(int measure, const OptionTuple& options, In<T> a, In<T> b, Out<std::int64_t> index, Out<Real<T>> value,
                std::size_t threads) {
    const std::size_t n = expect_rows("a", a, 4), m = expect_rows("b", b, 4), k = expect_best(index, value, n, m);
    Unlocked unlocked;
    boxes::best<T>(measures::Name(measure), options_of(options), {a.data(), n}, {b.data(), m}, k, index.data(),
                   value.data(), threads);
}

template <class T>
std::tuple<int, std::size_t> boxes_first_fault(In<T> rows, T limit) {
    Unlocked unlocked;
    const boxes::Finding found = boxes::first_fault<T>({rows.data(), rows.size() / 4}, limit);
    return {static_cast<int>(found.fault), found.row};
}

bool boxes_are_sides_sound(In<double> rows, double limit, std::size_t threads) {
    Unlocked unlocked;
    return boxes::are_sides_sound({rows.data(), rows.size() / 4}, limit, threads);
}

template <class T>
PairTuple<Real<T>> boxes_join(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<T> a,
                              In<T> b, Keys keys_a, Keys keys_b, bool self, std::size_t threads) {
    const std::size_t n = expect_rows("a", a, 4), m = expect_rows("b", b, 4);
    join::Pairs<Real<T>> pairs;
    expect_keys(keys_a, n, keys_b, m, self);
    {
        Unlocked unlocked;
        pairs = join::of_boxes<T>(request_of(measure, options, threshold, keys_a, keys_b, self, threads), {a.data(), n},
                                  {b.data(), m});
    }
    return give(std::move(pairs));
}

template <class T>
void define_boxes_of(nb::module_& m) {
    m.def("boxes_pairwise", &boxes_pairwise<T>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a);
    m.def("boxes_aligned", &boxes_aligned<T>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a);
    m.def("boxes_inter", &boxes_inter<T>, "a"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
    m.def("boxes_best", &boxes_best<T>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "index"_a.noconvert(), "value"_a.noconvert(), "threads"_a);
    m.def("boxes_join", &boxes_join<T>, "measure"_a, "options"_a, "threshold"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "keys_a"_a.noconvert(), "keys_b"_a.noconvert(), "self_join"_a, "threads"_a);
    m.def("boxes_first_fault", &boxes_first_fault<T>, "rows"_a.noconvert(), "limit"_a);
}

}  // namespace

void define_boxes(nb::module_& m) {
    define_names<boxes::Fault>(m, "box_fault_names");
    define_boxes_of<float>(m);
    define_boxes_of<double>(m);
    define_boxes_of<std::int64_t>(m);
    m.def("boxes_are_sides_sound", &boxes_are_sides_sound, "rows"_a.noconvert(), "limit"_a, "threads"_a);
}

}  // namespace vesica::bind

// bind.cpp. The Python face of the kernels, and the only file that knows Python.
// Callers have checked shapes and values; arrays arrive contiguous and are never converted or copied here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "boxes.hpp"
#include "isa.hpp"
#include "join.hpp"
#include "labels.hpp"
#include "memory.hpp"
#include "rotated.hpp"
#include "sets.hpp"
#include "sources.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace vesica {
namespace {

// Any number of leading axes; the last one, where there is one, is the row.
template <class T>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig>;
using Keys = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// empty, alpha, beta, of_b
using OptionTuple = std::tuple<double, double, double, bool>;
// p, q, shift, strict
using ThresholdTuple = std::tuple<std::uint64_t, std::uint64_t, unsigned, bool>;

measures::Options options_of(const OptionTuple& o) {
    return {std::get<0>(o), std::get<1>(o), std::get<2>(o), std::get<3>(o)};
}

template <class T>
std::size_t rows_of(const In<T>& a) {
    return a.shape(a.ndim() - 2);
}

// A batch of tables: the work of each, one after the other.
template <class T, class R, class Work>
void each_table(const In<T>& a, const In<T>& b, const Out<R>& out, std::size_t width, const Work& work) {
    const std::size_t n = rows_of<T>(a), m = rows_of<T>(b);
    std::size_t batch = 1;
    for (std::size_t axis = 0; axis + 2 < a.ndim(); ++axis) batch *= a.shape(axis);
    const T *from_a = a.data(), *from_b = b.data();
    R* to = out.data();
    nb::gil_scoped_release unlocked;
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
    nb::gil_scoped_release unlocked;
    boxes::aligned<T>(measures::Name(measure), options_of(options), {a.data(), count}, {b.data(), count}, out.data(),
                      threads);
}

template <class T>
void boxes_best(int measure, const OptionTuple& options, In<T> a, In<T> b, Out<std::int64_t> index, Out<Real<T>> value,
                std::size_t threads) {
    const std::size_t k = index.shape(1);
    nb::gil_scoped_release unlocked;
    boxes::best<T>(measures::Name(measure), options_of(options), {a.data(), a.shape(0)}, {b.data(), b.shape(0)}, k,
                   index.data(), value.data(), threads);
}

template <class T>
std::tuple<int, std::size_t> boxes_first_fault(In<T> rows, T limit) {
    nb::gil_scoped_release unlocked;
    const boxes::Finding found = boxes::first_fault<T>({rows.data(), rows.size() / 4}, limit);
    return {static_cast<int>(found.fault), found.row};
}

template <class R>
void rotated_pairwise(int measure, const OptionTuple& options, In<double> a, In<double> b, Out<R> out,
                      std::size_t threads) {
    nb::gil_scoped_release unlocked;
    rotated::pairwise<R>(measures::Name(measure), options_of(options), {a.data(), a.shape(0)}, {b.data(), b.shape(0)},
                         out.data(), threads);
}

template <class R>
void rotated_aligned(int measure, const OptionTuple& options, In<double> a, In<double> b, Out<R> out,
                     std::size_t threads) {
    nb::gil_scoped_release unlocked;
    rotated::aligned<R>(measures::Name(measure), options_of(options), {a.data(), a.shape(0)}, {b.data(), b.shape(0)},
                        out.data(), threads);
}

void rotated_inter(In<double> a, In<double> b, Out<double> out, std::size_t threads) {
    nb::gil_scoped_release unlocked;
    rotated::inter({a.data(), a.shape(0)}, {b.data(), b.shape(0)}, out.data(), threads);
}

template <class R>
void rotated_best(int measure, const OptionTuple& options, In<double> a, In<double> b, Out<std::int64_t> index,
                  Out<R> value, std::size_t threads) {
    const std::size_t k = index.shape(1);
    nb::gil_scoped_release unlocked;
    rotated::best<R>(measures::Name(measure), options_of(options), {a.data(), a.shape(0)}, {b.data(), b.shape(0)}, k,
                     index.data(), value.data(), threads);
}

// The array owns the memory from here on.
template <class T>
Column<T> give(std::unique_ptr<T[]> data, std::size_t count) {
    T* const raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Column<T>(raw, {count}, owner);
}

template <class R>
using PairTuple = std::tuple<Column<std::int64_t>, Column<std::int64_t>, Column<R>>;

template <class R>
PairTuple<R> give(join::Pairs<R> pairs) {
    return {give(std::move(pairs.i), pairs.count), give(std::move(pairs.j), pairs.count),
            give(std::move(pairs.value), pairs.count)};
}

// An array of any content, in memory that is kept for the next one when this one is freed.
template <class T>
Column<T> empty(std::size_t count) {
    struct Lease {
        void* data;
        std::size_t bytes;
    };
    const std::size_t bytes = count * sizeof(T);
    auto lease = std::make_unique<Lease>(Lease{memory::take(bytes), bytes});
    T* const raw = static_cast<T*>(lease->data);
    nb::capsule owner(lease.release(), [](void* p) noexcept {
        const std::unique_ptr<Lease> done(static_cast<Lease*>(p));
        memory::give_back(done->data, done->bytes);
    });
    return Column<T>(raw, {count}, owner);
}

// Keys of no length mean: no keys.
join::Request request_of(int measure, const OptionTuple& options, const ThresholdTuple& threshold, const Keys& keys_a,
                         const Keys& keys_b, bool self, std::size_t threads) {
    const auto& [p, q, shift, strict] = threshold;
    return {measures::Name(measure),
            options_of(options),
            {p, q, shift, strict},
            {keys_a.size() ? keys_a.data() : nullptr, keys_b.size() ? keys_b.data() : nullptr},
            self,
            threads};
}

template <class T>
PairTuple<Real<T>> boxes_join(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<T> a,
                              In<T> b, Keys keys_a, Keys keys_b, bool self, std::size_t threads) {
    join::Pairs<Real<T>> pairs;
    {
        nb::gil_scoped_release unlocked;
        pairs = join::of_boxes<T>(request_of(measure, options, threshold, keys_a, keys_b, self, threads),
                                  {a.data(), a.shape(0)}, {b.data(), b.shape(0)});
    }
    return give(std::move(pairs));
}

PairTuple<double> rotated_join(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<double> a,
                               In<double> b, Keys keys_a, Keys keys_b, bool self, std::size_t threads) {
    join::Pairs<double> pairs;
    {
        nb::gil_scoped_release unlocked;
        pairs = join::of_rotated(request_of(measure, options, threshold, keys_a, keys_b, self, threads),
                                 {a.data(), a.shape(0)}, {b.data(), b.shape(0)});
    }
    return give(std::move(pairs));
}

template <class T>
void define_boxes(nb::module_& m) {
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

template <class R>
void define_rotated(nb::module_& m) {
    m.def("rotated_pairwise", &rotated_pairwise<R>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a);
    m.def("rotated_aligned", &rotated_aligned<R>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a);
    m.def("rotated_best", &rotated_best<R>, "measure"_a, "options"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "index"_a.noconvert(), "value"_a.noconvert(), "threads"_a);
}

// The verbs of a kind that is a source of parts. Make(a, b) reads both sides from Python: tuples of flat arrays.
template <auto Make>
void define_source(nb::module_& m, const std::string& kind) {
    using Source = decltype(Make(nb::object(), nb::object()));
    using Number = typename Source::Number;
    const auto named = [&](const char* verb) { return kind + verb; };
    m.def(
        named("_pairwise").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<double> out, std::size_t threads) {
            const Source source = Make(a, b);
            nb::gil_scoped_release unlocked;
            sources::pairwise(measures::Name(measure), options_of(options), source, out.data(), threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_aligned").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<double> out, std::size_t threads) {
            const Source source = Make(a, b);
            nb::gil_scoped_release unlocked;
            sources::aligned(measures::Name(measure), options_of(options), source, out.data(), threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_inter").c_str(),
        [](nb::object a, nb::object b, Out<Number> out, std::size_t threads) {
            const Source source = Make(a, b);
            nb::gil_scoped_release unlocked;
            sources::inter(source, out.ndim() == 1, out.data(), threads);
        },
        "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_best").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<std::int64_t> index,
           Out<double> value, std::size_t threads) {
            const Source source = Make(a, b);
            const std::size_t k = index.shape(1);
            nb::gil_scoped_release unlocked;
            sources::best(measures::Name(measure), options_of(options), source, k, index.data(), value.data(), threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "index"_a.noconvert(), "value"_a.noconvert(), "threads"_a);
    m.def(
        named("_join").c_str(),
        [](int measure, const OptionTuple& options, const ThresholdTuple& threshold, nb::object a, nb::object b,
           Keys keys_a, Keys keys_b, bool self, std::size_t threads) {
            const Source source = Make(a, b);
            join::Pairs<double> pairs;
            {
                nb::gil_scoped_release unlocked;
                pairs = sources::join(request_of(measure, options, threshold, keys_a, keys_b, self, threads), source);
            }
            return give(std::move(pairs));
        },
        "measure"_a, "options"_a, "threshold"_a, "a"_a, "b"_a, "keys_a"_a.noconvert(), "keys_b"_a.noconvert(),
        "self_join"_a, "threads"_a);
}

// A map of any integers: the type is part of the value.
using AnyMap = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

labels::Map map_of(const AnyMap& array) {
    const auto is = [&]<class T>(T) { return array.dtype() == nb::dtype<T>(); };
    using Type = labels::Type;
    if (is(std::uint8_t())) return {array.data(), Type::uint8};
    if (is(std::int8_t())) return {array.data(), Type::int8};
    if (is(std::uint16_t())) return {array.data(), Type::uint16};
    if (is(std::int16_t())) return {array.data(), Type::int16};
    if (is(std::uint32_t())) return {array.data(), Type::uint32};
    if (is(std::int32_t())) return {array.data(), Type::int32};
    if (is(std::int64_t())) return {array.data(), Type::int64};
    throw nb::type_error("no such integers");
}

// Columns: labels of a, labels of b, how many pixels have both.
PairTuple<std::int64_t> labels_count(AnyMap a, AnyMap b, std::size_t threads) {
    const labels::Map left = map_of(a), right = map_of(b);
    if (a.size() != b.size()) throw nb::value_error("maps of different size");
    join::Pairs<std::int64_t> columns;
    {
        nb::gil_scoped_release unlocked;
        const std::vector<labels::Meeting> found = labels::count(left, right, a.size(), threads);
        const auto column = [&](std::int64_t labels::Meeting::* field) {
            auto values = std::make_unique<std::int64_t[]>(found.size());
            for (std::size_t k = 0; k < found.size(); ++k) values[k] = found[k].*field;
            return values;
        };
        columns = {column(&labels::Meeting::a), column(&labels::Meeting::b), column(&labels::Meeting::count),
                   found.size()};
    }
    return give(std::move(columns));
}

// (ids, starts, size)
sets::Source sets_of(const nb::object& a, const nb::object& b) {
    using Side = std::tuple<In<std::int64_t>, In<std::int64_t>, std::size_t>;
    const auto [ids_a, starts_a, size] = nb::cast<Side>(a, false);
    const auto [ids_b, starts_b, same_size] = nb::cast<Side>(b, false);
    return {{ids_a.data(), starts_a.data(), starts_a.size() - 1},
            {ids_b.data(), starts_b.data(), starts_b.size() - 1},
            size};
}

std::vector<std::string> names(bool with_boxes) {
    std::vector<std::string> all;
#define X(name, Type) all.push_back(#name);
    VESICA_REGION_MEASURES(X)
    if (with_boxes) {
        VESICA_BOX_MEASURES(X)
    }
#undef X
    return all;
}

void limit_isa(const std::string& name) {
    for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512})
        if (name == isa::name(level)) return isa::limit(level);
    throw nb::value_error("no such instruction set");
}

}  // namespace
}  // namespace vesica

NB_MODULE(_native, m) {
    using namespace vesica;
    m.doc() = "The compiled kernels. Use the functions of vesica, which check their arguments.";
    define_boxes<float>(m);
    define_boxes<double>(m);
    define_boxes<std::int64_t>(m);
    define_rotated<float>(m);
    define_rotated<double>(m);
    m.def("rotated_inter", &rotated_inter, "a"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
    m.def("rotated_join", &rotated_join, "measure"_a, "options"_a, "threshold"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "keys_a"_a.noconvert(), "keys_b"_a.noconvert(), "self_join"_a, "threads"_a);
    define_source<sets_of>(m, "sets");
    m.def("labels_count", &labels_count, "a"_a.noconvert(), "b"_a.noconvert(), "threads"_a,
          nb::sig("def labels_count(a: NDArray[numpy.integer], b: NDArray[numpy.integer], threads: int) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"));
    m.def("empty_float32", &empty<float>, "count"_a);
    m.def("empty_float64", &empty<double>, "count"_a);
    m.def("keep_at_most", &memory::keep_at_most, "bytes"_a, "Keep at most so much freed memory for later answers.");
    m.def("kept", &memory::kept, "Bytes of freed memory that are kept for later answers.");
    m.def("measure_names", &names, "with_boxes"_a, "The measures, in the order of their numbers.");
    m.def("isa", [] { return isa::name(isa::current()); }, "The instruction set in use.");
    m.def("limit_isa", &limit_isa, "name"_a, "Use at most this instruction set: avx512, avx2 or baseline.");
}

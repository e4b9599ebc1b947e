// bind.cpp. The Python face of the kernels, and the only file that knows Python.
// Callers have checked shapes and values; arrays arrive contiguous and are never converted or copied here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "dataset/coco_mask_table.hpp"
#include "dataset/coco_masks.hpp"
#include "detection/boundary.hpp"
#include "detection/cell_masks.hpp"
#include "detection/match_cells.hpp"
#include "detection/precision_recall.hpp"
#include "io/coco/coco_file.hpp"
#include "io/coco/record_columns.hpp"
#include "io/json/decimals.hpp"
#include "io/json/json.hpp"
#include "matching/anchors.hpp"
#include "matching/assign.hpp"
#include "matching/kmeans.hpp"
#include "overlaps/join.hpp"
#include "overlaps/region_pairs.hpp"
#include "regions/boxes.hpp"
#include "regions/labels/labels.hpp"
#include "regions/masks/masks.hpp"
#include "regions/masks/masks_boxes.hpp"
#include "regions/masks/pixels.hpp"
#include "regions/masks/rle.hpp"
#include "regions/masks/sparse.hpp"
#include "regions/polygons.hpp"
#include "regions/raster.hpp"
#include "regions/rotated.hpp"
#include "regions/sets.hpp"
#include "selection/components.hpp"
#include "selection/fusion.hpp"
#include "selection/nms.hpp"
#include "selection/soft.hpp"

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

Threshold threshold_of(const ThresholdTuple& threshold) {
    const auto& [p, q, shift, strict] = threshold;
    return {p, q, shift, strict};
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

bool boxes_are_sides_sound(In<double> rows, double limit) {
    nb::gil_scoped_release unlocked;
    return boxes::are_sides_sound({rows.data(), rows.size() / 4}, limit);
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
    return {measures::Name(measure),
            options_of(options),
            threshold_of(threshold),
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
            Source source = Make(a, b);
            nb::gil_scoped_release unlocked;
            region_pairs::prepare(source, threads);
            region_pairs::pairwise(measures::Name(measure), options_of(options), source, out.data(), threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_aligned").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<double> out, std::size_t threads) {
            Source source = Make(a, b);
            nb::gil_scoped_release unlocked;
            region_pairs::aligned(measures::Name(measure), options_of(options), source, out.data(), threads);
        },
        "measure"_a, "options"_a, "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_inter").c_str(),
        [](nb::object a, nb::object b, Out<Number> out, std::size_t threads) {
            Source source = Make(a, b);
            nb::gil_scoped_release unlocked;
            if (out.ndim() > 1) region_pairs::prepare(source, threads);
            region_pairs::inter(source, out.ndim() == 1, out.data(), threads);
        },
        "a"_a, "b"_a, "out"_a.noconvert(), "threads"_a);
    m.def(
        named("_best").c_str(),
        [](int measure, const OptionTuple& options, nb::object a, nb::object b, Out<std::int64_t> index,
           Out<double> value, std::size_t threads) {
            Source source = Make(a, b);
            const std::size_t k = index.shape(1);
            nb::gil_scoped_release unlocked;
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
            join::Pairs<double> pairs;
            {
                nb::gil_scoped_release unlocked;
                pairs =
                    region_pairs::join(request_of(measure, options, threshold, keys_a, keys_b, self, threads), source);
            }
            return give(std::move(pairs));
        },
        "measure"_a, "options"_a, "threshold"_a, "a"_a, "b"_a, "keys_a"_a.noconvert(), "keys_b"_a.noconvert(),
        "self_join"_a, "threads"_a);
}

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Column<T> give(std::vector<T> data) {
    auto* const kept = new std::vector<T>(std::move(data));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Column<T>(kept->data(), {kept->size()}, owner);
}

// A table with one struct of numbers a row.
using Table = nb::ndarray<std::int64_t, nb::numpy, nb::ndim<2>, nb::c_contig>;
template <class Row>
Table give_rows(std::unique_ptr<Row[]> rows, std::size_t count) {
    constexpr std::size_t width = sizeof(Row) / sizeof(std::int64_t);
    Row* const raw = rows.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<Row*>(p); });
    return {reinterpret_cast<std::int64_t*>(raw), {count, width}, owner};
}

// table, words, runs: the arrays of vesica._kernels.Pixels.
using PixelTuple = std::tuple<Table, Column<std::uint64_t>, Table>;
PixelTuple give(pixels::Owned stack) {
    return {give_rows(std::move(stack.masks), stack.count), give(std::move(stack.words), stack.word_count),
            give_rows(std::move(stack.runs), stack.run_count)};
}

using CountTuple = std::tuple<Column<std::int64_t>, Column<std::int64_t>>;
CountTuple give(rle::OwnedCounts counts) {
    return {give(std::move(counts.data)), give(std::move(counts.offsets))};
}

// A vesica._kernels.Pixels, which stays alive as long as the call. Nothing is converted: a copy would not live so long.
pixels::Stack stack_of(const nb::object& pixels) {
    const auto table = nb::cast<In<std::int64_t>>(pixels[0], false);
    const auto words = nb::cast<Flat<std::uint64_t>>(pixels[1], false);
    const auto runs = nb::cast<In<std::int64_t>>(pixels[2], false);
    return {reinterpret_cast<const pixels::Mask*>(table.data()),
            table.shape(0),
            words.data(),
            reinterpret_cast<const pixels::Run*>(runs.data()),
            nb::cast<std::int64_t>(pixels[3]),
            nb::cast<std::int64_t>(pixels[4])};
}

boxes::Rows<double> rows_of(const nb::object& array) {
    const auto rows = nb::cast<In<double>>(array, false);
    return {rows.data(), rows.shape(0)};
}

pixels::Masks masks_source(nb::object a, nb::object b) {
    return {stack_of(a), stack_of(b)};
}
masks_boxes::MasksBoxes masks_boxes_source(nb::object a, nb::object b) {
    return {stack_of(a), rows_of(b)};
}
masks_boxes::BoxesMasks boxes_masks_source(nb::object a, nb::object b) {
    return {rows_of(a), stack_of(b)};
}

using Stack3 = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

PixelTuple masks_pack(Stack3 stack, std::size_t threads) {
    pixels::Owned packed;
    {
        nb::gil_scoped_release unlocked;
        packed = masks::pack({stack.data(), stack.shape(0), stack.shape(1), stack.shape(2)}, threads);
    }
    return give(std::move(packed));
}

void masks_unpack(nb::object pixels, Out<std::uint8_t> out, std::size_t threads) {
    const pixels::Stack stack = stack_of(pixels);
    nb::gil_scoped_release unlocked;
    masks::unpack(stack, out.data(), threads);
}

rle::Counts counts_of(const Flat<std::int64_t>& counts, const Flat<std::int64_t>& offsets) {
    return {counts.data(), offsets.data(), offsets.size() - 1};
}

// Counts, the number of the fault, its mask and its place.
using CheckedTuple = std::tuple<CountTuple, int, std::size_t, std::size_t>;
CheckedTuple give(const rle::Finding& found, rle::OwnedCounts counts) {
    return {give(std::move(counts)), static_cast<int>(found.fault), found.mask, found.position};
}

CheckedTuple rle_canonical(Flat<std::int64_t> counts, Flat<std::int64_t> offsets, std::int64_t pixels) {
    rle::OwnedCounts out;
    const rle::Finding found = rle::canonical(counts_of(counts, offsets), pixels, out);
    return give(found, std::move(out));
}

// Pixels, or the number of the fault, its mask and its place.
std::tuple<std::optional<PixelTuple>, int, std::size_t, std::size_t> rle_from_strings(Flat<std::uint8_t> text,
                                                                                      Flat<std::int64_t> offsets,
                                                                                      std::int64_t height,
                                                                                      std::int64_t pixels,
                                                                                      std::size_t threads) {
    pixels::Owned packed;
    rle::Finding found;
    {
        nb::gil_scoped_release unlocked;
        found = rle::from_strings(text.data(), offsets.data(), offsets.size() - 1, height, pixels, packed, threads);
    }
    if (found.fault != rle::Fault::none)
        return {std::nullopt, static_cast<int>(found.fault), found.mask, found.position};
    return {give(std::move(packed)), 0, 0, 0};
}

std::tuple<Column<std::uint8_t>, Column<std::int64_t>> rle_to_strings(Flat<std::int64_t> counts,
                                                                      Flat<std::int64_t> offsets) {
    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> starts;
    rle::to_strings(counts_of(counts, offsets), text, starts);
    return {give(std::move(text)), give(std::move(starts))};
}

PixelTuple rle_pack(Flat<std::int64_t> counts, Flat<std::int64_t> offsets, std::int64_t height, std::size_t threads) {
    pixels::Owned packed;
    {
        nb::gil_scoped_release unlocked;
        packed = rle::pack(counts_of(counts, offsets), height, threads);
    }
    return give(std::move(packed));
}

CountTuple rle_unpack(nb::object pixels, std::size_t threads) {
    const pixels::Stack stack = stack_of(pixels);
    rle::OwnedCounts counts;
    {
        nb::gil_scoped_release unlocked;
        counts = rle::unpack(stack, threads);
    }
    return give(std::move(counts));
}

CountTuple rle_merge(Flat<std::int64_t> counts_a, Flat<std::int64_t> offsets_a, Flat<std::int64_t> counts_b,
                     Flat<std::int64_t> offsets_b, std::int64_t pixels, bool either) {
    rle::OwnedCounts out;
    {
        nb::gil_scoped_release unlocked;
        out = rle::merge(counts_of(counts_a, offsets_a), counts_of(counts_b, offsets_b), pixels,
                         either ? rle::Merge::either : rle::Merge::both);
    }
    return give(std::move(out));
}

CountTuple rle_crop(Flat<std::int64_t> counts, Flat<std::int64_t> offsets, std::int64_t height,
                    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> window) {
    const auto& [x1, y1, x2, y2] = window;
    rle::OwnedCounts out;
    {
        nb::gil_scoped_release unlocked;
        out = rle::crop(counts_of(counts, offsets), height, {x1, y1, x2, y2});
    }
    return give(std::move(out));
}

std::tuple<std::optional<PixelTuple>, int, std::size_t> sparse_pack(
    Flat<std::int64_t> n, Flat<std::int64_t> y, Flat<std::int64_t> x,
    std::tuple<std::int64_t, std::int64_t, std::int64_t> size, bool drop, std::size_t threads) {
    const auto& [layers, height, width] = size;
    pixels::Owned packed;
    sparse::Finding found;
    {
        nb::gil_scoped_release unlocked;
        found = sparse::pack({n.data(), y.data(), x.data(), n.size()}, {layers, height, width}, drop, threads, packed);
    }
    if (found.axis >= 0) return {std::nullopt, found.axis, found.column};
    return {give(std::move(packed)), found.axis, found.column};
}

void define_pixels(nb::module_& m) {
    define_source<masks_source>(m, "masks");
    define_source<masks_boxes_source>(m, "masks_boxes");
    define_source<boxes_masks_source>(m, "boxes_masks");
    m.def("masks_pack", &masks_pack, "stack"_a.noconvert(), "threads"_a);
    m.def("masks_unpack", &masks_unpack, "pixels"_a, "out"_a.noconvert(), "threads"_a);
    m.def("rle_canonical", &rle_canonical, "counts"_a.noconvert(), "offsets"_a.noconvert(), "pixels"_a);
    m.def("rle_from_strings", &rle_from_strings, "text"_a.noconvert(), "offsets"_a.noconvert(), "height"_a, "pixels"_a,
          "threads"_a);
    m.def("rle_to_strings", &rle_to_strings, "counts"_a.noconvert(), "offsets"_a.noconvert());
    m.def("rle_pack", &rle_pack, "counts"_a.noconvert(), "offsets"_a.noconvert(), "height"_a, "threads"_a);
    m.def("rle_unpack", &rle_unpack, "pixels"_a, "threads"_a);
    m.def("rle_merge", &rle_merge, "counts_a"_a.noconvert(), "offsets_a"_a.noconvert(), "counts_b"_a.noconvert(),
          "offsets_b"_a.noconvert(), "pixels"_a, "either"_a);
    m.def("rle_crop", &rle_crop, "counts"_a.noconvert(), "offsets"_a.noconvert(), "height"_a, "window"_a);
    m.def("sparse_pack", &sparse_pack, "n"_a.noconvert(), "y"_a.noconvert(), "x"_a.noconvert(), "size"_a, "drop"_a,
          "threads"_a);
}

// One of the flat arrays of a region, which stays the owner of its memory. Never converted: a copy would not last.
template <class T>
const T* column_of(const nb::object& flat, std::size_t at) {
    return nb::cast<In<T>>(flat[at], false).data();
}

// points, rings, parts, regions: the first fields of a Rings.
polygons::Regions polygons_of(const nb::object& flat) {
    const std::size_t offsets = nb::cast<In<std::int64_t>>(flat[3], false).size();
    return {column_of<double>(flat, 0), column_of<std::int64_t>(flat, 1), column_of<std::int64_t>(flat, 2),
            column_of<std::int64_t>(flat, 3), offsets - 1};
}

polygons::Side polygons_side(const nb::object& flat) {
    return {polygons_of(flat), column_of<double>(flat, 4), column_of<double>(flat, 5)};
}

polygons::Source polygons_source(nb::object a, nb::object b) {
    return {polygons_side(a), polygons_side(b)};
}

void polygons_area(nb::object flat, Out<double> out, std::size_t threads) {
    const polygons::Regions regions = polygons_of(flat);
    nb::gil_scoped_release unlocked;
    polygons::areas(regions, out.data(), threads);
}

CountTuple polygons_counts(nb::object flat, int rule, std::int64_t height, std::int64_t width, std::size_t threads) {
    const polygons::Regions regions = polygons_of(flat);
    raster::Counts found;
    {
        nb::gil_scoped_release unlocked;
        found = raster::counts(regions, height, width, raster::Rule(rule), threads);
    }
    return {give(std::move(found.counts)), give(std::move(found.offsets))};
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

// What nms asks of regions with these scores. Columns of no length mean: none.
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

// The first score that is NaN, or −1; the kept rows; who suppressed each row, −1 for nobody, if anybody asks.
using NmsTuple = std::tuple<std::int64_t, Column<std::int64_t>, std::optional<Column<std::int64_t>>>;
template <class Find>
NmsTuple nms_of(const NmsArguments& a, bool with_by, const Find& find) {
    const nms::Request request{measures::Name(a.measure),
                               options_of(a.options),
                               threshold_of(a.threshold),
                               a.scores.data(),
                               a.keys.size() ? a.keys.data() : nullptr,
                               a.images.size() ? a.images.data() : nullptr,
                               a.least,
                               a.limit,
                               with_by,
                               a.threads};
    nms::Answer answer{std::make_unique<std::int64_t[]>(0), 0, {}};
    std::vector<std::int64_t> by;
    std::int64_t bad = -1;
    {
        nb::gil_scoped_release unlocked;
        const std::size_t row = order::first_nan(a.scores.data(), a.scores.size());
        if (row == order::none)
            answer = find(request);
        else
            bad = static_cast<std::int64_t>(row);
        if (with_by) {
            by.resize(answer.by.size());
            for (std::size_t i = 0; i < by.size(); ++i)
                by[i] = answer.by[i] == nms::nobody ? -1 : static_cast<std::int64_t>(answer.by[i]);
        }
    }
    return {bad, give(std::move(answer.kept), answer.count),
            with_by ? std::optional(give(std::move(by))) : std::nullopt};
}

template <class Rows, auto Find, class T>
NmsTuple rows_nms(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<T> rows, Scores scores,
                  Keys keys, Keys images, double least, std::size_t limit, bool with_by, std::size_t threads) {
    const Rows regions{rows.data(), rows.shape(0)};
    return nms_of({measure, options, threshold, scores, keys, images, least, limit, threads}, with_by,
                  [&](const nms::Request& request) { return Find(request, regions); });
}

template <auto Make>
NmsTuple source_nms(int measure, const OptionTuple& options, const ThresholdTuple& threshold, nb::object regions,
                    Scores scores, Keys keys, Keys images, double least, std::size_t limit, bool with_by,
                    std::size_t threads) {
    const auto source = Make(regions, regions);
    return nms_of({measure, options, threshold, scores, keys, images, least, limit, threads}, with_by,
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
    define("masks_nms", &source_nms<masks_source>);
    define("polygons_nms", &source_nms<polygons_source>);
    define("sets_nms", &source_nms<sets_of>);
}

// best, iou and marks: images x anchors.
template <class T>
void anchors_assign(const ThresholdTuple& positive, const ThresholdTuple& negative, In<T> anchors, In<T> truths,
                    Flat<std::int64_t> offsets, Out<std::int64_t> best, Out<double> iou, Out<std::uint8_t> marks,
                    std::size_t threads) {
    nb::gil_scoped_release unlocked;
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
        nb::gil_scoped_release unlocked;
        total = kmeans::nearest(shapes_of(shapes), reinterpret_cast<const kmeans::Centre*>(centres.data()), k,
                                label.data(), iou.data(), sums.data(), threads);
        for (std::size_t c = 0; c < k; ++c) w[c] = sums[c].w, h[c] = sums[c].h, count[c] = sums[c].count;
    }
    return {total, give(std::move(w)), give(std::move(h)), give(std::move(count))};
}

void kmeans_medians(In<double> shapes, In<std::int32_t> label, Out<double> centres, std::size_t threads) {
    nb::gil_scoped_release unlocked;
    kmeans::medians(shapes_of(shapes), label.data(), reinterpret_cast<kmeans::Centre*>(centres.data()),
                    centres.shape(0), threads);
}

assign::Pairs pairs_of(const Flat<std::int64_t>& row, const Flat<std::int64_t>& column, const Flat<double>& value,
                       std::size_t rows, std::size_t columns) {
    return {row.data(), column.data(), value.data(), value.size(), rows, columns};
}

// Scores of no length mean: none.
Column<std::int64_t> assign_greedy(Flat<std::int64_t> row, Flat<std::int64_t> column, Flat<double> value,
                                   std::size_t rows, std::size_t columns, Flat<double> scores) {
    std::vector<std::int64_t> places;
    {
        nb::gil_scoped_release unlocked;
        places = assign::greedy(pairs_of(row, column, value, rows, columns), scores.size() ? scores.data() : nullptr);
    }
    return give(std::move(places));
}

// The row that is short of columns and how many rows compete with it, itself among them.
using ShortageTuple = std::optional<std::tuple<std::size_t, std::size_t>>;
ShortageTuple give(const std::optional<assign::Shortage>& shortage) {
    if (!shortage) return std::nullopt;
    return std::tuple{shortage->row, shortage->rows};
}

std::tuple<Column<std::int64_t>, ShortageTuple> assign_optimal(Flat<std::int64_t> row, Flat<std::int64_t> column,
                                                               Flat<double> value, std::size_t rows,
                                                               std::size_t columns, int goal, std::size_t threads) {
    assign::Choice choice;
    {
        nb::gil_scoped_release unlocked;
        choice = assign::optimal(pairs_of(row, column, value, rows, columns), assign::Goal(goal), threads);
    }
    return {give(std::move(choice.places)), give(choice.shortage)};
}

ShortageTuple assign_dense(In<double> costs, int goal, Out<std::int64_t> out) {
    nb::gil_scoped_release unlocked;
    return give(assign::dense(costs.data(), costs.shape(0), costs.shape(1), assign::Goal(goal), out.data()));
}

// is_gaussian, sigma, min_score, limit
using SoftTuple = std::tuple<bool, double, double, std::size_t>;
using PickTuple = std::tuple<Column<std::int64_t>, Column<double>>;

soft::Rule soft_rule(const SoftTuple& rule) {
    const auto& [is_gaussian, sigma, min_score, limit] = rule;
    return {is_gaussian, sigma, min_score, limit};
}

PickTuple give(soft::Picks picks) {
    return {give(std::move(picks.index), picks.count), give(std::move(picks.score), picks.count)};
}

template <class T>
PickTuple boxes_soft(int measure, const OptionTuple& options, const ThresholdTuple& threshold, In<T> rows,
                     Scores scores, Keys keys, const SoftTuple& rule, std::size_t threads) {
    soft::Picks picks;
    {
        nb::gil_scoped_release unlocked;
        picks = soft::of_boxes<T>(soft_rule(rule), request_of(measure, options, threshold, keys, keys, true, threads),
                                  {rows.data(), rows.shape(0)}, scores.data());
    }
    return give(std::move(picks));
}

PickTuple edges_soft(Flat<std::int64_t> i, Flat<std::int64_t> j, Flat<double> value, bool both_ways, Scores scores,
                     Keys keys, const SoftTuple& rule, std::size_t threads) {
    soft::Picks picks;
    {
        nb::gil_scoped_release unlocked;
        picks = soft::of_edges(soft_rule(rule), {scores.data(), keys.size() ? keys.data() : nullptr, scores.size()},
                               {i.data(), j.data(), value.data(), i.size(), both_ways}, threads);
    }
    return give(std::move(picks));
}

// Corners of the fused boxes behind each other, scores, first members, and the cluster of each row.
std::tuple<Column<double>, Column<double>, Column<std::int64_t>, Column<std::int64_t>> boxes_fuse(
    In<double> rows, Flat<std::int64_t> order, Flat<double> weight, Flat<double> weighted, Keys keys,
    const ThresholdTuple& threshold, double total, std::size_t threads) {
    const auto& [p, q, shift, strict] = threshold;
    fusion::Clusters found;
    {
        nb::gil_scoped_release unlocked;
        found = fusion::fuse({{rows.data(), rows.shape(0)},
                              order.data(),
                              order.size(),
                              weight.data(),
                              weighted.data(),
                              keys.size() ? keys.data() : nullptr},
                             {p, q, shift, strict}, total, threads);
    }
    return {give(std::move(found.boxes)), give(std::move(found.scores)), give(std::move(found.first)),
            give(std::move(found.members))};
}

Column<std::int64_t> components_of(Flat<std::int64_t> i, Flat<std::int64_t> j, std::size_t rows) {
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release unlocked;
        found = components::components(i.data(), j.data(), i.size(), rows);
    }
    return give(std::move(found));
}

template <class T>
void define_soft(nb::module_& m) {
    m.def("boxes_soft", &boxes_soft<T>, "measure"_a, "options"_a, "threshold"_a, "rows"_a.noconvert(),
          "scores"_a.noconvert(), "keys"_a.noconvert(), "rule"_a, "threads"_a);
}

// A column, or None where it is empty.
template <class T>
nb::object give(record_columns::Column<T> column) {
    const std::size_t count = column.size();
    if (!count) return nb::none();
    T* const raw = column.release();
    nb::capsule owner(raw, [](void* p) noexcept { record_columns::give_back(p); });
    if constexpr (std::is_same_v<T, record_columns::Box>)
        return nb::cast(nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig>(raw->data(), {count, 4}, owner));
    else if constexpr (std::is_same_v<T, char>)
        return nb::cast(Column<std::uint8_t>(reinterpret_cast<std::uint8_t*>(raw), {count}, owner));
    else
        return nb::cast(Column<T>(raw, {count}, owner));
}

nb::object give(record_columns::Ragged ragged) {
    if (!ragged.offsets.size()) return nb::none();
    return nb::make_tuple(give(std::move(ragged.values)), give(std::move(ragged.offsets)));
}

nb::bytes bytes_of(const std::string& text) {
    return nb::bytes(text.data(), text.size());
}

// Integers, and texts in some of their places.
nb::tuple give(const std::vector<ids::Id>& ids) {
    std::vector<std::int64_t> integers(ids.size());
    nb::list texts;
    for (std::size_t k = 0; k < ids.size(); ++k) {
        integers[k] = ids[k].integer;
        if (ids[k].is_text()) texts.append(nb::make_tuple(k, bytes_of(ids[k].text)));
    }
    return nb::make_tuple(give(std::move(integers)), texts);
}

nb::tuple give_images(record_columns::Table& table) {
    return nb::make_tuple(
        table.is_there, table.rows, give(std::move(table.height)), give(std::move(table.width)),
        table.in_some & records::bit(records::Field::name) ? give(std::move(table.names)) : nb::none(),
        give(std::move(table.absent)), give(std::move(table.partial)));
}

nb::tuple give_annotations(record_columns::Table& table) {
    nb::list texts;
    for (const auto& [row, text] : table.texts) texts.append(nb::make_tuple(row, bytes_of(text)));
    const std::int64_t odd = table.first_odd == SIZE_MAX ? -1 : static_cast<std::int64_t>(table.first_odd);
    return nb::make_tuple(table.is_there, table.rows, table.in_some, table.in_all, odd, give(std::move(table.given)),
                          give(std::move(table.image)), give(std::move(table.category)), give(std::move(table.box)),
                          give(std::move(table.score)), give(std::move(table.area)), give(std::move(table.crowd)),
                          give(std::move(table.ignore)), give(std::move(table.id)), texts, give(std::move(table.text)),
                          give(std::move(table.segment_begin)), give(std::move(table.segment_end)),
                          give(std::move(table.record_begin)), give(std::move(table.record_end)));
}

// What is wrong: fault, byte, list, record, field, detail. Or the tables: vesica._kernels.native.columns names them.
nb::tuple coco_file_read(Flat<std::uint8_t> data, bool masks, bool spans, bool is_mapped, std::size_t block,
                         std::size_t threads) {
    coco_file::File file;
    {
        nb::gil_scoped_release unlocked;
        file = coco_file::read(reinterpret_cast<const char*>(data.data()), data.size(),
                               {masks, spans, is_mapped, block, threads});
    }
    const parallel_records::Error& error = file.error;
    if (error.fault != json::Fault::none)
        return nb::make_tuple(static_cast<int>(error.fault), error.at, error.kind, error.record, error.field,
                              error.detail);
    return nb::make_tuple(file.is_results, give_images(file.images), give_annotations(file.annotations),
                          give(file.image_ids), give(file.category_ids), file.unknown_image, file.unknown_category,
                          nb::make_tuple(file.categories.is_there, file.categories_begin, file.categories_end));
}

// The value of the number that the text is; None if it is none.
std::optional<double> decimal(Flat<std::uint8_t> text) {
    const char* const begin = reinterpret_cast<const char*>(text.data());
    decimals::Number number;
    bool ends;
    const char* const behind = decimals::read(begin, begin + text.size(), number, ends);
    return behind == begin + text.size() ? std::optional(number.value) : std::nullopt;
}

// What is wrong with the text as JSON, 0 if nothing, and where.
std::tuple<int, std::size_t> json_fault(Flat<std::uint8_t> text) {
    const char* const begin = reinterpret_cast<const char*>(text.data());
    json::Cursor cursor{begin, begin + text.size()};
    if (json::skip_value(cursor, 0)) json::skip_space(cursor);
    if (cursor.fault == json::Fault::none && cursor.at != cursor.end) cursor.fail(json::Fault::extra, cursor.at);
    const bool is_right = cursor.fault == json::Fault::none;
    return {static_cast<int>(cursor.fault), is_right ? 0 : static_cast<std::size_t>(cursor.where - begin)};
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

// text, begin, end, form, size and xywh, which may be None.
coco_masks::Column coco_masks_of(const nb::object& column) {
    const nb::object xywh = column[5];
    return {column_of<std::uint8_t>(column, 0),
            column_of<std::int64_t>(column, 1),
            column_of<std::int64_t>(column, 2),
            column_of<std::uint8_t>(column, 3),
            column_of<std::int64_t>(column, 4),
            xywh.is_none() ? nullptr : column_of<double>(column, 5),
            nb::cast<In<std::int64_t>>(column[1], false).size()};
}

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
        nb::gil_scoped_release unlocked;
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
        nb::gil_scoped_release unlocked;
        table = coco_masks::decoded(from, rows.data(), rows.size(), literal, threads);
    }
    return {give(std::move(table.counts)), give(std::move(table.offsets)), give(std::move(table.place)),
            give_areas(table)};
}

// The fault, if any: kind, side, row, other row, position, and sizes.
using FaultTuple = std::tuple<int, int, std::size_t, std::size_t, std::size_t, std::vector<std::int64_t>>;
FaultTuple give(const coco_masks::Fault& fault) {
    return {static_cast<int>(fault.kind),
            static_cast<int>(fault.side),
            fault.row,
            fault.other,
            fault.position,
            std::vector<std::int64_t>(fault.size, fault.size + 4)};
}

// The fault, and the rows that were put right: short counts, no area.
using ScoredTuple = std::tuple<FaultTuple, std::tuple<std::size_t, std::size_t>>;

template <class Scorer>
ScoredTuple coco_masks_matrix(const nb::object& guesses, const nb::object& truths, const std::uint8_t* crowd,
                              double floor, bool literal, double* out) {
    const coco_masks::Column a = coco_masks_of(guesses), b = coco_masks_of(truths);
    Scorer scorer(b, a, crowd, literal);
    {
        nb::gil_scoped_release unlocked;
        coco_masks::matrix(scorer, a.count, b.count, floor, out);
    }
    return {give(scorer.fault()), {scorer.findings().short_counts, scorer.findings().no_area}};
}

ScoredTuple coco_masks_iou(nb::object guesses, nb::object truths, std::optional<Flat<std::uint8_t>> crowd, double floor,
                           bool boundary, bool literal, Out<double> out) {
    const std::uint8_t* const flags = crowd ? crowd->data() : nullptr;
    return (boundary ? coco_masks_matrix<coco_masks::Boundaries>
                     : coco_masks_matrix<coco_masks::Masks>)(guesses, truths, flags, floor, literal, out.data());
}

void define_coco_masks(nb::module_& m) {
    m.def("coco_masks_areas", &coco_masks_areas, "column"_a, "rows"_a.noconvert(), "literal"_a, "threads"_a);
    m.def("coco_masks_decode", &coco_masks_decode, "column"_a, "rows"_a.noconvert(), "literal"_a, "threads"_a);
    m.def("coco_masks_iou", &coco_masks_iou, "guesses"_a, "truths"_a, "crowd"_a.none(), "floor"_a, "boundary"_a,
          "literal"_a, "out"_a.noconvert());
}

// An array that nobody gave is empty.
template <class T>
const T* given(const Flat<T>& column) {
    return column.size() ? column.data() : nullptr;
}

// image, category, area, crowd, ignore, nobody
using TruthTuple = std::tuple<Flat<std::int32_t>, Flat<std::int32_t>, Flat<double>, Flat<std::uint8_t>,
                              Flat<std::uint8_t>, Flat<std::uint8_t>>;
// image, category, area, score, lenient
using GuessTuple = std::tuple<Flat<std::int32_t>, Flat<std::int32_t>, Flat<double>, Flat<double>, Flat<std::uint8_t>>;

match_cells::Truths truths_of(const TruthTuple& columns) {
    const auto& [image, category, area, crowd, ignore, nobody] = columns;
    return {{image.size(), image.data(), category.data(), given(area)}, given(crowd), given(ignore), given(nobody)};
}

match_cells::Guesses guesses_of(const GuessTuple& columns) {
    const auto& [image, category, area, score, lenient] = columns;
    return {{image.size(), image.data(), category.data(), given(area)}, score.data(), given(lenient)};
}

// bars, lowest, highest, rule, images, categories, limit, plain, partners, threads
using DetectTuple = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>, int, std::size_t,
                               std::size_t, std::size_t, bool, bool, std::size_t>;

match_cells::Request request_of(const DetectTuple& request) {
    const auto& [bars, lowest, highest, rule, images, categories, limit, plain, partners, threads] = request;
    return {{bars, lowest, highest}, match_cells::Rule(rule), images, categories, limit, plain, partners, threads};
}

template <class T>
Column<T> give(memory::Vector<T> data) {
    auto* const kept = new memory::Vector<T>(std::move(data));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<memory::Vector<T>*>(p); });
    return Column<T>(kept->data(), {kept->size()}, owner);
}

// categories, image, guesses, counted, row, score, matched, ignored, partner, hits of nobody; the first fault, and how
// many masks were put right: counts that were short, polygons without area
using RecordTuple = std::tuple<Column<std::int64_t>, Column<std::int32_t>, Column<std::int32_t>, Column<std::int32_t>,
                               Column<std::int32_t>, Column<double>, Column<std::uint64_t>, Column<std::uint64_t>,
                               Column<std::int32_t>, std::size_t, FaultTuple, std::size_t, std::size_t>;

RecordTuple give(match_cells::Records records) {
    return {give(std::move(records.categories)),
            give(std::move(records.image)),
            give(std::move(records.guesses)),
            give(std::move(records.counted)),
            give(std::move(records.row)),
            give(std::move(records.score)),
            give(std::move(records.matched)),
            give(std::move(records.ignored)),
            give(std::move(records.partner)),
            records.hits_of_nobody,
            give(records.fault),
            records.findings.short_counts,
            records.findings.no_area};
}

RecordTuple match_cells_boxes(const DetectTuple& request, const TruthTuple& truths, In<double> truth_boxes,
                              const GuessTuple& guesses, In<double> guess_boxes) {
    match_cells::Records records;
    {
        nb::gil_scoped_release unlocked;
        records = match_cells::of_boxes(request_of(request), truths_of(truths), truth_boxes.data(), guesses_of(guesses),
                                        guess_boxes.data());
    }
    return give(std::move(records));
}

RecordTuple match_cells_masks(const DetectTuple& request, const TruthTuple& truths, nb::object truth_masks,
                              const GuessTuple& guesses, nb::object guess_masks, bool boundary, bool literal) {
    const coco_masks::Column left = coco_masks_of(truth_masks), right = coco_masks_of(guess_masks);
    match_cells::Records records;
    {
        nb::gil_scoped_release unlocked;
        records = match_cells::of_masks(request_of(request), truths_of(truths), left, guesses_of(guesses), right,
                                        boundary, literal);
    }
    return give(std::move(records));
}

// categories, guesses, counted, score, matched, ignored, thresholds, areas
using CurveTuple = std::tuple<Flat<std::int64_t>, Flat<std::int32_t>, Flat<std::int32_t>, Flat<double>,
                              Flat<std::uint64_t>, Flat<std::uint64_t>, std::size_t, std::size_t>;

void precision_recall_arrays(const CurveTuple& records, Flat<double> recalls, Flat<std::int64_t> limits,
                             std::size_t first_limit, double epsilon, Out<double> precision, Out<double> recall,
                             std::optional<Out<double>> scores, std::size_t threads) {
    const auto& [categories, guesses, counted, score, matched, ignored, thresholds, areas] = records;
    nb::gil_scoped_release unlocked;
    precision_recall::accumulate(
        {categories.data(), categories.size() - 1, guesses.data(), counted.data(), score.data(), matched.data(),
         ignored.data(), thresholds, areas},
        {recalls.data(), recalls.size(), limits.data(), limits.size(), first_limit, epsilon, threads}, precision.data(),
        recall.data(), scores ? scores->data() : nullptr);
}

void define_detect(nb::module_& m) {
    m.def("match_cells_boxes", &match_cells_boxes, "request"_a, "truths"_a, "truth_boxes"_a.noconvert(), "guesses"_a,
          "guess_boxes"_a.noconvert());
    m.def("match_cells_masks", &match_cells_masks, "request"_a, "truths"_a, "truth_masks"_a, "guesses"_a,
          "guess_masks"_a, "boundary"_a, "literal"_a);
    m.def("precision_recall", &precision_recall_arrays, "records"_a, "recalls"_a.noconvert(), "limits"_a.noconvert(),
          "first_limit"_a, "epsilon"_a, "precision"_a.noconvert(), "recall"_a.noconvert(),
          "scores"_a.noconvert().none(), "threads"_a);
}

void limit_isa(const std::string& name) {
    for (const simd::Level level : {simd::Level::baseline, simd::Level::avx2, simd::Level::avx512})
        if (name == simd::name(level)) return simd::limit(level);
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
    m.def("boxes_are_sides_sound", &boxes_are_sides_sound, "rows"_a.noconvert(), "limit"_a);
    define_rotated<float>(m);
    define_rotated<double>(m);
    define_pixels(m);
    m.def("rotated_inter", &rotated_inter, "a"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
    m.def("rotated_join", &rotated_join, "measure"_a, "options"_a, "threshold"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "keys_a"_a.noconvert(), "keys_b"_a.noconvert(), "self_join"_a, "threads"_a);
    define_source<polygons_source>(m, "polygons");
    m.def("polygons_area", &polygons_area, "rings"_a, "out"_a.noconvert(), "threads"_a);
    m.def("polygons_counts", &polygons_counts, "rings"_a, "rule"_a, "height"_a, "width"_a, "threads"_a);
    define_source<sets_of>(m, "sets");
    define_coco_masks(m);
    define_nms(m);
    m.def("labels_count", &labels_count, "a"_a.noconvert(), "b"_a.noconvert(), "threads"_a,
          nb::sig("def labels_count(a: NDArray[numpy.integer], b: NDArray[numpy.integer], threads: int) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"));
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
    define_soft<float>(m);
    define_soft<double>(m);
    define_soft<std::int64_t>(m);
    m.def("edges_soft", &edges_soft, "i"_a.noconvert(), "j"_a.noconvert(), "value"_a.noconvert(), "both_ways"_a,
          "scores"_a.noconvert(), "keys"_a.noconvert(), "rule"_a, "threads"_a);
    m.def("boxes_fuse", &boxes_fuse, "rows"_a.noconvert(), "order"_a.noconvert(), "weight"_a.noconvert(),
          "weighted"_a.noconvert(), "keys"_a.noconvert(), "threshold"_a, "total"_a, "threads"_a);
    m.def("components", &components_of, "i"_a.noconvert(), "j"_a.noconvert(), "rows"_a);
    define_detect(m);
    m.def(
        "coco_file_read", &coco_file_read, "data"_a.noconvert(), "masks"_a, "spans"_a, "is_mapped"_a, "block"_a,
        "threads"_a,
        nb::sig("def coco_file_read(data: NDArray[numpy.uint8], masks: bool, spans: bool, is_mapped: bool, block: int, "
                "threads: int) -> tuple[typing.Any, ...]"));
    m.def("decimal", &decimal, "text"_a.noconvert(), "The number that the text is, or None.");
    m.def("json_fault", &json_fault, "text"_a.noconvert(), "What is wrong with a JSON text, and where.");
    m.def("empty_float32", &empty<float>, "count"_a);
    m.def("empty_float64", &empty<double>, "count"_a);
    m.def("empty_uint8", &empty<std::uint8_t>, "count"_a);
    m.def("keep_at_most", &memory::keep_at_most, "bytes"_a, "Keep at most so much freed memory for later answers.");
    m.def("kept", &memory::kept, "Bytes of freed memory that are kept for later answers.");
    m.def("measure_names", &names, "with_boxes"_a, "The measures, in the order of their numbers.");
    m.def("isa", [] { return simd::name(simd::current()); }, "The instruction set in use.");
    m.def("limit_isa", &limit_isa, "name"_a, "Use at most this instruction set: avx512, avx2 or baseline.");
}

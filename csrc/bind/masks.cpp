// masks.cpp. Masks as stacks of pixels, as runs and as coordinates.
#include "regions/masks/masks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/module.hpp"
#include "bind/region_pairs.hpp"
#include "regions/masks/rle.hpp"
#include "regions/masks/sparse.hpp"

namespace vesica::bind {
namespace {

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
PixelTuple give_pixels(pixels::Owned stack) {
    return {give_rows(std::move(stack.masks), stack.count), give(std::move(stack.words), stack.word_count),
            give_rows(std::move(stack.runs), stack.run_count)};
}

CountTuple give_counts(rle::OwnedCounts counts) {
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

boxes::Rows<double> box_rows_of(const nb::object& array) {
    const auto rows = nb::cast<In<double>>(array, false);
    return {rows.data(), rows.shape(0)};
}

masks_boxes::MasksBoxes masks_boxes_of(const nb::object& a, const nb::object& b) {
    return {stack_of(a), box_rows_of(b)};
}
masks_boxes::BoxesMasks boxes_masks_of(const nb::object& a, const nb::object& b) {
    return {box_rows_of(a), stack_of(b)};
}

using Stack3 = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

PixelTuple masks_pack(Stack3 stack, std::size_t threads) {
    pixels::Owned packed;
    {
        nb::gil_scoped_release unlocked;
        packed = masks::pack({stack.data(), stack.shape(0), stack.shape(1), stack.shape(2)}, threads);
    }
    return give_pixels(std::move(packed));
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
CheckedTuple give_checked(const rle::Finding& found, rle::OwnedCounts counts) {
    return {give_counts(std::move(counts)), static_cast<int>(found.fault), found.mask, found.position};
}

CheckedTuple rle_canonical(Flat<std::int64_t> counts, Flat<std::int64_t> offsets, std::int64_t pixels) {
    rle::OwnedCounts out;
    const rle::Finding found = rle::canonical(counts_of(counts, offsets), pixels, out);
    return give_checked(found, std::move(out));
}

// The characters of bytes or of a string of ASCII, which lives as long as its owner; nothing for others.
std::optional<std::string_view> characters_of(nb::handle text) {
    Py_ssize_t length = 0;
    if (PyBytes_CheckExact(text.ptr())) {
        char* data = nullptr;
        PyBytes_AsStringAndSize(text.ptr(), &data, &length);
        return std::string_view(data, static_cast<std::size_t>(length));
    }
    if (!PyUnicode_CheckExact(text.ptr())) return std::nullopt;
    const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
    if (!data) PyErr_Clear();  // half of a surrogate pair
    if (!data || length != PyUnicode_GetLength(text.ptr())) return std::nullopt;
    return std::string_view(data, static_cast<std::size_t>(length));
}

// Pixels, or the number of the fault, its mask and its place.
using ReadTuple = std::tuple<std::optional<PixelTuple>, int, std::size_t, std::size_t>;
ReadTuple read_strings(const rle::Strings& strings, std::int64_t height, std::int64_t pixels, std::size_t threads) {
    pixels::Owned packed;
    rle::Finding found;
    {
        nb::gil_scoped_release unlocked;
        found = rle::from_strings(strings, height, pixels, packed, threads);
    }
    if (found.fault != rle::Fault::none)
        return {std::nullopt, static_cast<int>(found.fault), found.mask, found.position};
    return {give_pixels(std::move(packed)), 0, 0, 0};
}

// Each text is bytes or ASCII.
ReadTuple rle_from_strings(nb::list texts, std::int64_t height, std::int64_t pixels, std::size_t threads) {
    std::vector<std::string_view> strings;
    strings.reserve(texts.size());
    for (const nb::handle text : texts) strings.push_back(characters_of(text).value());
    return read_strings(rle::joined(strings), height, pixels, threads);
}

// A list of two whole numbers, height and width; nothing for others.
std::optional<std::pair<std::int64_t, std::int64_t>> size_of(nb::handle size) {
    if (!size.is_valid() || !PyList_CheckExact(size.ptr()) || PyList_Size(size.ptr()) != 2) return std::nullopt;
    std::int64_t sides[2];
    for (int k = 0; k < 2; ++k) {
        PyObject* const side = PyList_GetItem(size.ptr(), k);
        int overflow = 0;
        if (!PyLong_CheckExact(side)) return std::nullopt;
        sides[k] = PyLong_AsLongLongAndOverflow(side, &overflow);
        if (overflow) return std::nullopt;
    }
    return std::pair(sides[0], sides[1]);
}

// Pixels, height and width of dicts of "size" and "counts" as most are: sound strings, all of one size below the limit.
// Nothing for others: the caller looks what they are.
std::optional<std::tuple<PixelTuple, std::int64_t, std::int64_t>> rle_from_coco(nb::list dicts, std::int64_t limit,
                                                                                std::size_t threads) {
    const nb::str size_key("size"), counts_key("counts");
    std::optional<std::pair<std::int64_t, std::int64_t>> size;
    std::vector<std::string_view> strings;
    strings.reserve(dicts.size());
    for (const nb::handle one : dicts) {
        if (!PyDict_CheckExact(one.ptr())) return std::nullopt;
        PyObject* const counts = PyDict_GetItemWithError(one.ptr(), counts_key.ptr());
        const auto here = size_of(PyDict_GetItemWithError(one.ptr(), size_key.ptr()));
        const auto text = counts ? characters_of(counts) : std::nullopt;
        if (!text || !here || here != size.value_or(*here)) return std::nullopt;
        size = here;
        strings.push_back(*text);
    }
    if (!size || std::min(size->first, size->second) < 0 || std::max(size->first, size->second) > limit)
        return std::nullopt;
    const auto [height, width] = *size;
    auto found = read_strings(rle::joined(strings), height, height * width, threads);
    if (!std::get<0>(found)) return std::nullopt;
    return std::tuple(*std::move(std::get<0>(found)), height, width);
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
    return give_pixels(std::move(packed));
}

CountTuple rle_unpack(nb::object pixels, std::size_t threads) {
    const pixels::Stack stack = stack_of(pixels);
    rle::OwnedCounts counts;
    {
        nb::gil_scoped_release unlocked;
        counts = rle::unpack(stack, threads);
    }
    return give_counts(std::move(counts));
}

CountTuple rle_merge(Flat<std::int64_t> counts_a, Flat<std::int64_t> offsets_a, Flat<std::int64_t> counts_b,
                     Flat<std::int64_t> offsets_b, std::int64_t pixels, bool either) {
    rle::OwnedCounts out;
    {
        nb::gil_scoped_release unlocked;
        out = rle::merge(counts_of(counts_a, offsets_a), counts_of(counts_b, offsets_b), pixels,
                         either ? rle::Merge::either : rle::Merge::both);
    }
    return give_counts(std::move(out));
}

CountTuple rle_crop(Flat<std::int64_t> counts, Flat<std::int64_t> offsets, std::int64_t height,
                    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> window) {
    const auto& [x1, y1, x2, y2] = window;
    rle::OwnedCounts out;
    {
        nb::gil_scoped_release unlocked;
        out = rle::crop(counts_of(counts, offsets), height, {x1, y1, x2, y2});
    }
    return give_counts(std::move(out));
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
    return {give_pixels(std::move(packed)), found.axis, found.column};
}

}  // namespace

pixels::Masks masks_of(const nb::object& a, const nb::object& b) {
    return {stack_of(a), stack_of(b)};
}

void define_masks(nb::module_& m) {
    define_names<runs::Fault>(m, "count_fault_names");
    define_pairs<masks_of>(m, "masks");
    define_pairs<masks_boxes_of>(m, "masks_boxes");
    define_pairs<boxes_masks_of>(m, "boxes_masks");
    m.def("masks_pack", &masks_pack, "stack"_a.noconvert(), "threads"_a);
    m.def("masks_unpack", &masks_unpack, "pixels"_a, "out"_a.noconvert(), "threads"_a);
    m.def("rle_canonical", &rle_canonical, "counts"_a.noconvert(), "offsets"_a.noconvert(), "pixels"_a);
    m.def("rle_from_strings", &rle_from_strings, "texts"_a, "height"_a, "pixels"_a, "threads"_a);
    m.def("rle_from_coco", &rle_from_coco, "dicts"_a, "limit"_a, "threads"_a);
    m.def("rle_to_strings", &rle_to_strings, "counts"_a.noconvert(), "offsets"_a.noconvert());
    m.def("rle_pack", &rle_pack, "counts"_a.noconvert(), "offsets"_a.noconvert(), "height"_a, "threads"_a);
    m.def("rle_unpack", &rle_unpack, "pixels"_a, "threads"_a);
    m.def("rle_merge", &rle_merge, "counts_a"_a.noconvert(), "offsets_a"_a.noconvert(), "counts_b"_a.noconvert(),
          "offsets_b"_a.noconvert(), "pixels"_a, "either"_a);
    m.def("rle_crop", &rle_crop, "counts"_a.noconvert(), "offsets"_a.noconvert(), "height"_a, "window"_a);
    m.def("sparse_pack", &sparse_pack, "n"_a.noconvert(), "y"_a.noconvert(), "x"_a.noconvert(), "size"_a, "drop"_a,
          "threads"_a);
}

}  // namespace vesica::bind

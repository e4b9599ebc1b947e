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
#include <variant>
#include <vector>

#include "bind/module.hpp"
#include "bind/pixels.hpp"
#include "bind/region_pairs.hpp"
#include "regions/masks/rle.hpp"
#include "regions/masks/sparse.hpp"

namespace vesica::bind {
namespace {

CountTuple give_counts(rle::OwnedCounts counts) {
    return {give(std::move(counts.data)), give(std::move(counts.offsets))};
}

// It stays alive as long as the call.
pixels::Stack stack_of(const nb::object& pixels) {
    return nb::cast<const Pixels&>(pixels).stack();
}

boxes::Rows<double> box_rows_of(const nb::object& array) {
    const auto rows = nb::cast<In<double>>(array, false);
    return {rows.data(), expect_rows("boxes", rows, 4)};
}

masks_boxes::MasksBoxes masks_boxes_of(const nb::object& a, const nb::object& b) {
    return {stack_of(a), box_rows_of(b)};
}
masks_boxes::BoxesMasks boxes_masks_of(const nb::object& a, const nb::object& b) {
    return {box_rows_of(a), stack_of(b)};
}

using Stack3 = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Pixels masks_pack(Stack3 stack, std::size_t threads) {
    pixels::Owned packed;
    const std::size_t height = stack.shape(1), width = stack.shape(2);
    {
        Unlocked unlocked;
        packed = masks::pack({stack.data(), stack.shape(0), height, width}, threads);
    }
    return give(std::move(packed), static_cast<std::int64_t>(height), static_cast<std::int64_t>(width));
}

void masks_unpack(const Pixels& pixels, Out<std::uint8_t> out, std::size_t threads) {
    expect_size("out", out.size(), pixels.count * static_cast<std::size_t>(pixels.height * pixels.width));
    Unlocked unlocked;
    masks::unpack(pixels.stack(), out.data(), threads);
}

rle::Counts counts_of(const Flat<std::int64_t>& counts, const Flat<std::int64_t>& offsets) {
    return {counts.data(), offsets.data(), expect_offsets("offsets", offsets, counts.size())};
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
using Read = std::variant<Pixels, std::tuple<int, std::size_t, std::size_t>>;
Read read_strings(const rle::Strings& strings, std::int64_t height, std::int64_t width, std::size_t threads) {
    if (height < 0 || width < 0) refuse("`height` and `width` must not be negative");
    pixels::Owned packed;
    rle::Finding found;
    {
        Unlocked unlocked;
        found = rle::from_strings(strings, height, height * width, packed, threads);
    }
    if (found.fault != rle::Fault::none) return std::tuple(static_cast<int>(found.fault), found.mask, found.position);
    return give(std::move(packed), height, width);
}

// Each text is bytes or ASCII.
Read rle_from_strings(nb::typed<nb::list, nb::any> texts, std::int64_t height, std::int64_t width,
                      std::size_t threads) {
    std::vector<std::string_view> strings;
    strings.reserve(texts.size());
    for (const nb::handle text : texts) strings.push_back(characters_of(text).value());
    return read_strings(rle::joined(strings), height, width, threads);
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

// Dicts of "size" and "counts" as most are: sound strings, all of one size within the limit. Nothing for others: the
// caller looks what they are.
std::optional<Pixels> rle_from_coco(nb::typed<nb::list, nb::any> dicts, std::int64_t limit, std::size_t threads) {
    // Interned, as those of most dicts are: then no characters are compared.
    static PyObject* const size_key = PyUnicode_InternFromString("size");
    static PyObject* const counts_key = PyUnicode_InternFromString("counts");
    std::optional<std::pair<std::int64_t, std::int64_t>> size;
    std::vector<std::string_view> strings;
    strings.reserve(dicts.size());
    for (const nb::handle one : dicts) {
        if (!PyDict_CheckExact(one.ptr())) return std::nullopt;
        PyObject* const counts = PyDict_GetItem(one.ptr(), counts_key);
        const auto here = size_of(PyDict_GetItem(one.ptr(), size_key));
        const auto text = counts ? characters_of(counts) : std::nullopt;
        if (!text || !here || here != size.value_or(*here)) return std::nullopt;
        size = here;
        strings.push_back(*text);
    }
    if (!size || std::min(size->first, size->second) < 0 || std::max(size->first, size->second) > limit)
        return std::nullopt;
    Read found = read_strings(rle::joined(strings), size->first, size->second, threads);
    if (!std::holds_alternative<Pixels>(found)) return std::nullopt;
    return std::get<Pixels>(std::move(found));
}

std::tuple<Column<std::uint8_t>, Column<std::int64_t>> rle_to_strings(Flat<std::int64_t> counts,
                                                                      Flat<std::int64_t> offsets) {
    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> starts;
    rle::to_strings(counts_of(counts, offsets), text, starts);
    return {give(std::move(text)), give(std::move(starts))};
}

using Columns = nb::ndarray<const std::uint8_t, nb::f_contig, nb::device::cpu>;

// Bytes column by column, one mask after the other → COCO's strings.
nb::typed<nb::list, nb::bytes> rle_of_columns(Columns pixels, std::size_t masks) {
    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> starts;
    expect_size("pixels", pixels.size(), masks ? pixels.size() / masks * masks : 0);
    {
        Unlocked unlocked;
        const rle::OwnedCounts counts = rle::of_columns(pixels.data(), masks, masks ? pixels.size() / masks : 0);
        rle::to_strings({counts.data.data(), counts.offsets.data(), masks}, text, starts);
    }
    nb::list strings;
    for (std::size_t i = 0; i < masks; ++i)
        strings.append(nb::bytes(text.data() + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])));
    return strings;
}

Pixels rle_pack(Flat<std::int64_t> counts, Flat<std::int64_t> offsets, std::int64_t height, std::int64_t width,
                std::size_t threads) {
    pixels::Owned packed;
    {
        Unlocked unlocked;
        packed = rle::pack(counts_of(counts, offsets), height, threads);
    }
    return give(std::move(packed), height, width);
}

CountTuple rle_unpack(const Pixels& pixels, std::size_t threads) {
    rle::OwnedCounts counts;
    {
        Unlocked unlocked;
        counts = rle::unpack(pixels.stack(), threads);
    }
    return give_counts(std::move(counts));
}

CountTuple rle_merge(Flat<std::int64_t> counts_a, Flat<std::int64_t> offsets_a, Flat<std::int64_t> counts_b,
                     Flat<std::int64_t> offsets_b, std::int64_t pixels, bool either) {
    rle::OwnedCounts out;
    expect_size("offsets_b", offsets_b.size(), offsets_a.size());
    {
        Unlocked unlocked;
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
        Unlocked unlocked;
        out = rle::crop(counts_of(counts, offsets), height, {x1, y1, x2, y2});
    }
    return give_counts(std::move(out));
}

// Pixels, or the axis and the column of the first index that lies outside.
std::variant<Pixels, std::tuple<int, std::size_t>> sparse_pack(
    Flat<std::int64_t> n, Flat<std::int64_t> y, Flat<std::int64_t> x,
    std::tuple<std::int64_t, std::int64_t, std::int64_t> size, bool drop, std::size_t threads) {
    const auto& [layers, height, width] = size;
    expect_size("y", y.size(), n.size());
    expect_size("x", x.size(), n.size());
    if (layers < 0 || height < 0 || width < 0) refuse("`size` must not be negative");
    pixels::Owned packed;
    sparse::Finding found;
    {
        Unlocked unlocked;
        found = sparse::pack({n.data(), y.data(), x.data(), n.size()}, {layers, height, width}, drop, threads, packed);
    }
    if (found.axis >= 0) return std::tuple(found.axis, found.column);
    return give(std::move(packed), height, width);
}

}  // namespace

pixels::Masks masks_of(const nb::object& a, const nb::object& b) {
    const pixels::Stack left = stack_of(a), right = stack_of(b);
    if (left.height != right.height || left.width != right.width) refuse("masks must be of one image size");
    return {left, right};
}

void define_masks(nb::module_& m) {
    define_names<runs::Fault>(m, "count_fault_names");
    define_pairs<masks_of>(m, "masks");
    define_pairs<masks_boxes_of>(m, "masks_boxes");
    define_pairs<boxes_masks_of>(m, "boxes_masks");
    m.def("masks_pack", &masks_pack, "stack"_a.noconvert(), "threads"_a);
    m.def("masks_unpack", &masks_unpack, "pixels"_a, "out"_a.noconvert(), "threads"_a);
    m.def("rle_canonical", &rle_canonical, "counts"_a.noconvert(), "offsets"_a.noconvert(), "pixels"_a);
    m.def("rle_from_strings", &rle_from_strings, "texts"_a, "height"_a, "width"_a, "threads"_a);
    m.def("rle_from_coco", &rle_from_coco, "dicts"_a, "limit"_a, "threads"_a);
    m.def("rle_to_strings", &rle_to_strings, "counts"_a.noconvert(), "offsets"_a.noconvert());
    m.def("rle_of_columns", &rle_of_columns, "pixels"_a.noconvert(), "masks"_a);
    m.def("rle_pack", &rle_pack, "counts"_a.noconvert(), "offsets"_a.noconvert(), "height"_a, "width"_a, "threads"_a);
    m.def("rle_unpack", &rle_unpack, "pixels"_a, "threads"_a);
    m.def("rle_merge", &rle_merge, "counts_a"_a.noconvert(), "offsets_a"_a.noconvert(), "counts_b"_a.noconvert(),
          "offsets_b"_a.noconvert(), "pixels"_a, "either"_a);
    m.def("rle_crop", &rle_crop, "counts"_a.noconvert(), "offsets"_a.noconvert(), "height"_a, "window"_a);
    m.def("sparse_pack", &sparse_pack, "n"_a.noconvert(), "y"_a.noconvert(), "x"_a.noconvert(), "size"_a, "drop"_a,
          "threads"_a);
}

}  // namespace vesica::bind

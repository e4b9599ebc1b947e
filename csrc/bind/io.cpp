// io.cpp. Files, COCO files, JSON and decimals.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/file_bytes.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "io/coco/coco_file.hpp"
#include "io/coco/record_columns.hpp"
#include "io/json/decimals.hpp"
#include "io/json/json.hpp"
#include "io/json/text.hpp"

namespace vesica::bind {
namespace {

// A column, or None where it is empty.
template <class T>
nb::object give_column(record_columns::Column<T> column) {
    const std::size_t count = column.size();
    if (!count) return nb::none();
    using Kept = record_columns::Column<T>;
    const auto kept = new Kept(std::move(column));
    T* const raw = kept->data();
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Kept*>(p); });
    if constexpr (std::is_same_v<T, record_columns::Box>)
        return nb::cast(nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig>(raw->data(), {count, 4}, owner));
    else if constexpr (std::is_same_v<T, char>)
        return nb::cast(Column<std::uint8_t>(reinterpret_cast<std::uint8_t*>(raw), {count}, owner));
    else
        return nb::cast(Column<T>(raw, {count}, owner));
}

nb::object give_ragged(record_columns::Ragged ragged) {
    if (!ragged.offsets.size()) return nb::none();
    return nb::make_tuple(give_column(std::move(ragged.values)), give_column(std::move(ragged.offsets)));
}

nb::bytes bytes_of(const std::string& text) {
    return nb::bytes(text.data(), text.size());
}

// Integers, and texts in some of their places.
nb::tuple give_ids(const ids::Ids& ids) {
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
        table.is_there, table.rows, give_column(std::move(table.height)), give_column(std::move(table.width)),
        table.in_some & records::bit(records::Field::name) ? give_column(std::move(table.names)) : nb::none(),
        give_ragged(std::move(table.absent)), give_ragged(std::move(table.partial)));
}

nb::tuple give_annotations(record_columns::Table& table) {
    nb::list texts;
    for (const auto& [row, text] : table.texts) texts.append(nb::make_tuple(row, bytes_of(text)));
    const std::int64_t odd = table.first_odd == SIZE_MAX ? -1 : static_cast<std::int64_t>(table.first_odd);
    return nb::make_tuple(table.is_there, table.rows, table.in_some, table.in_all, odd,
                          give_column(std::move(table.given)), give_column(std::move(table.image)),
                          give_column(std::move(table.category)), give_column(std::move(table.box)),
                          give_column(std::move(table.score)), give_column(std::move(table.area)),
                          give_column(std::move(table.crowd)), give_column(std::move(table.ignore)),
                          give_column(std::move(table.id)), texts, give_column(std::move(table.text)),
                          give_column(std::move(table.segment_begin)), give_column(std::move(table.segment_end)),
                          give_column(std::move(table.record_begin)), give_column(std::move(table.record_end)));
}

// The first bytes of a file, fewer where it is shorter. Raises OSError.
nb::bytes file_bytes_read(int file, std::size_t size, std::size_t threads) {
    nb::object all = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!all.is_valid()) throw nb::python_error();
    char* const to = PyBytes_AsString(all.ptr());
    file_bytes::Read done;
    {
        Unlocked unlocked;
        done = file_bytes::read(file, to, size, threads);
    }
    if (done.error) {
        errno = done.error;
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    }
    return done.size == size ? nb::borrow<nb::bytes>(all) : nb::bytes(to, done.size);
}

// What is wrong: fault, byte, list, record, field, detail. Or the tables: vesica._kernels.native.columns names them.
nb::tuple give_file(coco_file::File& file) {
    const parallel_records::Error& error = file.error;
    if (error.fault != json::Fault::none)
        return nb::make_tuple(static_cast<int>(error.fault), error.at, error.kind, error.record, error.field,
                              error.detail);
    return nb::make_tuple(file.is_results, give_images(file.images), give_annotations(file.annotations),
                          give_ids(file.image_ids), give_ids(file.category_ids), file.unknown_image,
                          file.unknown_category,
                          file.categories.is_there ? nb::object(bytes_of(file.categories_text)) : nb::none());
}

nb::tuple read_coco_file(const text::Text& text, const parallel_records::Request& request) {
    if (!request.block) refuse("`block` must be above 0");
    coco_file::File file;
    {
        Unlocked unlocked;
        file = coco_file::read(text, request);
    }
    return give_file(file);
}

nb::tuple coco_file_read(Flat<std::uint8_t> data, bool masks, bool spans, std::size_t block, std::size_t threads) {
    return read_coco_file({reinterpret_cast<const char*>(data.data()), data.size()}, {masks, spans, block, threads});
}

// The same of an open file. Raises OSError, and EOFError where the file is shorter than `size` bytes.
nb::tuple coco_file_read_open(int file, std::size_t size, bool masks, bool spans, std::size_t block,
                              std::size_t threads) try {
    return read_coco_file({nullptr, size, file}, {masks, spans, block, threads});
} catch (const text::Unreadable& failure) {
    errno = failure.error;
    if (failure.error)
        PyErr_SetFromErrno(PyExc_OSError);
    else
        PyErr_SetString(PyExc_EOFError, "the file is shorter than it was");
    throw nb::python_error();
}

// The number that the text is; None if it is not a number.
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

}  // namespace

void define_io(nb::module_& m) {
    define_names<json::Fault>(m, "json_fault_names");
    define_names<records::Kind>(m, "record_list_names");
    define_names<records::Field>(m, "record_field_names");
    m.def("file_bytes_read", &file_bytes_read, "file"_a, "size"_a, "threads"_a, "The first bytes of an open file.");
    m.def("coco_file_read", &coco_file_read, "data"_a.noconvert(), "masks"_a, "spans"_a, "block"_a, "threads"_a,
          nb::sig("def coco_file_read(data: NDArray[numpy.uint8], masks: bool, spans: bool, block: int, "
                  "threads: int) -> tuple[typing.Any, ...]"));
    m.def("coco_file_read_open", &coco_file_read_open, "file"_a, "size"_a, "masks"_a, "spans"_a, "block"_a, "threads"_a,
          nb::sig("def coco_file_read_open(file: int, size: int, masks: bool, spans: bool, block: int, "
                  "threads: int) -> tuple[typing.Any, ...]"));
    m.def("decimal", &decimal, "text"_a.noconvert(), "The number that the text is, or None.");
    m.def("json_fault", &json_fault, "text"_a.noconvert(), "What is wrong with a JSON text, and where.");
}

}  // namespace vesica::bind

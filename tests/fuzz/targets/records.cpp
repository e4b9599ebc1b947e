// records.cpp. Any bytes as a file of COCO: from memory and from a file, by one thread and several, in blocks of any
// size they give the same columns or the same error, and what is read can be read again alone. The first byte chooses
// the size of the blocks, the instruction set, and whether threads read them: waking these takes longer than the rest.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "input.hpp"
#include "io/coco/coco_file.hpp"
#include "io/json/json.hpp"

namespace {

using vesica::fuzz::hold;
using vesica::fuzz::Input;
namespace coco_file = vesica::coco_file;
namespace json = vesica::json;
namespace record_columns = vesica::record_columns;

// To the bit: a NaN is itself.
template <class T>
bool is_same(const record_columns::Column<T>& a, const record_columns::Column<T>& b) {
    return a.size() == b.size() && (!a.size() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(T)));
}

bool is_same(const record_columns::Ragged& a, const record_columns::Ragged& b) {
    return is_same(a.values, b.values) && is_same(a.offsets, b.offsets);
}

bool is_same(const record_columns::Table& a, const record_columns::Table& b) {
    return a.is_there == b.is_there && a.rows == b.rows && a.in_some == b.in_some && a.in_all == b.in_all &&
           a.first_odd == b.first_odd && is_same(a.given, b.given) && is_same(a.image, b.image) &&
           is_same(a.category, b.category) && is_same(a.id, b.id) && is_same(a.height, b.height) &&
           is_same(a.width, b.width) && is_same(a.segment_begin, b.segment_begin) &&
           is_same(a.segment_end, b.segment_end) && is_same(a.record_begin, b.record_begin) &&
           is_same(a.record_end, b.record_end) && is_same(a.box, b.box) && is_same(a.score, b.score) &&
           is_same(a.area, b.area) && is_same(a.crowd, b.crowd) && is_same(a.ignore, b.ignore) &&
           is_same(a.text, b.text) && is_same(a.names, b.names) && is_same(a.absent, b.absent) &&
           is_same(a.partial, b.partial) && a.texts == b.texts;
}

bool is_same(const coco_file::File& a, const coco_file::File& b) {
    const auto &p = a.error, &q = b.error;
    if (p.fault != q.fault) return false;
    if (p.fault != json::Fault::none)
        return p.at == q.at && p.kind == q.kind && p.record == q.record && p.field == q.field && p.detail == q.detail;
    return a.is_results == b.is_results && is_same(a.images, b.images) && is_same(a.annotations, b.annotations) &&
           is_same(a.categories, b.categories) && a.image_ids == b.image_ids && a.category_ids == b.category_ids &&
           a.unknown_image == b.unknown_image && a.unknown_category == b.unknown_category &&
           a.categories_text == b.categories_text;
}

bool is_value(const char* begin, const char* end) {
    json::Cursor cursor{begin, end};
    return json::skip_value(cursor, 0) && cursor.at == end;
}

// Columns have a row each, places lie in their tables, spans in the text.
void sound(const Input& input, const coco_file::File& file) {
    const record_columns::Table& rows = file.annotations;
    const std::size_t count = rows.rows;
    hold(!rows.box.size() || rows.box.size() == count, "a column has a row for each record");
    hold(!rows.score.size() || rows.score.size() == count, "a column has a row for each record");
    const auto lie_in = [&](const record_columns::Column<std::int32_t>& places, std::size_t most) {
        return std::all_of(places.data(), places.data() + places.size(),
                           [&](std::int32_t place) { return place >= -1 && place < static_cast<std::int64_t>(most); });
    };
    hold(lie_in(rows.image, file.image_ids.size()), "an image lies in its table");
    hold(lie_in(rows.category, file.category_ids.size()), "a category lies in its table");
    for (std::size_t k = 0; k < rows.record_begin.size(); ++k)
        hold(is_value(input.begin() + rows.record_begin[k], input.begin() + rows.record_end[k]),
             "a record is a value of its own");
    for (std::size_t k = 0; k < rows.segment_begin.size(); ++k) {
        hold(0 <= rows.segment_begin[k] && rows.segment_begin[k] <= rows.segment_end[k] &&
                 rows.segment_end[k] <= static_cast<std::int64_t>(rows.text.size()),
             "a segmentation lies in the kept text");
        const char *const begin = rows.text.data() + rows.segment_begin[k], *const end =
                                                                                rows.text.data() + rows.segment_end[k];
        hold(begin == end || is_value(begin, end), "a segmentation is a value of its own");
    }
}

// An open file in memory, which has the input.
int file_of(const Input& input) {
    static const int file = memfd_create("records", 0);
    hold(file >= 0 && !ftruncate(file, 0) &&
             pwrite(file, input.begin(), input.size(), 0) == static_cast<ssize_t>(input.size()),
         "the file can be written");
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (!size) return 0;
    const std::size_t block = 1 + data[0], threads = data[0] % 16 ? 1 : 2;
    const Input input(data + 1, size - 1);
    const vesica::text::Text memory{input.begin(), input.size()}, file{nullptr, input.size(), file_of(input)};
    const coco_file::File one = coco_file::read(memory, {true, true, std::size_t(1) << 20, 1});
    hold(one.error.at <= input.size(), "an error lies in the text");
    vesica::simd::limit(static_cast<vesica::simd::Level>(data[0] % 3));
    for (const vesica::text::Text& text : {memory, file})
        hold(is_same(one, coco_file::read(text, {true, true, block, threads})),
             "files, blocks, threads and instruction sets change nothing");
    vesica::simd::limit(vesica::simd::Level::avx512);
    if (one.error.fault != json::Fault::none) return 0;
    sound(input, one);
    const coco_file::File bare = coco_file::read(file, {false, false, block, 1});
    hold(bare.error.fault == json::Fault::none && is_same(bare.annotations.given, one.annotations.given),
         "what is kept does not change what is right");
    return 0;
}

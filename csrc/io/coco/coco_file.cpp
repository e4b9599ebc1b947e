#include "io/coco/coco_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "io/coco/records.hpp"
#include "io/json/json.hpp"

namespace vesica::coco_file {
namespace {

using json::Cursor;
using json::Fault;
using parallel_records::Error;
using parallel_records::Request;
using record_columns::Column;
using record_columns::Table;
using records::Field;
using records::Kind;

constexpr std::array<std::string_view, 3> list_names = {"images", "annotations", "categories"};

class Walk {
  public:
    Walk(const char* data, std::size_t size, const Request& request, File& out)
        : data_(data), cursor_{data, data + size}, request_(request), out_(out) {}

    void read();

  private:
    bool read_object();
    bool read_list(Kind kind);
    bool read_rest();
    bool failed() { return fault_ = {cursor_.fault, static_cast<std::size_t>(cursor_.where - data_)}, false; }
    Table& table(Kind kind) {
        return kind == Kind::images ? out_.images : kind == Kind::annotations ? out_.annotations : out_.categories;
    }

    const char* data_;
    Cursor cursor_;
    const Request& request_;
    File& out_;
    Error fault_;                   // of the text
    std::array<Error, 3> pending_;  // of what the lists mean; the last of equal keys counts
};

void Walk::read() {
    if (cursor_.end - cursor_.at >= 3 && std::memcmp(cursor_.at, "\xef\xbb\xbf", 3) == 0) cursor_.at += 3;
    json::skip_space(cursor_);
    const char first = cursor_.at == cursor_.end ? 0 : *cursor_.at;
    out_.is_results = first == '[';
    if (first == '{') {
        if (read_object()) read_rest();
    } else if (first == '[') {
        if (read_list(Kind::annotations)) read_rest();
    } else if (json::skip_value(cursor_, 0)) {
        fault_ = {Fault::no_table, 0};
    } else {
        failed();
    }
    // The first place of the file.
    for (const Error& error : {fault_, pending_[0], pending_[1], pending_[2]})
        if (error.fault != Fault::none && (out_.error.fault == Fault::none || error.at < out_.error.at))
            out_.error = error;
}

bool Walk::read_rest() {
    json::skip_space(cursor_);
    return cursor_.at == cursor_.end || (cursor_.fail(Fault::extra, cursor_.at), failed());
}

bool Walk::read_object() {
    ++cursor_.at;
    json::skip_space(cursor_);
    if (cursor_.at < cursor_.end && *cursor_.at == '}') return ++cursor_.at, true;
    for (;;) {
        if (!json::skip_mark(cursor_, '"')) return failed();
        const char* const key = cursor_.at;
        bool has_escapes = false;
        if (!json::skip_string(cursor_, has_escapes)) return failed();
        const std::string text = json::unescaped({key, static_cast<std::size_t>(cursor_.at - 1 - key)});
        if (!json::skip_mark(cursor_, ':')) return failed();
        json::skip_space(cursor_);
        const auto known = std::find(list_names.begin(), list_names.end(), text);
        if (known != list_names.end()) {
            if (!read_list(static_cast<Kind>(known - list_names.begin()))) return false;
        } else if (!json::skip_value(cursor_, 1)) {
            return failed();
        }
        json::skip_space(cursor_);
        if (cursor_.at < cursor_.end && *cursor_.at == '}') return ++cursor_.at, true;
        if (!json::skip_mark(cursor_, ',')) return failed();
    }
}

bool Walk::read_list(Kind kind) {
    const char* const begin = cursor_.at;
    const int depth = out_.is_results ? 0 : 1;
    Error& pending = pending_[static_cast<std::size_t>(kind)];
    pending = {};
    if (cursor_.at < cursor_.end && *cursor_.at == '[') {
        ++cursor_.at;
        const Error error = parallel_records::read(kind, depth + 1, request_, data_, cursor_, table(kind));
        if (error.fault > Fault::none && error.fault < Fault::not_a_list) return fault_ = error, false;
        if (error.fault != Fault::none) {
            // An equal key may follow, so the text goes on being read.
            pending = error;
            cursor_.at = begin;
            if (!json::skip_value(cursor_, depth)) return failed();
        }
    } else {
        table(kind) = Table();
        if (!json::skip_value(cursor_, depth)) return failed();
        pending = {Fault::not_a_list, static_cast<std::size_t>(begin - data_), static_cast<int>(kind)};
    }
    if (kind == Kind::categories) {
        out_.categories_begin = static_cast<std::size_t>(begin - data_);
        out_.categories_end = static_cast<std::size_t>(cursor_.at - data_);
    }
    return true;
}

// Each record of the list has an id, and no id comes twice.
void check_ids(const Table& table, Kind kind, Error& error) {
    const bool is_images = kind == Kind::images;
    const Column<std::int32_t>& places = is_images ? table.image : table.category;
    const Field field = is_images ? Field::image_id : Field::category_id;
    for (std::size_t row = 0; row < table.rows; ++row) {
        const std::int64_t place = places.size() ? places[row] : -1;
        if (place == static_cast<std::int64_t>(row)) continue;
        error = {place < 0 ? Fault::missing : Fault::repeated,
                 static_cast<std::size_t>(table.record_begin[row]),
                 static_cast<int>(kind),
                 static_cast<std::int64_t>(row),
                 static_cast<int>(field),
                 place};
        return;
    }
}

// The column points into the ids in which they came: let it point into `table`, or into its own ids in ascending order.
std::vector<ids::Id> settled(Column<std::int32_t>& column, const ids::Table& seen, const ids::Table* table,
                             std::int64_t& unknown) {
    std::vector<std::int32_t> place(seen.size());
    std::vector<ids::Id> ids = table ? table->ids() : seen.ids();
    if (table) {
        for (std::size_t k = 0; k < place.size(); ++k) place[k] = table->find(seen.ids()[k]);
    } else {
        std::vector<std::int32_t> order(seen.size());
        std::iota(order.begin(), order.end(), 0);
        const auto& all = seen.ids();
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return ids::comes_before(all[static_cast<std::size_t>(a)], all[static_cast<std::size_t>(b)]);
        });
        for (std::size_t k = 0; k < order.size(); ++k) {
            place[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
            ids[k] = all[static_cast<std::size_t>(order[k])];
        }
    }
    bool is_same = true;
    for (std::size_t k = 0; k < place.size(); ++k) is_same &= place[k] == static_cast<std::int32_t>(k);
    for (std::size_t row = 0; !is_same && row < column.size(); ++row) {
        if (column[row] < 0) continue;
        column[row] = place[static_cast<std::size_t>(column[row])];
        if (column[row] < 0 && unknown < 0) unknown = static_cast<std::int64_t>(row);
    }
    return ids;
}

}  // namespace

File read(const char* data, std::size_t size, const Request& request) {
    File out;
    Walk(data, size, request, out).read();
    if (out.error.fault != Fault::none) return out;
    check_ids(out.images, Kind::images, out.error);
    if (out.error.fault == Fault::none) check_ids(out.categories, Kind::categories, out.error);
    if (out.error.fault != Fault::none) return out;
    Table& rows = out.annotations;
    out.image_ids =
        settled(rows.image, rows.images, out.images.is_there ? &out.images.images : nullptr, out.unknown_image);
    out.category_ids = settled(rows.category, rows.categories,
                               out.categories.is_there ? &out.categories.categories : nullptr, out.unknown_category);
    return out;
}

}  // namespace vesica::coco_file

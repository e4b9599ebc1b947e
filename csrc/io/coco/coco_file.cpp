#include "io/coco/coco_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "base/partition.hpp"
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
using text::Text;
using text::Window;

constexpr std::array<std::string_view, 3> list_names = {"images", "annotations", "categories"};

constexpr std::size_t window_bytes = std::size_t(1) << 16, growth = 8;

class Walk {
  public:
    Walk(const Text& text, const Request& request, File& out)
        : text_(text), window_(text), cursor_{nullptr, nullptr}, request_(request), out_(out) {}

    void read();

  private:
    bool read_object();
    bool read_key(std::string& key);
    bool read_list(Kind kind);
    bool read_records(Kind kind, int depth);
    bool read_rest();
    template <class Step>
    bool take(const Step& step);
    bool skip_space();
    bool skip_value(int depth);
    void look_at(std::size_t place, std::size_t bytes);
    void go_to(std::size_t place) { look_at(place, std::min(window_bytes, request_.block)); }
    std::size_t place() const { return window_.place(cursor_.at); }
    bool is_at(char mark) const { return cursor_.at < cursor_.end && *cursor_.at == mark; }
    bool failed() { return fault_ = {cursor_.fault, window_.place(cursor_.where)}, false; }
    Table& table(Kind kind) {
        return kind == Kind::images ? out_.images : kind == Kind::annotations ? out_.annotations : out_.categories;
    }

    const Text& text_;
    Window window_;
    Cursor cursor_;  // in the window
    const Request& request_;
    File& out_;
    Error fault_;                   // of the text
    std::array<Error, 3> pending_;  // of what the lists mean; the last of equal keys counts
};

void Walk::look_at(std::size_t place, std::size_t bytes) {
    window_.show(place, place + bytes);
    cursor_ = {window_.at(place), window_.last()};
}

// Do the step, in a larger window where it came to the end of this one.
template <class Step>
bool Walk::take(const Step& step) {
    const std::size_t begin = place();
    for (std::size_t bytes = std::min(window_bytes, request_.block);; bytes *= growth) {
        const bool is_done = step();
        const bool is_certain =
            is_done ? cursor_.at < cursor_.end : json::is_certain(cursor_.fault, cursor_.where, cursor_.end);
        if (window_.ends_text() || is_certain) return is_done || failed();
        look_at(begin, bytes);
    }
}

bool Walk::skip_space() {
    return take([&] { return json::skip_space(cursor_), true; });
}

bool Walk::skip_value(int depth) {
    return take([&] { return json::skip_value(cursor_, depth); });
}

void Walk::read() {
    go_to(0);
    take([&] {
        if (cursor_.end - cursor_.at >= 3 && std::memcmp(cursor_.at, "\xef\xbb\xbf", 3) == 0) cursor_.at += 3;
        return json::skip_space(cursor_), true;
    });
    out_.is_results = is_at('[');
    if (is_at('{')) {
        if (read_object()) read_rest();
    } else if (out_.is_results) {
        if (read_list(Kind::annotations)) read_rest();
    } else if (skip_value(0)) {
        fault_ = {Fault::no_table, 0};
    }
    // The first place of the file.
    for (const Error& error : {fault_, pending_[0], pending_[1], pending_[2]})
        if (error.fault != Fault::none && (out_.error.fault == Fault::none || error.at < out_.error.at))
            out_.error = error;
}

bool Walk::read_rest() {
    skip_space();
    return cursor_.at == cursor_.end || (cursor_.fail(Fault::extra, cursor_.at), failed());
}

bool Walk::read_object() {
    ++cursor_.at;
    skip_space();
    if (is_at('}')) return ++cursor_.at, true;
    for (;;) {
        std::string key;
        if (!take([&] { return read_key(key); })) return false;
        const auto known = std::find(list_names.begin(), list_names.end(), key);
        if (known != list_names.end()) {
            if (!read_list(static_cast<Kind>(known - list_names.begin()))) return false;
        } else if (!skip_value(1)) {
            return false;
        }
        skip_space();
        if (is_at('}')) return ++cursor_.at, true;
        if (!json::skip_mark(cursor_, ',')) return failed();
    }
}

// A key, with the colon and the space behind it.
bool Walk::read_key(std::string& key) {
    if (!json::skip_mark(cursor_, '"')) return false;
    const char* const begin = cursor_.at;
    bool has_escapes = false;
    if (!json::skip_string(cursor_, has_escapes)) return false;
    key = json::unescaped({begin, static_cast<std::size_t>(cursor_.at - 1 - begin)});
    if (!json::skip_mark(cursor_, ':')) return false;
    return json::skip_space(cursor_), true;
}

bool Walk::read_list(Kind kind) {
    const std::size_t begin = place();
    const int depth = out_.is_results ? 0 : 1;
    pending_[static_cast<std::size_t>(kind)] = {};
    if (is_at('[')) {
        if (!read_records(kind, depth)) return false;
    } else {
        table(kind) = Table();
        if (!skip_value(depth)) return false;
        pending_[static_cast<std::size_t>(kind)] = {Fault::not_a_list, begin, static_cast<int>(kind)};
    }
    if (kind == Kind::categories) {
        const std::size_t end = place();
        look_at(begin, end - begin);
        out_.categories_text.assign(window_.at(begin), end - begin);
        go_to(end);
    }
    return true;
}

bool Walk::read_records(Kind kind, int depth) {
    const std::size_t begin = place();
    ++cursor_.at;
    skip_space();
    if (is_at(']')) {
        table(kind) = Table();
        table(kind).is_there = true;
        return ++cursor_.at, true;
    }
    std::size_t end = place();
    const Error error = parallel_records::read(kind, depth + 1, request_, text_, end, table(kind));
    if (error.fault > Fault::none && error.fault < Fault::not_a_list) return fault_ = error, false;
    if (error.fault == Fault::none) return go_to(end), true;
    // An equal key may follow, so the text goes on being read.
    pending_[static_cast<std::size_t>(kind)] = error;
    go_to(begin);
    return skip_value(depth);
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
// Those are taken out of their table.
ids::Ids settled(Column<std::int32_t>& column, ids::Table& seen, ids::Table* table, std::size_t threads,
                 std::int64_t& unknown) {
    ids::Ids ids = (table ? *table : seen).take_ids();
    std::vector<std::int32_t> place(table ? seen.size() : ids.size());
    if (table) {
        // Rows mostly come in the order of the table: then the next id needs no search.
        const ids::Ids& all = seen.ids();
        std::size_t next = 0;
        for (std::size_t k = 0; k < place.size(); ++k) {
            const bool is_next = next < ids.size() && ids[next] == all[k];
            place[k] = is_next ? static_cast<std::int32_t>(next) : table->find(all[k]);
            if (place[k] >= 0) next = static_cast<std::size_t>(place[k]) + 1;
        }
    } else {
        std::vector<std::int32_t> order(ids.size());
        std::iota(order.begin(), order.end(), 0);
        if (!std::is_sorted(ids.begin(), ids.end(), ids::comes_before)) {
            std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
                return ids::comes_before(ids[static_cast<std::size_t>(a)], ids[static_cast<std::size_t>(b)]);
            });
            ids::Ids sorted(ids.size());
            for (std::size_t k = 0; k < order.size(); ++k)
                sorted[k] = std::move(ids[static_cast<std::size_t>(order[k])]);
            ids = std::move(sorted);
        }
        for (std::size_t k = 0; k < order.size(); ++k)
            place[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
    }
    bool is_same = true;
    for (std::size_t k = 0; k < place.size(); ++k) is_same &= place[k] == static_cast<std::int32_t>(k);
    if (is_same) return ids;
    const partition::Chunks chunks(column.size(), threads);
    std::vector<std::int64_t> first_unknown(chunks.size(), -1);
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::int64_t first = -1;
        for (std::size_t row = begin; row < end; ++row) {
            if (column[row] < 0) continue;
            column[row] = place[static_cast<std::size_t>(column[row])];
            if (column[row] < 0 && first < 0) first = static_cast<std::int64_t>(row);
        }
        first_unknown[chunk] = first;
    });
    for (const std::int64_t first : first_unknown)
        if (unknown < 0) unknown = first;
    return ids;
}

}  // namespace

File read(const Text& text, const Request& request) {
    File out;
    Walk(text, request, out).read();
    if (out.error.fault != Fault::none) return out;
    check_ids(out.images, Kind::images, out.error);
    if (out.error.fault == Fault::none) check_ids(out.categories, Kind::categories, out.error);
    if (out.error.fault != Fault::none) return out;
    Table& rows = out.annotations;
    out.image_ids = settled(rows.image, rows.images, out.images.is_there ? &out.images.images : nullptr,
                            request.threads, out.unknown_image);
    out.category_ids =
        settled(rows.category, rows.categories, out.categories.is_there ? &out.categories.categories : nullptr,
                request.threads, out.unknown_category);
    return out;
}

}  // namespace vesica::coco_file

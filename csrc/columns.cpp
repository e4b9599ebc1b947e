#include "columns.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>

#include "threads.hpp"

#if !defined(_WIN32)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace vesica::columns {
namespace {

using json::Cursor;
using json::Fault;
using records::bit;
using records::Chunk;
using records::Field;
using records::Kind;
using records::Problem;
using records::Reader;
using records::Span;

// Tell the system what becomes of whole pages between two places of a mapped file.
void advise(const char* begin, const char* end, int advice) {
#if defined(_WIN32)
    (void)begin, (void)end, (void)advice;
#else
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(end) / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, advice);
#endif
}

// --- columns of one block behind those of the blocks before
// -----------------------------------------------------------

void append(Ragged& ragged, const std::vector<std::int64_t>& values, const Chunk& chunk,
            std::int64_t records::Row::* length) {
    std::int64_t end = static_cast<std::int64_t>(ragged.values.size());
    std::int64_t* const offsets = ragged.offsets.extend(chunk.count);
    for (std::size_t k = 0; k < chunk.count; ++k) offsets[k] = end += chunk.rows[k].*length;
    ragged.values.append(values.data(), values.size());
}

// A reader, and what the places of its own ids are in the whole list.
struct Worker {
    Reader reader;
    std::vector<std::int32_t> images, categories;

    // Ids are met in the order of their rows, whoever read them.
    void append_places(Column<std::int32_t>& column, bool is_image, ids::Table& table) {
        std::vector<std::int32_t>& known = is_image ? images : categories;
        const std::vector<ids::Id>& own = (is_image ? reader.images : reader.categories).ids();
        const auto local = is_image ? &records::Row::image : &records::Row::category;
        known.resize(own.size(), -1);
        const Chunk& chunk = reader.chunk;
        std::int32_t* const out = column.extend(chunk.count);
        for (std::size_t k = 0; k < chunk.count; ++k) {
            const std::int32_t place = chunk.rows[k].*local;
            out[k] = -1;
            if (place < 0) continue;
            std::int32_t& found = known[static_cast<std::size_t>(place)];
            if (found < 0) found = table.place(own[static_cast<std::size_t>(place)]);
            out[k] = found;
        }
    }
};

// One list of records.
class List {
  public:
    List(Kind kind, int depth, const Request& request, const char* data, Cursor& cursor, Table& out)
        : kind_(kind), depth_(depth), request_(request), data_(data), end_(cursor.end), out_(out) {
        out_ = Table();
        out_.is_there = true;
    }

    // Read it all; the cursor stands behind its bracket, and then behind the closing one.
    Error read(Cursor& cursor);

  private:
    struct Outcome {
        const char* stop = nullptr;  // the next record, or behind the bracket that closes the list
        bool is_closed = false;
        Problem problem;
    };

    const char* edge(std::size_t block) const {
        return block * request_.block < static_cast<std::size_t>(end_ - begin_) ? begin_ + block * request_.block
                                                                                : end_;
    }
    const char* guessed(const char* from, const char* to) const;
    Outcome read_block(Reader& reader, const char* from, const char* to);
    void work(std::size_t block);
    void take_turn(std::size_t block, Worker& worker, const char* from, Outcome outcome, std::size_t& first_row);
    void append(Worker& worker);
    void expect(const Chunk& chunk);
    void append_texts(const Chunk& chunk);
    void copy_texts(const Chunk& chunk, std::size_t first_row) const;
    std::unique_ptr<Worker> worker();

    Kind kind_;
    int depth_;
    const Request& request_;
    const char *data_, *begin_ = nullptr, *end_;
    Table& out_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t turn_ = 0;
    std::atomic<bool> is_over_{false};
    const char* next_ = nullptr;  // where the next record begins
    Outcome last_;
    std::vector<std::unique_ptr<Worker>> idle_;
};

Error List::read(Cursor& cursor) {
    json::skip_space(cursor);
    if (cursor.at < cursor.end && *cursor.at == ']') return ++cursor.at, Error{};
    begin_ = next_ = cursor.at;
    const auto size = static_cast<std::size_t>(end_ - begin_);
    if (request_.masks && kind_ == Kind::annotations) out_.text.reserve(size);
    threads::run(size / request_.block + 1, request_.threads, [this](std::size_t block) { work(block); });
    cursor.at = last_.stop;
    const Problem& problem = last_.problem;
    if (problem.fault == Fault::none) return {};
    return {problem.fault,
            static_cast<std::size_t>(problem.where - data_),
            static_cast<int>(kind_),
            static_cast<std::int64_t>(out_.rows),
            static_cast<int>(problem.field),
            problem.detail};
}

std::unique_ptr<Worker> List::worker() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) {
        const bool spans = request_.spans || kind_ != Kind::annotations;
        return std::make_unique<Worker>(Worker{Reader(kind_, depth_, spans), {}, {}});
    }
    std::unique_ptr<Worker> found = std::move(idle_.back());
    idle_.pop_back();
    return found;
}

void List::work(std::size_t block) try {
    if (is_over_) return;
    const char *const first = edge(block), *const last = edge(block + 1);
    std::unique_ptr<Worker> mine = worker();
    const char* const from = block ? guessed(first, last) : begin_;
    Outcome outcome;
    if (from) outcome = read_block(mine->reader, from, last);
    std::size_t first_row = SIZE_MAX;
    take_turn(block, *mine, from, outcome, first_row);
    if (request_.masks && first_row != SIZE_MAX) copy_texts(mine->reader.chunk, first_row);
#if !defined(_WIN32)
    if (request_.is_mapped) advise(first, last, MADV_DONTNEED);
#endif
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(mine));
} catch (...) {
    std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
    throw;
}

// The blocks before have been appended, so the true place of the next record is known.
void List::take_turn(std::size_t block, Worker& worker, const char* from, Outcome outcome, std::size_t& first_row) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == block || is_over_; });
    if (is_over_) return;
    if (next_ < edge(block + 1) || edge(block + 1) == end_) {  // the last one finds the end of the list, or its lack
        if (next_ != from) outcome = read_block(worker.reader, next_, edge(block + 1));
        first_row = out_.rows;
        append(worker);
        next_ = outcome.stop;
        if (outcome.is_closed || outcome.problem.fault != Fault::none) {
            last_ = outcome;
            is_over_ = true;
        }
    }
    ++turn_;
    changed_.notify_all();
}

// Where a record seems to begin: a brace behind a comma behind a brace.
const char* List::guessed(const char* from, const char* to) const {
    for (const char* at = from; at < to; ++at) {
        at = static_cast<const char*>(std::memchr(at, '{', static_cast<std::size_t>(to - at)));
        if (!at) return nullptr;
        const char* before = at - 1;
        while (before > begin_ && json::is_space(*before)) --before;
        if (before <= begin_ || *before != ',') continue;
        --before;
        while (before > begin_ && json::is_space(*before)) --before;
        if (*before == '}') return at;
    }
    return nullptr;
}

List::Outcome List::read_block(Reader& reader, const char* from, const char* to) {
    reader.chunk.clear();
    Cursor cursor{from, end_};
    for (;;) {
        if (!reader.read(cursor)) return {cursor.at, false, reader.problem};
        json::skip_space(cursor);
        if (cursor.at < end_ && *cursor.at == ']') return {cursor.at + 1, true, {}};
        if (!json::skip_mark(cursor, ',')) return {cursor.at, false, {cursor.fault, cursor.where}};
        json::skip_space(cursor);
        // Behind the last edge there is no other block, and at the end of the text no record.
        if (cursor.at >= to && to != end_) return {cursor.at, false, {}};
        if (is_over_.load(std::memory_order_relaxed)) return {cursor.at, false, {}};
    }
}

void List::append(Worker& worker) {
    const Chunk& chunk = worker.reader.chunk;
    const std::size_t before = out_.rows, count = chunk.count;
    if (!count) return;
    if (!before) expect(chunk);
    const std::uint32_t live = out_.in_some | chunk.in_some;
    // A column that begins here: the rows before do not have it.
    const auto begins = [&](Field field) { return (live & ~out_.in_some & bit(field)) != 0; };
    const auto plain = [&](auto& column, Field field, auto value) {
        if (begins(field)) column.fill(before, value(records::Row()));
        if (!(live & bit(field))) return;
        auto* const out = column.extend(count);
        for (std::size_t k = 0; k < count; ++k) out[k] = value(chunk.rows[k]);
    };
    const auto places = [&](Column<std::int32_t>& column, Field field, ids::Table& table) {
        if (begins(field)) column.fill(before, -1);
        if (live & bit(field)) worker.append_places(column, field == Field::image_id, table);
    };
    const auto ragged = [&](Ragged& column, Field field, const std::vector<std::int64_t>& values,
                            std::int64_t records::Row::* length) {
        if (begins(field)) column.offsets.fill(before + 1, 0);
        if (live & bit(field)) columns::append(column, values, chunk, length);
    };
    using Row = records::Row;
    places(out_.image, Field::image_id, out_.images);
    places(out_.category, Field::category_id, out_.categories);
    plain(out_.box, Field::box, [](const Row& row) { return Box{row.box[0], row.box[1], row.box[2], row.box[3]}; });
    plain(out_.score, Field::score, [](const Row& row) { return row.score; });
    plain(out_.id, Field::own_id, [](const Row& row) { return row.id; });
    plain(out_.area, Field::area, [](const Row& row) { return row.area; });
    plain(out_.crowd, Field::crowd, [](const Row& row) { return row.crowd; });
    plain(out_.ignore, Field::ignore, [](const Row& row) { return row.ignore; });
    plain(out_.height, Field::height, [](const Row& row) { return row.height; });
    plain(out_.width, Field::width, [](const Row& row) { return row.width; });
    ragged(out_.absent, Field::absent, chunk.absent, &Row::absent);
    ragged(out_.partial, Field::partial, chunk.partial, &Row::partial);
    std::uint16_t* const given = out_.given.extend(count);
    for (std::size_t k = 0; k < count; ++k) given[k] = chunk.rows[k].given;
    for (const Span& record : chunk.spans) {
        *out_.record_begin.extend(1) = record.begin - data_;
        *out_.record_end.extend(1) = record.end - data_;
    }
    for (const auto& [row, text] : chunk.texts) out_.texts.emplace_back(before + row, text);
    append_texts(chunk);
    out_.in_some = live;
    out_.in_all &= chunk.in_all;
    if (chunk.first_odd != SIZE_MAX && out_.first_odd == SIZE_MAX) out_.first_odd = before + chunk.first_odd;
    out_.rows += count;
}

// As many rows as there would be if all blocks had as many as the first, and some more.
void List::expect(const Chunk& chunk) {
    const auto read = static_cast<double>(std::min(edge(1), end_) - begin_);
    const double share = 1.02 * static_cast<double>(end_ - begin_) / read;
    const auto rows = static_cast<std::size_t>(share * static_cast<double>(chunk.count)) + 16;
    const auto reserve = [&](auto& column, Field field) {
        if (chunk.in_some & bit(field)) column.reserve(rows);
    };
    out_.given.reserve(rows);
    reserve(out_.image, Field::image_id);
    reserve(out_.category, Field::category_id);
    reserve(out_.id, Field::own_id);
    reserve(out_.box, Field::box);
    reserve(out_.score, Field::score);
    reserve(out_.area, Field::area);
    reserve(out_.crowd, Field::crowd);
    reserve(out_.ignore, Field::ignore);
    if (!request_.masks) return;
    reserve(out_.segment_begin, Field::segment);
    reserve(out_.segment_end, Field::segment);
}

// Names are copied, segmentations get their place.
void List::append_texts(const Chunk& chunk) {
    for (std::size_t k = 0; kind_ == Kind::images && k < chunk.count; ++k) {
        if (out_.rows + k) out_.names.fill(1, ',');
        const Span name = chunk.rows[k].text;
        if (name.begin)
            out_.names.append(name.begin, static_cast<std::size_t>(name.end - name.begin));
        else
            out_.names.append("null", 4);
    }
    if (!request_.masks || !((chunk.in_some | out_.in_some) & bit(Field::segment))) return;
    if (!(out_.in_some & bit(Field::segment))) {
        out_.segment_begin.fill(out_.rows, 0);
        out_.segment_end.fill(out_.rows, 0);
    }
    std::int64_t at = static_cast<std::int64_t>(out_.text.size());
    const std::int64_t start = at;
    std::int64_t* const begins = out_.segment_begin.extend(chunk.count);
    std::int64_t* const ends = out_.segment_end.extend(chunk.count);
    for (std::size_t k = 0; k < chunk.count; ++k) {
        begins[k] = at;
        at += chunk.rows[k].text.end - chunk.rows[k].text.begin;
        ends[k] = at;
    }
    out_.text.extend(static_cast<std::size_t>(at - start));
}

// Out of turn: all places are known, and the room was reserved before.
void List::copy_texts(const Chunk& chunk, std::size_t first_row) const {
    if (!(chunk.in_some & bit(Field::segment))) return;
    char* to;
    {
        std::lock_guard lock(mutex_);  // columns may move while others append
        to = out_.text.data() + out_.segment_begin[first_row];
    }
    for (std::size_t k = 0; k < chunk.count; ++k) {
        const Span span = chunk.rows[k].text;
        const auto length = static_cast<std::size_t>(span.end - span.begin);
        if (length) std::memcpy(to, span.begin, length);
        to += length;
    }
}

// --- the whole file
// ---------------------------------------------------------------------------------------------------

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
        const Error error = List(kind, depth + 1, request_, data_, cursor_, table(kind)).read(cursor_);
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

void* take(std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    constexpr std::size_t page = std::size_t(2) << 20;
    if (bytes >= 2 * page) {
        void* const data = std::aligned_alloc(page, (bytes + page - 1) / page * page);
        if (!data) throw std::bad_alloc();
        madvise(data, bytes, MADV_HUGEPAGE);
        return data;
    }
#endif
    void* const data = std::malloc(bytes);
    if (!data) throw std::bad_alloc();
    return data;
}

void give_back(void* data) noexcept {
    std::free(data);
}

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

}  // namespace vesica::columns

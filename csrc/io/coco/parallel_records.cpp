#include "io/coco/parallel_records.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/threads.hpp"

namespace vesica::parallel_records {
namespace {

using json::Cursor;
using json::Fault;
using record_columns::Box;
using record_columns::Column;
using record_columns::Ragged;
using record_columns::Table;
using records::bit;
using records::Chunk;
using records::Field;
using records::Kind;
using records::Problem;
using records::Reader;
using records::Span;

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

    // Ids are numbered in the order of their rows, whichever thread read them.
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
        if (!first_row && !outcome.is_closed) expect(worker.reader.chunk);
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
        if (live & bit(field)) parallel_records::append(column, values, chunk, length);
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
    if (!chunk.count) return;  // a text that ends at its bracket has no first block
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

}  // namespace

Error read(Kind kind, int depth, const Request& request, const char* data, Cursor& cursor, Table& out) {
    return List(kind, depth, request, data, cursor, out).read(cursor);
}

}  // namespace vesica::parallel_records

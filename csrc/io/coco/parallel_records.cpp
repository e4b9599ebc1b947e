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
using text::Text;
using text::Window;

constexpr std::size_t unknown = SIZE_MAX;  // a place in the text
// Bytes around a block that a window shows: before it, to see what stands before its first record, and behind it, for
// the rest of its last one. Where that is longer, more is shown.
constexpr std::size_t margin_before = 64, margin_behind = std::size_t(1) << 14, growth = 8;

void append(Ragged& ragged, const std::vector<std::int64_t>& values, const Chunk& chunk,
            std::int64_t records::Row::* length) {
    std::int64_t end = static_cast<std::int64_t>(ragged.values.size());
    std::int64_t* const offsets = ragged.offsets.extend(chunk.count);
    for (std::size_t k = 0; k < chunk.count; ++k) offsets[k] = end += chunk.rows[k].*length;
    ragged.values.append(values.data(), values.size());
}

// A reader with its window, and what the places of its own ids are in the whole list.
struct Worker {
    Reader reader;
    Window window;
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
    List(Kind kind, int depth, const Request& request, const Text& text, std::size_t place, Table& out)
        : kind_(kind), depth_(depth), request_(request), text_(text), begin_(place), next_(place), out_(out) {
        out_ = Table();
        out_.is_there = true;
    }

    // Read it all; `place` comes to stand behind the closing bracket.
    Error read(std::size_t& place);

  private:
    struct Outcome {
        std::size_t stop = unknown;  // the next record, or behind the bracket that closes the list
        bool is_closed = false;
        Problem problem;
        std::size_t where = unknown;  // of the problem
    };

    std::size_t edge(std::size_t block) const {
        return block * request_.block < text_.size - begin_ ? begin_ + block * request_.block : text_.size;
    }
    std::size_t margin() const { return std::min(margin_behind, request_.block); }
    std::size_t guessed(Window& window, std::size_t from, std::size_t to) const;
    Outcome read_guess(Worker& worker, std::size_t from, std::size_t to);
    Outcome read_block(Worker& worker, std::size_t from, std::size_t to);
    Outcome read_window(Worker& worker, std::size_t from, std::size_t to);
    void work(std::size_t block);
    void take_turn(std::size_t block, Worker& worker, std::size_t from, Outcome outcome, std::size_t& first_row);
    void append(Worker& worker);
    void expect(const Chunk& chunk);
    void append_texts(const Chunk& chunk);
    void copy_texts(const Chunk& chunk, std::size_t first_row) const;
    std::unique_ptr<Worker> worker();

    Kind kind_;
    int depth_;
    const Request& request_;
    const Text& text_;
    const std::size_t begin_;  // of the first record
    std::size_t next_;         // where the next record begins
    Table& out_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t turn_ = 0;
    std::atomic<bool> is_over_{false};
    Outcome last_;
    std::vector<std::unique_ptr<Worker>> idle_;
};

Error List::read(std::size_t& place) {
    const std::size_t size = text_.size - begin_;
    if (request_.masks && kind_ == Kind::annotations) out_.text.reserve(size);
    threads::run(size / request_.block + 1, request_.threads, [this](std::size_t block) { work(block); });
    place = last_.stop;
    const Problem& problem = last_.problem;
    if (problem.fault == Fault::none) return {};
    return {problem.fault,
            last_.where,
            static_cast<int>(kind_),
            static_cast<std::int64_t>(out_.rows),
            static_cast<int>(problem.field),
            problem.detail};
}

std::unique_ptr<Worker> List::worker() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) {
        const bool spans = request_.spans || kind_ != Kind::annotations;
        return std::unique_ptr<Worker>(new Worker{Reader(kind_, depth_, spans), Window(text_), {}, {}});
    }
    std::unique_ptr<Worker> found = std::move(idle_.back());
    idle_.pop_back();
    return found;
}

void List::work(std::size_t block) try {
    if (is_over_) return;
    const std::size_t first = edge(block), last = edge(block + 1);
    std::unique_ptr<Worker> mine = worker();
    mine->window.show(first - std::min(margin_before, first - begin_), last + margin());
    std::size_t from = block ? guessed(mine->window, first, last) : begin_;
    Outcome outcome;
    if (from != unknown) outcome = read_guess(*mine, from, last);
    if (outcome.stop == unknown) from = unknown;
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
void List::take_turn(std::size_t block, Worker& worker, std::size_t from, Outcome outcome, std::size_t& first_row) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == block || is_over_; });
    if (is_over_) return;
    if (next_ < edge(block + 1) ||
        edge(block + 1) == text_.size) {  // the last one finds the end of the list, or its lack
        if (next_ != from) outcome = read_block(worker, next_, edge(block + 1));
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
std::size_t List::guessed(Window& window, std::size_t from, std::size_t to) const {
    const char *const low = window.first(), *const end = window.at(to);
    for (const char* at = window.at(from); at < end; ++at) {
        at = static_cast<const char*>(std::memchr(at, '{', static_cast<std::size_t>(end - at)));
        if (!at) return unknown;
        const char* before = at - 1;
        while (before > low && json::is_space(*before)) --before;
        if (before <= low || *before != ',') continue;
        --before;
        while (before > low && json::is_space(*before)) --before;
        if (*before == '}') return window.place(at);
    }
    return unknown;
}

// A guess may be wrong, and then all that follows may look like one record: its end is not looked for beyond a block.
List::Outcome List::read_guess(Worker& worker, std::size_t from, std::size_t to) {
    for (std::size_t more = margin(); more <= request_.block; more *= growth) {
        worker.window.show(from, to + more);
        const Outcome outcome = read_window(worker, from, to);
        if (outcome.stop != unknown) return outcome;
    }
    return {};
}

List::Outcome List::read_block(Worker& worker, std::size_t from, std::size_t to) {
    for (std::size_t more = margin();; more *= growth) {
        worker.window.show(from, to + more);
        const Outcome outcome = read_window(worker, from, to);
        if (outcome.stop != unknown) return outcome;
    }
}

// The records that begin in [from, to). Nothing is known where the window ends too early.
List::Outcome List::read_window(Worker& worker, std::size_t from, std::size_t to) {
    Reader& reader = worker.reader;
    const Window& window = worker.window;
    reader.chunk.clear();
    Cursor cursor{window.at(from), window.last()};
    const auto failed = [&](const Problem& problem) {
        // A number at the end of the window may go on behind it, and be none.
        const bool is_cut = cursor.at == cursor.end || !json::is_certain(problem.fault, problem.where, window.last());
        if (is_cut && !window.ends_text()) return Outcome{};
        return Outcome{window.place(cursor.at), false, problem, window.place(problem.where)};
    };
    for (;;) {
        if (!reader.read(cursor)) return failed(reader.problem);
        json::skip_space(cursor);
        if (cursor.at < cursor.end && *cursor.at == ']') return {window.place(cursor.at + 1), true, {}};
        if (!json::skip_mark(cursor, ',')) return failed({cursor.fault, cursor.where});
        json::skip_space(cursor);
        if (cursor.at == cursor.end && !window.ends_text()) return {};
        // Behind the last edge there is no other block, and at the end of the text no record.
        const std::size_t place = window.place(cursor.at);
        if (place >= to && to != text_.size) return {place, false, {}};
        if (is_over_.load(std::memory_order_relaxed)) return {place, false, {}};
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
        *out_.record_begin.extend(1) = static_cast<std::int64_t>(worker.window.place(record.begin));
        *out_.record_end.extend(1) = static_cast<std::int64_t>(worker.window.place(record.end));
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
    const double share = 1.02 * static_cast<double>(text_.size - begin_) / static_cast<double>(edge(1) - begin_);
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

Error read(Kind kind, int depth, const Request& request, const Text& text, std::size_t& place, Table& out) {
    return List(kind, depth, request, text, place, out).read(place);
}

}  // namespace vesica::parallel_records

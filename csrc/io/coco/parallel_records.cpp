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
using records::not_given;
using records::Problem;
using records::Reader;
using records::Span;
using text::Text;
using text::Window;

constexpr std::size_t unknown = SIZE_MAX;  // a place in the text
// Bytes around a block that a window shows: before it, to see what stands before its first record, and behind it, for
// the rest of its last one. Where that is longer, more is shown.
constexpr std::size_t margin_before = 64, margin_behind = std::size_t(1) << 14, growth = 8;
// Blocks are smaller where threads are many, so that none has its last one to read when the others are done.
constexpr std::size_t blocks_of_a_thread = 6, least_block = std::size_t(1) << 17;
// A list of images or categories ends long before the text, at an unknown place, so threads share its first bytes. More
// than a few wait for each other, and read far behind its end.
constexpr std::size_t small_block = std::size_t(1) << 14, few_threads = 4;
// So many blocks of each thread may be read and wait for one before them: they hold memory. All of them and what is
// read from them, twice as much, stay in kept memory: no thread waits for fresh pages, nor for others that get some.
constexpr std::size_t blocks_ahead = 2, most_held = std::size_t(6) << 20;

std::size_t blocks_at_once(std::size_t threads) {
    return 1 + blocks_ahead * threads::at_least_one(threads);
}

void append(Ragged& ragged, const std::vector<std::int64_t>& values, const Chunk& chunk,
            std::int64_t records::Row::* length) {
    std::int64_t end = static_cast<std::int64_t>(ragged.values.size());
    std::int64_t* const offsets = ragged.offsets.extend(chunk.count);
    for (std::size_t k = 0; k < chunk.count; ++k) offsets[k] = end += chunk.rows[k].*length;
    ragged.values.append(values.data(), values.size());
}

// Some ids of one reader: what their places are in the whole list. Ids are numbered in the order of their rows,
// whichever thread read them.
class Places {
  public:
    // The ids of these rows that are not known yet, in the order in which they come.
    void look_for_new(const Chunk& chunk, std::int32_t records::Row::* local, const ids::Table& own) {
        known_.resize(own.size(), unknown_place);
        for (std::size_t k = 0; k < chunk.count; ++k) {
            const std::int32_t place = chunk.rows[k].*local;
            if (place < 0 || known_[static_cast<std::size_t>(place)] != unknown_place) continue;
            known_[static_cast<std::size_t>(place)] = new_place;
            new_.push_back(static_cast<std::size_t>(place));
        }
    }
    void add_to(ids::Table& table, const ids::Table& own) {
        for (const std::size_t place : new_) known_[place] = table.place(own.ids()[place]);
        new_.clear();
    }
    // These rows are not used.
    void forget_new() {
        for (const std::size_t place : new_) known_[place] = unknown_place;
        new_.clear();
    }
    std::int32_t operator[](std::int32_t place) const {
        return place < 0 ? -1 : known_[static_cast<std::size_t>(place)];
    }

  private:
    static constexpr std::int32_t unknown_place = -1, new_place = -2;
    std::vector<std::int32_t> known_;
    std::vector<std::size_t> new_;
};

// Where the rows of a chunk go; null for what there is no column of.
struct Room {
    std::uint16_t* given = nullptr;
    std::int32_t *image = nullptr, *category = nullptr;
    Box* box = nullptr;
    double *score = nullptr, *area = nullptr;
    std::int64_t *id = nullptr, *height = nullptr, *width = nullptr;
    std::uint8_t *crowd = nullptr, *ignore = nullptr;
    std::int64_t *segment_begin = nullptr, *segment_end = nullptr;
    char* text = nullptr;
    std::int64_t text_place = 0;
};

// A reader with its window, and what its ids are in the whole list.
struct Worker {
    Reader reader;
    Window window;
    Places images, categories;
    std::int64_t text_length = 0;  // of the segmentations of its rows

    // What can be told of the rows before it is known where they go.
    void prepare() {
        const Chunk& chunk = reader.chunk;
        images.look_for_new(chunk, &records::Row::image, reader.images);
        categories.look_for_new(chunk, &records::Row::category, reader.categories);
        text_length = 0;
        for (std::size_t k = 0; k < chunk.count; ++k) text_length += chunk.rows[k].text.end - chunk.rows[k].text.begin;
    }
    void forget() { images.forget_new(), categories.forget_new(); }
    void write(const Room& room) const;
};

void Worker::write(const Room& room) const {
    using Row = records::Row;
    const Row* const rows = reader.chunk.rows.data();
    const std::size_t count = reader.chunk.count;
    const auto each = [&](auto* to, const auto& value) {
        if (!to) return;
        for (std::size_t k = 0; k < count; ++k) to[k] = value(rows[k]);
    };
    each(room.given, [](const Row& row) { return row.given; });
    each(room.image, [&](const Row& row) { return images[row.image]; });
    each(room.category, [&](const Row& row) { return categories[row.category]; });
    each(room.box, [](const Row& row) { return Box{row.box[0], row.box[1], row.box[2], row.box[3]}; });
    each(room.score, [](const Row& row) { return row.score; });
    each(room.id, [](const Row& row) { return row.id; });
    each(room.area, [](const Row& row) { return row.area; });
    each(room.crowd, [](const Row& row) { return row.crowd; });
    each(room.ignore, [](const Row& row) { return row.ignore; });
    each(room.height, [](const Row& row) { return row.height; });
    each(room.width, [](const Row& row) { return row.width; });
    if (!room.segment_begin) return;
    std::int64_t place = room.text_place;
    for (std::size_t k = 0; k < count; ++k) {
        const Span text = rows[k].text;
        const auto length = static_cast<std::size_t>(text.end - text.begin);
        if (length) std::memcpy(room.text + (place - room.text_place), text.begin, length);
        room.segment_begin[k] = place;
        room.segment_end[k] = place += static_cast<std::int64_t>(length);
    }
}

// One list of records.
class List {
  public:
    List(Kind kind, int depth, const Request& request, const Text& text, std::size_t place, Table& out)
        : kind_(kind),
          depth_(depth),
          request_(request),
          text_(text),
          begin_(place),
          block_(std::min(request.block, block_of(kind, text.size - place, threads::at_least_one(request.threads)))),
          next_(place),
          out_(out),
          read_(blocks_at_once(request.threads)) {
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

    // A block that was read: by whom, and from where on if the guess was right; `unknown` if nothing was read.
    struct ReadBlock {
        std::unique_ptr<Worker> worker;
        std::size_t from = unknown;
        Outcome outcome;
    };
    // Rows that have got their places, and are to be written there.
    struct Placed {
        std::unique_ptr<Worker> worker;
        Room room;
    };

    static std::size_t block_of(Kind kind, std::size_t size, std::size_t threads) {
        if (kind != Kind::annotations && threads > 1) return small_block;
        return std::max(least_block,
                        std::min(size / (blocks_of_a_thread * threads), most_held / blocks_at_once(threads)));
    }
    std::size_t edge(std::size_t block) const {
        return block * block_ < text_.size - begin_ ? begin_ + block * block_ : text_.size;
    }
    ReadBlock& read_at(std::size_t block) { return read_[block % read_.size()]; }
    std::size_t margin() const { return std::min(margin_behind, block_); }
    std::size_t guessed(Window& window, std::size_t from, std::size_t to) const;
    ReadBlock read_guess(std::size_t block);
    Outcome read_guess(Worker& worker, std::size_t from, std::size_t to);
    Outcome read_block(Worker& worker, std::size_t from, std::size_t to);
    Outcome read_window(Worker& worker, std::size_t from, std::size_t to);
    void work(std::size_t block);
    bool may_begin(std::size_t block);
    void place_blocks(std::unique_lock<std::mutex>& lock);
    bool place(std::size_t block, ReadBlock& read, Room& room);
    void write_placed(std::unique_lock<std::mutex>& lock);
    void wait_for_writers();
    Room append(Worker& worker);
    void expect(const Chunk& chunk);
    void append_names(const Chunk& chunk);
    template <class Each>
    void each_column(const Each& each);
    std::unique_ptr<Worker> worker();

    Kind kind_;
    int depth_;
    const Request& request_;
    const Text& text_;
    const std::size_t begin_;  // of the first record
    const std::size_t block_;  // bytes
    // One thread at a time gives blocks their places: these are its own.
    std::size_t next_;  // where the next record begins
    Table& out_;
    Outcome last_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<ReadBlock> read_;  // those that wait for their places: see read_at
    std::vector<Placed> placed_;
    std::size_t turn_ = 0;     // the first block without a place
    std::size_t writers_ = 0;  // rows that are placed and not yet written, in blocks: their columns must not move
    bool is_placing_ = false;
    std::atomic<bool> is_over_{false};
    std::vector<std::unique_ptr<Worker>> idle_;
};

Error List::read(std::size_t& place) {
    const std::size_t size = text_.size - begin_;
    if (request_.masks && kind_ == Kind::annotations) out_.text.reserve(size);
    const std::size_t most = kind_ == Kind::annotations ? request_.threads : few_threads;
    threads::run(size / block_ + 1, std::min(request_.threads, most), [this](std::size_t block) { work(block); });
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

// No thread waits for the block before: a block that has no place yet is left to the thread that reads the one before.
void List::work(std::size_t block) try {
    if (is_over_.load(std::memory_order_relaxed) || !may_begin(block)) return;
    ReadBlock read = read_guess(block);
    std::unique_lock lock(mutex_);
    read_at(block) = std::move(read);
    if (!is_placing_) place_blocks(lock);
    while (!placed_.empty()) write_placed(lock);
} catch (...) {
    std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
    throw;
}

bool List::may_begin(std::size_t block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return block < turn_ + read_.size() || is_over_; });
    return !is_over_;
}

// Give every block a place that was read and follows those that have one.
void List::place_blocks(std::unique_lock<std::mutex>& lock) {
    is_placing_ = true;
    while (!is_over_ && read_at(turn_).worker) {
        ReadBlock read = std::move(read_at(turn_));
        lock.unlock();
        Room room;
        const bool is_used = place(turn_, read, room);
        lock.lock();
        if (is_used)
            placed_.push_back({std::move(read.worker), room}), ++writers_;
        else
            idle_.push_back(std::move(read.worker));
        ++turn_;
        changed_.notify_all();
    }
    is_placing_ = false;
}

// The blocks before have got their places, so the true place of the next record is known. False where nothing of the
// block is used; else its rows are to be written to `room`.
bool List::place(std::size_t block, ReadBlock& read, Room& room) {
    // The last block finds the end of the list, or that it is missing.
    const bool is_used = next_ < edge(block + 1) || edge(block + 1) == text_.size;
    Worker& worker = *read.worker;
    if (!is_used || next_ != read.from) worker.forget();
    if (!is_used) return false;
    if (next_ != read.from) read.outcome = read_block(worker, next_, edge(block + 1)), worker.prepare();
    if (!out_.rows && !read.outcome.is_closed) expect(worker.reader.chunk);
    room = append(worker);
    next_ = read.outcome.stop;
    if (read.outcome.is_closed || read.outcome.problem.fault != Fault::none) {
        last_ = read.outcome;
        is_over_ = true;
    }
    return true;
}

void List::write_placed(std::unique_lock<std::mutex>& lock) {
    Placed mine = std::move(placed_.back());
    placed_.pop_back();
    lock.unlock();
    mine.worker->write(mine.room);
    lock.lock();
    idle_.push_back(std::move(mine.worker));
    if (!--writers_) changed_.notify_all();
}

// Before columns move in memory: until no thread writes to them.
void List::wait_for_writers() {
    std::unique_lock lock(mutex_);
    while (!placed_.empty()) write_placed(lock);
    changed_.wait(lock, [&] { return !writers_ || is_over_; });
}

List::ReadBlock List::read_guess(std::size_t block) {
    ReadBlock read{worker(), unknown, {}};
    Worker& mine = *read.worker;
    const std::size_t first = edge(block), last = edge(block + 1);
    mine.window.show(first - std::min(margin_before, first - begin_), last + margin());
    const std::size_t from = block ? guessed(mine.window, first, last) : begin_;
    if (from != unknown) read.outcome = read_guess(mine, from, last);
    if (read.outcome.stop == unknown) return read;
    read.from = from;
    mine.prepare();
    return read;
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
    for (std::size_t more = margin(); more <= block_; more *= growth) {
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

// Columns whose rows are written out of turn: each(column, field, what a record has that lacks it, its place in a
// room).
template <class Each>
void List::each_column(const Each& each) {
    using Row = records::Row;
    const Row lacking;
    each(out_.image, Field::image_id, std::int32_t(-1), &Room::image);
    each(out_.category, Field::category_id, std::int32_t(-1), &Room::category);
    each(out_.box, Field::box, Box{not_given, not_given, not_given, not_given}, &Room::box);
    each(out_.score, Field::score, lacking.score, &Room::score);
    each(out_.id, Field::own_id, lacking.id, &Room::id);
    each(out_.area, Field::area, lacking.area, &Room::area);
    each(out_.crowd, Field::crowd, lacking.crowd, &Room::crowd);
    each(out_.ignore, Field::ignore, lacking.ignore, &Room::ignore);
    each(out_.height, Field::height, lacking.height, &Room::height);
    each(out_.width, Field::width, lacking.width, &Room::width);
    if (!request_.masks) return;
    each(out_.segment_begin, Field::segment, std::int64_t(0), &Room::segment_begin);
    each(out_.segment_end, Field::segment, std::int64_t(0), &Room::segment_end);
}

// Make room for the rows, and append what there is little of.
Room List::append(Worker& worker) {
    const Chunk& chunk = worker.reader.chunk;
    const std::size_t before = out_.rows, count = chunk.count;
    Room room;
    if (!count) return room;
    const std::uint32_t live = out_.in_some | chunk.in_some;
    // A column that begins here: the rows before do not have it.
    const auto begins = [&](Field field) { return (live & ~out_.in_some & bit(field)) != 0; };
    const auto rows_of = [&](Field field) { return begins(field) ? before + count : count; };
    bool is_room = out_.given.has_room(count);
    each_column([&](const auto& column, Field field, const auto&, auto) {
        if (live & bit(field)) is_room &= column.has_room(rows_of(field));
    });
    if (!is_room) wait_for_writers();
    if (is_over_) return room;  // another thread failed: the room is not used

    room.given = out_.given.extend(count);
    each_column([&](auto& column, Field field, const auto& lacking, auto in_room) {
        if (begins(field)) column.fill(before, lacking);
        if (live & bit(field)) room.*in_room = column.extend(count);
    });
    if (room.segment_begin) {
        room.text_place = static_cast<std::int64_t>(out_.text.size());
        room.text = out_.text.extend(static_cast<std::size_t>(worker.text_length));  // which was reserved before
    }
    worker.images.add_to(out_.images, worker.reader.images);
    worker.categories.add_to(out_.categories, worker.reader.categories);

    const auto ragged = [&](Ragged& column, Field field, const std::vector<std::int64_t>& values,
                            std::int64_t records::Row::* length) {
        if (begins(field)) column.offsets.fill(before + 1, 0);
        if (live & bit(field)) parallel_records::append(column, values, chunk, length);
    };
    ragged(out_.absent, Field::absent, chunk.absent, &records::Row::absent);
    ragged(out_.partial, Field::partial, chunk.partial, &records::Row::partial);
    for (const Span& record : chunk.spans) {
        *out_.record_begin.extend(1) = static_cast<std::int64_t>(worker.window.place(record.begin));
        *out_.record_end.extend(1) = static_cast<std::int64_t>(worker.window.place(record.end));
    }
    for (const auto& [row, text] : chunk.texts) out_.texts.emplace_back(before + row, text);
    if (kind_ == Kind::images) append_names(chunk);
    out_.in_some = live;
    out_.in_all &= chunk.in_all;
    if (chunk.first_odd != SIZE_MAX && out_.first_odd == SIZE_MAX) out_.first_odd = before + chunk.first_odd;
    out_.rows += count;
    return room;
}

// As many rows as there would be if all blocks had as many as the first, and some more: what is not used takes no
// memory.
void List::expect(const Chunk& chunk) {
    if (!chunk.count) return;  // a text that ends at its bracket has no first block
    const double share = 1.15 * static_cast<double>(text_.size - begin_) / static_cast<double>(edge(1) - begin_);
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

void List::append_names(const Chunk& chunk) {
    for (std::size_t k = 0; k < chunk.count; ++k) {
        if (out_.rows + k) out_.names.fill(1, ',');
        const Span name = chunk.rows[k].text;
        if (name.begin)
            out_.names.append(name.begin, static_cast<std::size_t>(name.end - name.begin));
        else
            out_.names.append("null", 4);
    }
}

}  // namespace

Error read(Kind kind, int depth, const Request& request, const Text& text, std::size_t& place, Table& out) {
    return List(kind, depth, request, text, place, out).read(place);
}

}  // namespace vesica::parallel_records

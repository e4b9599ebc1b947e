#include "regions/labels/labels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <iterator>
#include <limits>
#include <memory>

#include "base/interrupt.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"
#include "regions/labels/label_changes.hpp"
#include "regions/labels/label_codes.hpp"

namespace vesica::labels {
namespace {

// With more changes than this in a block, counting each pixel is cheaper than counting runs.
constexpr std::size_t many = 16;
// Consecutive pixels go to different tables: adding to a number that was just written has to wait for it.
constexpr std::size_t tables = 8;
// A larger table has fewer copies, which have to be cleared and added up.
constexpr std::size_t small = 1 << 13, few_tables = 4;

// ---- any labels

// Counts by pair of labels: open addressing, never more than half full.
class Meetings {
  public:
    void add(std::int64_t a, std::int64_t b, std::int64_t count) {
        if (slots_.empty()) slots_.resize(64);
        Meeting& slot = find(a, b);
        if (slot.count == 0) {
            slot.a = a, slot.b = b;
            if (2 * ++used_ > slots_.size()) return grow({a, b, count});
        }
        slot.count += count;
    }

    bool is_empty() const { return used_ == 0; }

    std::vector<Meeting> list() const {
        std::vector<Meeting> all;
        all.reserve(used_);
        for (const Meeting& slot : slots_)
            if (slot.count) all.push_back(slot);
        return all;
    }

  private:
    Meeting& find(std::int64_t a, std::int64_t b) {
        const std::size_t mask = slots_.size() - 1;
        std::uint64_t hash = static_cast<std::uint64_t>(a) * 0x9e3779b97f4a7c15u;
        hash = (std::rotl(hash, 32) ^ static_cast<std::uint64_t>(b)) * 0xd6e8feb86659fd93u;
        for (std::size_t k = hash >> 32 & mask;; k = (k + 1) & mask) {
            Meeting& slot = slots_[k];
            if (slot.count == 0 || (slot.a == a && slot.b == b)) return slot;
        }
    }

    void grow(const Meeting& newest) {
        std::vector<Meeting> old = list();
        slots_.assign(2 * slots_.size(), Meeting{});
        for (const Meeting& each : old) find(each.a, each.b) = each;
        find(newest.a, newest.b) = newest;
    }

    std::vector<Meeting> slots_;
    std::size_t used_ = 0;
};

// Runs of equal pairs, counted by their labels: label_a(k) and label_b(k) of pixel k.
template <class LabelA, class LabelB>
void tally_any(const LabelA& label_a, const LabelB& label_b, std::size_t count, const Changes& changes,
               Meetings& meetings) {
    std::size_t start = 0;
    const auto end_run = [&](std::size_t at) {
        meetings.add(label_a(at - 1), label_b(at - 1), static_cast<std::int64_t>(at - start));
        start = at;
    };
    for (std::size_t w = 0; w * block < count - 1; ++w)
        for (std::uint64_t word = changes[w]; word; word &= word - 1)
            end_run(w * block + 1 + static_cast<std::size_t>(std::countr_zero(word)));
    end_run(count);
}

// ---- labels that fit a byte

// Where the labels of one side stand in the table. The last byte is often the label to ignore: one further on, it is 0
// and the table is small.
struct Window {
    std::int64_t base = 0;                // of the label whose byte is 0
    const std::int64_t* names = nullptr;  // or the label of each byte, where they have been numbered
    Tops tops{};                          // of all bytes so far
    bool is_new = true;

    Byte shift() const { return tops.shifted < tops.plain; }
    std::size_t size() const { return is_new ? 0 : std::min(tops.plain, tops.shifted) + std::size_t(1); }
    std::int64_t label_of(Byte byte) const { return names ? names[byte] : base + byte; }
    std::int64_t label(std::size_t place) const { return label_of(static_cast<Byte>(place - shift())); }
    // The places in the order of their bytes: the first may be that of the last byte.
    std::size_t place(std::size_t rank) const { return rank + shift() < size() ? rank + shift() : 0; }
    bool stands_as(const Window& other) const {
        return base == other.base && names == other.names && shift() == other.shift() && size() == other.size();
    }
};

template <class T>
struct FindRange {
    static VESICA_INLINE void body(const T* data, std::size_t count, T* range) {
        T low = data[0], high = data[0];
        for (std::size_t k = 0; k < count; ++k) low = std::min(low, data[k]), high = std::max(high, data[k]);
        range[0] = low, range[1] = high;
    }
};

template <class T>
struct Narrow {
    static VESICA_INLINE void body(const T* data, std::size_t count, T base, Byte* out) {
        for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<Byte>(data[k] - base);
    }
};

// One map, a piece at a time: as bytes if the labels of the piece fit, otherwise as they are.
class Side {
  public:
    explicit Side(const Map& map) : map_(map) {}

    void move_to(std::size_t begin, std::size_t count) {
        begin_ = begin, count_ = count, low_ = 0, high_ = 255;
        if (map_.type == Type::uint8) return;
        if (is_numbered_) {  // the labels before were numbered, and these will be: their range is not asked for
            low_ = std::numeric_limits<std::int64_t>::min(), high_ = std::numeric_limits<std::int64_t>::max();
            return;
        }
        with_type(map_.type, [&]<class T>(T) {
            T range[2];
            simd::run<FindRange<T>>(at<T>(), count_, static_cast<T*>(range));
            low_ = range[0], high_ = range[1];
        });
    }

    bool fits() const { return distance(low_, high_) <= 255; }

    // The piece as bytes, and a window for it: the one given if possible, or a new one. Its tops are still to be added.
    const Byte* bytes(Window& window) {
        const Byte* bytes = at<Byte>();
        if (map_.type != Type::uint8) {
            if (window.is_new || window.names || low_ < window.base || distance(window.base, high_) > 255)
                window = {.base = low_};
            narrow_.resize(piece);
            bytes = narrow_.data();
            with_type(map_.type, [&]<class T>(T) {
                simd::run<Narrow<T>>(at<T>(), count_, static_cast<T>(window.base), narrow_.data());
            });
        }
        window.is_new = false;
        return bytes;
    }

    // The piece as numbers of its labels, and a window that names them; null if there are too many.
    const Byte* numbers(const std::int64_t* labels, Window& window) {
        if (is_many_) return nullptr;
        narrow_.resize(piece);
        is_numbered_ = numbers_.write(labels, count_, narrow_.data());
        if (!is_numbered_) {
            is_many_ = true;
            return nullptr;
        }
        if (window.names != numbers_.names()) window = {.names = numbers_.names()};
        window.is_new = false;
        return narrow_.data();
    }

    const std::int64_t* any() {
        if (map_.type == Type::int64) return at<std::int64_t>();
        wide_.resize(piece);
        with_type(map_.type, [&]<class T>(T) { std::copy_n(at<T>(), count_, wide_.begin()); });
        return wide_.data();
    }

  private:
    // From one label to one that is not smaller, whatever they are.
    static std::uint64_t distance(std::int64_t low, std::int64_t high) {
        return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    }

    template <class T>
    const T* at() const {
        return static_cast<const T*>(map_.data) + begin_;
    }

    Map map_;
    std::size_t begin_ = 0, count_ = 0;
    std::int64_t low_ = 0, high_ = 0;
    std::vector<Byte> narrow_;
    std::vector<std::int64_t> wide_;
    Numbers numbers_;
    bool is_numbered_ = false;  // the last piece that had numbers
    bool is_many_ = false;      // labels, too many for numbers
};

// Is nearly every pixel another pair than the one before? Told by a few blocks: no answer depends on it, only how soon
// it comes.
struct LooksBusy {
    static constexpr std::size_t samples = 8;

    template <class T>
    static VESICA_INLINE void body(const T* a, const T* b, std::size_t count, bool* is_busy) {
        std::size_t busy = 0;
        for (std::size_t s = 0; s < samples; ++s) {
            const std::size_t first = (count - block - 1) / samples * s;
            const T *const pa = a + first, *const pb = b + first;
            std::uint8_t changes = 0;  // up to `block` of them
            for (std::size_t k = 0; k < block; ++k)
                changes = static_cast<std::uint8_t>(changes + ((pa[k + 1] != pa[k]) | (pb[k + 1] != pb[k])));
            busy += changes >= many;
        }
        *is_busy = 4 * busy >= 3 * samples;
    }
};

// The place of each pair in the table, for pairs that are looked up here and there.
struct Lookup {
    const Byte *a, *b;
    Byte shift_a, shift_b;
    std::uint16_t width;

    VESICA_INLINE std::uint16_t operator()(std::size_t k) const {
        const Byte x = static_cast<Byte>(a[k] + shift_a), y = static_cast<Byte>(b[k] + shift_b);
        return static_cast<std::uint16_t>(x * width + y);  // 255 · 256 + 255 fits
    }
};

// The same, for many pixels at a time: a short loop would wait for what it has just written.
struct Write {
    static VESICA_INLINE void body(const Lookup& place, std::size_t count, std::uint16_t* out) {
        const Lookup copy = place;  // so that the compiler knows it is not overwritten
        for (std::size_t k = 0; k < count; ++k) out[k] = copy(k);
    }
};

// Every pixel by itself.
struct TallyEach {
    static VESICA_INLINE void body(const std::uint16_t* VESICA_RESTRICT places, std::size_t count, std::uint32_t* table,
                                   std::size_t size, std::size_t copies) {
        std::uint32_t* lanes[tables];
        for (std::size_t lane = 0; lane < tables; ++lane) lanes[lane] = table + lane % copies * size;
        std::size_t k = 0;
        for (; k + tables <= count; k += tables)
            for (std::size_t lane = 0; lane < tables; ++lane) ++lanes[lane][places[k + lane]];
        for (; k < count; ++k) ++table[places[k]];
    }
};

// Runs of equal pairs; where a block has many, each pixel by itself.
struct Tally {
    static VESICA_INLINE void body(const Lookup& place_of, std::size_t count, const std::uint64_t* changes,
                                   std::uint32_t* table, std::size_t size, std::size_t copies) {
        const Lookup place = place_of;
        std::uint32_t* lanes[tables];
        for (std::size_t lane = 0; lane < tables; ++lane) lanes[lane] = table + lane % copies * size;
        std::size_t start = 0;  // the first pixel that is not counted yet; it and those up to here are equal
        for (std::size_t w = 0; w * block < count - 1; ++w) {
            std::uint64_t word = changes[w];
            const std::size_t first = w * block + 1;
            if (static_cast<std::size_t>(std::popcount(word)) < many || first + block > count) {
                for (; word; word &= word - 1) {
                    const std::size_t at = first + static_cast<std::size_t>(std::countr_zero(word));
                    lanes[at % tables][place(at - 1)] += static_cast<std::uint32_t>(at - start);
                    start = at;
                }
                continue;
            }
            lanes[0][place(first - 1)] += static_cast<std::uint32_t>(first - start);
            for (std::size_t k = first; k < first + block; k += tables)
                for (std::size_t lane = 0; lane < tables; ++lane) ++lanes[lane][place(k + lane)];
            start = first + block;
        }
        if (start < count) lanes[0][place(count - 1)] += static_cast<std::uint32_t>(count - start);
    }
};

// Some of the pixels, counted by one thread.
class Part {
  public:
    Part(const Map& a, const Map& b) : a_(a), b_(b) {}

    void add(std::size_t begin, std::size_t count) {
        Changes changes;
        a_.move_to(begin, count), b_.move_to(begin, count);
        Window left = left_, right = right_;
        if (a_.fits() && b_.fits()) {
            const Byte *a = a_.bytes(left), *b = b_.bytes(right);
            if (looks_busy(a, b, count)) {
                add_tops(a, count, left.tops), add_tops(b, count, right.tops);
                return add_bytes(a, left, b, right, count, nullptr);
            }
            find_changes(a, b, count, changes, left.tops, right.tops);
            return add_bytes(a, left, b, right, count, &changes);
        }
        const std::int64_t *a = a_.any(), *b = b_.any();
        if (looks_busy(a, b, count)) {
            const Byte* const numbers_a = a_.fits() ? a_.bytes(left) : a_.numbers(a, left);
            const Byte* const numbers_b = b_.fits() ? b_.bytes(right) : b_.numbers(b, right);
            if (numbers_a && numbers_b) {
                add_tops(numbers_a, count, left.tops), add_tops(numbers_b, count, right.tops);
                return add_bytes(numbers_a, left, numbers_b, right, count, nullptr);
            }
        }
        find_changes(a, b, count, changes);
        tally_any([&](std::size_t k) { return a[k]; }, [&](std::size_t k) { return b[k]; }, count, changes, meetings_);
    }

    // Nothing more is to be counted: one copy of the table is enough, and soon read by another thread.
    void finish() {
        const std::size_t size = left_.size() * right_.size();
        for (std::size_t lane = size; lane < table_.size(); lane += size)
            for (std::size_t k = 0; k < size; ++k) table_[k] += table_[lane + k];
        table_.resize(size);
    }

    // What another part has counted; both are finished.
    void add(Part& other) {
        if (left_.stands_as(other.left_) && right_.stands_as(other.right_) && counted_ + other.counted_ <= most) {
            for (std::size_t k = 0; k < table_.size(); ++k) table_[k] += other.table_[k];
            counted_ += other.counted_;
        } else {
            other.flush();
        }
        if (other.meetings_.is_empty()) return;
        for (const Meeting& each : other.meetings_.list()) meetings_.add(each.a, each.b, each.count);
    }

    // All pairs, sorted.
    std::vector<Meeting> list() {
        std::vector<Meeting> all;
        if (meetings_.is_empty()) {
            each_of_table([&](std::int64_t a, std::int64_t b, std::int64_t pixels) { all.push_back({a, b, pixels}); });
        } else {
            flush();
            all = meetings_.list();
        }
        const auto before = [](const Meeting& x, const Meeting& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; };
        if (!std::is_sorted(all.begin(), all.end(), before)) std::sort(all.begin(), all.end(), before);
        return all;
    }

  private:
    static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();

    template <class T>
    static bool looks_busy(const T* a, const T* b, std::size_t count) {
        if (count < 4 * block) return false;
        bool answer;
        simd::run<LooksBusy>(a, b, count, &answer);
        return answer;
    }

    // Without changes every pixel is counted by itself.
    void add_bytes(const Byte* a, const Window& left, const Byte* b, const Window& right, std::size_t count,
                   const Changes* changes) {
        seen_ += count;
        if (!left.stands_as(left_) || !right.stands_as(right_) || counted_ + count > most) {
            // A new table has to pay: it is cleared, and what was in the old one is moved.
            if (left.size() * right.size() * (changes ? 8 : 1) > seen_)
                return add_any(a, left, b, right, count, changes);
            move_to(left, right);
        }
        left_ = left, right_ = right;  // the tops may have changed although the table has not
        counted_ += count;
        const std::size_t size = left_.size() * right_.size(), copies = table_.size() / size;
        const auto place = [&](std::size_t from) {
            return Lookup{a + from, b + from, left_.shift(), right_.shift(), static_cast<std::uint16_t>(right_.size())};
        };
        if (changes) return simd::run<Tally>(place(0), count, changes->data(), table_.data(), size, copies);
        // As many as stay in the nearest cache, beside the table.
        std::uint16_t places[1 << 12];
        std::uint16_t* const to = places;
        for (std::size_t from = 0; from < count; from += std::size(places)) {
            const std::size_t here = std::min(std::size(places), count - from);
            simd::run<Write>(place(from), here, to);
            simd::run<TallyEach>(to, here, table_.data(), size, copies);
        }
    }

    void add_any(const Byte* a, const Window& left, const Byte* b, const Window& right, std::size_t count,
                 const Changes* changes) {
        Changes found;
        if (!changes) {
            Tops known;  // already
            find_changes(a, b, count, found, known, known);
        }
        tally_any([&](std::size_t k) { return left.label_of(a[k]); },
                  [&](std::size_t k) { return right.label_of(b[k]); }, count, changes ? *changes : found, meetings_);
    }

    // An empty table for other windows.
    void move_to(const Window& left, const Window& right) {
        flush();
        left_ = left, right_ = right, seen_ = counted_ = 0;
        const std::size_t size = left.size() * right.size();
        table_.assign((size <= small ? tables : few_tables) * size, 0);
    }

    // Move the counts of the table to where any labels may be.
    void flush() {
        each_of_table([&](std::int64_t a, std::int64_t b, std::int64_t pixels) { meetings_.add(a, b, pixels); });
    }

    // Calls act(label of a, label of b, pixels) for each pair in the table, sorted unless the labels are numbered.
    template <class Act>
    void each_of_table(const Act& act) const {
        const std::size_t rows = left_.size(), width = right_.size(), size = rows * width;
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < width; ++column) {
                const std::size_t i = left_.place(row), j = right_.place(column);
                std::int64_t total = 0;
                for (std::size_t k = i * width + j; k < table_.size(); k += size) total += table_[k];
                if (total) act(left_.label(i), right_.label(j), total);
            }
    }

    Side a_, b_;
    Window left_, right_;
    std::vector<std::uint32_t> table_;  // several copies of left_.size() × right_.size() counts
    std::size_t counted_ = 0;           // pixels in it
    std::size_t seen_ = 0;              // pixels since it was made
    Meetings meetings_;
};

// The counts of all threads. A thread that is done adds those that others have left here to its own.
class Merged {
  public:
    ~Merged() { delete part_.load(); }

    void add(std::unique_ptr<Part> own) {
        own->finish();
        for (Part* none = nullptr; !part_.compare_exchange_strong(none, own.get()); none = nullptr)
            if (const std::unique_ptr<Part> other{part_.exchange(nullptr)}) own->add(*other);
        own.release();
    }
    Part* get() const { return part_.load(); }

  private:
    std::atomic<Part*> part_{nullptr};
};

// The labels of b, rising: of each row those that are not known are put aside, and made known when there are many.
std::vector<std::int64_t> labels_of_b(const std::vector<Meeting>& sorted) {
    std::vector<std::int64_t> known, fresh, both;
    const auto learn = [&] {
        std::sort(fresh.begin(), fresh.end());
        fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
        both.clear();
        std::set_union(known.begin(), known.end(), fresh.begin(), fresh.end(), std::back_inserter(both));
        known.swap(both), fresh.clear();
    };
    auto at = known.cbegin();
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        const std::int64_t label = sorted[k].b;
        if (k == 0 || sorted[k].a != sorted[k - 1].a) {
            if (fresh.size() > known.size()) learn();
            at = known.cbegin();
        }
        // As a rule a row has the labels of the row before.
        if (at != known.cend() && *at != label) at = std::lower_bound(at, known.cend(), label);
        if (at != known.cend() && *at == label)
            ++at;
        else
            fresh.push_back(label);
    }
    learn();
    return known;
}

}  // namespace

std::vector<Meeting> count(const Map& a, const Map& b, std::size_t pixels, std::size_t threads) {
    constexpr std::size_t worth_a_thread = 1 << 17;
    const std::size_t helpers = std::clamp<std::size_t>(pixels / worth_a_thread, 1, threads::at_least_one(threads));
    // A thread takes a little, and then what is next, whenever it comes: so all are done at about the same time. Few
    // threads take whole pieces: what each of them costs is then more than what is left over at the end.
    const std::size_t share = helpers > 4 ? piece / 2 : piece;
    std::atomic<std::size_t> next{0};
    Merged merged;
    threads::run(helpers, helpers, [&](std::size_t) {
        std::size_t begin = next.fetch_add(share);
        if (begin >= pixels) return;
        auto own = std::make_unique<Part>(a, b);
        interrupt::Steps steps;
        for (; begin < pixels; begin = next.fetch_add(share), steps.add(share))
            own->add(begin, std::min(share, pixels - begin));
        merged.add(std::move(own));
    });
    return merged.get() ? merged.get()->list() : std::vector<Meeting>();
}

Axes axes_of(const std::vector<Meeting>& sorted) {
    Axes axes;
    for (const Meeting& each : sorted)
        if (axes.a.empty() || axes.a.back() != each.a) axes.a.push_back(each.a);
    axes.b = labels_of_b(sorted);
    return axes;
}

void fill(const std::vector<Meeting>& sorted, const Axes& axes, std::int64_t* out) {
    const std::size_t width = axes.b.size();
    std::fill_n(out, axes.a.size() * width, 0);
    std::size_t row = 0, column = 0;
    for (const Meeting& each : sorted) {
        if (axes.a[row] != each.a) ++row, column = 0;
        while (axes.b[column] != each.b) ++column;
        out[row * width + column] = each.count;
    }
}

}  // namespace vesica::labels

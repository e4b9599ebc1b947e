#include "base/order.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/partition.hpp"

namespace vesica::order {
namespace {

struct Entry {
    std::uint32_t key, row;
};

// Sort by rising key, which has `width` bits, digit by digit from the lowest.
template <unsigned bits>
void radix(memory::Vector<Entry>& entries, unsigned width, std::size_t threads) {
    constexpr std::uint32_t values = std::uint32_t(1) << bits;
    memory::Vector<Entry> sorted(entries.size());
    for (unsigned shift = 0; shift < width; shift += bits, entries.swap(sorted)) {
        const auto digit = [&](std::size_t k) { return entries[k].key >> shift & (values - 1); };
        const auto put = [&](std::size_t k, std::size_t place) { sorted[place] = entries[k]; };
        if (partition::is_shared(entries.size(), threads)) {
            partition::stable(entries.size(), values, threads, digit, put);
            continue;
        }
        std::uint32_t at[values] = {}, begin = 0;
        for (std::size_t k = 0; k < entries.size(); ++k) ++at[digit(k)];
        for (std::uint32_t& start : at) {
            const std::uint32_t here = start;
            start = begin, begin += here;
        }
        for (std::size_t k = 0; k < entries.size(); ++k) put(k, at[digit(k)]++);
    }
}

// The rows of sorted entries; where keys are equal, `in_order(begin, end)` of their rows. A stretch of equal
// keys is written by the call whose range has its first entry.
template <class InOrder>
void write_rows(const memory::Vector<Entry>& entries, std::size_t first, std::size_t last, Rows& out,
                const InOrder& in_order) {
    const auto is_tied = [&](std::size_t k) { return k < entries.size() && entries[k].key == entries[k - 1].key; };
    while (first && first < last && is_tied(first)) ++first;
    for (std::size_t begin = first, end = 0; begin < last; begin = end) {
        out[begin] = entries[begin].row;
        for (end = begin + 1; is_tied(end); ++end) out[end] = entries[end].row;
        if (end - begin > 1) in_order(out.data() + begin, out.data() + end);
    }
}

// The rows by rising key, of which bits [lowest, high) count; equal ones stay as they are. Digits are made of the
// highest bits, as many as `most`; by the others only those are sorted whose digits are equal, which are few.
template <unsigned bits, unsigned most, class KeyOf>
Rows sorted(const Rows& rows, unsigned lowest, unsigned high, const KeyOf& key_of, std::size_t threads) {
    const unsigned low = high - lowest > most ? high - most : lowest;
    memory::Vector<Entry> entries(rows.size());
    const partition::Chunks chunks(rows.size(), threads);
    chunks.each([&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            entries[k] = {static_cast<std::uint32_t>(key_of(rows[k]) >> low), rows[k]};
    });
    radix<bits>(entries, high - low, threads);
    const auto by_all_bits = [&](std::uint32_t* begin, std::uint32_t* end) {
        std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); });
    };
    Rows out(rows.size());
    chunks.each([&](std::size_t, std::size_t begin, std::size_t end) {
        if (low > lowest) return write_rows(entries, begin, end, out, by_all_bits);
        for (std::size_t k = begin; k < end; ++k) out[k] = entries[k].row;
    });
    return out;
}

// Few rows are in order sooner than a table of digits is cleared.
constexpr std::size_t few = 32, some = 1 << 10, many = 1 << 13;

template <class KeyOf>
void sort_few(Rows& rows, const KeyOf& key_of) {
    std::uint64_t keys[few];
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::uint32_t row = rows[k];
        const std::uint64_t key = key_of(row);
        std::size_t at = k;
        for (; at && key < keys[at - 1]; --at) keys[at] = keys[at - 1], rows[at] = rows[at - 1];
        keys[at] = key, rows[at] = row;
    }
}

// The bits in which keys differ.
template <class KeyOf>
std::uint64_t varying_bits(const Rows& rows, const KeyOf& key_of, std::size_t threads) {
    std::atomic<std::uint64_t> found{0};
    const std::uint64_t first = key_of(rows[0]);
    partition::Chunks(rows.size(), threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
        std::uint64_t varying = 0;
        for (std::size_t k = begin; k < end; ++k) varying |= key_of(rows[k]) ^ first;
        found.fetch_or(varying, std::memory_order_relaxed);
    });
    return found.load(std::memory_order_relaxed);
}

template <class KeyOf>
Rows by(Rows rows, const KeyOf& key_of, std::size_t threads) {
    if (rows.size() <= few) return sort_few(rows, key_of), rows;
    const std::uint64_t varying = varying_bits(rows, key_of, threads);
    if (!varying) return rows;
    // Only the bits in which keys differ are sorted by, and of those as many as three digits have: seldom are two equal
    // in them. Long digits have tables that only many rows are worth.
    const unsigned lowest = static_cast<unsigned>(std::countr_zero(varying));
    const unsigned high = static_cast<unsigned>(std::bit_width(varying));
    return rows.size() >= many   ? sorted<11, 32>(rows, lowest, high, key_of, threads)
           : rows.size() <= some ? sorted<8, 24>(rows, lowest, high, key_of, threads)
                                 : sorted<10, 30>(rows, lowest, high, key_of, threads);
}

}  // namespace

std::size_t first_nan(const double* scores, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (std::isnan(scores[i])) return i;
    return none;
}

Rows best_first(const double* scores, std::size_t count, double least, std::size_t threads) {
    Rows rows;
    rows.reserve(count);
    if (!partition::is_shared(count, threads)) {
        for (std::size_t i = 0; i < count; ++i)
            if (scores[i] >= least) rows.push_back(static_cast<std::uint32_t>(i));
        return by(std::move(rows), [&](std::uint32_t row) { return falling(scores[row]); }, threads);
    }
    partition::chosen(
        count, threads, [&](std::size_t i) { return scores[i] >= least; },
        [&](std::size_t total) { rows.resize(total); },
        [&](std::size_t i, std::size_t place) { rows[place] = static_cast<std::uint32_t>(i); });
    return by(std::move(rows), [&](std::uint32_t row) { return falling(scores[row]); }, threads);
}

Rows all_best_first(const double* scores, std::size_t count, std::size_t threads) {
    Rows rows(count);
    std::iota(rows.begin(), rows.end(), 0u);
    return by(std::move(rows), [&](std::uint32_t row) { return falling(scores[row]); }, threads);
}

// Each list is cut by score into parts, equal ones of a sample, and each part is sorted by one thread.
std::vector<Rows> all_best_first(const std::vector<Scores>& lists, std::size_t threads) {
    constexpr std::size_t parts_of_a_thread = 2, samples_of_a_part = 16;
    const std::size_t parts = std::bit_ceil(parts_of_a_thread * threads::at_least_one(threads)), cuts = parts - 1;
    std::vector<std::size_t> starts{0};
    std::vector<std::uint64_t> cut, sample(samples_of_a_part * parts);
    for (const Scores& list : lists) {
        starts.push_back(starts.back() + list.count);
        for (std::size_t k = 0; k < sample.size(); ++k)
            sample[k] = list.count ? falling(list.data[k * list.count / sample.size()]) : 0;
        std::sort(sample.begin(), sample.end());
        for (std::size_t k = 1; k < parts; ++k) cut.push_back(sample[k * samples_of_a_part]);
    }
    const auto list_of = [&](std::size_t k) {
        std::size_t list = 0;
        while (k >= starts[list + 1]) ++list;
        return list;
    };
    // How many cuts are not above the key: as many steps for each, without a branch that could be guessed wrongly.
    const auto part_of = [&](std::size_t k) {
        const std::size_t list = list_of(k);
        const std::uint64_t key = falling(lists[list].data[k - starts[list]]);
        const std::uint64_t* const own = cut.data() + list * cuts;
        std::size_t at = 0;
        for (std::size_t step = parts / 2; step; step /= 2) at += key >= own[at + step - 1] ? step : 0;
        return list * parts + at;
    };
    Rows rows(starts.back());
    const std::vector<std::size_t> begins = partition::stable(
        rows.size(), lists.size() * parts, threads, part_of,
        [&](std::size_t k, std::size_t place) { rows[place] = static_cast<std::uint32_t>(k - starts[list_of(k)]); });
    std::vector<Rows> out(lists.size());
    for (std::size_t list = 0; list < lists.size(); ++list) out[list].resize(lists[list].count);
    threads::run(lists.size() * parts, threads, [&](std::size_t part) {
        const std::size_t list = part / parts, begin = begins[part], end = begins[part + 1];
        const auto at = [&](std::size_t k) { return rows.begin() + static_cast<std::ptrdiff_t>(k); };
        const double* const scores = lists[list].data;
        const Rows own = by(Rows(at(begin), at(end)), [&](std::uint32_t row) { return falling(scores[row]); }, 1);
        std::copy(own.begin(), own.end(), out[list].data() + (begin - starts[list]));
    });
    return out;
}

Groups::Groups(Rows given, const std::uint32_t* keys, std::size_t rows_in_task, std::size_t threads)
    : rows(keys ? by(
                      std::move(given), [&](std::uint32_t row) { return std::uint64_t(keys[row]); }, threads)
                : std::move(given)) {
    if (!keys && !rows.empty()) starts.push_back(0);
    for (std::size_t k = 0; keys && k < rows.size(); ++k)
        if (!k || keys[rows[k - 1]] != keys[rows[k]]) starts.push_back(k);
    starts.push_back(rows.size());
    for (std::size_t g = 0; g < count(); ++g)
        if (tasks.empty() || starts[g] - starts[tasks.back()] >= rows_in_task) tasks.push_back(g);
    tasks.push_back(count());
}

}  // namespace vesica::order

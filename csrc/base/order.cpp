#include "base/order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/memory.hpp"

namespace vesica::order {
namespace {

struct Entry {
    std::uint32_t key, row;
};

// Sort by rising key, which has `width` bits, digit by digit from the lowest.
template <unsigned bits>
void radix(memory::Vector<Entry>& entries, unsigned width) {
    constexpr std::uint32_t values = std::uint32_t(1) << bits;
    memory::Vector<Entry> sorted(entries.size());
    for (unsigned shift = 0; shift < width; shift += bits) {
        const auto digit = [&](const Entry& entry) { return entry.key >> shift & (values - 1); };
        std::uint32_t at[values] = {}, begin = 0;
        for (const Entry& entry : entries) ++at[digit(entry)];
        for (std::uint32_t& start : at) {
            const std::uint32_t here = start;
            start = begin, begin += here;
        }
        for (const Entry& entry : entries) sorted[at[digit(entry)]++] = entry;
        entries.swap(sorted);
    }
}

// The rows by rising key, of which bits [low, low + width) count; equal ones stay as they are.
template <unsigned bits, class KeyOf>
std::vector<std::uint32_t> sorted(const std::vector<std::uint32_t>& rows, unsigned low, unsigned width,
                                  const KeyOf& key_of) {
    memory::Vector<Entry> entries(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
        entries[k] = {static_cast<std::uint32_t>(key_of(rows[k]) >> low), rows[k]};
    radix<bits>(entries, width);
    std::vector<std::uint32_t> out(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) out[k] = entries[k].row;
    return out;
}

// Only the highest bits were sorted by: sort by all of them where those are equal.
template <class KeyOf>
void sort_ties(std::vector<std::uint32_t>& rows, unsigned low, const KeyOf& key_of) {
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
        const std::uint64_t top = key_of(rows[begin]) >> low;
        for (end = begin + 1; end < rows.size() && key_of(rows[end]) >> low == top;) ++end;
        if (end - begin > 1)
            std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                             rows.begin() + static_cast<std::ptrdiff_t>(end),
                             [&](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); });
    }
}

// Few rows are in order sooner than a table of digits is cleared.
constexpr std::size_t few = 32, some = 1 << 10, many = 1 << 13;

template <class KeyOf>
void sort_few(std::vector<std::uint32_t>& rows, const KeyOf& key_of) {
    std::uint64_t keys[few];
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::uint32_t row = rows[k];
        const std::uint64_t key = key_of(row);
        std::size_t at = k;
        for (; at && key < keys[at - 1]; --at) keys[at] = keys[at - 1], rows[at] = rows[at - 1];
        keys[at] = key, rows[at] = row;
    }
}

template <class KeyOf>
std::vector<std::uint32_t> by(std::vector<std::uint32_t> rows, const KeyOf& key_of) {
    if (rows.size() <= few) return sort_few(rows, key_of), rows;
    std::uint64_t varying = 0;
    for (const std::uint32_t row : rows) varying |= key_of(row) ^ key_of(rows[0]);
    if (!varying) return rows;
    // Only the bits in which keys differ are sorted by, and of those as many as three digits have: seldom are two equal
    // in them. Long digits have tables that only many rows are worth.
    const bool are_some = rows.size() <= some, are_many = rows.size() >= many;
    const unsigned lowest = static_cast<unsigned>(std::countr_zero(varying));
    const unsigned high = static_cast<unsigned>(std::bit_width(varying)), most = are_many ? 32 : are_some ? 24 : 30;
    const unsigned low = high - lowest > most ? high - most : lowest;
    rows = are_many   ? sorted<11>(rows, low, high - low, key_of)
           : are_some ? sorted<8>(rows, low, high - low, key_of)
                      : sorted<10>(rows, low, high - low, key_of);
    if (low > lowest) sort_ties(rows, low, key_of);
    return rows;
}

}  // namespace

std::size_t first_nan(const double* scores, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (std::isnan(scores[i])) return i;
    return none;
}

std::vector<std::uint32_t> best_first(const double* scores, std::size_t count, double least) {
    std::vector<std::uint32_t> rows;
    rows.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        if (scores[i] >= least) rows.push_back(static_cast<std::uint32_t>(i));
    return by(std::move(rows), [&](std::uint32_t row) { return falling(scores[row]); });
}

std::vector<std::uint32_t> best_first(const double* scores, std::size_t count) {
    std::vector<std::uint32_t> rows(count);
    std::iota(rows.begin(), rows.end(), 0u);
    return by(std::move(rows), [&](std::uint32_t row) { return falling(scores[row]); });
}

Groups::Groups(std::vector<std::uint32_t> given, const std::uint32_t* keys, std::size_t rows_in_task)
    : rows(keys ? by(std::move(given), [&](std::uint32_t row) { return std::uint64_t(keys[row]); })
                : std::move(given)) {
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (!k || (keys && keys[rows[k - 1]] != keys[rows[k]])) starts.push_back(k);
    starts.push_back(rows.size());
    for (std::size_t g = 0; g < count(); ++g)
        if (tasks.empty() || starts[g] - starts[tasks.back()] >= rows_in_task) tasks.push_back(g);
    tasks.push_back(count());
}

}  // namespace vesica::order

#include "order.hpp"

#include <bit>
#include <cmath>

#include "memory.hpp"

namespace vesica::order {
namespace {

template <class Key>
struct Entry {
    Key key;
    std::uint32_t row;
};

// Sort by rising key, which has `width` bits, digit by digit from the lowest.
template <unsigned bits, class Key>
void radix(memory::Vector<Entry<Key>>& entries, unsigned width) {
    constexpr std::size_t values = std::size_t(1) << bits;
    memory::Vector<Entry<Key>> sorted(entries.size());
    for (unsigned shift = 0; shift < width; shift += bits) {
        const auto digit = [&](Key key) { return key >> shift & Key(values - 1); };
        std::uint32_t at[values] = {}, begin = 0;
        for (const Entry<Key>& entry : entries) ++at[digit(entry.key)];
        for (std::uint32_t& start : at) {
            const std::uint32_t here = start;
            start = begin, begin += here;
        }
        for (const Entry<Key>& entry : entries) sorted[at[digit(entry.key)]++] = entry;
        entries.swap(sorted);
    }
}

// The rows by rising key, of which `width` bits from `low` on count; equal keys stay as they are.
template <class Key, class KeyOf>
std::vector<std::uint32_t> sorted(const std::vector<std::uint32_t>& rows, unsigned low, unsigned width,
                                  const KeyOf& key_of) {
    memory::Vector<Entry<Key>> entries(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) entries[k] = {static_cast<Key>(key_of(rows[k]) >> low), rows[k]};
    // Long digits have tables that only many entries are worth.
    constexpr std::size_t many = 1 << 13;
    rows.size() < many ? radix<10>(entries, width) : radix<11>(entries, width);
    std::vector<std::uint32_t> out(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) out[k] = entries[k].row;
    return out;
}

template <class KeyOf>
std::vector<std::uint32_t> by(std::vector<std::uint32_t> rows, const KeyOf& key_of) {
    std::uint64_t varying = 0;
    for (const std::uint32_t row : rows) varying |= key_of(row) ^ key_of(rows[0]);
    if (!varying) return rows;
    // Only the bits in which keys differ are sorted by: of scores in float32 these are half.
    const unsigned low = static_cast<unsigned>(std::countr_zero(varying));
    const unsigned width = static_cast<unsigned>(std::bit_width(varying)) - low;
    return width <= 32 ? sorted<std::uint32_t>(rows, low, width, key_of)
                       : sorted<std::uint64_t>(rows, low, width, key_of);
}

// A number that falls as the score rises.
std::uint64_t falling(double score) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(score + 0.0);  // −0 is 0
    return bits >> 63 ? bits : ~bits & ~(std::uint64_t(1) << 63);
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

std::vector<std::uint32_t> by_key(std::vector<std::uint32_t> rows, const std::uint32_t* keys) {
    return by(std::move(rows), [&](std::uint32_t row) { return std::uint64_t(keys[row]); });
}

}  // namespace vesica::order

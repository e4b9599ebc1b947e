#include "order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace vesica::order {
namespace {

template <class Key>
struct Entry {
    Key key;
    std::uint32_t row;
};

// Sort by rising key, digit by digit from the lowest; digits that all entries share are passed over.
template <unsigned bits, class Key>
void radix(std::vector<Entry<Key>>& entries) {
    constexpr std::size_t values = std::size_t(1) << bits, passes = (8 * sizeof(Key) + bits - 1) / bits;
    std::vector<std::array<std::uint32_t, values>> counts(passes);
    const auto digit = [](Key key, std::size_t pass) { return (key >> (pass * bits)) & Key(values - 1); };
    for (const Entry<Key>& entry : entries)
        for (std::size_t pass = 0; pass < passes; ++pass) ++counts[pass][digit(entry.key, pass)];
    std::vector<Entry<Key>> sorted(entries.size());
    for (std::size_t pass = 0; pass < passes; ++pass) {
        std::array<std::uint32_t, values>& at = counts[pass];
        if (at[digit(entries[0].key, pass)] == entries.size()) continue;
        std::uint32_t begin = 0;
        for (std::uint32_t& start : at) {
            const std::uint32_t here = start;
            start = begin, begin += here;
        }
        for (const Entry<Key>& entry : entries) sorted[at[digit(entry.key, pass)]++] = entry;
        entries.swap(sorted);
    }
}

template <class Key>
std::vector<std::uint32_t> sorted_rows(std::vector<Entry<Key>>& entries) {
    // Many digits have tables that only many entries are worth.
    constexpr std::size_t many = 1 << 13;
    if (!entries.empty()) entries.size() < many ? radix<8>(entries) : radix<11>(entries);
    std::vector<std::uint32_t> rows(entries.size());
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = entries[k].row;
    return rows;
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
    std::vector<Entry<std::uint64_t>> entries;
    entries.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        if (scores[i] >= least) entries.push_back({falling(scores[i]), static_cast<std::uint32_t>(i)});
    return sorted_rows(entries);
}

std::vector<std::uint32_t> by_key(const std::vector<std::uint32_t>& rows, const std::uint32_t* keys) {
    std::vector<Entry<std::uint32_t>> entries(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) entries[k] = {keys[rows[k]], rows[k]};
    return sorted_rows(entries);
}

}  // namespace vesica::order

// joins.hpp. What the joins of every kind are asked, and the pairs they answer.
#pragma once

#include "bind/arrays.hpp"
#include "overlaps/join.hpp"

namespace vesica::bind {

template <class R>
using PairTuple = std::tuple<Column<std::int64_t>, Column<std::int64_t>, Column<R>>;

template <class R>
PairTuple<R> give(join::Pairs<R> pairs) {
    return {give(std::move(pairs.i), pairs.count), give(std::move(pairs.j), pairs.count),
            give(std::move(pairs.value), pairs.count)};
}

// Keys of both sides; a join of regions with themselves has one number of rows.
inline void expect_keys(const Keys& keys_a, std::size_t n, const Keys& keys_b, std::size_t m, bool self) {
    expect_optional("keys_a", keys_a.size(), n);
    expect_optional("keys_b", keys_b.size(), m);
    if (self) expect_size("b", m, n);
}

// Tables of the k best partners, k being at most their number.
template <class R>
std::size_t expect_best(const Out<std::int64_t>& index, const Out<R>& value, std::size_t n, std::size_t m) {
    const std::size_t k = index.ndim() == 2 ? index.shape(1) : 0;
    expect_size("index", index.size(), n * k);
    expect_size("value", value.size(), n * k);
    expect_at_most("k", k, m);
    return k;
}

// Keys of no length mean: no keys.
inline join::Request request_of(int measure, const OptionTuple& options, const ThresholdTuple& threshold,
                                const Keys& keys_a, const Keys& keys_b, bool self, std::size_t threads) {
    return {measures::Name(measure),
            options_of(options),
            threshold_of(threshold),
            {given(keys_a), given(keys_b)},
            self,
            threads};
}

}  // namespace vesica::bind

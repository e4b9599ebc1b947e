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

// partition.hpp. Rows sorted into buckets, and rows chosen from many, by several threads: the order in which they came
// is kept, so the answer is that of one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace vesica::partition {

// Rows that are worth a thread, and rows after which signals are polled for.
constexpr std::size_t few = std::size_t(1) << 13, many = std::size_t(1) << 20;

// Are there enough of them to be shared?
inline bool is_shared(std::size_t count, std::size_t threads) {
    return threads > 1 && count >= 2 * few;
}

// Stretches of [0, count) that threads share; one where there are few rows.
class Chunks {
  public:
    Chunks(std::size_t count, std::size_t threads, std::size_t most = SIZE_MAX)
        : count_(count),
          threads_(threads),
          chunks_(threads::at_least_one(std::min(most, std::max(std::min(threads, count / few), count / many)))),
          share_((count + chunks_ - 1) / chunks_) {}

    std::size_t size() const { return chunks_; }
    // Call work(chunk, begin, end) for each.
    template <class Work>
    void each(const Work& work) const {
        if (chunks_ == 1) return work(std::size_t(0), std::size_t(0), count_);
        threads::run(chunks_, threads_, [&](std::size_t chunk) {
            work(chunk, std::min(chunk * share_, count_), std::min((chunk + 1) * share_, count_));
        });
    }

  private:
    std::size_t count_, threads_, chunks_, share_;
};

// Let every number of a column be `value`.
template <class Column, class T>
void fill(Column& column, std::size_t count, std::size_t threads, T value) {
    column.resize(count);
    Chunks(count, threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
        std::fill(column.data() + begin, column.data() + end, value);
    });
}

// Call put(k, place) for each k in [0, count): its place when all are sorted by bucket_of(k), equal ones as they came.
// Returns the first place of each bucket, and the end. There are fewer than 2^32 rows.
template <class BucketOf, class Put>
std::vector<std::size_t> stable(std::size_t count, std::size_t buckets, std::size_t threads, const BucketOf& bucket_of,
                                const Put& put) {
    // A table for each chunk: all of them together have fewer numbers than there are rows.
    const std::size_t most = threads::at_least_one(count / (4 * threads::at_least_one(buckets)));
    const Chunks chunks(count, std::min(threads, most), most);
    std::vector<std::uint32_t> at(chunks.size() * buckets, 0);
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::uint32_t* const own = at.data() + chunk * buckets;
        for (std::size_t k = begin; k < end; ++k) ++own[bucket_of(k)];
    });
    // Table by table: a walk down the columns would miss the cache at each step.
    std::vector<std::size_t> starts(buckets + 1);
    for (std::size_t k = 0; k < at.size(); k += buckets)
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) starts[bucket + 1] += at[k + bucket];
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) starts[bucket + 1] += starts[bucket];
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t k = 0; k < at.size(); k += buckets)
        for (std::size_t bucket = 0; bucket < buckets; ++bucket)
            next[bucket] += std::exchange(at[k + bucket], next[bucket]);
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::uint32_t* const own = at.data() + chunk * buckets;
        for (std::size_t k = begin; k < end; ++k) put(k, own[bucket_of(k)]++);
    });
    return starts;
}

// Those of [0, count) that are wanted, in their order: reserve(how many), then put(k, place) for each.
template <class Wanted, class Reserve, class Put>
void chosen(std::size_t count, std::size_t threads, const Wanted& wanted, const Reserve& reserve, const Put& put) {
    const Chunks chunks(count, threads);
    std::vector<std::size_t> at(chunks.size(), 0);
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::size_t found = 0;
        for (std::size_t k = begin; k < end; ++k) found += wanted(k) ? 1 : 0;
        at[chunk] = found;
    });
    std::size_t total = 0;
    for (std::size_t& own : at) {
        const std::size_t here = own;
        own = total, total += here;
    }
    reserve(total);
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::size_t place = at[chunk];
        for (std::size_t k = begin; k < end; ++k)
            if (wanted(k)) put(k, place++);
    });
}

}  // namespace vesica::partition

#include "detection/sorted_runs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/order.hpp"
#include "base/threads.hpp"

namespace vesica::sorted_runs {
namespace {

constexpr std::size_t block_rows = 2048;  // they stay in the cache

template <class T>
void put(std::uint8_t*& out, T value, std::size_t bytes) {
    std::memcpy(out, &value, bytes);
    out += bytes;
}

template <class T>
T get(const std::uint8_t* from, std::size_t bytes) {
    T value = 0;
    std::memcpy(&value, from, bytes);
    return value;
}

double score_of(const std::uint8_t* row, std::size_t bytes) {
    return bytes == 4 ? static_cast<double>(std::bit_cast<float>(get<std::uint32_t>(row, 4)))
                      : std::bit_cast<double>(get<std::uint64_t>(row, 8));
}

// By rising `score`, which falls as scores rise; then by image. No two runs have an image in common, and the rows of
// one stay in their order.
struct Key {
    std::uint64_t score;
    std::uint32_t image;

    bool operator<(const Key& other) const { return score != other.score ? score < other.score : image < other.image; }
};
constexpr Key last{~std::uint64_t(0), ~std::uint32_t(0)};  // behind every guess: ranks of images are below 2^31

// Of many keys the lowest, as a tree of winners.
class Tournament {
  public:
    explicit Tournament(std::size_t count)
        : width_(std::bit_ceil(std::max<std::size_t>(count, 1))), keys_(width_, last), winners_(2 * width_) {
        for (std::size_t k = 0; k < width_; ++k) winners_[width_ + k] = static_cast<std::uint32_t>(k);
    }

    void start(std::size_t k, Key key) { keys_[k] = key; }
    void begin() {
        for (std::size_t at = width_; at-- > 1;) play(at);
    }
    void set(std::size_t k, Key key) {
        keys_[k] = key;
        for (std::size_t at = (width_ + k) / 2; at; at /= 2) play(at);
    }
    std::size_t winner() const { return winners_[1]; }
    bool is_over() const { return !(keys_[winner()] < last); }

  private:
    void play(std::size_t at) {
        const std::uint32_t left = winners_[2 * at], right = winners_[2 * at + 1];
        winners_[at] = keys_[right] < keys_[left] ? right : left;
    }

    std::size_t width_;
    std::vector<Key> keys_;
    std::vector<std::uint32_t> winners_;  // of the nodes below each, from 1 on; the leaves come last
};

// Guesses as they are merged.
class Gathered {
  public:
    explicit Gathered(std::size_t words)
        : words_(words),
          score_(block_rows),
          rank_(block_rows),
          matched_(block_rows * words),
          ignored_(block_rows * words) {}

    void add(const std::uint8_t* row, const Layout& layout) {
        score_[count_] = score_of(row, layout.score_bytes);
        row += layout.score_bytes + 4;
        rank_[count_] = get<std::uint32_t>(row, layout.rank_bytes);
        row += layout.rank_bytes;
        copy_lanes(row, layout.lane_bytes(), matched_.data() + count_ * words_);
        copy_lanes(row + layout.lane_bytes(), layout.lane_bytes(), ignored_.data() + count_ * words_);
        ++count_;
    }

    bool is_full() const { return count_ == block_rows; }
    void give(const std::function<void(const precision_recall::Block&)>& take) {
        if (count_) take({score_.data(), rank_.data(), matched_.data(), ignored_.data(), count_});
        count_ = 0;
    }

  private:
    void copy_lanes(const std::uint8_t* from, std::size_t bytes, std::uint64_t* words) const {
        words[words_ - 1] = 0;
        std::memcpy(words, from, bytes);
    }

    std::size_t words_, count_ = 0;
    std::vector<double> score_;
    std::vector<std::uint32_t> rank_;
    std::vector<std::uint64_t> matched_, ignored_;
};

}  // namespace

void pack(const precision_recall::Records& records, const std::int32_t* image, const Layout& layout,
          std::size_t threads, std::uint8_t* out) {
    const std::size_t categories = records.category_count, words = layout.words();
    std::vector<std::size_t> first(categories + 1, 0);
    for (std::size_t c = 0; c < categories; ++c) {
        first[c + 1] = first[c];
        for (std::int64_t cell = records.categories[c]; cell < records.categories[c + 1]; ++cell)
            first[c + 1] += static_cast<std::size_t>(records.guesses[cell]);
    }
    threads::run(categories, threads, [&](std::size_t c) {
        const std::size_t begin = first[c], count = first[c + 1] - begin;
        std::vector<std::uint32_t> ranks, images;
        ranks.reserve(count), images.reserve(count);
        for (std::int64_t cell = records.categories[c]; cell < records.categories[c + 1]; ++cell)
            for (std::int32_t k = 0; k < records.guesses[cell]; ++k) {
                ranks.push_back(static_cast<std::uint32_t>(k));
                images.push_back(static_cast<std::uint32_t>(image[cell]));
            }
        std::uint8_t* to = out + begin * layout.row_bytes();
        for (const std::uint32_t row : order::all_best_first(records.score + begin, count)) {
            const double score = records.score[begin + row];
            if (layout.score_bytes == 4)
                put(to, static_cast<float>(score), 4);
            else
                put(to, score, 8);
            put(to, images[row], 4);
            put(to, ranks[row], layout.rank_bytes);
            for (const std::uint64_t* lanes : {records.matched, records.ignored}) {
                std::memcpy(to, lanes + (begin + row) * words, layout.lane_bytes());
                to += layout.lane_bytes();
            }
        }
    });
}

std::size_t merge(const Run* runs, std::size_t count, const std::function<void(const precision_recall::Block&)>& give,
                  std::int64_t* taken) {
    std::fill_n(taken, count, 0);
    for (std::size_t k = 0; k < count; ++k)  // the next row of such a run may be the first of all
        if (!runs[k].count && !runs[k].is_end) return no_fault;
    Gathered gathered(count ? runs[0].layout.words() : 1);
    Tournament tournament(count);
    std::size_t fault = no_fault;
    const auto key_of = [&](std::size_t k) {
        const Run& run = runs[k];
        const auto at = static_cast<std::size_t>(taken[k]);
        if (at == run.count) return last;
        const std::uint8_t* const row = run.rows + at * run.layout.row_bytes();
        const auto image = get<std::uint32_t>(row + run.layout.score_bytes, 4);
        if (image >= run.image_count) return fault = k, last;
        return Key{order::falling(score_of(row, run.layout.score_bytes)),
                   static_cast<std::uint32_t>(run.images[image])};
    };
    for (std::size_t k = 0; k < count; ++k) tournament.start(k, key_of(k));
    tournament.begin();
    while (fault == no_fault && !tournament.is_over()) {
        const std::size_t k = tournament.winner();
        const Run& run = runs[k];
        gathered.add(run.rows + static_cast<std::size_t>(taken[k]) * run.layout.row_bytes(), run.layout);
        if (gathered.is_full()) gathered.give(give);
        ++taken[k];
        if (static_cast<std::size_t>(taken[k]) == run.count && !run.is_end) break;
        tournament.set(k, key_of(k));
    }
    gathered.give(give);
    return fault;
}

}  // namespace vesica::sorted_runs

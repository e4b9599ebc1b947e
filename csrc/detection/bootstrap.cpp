#include "detection/bootstrap.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/interrupt.hpp"
#include "base/order.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"
#include "detection/pairwise_sum.hpp"
#include "detection/recall_points.hpp"

namespace vesica::bootstrap {
namespace {

using precision_recall::Records;

// Replicates at a time: their numbers lie side by side, and every step is done for all of them.
constexpr std::size_t wide = 8;
// Precisions of a category start at multiples of a cache line, of which there is an odd number in between: rows of many
// categories do not compete for the same sets of the cache.
constexpr std::size_t line = 8;
// Hits of a lane from which on one is sooner found by halves than by a walk over all.
constexpr std::size_t many_hits = 640;
// Of fewer truths and recalls it is told how many recalls each number of hits reaches.
constexpr std::size_t many_truths = 4096, many_recalls = 256;

// A guess that found a truth, in one lane: its image, and its place among the guesses that did so in any lane.
struct Hit {
    std::uint32_t image, row;
    friend bool operator==(const Hit&, const Hit&) = default;
};

// Before the hit `at` a lane counts a guess that the others do not (+1), or does not count one that they do (-1).
struct Change {
    std::uint32_t at, image;
    std::int32_t sign;
    friend bool operator==(const Change&, const Change&) = default;
};

struct Lane {
    std::vector<Hit> hits;
    std::vector<Change> changes;
    bool is_repeated = false;  // the threshold before has the same hits: at low ones that is often so
};

struct Truths {
    std::uint32_t image;
    std::int32_t count;
};

// One category of one strip, best guesses first.
struct Sequence {
    std::vector<Truths> truths;
    // Images of the guesses that count, as the last threshold sees it; lanes differ by their changes.
    std::vector<std::uint32_t> counted;
    std::vector<std::uint32_t> ends;  // of each row of hits: how many of `counted` there are down to it
    std::vector<Lane> lanes;          // by threshold
};

// Images of what a cut counts, in one category.
struct Tally {
    std::vector<Truths> truths;
    std::vector<std::uint32_t> right, wrong;
};

// All that is read again for every replicate.
struct Sequences {
    std::vector<std::vector<Sequence>> strips;  // and categories
    std::vector<Tally> tallies;                 // by category; none without a cut
};

class Sorted {
  public:
    Sorted(const Records& records, const std::int32_t* image, std::size_t category, std::size_t first_guess)
        : records_(records), first_(first_guess), words_((records.thresholds * records.areas + 63) / 64) {
        begin_ = static_cast<std::size_t>(records.categories[category]);
        end_ = static_cast<std::size_t>(records.categories[category + 1]);
        image_ = image;
        for (std::size_t cell = begin_; cell < end_; ++cell)
            for (std::int32_t k = 0; k < records.guesses[cell]; ++k) {
                ranks_.push_back(k);
                images_.push_back(static_cast<std::uint32_t>(image[cell]));
            }
        order_ = order::all_best_first(records.score + first_, ranks_.size());
    }

    Sequence sequence(const Strip& strip) const {
        Sequence found;
        found.truths = truths(strip.area);
        found.lanes.resize(records_.thresholds);
        if (found.truths.empty()) return found;
        for (const std::uint32_t row : order_)
            if (ranks_[row] < strip.limit) add(row, strip, found);
        for (std::size_t t = 1; t < found.lanes.size(); ++t) {
            Lane &lane = found.lanes[t], &before = found.lanes[t - 1];
            lane.is_repeated = lane.hits == before.hits && lane.changes == before.changes;
        }
        return found;
    }

    Tally tally(const Cut& cut) const {
        Tally found;
        found.truths = truths(cut.area);
        const std::size_t lane = cut.area * records_.thresholds + cut.threshold;
        const bool has_all = cut.least_score == -std::numeric_limits<double>::infinity();  // also a score of NaN
        for (std::uint32_t row = 0; row < ranks_.size(); ++row)
            if (!bit(records_.ignored, row, lane) && (has_all || records_.score[first_ + row] >= cut.least_score))
                (bit(records_.matched, row, lane) ? found.right : found.wrong).push_back(images_[row]);
        return found;
    }

  private:
    std::vector<Truths> truths(std::size_t area) const {
        std::vector<Truths> found;
        for (std::size_t cell = begin_; cell < end_; ++cell)
            if (const std::int32_t count = records_.counted[cell * records_.areas + area])
                found.push_back({static_cast<std::uint32_t>(image_[cell]), count});
        return found;
    }

    void add(std::uint32_t row, const Strip& strip, Sequence& found) const {
        const std::size_t thresholds = records_.thresholds, first = strip.area * thresholds;
        const std::uint32_t image = images_[row];
        const bool is_counted = !bit(records_.ignored, row, first + thresholds - 1);
        if (is_counted && strip.has_precision) found.counted.push_back(image);
        bool is_hit = false;
        for (std::size_t t = 0; t < thresholds; ++t) {
            Lane& lane = found.lanes[t];
            const bool counts = !bit(records_.ignored, row, first + t);
            if (counts != is_counted && strip.has_precision)
                lane.changes.push_back({static_cast<std::uint32_t>(lane.hits.size()), image, counts ? 1 : -1});
            if (!counts || !bit(records_.matched, row, first + t)) continue;
            lane.hits.push_back({image, static_cast<std::uint32_t>(found.ends.size())});
            is_hit = true;
        }
        if (is_hit) found.ends.push_back(static_cast<std::uint32_t>(found.counted.size()));
    }

    bool bit(const std::uint64_t* words, std::uint32_t row, std::size_t lane) const {
        return words[(first_ + row) * words_ + lane / 64] >> (lane % 64) & 1;
    }

    const Records& records_;
    const std::int32_t* image_;
    std::size_t first_, words_, begin_, end_;
    std::vector<std::int32_t> ranks_;
    std::vector<std::uint32_t> images_;
    order::Rows order_;
};

// Guesses down to each row of hits that count.
struct CountRows {
    static VESICA_INLINE void body(const Sequence& of, const std::uint8_t* drawn, std::int32_t* VESICA_RESTRICT out) {
        std::int32_t total[wide] = {};
        std::size_t k = 0;
        for (std::size_t row = 0; row < of.ends.size(); ++row) {
            for (; k < of.ends[row]; ++k) {
                const std::uint8_t* const times = drawn + wide * of.counted[k];
                for (std::size_t b = 0; b < wide; ++b) total[b] += times[b];
            }
            for (std::size_t b = 0; b < wide; ++b) out[wide * row + b] = total[b];
        }
    }
};

// How often images are drawn, all together.
struct CountImages {
    static VESICA_INLINE void body(const std::vector<std::uint32_t>& images, const std::uint8_t* drawn,
                                   std::int32_t* VESICA_RESTRICT found) {
        std::int32_t total[wide] = {};
        for (const std::uint32_t image : images)
            for (std::size_t b = 0; b < wide; ++b) total[b] += drawn[wide * image + b];
        for (std::size_t b = 0; b < wide; ++b) found[b] = total[b];
    }
};

// Truths of the images that are drawn.
struct CountTruths {
    static VESICA_INLINE void body(const std::vector<Truths>& given, const std::uint8_t* drawn,
                                   std::int64_t* VESICA_RESTRICT found) {
        std::int64_t total[wide] = {};
        for (const Truths& truths : given) {
            const std::uint8_t* const times = drawn + wide * truths.image;
            for (std::size_t b = 0; b < wide; ++b) total[b] += static_cast<std::int64_t>(truths.count) * times[b];
        }
        for (std::size_t b = 0; b < wide; ++b) found[b] = total[b];
    }
};

struct CountHits {
    static VESICA_INLINE void body(const Lane& lane, const std::uint8_t* drawn, std::int32_t* VESICA_RESTRICT found) {
        std::int32_t total[wide] = {};
        for (const Hit& hit : lane.hits)
            for (std::size_t b = 0; b < wide; ++b) total[b] += drawn[wide * hit.image + b];
        for (std::size_t b = 0; b < wide; ++b) found[b] = total[b];
    }
};

// The share of right guesses at each hit, and how many hits there are down to it: (hits, wide). Of the copies of a
// guess the last one has the highest precision, and stands for all.
struct Precisions {
    static VESICA_INLINE void body(const Lane& lane, const std::uint8_t* drawn, const std::int32_t* rows,
                                   double epsilon, double* VESICA_RESTRICT shares,
                                   std::int32_t* VESICA_RESTRICT found) {
        std::int32_t right[wide] = {}, more[wide] = {};
        std::size_t k = 0;
        const auto until = [&](std::size_t end) {
            for (; k < end; ++k) {
                const std::uint8_t* const times = drawn + wide * lane.hits[k].image;
                const std::int32_t* const counted = rows + wide * lane.hits[k].row;
                for (std::size_t b = 0; b < wide; ++b) right[b] += times[b];
                for (std::size_t b = 0; b < wide; ++b) found[wide * k + b] = right[b];
                for (std::size_t b = 0; b < wide; ++b)
                    shares[wide * k + b] =
                        static_cast<double>(right[b]) / (static_cast<double>(counted[b] + more[b]) + epsilon);
            }
        };
        for (const Change& change : lane.changes) {
            until(change.at);
            for (std::size_t b = 0; b < wide; ++b) more[b] += change.sign * drawn[wide * change.image + b];
        }
        until(lane.hits.size());
    }
};

// The best precision from each hit on.
struct Envelope {
    static VESICA_INLINE void body(std::size_t hits, double* VESICA_RESTRICT shares) {
        double best[wide] = {};
        for (std::size_t k = hits; k-- > 0;)
            for (std::size_t b = 0; b < wide; ++b) {
                best[b] = best[b] > shares[wide * k + b] ? best[b] : shares[wide * k + b];
                shares[wide * k + b] = best[b];
            }
    }
};

// Where precision is read, and where it is written: of each replicate a row of recalls, of which some are in reach.
struct Reading {
    const std::uint32_t* needed[wide];
    const std::uint8_t* reached[wide];  // how many recalls so many hits reach, where that is told
    double* out[wide];
    std::size_t reach[wide];
};

// Of few hits: each has the recalls that are reached with it and not with those before, and the best precision from it
// on. Backwards, eight numbers are written at once, however many they are: the hit before writes over what is too much.
// Two replicates at a time: while one waits for its last step, the other takes its own.
struct ReadRanges {
    static VESICA_INLINE void body(std::size_t hits, const double* shares, const std::int32_t* found,
                                   const Reading& reading) {
        static_assert(wide % 2 == 0);
        for (std::size_t b = 0; b < wide; b += 2) {
            const std::uint8_t *const reached = reading.reached[b], *const next_reached = reading.reached[b + 1];
            double *const out = reading.out[b], *const next_out = reading.out[b + 1];
            std::size_t until = reading.reach[b], next_until = reading.reach[b + 1];
            double best = 0, next_best = 0;
            for (std::size_t k = hits; k-- > 0;) {
                const std::size_t now = wide * k + b;
                step(shares[now], k ? reached[found[now - wide]] : 0, out, best, until);
                step(shares[now + 1], k ? next_reached[found[now + 1 - wide]] : 0, next_out, next_best, next_until);
            }
        }
    }
    static constexpr std::size_t at_once = 8;

  private:
    static VESICA_INLINE void step(double share, std::size_t from, double* out, double& best, std::size_t& until) {
        best = best > share ? best : share;
        for (std::size_t j = 0; j < at_once; ++j) (out + until)[-1 - static_cast<std::ptrdiff_t>(j)] = best;
        for (std::size_t r = from; r + at_once < until; ++r) out[r] = best;
        until = from;
    }
};

// Of many hits: the first one with enough hits down to it, by halves, in all replicates side by side.
struct ReadByHalves {
    static VESICA_INLINE void body(std::size_t hits, const double* shares, const std::int32_t* found,
                                   const Reading& reading) {
        std::size_t most = 0;
        for (std::size_t b = 0; b < wide; ++b) most = reading.reach[b] > most ? reading.reach[b] : most;
        for (std::size_t r = 0; r < most; ++r) {
            std::int32_t need[wide];
            std::size_t at[wide] = {};
            for (std::size_t b = 0; b < wide; ++b)
                need[b] = r < reading.reach[b] ? static_cast<std::int32_t>(reading.needed[b][r]) : 0;
            for (std::size_t left = hits; left > 1;) {
                const std::size_t half = left / 2;
                for (std::size_t b = 0; b < wide; ++b)
                    at[b] += found[wide * (at[b] + half - 1) + b] < need[b] ? half : 0;
                left -= half;
            }
            for (std::size_t b = 0; b < wide; ++b) reading.out[b][r] = shares[wide * at[b] + b];
        }
    }
};

// Precisions at some recalls, one row of categories after the other: tile[r, k] = values[members[k], r].
struct Gather {
    static VESICA_INLINE void body(const double* values, std::size_t step, const std::vector<std::uint32_t>& members,
                                   std::size_t rows, double* VESICA_RESTRICT tile) {
        const std::size_t count = members.size();
        std::size_t k = 0;
        for (; k + line <= count; k += line) {
            const double* own[line];
            for (std::size_t j = 0; j < line; ++j) own[j] = values + members[k + j] * step;
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t j = 0; j < line; ++j) tile[r * count + k + j] = own[j][r];
        }
        for (; k < count; ++k) {
            const double* const own = values + members[k] * step;
            for (std::size_t r = 0; r < rows; ++r) tile[r * count + k] = own[r];
        }
    }
    static constexpr std::size_t at_once = 16;
};

struct Add {
    static VESICA_INLINE void body(PairwiseSum* sum, const double* numbers, std::size_t count) {
        sum->add(numbers, count);
    }
};

// A number that is made.
struct Making {
    std::size_t number, class_number;
    bool has_classes;
    std::size_t group;  // of categories
    std::size_t thresholds = 0;
    std::size_t slot = 0;  // among the lines of its strip, for the sums of categories
};

// Some replicates, one beside the other, of all strips.
class Block {
  public:
    Block(const Records& records, std::size_t images, const Draws& draws, const Request& request,
          const Sequences& sequences, const Answer& answer)
        : records_(records),
          images_(images),
          draws_(draws),
          request_(request),
          sequences_(sequences),
          answer_(answer),
          padded_((request.recall_count + ReadRanges::at_once + line - 1) / line * line | line) {
        is_rising_ = std::is_sorted(request.recalls, request.recalls + request.recall_count);
        has_ranges_ = is_rising_ && request.recall_count < many_recalls;
        group_lines();
    }

    void write(std::size_t first) {
        first_ = first;
        count_ = std::min(wide, request_.replicates - first);
        draw();
        for (std::size_t s = 0; s < request_.strip_count; ++s) write_strip(s);
        for (std::size_t c = 0; c < sequences_.tallies.size(); ++c) write_counts(sequences_.tallies[c], c);
    }

  private:
    std::size_t categories() const { return records_.category_count; }

    // Lines of one strip over the same categories read the same rows of numbers.
    void group_lines() {
        class_lines_ = 0;
        making_.resize(request_.line_count);
        for (std::size_t n = 0; n < request_.line_count; ++n) {
            const Line& own = request_.lines[n];
            const std::size_t group =
                static_cast<std::size_t>(std::find(groups_.begin(), groups_.end(), own.categories) - groups_.begin());
            if (group == groups_.size()) groups_.push_back(own.categories);
            Making& making = making_[n];
            making = {n, class_lines_, own.categories == nullptr && answer_.classes, group, 0, 0};
            class_lines_ += own.categories == nullptr;
            for (std::size_t t = 0; t < records_.thresholds; ++t) making.thresholds += own.thresholds[t] != 0;
            for (std::size_t before = 0; before < n; ++before) making.slot += request_.lines[before].strip == own.strip;
            overall_.resize(std::max(overall_.size(), making.slot + 1), std::vector<PairwiseSum>(wide));
            sums_.resize(overall_.size());
            if (making.has_classes) sums_[making.slot].resize(wide * categories());
        }
    }

    void draw() {
        drawn_.assign(wide * images_, 0);
        if (draws_.given) {
            for (std::size_t b = 0; b < count_; ++b)
                for (std::size_t i = 0; i < images_; ++i)
                    drawn_[wide * i + b] = draws_.given[(first_ + b) * images_ + i];
            return;
        }
        constexpr std::size_t some = 4096;
        times_.resize(wide * some);
        for (std::size_t i = 0; i < images_; i += some) {
            const std::size_t size = std::min(some, images_ - i);
            statistics::weights(draws_.keys + i, size, draws_.seed, draws_.first + first_, count_, draws_.limits, 1,
                                times_.data());
            for (std::size_t b = 0; b < count_; ++b)
                for (std::size_t k = 0; k < size; ++k)
                    drawn_[wide * (i + k) + b] = static_cast<std::uint8_t>(times_[b * size + k]);
        }
    }

    void write_strip(std::size_t s) {
        const Strip& strip = request_.strips[s];
        const std::vector<Sequence>& own = sequences_.strips[s];
        count_positives(own);
        start_lines(s);
        if (strip.has_precision) {
            count_rows(own);
            count_needed();
        }
        grow(recalls_, wide * records_.thresholds * categories());
        for (std::size_t t = 0; t < records_.thresholds; ++t) {
            if (strip.has_precision) {
                grow(values_, (wide * categories() + 1) * padded_);
                for (std::size_t c = 0; c < categories(); ++c) write_precisions(own[c], c, t);
                add_precisions(s, t);
            } else {
                for (std::size_t c = 0; c < categories(); ++c) write_recalls(own[c], c, t);
            }
        }
        add_recalls(s);
        write_lines(s);
    }

    void count_positives(const std::vector<Sequence>& own) {
        grow(positives_, wide * categories());
        for (std::size_t c = 0; c < categories(); ++c) count_truths(own[c].truths, positives_.data() + wide * c);
        members_.assign(wide * groups_.size(), {});
        for (std::size_t g = 0; g < groups_.size(); ++g)
            for (std::size_t b = 0; b < count_; ++b)
                for (std::size_t c = 0; c < categories(); ++c)
                    if (positives_[wide * c + b] && (!groups_[g] || groups_[g][c]))
                        members_[wide * g + b].push_back(static_cast<std::uint32_t>(c));
    }

    void count_truths(const std::vector<Truths>& given, std::int64_t* found) const {
        simd::run<CountTruths>(given, static_cast<const std::uint8_t*>(drawn_.data()), found);
    }

    void write_counts(const Tally& own, std::size_t c) {
        std::int32_t right[wide], wrong[wide];
        std::int64_t truths[wide];
        const std::uint8_t* const drawn = drawn_.data();
        simd::run<CountImages>(own.right, drawn, right + 0);
        simd::run<CountImages>(own.wrong, drawn, wrong + 0);
        count_truths(own.truths, truths);
        for (std::size_t b = 0; b < count_; ++b) {
            double* const out = answer_.counts + ((first_ + b) * categories() + c) * 3;
            out[0] = static_cast<double>(right[b]);
            out[1] = static_cast<double>(wrong[b]);
            out[2] = static_cast<double>(truths[b]);
        }
    }

    // How many guesses count, down to each row of hits of each category.
    void count_rows(const std::vector<Sequence>& own) {
        starts_.assign(categories() + 1, 0);
        for (std::size_t c = 0; c < categories(); ++c) starts_[c + 1] = starts_[c] + own[c].ends.size();
        grow(rows_, wide * starts_.back());
        for (std::size_t c = 0; c < categories(); ++c) {
            simd::run<CountRows>(own[c], static_cast<const std::uint8_t*>(drawn_.data()),
                                 rows_.data() + wide * starts_[c]);
            interrupt::poll();
        }
    }

    void count_needed() {
        const std::size_t recalls = request_.recall_count;
        grow(needed_, wide * recalls * categories());
        for (std::size_t at = 0; at < wide * categories(); ++at)
            if (positives_[at])
                recall_points::needed(request_.recalls, recalls, positives_[at], needed_.data() + at * recalls);
        tables_.assign(categories() + 1, 0);
        for (std::size_t c = 0; c < categories(); ++c) tables_[c + 1] = tables_[c] + wide * table_size(c);
        grow(reached_, tables_.back());
        for (std::size_t c = 0; c < categories(); ++c)
            if (const std::size_t size = table_size(c))
                for (std::size_t b = 0; b < wide; ++b) count_reached(c, b, size);
    }

    // Hits that the table of a category knows, from 0 on; none if there are too many.
    std::size_t table_size(std::size_t c) const {
        const std::int64_t* const own = positives_.data() + wide * c;
        const auto most = static_cast<std::size_t>(*std::max_element(own, own + wide));
        return has_ranges_ && most < many_truths ? most + 1 : 0;
    }

    // How many recalls are reached by 0, 1, … hits.
    void count_reached(std::size_t c, std::size_t b, std::size_t size) {
        std::uint8_t* const reached = reached_.data() + tables_[c] + b * size;
        std::fill_n(reached, size, std::uint8_t(0));
        if (!positives_[wide * c + b]) return;
        const std::uint32_t* const needed = needed_.data() + (wide * c + b) * request_.recall_count;
        for (std::size_t r = 0; r < request_.recall_count; ++r)
            if (needed[r] < size) ++reached[needed[r]];
        std::uint8_t total = 0;
        for (std::size_t n = 0; n < size; ++n) reached[n] = total = static_cast<std::uint8_t>(total + reached[n]);
    }

    void write_recalls(const Sequence& own, std::size_t c, std::size_t t) {
        std::int32_t found[wide];
        simd::run<CountHits>(own.lanes[t], static_cast<const std::uint8_t*>(drawn_.data()), found + 0);
        keep_recalls(found, c, t);
    }

    void keep_recalls(const std::int32_t* found, std::size_t c, std::size_t t) {
        for (std::size_t b = 0; b < wide; ++b)
            recalls_[(b * records_.thresholds + t) * categories() + c] =
                static_cast<double>(found[b]) / static_cast<double>(positives_[wide * c + b]);
    }

    void repeat_recalls(std::size_t c, std::size_t t) {
        for (std::size_t b = 0; b < wide; ++b) {
            double* const own = recalls_.data() + (b * records_.thresholds + t) * categories() + c;
            own[0] = own[-static_cast<std::ptrdiff_t>(categories())];
        }
    }

    // Precision at all recalls of one category at one threshold.
    void write_precisions(const Sequence& own, std::size_t c, std::size_t t) {
        const Lane& lane = own.lanes[t];
        if (lane.is_repeated) return repeat_recalls(c, t);  // and `values_` still has the precisions
        const std::uint8_t* const drawn = drawn_.data();
        const std::size_t hits = lane.hits.size();
        grow(found_, wide * std::max<std::size_t>(hits, 1));
        grow(shares_, wide * hits);
        std::fill_n(found_.begin(), wide, 0);
        simd::run<Precisions>(lane, drawn, static_cast<const std::int32_t*>(rows_.data()) + wide * starts_[c],
                              request_.epsilon, shares_.data(), found_.data());
        const std::int32_t* const found = found_.data() + (hits ? wide * (hits - 1) : 0);
        keep_recalls(found, c, t);

        const std::size_t size = hits <= many_hits ? table_size(c) : 0;
        const bool is_told = size && static_cast<std::size_t>(*std::max_element(found, found + wide)) < size;
        const Reading reading = is_told ? ranges_of(found, c, size) : reading_of(found, c);
        if (is_told)
            simd::run<ReadRanges>(hits, static_cast<const double*>(shares_.data()),
                                  static_cast<const std::int32_t*>(found_.data()), reading);
        else if (hits) {
            simd::run<Envelope>(hits, shares_.data());
            simd::run<ReadByHalves>(hits, static_cast<const double*>(shares_.data()),
                                    static_cast<const std::int32_t*>(found_.data()), reading);
        }
        // What is out of reach has no precision.
        for (std::size_t b = 0; b < wide; ++b)
            std::fill(reading.out[b] + (hits ? reading.reach[b] : 0), reading.out[b] + request_.recall_count, 0.0);
        interrupt::poll();
    }

    // Buffers that are written before they are read: old content is not cleared.
    template <class T>
    static void grow(std::vector<T>& room, std::size_t size) {
        if (room.size() < size) room.resize(size);
    }

    // The precisions of a category in a replicate. What is before them may be written over.
    double* row_of(std::size_t b, std::size_t c) { return values_.data() + (b * categories() + c + 1) * padded_; }

    Reading ranges_of(const std::int32_t* found, std::size_t c, std::size_t size) {
        Reading reading = {};
        for (std::size_t b = 0; b < wide; ++b) {
            reading.reached[b] = reached_.data() + tables_[c] + b * size;
            reading.out[b] = row_of(b, c);
            reading.reach[b] = reading.reached[b][found[b]];
        }
        return reading;
    }

    Reading reading_of(const std::int32_t* found, std::size_t c) {
        Reading reading = {};
        for (std::size_t b = 0; b < wide; ++b) {
            const std::uint32_t* const needed = needed_.data() + (wide * c + b) * request_.recall_count;
            reading.needed[b] = needed;
            reading.out[b] = row_of(b, c);
            // The first recall out of reach ends it, also for later ones that would be in reach.
            const auto last = static_cast<std::uint32_t>(found[b]);
            const std::uint32_t* const end = needed + (positives_[wide * c + b] ? request_.recall_count : 0);
            const auto is_reached = [&](std::uint32_t need) { return need <= last; };
            const std::uint32_t* const first =
                is_rising_ ? std::partition_point(needed, end, is_reached) : std::find_if_not(needed, end, is_reached);
            reading.reach[b] = static_cast<std::size_t>(first - needed);
        }
        return reading;
    }

    template <class Work>
    void for_lines(std::size_t s, bool is_precision, const Work& work) {
        for (Making& making : making_) {
            const Line& own = request_.lines[making.number];
            if (own.strip == s && own.is_precision == is_precision) work(making, own);
        }
    }

    void start_lines(std::size_t s) {
        for (const bool is_precision : {true, false}) {
            const std::size_t points = is_precision ? request_.recall_count : 1;
            for_lines(s, is_precision, [&](Making& making, const Line&) {
                for (std::size_t b = 0; b < count_; ++b)
                    overall_[making.slot][b].start(making.thresholds * points *
                                                   members_[wide * making.group + b].size());
                if (making.has_classes)
                    for (PairwiseSum& sum : sums_[making.slot]) sum.start(making.thresholds * points);
            });
        }
    }

    // The order of additions is that of recalls, then categories.
    void add_precisions(std::size_t s, std::size_t t) {
        const std::size_t recalls = request_.recall_count;
        grow(row_, Gather::at_once * categories());
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            std::vector<Making*> own;
            for_lines(s, true, [&](Making& making, const Line& told) {
                if (making.group == g && told.thresholds[t]) own.push_back(&making);
            });
            if (own.empty()) continue;
            for (std::size_t b = 0; b < count_; ++b) {
                const std::vector<std::uint32_t>& members = members_[wide * g + b];
                const double* const values = row_of(b, 0);
                for (std::size_t r = 0; r < recalls; r += Gather::at_once) {
                    const std::size_t rows = std::min(Gather::at_once, recalls - r);
                    simd::run<Gather>(values + r, padded_, members, rows, row_.data());
                    for (Making* const making : own) add(overall_[making->slot][b], row_.data(), rows * members.size());
                }
                for (Making* const making : own)
                    if (making->has_classes)
                        for (const std::uint32_t c : members)
                            add(sums_[making->slot][wide * c + b], values + c * padded_, recalls);
            }
        }
    }

    static void add(PairwiseSum& sum, const double* numbers, std::size_t count) {
        simd::run<Add>(&sum, numbers, count);
    }

    void add_recalls(std::size_t s) {
        for_lines(s, false, [&](Making& making, const Line& own) {
            grow(row_, categories());
            for (std::size_t b = 0; b < count_; ++b)
                for (std::size_t t = 0; t < records_.thresholds; ++t) {
                    if (!own.thresholds[t]) continue;
                    const std::vector<std::uint32_t>& members = members_[wide * making.group + b];
                    const double* const values = recalls_.data() + (b * records_.thresholds + t) * categories();
                    for (std::size_t k = 0; k < members.size(); ++k) row_[k] = values[members[k]];
                    add(overall_[making.slot][b], row_.data(), members.size());
                    if (making.has_classes)
                        for (const std::uint32_t c : members) add(sums_[making.slot][wide * c + b], values + c, 1);
                }
        });
    }

    void write_lines(std::size_t s) {
        const double nothing = std::numeric_limits<double>::quiet_NaN();
        const auto mean = [&](const PairwiseSum& sum) {
            return sum.count() ? sum.total() / static_cast<double>(sum.count()) : nothing;
        };
        for (const bool is_precision : {true, false})
            for_lines(s, is_precision, [&](Making& making, const Line&) {
                for (std::size_t b = 0; b < count_; ++b) {
                    answer_.overall[(first_ + b) * request_.line_count + making.number] =
                        mean(overall_[making.slot][b]);
                    if (!making.has_classes) continue;
                    for (std::size_t c = 0; c < categories(); ++c)
                        answer_.classes[((first_ + b) * categories() + c) * class_lines_ + making.class_number] =
                            positives_[wide * c + b] ? mean(sums_[making.slot][wide * c + b]) : nothing;
                }
            });
    }

    const Records& records_;
    std::size_t images_;
    const Draws& draws_;
    const Request& request_;
    const Sequences& sequences_;
    const Answer& answer_;
    std::size_t padded_, class_lines_ = 0, first_ = 0, count_ = 0;
    bool is_rising_, has_ranges_;
    std::vector<const std::uint8_t*> groups_;
    std::vector<Making> making_;
    std::vector<std::vector<PairwiseSum>> overall_, sums_;  // of replicates, and of replicates of categories; by slot
    std::vector<std::uint8_t> drawn_;
    std::vector<double> times_, shares_, values_, recalls_, row_;
    std::vector<std::int64_t> positives_;
    std::vector<std::vector<std::uint32_t>> members_;
    std::vector<std::size_t> starts_;
    std::vector<std::int32_t> rows_, found_;
    std::vector<std::uint32_t> needed_;
    std::vector<std::size_t> tables_;  // where that of each category begins
    std::vector<std::uint8_t> reached_;
};

Sequences sequences_of(const Records& records, const std::int32_t* image, const Request& request) {
    const std::size_t categories = records.category_count;
    std::vector<std::size_t> first(categories + 1, 0);
    for (std::size_t c = 0; c < categories; ++c) {
        first[c + 1] = first[c];
        for (std::int64_t cell = records.categories[c]; cell < records.categories[c + 1]; ++cell)
            first[c + 1] += static_cast<std::size_t>(records.guesses[cell]);
    }
    Sequences found{{request.strip_count, std::vector<Sequence>(categories)},
                    std::vector<Tally>(request.cut ? categories : 0)};
    threads::run(categories, request.threads, [&](std::size_t c) {
        const Sorted sorted(records, image, c, first[c]);
        for (std::size_t s = 0; s < request.strip_count; ++s) found.strips[s][c] = sorted.sequence(request.strips[s]);
        if (request.cut) found.tallies[c] = sorted.tally(*request.cut);
    });
    return found;
}

}  // namespace

void replicate(const Records& records, const std::int32_t* image, std::size_t images, const Draws& draws,
               const Request& request, const Answer& answer) {
    const Sequences sequences = sequences_of(records, image, request);
    const std::size_t blocks = (request.replicates + wide - 1) / wide;
    // Some blocks one after the other use the same memory.
    const std::size_t chunks = std::min(blocks, 4 * threads::at_least_one(request.threads));
    threads::run(chunks, request.threads, [&](std::size_t chunk) {
        Block block(records, images, draws, request, sequences, answer);
        for (std::size_t k = chunk; k < blocks; k += chunks) block.write(wide * k);
    });
}

}  // namespace vesica::bootstrap

#include "detection/match_cells.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/interrupt.hpp"
#include "base/order.hpp"
#include "base/partition.hpp"
#include "base/threads.hpp"
#include "detection/boundary.hpp"
#include "detection/cell_masks.hpp"

namespace vesica::match_cells {
namespace {

using Row = std::uint32_t;
using Rows = memory::Vector<Row>;

// ---- Cells

// Rows by category, then image, then as they came; and where each category begins.
struct Grouped {
    Rows rows;
    std::vector<std::size_t> starts;
};

// A stable counting sort of the rows by a place below `places`; rows with no place are left out.
Rows counted_by(const std::int32_t* place, std::size_t places, const Rows* rows, std::size_t count, std::size_t threads,
                std::vector<std::size_t>& starts) {
    const auto row_at = [&](std::size_t k) { return rows ? (*rows)[k] : static_cast<Row>(k); };
    const auto bucket = [&](std::size_t k) {
        const std::int32_t at = place[row_at(k)];
        return at < 0 ? places : static_cast<std::size_t>(at);  // those with no place come last
    };
    Rows out(count);
    starts = partition::stable(count, places + 1, threads, bucket,
                               [&](std::size_t k, std::size_t to) { out[to] = row_at(k); });
    starts.pop_back();
    out.resize(starts.back());
    return out;
}

bool are_in_order(const Side& side, std::size_t threads) {
    std::atomic<bool> answer{!side.count || side.image[0] >= 0};
    partition::Chunks(side.count, threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t before = begin ? begin - 1 : 0;
        if (!std::is_sorted(side.image + before, side.image + end)) answer = false;
    });
    return answer;
}

Grouped grouped(const Side& side, std::size_t images, std::size_t categories, std::size_t threads) {
    Grouped out;
    // Most files have their images in order, or at least all rows of an image together.
    if (are_in_order(side, threads)) {
        out.rows = counted_by(side.category, categories, nullptr, side.count, threads, out.starts);
    } else {
        const Rows by_image = counted_by(side.image, images, nullptr, side.count, threads, out.starts);
        out.rows = counted_by(side.category, categories, &by_image, by_image.size(), threads, out.starts);
    }
    return out;
}

struct Cell {
    std::int32_t image;
    std::uint32_t guesses, truths;  // the first of each among the rows that are grouped
    std::uint32_t guess_count, truth_count;
    std::uint32_t out;  // where its guesses go
};

using Cells = memory::Vector<Cell>;

struct Sides {
    Grouped by_guess, by_truth;
};

Sides grouped(const Truths& truths, const Guesses& guesses, std::size_t images, std::size_t categories,
              std::size_t threads) {
    return {grouped(guesses, images, categories, threads), grouped(truths, images, categories, threads)};
}

// Rows of one category, those of some images: a stretch of the guesses that are grouped, and one of the truths.
struct Stretch {
    std::size_t category, guesses, guesses_end, truths, truths_end;
};

// The rows of each category; where threads share them, a category that has more than its share is cut between images.
std::vector<Stretch> stretches(const Truths& truths, const Guesses& guesses, const Sides& sides, std::size_t categories,
                               std::size_t rows_at_once) {
    const Grouped &g = sides.by_guess, &t = sides.by_truth;
    std::vector<Stretch> out;
    for (std::size_t c = 0; c < categories; ++c) {
        std::size_t i = g.starts[c], j = t.starts[c];
        const std::size_t end_i = g.starts[c + 1], end_j = t.starts[c + 1];
        while (end_i - i > rows_at_once) {
            // All rows of the image that the share ends in.
            const auto behind = [](const Side& side, const Rows& rows, std::size_t begin, std::size_t end,
                                   std::int32_t image) {
                const auto is_before = [&](std::int32_t value, Row row) { return value < side.image[row]; };
                return static_cast<std::size_t>(std::upper_bound(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                                                 rows.begin() + static_cast<std::ptrdiff_t>(end), image,
                                                                 is_before) -
                                                rows.begin());
            };
            const std::int32_t image = guesses.image[g.rows[i + rows_at_once]];
            const std::size_t next_i = behind(guesses, g.rows, i, end_i, image);
            const std::size_t next_j = behind(truths, t.rows, j, end_j, image);
            out.push_back({c, i, next_i, j, next_j});
            i = next_i, j = next_j;
        }
        out.push_back({c, i, end_i, j, end_j});
    }
    return out;
}

// The cells of a stretch; returns how many guesses of them are looked at, `limit` of each at most.
std::size_t add_cells(const Side& guesses, const Grouped& g, const Side& truths, const Grouped& t,
                      const Stretch& stretch, std::size_t limit, Cells& cells) {
    std::size_t i = stretch.guesses, j = stretch.truths, looked_at = 0;
    while (i < stretch.guesses_end || j < stretch.truths_end) {
        const std::int32_t left = i < stretch.guesses_end ? guesses.image[g.rows[i]] : INT32_MAX;
        const std::int32_t right = j < stretch.truths_end ? truths.image[t.rows[j]] : INT32_MAX;
        const std::int32_t image = std::min(left, right);
        const std::size_t from_i = i, from_j = j;
        while (i < stretch.guesses_end && guesses.image[g.rows[i]] == image) ++i;
        while (j < stretch.truths_end && truths.image[t.rows[j]] == image) ++j;
        cells.push_back({image, static_cast<std::uint32_t>(from_i), static_cast<std::uint32_t>(from_j),
                         static_cast<std::uint32_t>(i - from_i), static_cast<std::uint32_t>(j - from_j), 0});
        looked_at += std::min(i - from_i, limit);
    }
    return looked_at;
}

// The cells in the order of images, in which files have them: what one image needs lies together. They come by
// category, whose cells have rising images, so a thread that sorts some images finds their cells in each category.
Rows by_image(const Cells& cells, const std::vector<std::int64_t>& categories, std::size_t images,
              std::size_t threads) {
    Rows order(cells.size());
    const std::size_t shares = partition::is_shared(cells.size(), threads) ? 2 * threads : 1;
    const std::size_t share = threads::at_least_one((images + shares - 1) / shares);
    threads::over(images, share, threads, [&](std::size_t first, std::size_t end) {
        const auto behind = [&](std::size_t category, std::size_t image) {
            const auto is_before = [](const Cell& cell, std::size_t value) {
                return static_cast<std::size_t>(cell.image) < value;
            };
            return static_cast<std::size_t>(std::lower_bound(cells.begin() + categories[category],
                                                             cells.begin() + categories[category + 1], image,
                                                             is_before) -
                                            cells.begin());
        };
        std::vector<std::pair<std::size_t, std::size_t>> own;
        std::vector<std::size_t> at(end - first + 1, 0);
        for (std::size_t c = 0; c + 1 < categories.size(); ++c) {
            own.emplace_back(behind(c, first), behind(c, end));
            at[0] += own[c].first - static_cast<std::size_t>(categories[c]);
            for (std::size_t k = own[c].first; k < own[c].second; ++k)
                ++at[static_cast<std::size_t>(cells[k].image) - first + 1];
        }
        for (std::size_t k = 1; k < at.size(); ++k) at[k] += at[k - 1];
        for (const auto& [begin, last] : own)
            for (std::size_t k = begin; k < last; ++k)
                order[at[static_cast<std::size_t>(cells[k].image) - first]++] = static_cast<Row>(k);
    });
    return order;
}

// ---- Lanes

// The masks of a request that are asked for again and again.
class Masks {
  public:
    explicit Masks(const Lanes& lanes) : lanes_(lanes), words_(lanes.words()), all_(words_, 0) {
        const std::size_t t = lanes.bars.size(), a = lanes.lowest.size();
        areas_.resize(a * words_, 0);
        for (std::size_t lane = 0; lane < lanes.count(); ++lane) {
            const Word bit = Word(1) << (lane & 63);
            all_[lane / 64] |= bit;
            areas_[lane / t * words_ + lane / 64] |= bit;
        }
        // The thresholds in rising order: the first k of them are the ones that a value reaches.
        sorted_ = lanes.bars;
        std::sort(sorted_.begin(), sorted_.end());
        reached_.resize((t + 1) * words_, 0);
        for (std::size_t k = 1; k <= t; ++k)
            for (std::size_t lane = 0; lane < lanes.count(); ++lane)
                if (lanes.bars[lane % t] <= sorted_[k - 1]) reached_[k * words_ + lane / 64] |= Word(1) << (lane & 63);
    }

    std::size_t words() const { return words_; }
    const Word* all() const { return all_.data(); }
    double floor() const { return sorted_.empty() ? 1 : sorted_.front(); }

    // The lanes whose threshold the value reaches.
    const Word* reached(double value) const {
        std::size_t k = 0;
        for (const double bar : sorted_) k += bar <= value;
        return reached_.data() + k * words_;
    }

    // The lanes of the ranges that the area lies outside of.
    template <std::size_t fixed_words>
    void outside(double area, Word* out) const {
        const std::size_t words = fixed_words ? fixed_words : words_;
        const double *const lowest = lanes_.lowest.data(), *const highest = lanes_.highest.data();
        const Word* const lanes = areas_.data();
        std::fill_n(out, words, Word(0));
        for (std::size_t a = 0, count = lanes_.lowest.size(); a < count; ++a) {
            const Word is_outside = -Word((area < lowest[a]) | (area > highest[a]));
            for (std::size_t w = 0; w < words; ++w) out[w] |= lanes[a * words + w] & is_outside;
        }
    }

  private:
    const Lanes& lanes_;
    std::size_t words_;
    std::vector<Word> all_, areas_, reached_;
    std::vector<double> sorted_;
};

// ---- Matching

// Boxes of one cell. See coco_masks.hpp for masks.
template <bool has_nan>
class Boxes {
  public:
    Boxes(const double* truths, const std::uint8_t* crowd, const double* guesses)
        : truths_(truths), crowd_(crowd), guesses_(guesses) {}

    void open(const Row* truths, std::size_t count) {
        here_.resize(count);
        for (std::size_t k = 0; k < count; ++k) {
            const double* box = truths_ + 4 * std::size_t(truths[k]);
            here_[k] = {box[0], box[1], box[0] + box[2], box[1] + box[3], box[2] * box[3], crowd_ && crowd_[truths[k]]};
        }
    }

    // Every truth whose iou is not below the floor.
    void compare(Row guess, double floor, std::vector<Candidate>& found) const {
        const double *box = guesses_ + 4 * std::size_t(guess), right = box[0] + box[2], bottom = box[1] + box[3];
        const double area = box[2] * box[3];
        // Most pairs are far below the floor: a product shows it without a division, and with a margin for rounding.
        const double low = has_nan || !(floor > 0) ? -1 : floor * (1 - 1e-12);
        const Truth* const truths = here_.data();
        for (std::size_t k = 0, count = here_.size(); k < count; ++k) {
            const Truth& truth = truths[k];
            const double width = lesser(right, truth.right) - greater(box[0], truth.x);
            const double height = lesser(bottom, truth.bottom) - greater(box[1], truth.y);
            const double inter = std::max(width, 0.0) * std::max(height, 0.0);
            const double whole = truth.is_crowd ? area : area + truth.area - inter;
            if (low >= 0 && inter < low * whole) continue;
            const double iou = width <= 0 || height <= 0 ? 0 : width * height / whole;
            if (!(iou < floor)) found.push_back({iou, static_cast<std::uint32_t>(k)});
        }
    }

    double area(Row guess) const { return guesses_[4 * std::size_t(guess) + 2] * guesses_[4 * std::size_t(guess) + 3]; }

  private:
    // Of a number and NaN, fmin and fmax return the number.
    static double lesser(double a, double b) { return has_nan ? std::fmin(a, b) : std::min(a, b); }
    static double greater(double a, double b) { return has_nan ? std::fmax(a, b) : std::max(a, b); }

    struct Truth {
        double x, y, right, bottom, area;
        bool is_crowd;
    };
    const double* truths_;
    const std::uint8_t* crowd_;
    const double* guesses_;
    std::vector<Truth> here_;
};

// Regions whose overlaps are known.
class Known {
  public:
    Known(const Pairs& pairs, std::size_t truths) : pairs_(pairs), place_(truths) {}

    void open(const Row* truths, std::size_t count) {
        count_ = count;
        for (std::size_t k = 0; k < count; ++k) place_[truths[k]] = static_cast<std::uint32_t>(k);
    }

    // Every truth whose value is not below the floor. Pairs are of one cell, so their truths are those that are open.
    void compare(Row guess, double floor, std::vector<Candidate>& found) const {
        const bool wants_all = !(floor > 0);
        if (wants_all)
            for (std::size_t k = 0; k < count_; ++k) found.push_back({0, static_cast<std::uint32_t>(k)});
        for (std::int64_t p = pairs_.starts[guess]; p < pairs_.starts[guess + std::size_t(1)]; ++p) {
            const std::uint32_t truth = place_[static_cast<std::size_t>(pairs_.truth[p])];
            if (wants_all)
                found[truth].iou = pairs_.value[p];
            else if (!(pairs_.value[p] < floor))
                found.push_back({pairs_.value[p], truth});
        }
    }

    double area(Row) const { return 0; }  // not asked for: it was given

  private:
    Pairs pairs_;
    std::vector<std::uint32_t> place_;
    std::size_t count_ = 0;
};

// One thread's work on one cell after the other. Nearly always one word has all lanes: `fixed_words` is 1, or else 0,
// for any number.
template <class Scorer, std::size_t fixed_words>
class Matcher {
  public:
    Matcher(const Request& request, const Masks& masks, const Truths& truths, const Rows& truth_rows,
            const Guesses& guesses, const Rows& guess_rows, Scorer scorer, Records& records)
        : request_(request),
          masks_(masks),
          truths_(truths),
          truth_rows_(truth_rows),
          guesses_(guesses),
          guess_rows_(guess_rows),
          scorer_(std::move(scorer)),
          records_(records),
          word_count_(masks.words()),
          outside_(words()),
          open_(words()),
          id_zero_(words()) {}

    // What is known only when all cells are done.
    void add_to(Records& records) const {
        if constexpr (requires { scorer_.fault(); }) {
            if (scorer_.fault().before(records.fault)) records.fault = scorer_.fault();
            records.findings.short_counts += scorer_.findings().short_counts;
            records.findings.no_area += scorer_.findings().no_area;
        }
    }

    void match(const Cell& cell, std::int32_t* counted) {
        open(cell, counted);
        rank(cell);
        const std::size_t count = std::min<std::size_t>(cell.guess_count, request_.limit);
        for (std::size_t k = 0; k < count; ++k) {
            steps_.add(16 * (1 + std::size_t(cell.truth_count)));
            const Row row = ranked_[k].row;
            const std::size_t at = std::size_t(cell.out) + k;
            records_.row[at] = static_cast<std::int32_t>(row);
            records_.score[at] = guesses_.score[row];
            Word *matched = &records_.matched[at * words()], *ignored = &records_.ignored[at * words()];
            partner_ = request_.wants_partners ? &records_.partner[at * request_.lanes.count()] : nullptr;
            if (partner_) std::fill_n(partner_, request_.lanes.count(), -1);
            std::fill_n(matched, words(), Word(0));
            std::fill_n(ignored, words(), Word(0));
            std::copy_n(masks_.all(), words(), open_.data());
            if (cell.truth_count) find(row, matched, ignored);
            // What found nothing counts only where its area lies.
            if (std::all_of(open_.begin(), open_.end(), [](Word lanes) { return !lanes; })) continue;
            outside(row);
            for (std::size_t w = 0; w < words(); ++w) ignored[w] |= outside_[w] & open_[w];
        }
    }

  private:
    // The state of each truth of the cell: where it does not count, where it is taken.
    void open(const Cell& cell, std::int32_t* counted) {
        const std::size_t areas = request_.lanes.lowest.size(), thresholds = request_.lanes.bars.size();
        here_ = truth_rows_.data() + cell.truths;
        off_.resize(cell.truth_count * words());
        taken_.assign(cell.truth_count * words(), 0);
        std::fill_n(counted, areas, 0);
        for (std::size_t k = 0; k < cell.truth_count; ++k) {
            const Row row = here_[k];
            Word* const off = &off_[k * words()];
            if (truths_.ignore && truths_.ignore[row])
                std::copy_n(masks_.all(), words(), off);
            else
                masks_.template outside<fixed_words>(truths_.area[row], off);
            for (std::size_t a = 0; a < areas; ++a) counted[a] += !has(off, a * thresholds);
        }
        if (cell.truth_count && cell.guess_count) scorer_.open(here_, cell.truth_count);
    }

    // The guesses of the cell, best first; equal ones as they came.
    void rank(const Cell& cell) {
        const Row* const offered = guess_rows_.data() + cell.guesses;
        ranked_.resize(cell.guess_count);
        for (std::size_t k = 0; k < cell.guess_count; ++k)
            ranked_[k] = {order::falling(guesses_.score[offered[k]]), offered[k]};
        const auto is_better = [](const Ranked& a, const Ranked& b) { return a.key < b.key; };
        if (!std::is_sorted(ranked_.begin(), ranked_.end(), is_better))
            std::stable_sort(ranked_.begin(), ranked_.end(), is_better);
    }

    void outside(Row row) {
        if (guesses_.lenient && guesses_.lenient[row])
            std::copy_n(masks_.all(), words(), outside_.data());
        else
            masks_.template outside<fixed_words>(guesses_.area ? guesses_.area[row] : scorer_.area(row),
                                                 outside_.data());
    }

    // Leaves open the lanes in which nothing was found.
    void find(Row row, Word* matched, Word* ignored) {
        found_.clear();
        if (request_.is_plain) {
            scorer_.compare(row, -std::numeric_limits<double>::infinity(), found_);
            return find_plainly(matched, ignored);
        }
        scorer_.compare(row, masks_.floor(), found_);
        if (found_.empty()) return;
        if (request_.rule == Rule::voc) return find_best(matched, ignored);

        std::fill_n(id_zero_.data(), words(), Word(0));
        std::sort(found_.begin(), found_.end(), [](const Candidate& a, const Candidate& b) {
            return a.iou != b.iou ? a.iou > b.iou : a.truth > b.truth;
        });
        visit(false, matched, ignored);
        visit(true, matched, ignored);
        close();
    }

    // Truths in the order in which a lane would take them: it closes at the first that is free.
    void visit(bool is_second, Word* matched, Word* ignored) {
        for (const Candidate& candidate : found_) {
            const Row truth = here_[candidate.truth];
            const Word *reached = masks_.reached(candidate.iou), *off = &off_[candidate.truth * words()];
            Word* const taken = &taken_[candidate.truth * words()];
            const bool is_crowd = truths_.crowd && truths_.crowd[truth];
            const bool has_id_zero = truths_.id_zero && truths_.id_zero[truth];
            for (std::size_t w = 0; w < words(); ++w) {
                Word m = open_[w] & reached[w] & (is_second ? off[w] : ~off[w]);
                if (!is_crowd) m &= ~taken[w];
                open_[w] &= ~m, taken[w] |= m;
                if (is_second) ignored[w] |= m;
                (has_id_zero ? id_zero_[w] : matched[w]) |= m;
                note(m, w, truth);
            }
        }
    }

    // pycocotools reads a match with id 0 as unmatched (Q1): these lanes are open again, though the truth is taken.
    void close() {
        for (std::size_t w = 0; w < words(); ++w) open_[w] |= id_zero_[w];
    }

    void find_best(Word* matched, Word* ignored) {
        const Candidate best = *std::min_element(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            return a.iou != b.iou ? a.iou > b.iou : a.truth < b.truth;
        });
        const Word *reached = masks_.reached(best.iou), *off = &off_[best.truth * words()];
        Word* const taken = &taken_[best.truth * words()];
        for (std::size_t w = 0; w < words(); ++w) {
            const Word hit = reached[w] & ~off[w] & ~taken[w];
            ignored[w] |= reached[w] & off[w];
            matched[w] |= hit, taken[w] |= hit;
            open_[w] &= ~(hit | (reached[w] & off[w]));
            note(hit, w, here_[best.truth]);
        }
    }

    // One lane at a time, truths one after the other: the rule as it is told. All truths are in `found_`, in order.
    void find_plainly(Word* matched, Word* ignored) {
        const std::size_t lanes = request_.lanes.count(), thresholds = request_.lanes.bars.size();
        std::fill_n(id_zero_.data(), words(), Word(0));
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t w = lane / 64;
            const Word bit = Word(1) << (lane & 63);
            double bar = request_.lanes.bars[lane % thresholds];
            const Candidate* held = nullptr;
            bool holds_ignored = false;
            for (const bool is_off : {false, true}) {
                if (is_off && held) break;
                for (const Candidate& candidate : found_) {
                    if (has(&off_[candidate.truth * words()], lane) != is_off) continue;
                    const Row truth = here_[candidate.truth];
                    const bool is_crowd = truths_.crowd && truths_.crowd[truth];
                    if (has(&taken_[candidate.truth * words()], lane) && !is_crowd) continue;
                    if (candidate.iou < bar) continue;
                    bar = candidate.iou, held = &candidate, holds_ignored = is_off;
                }
            }
            if (!held) continue;
            const Row truth = here_[held->truth];
            const bool has_id_zero = truths_.id_zero && truths_.id_zero[truth];
            open_[w] &= ~bit, taken_[held->truth * words() + w] |= bit;
            if (holds_ignored) ignored[w] |= bit;
            (has_id_zero ? id_zero_[w] : matched[w]) |= bit;
            note(bit, w, truth);
        }
        close();
    }

    void note(Word lanes, std::size_t word, Row truth) {
        if (partner_)
            for (; lanes; lanes &= lanes - 1)
                partner_[word * 64 + static_cast<std::size_t>(std::countr_zero(lanes))] =
                    static_cast<std::int32_t>(truth);
    }

    std::size_t words() const { return fixed_words ? fixed_words : word_count_; }

    static bool has(const Word* words, std::size_t lane) { return words[lane / 64] >> (lane & 63) & 1; }

    struct Ranked {
        std::uint64_t key;
        Row row;
    };

    const Request& request_;
    const Masks& masks_;
    const Truths& truths_;
    const Rows& truth_rows_;
    const Guesses& guesses_;
    const Rows& guess_rows_;
    const Row* here_ = nullptr;  // the truths of the cell
    Scorer scorer_;
    Records& records_;
    std::size_t word_count_;
    std::vector<Word> off_, taken_, outside_, open_, id_zero_;
    std::vector<Ranked> ranked_;
    std::vector<Candidate> found_;
    std::int32_t* partner_ = nullptr;
    interrupt::Steps steps_;
};

// All cells by category, then image, the order in which they are matched, and room for what comes out.
struct Plan {
    Masks masks;
    Sides sides;
    Cells cells;
    Rows order;
    Records out;
};

Plan planned(const Request& request, const Truths& truths, const Guesses& guesses) {
    Sides sides = grouped(truths, guesses, request.images, request.categories, request.threads);
    Plan plan{Masks(request.lanes), std::move(sides), {}, {}, {}};

    const std::size_t shares = 2 * threads::at_least_one(request.threads);
    const std::size_t rows_at_once =
        request.threads > 1 ? std::max(guesses.count / shares, partition::few) : guesses.count;
    const auto all = stretches(truths, guesses, plan.sides, request.categories, rows_at_once);
    struct Part {
        Cells cells;
        std::size_t looked_at = 0, first_cell = 0, first_guess = 0;
    };
    std::vector<Part> parts(all.size());
    threads::run(all.size(), request.threads, [&](std::size_t k) {
        parts[k].looked_at =
            add_cells(guesses, plan.sides.by_guess, truths, plan.sides.by_truth, all[k], request.limit, parts[k].cells);
    });
    Records& out = plan.out;
    std::size_t count = 0, guess_count = 0;
    out.categories.assign(request.categories + 1, 0);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        parts[k].first_cell = count, parts[k].first_guess = guess_count;
        count += parts[k].cells.size(), guess_count += parts[k].looked_at;
        out.categories[all[k].category + 1] = static_cast<std::int64_t>(count);
    }
    plan.cells.resize(count), out.image.resize(count), out.guesses.resize(count);
    threads::run(all.size(), request.threads, [&](std::size_t part) {
        std::size_t guess = parts[part].first_guess, to = parts[part].first_cell;
        for (Cell cell : parts[part].cells) {
            const std::size_t looked_at = std::min<std::size_t>(cell.guess_count, request.limit);
            cell.out = static_cast<std::uint32_t>(guess);
            guess += looked_at;
            out.image[to] = cell.image;
            out.guesses[to] = static_cast<std::int32_t>(looked_at);
            plan.cells[to++] = cell;
        }
        parts[part].cells = {};
    });

    const std::size_t words = plan.masks.words();
    out.counted.resize(count * request.lanes.lowest.size());
    out.row.resize(guess_count), out.score.resize(guess_count);
    out.matched.resize(guess_count * words), out.ignored.resize(guess_count * words);
    if (request.wants_partners) out.partner.resize(guess_count * request.lanes.count());
    plan.order = by_image(plan.cells, out.categories, request.images, request.threads);
    return plan;
}

template <std::size_t fixed_words, class Scorer>
Records matched(const Request& request, const Truths& truths, const Guesses& guesses, const Scorer& scorer, Plan plan) {
    Records& out = plan.out;
    const std::size_t areas = request.lanes.lowest.size();
    using Own = Matcher<Scorer, fixed_words>;
    threads::Tools<Own> matchers;
    // Few enough in a go that no thread has much left to do when the others are done.
    const std::size_t share =
        std::clamp<std::size_t>(plan.cells.size() / (64 * threads::at_least_one(request.threads)), 32, 512);
    threads::over_apart(plan.cells.size(), share, request.threads, [&](std::size_t begin, std::size_t end) {
        const auto make = [&] {
            return std::make_unique<Own>(request, plan.masks, truths, plan.sides.by_truth.rows, guesses,
                                         plan.sides.by_guess.rows, scorer, out);
        };
        matchers.with(make, [&](Own& matcher) {
            for (std::size_t at = begin; at < end; ++at) {
                const std::size_t k = plan.order[at];
                matcher.match(plan.cells[k], &out.counted[k * areas]);
            }
        });
    });
    for (const auto& matcher : matchers.all()) matcher->add_to(out);
    return std::move(out);
}

// ---- Near

// What one thread found in the cells of its share.
struct Share {
    std::vector<Row> guess, truth;
    std::vector<double> value;
};

template <class Scorer>
Near near(const Places& places, const Truths& truths, const Guesses& guesses, const Scorer& scorer) {
    const Sides sides = grouped(truths, guesses, places.images, places.categories, places.threads);
    Cells cells;
    for (const Stretch& all : stretches(truths, guesses, sides, places.categories, guesses.count))
        add_cells(guesses, sides.by_guess, truths, sides.by_truth, all, 0, cells);

    Near out;
    std::vector<Share> shares;
    std::mutex mutex;
    threads::Tools<Scorer> scorers;
    const auto near_in = [&](Scorer& own, std::size_t begin, std::size_t end) {
        Share share;
        std::vector<Candidate> found;
        interrupt::Steps steps;
        for (std::size_t k = begin; k < end; ++k) {
            const Cell& cell = cells[k];
            if (!cell.truth_count || !cell.guess_count) continue;
            const Row* const here = sides.by_truth.rows.data() + cell.truths;
            own.open(here, cell.truth_count);
            for (std::size_t i = 0; i < cell.guess_count; ++i) {
                steps.add(16 * (1 + std::size_t(cell.truth_count)));
                const Row guess = sides.by_guess.rows[cell.guesses + i];
                found.clear();
                own.compare(guess, places.floor, found);
                for (const Candidate& candidate : found) {
                    share.guess.push_back(guess);
                    share.truth.push_back(here[candidate.truth]);
                    share.value.push_back(candidate.iou);
                }
            }
        }
        const std::lock_guard lock(mutex);
        shares.push_back(std::move(share));
    };
    threads::over(cells.size(), 128, places.threads, [&](std::size_t begin, std::size_t end) {
        scorers.with([&] { return std::make_unique<Scorer>(scorer); }, [&](Scorer& own) { near_in(own, begin, end); });
    });
    for (const auto& own : scorers.all()) {
        if constexpr (requires { own->fault(); })
            if (own->fault().before(out.fault)) out.fault = own->fault();
    }

    // The pairs of a guess are in one share, one after the other: where they go depends on no thread.
    out.starts.resize(guesses.count + 1);
    std::fill(out.starts.begin(), out.starts.end(), 0);
    for (const Share& share : shares)
        for (const Row guess : share.guess) ++out.starts[std::size_t(guess) + 1];
    for (std::size_t g = 0; g < guesses.count; ++g) out.starts[g + 1] += out.starts[g];
    out.truth.resize(static_cast<std::size_t>(out.starts[guesses.count]));
    out.value.resize(out.truth.size());
    for (const Share& share : shares)
        for (std::size_t p = 0, before = 0; p < share.guess.size(); ++p) {
            before = p && share.guess[p] == share.guess[p - 1] ? before + 1 : 0;
            const std::size_t at = static_cast<std::size_t>(out.starts[share.guess[p]]) + before;
            out.truth[at] = static_cast<std::int32_t>(share.truth[p]);
            out.value[at] = share.value[p];
        }
    return out;
}

}  // namespace

Near near_boxes(const Places& places, const Truths& truths, const double* truth_boxes, const Guesses& guesses,
                const double* guess_boxes) {
    return near(places, truths, guesses, Boxes<false>(truth_boxes, truths.crowd, guess_boxes));
}

Near near_masks(const Places& places, const Truths& truths, const coco_masks::Column& truth_masks,
                const Guesses& guesses, const coco_masks::Column& guess_masks, bool boundary, bool literal) {
    const auto by = [&]<class Scorer>() {
        return near(places, truths, guesses, Scorer(truth_masks, guess_masks, truths.crowd, literal));
    };
    return boundary ? by.template operator()<coco_masks::Boundaries>() : by.template operator()<coco_masks::Masks>();
}

Records of_boxes(const Request& request, const Truths& truths, const double* truth_boxes, const Guesses& guesses,
                 const double* guess_boxes) {
    Plan plan = planned(request, truths, guesses);
    if (request.is_plain)
        return matched<0>(request, truths, guesses, Boxes<true>(truth_boxes, truths.crowd, guess_boxes),
                          std::move(plan));
    const Boxes<false> scorer(truth_boxes, truths.crowd, guess_boxes);
    return plan.masks.words() == 1 ? matched<1>(request, truths, guesses, scorer, std::move(plan))
                                   : matched<0>(request, truths, guesses, scorer, std::move(plan));
}

Records of_masks(const Request& request, const Truths& truths, const coco_masks::Column& truth_masks,
                 const Guesses& guesses, const coco_masks::Column& guess_masks, bool boundary, bool literal) {
    const auto by = [&]<class Scorer>() {
        const Scorer scorer(truth_masks, guess_masks, truths.crowd, literal);
        Plan plan = planned(request, truths, guesses);
        return plan.masks.words() == 1 ? matched<1>(request, truths, guesses, scorer, std::move(plan))
                                       : matched<0>(request, truths, guesses, scorer, std::move(plan));
    };
    return boundary ? by.template operator()<coco_masks::Boundaries>() : by.template operator()<coco_masks::Masks>();
}

Records of_pairs(const Request& request, const Truths& truths, const Guesses& guesses, const Pairs& pairs) {
    Plan plan = planned(request, truths, guesses);
    const Known scorer(pairs, truths.count);
    return plan.masks.words() == 1 && !request.is_plain ? matched<1>(request, truths, guesses, scorer, std::move(plan))
                                                        : matched<0>(request, truths, guesses, scorer, std::move(plan));
}

}  // namespace vesica::match_cells

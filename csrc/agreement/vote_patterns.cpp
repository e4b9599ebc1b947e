#include "agreement/vote_patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/interrupt.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"
#include "regions/masks/bits.hpp"
#include "regions/masks/runs.hpp"

namespace vesica::agreement {
namespace {

using bits::word;

// Words of each mask at a time: few masks of them stay in the first cache.
constexpr std::size_t block = 32;
// Pixels that a thread takes at a time.
constexpr std::size_t grain = 1 << 18;

// ---- few masks: the pixels that all masks of a set have in common, for every set of masks

constexpr std::size_t few = 6;

// shared[s] += pixels in all masks of the set s, which has a bit for each mask.
template <std::size_t masks>
struct CountShared {
    static constexpr bool is_counting = true;
    static constexpr std::size_t sets = std::size_t(1) << masks;

    static VESICA_INLINE void body(const std::uint64_t* VESICA_RESTRICT words, std::size_t count,
                                   std::int64_t* VESICA_RESTRICT shared) {
        std::int64_t sums[sets] = {};
        for (std::size_t w = 0; w < count; ++w) add<0, 0>(words + w, ~0ull, sums);
        for (std::size_t s = 1; s < sets; ++s) shared[s] += sums[s];
    }

    // Sets with mask k and without it, of pixels in all masks of a set of those before. An array of what sets share
    // would be written piece by piece and read as one vector, which has to wait for all pieces.
    template <std::size_t k, std::size_t set>
    static VESICA_INLINE void add(const std::uint64_t* words, std::uint64_t pixels, std::int64_t* sums) {
        if constexpr (k < masks) {
            const std::uint64_t inside = pixels & words[k * block];
            sums[set | std::size_t(1) << k] += std::popcount(inside);
            add<k + 1, (set | std::size_t(1) << k)>(words, inside, sums);
            add<k + 1, set>(words, pixels, sums);
        }
    }
};

template <std::size_t... masks>
void count_shared(std::index_sequence<masks...>, std::size_t wanted, const std::uint64_t* words, std::size_t count,
                  std::int64_t* shared) {
    ((masks + 1 == wanted ? simd::run<CountShared<masks + 1>>(words, count, shared) : void()), ...);
}

// Pixels in all masks of a set, whatever the others say → pixels in these masks and in no other.
void leave_out_others(std::vector<std::int64_t>& shared, std::size_t masks) {
    for (std::size_t k = 0; k < masks; ++k)
        for (std::size_t s = 0; s < shared.size(); ++s)
            if (!(s >> k & 1)) shared[s] -= shared[s | std::size_t(1) << k];
}

// The patterns that occur, of what each set of masks shares.
void take_shared(std::vector<std::int64_t>& shared, std::size_t masks, std::int64_t pixels, Patterns& out) {
    shared[0] = pixels;
    leave_out_others(shared, masks);
    for (std::size_t s = 0; s < shared.size(); ++s)
        if (shared[s]) out.code.push_back(s), out.count.push_back(shared[s]);
}

// ---- many masks: the pixels of a word are shared out mask by mask, until all that are left vote alike

void share_out(const std::uint64_t* words, std::size_t masks, std::size_t k, std::uint64_t pixels, std::uint64_t code,
               Tally& tally) {
    for (; k < masks; ++k) {
        const std::uint64_t inside = pixels & words[k * block];
        if (!inside) continue;
        if (inside != pixels) share_out(words, masks, k + 1, pixels & ~inside, code, tally);
        code |= std::uint64_t(1) << k, pixels = inside;
    }
    tally.add(code, std::popcount(pixels));
}

// Calls work(words, count, last) for the bits of pixels [begin, end): word w of mask k is words[k * block + w], and
// `last` has the bits of the last word that are pixels.
template <class Work>
void each_block(const std::uint8_t* bytes, std::size_t masks, std::size_t pixels, std::size_t begin, std::size_t end,
                const Work& work) {
    std::vector<std::uint64_t> words(masks * block);
    for (std::size_t at = begin; at < end; at += block * word) {
        const std::size_t size = std::min(block * word, end - at), count = bits::words(size);
        for (std::size_t k = 0; k < masks; ++k) bits::pack(bytes + k * pixels + at, size, words.data() + k * block);
        work(words.data(), count, bits::low(size - (count - 1) * word));
        interrupt::poll();
    }
}

Patterns of_few(const std::uint8_t* bytes, std::size_t masks, std::size_t pixels, std::size_t threads) {
    const std::size_t sets = std::size_t(1) << masks, chunks = (pixels + grain - 1) / grain;
    std::vector<std::int64_t> found(chunks * sets);
    threads::over(pixels, grain, threads, [&](std::size_t begin, std::size_t end) {
        std::int64_t* const shared = found.data() + begin / grain * sets;
        each_block(bytes, masks, pixels, begin, end, [&](const std::uint64_t* words, std::size_t count, std::uint64_t) {
            count_shared(std::make_index_sequence<few>(), masks, words, count, shared);
        });
    });
    std::vector<std::int64_t> shared(sets);
    for (std::size_t k = 0; k < found.size(); ++k) shared[k % sets] += found[k];
    Patterns patterns;
    take_shared(shared, masks, static_cast<std::int64_t>(pixels), patterns);
    return patterns;
}

// Patterns of several parts, each rising → all of them.
Patterns joined(const std::vector<Patterns>& parts, std::size_t bits) {
    if (parts.size() == 1) return parts[0];
    Tally tally(bits);
    for (const Patterns& part : parts)
        for (std::size_t k = 0; k < part.code.size(); ++k) tally.add(part.code[k], part.count[k]);
    Patterns all;
    tally.take(all);
    return all;
}

}  // namespace

Patterns of_bytes(const std::uint8_t* bytes, std::size_t masks, std::size_t pixels, std::size_t threads) {
    if (masks <= few) return of_few(bytes, masks, pixels, threads);
    std::vector<Patterns> parts(threads::at_least_one((pixels + grain - 1) / grain));
    threads::over(pixels, grain, threads, [&](std::size_t begin, std::size_t end) {
        Tally tally(masks);
        each_block(bytes, masks, pixels, begin, end,
                   [&](const std::uint64_t* words, std::size_t count, std::uint64_t last) {
                       for (std::size_t w = 0; w < count; ++w)
                           share_out(words + w, masks, 0, w + 1 < count ? ~0ull : last, 0, tally);
                   });
        tally.take(parts[begin / grain]);
    });
    return joined(parts, masks);
}

// ---- runs

namespace {

// Where the present run of a mask ends, and its count.
struct Cursor {
    std::int64_t next;
    const std::int64_t* count;
};

// The run that ends here is followed by its next one. Masks of one object mostly have one run a column, and the same of
// the ends first in column after column: there branches are guessed well, and nothing waits for the last comparison. In
// noise nothing can be guessed, and a wrong guess takes longer than all of this without branches.
template <bool can_be_guessed>
VESICA_INLINE void step(Cursor& cursor, std::int64_t end, std::uint64_t bit, std::uint64_t& code) {
    const bool ends = cursor.next == end;
    if constexpr (can_be_guessed) {
        if (ends) code ^= bit, cursor.next += *++cursor.count;
    } else {
        code ^= bit & -std::uint64_t(ends);
        cursor.count += ends;
        cursor.next += *cursor.count & -std::int64_t(ends);
    }
}

// Few masks: all of them are looked at wherever a run ends. There are as many pixels for each mask, so all end at once.
// Calls visit(code, begin, end) for each stretch of pixels with one pattern, in order.
template <std::size_t masks, bool can_be_guessed, class Visit>
void merge_few(const rle::Counts& counts, std::size_t first, std::int64_t pixels, const Visit& visit) {
    Cursor cursors[masks];
    for (std::size_t k = 0; k < masks; ++k) {
        const std::int64_t* const begin = counts.data + counts.offsets[first + k];
        cursors[k] = {begin[0], begin};
    }
    std::int64_t at = 0;
    std::uint64_t code = 0;
    for (;;) {
        std::int64_t end = cursors[0].next;
        for (std::size_t k = 1; k < masks; ++k) end = std::min(end, cursors[k].next);
        if (end > at) visit(code, at, end);
        if (end == pixels) return;
        at = end;
        for (std::size_t k = 0; k < masks; ++k) step<can_be_guessed>(cursors[k], end, std::uint64_t(1) << k, code);
    }
}

// Many masks: a heap knows which run ends next.
template <class Visit>
void merge_many(const rle::Counts& counts, std::size_t first, std::size_t masks, std::int64_t pixels,
                const Visit& visit) {
    struct Entry {
        Cursor cursor;
        std::size_t mask;
    };
    std::vector<Entry> heap(masks);
    for (std::size_t k = 0; k < masks; ++k) {
        const std::int64_t* const begin = counts.data + counts.offsets[first + k];
        heap[k] = {{begin[0], begin}, k};
    }
    const auto later = [](const Entry& a, const Entry& b) { return a.cursor.next > b.cursor.next; };
    std::make_heap(heap.begin(), heap.end(), later);
    std::int64_t at = 0;
    std::uint64_t code = 0;
    while (at < pixels) {
        const std::int64_t end = heap.front().cursor.next;
        if (end > at) visit(code, at, end);
        at = end;
        while (end < pixels && heap.front().cursor.next == end) {
            std::pop_heap(heap.begin(), heap.end(), later);
            Entry& one = heap.back();
            code ^= std::uint64_t(1) << one.mask;
            one.cursor.next += *++one.cursor.count;
            std::push_heap(heap.begin(), heap.end(), later);
        }
    }
}

template <bool can_be_guessed, class Visit, std::size_t... masks>
bool merge_some(std::index_sequence<masks...>, std::size_t wanted, const rle::Counts& counts, std::size_t first,
                std::int64_t pixels, const Visit& visit) {
    return ((masks + 1 == wanted && (merge_few<masks + 1, can_be_guessed>(counts, first, pixels, visit), true)) || ...);
}

// Runs of noise; and those that take longer to be followed than the pixels of a word to be drawn.
constexpr std::int64_t noise = 8, drawn = word;

// Are runs shorter than so many pixels, on average?
bool are_shorter(std::int64_t than, const rle::Counts& counts, std::size_t first, std::size_t masks,
                 std::int64_t pixels) {
    const std::int64_t runs = counts.offsets[first + masks] - counts.offsets[first];
    return runs * than > pixels * static_cast<std::int64_t>(masks);
}

template <class Visit>
void merge(const rle::Counts& counts, std::size_t first, std::size_t masks, std::int64_t pixels, const Visit& visit) {
    constexpr std::make_index_sequence<8> few_masks;
    if (!pixels) return;
    const bool is_noise = are_shorter(noise, counts, first, masks, pixels);
    if (!(is_noise ? merge_some<false>(few_masks, masks, counts, first, pixels, visit)
                   : merge_some<true>(few_masks, masks, counts, first, pixels, visit)))
        merge_many(counts, first, masks, pixels, visit);
}

// Of each word by itself: a bit is set if an odd number of bits up to it are.
struct FillWords {
    static VESICA_INLINE void body(std::uint64_t* words) {
        for (std::size_t w = 0; w < block; ++w) {
            std::uint64_t bits = words[w];
            for (unsigned shift = 1; shift < word; shift *= 2) bits ^= bits << shift;
            words[w] = bits;
        }
    }
};

// Short runs are drawn as bits, and the bits counted: each run toggles one bit, and a pixel belongs if an odd number of
// them are at or before it. In noise, where nothing tells which run ends next, that is several times as fast.
class Drawing {
  public:
    explicit Drawing(const std::int64_t* counts) : cursor_{counts[0], counts} {}

    // The bits of pixels [from, until), of which blocks follow each other; those behind are 0.
    void draw(std::int64_t from, std::int64_t until, std::uint64_t* words) {
        std::fill_n(words, block, 0);
        Cursor cursor = cursor_;  // in registers: `words` might be where it is kept
        while (cursor.next < until) {
            const auto at = static_cast<std::size_t>(cursor.next - from);
            words[at / word] ^= std::uint64_t(1) << at % word;
            cursor.next += *++cursor.count;
        }
        cursor_ = cursor;
        const std::size_t size = static_cast<std::size_t>(until - from), count = bits::words(size);
        simd::run<FillWords>(words);
        std::uint64_t inside = inside_;
        for (std::size_t w = 0; w < count; ++w) {
            const std::uint64_t filled = words[w];
            words[w] = filled ^ inside;
            inside ^= -(filled >> (word - 1));  // does not wait for the word that was written
        }
        inside_ = inside;
        words[count - 1] &= bits::low(size - (count - 1) * word);
    }

  private:
    Cursor cursor_;
    std::uint64_t inside_ = 0;  // all bits, if the pixel before belongs
};

// shared[s] += pixels in all masks of the set s.
void count_drawn(const rle::Counts& counts, std::size_t first, std::size_t masks, std::int64_t pixels,
                 std::int64_t* shared) {
    std::vector<Drawing> drawings;
    for (std::size_t k = 0; k < masks; ++k) drawings.emplace_back(counts.data + counts.offsets[first + k]);
    std::uint64_t words[few * block];
    for (std::int64_t from = 0; from < pixels; from += block * word) {
        const std::int64_t until = std::min(pixels, from + static_cast<std::int64_t>(block * word));
        for (std::size_t k = 0; k < masks; ++k) drawings[k].draw(from, until, words + k * block);
        const std::uint64_t* const first_word = words;
        count_shared(std::make_index_sequence<few>(), masks, first_word,
                     bits::words(static_cast<std::size_t>(until - from)), shared);
    }
}

// Groups that a thread takes at a time.
constexpr std::size_t together = 64;

std::size_t parts_of(Groups groups) {
    return (groups.count + together - 1) / together;
}

// Calls work(group, its first mask, its number of masks, part) for each group, those of one part in order.
template <class Work>
void each_group(const rle::Counts& counts, Groups groups, std::size_t threads, const Work& work) {
    threads::over(groups.count, together, threads, [&](std::size_t begin, std::size_t end) {
        interrupt::Steps steps;
        for (std::size_t g = begin; g < end; ++g) {
            const std::size_t first = static_cast<std::size_t>(groups.begins[g]);
            const std::size_t masks = static_cast<std::size_t>(groups.begins[g + 1]) - first;
            work(g, first, masks, begin / together);
            steps.add(static_cast<std::size_t>(counts.offsets[first + masks] - counts.offsets[first]));
        }
    });
}

}  // namespace

GroupedPatterns of_counts(rle::Counts counts, Groups groups, std::size_t threads) {
    std::vector<GroupedPatterns> parts(parts_of(groups));
    each_group(counts, groups, threads, [&](std::size_t g, std::size_t first, std::size_t masks, std::size_t at) {
        GroupedPatterns& part = parts[at];
        const std::size_t before = part.patterns.code.size();
        if (masks <= few && are_shorter(drawn, counts, first, masks, groups.pixels[g])) {
            std::vector<std::int64_t> shared(std::size_t(1) << masks);
            count_drawn(counts, first, masks, groups.pixels[g], shared.data());
            take_shared(shared, masks, groups.pixels[g], part.patterns);
        } else {
            Tally tally(masks);
            merge(counts, first, masks, groups.pixels[g],
                  [&](std::uint64_t code, std::int64_t begin, std::int64_t end) { tally.add(code, end - begin); });
            tally.take(part.patterns);
        }
        part.sizes.push_back(static_cast<std::int64_t>(part.patterns.code.size() - before));
    });
    GroupedPatterns all;
    for (const GroupedPatterns& part : parts) {
        all.sizes.insert(all.sizes.end(), part.sizes.begin(), part.sizes.end());
        const auto& [code, count] = part.patterns;
        all.patterns.code.insert(all.patterns.code.end(), code.begin(), code.end());
        all.patterns.count.insert(all.patterns.count.end(), count.begin(), count.end());
    }
    return all;
}

rle::OwnedCounts choose(rle::Counts counts, Groups groups, Chosen chosen, std::size_t threads) {
    std::vector<std::vector<std::int64_t>> parts(parts_of(groups));
    rle::OwnedCounts out;
    out.offsets.resize(groups.count + 1);
    each_group(counts, groups, threads, [&](std::size_t g, std::size_t first, std::size_t masks, std::size_t at) {
        const std::uint64_t *const begin = chosen.code + chosen.begins[g], *const end =
                                                                               chosen.code + chosen.begins[g + 1];
        const std::size_t before = parts[at].size();
        runs::ToCounts to(parts[at]);
        merge(counts, first, masks, groups.pixels[g], [&](std::uint64_t code, std::int64_t from, std::int64_t until) {
            if (std::binary_search(begin, end, code)) to.add(from, until);
        });
        to.close(groups.pixels[g]);
        out.offsets[g + 1] = static_cast<std::int64_t>(parts[at].size() - before);
    });
    for (std::size_t g = 0; g < groups.count; ++g) out.offsets[g + 1] += out.offsets[g];
    for (const auto& part : parts) out.data.insert(out.data.end(), part.begin(), part.end());
    return out;
}

// ---- labels

namespace {

// Where the labels of all maps stop being those of pixel `begin`.
std::size_t end_of_run(const std::uint8_t* bytes, std::size_t maps, std::size_t pixels, std::size_t begin,
                       std::size_t end) {
    std::size_t at = begin + 1;
    for (; at + 8 <= end; at += 8) {
        std::uint64_t differ = 0;
        for (std::size_t k = 0; k < maps; ++k) {
            const std::uint8_t* const map = bytes + k * pixels;
            std::uint64_t eight;
            std::memcpy(&eight, map + at, sizeof eight);
            differ |= eight ^ map[begin] * 0x0101010101010101ull;
        }
        if (differ) return at + static_cast<std::size_t>(std::countr_zero(differ)) / 8;
    }
    for (; at < end; ++at)
        for (std::size_t k = 0; k < maps; ++k)
            if (bytes[k * pixels + at] != bytes[k * pixels + begin]) return at;
    return end;
}

}  // namespace

Patterns of_labels(const std::uint8_t* bytes, std::size_t maps, std::size_t pixels, std::size_t threads) {
    std::vector<Patterns> parts(threads::at_least_one((pixels + grain - 1) / grain));
    threads::over(pixels, grain, threads, [&](std::size_t begin, std::size_t end) {
        Tally tally(8 * maps);
        interrupt::Steps steps;
        for (std::size_t at = begin, next; at < end; at = next) {
            next = end_of_run(bytes, maps, pixels, at, end);
            std::uint64_t code = 0;
            for (std::size_t k = 0; k < maps; ++k) code |= std::uint64_t(bytes[k * pixels + at]) << 8 * k;
            tally.add(code, static_cast<std::int64_t>(next - at));
            steps.add(1);
        }
        tally.take(parts[begin / grain]);
    });
    return joined(parts, 8 * maps);
}

}  // namespace vesica::agreement

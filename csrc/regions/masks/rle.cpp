#include "regions/masks/rle.hpp"

#include <algorithm>
#include <bit>

#include "base/memory.hpp"
#include "base/threads.hpp"
#include "regions/masks/bits.hpp"
#include "regions/masks/rle_strings.hpp"

namespace vesica::rle {
namespace {

using pixels::Mask;
using pixels::Run;

// Canonical counts of one mask after the other, from their runs.
class Writer {
  public:
    Writer(OwnedCounts& out, std::size_t masks) : out_(out), counts_(out.data) {
        out_.offsets.reserve(masks + 1);
        out_.offsets.push_back(0);
    }
    // Runs rise.
    void add(Run run) { counts_.add(run.begin, run.end); }
    // Where the last run ended.
    std::int64_t end() const { return counts_.end(); }
    void close(std::int64_t pixels) {
        counts_.close(pixels);
        out_.offsets.push_back(static_cast<std::int64_t>(out_.data.size()));
    }

  private:
    OwnedCounts& out_;
    runs::ToCounts counts_;
};

// Call visit(run) for each run of mask i.
template <class Visit>
void each_run(Counts counts, std::size_t i, const Visit& visit) {
    const std::int64_t end = counts.offsets[i + 1];
    std::int64_t at = 0;
    for (std::int64_t k = counts.offsets[i]; k < end; k += 2) {
        at += counts.data[k];
        if (k + 1 == end) break;
        visit(Run{at, at + counts.data[k + 1]});
        at += counts.data[k + 1];
    }
}

std::vector<Run> runs_of(Counts counts, std::size_t i) {
    std::vector<Run> runs;
    runs.reserve(static_cast<std::size_t>(counts.offsets[i + 1] - counts.offsets[i]) / 2);
    each_run(counts, i, [&](Run run) { runs.push_back(run); });
    return runs;
}

std::pair<const Run*, const Run*> ends_of(const std::vector<Run>& runs) {
    return {runs.data(), runs.data() + runs.size()};
}

// Reads strings one after the other; memory is kept.
class StringReader {
  public:
    StringReader(std::int64_t height, std::int64_t pixels) : height_(height), pixels_(pixels) {}

    // The mask of a string with room on both sides, and its runs, for which there is room: at most half as many as
    // characters, and one. Mask and place of a fault are those in the string.
    Finding read(const std::uint8_t* text, std::size_t length, Run* runs, Mask& mask) {
        rle_strings::Sums sums;
        std::size_t count = 0;
        if (pixels_ <= UINT32_MAX && reader_.quick(text, length, pixels_, short_, sums)) {
            count = short_.size();
            mask = pixels::extent_of(short_.data(), count, height_, sums.area);
            for (std::size_t k = 0; k < count; ++k) runs[k] = {short_[k].begin, short_[k].end};
        } else {
            long_.clear();
            runs::FromCounts counting(long_, pixels_);
            std::size_t position;
            const Fault fault = rle_strings::each_count(text, length, position,
                                                        [&](std::int64_t given) { return counting.add(given); });
            if (fault != Fault::none) return {fault, 0, position};
            pixels::Extent extent(height_);
            for (const Run& run : long_) extent.add(run), runs[count++] = run;
            mask = extent.mask();
        }
        mask.run = 0, mask.end = static_cast<std::int64_t>(count);
        return {};
    }

  private:
    std::int64_t height_, pixels_;
    rle_strings::Reader reader_;
    memory::Vector<runs::ShortRun> short_;
    memory::Vector<Run> long_;
};

// Pieces of work behind each other.
OwnedCounts gathered(std::vector<OwnedCounts>& pieces) {
    if (pieces.size() == 1) return std::move(pieces[0]);
    OwnedCounts out;
    std::size_t counts = 0, masks = 0;
    for (const OwnedCounts& piece : pieces) counts += piece.data.size(), masks += piece.offsets.size();
    out.data.reserve(counts), out.offsets.reserve(masks + 1);
    out.offsets.push_back(0);
    for (OwnedCounts& piece : pieces) {
        const auto base = static_cast<std::int64_t>(out.data.size());
        out.data.insert(out.data.end(), piece.data.begin(), piece.data.end());
        for (std::size_t k = 1; k < piece.offsets.size(); ++k) out.offsets.push_back(base + piece.offsets[k]);
        piece = {};  // its memory is not needed twice
    }
    return out;
}

}  // namespace

Finding canonical(Counts given, std::int64_t pixels, OwnedCounts& out) {
    Writer writer(out, given.count);
    out.data.reserve(static_cast<std::size_t>(given.offsets[given.count]) + given.count);
    std::vector<Run> found;
    for (std::size_t i = 0; i < given.count; ++i) {
        found.clear();
        runs::FromCounts counting(found, pixels);
        for (std::int64_t k = given.offsets[i]; k < given.offsets[i + 1]; ++k)
            if (const Fault fault = counting.add(given.data[k]); fault != Fault::none)
                return {fault, i, static_cast<std::size_t>(k - given.offsets[i])};
        for (const Run& run : found) writer.add(run);
        writer.close(pixels);
    }
    return {};
}

Strings joined(const std::vector<std::string_view>& strings) {
    Strings out;
    out.starts.reserve(strings.size() + 1);
    std::size_t at = rle_strings::room;
    for (const std::string_view& one : strings) out.starts.push_back(at), at += one.size();
    out.starts.push_back(at);
    out.text.resize(at + rle_strings::room);
    for (std::size_t i = 0; i < strings.size(); ++i)
        std::copy(strings[i].begin(), strings[i].end(), out.text.data() + out.starts[i]);
    return out;
}

Finding from_strings(const Strings& strings, std::int64_t height, std::int64_t pixels, pixels::Owned& out,
                     std::size_t threads) {
    constexpr std::size_t characters_in_chunk = 1 << 15;
    const std::size_t count = strings.count(), length = strings.length();
    const std::size_t grain = threads::at_least_one(characters_in_chunk * count / threads::at_least_one(length));
    const std::size_t chunks = (count + grain - 1) / grain;
    struct Piece {
        std::unique_ptr<Run[]> runs;
        std::size_t count = 0;
        Finding finding;
    };
    std::vector<Piece> pieces(chunks);
    out.count = count;
    out.masks = std::make_unique_for_overwrite<Mask[]>(count);
    threads::over(count, grain, threads, [&](std::size_t begin, std::size_t end) {
        Piece& piece = pieces[begin / grain];
        const std::size_t most = (strings.starts[end] - strings.starts[begin]) / 2 + (end - begin);
        piece.runs = std::make_unique_for_overwrite<Run[]>(most);
        StringReader reader(height, pixels);
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t at = strings.starts[i];
            Mask& mask = out.masks[i];
            piece.finding =
                reader.read(strings.text.data() + at, strings.starts[i + 1] - at, piece.runs.get() + piece.count, mask);
            if (piece.finding.fault != Fault::none) {
                piece.finding.mask = i;
                return;
            }
            mask.run += static_cast<std::int64_t>(piece.count), mask.end += static_cast<std::int64_t>(piece.count);
            piece.count = static_cast<std::size_t>(mask.end);
        }
    });
    for (const Piece& piece : pieces) {
        if (piece.finding.fault != Fault::none) return piece.finding;
        out.run_count += piece.count;
    }
    out.words = std::make_unique<std::uint64_t[]>(0);
    if (chunks == 1) {  // its room may be larger than its runs: pages that are not written take no memory
        out.runs = std::move(pieces[0].runs);
        return {};
    }
    out.runs = std::make_unique_for_overwrite<Run[]>(out.run_count);
    std::size_t at = 0;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        for (std::size_t i = chunk * grain; at && i < std::min(count, (chunk + 1) * grain); ++i)
            out.masks[i].run += static_cast<std::int64_t>(at), out.masks[i].end += static_cast<std::int64_t>(at);
        std::copy_n(pieces[chunk].runs.get(), pieces[chunk].count, out.runs.get() + at);
        at += pieces[chunk].count;
    }
    return {};
}

OwnedCounts of_columns(const std::uint8_t* bytes, std::size_t masks, std::size_t pixels) {
    constexpr std::size_t words = 64, step = words * bits::word;  // a page of bytes at a time
    OwnedCounts out;
    out.offsets.reserve(masks + 1);
    out.offsets.push_back(0);
    std::uint64_t page[words];
    for (std::size_t i = 0; i < masks; ++i, bytes += pixels) {
        std::size_t begin = 0;    // of the run
        std::uint64_t state = 0;  // the pixel before
        for (std::size_t at = 0; at < pixels; at += step) {
            const std::size_t count = std::min(step, pixels - at);
            bits::pack(bytes + at, count, page);
            for (std::size_t w = 0; w < bits::words(count); ++w) {
                std::uint64_t changes = page[w] ^ (page[w] << 1 | state);
                changes &= bits::low(count - w * bits::word);
                state = page[w] >> (bits::word - 1);
                for (; changes; changes &= changes - 1) {
                    const std::size_t here = at + w * bits::word + static_cast<std::size_t>(std::countr_zero(changes));
                    out.data.push_back(static_cast<std::int64_t>(here - begin));
                    begin = here;
                }
            }
        }
        out.data.push_back(static_cast<std::int64_t>(pixels - begin));
        out.offsets.push_back(static_cast<std::int64_t>(out.data.size()));
    }
    return out;
}

void to_strings(Counts counts, std::vector<std::uint8_t>& text, std::vector<std::int64_t>& offsets) {
    offsets.reserve(counts.count + 1);
    offsets.push_back(0);
    text.reserve(text.size() + 2 * static_cast<std::size_t>(counts.offsets[counts.count] - counts.offsets[0]));
    for (std::size_t i = 0; i < counts.count; ++i) {
        const std::int64_t* const from = counts.data + counts.offsets[i];
        const std::int64_t length = counts.offsets[i + 1] - counts.offsets[i];
        for (std::int64_t k = 0; k < length; ++k) {
            std::int64_t value = from[k] - (k > 2 ? from[k - 2] : 0);
            if (value >= -16 && value < 16) {  // one character, as most are
                text.push_back(static_cast<std::uint8_t>((value & 31) + 48));
                continue;
            }
            for (bool more = true; more;) {
                unsigned code = static_cast<unsigned>(value & 31);
                value >>= 5;
                more = code & 16 ? value != -1 : value != 0;
                if (more) code |= 32;
                text.push_back(static_cast<std::uint8_t>(code + 48));
            }
        }
        offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
}

pixels::Owned pack(Counts counts, std::int64_t height, std::size_t threads) {
    pixels::Owned out;
    out.count = counts.count;
    out.masks = std::make_unique<Mask[]>(counts.count);
    std::vector<std::int64_t> starts(counts.count + 1, 0);
    for (std::size_t i = 0; i < counts.count; ++i)
        starts[i + 1] = starts[i] + (counts.offsets[i + 1] - counts.offsets[i]) / 2;
    out.run_count = static_cast<std::size_t>(starts[counts.count]);
    out.runs = std::make_unique_for_overwrite<Run[]>(out.run_count);
    out.words = std::make_unique<std::uint64_t[]>(0);
    const std::size_t grain =
        threads::at_least_one((std::size_t(1) << 13) * counts.count / threads::at_least_one(out.run_count));
    threads::over(counts.count, grain, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            pixels::Extent extent(height);
            Run* to = out.runs.get() + starts[i];
            each_run(counts, i, [&](Run run) { extent.add(*to++ = run); });
            out.masks[i] = extent.mask();
            out.masks[i].run = starts[i], out.masks[i].end = starts[i + 1];
        }
    });
    return out;
}

OwnedCounts unpack(const pixels::Stack& stack, std::size_t threads) {
    // Runs of many masks at a time; then all behind each other.
    const std::size_t grain = threads::at_least_one(stack.count / (8 * threads));
    std::vector<OwnedCounts> pieces((stack.count + grain - 1) / grain);
    threads::over(stack.count, grain, threads, [&](std::size_t begin, std::size_t end) {
        OwnedCounts& piece = pieces[begin / grain];
        Writer writer(piece, end - begin);
        std::vector<Run> runs;
        for (std::size_t i = begin; i < end; ++i) {
            const Mask& mask = stack.masks[i];
            runs.clear();
            if (mask.has_bits())
                pixels::runs_of(stack.words + mask.word, mask, stack.height, runs);
            else
                runs.assign(stack.runs + mask.run, stack.runs + mask.end);
            for (const Run& run : runs) writer.add(run);
            writer.close(stack.height * stack.width);
        }
    });
    if (!stack.count) pieces.resize(1), pieces[0].offsets.push_back(0);
    return gathered(pieces);
}

OwnedCounts merge(Counts a, Counts b, std::int64_t pixels, Merge how) {
    OwnedCounts out;
    Writer writer(out, a.count);
    for (std::size_t i = 0; i < a.count; ++i) {
        const std::vector<Run> left = runs_of(a, i), right = runs_of(b, i);
        if (how == Merge::both) {
            runs::each_shared(ends_of(left), ends_of(right),
                              [&](std::int64_t begin, std::int64_t end) { writer.add({begin, end}); });
        } else {
            std::size_t p = 0, q = 0;
            while (p < left.size() || q < right.size()) {
                const bool take_left = q == right.size() || (p < left.size() && left[p].begin <= right[q].begin);
                Run next = take_left ? left[p++] : right[q++];
                next.begin = std::max(next.begin, writer.end());  // what is written is not written again
                if (next.begin < next.end) writer.add(next);
            }
        }
        writer.close(pixels);
    }
    return out;
}

OwnedCounts crop(Counts counts, std::int64_t height, const pixels::Window& window) {
    OwnedCounts out;
    Writer writer(out, counts.count);
    const std::int64_t rows = window.y2 - window.y1;
    for (std::size_t i = 0; i < counts.count; ++i) {
        each_run(counts, i, [&](Run run) {
            pixels::each_column(run, height, window.x1, window.x2,
                                [&](std::int64_t x, std::int64_t y1, std::int64_t y2) {
                                    y1 = std::max(y1, window.y1), y2 = std::min(y2, window.y2);
                                    const std::int64_t base = (x - window.x1) * rows - window.y1;
                                    if (y1 < y2) writer.add(Run{base + y1, base + y2});
                                });
        });
        writer.close(rows * (window.x2 - window.x1));
    }
    return out;
}

}  // namespace vesica::rle

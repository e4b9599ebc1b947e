#include "regions/masks/rle.hpp"

#include <algorithm>

#include "base/threads.hpp"

namespace vesica::rle {
namespace {

using pixels::Mask;
using pixels::Run;

// Counts of one mask after the other, made canonical as they come.
class Writer {
  public:
    Writer(OwnedCounts& out, std::size_t masks) : out_(out) {
        out_.offsets.reserve(masks + 1);
        out_.offsets.push_back(0);
    }

    // A stretch of one colour; those of one colour in a row become one.
    void add(bool is_set, std::int64_t length) {
        if (length == 0) return;
        if (is_set == is_set_ && begun_) {
            out_.data.back() += length;
        } else {
            if (!begun_ && is_set) out_.data.push_back(0);
            out_.data.push_back(length);
            is_set_ = is_set, begun_ = true;
        }
        sum_ += length;
    }
    // A run at a position; positions rise.
    void add(Run run) {
        add(false, run.begin - sum_);
        add(true, run.end - run.begin);
    }
    std::int64_t sum() const { return sum_; }
    // The rest is background.
    void close(std::int64_t pixels) {
        add(false, pixels - sum_);
        if (!begun_) out_.data.push_back(0);  // no pixels at all
        out_.offsets.push_back(static_cast<std::int64_t>(out_.data.size()));
        sum_ = 0, begun_ = false, is_set_ = false;
    }

  private:
    OwnedCounts& out_;
    std::int64_t sum_ = 0;
    bool begun_ = false, is_set_ = false;
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

// The runs of one string, behind those of others. Runs without length vanish, and their neighbours become one.
Finding read(const std::uint8_t* text, std::size_t begin, std::size_t end, std::int64_t pixels,
             std::vector<Run>& runs) {
    const std::size_t before = runs.size();
    std::int64_t position = 0, last = 0, last_but_one = 0;
    bool is_set = false;
    std::size_t numbers = 0;
    for (std::size_t at = begin; at < end; ++numbers, is_set = !is_set) {
        const std::size_t start = at;
        const unsigned code = text[at] - 48u;
        std::int64_t value = 0;
        if (code < 32) {  // one character, as most are
            value = static_cast<std::int64_t>(code ^ 16) - 16, ++at;
        } else if (const Fault fault = number(text, end, at, value); fault != Fault::none) {
            return {fault, 0, at - begin};
        }
        if (numbers > 2) value += last_but_one;  // below 2^61 each: no overflow
        if (value < 0) return {Fault::negative, 0, start - begin};
        if (value > pixels - position) return {Fault::too_long, 0, start - begin};
        if (is_set && value) {
            if (runs.size() > before && runs.back().end == position)
                runs.back().end += value;
            else
                runs.push_back({position, position + value});
        }
        position += value, last_but_one = last, last = value;
    }
    return {};
}

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

Fault number(const std::uint8_t* text, std::size_t end, std::size_t& at, std::int64_t& value) {
    constexpr unsigned most_bits = 60;  // beyond any image; one more group may hold nothing but the sign
    std::uint64_t bits = 0;
    unsigned shift = 0;
    for (;;) {
        if (at == end) return Fault::cut;
        const unsigned code = text[at] - 48u;
        if (code > 63) return Fault::character;
        const std::uint64_t group = code & 31;
        if (shift > most_bits || (shift == most_bits && group != 0 && group != 31)) return Fault::too_large;
        bits |= group << shift;
        shift += 5, ++at;
        if (code & 32) continue;
        if (code & 16 && shift < 64) bits |= ~0ull << shift;  // the sign goes on
        value = static_cast<std::int64_t>(bits);
        return Fault::none;
    }
}

Finding canonical(Counts given, std::int64_t pixels, OwnedCounts& out) {
    Writer writer(out, given.count);
    out.data.reserve(static_cast<std::size_t>(given.offsets[given.count]) + given.count);
    for (std::size_t i = 0; i < given.count; ++i) {
        bool is_set = false;
        for (std::int64_t k = given.offsets[i]; k < given.offsets[i + 1]; ++k, is_set = !is_set) {
            const std::int64_t length = given.data[k];
            const auto position = static_cast<std::size_t>(k - given.offsets[i]);
            if (length < 0) return {Fault::negative, i, position};
            if (length > pixels - writer.sum()) return {Fault::too_long, i, position};
            writer.add(is_set, length);
        }
        writer.close(pixels);
    }
    return {};
}

Finding from_strings(const std::uint8_t* text, const std::int64_t* offsets, std::size_t count, std::int64_t height,
                     std::int64_t pixels, pixels::Owned& out, std::size_t threads) {
    const std::size_t length = static_cast<std::size_t>(offsets[count]);
    const std::size_t grain = threads::at_least_one((std::size_t(1) << 15) * count / threads::at_least_one(length));
    const std::size_t chunks = (count + grain - 1) / grain;
    std::vector<std::vector<Run>> pieces(chunks);
    std::vector<Finding> findings(chunks);
    out.count = count;
    out.masks = std::make_unique<Mask[]>(count);
    threads::over(count, grain, threads, [&](std::size_t begin, std::size_t end) {
        std::vector<Run>& runs = pieces[begin / grain];
        runs.reserve(static_cast<std::size_t>(offsets[end] - offsets[begin]) / 2);
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t first = runs.size();
            Finding found = read(text, static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1]),
                                 pixels, runs);
            if (found.fault != Fault::none) {
                found.mask = i, findings[begin / grain] = found;
                return;
            }
            pixels::Extent extent(height);
            for (std::size_t r = first; r < runs.size(); ++r) extent.add(runs[r]);
            out.masks[i] = extent.mask();
            out.masks[i].run = static_cast<std::int64_t>(first),
            out.masks[i].end = static_cast<std::int64_t>(runs.size());
        }
    });
    for (const Finding& found : findings)
        if (found.fault != Fault::none) return found;
    for (const std::vector<Run>& piece : pieces) out.run_count += piece.size();
    out.runs = std::make_unique_for_overwrite<Run[]>(out.run_count);
    out.words = std::make_unique<std::uint64_t[]>(0);
    std::size_t at = 0;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        for (std::size_t i = chunk * grain; i < std::min(count, (chunk + 1) * grain); ++i)
            out.masks[i].run += static_cast<std::int64_t>(at), out.masks[i].end += static_cast<std::int64_t>(at);
        std::copy(pieces[chunk].begin(), pieces[chunk].end(), out.runs.get() + at);
        at += pieces[chunk].size();
    }
    return {};
}

void to_strings(Counts counts, std::vector<std::uint8_t>& text, std::vector<std::int64_t>& offsets) {
    offsets.reserve(counts.count + 1);
    offsets.push_back(0);
    for (std::size_t i = 0; i < counts.count; ++i) {
        const std::int64_t* const from = counts.data + counts.offsets[i];
        const std::int64_t length = counts.offsets[i + 1] - counts.offsets[i];
        for (std::int64_t k = 0; k < length; ++k) {
            std::int64_t value = from[k] - (k > 2 ? from[k - 2] : 0);
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
        std::size_t p = 0, q = 0;
        if (how == Merge::both) {
            while (p < left.size() && q < right.size()) {
                const Run common{std::max(left[p].begin, right[q].begin), std::min(left[p].end, right[q].end)};
                if (common.begin < common.end) writer.add(common);
                (left[p].end < right[q].end ? p : q) += 1;
            }
        } else {
            while (p < left.size() || q < right.size()) {
                const bool take_left = q == right.size() || (p < left.size() && left[p].begin <= right[q].begin);
                Run next = take_left ? left[p++] : right[q++];
                next.begin = std::max(next.begin, writer.sum());  // what is written is not written again
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

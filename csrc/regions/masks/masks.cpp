#include "regions/masks/masks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/threads.hpp"

namespace vesica::masks {
namespace {

using bits::word;
using pixels::Made;
using pixels::Mask;

// One image as bits by column, and the 64 rows of a band as bits by row: what one thread works in.
class Desk {
  public:
    Desk(std::size_t height, std::size_t width)
        : height_(width ? height : 0),  // an image without pixels takes no room, however wide it is
          width_(height ? width : 0),
          tiles_(bits::words(width_)),
          bands_(bits::words(height_)),
          rows_(word * tiles_),
          columns_(bands_ * stride()) {}

    std::size_t stride() const { return tiles_ * word; }
    std::size_t bands() const { return bands_; }
    std::uint64_t* columns() { return columns_.data(); }

    // Bytes → columns. Every word is written.
    void read(const std::uint8_t* image) {
        for (std::size_t b = 0; b < bands_; ++b) {
            const std::size_t rows = std::min(word, height_ - b * word);
            std::uint64_t any = 0;
            for (std::size_t r = 0; r < rows; ++r)
                any |= bits::pack(image + (b * word + r) * width_, width_, rows_.data() + r * tiles_);
            std::uint64_t* const to = columns_.data() + b * stride();
            if (!any) {
                std::fill_n(to, stride(), 0);
                continue;
            }
            for (std::size_t t = 0; t < tiles_; ++t) turn(t, rows, to + t * word);
        }
    }

    // Columns → bytes.
    void write(std::uint8_t* image) {
        for (std::size_t b = 0; b < bands_; ++b) {
            const std::size_t rows = std::min(word, height_ - b * word);
            const std::uint64_t* const from = columns_.data() + b * stride();
            std::uint8_t* const to = image + b * word * width_;
            if (std::all_of(from, from + stride(), [](std::uint64_t x) { return x == 0; })) {
                std::memset(to, 0, rows * width_);
                continue;
            }
            for (std::size_t t = 0; t < tiles_; ++t) {
                std::uint64_t tile[word];
                std::copy_n(from + t * word, word, tile);
                if (std::any_of(tile, tile + word, [](std::uint64_t x) { return x != 0; })) bits::transpose(tile);
                for (std::size_t r = 0; r < rows; ++r) rows_[r * tiles_ + t] = tile[r];
            }
            for (std::size_t r = 0; r < rows; ++r) bits::unpack(rows_.data() + r * tiles_, width_, to + r * width_);
        }
    }

    // Where the set bits are.
    Mask box() const {
        Mask found{0, 0, 0, 0, 0, -1, 0, 0};
        std::vector<std::uint64_t> any(stride(), 0);
        std::int64_t top = -1, bottom = 0;
        for (std::size_t b = 0; b < bands_; ++b) {
            const std::uint64_t* const from = columns_.data() + b * stride();
            std::uint64_t all = 0;
            for (std::size_t x = 0; x < stride(); ++x) all |= from[x], any[x] |= from[x];
            if (!all) continue;
            const auto first = static_cast<std::int64_t>(b * word);
            if (top < 0) top = first + std::countr_zero(all);
            bottom = first + static_cast<std::int64_t>(word) - std::countl_zero(all);
        }
        if (top < 0) return found;
        const auto is_set = [](std::uint64_t x) { return x != 0; };
        found.x1 = std::find_if(any.begin(), any.end(), is_set) - any.begin();
        found.x2 = any.rend() - std::find_if(any.rbegin(), any.rend(), is_set);
        found.y1 = top, found.y2 = bottom;
        return found;
    }

  private:
    // One tile of rows → 64 words of columns.
    void turn(std::size_t t, std::size_t rows, std::uint64_t* to) const {
        std::uint64_t any = 0;
        for (std::size_t r = 0; r < rows; ++r) any |= to[r] = rows_[r * tiles_ + t];
        std::fill(to + rows, to + word, 0);
        if (any) bits::transpose(to);
    }

    std::size_t height_, width_, tiles_, bands_;
    std::vector<std::uint64_t> rows_, columns_;
};

// The words of the box alone, and the area.
Made cut(Desk& desk, Mask& mask) {
    mask.area = 1;  // not empty: `words` may be asked
    Made out{std::make_unique_for_overwrite<std::uint64_t[]>(mask.words()), mask.words(), {}};
    const std::size_t columns = mask.columns();
    for (std::size_t b = 0; b < mask.bands(); ++b)
        std::copy_n(desk.columns() + (static_cast<std::size_t>(mask.band()) + b) * desk.stride() + mask.x1, columns,
                    out.words.get() + b * columns);
    mask.area = pixels::area_of(out.words.get(), mask);
    return out;
}

// Images that one thread takes at a time: small ones in bundles, so that the buffers of one Desk serve several.
std::size_t bundle(std::size_t height, std::size_t width) {
    return threads::at_least_one((std::size_t(1) << 20) / threads::at_least_one(height * width));
}

}  // namespace

pixels::Owned pack(Dense stack, std::size_t threads) {
    auto masks = std::make_unique<Mask[]>(stack.count);
    std::vector<Made> made(stack.count);
    const std::size_t size = stack.height * stack.width;
    threads::over(stack.count, bundle(stack.height, stack.width), threads, [&](std::size_t begin, std::size_t end) {
        Desk desk(stack.height, stack.width);
        for (std::size_t i = begin; i < end; ++i) {
            desk.read(stack.data + i * size);
            masks[i] = desk.box();
            if (masks[i].x2) made[i] = cut(desk, masks[i]);
        }
    });
    return pixels::gathered(std::move(masks), made);
}

void unpack(const pixels::Stack& stack, std::uint8_t* out, std::size_t threads) {
    const auto height = static_cast<std::size_t>(stack.height), width = static_cast<std::size_t>(stack.width);
    threads::over(stack.count, bundle(height, width), threads, [&](std::size_t begin, std::size_t end) {
        Desk desk(height, width);
        const Mask whole{1, 0, 0, static_cast<std::int64_t>(desk.stride()), stack.height, 0, 0, 0};
        for (std::size_t i = begin; i < end; ++i) {
            const Mask& mask = stack.masks[i];
            std::fill_n(desk.columns(), desk.bands() * desk.stride(), 0);
            pixels::Painter painter(desk.columns(), whole, stack.height);
            for (std::int64_t r = mask.run; r < mask.end; ++r) painter.add(stack.runs[r]);
            if (mask.has_bits())
                for (std::size_t b = 0; b < mask.bands(); ++b)
                    std::copy_n(stack.words + mask.word + b * mask.columns(), mask.columns(),
                                desk.columns() + (static_cast<std::size_t>(mask.band()) + b) * desk.stride() + mask.x1);
            desk.write(out + i * height * width);
        }
    });
}

}  // namespace vesica::masks

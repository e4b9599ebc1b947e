// rle_strings.hpp. COCO's compressed strings: characters 48 … 111, five bits each, of which the lowest come first.
//
// `Reader` decodes sound and canonical strings, as nearly all are, many characters at a time. For others the caller
// falls back to `each_count`, which decodes any string, number by number, and tells what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"
#include "regions/masks/runs.hpp"

namespace vesica::rle_strings {

// Vector loads and stores go so far beyond their range: that many bytes on both sides of a text can be read, whatever
// they are, and that many elements behind an answer can be overwritten.
constexpr std::size_t room = 64;

// Copy the bytes up to the first quote or backslash; returns how many there are.
std::size_t copy_plain(const std::uint8_t* from, const std::uint8_t* end, std::uint8_t* to);

struct Sums {
    std::int64_t area, end;  // the foreground, and all of it
};

// Reads strings one after the other; memory is kept.
class Reader {
  public:
    // The runs of a string, in place of those of the last one. False where this way does not serve: a fault, a count of
    // 0 behind the first, or a number of more than 20 bits. There is room on both sides of the text, and the image has
    // fewer than 2^32 pixels.
    bool quick(const std::uint8_t* text, std::size_t length, std::int64_t pixels, memory::Vector<runs::ShortRun>& runs,
               Sums& sums);

  private:
    memory::Vector<std::int32_t> numbers_;
};

// One number. `at` moves behind it, or to what is wrong.
runs::Fault number(const std::uint8_t* text, std::size_t end, std::size_t& at, std::int64_t& value);

// Call add(count) for each count until one has a fault, which it returns. Then `position` is where the number at fault
// stands, or the character in it that is wrong.
template <class Add>
runs::Fault each_count(const std::uint8_t* text, std::size_t length, std::size_t& position, const Add& add) {
    std::int64_t value = 0, last = 0, last_but_one = 0;
    std::size_t numbers = 0;
    for (std::size_t at = 0; at < length; ++numbers) {
        position = at;
        if (const runs::Fault bad = number(text, length, at, value); bad != runs::Fault::none)
            return position = at, bad;
        if (numbers > 2) value += last_but_one;  // below 2^61 each: no overflow
        if (const runs::Fault bad = add(value); bad != runs::Fault::none) return bad;
        last_but_one = last, last = value;
    }
    return runs::Fault::none;
}

}  // namespace vesica::rle_strings

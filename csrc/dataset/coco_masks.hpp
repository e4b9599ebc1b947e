// coco_masks.hpp. Masks as files write them → runs, area and tight box: one row at a time, when it is asked for.
//
// Positions run down the columns of the image: position = x * height + y. Images have fewer than 2^32 pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"
#include "base/named_enum.hpp"
#include "regions/masks/rle_strings.hpp"
#include "regions/masks/runs.hpp"
#include "regions/raster.hpp"

namespace vesica::coco_masks {

// none: the row has no segmentation; the box, if there is one, is a polygon of four corners.
// json: a "segmentation" of COCO: polygons, or an object of "size" and "counts".
// counts: a compressed string alone.
#define VESICA_MASK_FORMS(X) X(none) X(json) X(counts)
VESICA_NAMED_ENUM(Form, std::uint8_t, VESICA_MASK_FORMS);

// Row i has text[begin[i] ... end[i]), which Python has seen to lie in the text.
struct Column {
    const std::uint8_t* text;
    const std::int64_t *begin, *end;
    const std::uint8_t* form;
    const std::int64_t* size;  // (count, 2) height, width of the image; 0 where unknown
    const double* xywh;        // (count, 4), or null
    std::size_t count;
};

// Why a row, or a pair of rows, has no answer. Python has the words.
#define VESICA_MASK_FAULTS(X)                                                                             \
    X(none)                                                                                               \
    X(json)         /* no JSON, or not what a segmentation looks like */                                  \
    X(character)    /* a string has a character that no number has */                                     \
    X(cut)          /* a string ends inside a number */                                                   \
    X(large_number) /* beyond any image */                                                                \
    X(negative)     /* a count is */                                                                      \
    X(too_long)     /* the counts go beyond the image */                                                  \
    X(bad_size)     /* "size" is missing, or is not two whole numbers */                                  \
    X(no_size)      /* the size of the image is not known */                                              \
    X(large_image)  /* of 2^32 pixels or more */                                                          \
    X(coordinate)   /* not finite, or beyond 2^40 */                                                      \
    X(odd)          /* an x without its y */                                                              \
    X(few)          /* a polygon of under three points, or no polygon, where that is an error (quirks) */ \
    X(sizes_differ) /* of a truth and a guess */                                                          \
    X(endless)      /* counts that end early never meet the end of others (quirks) */
VESICA_NAMED_ENUM(Kind, std::uint8_t, VESICA_MASK_FAULTS);

#define VESICA_SIDES(X) X(truth) X(guess)
VESICA_NAMED_ENUM(Side, std::uint8_t, VESICA_SIDES);

struct Fault {
    Kind kind = Kind::none;
    Side side = Side::truth;
    std::uint32_t row = 0;
    std::uint32_t other = 0;    // of the other side, where a pair is at fault
    std::size_t position = 0;   // the byte of the row's text; inside a string its character
    std::int64_t size[4] = {};  // heights and widths that differ, those of this side first

    explicit operator bool() const { return kind != Kind::none; }
    // Which of two faults is reported: the one of the lowest row, truths first.
    bool before(const Fault& b) const {
        if (!*this || !b) return static_cast<bool>(*this);
        if (side != b.side) return side < b.side;
        return row != b.row ? row < b.row : other < b.other;
    }
};

// What was put right on the way: rows, each counted once.
struct Findings {
    std::size_t short_counts = 0;  // the rest of the image is background
    std::size_t no_area = 0;       // a polygon of fewer than three points, or no segmentation at all
};

using Run = runs::ShortRun;

// One mask. Kept for the next row, it takes no new memory.
struct Shape {
    memory::Vector<Run> runs;  // sorted, none empty, not touching each other
    std::int64_t area = 0;
    std::int64_t x1 = 0, y1 = 0, x2 = 0, y2 = 0;  // the tight box is half-open; all 0 for an empty mask
    std::int64_t height = 0, width = 0;
    bool is_short = false, has_no_area = false;
    bool is_literal = false;               // it has a run without length, or is short, and the counts are kept
    memory::Vector<std::uint32_t> counts;  // as they were written

    void clear();
};

// Reads one row after the other; memory is kept from call to call.
class Decoder {
  public:
    // literal: counts that are not canonical are kept, and what pycocotools refuses is a fault.
    explicit Decoder(bool literal = false) : literal_(literal) {}
    // Faults leave an empty mask. Side and row are left to the caller.
    Fault decode(const Column& column, std::size_t row, Shape& shape);
    // Runs and area alone: no tight box is made.
    Fault read(const Column& column, std::size_t row, Shape& shape);

  private:
    struct Text;  // what is left of a row's text

    Fault written(const Column& column, std::size_t row, Shape& shape);
    Fault object(Text& text, Shape& shape);
    Fault size(Text& text, Shape& shape);
    Fault polygons(Text& text, Shape& shape);
    Fault polygon(Text& text, Shape& shape);
    Fault box(const double* xywh, Shape& shape);
    Fault draw(const double* points, std::size_t numbers, Shape& shape);
    Fault close(Shape& shape);
    Fault string(std::size_t count, Shape& shape);
    Fault list(Shape& shape);
    Fault unescape(Text& text);
    Fault whole_numbers(Text& text);

    bool literal_;
    bool begun_ = false;  // a polygon of this row has been seen
    raster::Painter painter_;
    memory::Vector<double> points_;
    std::vector<std::int64_t> list_, places_;  // whole numbers, and where they stand
    memory::Vector<std::uint8_t> text_;        // a string without its escapes, and room around it
    rle_strings::Reader reader_;
};

}  // namespace vesica::coco_masks

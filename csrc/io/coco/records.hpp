// records.hpp. Records of COCO's tables, from text to columns.
//
// Files are written by programs: records look like each other. The first one is read key by key and leaves a template,
// the text between its values; the next ones are compared with that and only their values are read. Whatever does not
// fit is read key by key again, so templates change the speed and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/named_enum.hpp"
#include "io/coco/ids.hpp"
#include "io/json/json.hpp"

namespace vesica::records {

#define VESICA_RECORD_LISTS(X) X(images) X(annotations) X(categories)
VESICA_NAMED_ENUM(Kind, int, VESICA_RECORD_LISTS);

// What a record may have, and the key that a file has for it; a bit of `given` for each. The id of an image is its
// image_id, that of a category its category_id.
#define VESICA_RECORD_FIELDS(X)   \
    X(image_id, "image_id")       \
    X(category_id, "category_id") \
    X(own_id, "id")               \
    X(box, "bbox")                \
    X(score, "score")             \
    X(area, "area")               \
    X(crowd, "iscrowd")           \
    X(ignore, "ignore")           \
    X(segment, "segmentation")    \
    X(height, "height")           \
    X(width, "width")             \
    X(name, "file_name")          \
    X(absent, "neg_category_ids") \
    X(partial, "not_exhaustive_category_ids")

enum class Field : unsigned {
#define X(name, key) name,
    VESICA_RECORD_FIELDS(X)
#undef X
        nothing
};

constexpr std::string_view key_of(Field field) {
    constexpr std::string_view keys[] = {
#define X(name, key) key,
        VESICA_RECORD_FIELDS(X)
#undef X
    };
    return keys[static_cast<unsigned>(field)];
}
inline std::vector<std::string> names_of(Field) {
    return {
#define X(name, key) key,
        VESICA_RECORD_FIELDS(X)
#undef X
    };
}

constexpr unsigned field_count = static_cast<unsigned>(Field::nothing);

constexpr std::uint32_t bit(Field field) {
    return std::uint32_t(1) << static_cast<unsigned>(field);
}

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

struct Span {
    const char* begin = nullptr;
    const char* end = nullptr;
};

struct Problem {
    json::Fault fault = json::Fault::none;
    const char* where = nullptr;
    Field field = Field::nothing;
    std::int64_t detail = 0;
};

// One record. What it does not have is as it is here.
struct Row {
    std::int32_t image = -1, category = -1;
    std::uint16_t given = 0;
    std::uint8_t crowd = 0, ignore = 0;
    std::int64_t id = 0;
    double box[4] = {not_given, not_given, not_given, not_given};
    double score = not_given, area = not_given;
    Span text;  // of the segmentation, or of the name
    std::int64_t height = 0, width = 0;
    std::int64_t absent = 0, partial = 0;  // how long the lists are
};

// The records of one block of text.
struct Chunk {
    std::size_t count = 0;
    memory::Vector<Row> rows;  // room for more than `count`
    std::uint32_t in_some = 0, in_all = bit(Field::nothing) - 1;
    std::size_t first_odd = SIZE_MAX;                        // a number that is not finite, a negative side
    std::vector<Span> spans;                                 // of the records, if wanted
    std::vector<std::int64_t> absent, partial;               // the lists of all rows
    std::vector<std::pair<std::size_t, std::string>> texts;  // own ids that are no integer of 64 bits

    void clear();
};

// Reads records of one kind, one after the other, into its chunk.
class Reader {
  public:
    // `depth`: brackets around a record.
    Reader(Kind kind, int depth, bool wants_spans) : kind_(kind), depth_(depth), wants_spans_(wants_spans) {}

    // Read the record at the cursor. False leaves the problem.
    bool read(json::Cursor& cursor);

    Chunk chunk;
    ids::Table images, categories;
    Problem problem;

  private:
    // Text to be compared, and what to do with the value behind it.
    enum class Act : std::uint8_t {
        nothing,
        image,
        category,
        number,
        integer,
        flag,
        segment,
        opens,   // a segmentation begins here, and its values follow as steps
        closes,  // and ends here
        name,
        skip_number,
        skip_text,
        skip,
        box,  // the first of four numbers, between which stands what the next step has
        by_hand
    };
    struct Step {
        Act act = Act::nothing;
        std::uint8_t length = 0;
        std::uint16_t mask_low = 0, mask_high = 0;  // the bytes of `text` that count
        std::uint16_t offset = 0;                   // of the value in a row
        std::uint64_t mask = 0;                     // the same of the first eight, if these are all
        Field field = Field::nothing;
        std::array<char, 32> text{};

        bool is_at(const char* place) const;
    };
    struct Template {
        std::vector<Step> steps;
        std::uint16_t given = 0;
    };
    struct Part {  // a value of a record
        Span value;
        Field field;
    };

    bool read_by_keys(json::Cursor& cursor);
    bool read_part(json::Cursor& cursor);
    bool read_by(const Template& known, json::Cursor& cursor);
    // These return where the value ends, or nullptr where reading by keys must decide.
    const char* read_value(const Step& step, const char* at, const char* end);
    const char* read_image(const char* at, const char* end);
    const char* read_number(const Step& step, const char* at, const char* end);
    const char* read_by_hand(Field field, const char* at, const char* end);
    void learn(Span record);
    void forget(Field field);
    Problem understand(Field field, Span value);
    Problem understand_id(Field field, Span value);
    Problem understand_list(std::vector<std::int64_t>& list, Span value);
    Problem understand_box(Span value);
    void reset();
    void append(Span record);

    Kind kind_;
    int depth_;
    bool wants_spans_;
    Row* row_ = nullptr;                          // that is being read
    std::string own_text_;                        // of the row, if its id is no integer of 64 bits
    std::vector<std::int64_t> absent_, partial_;  // of the row
    std::array<Problem, field_count> pending_;    // of the row; the last of repeated keys counts
    std::vector<Part> parts_;
    std::vector<Template> templates_;
    std::uint64_t last_image_ = 0, last_mask_ = 0;  // the text of the last image id, with the character behind it
    std::int32_t last_place_ = -1;
    std::uint8_t last_length_ = 0;
    std::size_t current_ = 0, next_ = 0;
};

}  // namespace vesica::records

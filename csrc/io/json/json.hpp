// json.hpp. A strict walk over the bytes of a JSON text: what Python's json takes, and nothing else.
//
// UTF-8, in which lone surrogates may stand; NaN, Infinity and -Infinity are numbers; whole numbers have at most 4300
// digits. Beyond Python: at most 64 brackets are open at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/named_enum.hpp"

namespace vesica::json {

// What is wrong with a text, and, from `not_a_list` on, with what it means.
#define VESICA_JSON_FAULTS(X)                                                                 \
    X(none)                                                                                   \
    X(end)       /* the text breaks off */                                                    \
    X(character) /* one that cannot stand here */                                             \
    X(number)    /* digits that are no number */                                              \
    X(control)   /* a control character in a string */                                        \
    X(escape)    /* a backslash with something unknown */                                     \
    X(utf8)      /* bytes that are no character */                                            \
    X(depth)     /* too many brackets */                                                      \
    X(extra)     /* something behind the value */                                             \
    X(not_a_list)                                                                             \
    X(not_an_object)                                                                          \
    X(not_an_integer)                                                                         \
    X(not_an_id)                                                                              \
    X(not_a_number)                                                                           \
    X(not_a_flag)                                                                             \
    X(not_a_text)                                                                             \
    X(not_numbers) /* of a list of integers */                                                \
    X(not_a_box)   /* `detail` numbers instead of four, or -1 where something is no number */ \
    X(too_large)   /* an integer beyond 64 bits */                                            \
    X(missing)     /* a field that every record must have */                                  \
    X(repeated)    /* an id for the second time; `detail` is the first record */              \
    X(no_table)    /* neither an object nor a list */
VESICA_NAMED_ENUM(Fault, int, VESICA_JSON_FAULTS);

constexpr int most_depth = 64;

struct Cursor {
    const char* at;
    const char* end;
    Fault fault = Fault::none;
    const char* where = nullptr;

    bool fail(Fault what, const char* place) {
        fault = what;
        where = place;
        return false;
    }
    bool fail_here() { return fail(at == end ? Fault::end : Fault::character, at); }
};

// Is it a fault whatever follows the end of this text? Only what stands near the end may be a part of something.
inline bool is_certain(Fault fault, const char* where, const char* end) {
    constexpr std::ptrdiff_t longest = 8192;  // more than a number can have
    return fault >= Fault::not_a_list || (fault != Fault::end && end - where > longest);
}

inline bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

inline void skip_space(Cursor& cursor) {
    while (cursor.at < cursor.end && is_space(*cursor.at)) ++cursor.at;
}

// Skip one character, with the white space before it.
inline bool skip_mark(Cursor& cursor, char mark) {
    skip_space(cursor);
    if (cursor.at == cursor.end || *cursor.at != mark) return cursor.fail_here();
    return ++cursor.at, true;
}

// Skip the rest of a string, from behind its first quote. `has_escapes` becomes true where it has.
bool skip_string(Cursor& cursor, bool& has_escapes);

// Skip a value of any kind inside `depth` brackets; the cursor stands on it. All of it is checked.
bool skip_value(Cursor& cursor, int depth);

// The characters of a string without its quotes, which has been skipped before. Lone surrogates become three bytes.
std::string unescaped(std::string_view text);

}  // namespace vesica::json

#include "io/json/json.hpp"

#include <bit>

#include "base/simd.hpp"
#include "io/json/decimals.hpp"
#include "io/json/number_lists.hpp"

#if VESICA_X86
#include <emmintrin.h>
#endif

namespace vesica::json {
namespace {

constexpr std::string_view escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char low = static_cast<char>(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// The first character that does not simply belong to a string: a quote, a backslash, a control character, a byte above
// 127; or the end.
const char* plain_end(const char* at, const char* end) {
#if VESICA_X86
    for (; end - at >= 16; at += 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i marks =
            _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
        const __m128i others = _mm_cmplt_epi8(text, _mm_set1_epi8(0x20));  // signed: also those above 127
        const auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(marks, others)));
        if (found) return at + std::countr_zero(found);
    }
#endif
    for (; at < end; ++at)
        if (*at == '"' || *at == '\\' || static_cast<signed char>(*at) < 0x20) break;
    return at;
}

bool skip_escape(Cursor& cursor) {
    const char* const place = cursor.at;
    if (cursor.end - place < 2) return cursor.fail(Fault::end, cursor.end);
    const char kind = place[1];
    cursor.at += 2;
    if (kind == 'u') {
        for (int k = 0; k < 4; ++k, ++cursor.at) {
            if (cursor.at == cursor.end) return cursor.fail(Fault::end, cursor.end);
            if (hex_digit(*cursor.at) < 0) return cursor.fail(Fault::escape, place);
        }
        return true;
    }
    return escapes.find(kind) != escapes.npos || cursor.fail(Fault::escape, place);
}

// One character above 127. Surrogates pass, as they do in Python's json.
bool skip_wide(Cursor& cursor) {
    const auto byte = [&](int k) { return static_cast<unsigned char>(cursor.at[k]); };
    const unsigned first = byte(0);
    const int length = first >= 0xc2 && first < 0xe0   ? 2
                       : first >= 0xe0 && first < 0xf0 ? 3
                       : first >= 0xf0 && first < 0xf5 ? 4
                                                       : 0;
    if (!length) return cursor.fail(Fault::utf8, cursor.at);
    for (int k = 1; k < length; ++k) {
        if (cursor.at + k == cursor.end) return cursor.fail(Fault::end, cursor.end);
        unsigned low = 0x80, high = 0xbf;
        if (k == 1 && first == 0xe0) low = 0xa0;
        if (k == 1 && first == 0xf0) low = 0x90;
        if (k == 1 && first == 0xf4) high = 0x8f;
        if (byte(k) < low || byte(k) > high) return cursor.fail(Fault::utf8, cursor.at);
    }
    return cursor.at += length, true;
}

bool skip_word(Cursor& cursor, std::string_view word) {
    for (const char c : word) {
        if (cursor.at == cursor.end || *cursor.at != c) return cursor.fail_here();
        ++cursor.at;
    }
    return true;
}

bool skip_number(Cursor& cursor) {
    decimals::Number number;
    bool ends;
    const char* const place = cursor.at;
    const char* const behind = decimals::read(place, cursor.end, number, ends);
    if (!behind) return ends ? cursor.fail(Fault::end, cursor.end) : cursor.fail(Fault::number, place);
    return cursor.at = behind, true;
}

// Anything but a list or an object.
bool skip_plain(Cursor& cursor) {
    bool ignored = false;
    switch (*cursor.at) {
        case '"': return ++cursor.at, skip_string(cursor, ignored);
        case 't': return skip_word(cursor, "true");
        case 'f': return skip_word(cursor, "false");
        case 'n': return skip_word(cursor, "null");
        case 'N':
        case 'I':
        case '-':
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9': return skip_number(cursor);
        default: return cursor.fail_here();
    }
}

}  // namespace

bool skip_string(Cursor& cursor, bool& has_escapes) {
    for (;;) {
        cursor.at = plain_end(cursor.at, cursor.end);
        if (cursor.at == cursor.end) return cursor.fail(Fault::end, cursor.end);
        const char c = *cursor.at;
        if (c == '"') return ++cursor.at, true;
        if (c == '\\') {
            has_escapes = true;
            if (!skip_escape(cursor)) return false;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            return cursor.fail(Fault::control, cursor.at);
        } else if (!skip_wide(cursor)) {
            return false;
        }
    }
}

bool skip_value(Cursor& cursor, int depth) {
    std::uint64_t objects = 0;  // which of the open brackets are braces; the innermost is the lowest bit
    int opened = 0;
    bool ignored = false;
    enum { value, first, key, behind } due = value;
    for (;;) {
        skip_space(cursor);
        if (cursor.at == cursor.end) return cursor.fail(Fault::end, cursor.end);
        const char c = *cursor.at;
        switch (due) {
            case first:  // of a list or an object that was just opened
                if (c == (objects & 1 ? '}' : ']')) {
                    due = behind;
                    continue;
                }
                due = objects & 1 ? key : value;
                continue;
            case key:
                if (c != '"') return cursor.fail_here();
                ++cursor.at;
                if (!skip_string(cursor, ignored) || !skip_mark(cursor, ':')) return false;
                due = value;
                continue;
            case behind:
                if (c == ',') {
                    ++cursor.at;
                    due = objects & 1 ? key : value;
                } else if (c == (objects & 1 ? '}' : ']')) {
                    ++cursor.at;
                    objects >>= 1;
                    if (--opened == 0) return true;
                } else {
                    return cursor.fail_here();
                }
                continue;
            case value: break;
        }
        if (c == '{') {
            if (depth + opened == most_depth) return cursor.fail(Fault::depth, cursor.at);
            ++cursor.at;
            ++opened;
            objects = objects << 1 | 1;
            due = first;
            continue;
        }
        const bool in_list = opened && !(objects & 1);
        if (c == '[' || (in_list && (c == '-' || (c >= '0' && c <= '9')))) {
            // Plain numbers in lists go fast; where they stop being plain, one step by hand.
            const number_lists::Skipped skipped =
                number_lists::skip(cursor.at, cursor.end, in_list, most_depth - depth - opened + in_list);
            if (skipped.at != cursor.at) {
                cursor.at = skipped.at;
                const int more = skipped.opened - in_list;
                opened += more;
                objects = more < 0 ? objects >> 1 : more > 63 ? 0 : objects << more;
                if (!opened) return true;
                due = skipped.opened ? value : behind;
                continue;
            }
        }
        if (c == '[') {
            if (depth + opened == most_depth) return cursor.fail(Fault::depth, cursor.at);
            ++cursor.at;
            ++opened;
            objects <<= 1;
            due = first;
            continue;
        }
        if (!skip_plain(cursor)) return false;
        if (!opened) return true;
        due = behind;
    }
}

std::string unescaped(std::string_view text) {
    std::string out;
    const auto four = [&](std::size_t at) {
        unsigned value = 0;
        for (std::size_t k = 0; k < 4; ++k) value = value << 4 | static_cast<unsigned>(hex_digit(text[at + k]));
        return value;
    };
    const auto put = [&](unsigned code) {
        if (code < 0x80) {
            out += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        out += static_cast<char>((0xff00 >> (more + 1) & 0xff) | code >> 6 * more);
        for (int k = more; k--;) out += static_cast<char>(0x80 | (code >> 6 * k & 0x3f));
    };
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] != '\\') {
            out += text[k];
            continue;
        }
        const char kind = text[++k];
        if (kind != 'u') {
            out += meanings[escapes.find(kind)];
            continue;
        }
        unsigned code = four(k + 1);
        k += 4;
        if (code >> 10 == 0x36 && text.substr(k + 1, 2) == "\\u") {  // a pair of surrogates is one character
            const unsigned low = four(k + 3);
            if (low >> 10 == 0x37) {
                code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
                k += 6;
            }
        }
        put(code);
    }
    return out;
}

}  // namespace vesica::json

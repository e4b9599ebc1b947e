// record_templates.cpp. The part of records::Reader that knows what the next record probably looks like.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/simd.hpp"
#include "io/coco/records.hpp"
#include "io/json/decimals.hpp"

#if VESICA_X86
#include <emmintrin.h>
#endif

namespace vesica::records {
namespace {

using json::Cursor;
using json::Fault;

constexpr std::size_t most_templates = 4;
constexpr std::ptrdiff_t room = 128;  // readable bytes for a step: its text, and short numbers behind it

// The two numbers of a list of two, as sizes are; nothing of other values.
std::vector<Span> numbers_of_pair(Span value) {
    std::vector<Span> found;
    if (*value.begin != '[') return found;
    Cursor cursor{value.begin, value.end};
    do {
        ++cursor.at;  // a bracket or a comma
        json::skip_space(cursor);
        if (found.size() == 2 || !decimals::begins(*cursor.at)) return {};
        const char* const begin = cursor.at;
        json::skip_value(cursor, 0);
        found.push_back({begin, cursor.at});
        json::skip_space(cursor);
    } while (*cursor.at == ',');
    return found.size() == 2 ? found : std::vector<Span>();
}

// The values of an object, pairs taken apart.
std::vector<Span> values_inside(Span object) {
    std::vector<Span> values;
    Cursor cursor{object.begin + 1, object.end};
    bool ignored = false;
    for (json::skip_space(cursor); *cursor.at != '}'; json::skip_space(cursor)) {
        if (*cursor.at == ',') ++cursor.at;
        json::skip_mark(cursor, '"');
        json::skip_string(cursor, ignored);
        json::skip_mark(cursor, ':');
        json::skip_space(cursor);
        const char* const begin = cursor.at;
        json::skip_value(cursor, 0);
        const std::vector<Span> pair = numbers_of_pair({begin, cursor.at});
        if (pair.empty())
            values.push_back({begin, cursor.at});
        else
            values.insert(values.end(), pair.begin(), pair.end());
    }
    return values;
}

}  // namespace

void Reader::learn(Span record) {
    Template made;
    made.given = row_->given;
    std::uint32_t seen = 0;
    const char* from = record.begin;
    const auto text_to = [&](const char* to, Act act, Field field, std::size_t offset) {
        do {
            Step step;
            step.length = static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(to - from, 32));
            const std::uint64_t mask = (std::uint64_t(1) << step.length) - 1;
            step.mask_low = static_cast<std::uint16_t>(mask);
            step.mask_high = static_cast<std::uint16_t>(mask >> 16);
            if (step.length <= 8) step.mask = step.length ? ~std::uint64_t(0) >> (64 - 8 * step.length) : 0;
            std::memcpy(step.text.data(), from, step.length);
            from += step.length;
            if (from == to) step.act = act, step.field = field, step.offset = static_cast<std::uint16_t>(offset);
            made.steps.push_back(step);
        } while (from != to);
    };
    for (const Part& part : parts_) {
        const Span value = part.value;
        const Field field = part.field;
        const bool is_text = *value.begin == '"', is_number = decimals::begins(*value.begin);
        if (field == Field::nothing) {
            const Act act = is_text ? Act::skip_text : is_number ? Act::skip_number : Act::skip;
            text_to(value.begin + is_text, act, field, 0);
            from = value.end;
            continue;
        }
        if (seen & bit(field)) return;  // a key twice: the last counts, which is for reading by keys
        seen |= bit(field);
        if (!(row_->given & bit(field))) continue;  // null, or an empty box: part of the text
        if (field == Field::box) {
            Cursor cursor{value.begin, value.end};
            std::size_t places[4];
            for (std::size_t side = 0; side < 4; ++side) {
                ++cursor.at;  // a bracket or a comma
                json::skip_space(cursor);
                text_to(cursor.at, Act::number, field, offsetof(Row, box) + side * sizeof(double));
                places[side] = made.steps.size() - 1;
                json::skip_value(cursor, 0);
                from = cursor.at;
                json::skip_space(cursor);
            }
            const Step *const second = &made.steps[places[1]], *const third = second + 1;
            const bool is_even = places[3] == places[0] + 3 && second->mask && second->text == third->text &&
                                 second->text == third[1].text && second->length == third->length;
            if (is_even) made.steps[places[0]].act = Act::box;
            continue;
        }
        const auto number = [&](Act act, std::size_t offset) { text_to(value.begin, act, field, offset); };
        switch (field) {
            case Field::image_id: number(Act::image, 0); break;
            case Field::category_id: number(Act::category, 0); break;
            case Field::own_id: number(Act::integer, offsetof(Row, id)); break;
            case Field::score: number(Act::number, offsetof(Row, score)); break;
            case Field::area: number(Act::number, offsetof(Row, area)); break;
            case Field::crowd: number(Act::flag, offsetof(Row, crowd)); break;
            case Field::ignore: number(Act::flag, offsetof(Row, ignore)); break;
            case Field::height: number(Act::integer, offsetof(Row, height)); break;
            case Field::width: number(Act::integer, offsetof(Row, width)); break;
            case Field::segment:
                number(*value.begin == '{' ? Act::opens : Act::segment, 0);
                if (*value.begin != '{') break;
                for (const Span inner : values_inside(value)) {
                    const bool has_quote = *inner.begin == '"', has_digits = decimals::begins(*inner.begin);
                    text_to(inner.begin + has_quote,
                            has_quote    ? Act::skip_text
                            : has_digits ? Act::skip_number
                                         : Act::skip,
                            Field::nothing, 0);
                    from = inner.end;
                }
                text_to(value.end, Act::closes, field, 0);
                break;
            case Field::name: text_to(value.begin + 1, Act::name, field, 0); break;
            default: number(Act::by_hand, 0); break;
        }
        from = value.end;
    }
    text_to(record.end, Act::nothing, Field::nothing, 0);
    if (templates_.size() < most_templates) templates_.emplace_back();
    current_ = next_;
    next_ = (next_ + 1) % most_templates;
    templates_[current_] = std::move(made);
}

// Needs 32 readable bytes.
VESICA_INLINE bool Reader::Step::is_at(const char* place) const {
    if (length <= 8) return ((decimals::eight(place) ^ decimals::eight(text.data())) & mask) == 0;
#if VESICA_X86
    const auto same = [&](int half) {
        const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(place + half));
        const __m128i there = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + half));
        return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(here, there)));
    };
    return ((~same(0) & mask_low) | (~same(16) & mask_high)) == 0;
#else
    return std::memcmp(place, text.data(), length) == 0;
#endif
}

// False wherever the record is not as the template says: then it is read by keys, which also finds what is wrong.
bool Reader::read_by(const Template& known, Cursor& cursor) {
    row_->given = known.given;
    const char *at = cursor.at, *value = nullptr;  // here, and where the last value began
    const char* const end = cursor.end;
    const char* const last = end - std::min<std::ptrdiff_t>(room, end - at);
    const Step* const behind = known.steps.data() + known.steps.size();
    for (const Step* step = known.steps.data(); step != behind; ++step) {
        if (at >= last) return false;
        if (!step->is_at(at)) [[unlikely]] {
            // Perhaps a number goes on: it has an exponent, or a fraction where others have none.
            if (!value || (*at != '.' && (*at | 0x20) != 'e')) return false;
            at = read_number(step[-1], value, end);
            if (!at || at >= last || !step->is_at(at)) return false;
        }
        value = at + step->length;
        if (step->act == Act::box) {
            const Step& between = step[1];
            at = decimals::read_four(value, {decimals::eight(between.text.data()), between.mask, between.length},
                                     row_->box);
            if (at) {
                value = nullptr;
                step += 3;
                continue;
            }
        }
        at = read_value(*step, value, end);
        if (!at) return false;
    }
    cursor.at = at;
    return true;
}

VESICA_INLINE const char* Reader::read_value(const Step& step, const char* at, const char* end) {
    char* const target = reinterpret_cast<char*>(row_) + step.offset;
    bool ignored = false;
    switch (step.act) {
        case Act::nothing: return at;
        case Act::number:
        case Act::box: {
            double value;
            const char* behind = decimals::read_short(at, value);
            if (!behind) behind = decimals::read_long(at, value);
            if (!behind) return read_number(step, at, end);
            std::memcpy(target, &value, sizeof value);
            return behind;
        }
        case Act::image: return read_image(at, end);
        case Act::category: {
            std::int64_t value;
            const char* const behind = decimals::read_short(at, value);
            if (!behind) return read_by_hand(step.field, at, end);
            row_->category = categories.place(value);
            return behind;
        }
        case Act::integer: {
            std::int64_t value;
            const char* const behind = decimals::read_short(at, value);
            if (!behind) return read_by_hand(step.field, at, end);
            std::memcpy(target, &value, sizeof value);
            return behind;
        }
        case Act::flag:
            if (*at != '0' && *at != '1') return read_by_hand(step.field, at, end);
            *target = static_cast<char>(*at - '0');
            return at + 1;
        case Act::segment: {
            Cursor cursor{at, end};
            if (*at == 'n' || !json::skip_value(cursor, depth_ + 1)) return nullptr;
            row_->text = {at, cursor.at};
            return cursor.at;
        }
        case Act::name: {
            Cursor cursor{at, end};
            if (!json::skip_string(cursor, ignored)) return nullptr;
            row_->text = {at - 1, cursor.at};
            return cursor.at;
        }
        case Act::skip_text: {
            Cursor cursor{at, end};
            return json::skip_string(cursor, ignored) ? cursor.at : nullptr;
        }
        case Act::opens: return row_->text.begin = at;
        case Act::closes: return row_->text.end = at;
        case Act::skip_number: {
            std::int64_t value;
            const char* const behind = decimals::read_short(at, value);
            if (behind) return behind;
            [[fallthrough]];
        }
        case Act::skip: {
            Cursor cursor{at, end};
            return json::skip_value(cursor, depth_ + 1) ? cursor.at : nullptr;
        }
        case Act::by_hand: return read_by_hand(step.field, at, end);
    }
    return nullptr;
}

// Images come in runs: the same text is the same id.
VESICA_INLINE const char* Reader::read_image(const char* at, const char* end) {
    const std::uint64_t word = decimals::eight(at);
    if (((word ^ last_image_) & last_mask_) == 0 && last_mask_) {
        row_->image = last_place_;
        return at + last_length_;
    }
    std::int64_t id;
    const char* const behind = decimals::read_short(at, id);
    if (!behind) return read_by_hand(Field::image_id, at, end);
    row_->image = images.place(id);
    if (*behind == '.' || (*behind | 0x20) == 'e') return behind;  // it goes on
    last_place_ = row_->image;
    last_length_ = static_cast<std::uint8_t>(behind - at);
    last_mask_ = ~std::uint64_t(0) >> (56 - 8 * last_length_);
    last_image_ = word;
    return behind;
}

// Numbers of any length and form.
const char* Reader::read_number(const Step& step, const char* at, const char* end) {
    const bool is_kept = step.act == Act::number || step.act == Act::box;
    if (!is_kept && step.act != Act::skip_number)
        return step.field == Field::nothing ? nullptr : read_by_hand(step.field, at, end);
    decimals::Number number;
    bool ends;
    const char* const behind = decimals::read(at, end, number, ends);
    if (behind && is_kept) std::memcpy(reinterpret_cast<char*>(row_) + step.offset, &number.value, sizeof(double));
    return behind;
}

const char* Reader::read_by_hand(Field field, const char* at, const char* end) {
    Cursor cursor{at, end};
    if (!json::skip_value(cursor, depth_ + 1)) return nullptr;
    const bool is_sound = understand(field, {at, cursor.at}).fault == Fault::none;
    return is_sound && (row_->given & bit(field)) ? cursor.at : nullptr;
}

}  // namespace vesica::records

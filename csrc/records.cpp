#include "records.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "decimals.hpp"
#include "isa.hpp"

#if VESICA_X86
#include <emmintrin.h>
#endif

namespace vesica::records {
namespace {

using json::Cursor;
using json::Fault;

constexpr std::size_t most_templates = 4;
constexpr std::ptrdiff_t room = 128;  // readable bytes for a step: its text, and short numbers behind it

struct Key {
    Kind kind;
    std::string_view text;
    Field field;
};
constexpr Key keys[] = {
    {Kind::annotations, "image_id", Field::image_id},
    {Kind::annotations, "category_id", Field::category_id},
    {Kind::annotations, "id", Field::own_id},
    {Kind::annotations, "bbox", Field::box},
    {Kind::annotations, "score", Field::score},
    {Kind::annotations, "area", Field::area},
    {Kind::annotations, "iscrowd", Field::crowd},
    {Kind::annotations, "ignore", Field::ignore},
    {Kind::annotations, "segmentation", Field::segment},
    {Kind::images, "id", Field::image_id},
    {Kind::images, "height", Field::height},
    {Kind::images, "width", Field::width},
    {Kind::images, "file_name", Field::name},
    {Kind::images, "neg_category_ids", Field::absent},
    {Kind::images, "not_exhaustive_category_ids", Field::partial},
    {Kind::categories, "id", Field::category_id},
};

Field field_of(Kind kind, std::string_view key) {
    for (const Key& known : keys)
        if (known.kind == kind && known.text == key) return known.field;
    return Field::nothing;
}

bool is_finite(double value) {
    return value - value == 0;
}

bool begins_number(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == 'N' || c == 'I';
}

// Values below have been skipped before, so their text is right.
decimals::Number number_of(Span value) {
    decimals::Number number;
    bool ends;
    decimals::read(value.begin, value.end, number, ends);
    return number;
}

// A whole number, perhaps written as 139.0.
Fault integer_of(Span value, std::int64_t& out) {
    if (!begins_number(*value.begin)) return Fault::not_an_integer;
    const decimals::Number number = number_of(value);
    if (number.kind == decimals::Kind::integer) return out = number.integer, Fault::none;
    if (number.kind == decimals::Kind::long_integer) return Fault::too_large;
    if (!is_finite(number.value) || number.value != std::floor(number.value)) return Fault::not_an_integer;
    if (!(number.value >= -0x1p63 && number.value < 0x1p63)) return Fault::too_large;
    return out = static_cast<std::int64_t>(number.value), Fault::none;
}

}  // namespace

void Chunk::clear() {
    count = 0;
    in_some = 0;
    in_all = bit(Field::nothing) - 1;
    first_odd = SIZE_MAX;
    spans.clear();
    absent.clear();
    partial.clear();
    texts.clear();
}

bool Reader::read(Cursor& cursor) {
    const char* const begin = cursor.at;
    if (chunk.count == chunk.rows.size()) chunk.rows.resize(std::max<std::size_t>(64, 2 * chunk.count));
    row_ = &chunk.rows[chunk.count];
    for (std::size_t k = 0; k < templates_.size(); ++k) {
        const std::size_t which = (current_ + k) % templates_.size();
        reset();
        if (read_by(templates_[which], cursor)) {
            current_ = which;
            return append({begin, cursor.at}), true;
        }
        cursor.at = begin;
    }
    reset();
    if (!read_by_keys(cursor)) return false;
    learn({begin, cursor.at});
    return append({begin, cursor.at}), true;
}

void Reader::reset() {
    *row_ = Row();
    own_text_.clear();
}

void Reader::append(Span record) {
    const auto& [x, y, w, h] = row_->box;
    const std::uint32_t given = row_->given;
    bool is_odd = false;
    if (given & bit(Field::box))
        is_odd |=
            !is_finite(x) | !is_finite(y) | (w < 0) | (h < 0) | !(w * h < std::numeric_limits<double>::infinity());
    if (given & bit(Field::score)) is_odd |= !is_finite(row_->score);
    if (given & bit(Field::area)) is_odd |= !is_finite(row_->area);
    if (is_odd && chunk.first_odd == SIZE_MAX) chunk.first_odd = chunk.count;
    if (!own_text_.empty()) chunk.texts.emplace_back(chunk.count, own_text_);
    if (given & bit(Field::absent)) chunk.absent.insert(chunk.absent.end(), absent_.begin(), absent_.end());
    if (given & bit(Field::partial)) chunk.partial.insert(chunk.partial.end(), partial_.begin(), partial_.end());
    if (wants_spans_) chunk.spans.push_back(record);
    chunk.in_some |= given;
    chunk.in_all &= given;
    ++chunk.count;
}

// --- key by key
// -------------------------------------------------------------------------------------------------------

bool Reader::read_by_keys(Cursor& cursor) {
    const auto broken = [&] { return problem = {cursor.fault, cursor.where}, false; };
    const char* const begin = cursor.at;
    problem = {};
    pending_ = {};
    parts_.clear();
    if (begin < cursor.end && *begin != '{') {
        if (!json::skip_value(cursor, depth_)) return broken();
        return problem = {Fault::not_an_object, begin}, false;
    }
    if (!json::skip_mark(cursor, '{')) return broken();
    json::skip_space(cursor);
    if (cursor.at < cursor.end && *cursor.at == '}') return ++cursor.at, true;
    for (;;) {
        if (!read_part(cursor)) return broken();
        json::skip_space(cursor);
        if (cursor.at < cursor.end && *cursor.at == '}') break;
        if (!json::skip_mark(cursor, ',')) return broken();
    }
    ++cursor.at;
    for (const Problem& found : pending_)
        if (found.fault != Fault::none && (problem.fault == Fault::none || found.where < problem.where))
            problem = found;
    return problem.fault == Fault::none;
}

bool Reader::read_part(Cursor& cursor) {
    if (!json::skip_mark(cursor, '"')) return false;
    const char* const key = cursor.at;
    bool has_escapes = false;
    if (!json::skip_string(cursor, has_escapes)) return false;
    const std::string_view text(key, static_cast<std::size_t>(cursor.at - 1 - key));
    const Field field = has_escapes ? field_of(kind_, json::unescaped(text)) : field_of(kind_, text);
    if (!json::skip_mark(cursor, ':')) return false;
    json::skip_space(cursor);
    const char* const begin = cursor.at;
    if (!json::skip_value(cursor, depth_ + 1)) return false;
    parts_.push_back({{begin, cursor.at}, field});
    if (field != Field::nothing) pending_[static_cast<unsigned>(field)] = understand(field, parts_.back().value);
    return true;
}

void Reader::forget(Field field) {
    const Row empty;
    switch (field) {
        case Field::image_id: row_->image = empty.image; break;
        case Field::category_id: row_->category = empty.category; break;
        case Field::own_id: row_->id = empty.id, own_text_.clear(); break;
        case Field::box: std::copy_n(empty.box, 4, row_->box); break;
        case Field::score: row_->score = empty.score; break;
        case Field::area: row_->area = empty.area; break;
        case Field::crowd: row_->crowd = empty.crowd; break;
        case Field::ignore: row_->ignore = empty.ignore; break;
        case Field::segment:
        case Field::name: row_->text = empty.text; break;
        case Field::height: row_->height = empty.height; break;
        case Field::width: row_->width = empty.width; break;
        case Field::absent: row_->absent = empty.absent; break;
        case Field::partial: row_->partial = empty.partial; break;
        case Field::nothing: break;
    }
}

// What the value says goes to the row. A null says nothing, and takes back what an equal key said before.
Problem Reader::understand(Field field, Span value) {
    row_->given = static_cast<std::uint16_t>(row_->given & ~bit(field));
    if (*value.begin == 'n') {
        forget(field);
        return {};
    }
    row_->given = static_cast<std::uint16_t>(row_->given | bit(field));
    Fault fault = Fault::none;
    switch (field) {
        case Field::image_id:
        case Field::category_id:
        case Field::own_id: return understand_id(field, value);
        case Field::box: return understand_box(value);
        case Field::score:
        case Field::area: {
            double& target = field == Field::score ? row_->score : row_->area;
            if (begins_number(*value.begin))
                target = number_of(value).value;
            else
                fault = Fault::not_a_number;
            break;
        }
        case Field::crowd:
        case Field::ignore: {
            std::int64_t flag = *value.begin == 't';
            if (*value.begin != 't' && *value.begin != 'f') fault = integer_of(value, flag);
            if (fault != Fault::none || flag < 0 || flag > 1) fault = Fault::not_a_flag;
            (field == Field::crowd ? row_->crowd : row_->ignore) = static_cast<std::uint8_t>(flag);
            break;
        }
        case Field::height: fault = integer_of(value, row_->height); break;
        case Field::width: fault = integer_of(value, row_->width); break;
        case Field::segment: row_->text = value; break;
        case Field::name:
            row_->text = value;
            if (*value.begin != '"') fault = Fault::not_a_text;
            break;
        case Field::absent: {
            const Problem found = understand_list(absent_, value);
            row_->absent = static_cast<std::int64_t>(absent_.size());
            return found;
        }
        case Field::partial: {
            const Problem found = understand_list(partial_, value);
            row_->partial = static_cast<std::int64_t>(partial_.size());
            return found;
        }
        case Field::nothing: break;
    }
    return {fault, value.begin, field};
}

Problem Reader::understand_id(Field field, Span value) {
    std::string text;
    std::int64_t integer = 0;
    if (*value.begin == '"') {
        text = json::unescaped({value.begin + 1, static_cast<std::size_t>(value.end - value.begin - 2)});
        text.insert(text.begin(), 's');
    } else {
        const Fault fault = integer_of(value, integer);
        if (fault == Fault::too_large && number_of(value).kind == decimals::Kind::long_integer)
            text.append(1, 'i').append(value.begin, value.end);
        else if (fault != Fault::none)
            return {fault == Fault::too_large ? fault : Fault::not_an_id, value.begin, field};
    }
    if (field == Field::own_id) {
        row_->id = integer;
        own_text_ = text;
    } else {
        ids::Table& table = field == Field::image_id ? images : categories;
        (field == Field::image_id ? row_->image : row_->category) =
            text.empty() ? table.place(integer) : table.place(text);
    }
    return {};
}

Problem Reader::understand_list(std::vector<std::int64_t>& list, Span value) {
    const Field field = &list == &absent_ ? Field::absent : Field::partial;
    list.clear();
    if (*value.begin != '[') return {Fault::not_numbers, value.begin, field};
    Cursor cursor{value.begin + 1, value.end};
    json::skip_space(cursor);
    while (*cursor.at != ']') {
        const char* const begin = cursor.at;
        json::skip_value(cursor, 0);
        std::int64_t integer = 0;
        if (integer_of({begin, cursor.at}, integer) != Fault::none) return {Fault::not_numbers, begin, field};
        list.push_back(integer);
        json::skip_space(cursor);
        if (*cursor.at == ',') ++cursor.at, json::skip_space(cursor);
    }
    return {};
}

Problem Reader::understand_box(Span value) {
    if (*value.begin != '[') return {Fault::not_a_box, value.begin, Field::box, -1};
    Cursor cursor{value.begin + 1, value.end};
    json::skip_space(cursor);
    std::int64_t count = 0;
    for (; *cursor.at != ']'; ++count) {
        const char* const begin = cursor.at;
        if (!begins_number(*begin)) return {Fault::not_a_box, value.begin, Field::box, -1};
        json::skip_value(cursor, 0);
        if (count < 4) row_->box[static_cast<std::size_t>(count)] = number_of({begin, cursor.at}).value;
        json::skip_space(cursor);
        if (*cursor.at == ',') ++cursor.at, json::skip_space(cursor);
    }
    if (count == 0) {
        row_->given = static_cast<std::uint16_t>(row_->given & ~bit(Field::box));
        forget(Field::box);
        return {};
    }
    if (count != 4) return {Fault::not_a_box, value.begin, Field::box, count};
    return {};
}

// --- by template
// ------------------------------------------------------------------------------------------------------

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
        const auto& [value, field] = part;
        const bool is_text = *value.begin == '"', is_number = begins_number(*value.begin);
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
            case Field::segment: number(Act::segment, 0); break;
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
        case Act::skip_number:
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
    if (!step.is_number()) return step.field == Field::nothing ? nullptr : read_by_hand(step.field, at, end);
    decimals::Number number;
    bool ends;
    const char* const behind = decimals::read(at, end, number, ends);
    if (behind) std::memcpy(reinterpret_cast<char*>(row_) + step.offset, &number.value, sizeof(double));
    return behind;
}

const char* Reader::read_by_hand(Field field, const char* at, const char* end) {
    Cursor cursor{at, end};
    if (!json::skip_value(cursor, depth_ + 1)) return nullptr;
    const bool is_sound = understand(field, {at, cursor.at}).fault == Fault::none;
    return is_sound && (row_->given & bit(field)) ? cursor.at : nullptr;
}

}  // namespace vesica::records

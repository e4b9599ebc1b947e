#include "io/coco/records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/json/decimals.hpp"

namespace vesica::records {
namespace {

using json::Cursor;
using json::Fault;

struct Key {
    Kind kind;
    std::string_view text;
    Field field;
};
constexpr Key key(Kind kind, Field field) {
    return {kind, key_of(field), field};
}
constexpr Key keys[] = {
    key(Kind::annotations, Field::image_id), key(Kind::annotations, Field::category_id),
    key(Kind::annotations, Field::own_id),   key(Kind::annotations, Field::box),
    key(Kind::annotations, Field::score),    key(Kind::annotations, Field::area),
    key(Kind::annotations, Field::crowd),    key(Kind::annotations, Field::ignore),
    key(Kind::annotations, Field::segment),  {Kind::images, "id", Field::image_id},
    key(Kind::images, Field::height),        key(Kind::images, Field::width),
    key(Kind::images, Field::name),          key(Kind::images, Field::absent),
    key(Kind::images, Field::partial),       {Kind::categories, "id", Field::category_id},
};

Field field_of(Kind kind, std::string_view key) {
    for (const Key& known : keys)
        if (known.kind == kind && known.text == key) return known.field;
    return Field::nothing;
}

bool is_finite(double value) {
    return value - value == 0;
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
    if (!decimals::begins(*value.begin)) return Fault::not_an_integer;
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
    if (given & bit(Field::box)) {
        const bool has_area = w >= 0 && h >= 0 && w * h < std::numeric_limits<double>::infinity();
        is_odd |= !(has_area && is_finite(x) && is_finite(y));
    }
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
            if (decimals::begins(*value.begin))
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
        if (!decimals::begins(*begin)) return {Fault::not_a_box, value.begin, Field::box, -1};
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

}  // namespace vesica::records

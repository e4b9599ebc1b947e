#include "dataset/coco_masks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "io/json/decimals.hpp"
#include "io/json/json.hpp"
#include "regions/masks/pixels.hpp"

namespace vesica::coco_masks {
namespace {

constexpr std::int64_t most_pixels = UINT32_MAX;

Fault fault(Kind kind, std::size_t position) {
    Fault found;
    found.kind = kind, found.position = position;
    return found;
}

Kind kind_of(runs::Fault fault) {
    switch (fault) {
        case runs::Fault::none: return Kind::none;
        case runs::Fault::negative: return Kind::negative;
        case runs::Fault::too_long: return Kind::too_long;
        case runs::Fault::character: return Kind::character;
        case runs::Fault::cut: return Kind::cut;
        case runs::Fault::too_large: return Kind::large_number;
    }
    return Kind::json;
}

// Counts of a list or string, whatever they are, into a shape. Those that are not canonical are kept if `literal`.
class Counting {
  public:
    Counting(Shape& shape, bool literal)
        : shape_(shape), runs_(shape.runs, shape.height * shape.width), literal_(literal) {}

    runs::Fault add(std::int64_t count) {
        const runs::Fault found = runs_.add(count);
        if (found == runs::Fault::none && literal_) shape_.counts.push_back(static_cast<std::uint32_t>(count));
        return found;
    }
    void close() {
        shape_.area = runs_.area(), shape_.is_short = runs_.is_short();
        if (!literal_) return;
        const auto& counts = shape_.counts;
        const bool has_zero = !counts.empty() && std::find(counts.begin() + 1, counts.end(), 0u) != counts.end();
        shape_.is_literal = has_zero || shape_.is_short;
    }

  private:
    Shape& shape_;
    runs::FromCounts<memory::Vector<Run>> runs_;
    bool literal_;
};

void find_box(Shape& shape) {
    const pixels::Mask mask = pixels::extent_of(shape.runs.data(), shape.runs.size(), shape.height, shape.area);
    shape.x1 = mask.x1, shape.y1 = mask.y1, shape.x2 = mask.x2, shape.y2 = mask.y2;
}

Kind bad_size(std::int64_t height, std::int64_t width) {
    if (height < 0 || width < 0) return Kind::bad_size;
    if (height > most_pixels || width > most_pixels || (width && height > most_pixels / width))
        return Kind::large_image;
    return Kind::none;
}

}  // namespace

void Shape::clear() {
    runs.clear(), counts.clear();
    area = x1 = y1 = x2 = y2 = 0;
    is_short = has_no_area = is_literal = false;
}

struct Decoder::Text {
    const char *begin, *end, *at;

    std::size_t place() const { return static_cast<std::size_t>(at - begin); }
    Fault broken() const { return fault(Kind::json, place()); }
    void skip() {
        while (at != end && json::is_space(*at)) ++at;
    }
    // The next character that is no white space; 0 at the end.
    char peek() {
        skip();
        return at == end ? '\0' : *at;
    }
    bool take(char character) {
        if (peek() != character) return false;
        ++at;
        return true;
    }
    bool number(double& value) {
        skip();
        if (is_short_number(value)) return true;
        decimals::Number number;
        bool ends;
        const char* const behind = decimals::read(at, end, number, ends);
        value = number.value;
        if (behind) at = behind;
        return behind;
    }
    // As most are: a few digits, no power.
    bool is_short_number(double& value) {
        constexpr std::ptrdiff_t readable = 24;
        if (end - at < readable) return false;
        const char* const behind = decimals::read_short(at, value);
        if (!behind || (*behind | 32) == 'e') return false;
        at = behind;
        return true;
    }
    // Four numbers at a time, as long as they are short, have no sign and stand alike; returns where the next one goes.
    // A comma follows each of them, so none goes on as a power, and another value must come.
    double* fours(double* to) {
        constexpr std::ptrdiff_t readable = 80;
        if (end - at < readable) return to;
        const bool is_wide = at[decimals::shape_of(at).end + 1] == ' ';  // behind the first comma
        const decimals::Separator comma{' ' << 8 | ',', is_wide ? 0xffffu : 0xffu, is_wide ? 2u : 1u};
        while (end - at >= readable) {
            const char* const behind = decimals::read_four(at, comma, to);
            if (!behind || !comma.is_at(behind)) break;
            at = behind + comma.length, to += 4;
        }
        return to;
    }
    // A key, without its quotes.
    bool key(std::string_view& name) {
        if (peek() != '"') return false;
        json::Cursor cursor{at + 1, end};
        bool ignored;
        const bool is_whole = json::skip_string(cursor, ignored);
        if (is_whole) name = {at + 1, static_cast<std::size_t>(cursor.at - at) - 2};
        at = is_whole ? cursor.at : cursor.where;
        return is_whole;
    }
    bool skip_value() {
        skip();
        json::Cursor cursor{at, end};
        const bool is_whole = at != end && json::skip_value(cursor, 1);
        at = is_whole || at == end ? cursor.at : cursor.where;
        return is_whole;
    }
};

Fault Decoder::decode(const Column& column, std::size_t row, Shape& shape) {
    const Fault found = read(column, row, shape);
    find_box(shape);
    return found;
}

Fault Decoder::read(const Column& column, std::size_t row, Shape& shape) {
    shape.clear();
    shape.height = column.size[2 * row], shape.width = column.size[2 * row + 1];
    const Kind kind = bad_size(shape.height, shape.width);
    const Fault found = kind == Kind::none ? written(column, row, shape) : fault(kind, 0);
    if (found) shape.clear();
    return found;
}

Fault Decoder::written(const Column& column, std::size_t row, Shape& shape) {
    const char* const begin = reinterpret_cast<const char*>(column.text) + column.begin[row];
    const auto count = static_cast<std::size_t>(column.end[row] - column.begin[row]);
    const double* const xywh = column.xywh ? column.xywh + 4 * row : nullptr;
    switch (static_cast<Form>(column.form[row])) {
        case Form::none: return box(xywh, shape);
        case Form::counts:
            if (!shape.height || !shape.width) return fault(Kind::no_size, 0);
            text_.resize(count + 2 * rle_strings::room);
            if (count) std::memcpy(text_.data() + rle_strings::room, begin, count);
            return string(count, shape);
        case Form::json: break;
    }
    Text text{begin, begin + count, begin};
    Fault found;
    switch (text.peek()) {
        case '{': found = object(text, shape); break;
        case '[': found = polygons(text, shape); break;
        case 'n':
            if (!text.skip_value()) return text.broken();
            found = box(xywh, shape);
            break;
        default: return text.broken();
    }
    text.skip();
    return found || text.at == text.end ? found : text.broken();
}

// "size" and "counts", in any order, among other keys; of equal keys the last one counts.
Fault Decoder::object(Text& text, Shape& shape) {
    enum class Counts { none, string, list } counts = Counts::none;
    std::size_t length = 0, place = 0;
    bool has_size = false;
    ++text.at;
    do {
        std::string_view key;
        if (!text.key(key) || !text.take(':')) return text.broken();
        if (key == "counts") {
            const bool is_string = text.peek() == '"';
            place = text.place();
            if (const Fault found = is_string ? unescape(text) : whole_numbers(text)) return found;
            counts = is_string ? Counts::string : Counts::list;
            length = is_string ? text_.size() - 2 * rle_strings::room : 0;
        } else if (key == "size") {
            if (const Fault found = size(text, shape)) return found;
            has_size = true;
        } else if (!text.skip_value()) {
            return text.broken();
        }
    } while (text.take(','));
    if (!text.take('}') || counts == Counts::none) return text.broken();
    if (!has_size) return fault(Kind::bad_size, 0);
    if (counts == Counts::list) return list(shape);
    Fault found = string(length, shape);
    found.position += place + 1;
    return found;
}

Fault Decoder::size(Text& text, Shape& shape) {
    double sides[2];
    text.skip();
    const std::size_t place = text.place();
    if (!text.take('[') || !text.number(sides[0]) || !text.take(',') || !text.number(sides[1]) || !text.take(']'))
        return fault(Kind::bad_size, place);
    for (const double side : sides)
        if (!(side >= 0) || side != std::floor(side)) return fault(Kind::bad_size, place);
    if (std::max(sides[0], sides[1]) > static_cast<double>(most_pixels)) return fault(Kind::large_image, place);
    shape.height = static_cast<std::int64_t>(sides[0]), shape.width = static_cast<std::int64_t>(sides[1]);
    return fault(bad_size(shape.height, shape.width), place);
}

// A string into `text_`, without its escapes. Counts have no characters beyond ASCII: the bytes of such a
// character are kept, its escape becomes the byte 255, and decoding the counts refuses both.
Fault Decoder::unescape(Text& text) {
    ++text.at;
    text_.resize(static_cast<std::size_t>(text.end - text.at) + 2 * rle_strings::room);
    std::uint8_t* to = text_.data() + rle_strings::room;
    const auto bytes = [](const char* at) { return reinterpret_cast<const std::uint8_t*>(at); };
    for (;;) {
        const std::size_t plain = rle_strings::copy_plain(bytes(text.at), bytes(text.end), to);
        text.at += plain, to += plain;
        if (text.at == text.end) return text.broken();
        if (*text.at++ == '"') break;
        if (text.at == text.end) return text.broken();
        const char escaped = *text.at++;
        if (escaped == 'u') {
            unsigned code = 0;
            for (int k = 0; k < 4; ++k, ++text.at) {
                if (text.at == text.end) return text.broken();
                const auto character = static_cast<unsigned char>(*text.at);
                const unsigned digit = character - 48u, letter = (character | 32u) - 97u;
                if (digit > 9 && letter > 5) return text.broken();
                code = 16 * code + (digit <= 9 ? digit : letter + 10);
            }
            *to++ = code < 128 ? static_cast<std::uint8_t>(code) : 255;
        } else if (escaped == '\\' || escaped == '"' || escaped == '/') {
            *to++ = static_cast<std::uint8_t>(escaped);
        } else if (std::string_view("bfnrt").find(escaped) != std::string_view::npos) {
            *to++ = ' ';  // like them, no character of counts
        } else {
            return text.broken();
        }
    }
    text_.resize(static_cast<std::size_t>(to - text_.data()) + rle_strings::room);
    return {};
}

Fault Decoder::whole_numbers(Text& text) {
    list_.clear(), places_.clear();
    if (!text.take('[')) return text.broken();
    if (text.take(']')) return {};
    do {
        double value;
        text.skip();
        const std::size_t place = text.place();
        if (!text.number(value)) return text.broken();
        if (!(std::abs(value) <= static_cast<double>(most_pixels))) return fault(Kind::large_number, place);
        if (value != std::floor(value)) return fault(Kind::json, place);
        list_.push_back(static_cast<std::int64_t>(value)), places_.push_back(static_cast<std::int64_t>(place));
    } while (text.take(','));
    return text.take(']') ? Fault{} : text.broken();
}

Fault Decoder::list(Shape& shape) {
    Counting counting(shape, literal_);
    for (std::size_t k = 0; k < list_.size(); ++k)
        if (const runs::Fault bad = counting.add(list_[k]); bad != runs::Fault::none)
            return fault(kind_of(bad), static_cast<std::size_t>(places_[k]));
    counting.close();
    return {};
}

Fault Decoder::string(std::size_t count, Shape& shape) {
    const std::uint8_t* const text = text_.data() + rle_strings::room;
    const std::int64_t pixels = shape.height * shape.width;
    rle_strings::Sums sums;
    if (reader_.quick(text, count, pixels, shape.runs, sums) && !(literal_ && sums.end < pixels)) {
        shape.area = sums.area, shape.is_short = sums.end < pixels;
        return {};
    }
    shape.clear();
    Counting counting(shape, literal_);
    std::size_t position = 0;
    const auto add = [&](std::int64_t one) { return counting.add(one); };
    if (const runs::Fault bad = rle_strings::each_count(text, count, position, add); bad != runs::Fault::none)
        return fault(kind_of(bad), position);
    counting.close();
    return {};
}

Fault Decoder::polygons(Text& text, Shape& shape) {
    painter_.open(shape.height, shape.width, raster::Rule::coco);
    begun_ = false;
    Text ahead = text;
    ++ahead.at;
    const char first = ahead.peek();
    if (first == ']') {
        text = ahead, ++text.at;
    } else if (first != '[') {  // one polygon, without a list around it
        if (literal_) return text.broken();
        if (const Fault found = polygon(text, shape)) return found;
    } else {
        text = ahead;
        do {
            if (text.peek() != '[') return text.broken();
            if (const Fault found = polygon(text, shape)) return found;
        } while (text.take(','));
        if (!text.take(']')) return text.broken();
    }
    return close(shape);
}

// x, y, x, y, … or [x, y], [x, y], …
Fault Decoder::polygon(Text& text, Shape& shape) {
    const std::size_t place = text.place();
    points_.resize(static_cast<std::size_t>(text.end - text.at) / 2 + 1);  // a number and a comma each
    double* to = points_.data();
    ++text.at;
    if (!text.take(']')) {
        to = text.fours(to);
        do {
            const bool is_pair = text.take('[');
            if (is_pair && literal_) return text.broken();
            for (bool is_second = false;; is_second = true) {
                text.skip();
                const std::size_t at = text.place();
                if (!text.number(*to)) return text.broken();
                if (!(std::abs(*to) <= raster::Painter::limit)) return fault(Kind::coordinate, at);
                ++to;
                if (!is_pair || is_second) break;
                if (!text.take(',')) return text.broken();
            }
            if (is_pair && !text.take(']')) return text.broken();
        } while (text.take(','));
        if (!text.take(']')) return text.broken();
    }
    Fault found = draw(points_.data(), static_cast<std::size_t>(to - points_.data()), shape);
    found.position = place;
    return found;
}

// A box on the page: its four corners, down the left side first.
Fault Decoder::box(const double* xywh, Shape& shape) {
    painter_.open(shape.height, shape.width, raster::Rule::coco);
    begun_ = false;
    if (xywh) {
        const double x1 = xywh[0], y1 = xywh[1], x2 = x1 + xywh[2], y2 = y1 + xywh[3];
        const double corners[] = {x1, y1, x1, y2, x2, y2, x2, y1};
        for (const double corner : corners)
            if (!(std::abs(corner) <= raster::Painter::limit)) return fault(Kind::coordinate, 0);
        if (const Fault found = draw(corners, 8, shape)) return found;
    }
    return close(shape);
}

Fault Decoder::draw(const double* points, std::size_t numbers, Shape& shape) {
    const bool is_first = !begun_;
    begun_ = true;
    if (literal_ && is_first && numbers <= 4) return fault(Kind::few, 0);
    if (!literal_ && numbers % 2) return fault(Kind::odd, 0);
    if (numbers < 6) {
        shape.has_no_area = true;
        return {};
    }
    if (!shape.height || !shape.width) return fault(Kind::no_size, 0);
    painter_.add(points, numbers / 2);
    painter_.close_part();
    return {};
}

Fault Decoder::close(Shape& shape) {
    if (!begun_) {
        if (literal_) return fault(Kind::few, 0);
        shape.has_no_area = true;
    }
    const std::vector<raster::Run>& runs = painter_.runs();
    shape.runs.resize(runs.size());
    for (std::size_t k = 0; k < runs.size(); ++k) {
        shape.runs[k] = {static_cast<std::uint32_t>(runs[k].begin), static_cast<std::uint32_t>(runs[k].end)};
        shape.area += runs[k].end - runs[k].begin;
    }
    return {};
}

}  // namespace vesica::coco_masks

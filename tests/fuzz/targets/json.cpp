// json.cpp. Any bytes as JSON: the verdict is the same for all instruction sets, and a value has one end.
#include "io/json/json.hpp"

#include "input.hpp"

namespace {

using vesica::fuzz::hold;
using vesica::fuzz::Input;
namespace json = vesica::json;

struct Verdict {
    json::Fault fault;
    std::ptrdiff_t at;  // of the fault, or behind the value
    friend bool operator==(const Verdict&, const Verdict&) = default;
};

Verdict verdict(const Input& input, int depth) {
    json::Cursor cursor{input.begin(), input.end()};
    json::skip_space(cursor);
    const bool is_right = json::skip_value(cursor, depth);
    hold(is_right == (cursor.fault == json::Fault::none), "a refusal has a fault, and a value none");
    const char* const at = is_right ? cursor.at : cursor.where;
    hold(input.begin() <= at && at <= input.end(), "the place lies in the text");
    return {cursor.fault, at - input.begin()};
}

void strings(const Input& input, std::ptrdiff_t end) {
    for (std::ptrdiff_t k = 0; k < end; ++k) {
        if (input.begin()[k] != '"') continue;
        json::Cursor cursor{input.begin() + k + 1, input.begin() + end};
        bool has_escapes = false;
        hold(json::skip_string(cursor, has_escapes), "a value that is right has right strings");
        const std::string_view raw(input.begin() + k + 1, cursor.at - 1);
        const std::string plain = json::unescaped(raw);
        hold(has_escapes ? plain.size() < raw.size() : plain == raw, "an escape is longer than what it stands for");
        k = cursor.at - input.begin() - 1;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Input input(data, size);
    Verdict first{};
    bool is_first = true;
    vesica::fuzz::each_level([&] {
        const Verdict found = verdict(input, 0);
        if (is_first) first = found;
        is_first = false;
        hold(found == first, "all instruction sets agree");
    });
    if (first.fault != json::Fault::none) return 0;

    strings(input, first.at);
    const Input whole(data, static_cast<std::size_t>(first.at));
    hold(verdict(whole, 0) == first, "what comes behind a value does not change it");
    const char last = whole.end()[-1];
    if (last != ']' && last != '}' && last != '"') return 0;
    const Input cut(data, whole.size() - 1);
    hold(verdict(cut, 0) == Verdict{json::Fault::end, first.at - 1}, "a value without its last mark breaks off there");
    return 0;
}

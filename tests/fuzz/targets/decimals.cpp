// decimals.cpp. Any bytes as a number: the double is that of the standard library, and the quick ways give the same.
#include "io/json/decimals.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "input.hpp"

namespace {

using vesica::fuzz::hold;
namespace decimals = vesica::decimals;

bool is_same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// What strtod says, to the sign of zero: an integer has one zero, as in Python.
double standard(const char* begin, const char* end, decimals::Kind kind) {
    const double value = std::strtod(std::string(begin, end).c_str(), nullptr);
    return kind != decimals::Kind::decimal && value == 0 ? 0 : value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const vesica::fuzz::Input input(data, size);
    decimals::Number number;
    bool ends = false;
    const char* const behind = decimals::read(input.begin(), input.end(), number, ends);
    hold(!behind || (input.begin() < behind && behind <= input.end()), "a number lies in the text");
    if (behind && !std::isnan(number.value)) {
        hold(is_same(number.value, standard(input.begin(), behind, number.kind)), "the double is the nearest");
        std::int64_t integer = 0;
        const auto [last, error] = std::from_chars(input.begin(), behind, integer);
        const bool is_integer = last == behind && error == std::errc();
        hold(is_integer == (number.kind == decimals::Kind::integer), "64 bits hold an integer, or do not");
        hold(!is_integer || integer == number.integer, "the integer is exact");
    }

    // The quick ways look beyond the number, so they get room, and they leave what follows it to their callers.
    const std::size_t room = 40;
    std::string padded(input.begin(), input.end());
    padded.resize(size + room, ' ');
    for (const auto quick : {decimals::read_short, decimals::read_long}) {
        double value = 0;
        const char* const end = quick(padded.data(), value);
        if (!end) continue;
        decimals::Number same;
        const char* const known = decimals::read(padded.data(), end, same, ends);
        hold(known == end && is_same(same.value, value), "a quick way gives the same number");
    }
    return 0;
}

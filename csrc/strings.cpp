#include "strings.hpp"

#include "isa.hpp"

namespace vesica::strings {
namespace {

std::size_t numbers_baseline(const std::uint8_t* text, std::size_t count, std::int32_t* out) {
    std::int32_t* to = out;
    for (std::size_t at = 0; at < count;) {
        const unsigned code = text[at] - 48u;
        if (code < 32) {  // one character, as most are
            *to++ = static_cast<std::int32_t>(code ^ 16) - 16, ++at;
            continue;
        }
        if (code > 63) return unusual;
        std::uint32_t bits = code & 31;
        for (unsigned shift = 5;; shift += 5) {
            if (++at == count || shift == 20) return unusual;
            const unsigned next = text[at] - 48u;
            if (next > 63) return unusual;
            bits |= (next & 31) << shift;
            if (next & 32) continue;
            if (next & 16) bits |= ~0u << (shift + 5);
            break;
        }
        *to++ = static_cast<std::int32_t>(bits), ++at;
    }
    return static_cast<std::size_t>(to - out);
}

}  // namespace

std::size_t numbers(const std::uint8_t* text, std::size_t count, std::int32_t* out) {
    return numbers_baseline(text, count, out);
}

}  // namespace vesica::strings

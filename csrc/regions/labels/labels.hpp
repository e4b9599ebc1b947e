// labels.hpp. Two label maps of one size, pixel by pixel: how often each label of a meets each label of b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vesica::labels {

enum class Type { uint8, int8, uint16, int16, uint32, int32, int64 };

// Calls f with a number of that type.
template <class F>
auto with_type(Type type, const F& f) {
    switch (type) {
        case Type::uint8: return f(std::uint8_t());
        case Type::int8: return f(std::int8_t());
        case Type::uint16: return f(std::uint16_t());
        case Type::int16: return f(std::int16_t());
        case Type::uint32: return f(std::uint32_t());
        case Type::int32: return f(std::int32_t());
        case Type::int64: break;
    }
    return f(std::int64_t());
}

// The pixels of a map, one after the other.
struct Map {
    const void* data;
    Type type;
};

struct Meeting {
    std::int64_t a, b, count;
};

// The pairs of labels that meet, sorted by a, then b. The cost depends on how often the pair changes from one pixel to
// the next, not on how large the labels are.
std::vector<Meeting> count(const Map& a, const Map& b, std::size_t pixels, std::size_t threads);

// All labels of both sides that are in sorted pairs, rising.
struct Axes {
    std::vector<std::int64_t> a, b;
};
Axes axes_of(const std::vector<Meeting>& sorted);

// The pairs as a table: a row for each label of a, a column for each of b.
void fill(const std::vector<Meeting>& sorted, const Axes& axes, std::int64_t* out);

}  // namespace vesica::labels

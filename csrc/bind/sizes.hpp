// sizes.hpp. Whether arrays have the sizes that a kernel will trust. Each check is a comparison or two, whatever the
// arrays hold: what stands in them is checked where it enters the library.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>

namespace vesica::bind {

[[noreturn]] inline void refuse(const std::string& text) {
    throw nanobind::value_error(("vesica._native: " + text + ".").c_str());
}

// So many numbers.
inline void expect_size(const char* name, std::size_t got, std::size_t wanted) {
    if (got != wanted)
        refuse("`" + std::string(name) + "` must have " + std::to_string(wanted) + " entries; got " +
               std::to_string(got));
}

// So many numbers, or none: an optional column.
inline void expect_optional(const char* name, std::size_t got, std::size_t wanted) {
    if (got) expect_size(name, got, wanted);
}

inline void expect_at_most(const char* name, std::size_t got, std::size_t most) {
    if (got > most)
        refuse("`" + std::string(name) + "` must be at most " + std::to_string(most) + "; got " + std::to_string(got));
}

// A place among so many.
inline void expect_below(const char* name, std::size_t got, std::size_t count) {
    if (got >= count)
        refuse("`" + std::string(name) + "` must be below " + std::to_string(count) + "; got " + std::to_string(got));
}

// How many rows of `width` numbers a table has.
template <class Array>
std::size_t expect_rows(const char* name, const Array& table, std::size_t width) {
    if (table.ndim() != 2 || table.shape(1) != width)
        refuse("`" + std::string(name) + "` must be a table with " + std::to_string(width) + " columns");
    return table.shape(0);
}

// Places where groups begin, and the end: from 0 to `total`. How many groups there are.
template <class Array>
std::size_t expect_offsets(const char* name, const Array& offsets, std::size_t total) {
    const std::size_t size = offsets.size();
    if (!size || offsets.data()[0] != 0 || static_cast<std::size_t>(offsets.data()[size - 1]) != total)
        refuse("`" + std::string(name) + "` must lead from 0 to " + std::to_string(total));
    return size - 1;
}

}  // namespace vesica::bind

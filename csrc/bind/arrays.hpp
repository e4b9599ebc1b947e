// arrays.hpp. Arrays of Python and the plain values that cross with them. Callers have checked the values, sizes are
// looked at here (sizes.hpp); arrays arrive contiguous and are never converted or copied here.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/measures.hpp"
#include "base/memory.hpp"
#include "base/threshold.hpp"
#include "bind/sizes.hpp"
#include "bind/unlocked.hpp"

namespace vesica::bind {

namespace nb = nanobind;
using namespace nb::literals;

// Any number of leading axes; the last one, where there is one, is the row.
template <class T>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig>;
template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Keys = Flat<std::uint32_t>;
using Scores = Flat<double>;

// The array owns the memory from here on.
template <class T>
Column<T> give(std::unique_ptr<T[]> data, std::size_t count) {
    T* const raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Column<T>(raw, {count}, owner);
}

template <class T>
Column<T> give(std::vector<T> data) {
    auto* const kept = new std::vector<T>(std::move(data));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Column<T>(kept->data(), {kept->size()}, owner);
}

template <class T>
Column<T> give(memory::Vector<T> data) {
    auto* const kept = new memory::Vector<T>(std::move(data));
    nb::capsule owner(kept, [](void* p) noexcept { memory::drop(static_cast<memory::Vector<T>*>(p)); });
    return Column<T>(kept->data(), {kept->size()}, owner);
}

// One of the flat arrays of a region, which stays the owner of its memory. Never converted: a copy would not last.
template <class T>
const T* column_of(const nb::object& flat, std::size_t at, std::size_t size) {
    const auto column = nb::cast<In<T>>(flat[at], false);
    expect_size("column", column.size(), size);
    return column.data();
}

// An optional column: null where it has no length.
template <class T>
const T* given(const Flat<T>& column) {
    return column.size() ? column.data() : nullptr;
}

// empty, alpha, beta, of_b
using OptionTuple = std::tuple<double, double, double, bool>;
// p, q, shift, strict
using ThresholdTuple = std::tuple<std::uint64_t, std::uint64_t, unsigned, bool>;

inline measures::Options options_of(const OptionTuple& o) {
    return {std::get<0>(o), std::get<1>(o), std::get<2>(o), std::get<3>(o)};
}

inline Threshold threshold_of(const ThresholdTuple& threshold) {
    const auto& [p, q, shift, strict] = threshold;
    return {p, q, shift, strict};
}

// The names of an enum in the order of its numbers: Python makes its tables of these.
template <class Enum>
void define_names(nb::module_& m, const char* name) {
    m.def(name, [] { return names_of(Enum()); });
}

// Run lengths of many masks: counts, and where those of each mask begin.
using CountTuple = std::tuple<Column<std::int64_t>, Column<std::int64_t>>;

}  // namespace vesica::bind

// label_maps.hpp. Label maps of any integers, as kernels take them.
#pragma once

#include <cstdint>

#include "bind/arrays.hpp"
#include "regions/labels/labels.hpp"

namespace vesica::bind {

// A map of any integers: the type is part of the value.
using AnyMap = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

inline labels::Map map_of(const AnyMap& array) {
    const auto is = [&]<class T>(T) { return array.dtype() == nb::dtype<T>(); };
    using Type = labels::Type;
    if (is(std::uint8_t())) return {array.data(), Type::uint8};
    if (is(std::int8_t())) return {array.data(), Type::int8};
    if (is(std::uint16_t())) return {array.data(), Type::uint16};
    if (is(std::int16_t())) return {array.data(), Type::int16};
    if (is(std::uint32_t())) return {array.data(), Type::uint32};
    if (is(std::int32_t())) return {array.data(), Type::int32};
    if (is(std::int64_t())) return {array.data(), Type::int64};
    throw nb::type_error("no such integers");
}

}  // namespace vesica::bind

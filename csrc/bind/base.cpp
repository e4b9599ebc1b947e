// base.cpp. Memory that is kept, the list of measures, and the instruction set.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/measures.hpp"
#include "base/memory.hpp"
#include "base/simd.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace vesica::bind {
namespace {

// An array of any content, in memory that is kept for the next one when this one is freed.
template <class T>
Column<T> empty(std::size_t count) {
    struct Lease {
        void* data;
        std::size_t bytes;
    };
    const std::size_t bytes = count * sizeof(T);
    auto lease = std::make_unique<Lease>(Lease{memory::take(bytes), bytes});
    T* const raw = static_cast<T*>(lease->data);
    nb::capsule owner(lease.release(), [](void* p) noexcept {
        const std::unique_ptr<Lease> done(static_cast<Lease*>(p));
        memory::give_back(done->data, done->bytes);
    });
    return Column<T>(raw, {count}, owner);
}

std::vector<std::string> names(bool with_boxes) {
    std::vector<std::string> all;
#define X(name, Type) all.push_back(#name);
    VESICA_REGION_MEASURES(X)
    if (with_boxes) {
        VESICA_BOX_MEASURES(X)
    }
#undef X
    return all;
}

void limit_isa(const std::string& name) {
    for (const simd::Level level : {simd::Level::baseline, simd::Level::avx2, simd::Level::avx512})
        if (name == simd::name(level)) return simd::limit(level);
    throw nb::value_error("no such instruction set");
}

}  // namespace

void define_base(nb::module_& m) {
    m.def("empty_float32", &empty<float>, "count"_a);
    m.def("empty_float64", &empty<double>, "count"_a);
    m.def("empty_uint8", &empty<std::uint8_t>, "count"_a);
    m.def("keep_at_most", &memory::keep_at_most, "bytes"_a, "Keep at most so much freed memory for later answers.");
    m.def("kept", &memory::kept, "Bytes of freed memory that are kept for later answers.");
    m.def("measure_names", &names, "with_boxes"_a, "The measures, in the order of their numbers.");
    m.def("isa", [] { return simd::name(simd::current()); }, "The instruction set in use.");
    m.def("limit_isa", &limit_isa, "name"_a, "Use at most this instruction set: avx512, avx2 or baseline.");
}

}  // namespace vesica::bind

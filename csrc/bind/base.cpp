// base.cpp. Memory that is kept, the list of measures, and the instruction set.
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
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

// needs_hull, is_fraction, is_similarity, options
using FactTuple = std::tuple<bool, bool, bool, std::vector<std::string>>;

// What csrc/base/measures.hpp knows of each measure, in the order of their numbers.
std::vector<FactTuple> measure_facts() {
    std::vector<FactTuple> all;
    const auto add = [&]<class M>(M, bool needs_hull) {
        constexpr bool is_fraction = requires(measures::Parts<double> p, measures::Options o) { M::num(p, o); };
        all.push_back({needs_hull, is_fraction, M::is_similarity, {M::options.begin(), M::options.end()}});
    };
#define X(name, Type) add(measures::Type(), false);
    VESICA_REGION_MEASURES(X)
#undef X
#define X(name, Type) add(measures::Type(), true);
    VESICA_BOX_MEASURES(X)
#undef X
    return all;
}

bool measure_is_symmetric(int measure, const OptionTuple& options) {
    bool answer = false;
    measures::with_box_measure(measures::Name(measure),
                               [&]<class M>(M) { answer = M::is_symmetric(options_of(options)); });
    return answer;
}

// What a pair that reaches t shares at least: of the union, of the first region, of the second.
std::tuple<double, double, double> measure_least(int measure, const OptionTuple& options, double t) {
    measures::Least least;
    measures::with_box_measure(measures::Name(measure), [&]<class M>(M) { least = M::least(options_of(options), t); });
    return {least.iou, least.of_a, least.of_b};
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
    m.def("measure_facts", &measure_facts, "needs_hull, is_fraction, is_similarity and options of each measure.");
    m.def("measure_is_symmetric", &measure_is_symmetric, "measure"_a, "options"_a);
    m.def("measure_least", &measure_least, "measure"_a, "options"_a, "t"_a);
    m.def("isa", [] { return simd::name(simd::current()); }, "The instruction set in use.");
    m.def("limit_isa", &limit_isa, "name"_a, "Use at most this instruction set: avx512, avx2 or baseline.");
}

}  // namespace vesica::bind

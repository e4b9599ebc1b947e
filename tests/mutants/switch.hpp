// switch.hpp. All faults in one library: each has a number, and the number chosen when the tests run is the one that
// acts. An operator becomes two, of the same precedence, with a mark between them: a < b is a < Mark > b, so its
// operands stay what they were.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

namespace vesica_mutants {

constexpr int most = 1 << 14;

inline unsigned char* shared_bytes() {
    const char* const path = std::getenv("VESICA_MUTANTS_REACHED");
    const int file = path ? open(path, O_RDWR) : -1;
    void* const bytes = file < 0 ? MAP_FAILED : mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    static unsigned char own[most];
    return bytes == MAP_FAILED ? own : static_cast<unsigned char*>(bytes);
}

// One byte a fault, set when control passes it; a file, so that processes that a test starts are seen as well.
inline unsigned char* const reached = shared_bytes();

// The fault that acts; 0 is none. Python writes it after a fork; a process that a test starts takes it from here.
extern "C" {
__attribute__((visibility("default"), used)) inline int vesica_mutant =
    std::getenv("VESICA_MUTANT") ? std::atoi(std::getenv("VESICA_MUTANT")) : 0;
}

#define VESICA_SWITCH __attribute__((always_inline)) inline

// Does fault N act? Its number also goes into the section .mutants, which tells what was compiled.
template <int N>
VESICA_SWITCH bool on() {
    asm volatile(".pushsection .mutants\n.int %c0\n.popsection" ::"i"(N));
    reached[N] = 1;
    return vesica_mutant == N;
}

enum Sign { less, less_equal, greater, greater_equal, equal, unequal, plus, minus, times, over, rest, left, right, both, either };

template <int N, Sign S>
struct Mark {};
template <int N, Sign S, class A>
struct Half {
    A a;
};

template <Sign S, class A, class B>
VESICA_SWITCH auto plain(A a, B b) {
    if constexpr (S == less) return a < b;
    if constexpr (S == less_equal) return a <= b;
    if constexpr (S == greater) return a > b;
    if constexpr (S == greater_equal) return a >= b;
    if constexpr (S == equal) return a == b;
    if constexpr (S == unequal) return a != b;
    if constexpr (S == plus) return a + b;
    if constexpr (S == minus) return a - b;
    if constexpr (S == times) return a * b;
    if constexpr (S == over) return a / b;
    if constexpr (S == rest) return a % b;
    if constexpr (S == left) return a << b;
    if constexpr (S == right) return a >> b;
    if constexpr (S == both) return a & b;
    if constexpr (S == either) return a | b;
}

// What stands there instead of each.
constexpr Sign wrong(Sign sign) {
    switch (sign) {
        case less: return less_equal;
        case less_equal: return less;
        case greater: return greater_equal;
        case greater_equal: return greater;
        case equal: return unequal;
        case unequal: return equal;
        case plus: return minus;
        case minus: return plus;
        case times: return plus;
        case over: return times;
        case rest: return over;
        case left: return right;
        case right: return left;
        case both: return either;
        case either: return both;
    }
}

template <int N, Sign S, class A, class B>
VESICA_SWITCH auto chosen(A a, B b) {
    using Plain = decltype(plain<S>(a, b));
    static_assert(std::is_same_v<Plain, decltype(plain<wrong(S)>(a, b))>, "the fault gives another type");
    return on<N>() ? plain<wrong(S)>(a, b) : plain<S>(a, b);
}

#define VESICA_BETWEEN(first, second)                                          \
    template <int N, Sign S, class A>                                          \
    VESICA_SWITCH Half<N, S, A> operator first(A a, Mark<N, S>) {              \
        return {a};                                                            \
    }                                                                          \
    template <int N, Sign S, class A, class B>                                 \
    VESICA_SWITCH auto operator second(Half<N, S, A> half, B b) {              \
        return chosen<N, S>(half.a, b);                                        \
    }
VESICA_BETWEEN(<, >)
VESICA_BETWEEN(==, ==)
VESICA_BETWEEN(+, +)
VESICA_BETWEEN(*, *)
VESICA_BETWEEN(<<, <<)
VESICA_BETWEEN(&, &)
VESICA_BETWEEN(|, |)

// a += Negated = b takes b away.
template <int N>
struct Negated {
    template <class B>
    VESICA_SWITCH auto operator=(B b) const {
        using Number = std::conditional_t<std::is_same_v<B, bool>, int, B>;  // less than false there is -1
        return on<N>() ? static_cast<Number>(-static_cast<Number>(b)) : static_cast<Number>(b);
    }
};

template <int N, class T>
VESICA_SWITCH T lesser(T a, T b) {
    return on<N>() ? std::max(a, b) : std::min(a, b);
}
template <int N, class T>
VESICA_SWITCH T greatest(T a, T b) {
    return on<N>() ? std::min(a, b) : std::max(a, b);
}

}  // namespace vesica_mutants

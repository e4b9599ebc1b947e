// memory.hpp. Large answers, and scratch: a freed block is kept for the next one.
//
// Fresh memory costs more than filling it: the system clears every page first. A kept block has its pages already. A
// large one is marked as free to the system, which may take the pages back when it needs them, and then they are
// cleared again. For smaller ones the mark would cost more than the pages are worth.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace vesica::memory {

// At least `bytes` bytes of any content. Throws std::bad_alloc.
void* take(std::size_t bytes);

// Give back what `take(bytes)` gave.
void give_back(void* data, std::size_t bytes) noexcept;

// The same for scratch that is not large: from 16 kB on, below 1 MB.
void* take_scratch(std::size_t bytes);
void give_back_scratch(void* data, std::size_t bytes) noexcept;

// Let what of it fills large pages be in such pages, before it is written: they are cleared and mapped far faster.
void prefer_large_pages(void* data, std::size_t bytes) noexcept;

// Keep at most so many bytes; 0 keeps nothing. Returns the bytes that are kept now.
std::size_t keep_at_most(std::size_t bytes);
std::size_t kept();

// Under AddressSanitizer no scratch is kept: it would not see what is written behind the end, or too late.
#if defined(__SANITIZE_ADDRESS__)
#define VESICA_KEEPS_SCRATCH 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VESICA_KEEPS_SCRATCH 0
#endif
#endif
#if !defined(VESICA_KEEPS_SCRATCH)
#define VESICA_KEEPS_SCRATCH 1
#endif

// Scratch of a call: of any content until it is filled. The C library keeps small blocks by itself. Of others it gives
// the end of its heap back to the system as soon as it is free, so a call whose scratch is there would pay for fresh
// pages every time.
template <class T>
struct Allocator {
    using value_type = T;
    static constexpr std::size_t medium = std::size_t(1) << 14, large = std::size_t(1) << 20;  // bytes

    Allocator() = default;
    template <class U>
    Allocator(const Allocator<U>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < medium || !VESICA_KEEPS_SCRATCH) return static_cast<T*>(::operator new(bytes));
        return static_cast<T*>(bytes < large ? take_scratch(bytes) : take(bytes));
    }
    void deallocate(T* data, std::size_t count) noexcept {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < medium || !VESICA_KEEPS_SCRATCH) return ::operator delete(data);
        bytes < large ? give_back_scratch(data, bytes) : give_back(data, bytes);
    }
    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;  // not U(), which writes zeros: all is written before it is read
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U{std::forward<Args>(args)...};
    }
    friend bool operator==(const Allocator&, const Allocator&) { return true; }
};
template <class T>
using Vector = std::vector<T, Allocator<T>>;

// Delete a vector of numbers. Compiled with the kernels: a compiler that does not try hard visits every number, to
// destroy nothing.
template <class T>
void drop(Vector<T>* vector) noexcept;

}  // namespace vesica::memory

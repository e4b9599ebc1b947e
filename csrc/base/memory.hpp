// memory.hpp. Large answers and large scratch: a freed block is kept for the next one.
//
// Fresh memory costs more than filling it: the system clears every page first. A kept block has its pages already. It
// is marked as free to the system, which may take the pages back when it needs them, and then they are cleared again.
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

// Memory that its owner frees by `release`, and that is not kept then: at least `bytes` bytes of any content, in large
// pages where they are many. Pages that are never written take no memory. Throws std::bad_alloc.
void* allocate(std::size_t bytes);
void release(void* data) noexcept;

// Let what of it fills large pages be in such pages, before it is written: they are cleared and mapped far faster.
void prefer_large_pages(void* data, std::size_t bytes) noexcept;

// Keep at most so many bytes; 0 keeps nothing. Returns the bytes that are kept now.
std::size_t keep_at_most(std::size_t bytes);
std::size_t kept();

// Scratch of a call: of any content until it is filled.
template <class T>
struct Allocator {
    using value_type = T;
    static constexpr std::size_t large = std::size_t(1) << 20;  // bytes; what is smaller, the C library keeps by itself

    Allocator() = default;
    template <class U>
    Allocator(const Allocator<U>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        return static_cast<T*>(bytes < large ? ::operator new(bytes) : take(bytes));
    }
    void deallocate(T* data, std::size_t count) noexcept {
        const std::size_t bytes = count * sizeof(T);
        bytes < large ? ::operator delete(data) : give_back(data, bytes);
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

}  // namespace vesica::memory

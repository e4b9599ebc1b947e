#include "base/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#if !defined(_WIN32)
#include <pthread.h>
#include <sys/mman.h>
#endif

namespace vesica::memory {
namespace {

constexpr std::size_t page = std::size_t(2) << 20;  // a huge page: fewer, larger steps for the system

std::size_t rounded(std::size_t bytes) {
    return (bytes + page - 1) / page * page;
}

#if defined(_WIN32)
void* reserve(std::size_t bytes) {
    return ::operator new(bytes);
}
void unmap(void* data, std::size_t) noexcept {
    ::operator delete(data);
}
void lend(void*, std::size_t) noexcept {}
#else
void* reserve(std::size_t bytes) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    prefer_large_pages(data, bytes);
    return data;
}
void unmap(void* data, std::size_t bytes) noexcept {
    munmap(data, bytes);
}
// The content is not needed: the system may take the pages if it is short of memory, and leaves them otherwise.
void lend(void* data, std::size_t bytes) noexcept {
#if defined(MADV_FREE)
    madvise(data, bytes, MADV_FREE);
#else
    (void)data, (void)bytes;
#endif
}
#endif

struct Block {
    void* data;
    std::size_t size;
};

// Blocks for the next calls, oldest first. `Free` frees one.
template <class Free>
struct Shelf {
    std::vector<Block> blocks;
    std::size_t total = 0;

    // A block of just this size, the one that was used last; or null.
    void* find(std::size_t size) {
        for (std::size_t k = blocks.size(); k-- > 0;)
            if (blocks[k].size == size) return remove(k);
        return nullptr;
    }
    void put(void* data, std::size_t size) {
        blocks.push_back({data, size});
        total += size;
    }
    void trim(std::size_t most) {
        while (total > most) {
            const std::size_t size = blocks[0].size;
            Free::free(remove(0), size);
        }
    }

  private:
    void* remove(std::size_t k) {
        void* const data = blocks[k].data;
        total -= blocks[k].size;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
        return data;
    }
};

struct Unmap {
    static void free(void* data, std::size_t size) noexcept { unmap(data, size); }
};
struct Delete {
    static void free(void* data, std::size_t) noexcept { ::operator delete(data); }
};

// Quarters of a power of two: few sizes, so that a kept block suits calls of about the same size.
std::size_t rounded_scratch(std::size_t bytes) {
    const std::size_t step = std::bit_ceil(bytes) / 8;
    return (bytes + step - 1) / step * step;
}

struct Kept {
    std::mutex mutex;
    std::size_t most = std::size_t(256) << 20;
    Shelf<Unmap> large;
    Shelf<Delete> scratch;

    std::size_t total() const { return large.total + scratch.total; }
    // Scratch is not marked as free, so there is little of it, and only where large blocks leave room.
    void trim() {
        large.trim(most);
        scratch.trim(std::min(most - large.total, std::size_t(32) << 20));
    }
};

Kept& kept_blocks = *new Kept;  // never destroyed: arrays may outlive main()

#if !defined(_WIN32)
// A fork waits until no thread is at the shelves. So the child, which has the forking thread alone, finds them in
// order.
[[maybe_unused]] const int forks = pthread_atfork([] { kept_blocks.mutex.lock(); }, [] { kept_blocks.mutex.unlock(); },
                                                  [] { kept_blocks.mutex.unlock(); });
#endif

}  // namespace

void prefer_large_pages(void* data, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(data), end = begin + bytes;
    const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
    (void)data, (void)bytes;
#endif
}

void* take(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    {
        std::lock_guard lock(kept_blocks.mutex);
        if (void* const data = kept_blocks.large.find(size)) return data;
    }
    return reserve(size);
}

void give_back(void* data, std::size_t bytes) noexcept {
    const std::size_t size = rounded(bytes);
    std::lock_guard lock(kept_blocks.mutex);
    if (size > kept_blocks.most) return unmap(data, size);
    lend(data, size);
    kept_blocks.large.put(data, size);
    kept_blocks.trim();
}

void* take_scratch(std::size_t bytes) {
    const std::size_t size = rounded_scratch(bytes);
    {
        std::lock_guard lock(kept_blocks.mutex);
        if (void* const data = kept_blocks.scratch.find(size)) return data;
    }
    return ::operator new(size);
}

void give_back_scratch(void* data, std::size_t bytes) noexcept {
    std::lock_guard lock(kept_blocks.mutex);
    kept_blocks.scratch.put(data, rounded_scratch(bytes));
    kept_blocks.trim();
}

template <class T>
void drop(Vector<T>* vector) noexcept {
    delete vector;
}
template void drop(Vector<std::uint8_t>*) noexcept;
template void drop(Vector<std::int32_t>*) noexcept;
template void drop(Vector<std::uint32_t>*) noexcept;
template void drop(Vector<std::int64_t>*) noexcept;
template void drop(Vector<std::uint64_t>*) noexcept;
template void drop(Vector<float>*) noexcept;
template void drop(Vector<double>*) noexcept;

std::size_t keep_at_most(std::size_t bytes) {
    std::lock_guard lock(kept_blocks.mutex);
    kept_blocks.most = bytes;
    kept_blocks.trim();
    return kept_blocks.total();
}

std::size_t kept() {
    std::lock_guard lock(kept_blocks.mutex);
    return kept_blocks.total();
}

}  // namespace vesica::memory

#include "base/memory.hpp"

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

struct Shelf {
    std::mutex mutex;
    std::vector<Block> blocks;  // oldest first
    std::size_t total = 0, most = std::size_t(256) << 20;

    void drop(std::size_t k) {
        unmap(blocks[k].data, blocks[k].size);
        total -= blocks[k].size;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
    }
    void trim() {
        while (total > most) drop(0);
    }
};

Shelf& shelf = *new Shelf;  // never destroyed: arrays may outlive main()

#if !defined(_WIN32)
// A fork waits until no thread is at the shelf. So the child, which has the forking thread alone, finds it in order.
[[maybe_unused]] const int forks =
    pthread_atfork([] { shelf.mutex.lock(); }, [] { shelf.mutex.unlock(); }, [] { shelf.mutex.unlock(); });
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
        std::lock_guard lock(shelf.mutex);
        for (std::size_t k = shelf.blocks.size(); k-- > 0;) {
            if (shelf.blocks[k].size != size) continue;
            void* const data = shelf.blocks[k].data;
            shelf.total -= size;
            shelf.blocks.erase(shelf.blocks.begin() + static_cast<std::ptrdiff_t>(k));
            return data;
        }
    }
    return reserve(size);
}

void give_back(void* data, std::size_t bytes) noexcept {
    const std::size_t size = rounded(bytes);
    std::lock_guard lock(shelf.mutex);
    if (size > shelf.most) return unmap(data, size);
    lend(data, size);
    shelf.blocks.push_back({data, size});
    shelf.total += size;
    shelf.trim();
}

void* allocate(std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    if (bytes >= 2 * page) {
        void* const data = std::aligned_alloc(page, rounded(bytes));
        if (!data) throw std::bad_alloc();
        prefer_large_pages(data, rounded(bytes));
        return data;
    }
#endif
    void* const data = std::malloc(bytes);
    if (!data) throw std::bad_alloc();
    return data;
}

void release(void* data) noexcept {
    std::free(data);
}

std::size_t keep_at_most(std::size_t bytes) {
    std::lock_guard lock(shelf.mutex);
    shelf.most = bytes;
    shelf.trim();
    return shelf.total;
}

std::size_t kept() {
    std::lock_guard lock(shelf.mutex);
    return shelf.total;
}

}  // namespace vesica::memory

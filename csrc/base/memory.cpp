#include "base/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
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

// Large blocks for the next calls, oldest first: few.
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
            unmap(remove(0), size);
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

// Quarters of a power of two: few sizes, so that a kept block suits calls of about the same size.
std::size_t rounded_scratch(std::size_t bytes) {
    const std::size_t step = std::bit_ceil(bytes) / 8;
    return (bytes + step - 1) / step * step;
}

// Scratch for the next calls: many blocks, which many threads take and give back at a time. A free block holds its
// places in two lists, of all and of those of its size, so each step takes the same time, however many there are.
class Drawers {
  public:
    std::size_t total() const { return total_; }

    // A block of just this size, the one that was used last; or null.
    void* find(std::size_t size) {
        Free* const found = newest_[drawer(size)];
        if (found) remove(found);
        return found;
    }
    void put(void* data, std::size_t size) {
        Free* const block = ::new (data) Free{size, {}, {}};
        link<&Free::of_all>(block, newest_of_all_);
        link<&Free::of_size>(block, newest_[drawer(size)]);
        if (!oldest_) oldest_ = block;
        total_ += size;
    }
    // The oldest block, where all of them are more than this; or null.
    void* beyond(std::size_t most) {
        Free* const found = total_ > most ? oldest_ : nullptr;
        if (found) remove(found);
        return found;
    }

  private:
    struct Free;
    struct Neighbours {
        Free *newer, *older;
    };
    struct Free {
        std::size_t size;
        Neighbours of_all, of_size;
    };

    // Four drawers for each power of two.
    static std::size_t drawer(std::size_t size) {
        const auto width = static_cast<std::size_t>(std::bit_width(size - 1));
        return 4 * width + ((size - 1) >> (width - 3) & 3);
    }
    template <Neighbours Free::* list>
    static void link(Free* block, Free*& newest) {
        (block->*list) = {nullptr, newest};
        if (newest) (newest->*list).newer = block;
        newest = block;
    }
    template <Neighbours Free::* list>
    static void unlink(Free* block, Free*& newest) {
        const Neighbours own = block->*list;
        (own.newer ? (own.newer->*list).older : newest) = own.older;
        if (own.older) (own.older->*list).newer = own.newer;
    }
    void remove(Free* block) {
        if (oldest_ == block) oldest_ = block->of_all.newer;
        unlink<&Free::of_all>(block, newest_of_all_);
        unlink<&Free::of_size>(block, newest_[drawer(block->size)]);
        total_ -= block->size;
    }

    std::array<Free*, 4 * 65> newest_{};
    Free *newest_of_all_ = nullptr, *oldest_ = nullptr;
    std::size_t total_ = 0;
};

// Scratch is not marked as free, so there is little of it: 4 MB for each processor.
const std::size_t most_scratch = std::size_t(std::clamp(std::thread::hardware_concurrency(), 8u, 32u)) << 22;

struct Kept {
    std::mutex mutex;
    std::size_t most = std::size_t(256) << 20;
    Shelf large;
    Drawers scratch;

    std::size_t total() const { return large.total + scratch.total(); }
    // Only where large blocks leave room.
    std::size_t room_for_scratch() const { return std::min(most - large.total, most_scratch); }
};

Kept& kept_blocks = *new Kept;  // never destroyed: arrays may outlive main()

#if !defined(_WIN32)
// A fork waits until no thread is at the shelves. So the child, which has the forking thread alone, finds them in
// order.
[[maybe_unused]] const int forks = pthread_atfork([] { kept_blocks.mutex.lock(); }, [] { kept_blocks.mutex.unlock(); },
                                                  [] { kept_blocks.mutex.unlock(); });
#endif

// The mutex is held for far less time than it takes to fall asleep and to wake up.
std::unique_lock<std::mutex> held() {
    for (int tries = 0; tries < 200; ++tries)
        if (std::unique_lock lock(kept_blocks.mutex, std::try_to_lock); lock) return lock;
    return std::unique_lock(kept_blocks.mutex);
}

// Free scratch for which there is no room. The system may take a while for it, so others are let in meanwhile.
void trim_scratch(std::unique_lock<std::mutex> lock) {
    while (void* const data = kept_blocks.scratch.beyond(kept_blocks.room_for_scratch())) {
        lock.unlock();
        ::operator delete(data);
        lock = held();
    }
}

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
        const std::unique_lock lock = held();
        if (void* const data = kept_blocks.large.find(size)) return data;
    }
    return reserve(size);
}

void give_back(void* data, std::size_t bytes) noexcept {
    const std::size_t size = rounded(bytes);
    std::unique_lock lock = held();
    if (size > kept_blocks.most) return lock.unlock(), unmap(data, size);
    lend(data, size);
    kept_blocks.large.put(data, size);
    kept_blocks.large.trim(kept_blocks.most);
    trim_scratch(std::move(lock));
}

void* take_scratch(std::size_t bytes) {
    const std::size_t size = rounded_scratch(bytes);
    {
        const std::unique_lock lock = held();
        if (void* const data = kept_blocks.scratch.find(size)) return data;
    }
    return ::operator new(size);
}

void give_back_scratch(void* data, std::size_t bytes) noexcept {
    std::unique_lock lock = held();
    kept_blocks.scratch.put(data, rounded_scratch(bytes));
    trim_scratch(std::move(lock));
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
    std::unique_lock lock = held();
    kept_blocks.most = bytes;
    kept_blocks.large.trim(bytes);
    trim_scratch(std::move(lock));
    return kept();
}

std::size_t kept() {
    const std::unique_lock lock = held();
    return kept_blocks.total();
}

}  // namespace vesica::memory

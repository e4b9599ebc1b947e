// A data race on purpose, in the library's own pool: `make threads` proves nothing unless ThreadSanitizer sees this
// one. With an argument the same work without the race, to which it must not object.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <thread>

#include "base/threads.hpp"

int main(int arguments, char**) {
    const bool races = arguments == 1;
    long plain = 0;
    std::atomic<long> counted{0};
    std::atomic<int> arrived{0};
    vesica::threads::run(2, 2, [&](std::size_t) {
        // Both threads are here at once. Relaxed, so that meeting orders nothing between them.
        arrived.fetch_add(1, std::memory_order_relaxed);
        while (arrived.load(std::memory_order_relaxed) < 2) {
            std::this_thread::yield();
        }
        if (races) {
            ++plain;
        } else {
            ++counted;
        }
    });
    std::printf("%ld\n", plain + counted);
    return 0;
}

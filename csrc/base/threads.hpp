// threads.hpp. A small pool: chunks of work, taken in order by the threads that are free.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace vesica::threads {

// Call work(chunk) once for each chunk in [0, chunks), from at most `threads` threads, the caller among them.
// Chunks must be independent: which thread runs one is not defined. The first exception reaches the
// caller once every thread has stopped. Between chunks, and while the caller waits for the others, it polls for signals
// (interrupt.hpp); work that may take longer than a tenth of a second polls by itself.
// A call from inside another call, or while another caller holds the pool, runs in its own thread alone.
void run(std::size_t chunks, std::size_t threads, const std::function<void(std::size_t)>& work);

inline std::size_t at_least_one(std::size_t n) {
    return n ? n : 1;
}

// Split [0, count) into chunks of `grain` and run work(begin, end) on each.
template <class Work>
void over(std::size_t count, std::size_t grain, std::size_t threads, const Work& work) {
    const std::size_t chunks = (count + grain - 1) / grain;
    run(chunks, threads, [&](std::size_t chunk) {
        const std::size_t begin = chunk * grain;
        work(begin, begin + grain < count ? begin + grain : count);
    });
}

// The same; chunks that are taken at one time lie far apart. For work that writes to many places, where neighbouring
// chunks would write to the same lines of the cache.
template <class Work>
void over_apart(std::size_t count, std::size_t grain, std::size_t threads, const Work& work) {
    const std::size_t chunks = (count + grain - 1) / grain,
                      stretches = at_least_one(threads < chunks ? threads : chunks);
    const std::size_t stretch = (chunks + stretches - 1) / stretches;
    run(stretches * stretch, threads, [&](std::size_t k) {
        const std::size_t begin = (k % stretches * stretch + k / stretches) * grain;
        if (begin < count) work(begin, begin + grain < count ? begin + grain : count);
    });
}

// What a thread works with: made once for each thread at most, and handed from chunk to chunk with its memory.
template <class T>
class Tools {
  public:
    // Call work(tool) with one that no other thread has; make() returns a std::unique_ptr<T>.
    template <class Make, class Work>
    void with(const Make& make, const Work& work) {
        std::unique_ptr<T> tool = taken();
        if (!tool) tool = make();
        work(*tool);
        std::lock_guard lock(mutex_);
        idle_.push_back(std::move(tool));
    }
    // All of them, once the work is done.
    const std::vector<std::unique_ptr<T>>& all() const { return idle_; }

  private:
    std::unique_ptr<T> taken() {
        std::lock_guard lock(mutex_);
        if (idle_.empty()) return nullptr;
        std::unique_ptr<T> tool = std::move(idle_.back());
        idle_.pop_back();
        return tool;
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace vesica::threads

#include "base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#if defined(_WIN32)
#include <process.h>
#define VESICA_PID _getpid
#else
#include <unistd.h>
#define VESICA_PID getpid
#endif

namespace vesica::threads {
namespace {

thread_local bool inside = false;

struct Job {
    const std::function<void(std::size_t)>* work;
    std::size_t chunks;
    std::size_t helpers;  // how many pool threads may join
    std::atomic<std::size_t> next{0};
    std::mutex failing{};
    std::exception_ptr failure{};

    void drain() {
        inside = true;
        try {
            for (std::size_t chunk; (chunk = next.fetch_add(1)) < chunks;) (*work)(chunk);
        } catch (...) {
            std::lock_guard lock(failing);
            failure = std::current_exception();
            next = chunks;  // no thread takes another chunk
        }
        inside = false;
    }
};

// Waking a sleeping thread takes longer than many a job. So both sides look around for a moment before they sleep.
template <class Ready>
bool soon(const Ready& ready) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    do {
        for (int k = 0; k < 64; ++k)
            if (ready()) return true;
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < deadline);
    return false;
}

class Pool {
  public:
    const int pid = VESICA_PID();

    void run(Job& job) {
        std::unique_lock only_caller(caller_, std::try_to_lock);
        if (!only_caller) return job.drain();  // another caller holds the pool: do not wait
        {
            std::lock_guard lock(mutex_);
            for (; started_ < job.helpers; ++started_) std::thread(&Pool::serve, this).detach();
            job_ = &job;
            turn_.fetch_add(1);
        }
        wake_.notify_all();
        job.drain();
        soon([&] { return busy_.load() == 0; });
        std::unique_lock lock(mutex_);
        job_ = nullptr;  // a helper that wakes late finds nothing to do
        done_.wait(lock, [&] { return busy_.load() == 0; });
    }

  private:
    void serve() {
        std::size_t seen = 0;
        for (;;) {
            soon([&] { return turn_.load() != seen; });
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return turn_.load() != seen; });
            seen = turn_.load();
            if (!job_ || busy_.load() == job_->helpers) continue;
            Job& job = *job_;
            busy_.fetch_add(1);
            lock.unlock();
            job.drain();
            lock.lock();
            if (busy_.fetch_sub(1) == 1) done_.notify_all();
        }
    }

    std::mutex caller_, mutex_;
    std::condition_variable wake_, done_;
    Job* job_ = nullptr;
    std::size_t started_ = 0;
    std::atomic<std::size_t> busy_{0}, turn_{0};
};

// Never destroyed: helper threads may outlive main(). After a fork the child has none of the parent's
// threads and perhaps a locked mutex, so it starts a pool of its own.
Pool& pool() {
    static std::atomic<Pool*> current{new Pool};
    Pool* seen = current.load();
    if (seen->pid != VESICA_PID()) {
        Pool* fresh = new Pool;
        if (current.compare_exchange_strong(seen, fresh))
            seen = fresh;
        else
            delete fresh;
    }
    return *seen;
}

// More threads than this only get in each other's way, whatever the caller asks for.
std::size_t most() {
    static const std::size_t count = std::max<std::size_t>(16, 2 * std::thread::hardware_concurrency());
    return count;
}

}  // namespace

void run(std::size_t chunks, std::size_t threads, const std::function<void(std::size_t)>& work) {
    const std::size_t helpers = std::min({threads, chunks, most()});
    if (helpers < 2 || inside) {
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) work(chunk);
        return;
    }
    Job job{&work, chunks, helpers - 1};
    pool().run(job);
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace vesica::threads

#include "base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/interrupt.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace vesica::threads {
namespace {

thread_local bool inside = false;

struct Job {
    const std::function<void(std::size_t)>* work;
    std::size_t chunks;
    std::size_t helpers;  // how many pool threads may join
    const interrupt::Watch* watch = interrupt::current;
    std::atomic<std::size_t> next{0};
    std::mutex failing{};
    std::exception_ptr failure{};

    void drain() {
        attempt([&] {
            for (std::size_t chunk; (chunk = next.fetch_add(1)) < chunks; interrupt::poll()) (*work)(chunk);
        });
    }
    void help() {
        interrupt::followed = watch;
        drain();
        interrupt::followed = nullptr;
    }
    // Keep what it throws: the first failure, or the caller's reason to stop.
    template <class Act>
    void attempt(const Act& act) {
        inside = true;
        try {
            act();
        } catch (const interrupt::Stopped&) {
            next = chunks;
        } catch (...) {
            std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
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
        const auto is_done = [&] { return busy_.load() == 0; };
        if (!job.watch) return done_.wait(lock, is_done);
        while (!done_.wait_for(lock, std::chrono::milliseconds(50), is_done)) {
            lock.unlock();
            job.attempt([] { interrupt::poll(); });
            lock.lock();
        }
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
            job.help();
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

// Never destroyed: helper threads may outlive main(). A process that forks leaves its child none of its threads and
// perhaps a locked mutex, so the child begins with a pool of its own.
std::atomic<Pool*> pool{new Pool};
#if !defined(_WIN32)
[[maybe_unused]] const int forks = pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
#endif

// More threads than this only get in each other's way, whatever the caller asks for.
const std::size_t most = std::max<std::size_t>(16, 2 * std::thread::hardware_concurrency());

}  // namespace

void run(std::size_t chunks, std::size_t threads, const std::function<void(std::size_t)>& work) {
    const std::size_t helpers = std::min({threads, chunks, most});
    if (helpers < 2 || inside) {
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            if (chunk) interrupt::poll();
            work(chunk);
        }
        return;
    }
    Job job{&work, chunks, helpers - 1};
    pool.load()->run(job);
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace vesica::threads

#include "base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"
#include "base/simd.hpp"

#if VESICA_X86
#include <immintrin.h>
#endif
#if !defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace vesica::threads {
namespace {

thread_local bool inside = false;

// The processor that this thread runs on, and a way off it. Where others keep all processors busy, the system may leave
// two threads of a job on one of them, where they do no more than one: it sees no better place for either.
#if defined(__linux__)
int processor() {
    return sched_getcpu();
}

void leave(int processor) {
    cpu_set_t allowed;
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    cpu_set_t others = allowed;
    CPU_CLR(processor, &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
    sched_setaffinity(0, sizeof allowed, &allowed);  // it may come back
}
#else
int processor() {
    return -1;
}

void leave(int) {}
#endif

struct Job {
    const std::function<void(std::size_t)>* work;
    std::size_t chunks;
    std::size_t helpers;  // how many pool threads may join
    const interrupt::Watch* watch = interrupt::current;
    const int home = processor();  // the caller's
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> called{0};  // helpers that were called and have neither finished nor been dismissed
    std::mutex failing{};
    std::exception_ptr failure{};

    bool is_left() const { return next.load(std::memory_order_relaxed) < chunks; }
    void drain() {
        attempt([&] {
            for (std::size_t chunk; (chunk = next.fetch_add(1)) < chunks; interrupt::poll()) (*work)(chunk);
        });
    }
    void help() {
        if (home >= 0 && processor() == home) leave(home);
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

// A thread that looks around leaves its core to the other thread that runs on it.
void rest() {
#if VESICA_X86
    _mm_pause();
#endif
}

// Waking a sleeping thread takes longer than many a job. So both sides look around for a moment before they sleep.
template <class Ready>
bool soon(const Ready& ready) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    do {
        for (int k = 0; k < 64; ++k, rest())
            if (ready()) return true;
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < deadline);
    return false;
}

// A thread of the pool, as others see it. It sleeps until it is called, and is called only where there is a share for
// it.
class Helper {
  public:
    void call(Job& job) {
        job.called.fetch_add(1);
        job_.store(&job);
        if (!is_asleep_.load()) return;  // it looks around, and will see the job
        std::lock_guard lock(mutex_);
        wake_.notify_one();
    }
    // It was called and has not begun: it need not.
    void dismiss(Job& job) {
        Job* expected = &job;
        if (job_.compare_exchange_strong(expected, nullptr)) job.called.fetch_sub(1);
    }
    Job& wait() {
        const auto is_called = [&] { return job_.load() != nullptr; };
        for (;;) {
            if (!soon(is_called)) {
                std::unique_lock lock(mutex_);
                is_asleep_ = true;
                wake_.wait(lock, is_called);
                is_asleep_ = false;
            }
            if (Job* const job = job_.exchange(nullptr)) return *job;  // or it was dismissed meanwhile
        }
    }

  private:
    std::atomic<Job*> job_{nullptr};
    std::atomic<bool> is_asleep_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
};

class Pool {
  public:
    void run(Job& job) {
        std::unique_lock only_caller(caller_, std::try_to_lock);
        if (!only_caller) return job.drain();  // another caller holds the pool: do not wait
        while (helpers_.size() < job.helpers) start();
        call(job, 0);
        job.drain();
        const auto is_done = [&] { return job.called.load() == 0; };
        for (std::size_t k = 0; k < job.helpers && !is_done(); ++k) helpers_[k]->dismiss(job);
        if (soon(is_done)) return;
        std::unique_lock lock(mutex_);
        is_waiting_ = true;
        // Short sleeps: where others keep the processors busy, a helper may have lost its own in the middle of a chunk,
        // and a processor that falls idle takes over a thread that waits for another, but looks only at that moment.
        for (std::size_t naps = 1; !done_.wait_for(lock, nap, is_done); ++naps) {
            if (!job.watch || naps % naps_of_poll) continue;
            lock.unlock();
            job.attempt([] { interrupt::poll(); });
            lock.lock();
        }
        is_waiting_ = false;
    }

  private:
    // Everyone calls some others: many are awake sooner than one thread could wake them. To wake up takes several times
    // as long as to call, so 15 are called in two steps, not in four.
    static constexpr std::size_t called_by_one = 4;
    static constexpr std::chrono::microseconds nap{250};
    static constexpr std::size_t naps_of_poll = 200;  // 50 ms
    void call(Job& job, std::size_t first) {
        const std::size_t end = std::min(first + called_by_one, job.helpers);
        for (std::size_t k = first; k < end && job.is_left(); ++k) helpers_[k]->call(job);
    }
    void start() {
        helpers_.push_back(std::make_unique<Helper>());
        try {
            std::thread(&Pool::serve, this, std::ref(*helpers_.back()), helpers_.size() - 1).detach();
        } catch (...) {
            helpers_.pop_back();
            throw;
        }
    }
    // The list of helpers grows while this one starts; it is complete when it is called.
    void serve(Helper& own, std::size_t number) {
        for (;;) {
            Job& job = own.wait();
            call(job, called_by_one * (number + 1));
            job.help();
            if (job.called.fetch_sub(1) > 1 || !is_waiting_) continue;  // from here on the job may be gone
            std::lock_guard lock(mutex_);
            done_.notify_all();
        }
    }

    std::mutex caller_, mutex_;
    std::condition_variable done_;
    std::atomic<bool> is_waiting_{false};
    std::vector<std::unique_ptr<Helper>> helpers_;
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

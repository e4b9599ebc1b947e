// interrupt.hpp. A long call asks now and then whether it is to stop, wherever it is in its work.
//
// The thread that may be told to stop sets up a Watch. Loops call poll(), which costs that thread a look at the clock
// and all others a few instructions; no loop needs to know who runs it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace vesica::interrupt {

// Ends the work of a helper thread, because the one it helps was told to stop. It never leaves threads::run.
struct Stopped {};

class Watch;

// That of the call which this thread works for, or null.
extern constinit thread_local Watch* current;

class Watch {
  public:
    // `ask` is called about 20 times a second, and throws to stop the call. Null: the call cannot be stopped.
    explicit Watch(void (*ask)()) : ask_(ask), before_(current) {
        if (ask_) current = this;
    }
    ~Watch() {
        if (ask_) current = before_;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void look();
    // For threads that help: throws Stopped once the call is told to stop.
    void follow() const {
        if (is_stopped_.load(std::memory_order_relaxed)) throw Stopped();
    }

  private:
    void (*ask_)();
    Watch* before_;
    std::chrono::steady_clock::time_point next_{};
    std::atomic<bool> is_stopped_{false};
};

// What a helper thread looks at while it works for another's call.
extern constinit thread_local const Watch* followed;

inline void poll() {
    if (current)
        current->look();
    else if (followed)
        followed->follow();
}

// poll() when so much work was done: for loops with turns so short that a look at the clock would show. A step is what
// takes some nanoseconds, 20 at most: a pair of boxes, say. Where the time depends on data, add an upper bound.
class Steps {
  public:
    static constexpr std::size_t between = 1 << 20;
    static constexpr std::size_t of_regions = between / 16;  // two masks of a large image take milliseconds

    void add(std::size_t steps) {
        done_ += steps;
        if (done_ < between) return;
        done_ = 0;
        poll();
    }

  private:
    std::size_t done_ = 0;
};

}  // namespace vesica::interrupt

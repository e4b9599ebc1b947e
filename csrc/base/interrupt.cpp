#include "base/interrupt.hpp"

namespace vesica::interrupt {

constinit thread_local Watch* current = nullptr;
constinit thread_local const Watch* followed = nullptr;

void Watch::look() {
    constexpr std::chrono::milliseconds pause(50);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    const bool is_first = next_ == std::chrono::steady_clock::time_point();
    next_ = now + pause;
    if (is_first) return;  // the call has only begun
    try {
        ask_();
    } catch (...) {
        is_stopped_.store(true, std::memory_order_relaxed);
        throw;
    }
}

}  // namespace vesica::interrupt

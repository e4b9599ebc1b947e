// released.hpp. The interpreter's lock, released for a while.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace vesica::bind {

// Other Python threads may run until the end of the block.
//
// When the interpreter is being finalised, a daemon thread never gets the lock again: Python ends it there, and the C
// library does so by unwinding the stack as for an exception, which no destructor lets through. Then the process would
// abort. Such a thread sleeps instead until the process has ended, as it does by itself from Python 3.14 on.
class Released {
  public:
    Released() : state_(PyEval_SaveThread()) {}
    ~Released() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

  private:
    PyThreadState* state_;
};

}  // namespace vesica::bind

// unlocked.hpp. While a kernel runs, other Python threads may run, and signals are heeded.
#pragma once

#include "base/interrupt.hpp"
#include "bind/released.hpp"

namespace vesica::bind {

// The interpreter's lock is released until the end of the block. Signals are handled by Python's main thread alone: in
// that thread a long call looks for them, and ends with what their handler raises, KeyboardInterrupt for one.
class Unlocked {
  public:
    Unlocked();

  private:
    interrupt::Watch watch_;
    Released released_;
};

}  // namespace vesica::bind

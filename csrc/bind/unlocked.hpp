// unlocked.hpp. While a kernel runs, other Python threads may run.
#pragma once

#include "bind/released.hpp"

namespace vesica::bind {

using Unlocked = Released;

}  // namespace vesica::bind

// memory.hpp. Large answers: a freed block is kept for the next one.
//
// Fresh memory costs more than filling it: the system clears every page first. A kept block has its pages already. It
// is marked as free to the system, which may take the pages back when it needs them, and then they are cleared again.
#pragma once

#include <cstddef>

namespace vesica::memory {

// At least `bytes` bytes of any content. Throws std::bad_alloc.
void* take(std::size_t bytes);

// Give back what `take(bytes)` gave.
void give_back(void* data, std::size_t bytes) noexcept;

// Keep at most so many bytes; 0 keeps nothing. Returns the bytes that are kept now.
std::size_t keep_at_most(std::size_t bytes);
std::size_t kept();

}  // namespace vesica::memory

// file_bytes.hpp. The bytes of an open file, read into memory.
//
// Files are not mapped: the pages of a mapped file that another process makes shorter are gone, and to look at one of
// them ends the process.
#pragma once

#include <cstddef>

namespace vesica::file_bytes {

struct Read {
    std::size_t size;  // bytes before the first that could not be read
    int error;         // errno, or 0: then the file ended there
};

// Read the first `size` bytes of a file into `to`, from at most `threads` threads.
Read read(int file, char* to, std::size_t size, std::size_t threads);

// Read the `size` bytes from the place `at` on. Threads may do so at the same time.
Read read_part(int file, char* to, std::size_t size, std::size_t at);

}  // namespace vesica::file_bytes

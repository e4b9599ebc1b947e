#include "base/file_bytes.hpp"

#include <cerrno>
#include <cstdint>
#include <mutex>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace vesica::file_bytes {
namespace {

constexpr std::size_t grain = std::size_t(1) << 20;

#if defined(_WIN32)
// There is one place in the file for all threads, so they take turns.
std::ptrdiff_t read_at(int file, char* to, std::size_t count, std::size_t at) {
    static std::mutex& mutex = *new std::mutex;
    std::lock_guard lock(mutex);
    if (_lseeki64(file, static_cast<std::int64_t>(at), SEEK_SET) < 0) return -1;
    return _read(file, to, static_cast<unsigned>(count < grain ? count : grain));
}
#else
std::ptrdiff_t read_at(int file, char* to, std::size_t count, std::size_t at) {
    return pread(file, to, count, static_cast<off_t>(at));
}
#endif

}  // namespace

Read read(int file, char* to, std::size_t size, std::size_t threads) {
    memory::prefer_large_pages(to, size);
    std::mutex mutex;
    Read all{size, 0};
    threads::over(size, grain, threads, [&](std::size_t begin, std::size_t end) {
        const Read part = read_part(file, to + begin, end - begin, begin);
        if (part.size == end - begin) return;
        std::lock_guard lock(mutex);
        if (begin + part.size < all.size) all = {begin + part.size, part.error};
    });
    return all;
}

Read read_part(int file, char* to, std::size_t size, std::size_t at) {
    for (std::size_t done = 0; done < size;) {
        const std::ptrdiff_t count = read_at(file, to + done, size - done, at + done);
        const int error = count < 0 ? errno : 0;
        if (error == EINTR) continue;
        if (count <= 0) return {done, error};
        done += static_cast<std::size_t>(count);
    }
    return {size, 0};
}

}  // namespace vesica::file_bytes

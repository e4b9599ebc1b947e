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
// There is one place in the file for all, so there is one thread.
constexpr bool is_shared = false;

std::ptrdiff_t read_at(int file, char* to, std::size_t count, std::size_t at) {
    if (_lseeki64(file, static_cast<std::int64_t>(at), SEEK_SET) < 0) return -1;
    return _read(file, to, static_cast<unsigned>(count));
}
#else
constexpr bool is_shared = true;

std::ptrdiff_t read_at(int file, char* to, std::size_t count, std::size_t at) {
    return pread(file, to, count, static_cast<off_t>(at));
}
#endif

}  // namespace

Read read(int file, char* to, std::size_t size, std::size_t threads) {
    memory::prefer_large_pages(to, size);
    std::mutex mutex;
    Read all{size, 0};
    threads::over(size, grain, is_shared ? threads : 1, [&](std::size_t begin, std::size_t end) {
        while (begin < end) {
            const std::ptrdiff_t count = read_at(file, to + begin, end - begin, begin);
            const int error = count < 0 ? errno : 0;
            if (error == EINTR) continue;
            if (count > 0) {
                begin += static_cast<std::size_t>(count);
                continue;
            }
            std::lock_guard lock(mutex);
            if (begin < all.size) all = {begin, error};
            return;
        }
    });
    return all;
}

}  // namespace vesica::file_bytes

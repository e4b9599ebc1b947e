#include "io/coco/record_columns.hpp"

#include <cstdlib>
#include <new>

#if !defined(_WIN32)
#include <sys/mman.h>
#endif

namespace vesica::record_columns {

void* take(std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    constexpr std::size_t page = std::size_t(2) << 20;
    if (bytes >= 2 * page) {
        void* const data = std::aligned_alloc(page, (bytes + page - 1) / page * page);
        if (!data) throw std::bad_alloc();
        madvise(data, bytes, MADV_HUGEPAGE);
        return data;
    }
#endif
    void* const data = std::malloc(bytes);
    if (!data) throw std::bad_alloc();
    return data;
}

void give_back(void* data) noexcept {
    std::free(data);
}

}  // namespace vesica::record_columns

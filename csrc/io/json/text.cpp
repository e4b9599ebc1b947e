#include "io/json/text.hpp"

#include <algorithm>

#include "base/file_bytes.hpp"

namespace vesica::text {

void Window::show(std::size_t begin, std::size_t end) {
    begin = std::min(begin, text_.size);
    end = std::min(end, text_.size);
    if (begin_ <= begin && end <= end_) return;
    const std::size_t size = end - begin;
    begin_ = end_ = begin;
    if (buffer_.size() < size) {
        buffer_ = {};
        buffer_.resize(size);
    }
    first_ = buffer_.data();
    const file_bytes::Read done = file_bytes::read_part(text_.file, buffer_.data(), size, begin);
    if (done.size < size) throw Unreadable{done.error};
    end_ = end;
}

}  // namespace vesica::text

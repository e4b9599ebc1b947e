// text.hpp. A text that is in memory or in an open file, and windows on it.
#pragma once

#include <cstddef>

#include "base/memory.hpp"

namespace vesica::text {

struct Text {
    const char* data;  // nullptr: it is in the file
    std::size_t size;
    int file = -1;
};

// Thrown where an open file cannot be read: errno, or 0 where it is shorter than it was said to be.
struct Unreadable {
    int error;
};

// A part of a text that can be looked at. Of a text in memory that is all of it. A part of a file is copied into a
// buffer which serves the next part too: it is in the cache, its pages are there, and it does not grow with the file.
class Window {
  public:
    explicit Window(const Text& text) : text_(text), first_(text.data), end_(text.data ? text.size : 0) {}
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // Let it have what the text has of [begin, end), and perhaps more. Pointers into it end here, unless it has that
    // already. Throws Unreadable and std::bad_alloc.
    void show(std::size_t begin, std::size_t end);

    const char* first() const { return first_; }
    const char* last() const { return first_ + (end_ - begin_); }
    const char* at(std::size_t place) const { return first_ + (place - begin_); }
    std::size_t place(const char* at) const { return begin_ + static_cast<std::size_t>(at - first_); }
    bool ends_text() const { return end_ == text_.size; }

  private:
    const Text& text_;
    const char* first_;
    std::size_t begin_ = 0, end_;  // places in the text
    memory::Vector<char> buffer_;
};

}  // namespace vesica::text

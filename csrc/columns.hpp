// columns.hpp. A whole file of COCO, truth or results, → columns.
//
// Large lists of records are cut into blocks that threads read at the same time. Where a block begins in the middle of
// a record, the reader guesses the next one; only if the block before ended exactly there the guess counts, and
// otherwise the block is read again from the true place. So columns and errors are those of one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ids.hpp"
#include "records.hpp"

namespace vesica::columns {

struct Request {
    bool masks;         // keep the text of segmentations
    bool spans;         // keep where each annotation stands
    bool is_mapped;     // the text is a mapped file: pages that were read may be given back to the system
    std::size_t block;  // bytes
    std::size_t threads;
};

// Memory of columns. Pages that nobody writes to take none.
void* take(std::size_t bytes);
void give_back(void* data) noexcept;

// A column that grows, and belongs to whoever takes it. Large ones come in large pages: the system clears and maps
// those far faster than small ones.
template <class T>
class Column {
  public:
    Column() = default;
    Column(Column&& other) noexcept { swap(other); }
    Column& operator=(Column&& other) noexcept { return swap(other), *this; }
    ~Column() { give_back(data_); }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t k) const { return data_[k]; }

    void reserve(std::size_t count) {
        if (count <= capacity_) return;
        T* const moved = static_cast<T*>(take(count * sizeof(T)));
        if (size_) std::memcpy(static_cast<void*>(moved), data_, size_ * sizeof(T));
        give_back(data_);
        data_ = moved;
        capacity_ = count;
    }
    // Room for so many more at the end.
    T* extend(std::size_t count) {
        if (size_ + count > capacity_) reserve(std::max(size_ + count, capacity_ + capacity_ / 4));
        size_ += count;
        return data_ + size_ - count;
    }
    void append(const T* values, std::size_t count) {
        if (count) std::memcpy(static_cast<void*>(extend(count)), values, count * sizeof(T));
    }
    void fill(std::size_t count, T value) { std::fill_n(extend(count), count, value); }
    T* release() {
        size_ = capacity_ = 0;
        return std::exchange(data_, nullptr);
    }

  private:
    void swap(Column& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

struct Ragged {
    Column<std::int64_t> values, offsets;
};

using Box = std::array<double, 4>;

// A list of records. A column is empty if no record has such a field.
struct Table {
    bool is_there = false;
    std::size_t rows = 0;
    std::uint32_t in_some = 0,
                  in_all = records::bit(records::Field::nothing) - 1;  // fields that some, all records have
    std::size_t first_odd = SIZE_MAX;      // the first record with a number that no box, score or area should have
    Column<std::uint16_t> given;           // a bit for each field of the record
    Column<std::int32_t> image, category;  // places in the ids below, or -1
    Column<std::int64_t> id, height, width, segment_begin, segment_end, record_begin, record_end;
    Column<Box> box;
    Column<double> score, area;
    Column<std::uint8_t> crowd, ignore;
    Column<char> text;   // of segmentations
    Column<char> names;  // a JSON list, less its brackets
    Ragged absent, partial;
    std::vector<std::pair<std::size_t, std::string>> texts;  // own ids that are no integer of 64 bits
    ids::Table images, categories;
};

struct Error {
    json::Fault fault = json::Fault::none;
    std::size_t at = 0;
    int kind = -1;             // of the list, or -1 outside of all
    std::int64_t record = -1;  // or -1 where none was begun
    int field = static_cast<int>(records::Field::nothing);
    std::int64_t detail = 0;
};

struct File {
    Error error;
    bool is_results = false;  // a bare list
    Table images, annotations, categories;
    std::vector<ids::Id> image_ids, category_ids;            // what the columns of annotations point into
    std::int64_t unknown_image = -1, unknown_category = -1;  // the first annotation whose id is in no table
    std::size_t categories_begin = 0, categories_end = 0;    // the text of that list
};

File read(const char* data, std::size_t size, const Request& request);

}  // namespace vesica::columns

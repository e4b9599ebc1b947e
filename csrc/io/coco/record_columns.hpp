// record_columns.hpp. Lists of records as columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "io/coco/ids.hpp"
#include "io/coco/records.hpp"

namespace vesica::record_columns {

// A column that grows, and whose memory can be handed over.
template <class T>
class Column {
  public:
    Column() = default;
    Column(Column&& other) noexcept { swap(other); }
    Column& operator=(Column&& other) noexcept { return swap(other), *this; }
    ~Column() { free(); }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t k) const { return data_[k]; }
    // Will so many more leave the rows where they are?
    bool has_room(std::size_t count) const { return size_ + count <= capacity_; }

    void reserve(std::size_t count) {
        if (count <= capacity_) return;
        T* const moved = memory::Allocator<T>().allocate(count);
        if (size_) std::memcpy(static_cast<void*>(moved), data_, size_ * sizeof(T));
        free();
        data_ = moved;
        capacity_ = count;
    }
    // Room for so many more at the end.
    T* extend(std::size_t count) {
        if (size_ + count > capacity_) reserve(std::max({size_ + count, capacity_ + capacity_ / 4, std::size_t(64)}));
        size_ += count;
        return data_ + size_ - count;
    }
    void append(const T* values, std::size_t count) {
        if (count) std::memcpy(static_cast<void*>(extend(count)), values, count * sizeof(T));
    }
    void fill(std::size_t count, T value) { std::fill_n(extend(count), count, value); }

  private:
    void free() noexcept {
        if (data_) memory::Allocator<T>().deallocate(data_, capacity_);
    }
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
    // Fields that some records have, and those that all have.
    std::uint32_t in_some = 0, in_all = records::bit(records::Field::nothing) - 1;
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

}  // namespace vesica::record_columns

// ids.hpp. Ids of images and categories, as integers or as texts, and a small number for each different one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/memory.hpp"
#include "base/simd.hpp"

namespace vesica::ids {

// A text begins with a letter: "s" of a string, "i" of an integer beyond 64 bits.
struct Id {
    std::int64_t integer = 0;
    std::string text;

    bool is_text() const { return !text.empty(); }
    friend bool operator==(const Id&, const Id&) = default;
};

using Ids = memory::Vector<Id>;

// Integers by value, then those beyond 64 bits, then strings by their code points.
bool comes_before(const Id& a, const Id& b);

// Places 0, 1, 2, … in the order in which ids come. Ids come in runs, so the last one is remembered; small ones have a
// direct table, others are hashed.
class Table {
  public:
    Table();

    VESICA_INLINE std::int32_t place(std::int64_t id) {
        if (static_cast<std::uint64_t>(id) < direct && small_[static_cast<std::size_t>(id)] >= 0)
            return small_[static_cast<std::size_t>(id)];
        if (id != last_id_ || last_place_ < 0) {
            last_place_ = find_or_add(id);
            last_id_ = id;
        }
        return last_place_;
    }
    std::int32_t place(std::string_view text);
    std::int32_t place(const Id& id) { return id.is_text() ? place(std::string_view(id.text)) : place(id.integer); }
    // -1 for an id that is not there.
    std::int32_t find(const Id& id) const;

    std::size_t size() const { return ids_.size(); }
    const Ids& ids() const { return ids_; }
    // Leaves a table that is asked for places alone.
    Ids take_ids() { return std::move(ids_); }

  private:
    static constexpr std::uint64_t direct = 4096;
    struct Slot {
        std::int64_t id;
        std::int32_t place;
    };

    std::int32_t find_or_add(std::int64_t id);
    std::int32_t add(Id id);
    std::size_t slot_of(std::int64_t id) const;
    void grow();

    std::int64_t last_id_ = 0;
    std::int32_t last_place_ = -1;
    memory::Vector<std::int32_t> small_;
    memory::Vector<Slot> slots_;  // a power of two, at most half full
    std::size_t used_ = 0;
    std::unordered_map<std::string, std::int32_t> texts_;
    Ids ids_;
};

}  // namespace vesica::ids

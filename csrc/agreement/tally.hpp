// tally.hpp. How many pixels have each pattern of votes, where only few of the possible patterns occur.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vesica::agreement {

// Patterns that occur, rising, and their pixels.
struct Patterns {
    std::vector<std::uint64_t> code;
    std::vector<std::int64_t> count;
};

class Tally {
  public:
    // Patterns of so many bits: a table of all of them where it is small, else open addressing, at most half full.
    explicit Tally(std::size_t bits) : is_table_(bits <= table_bits), slots_(is_table_ ? std::size_t(1) << bits : 64) {}

    void add(std::uint64_t code, std::int64_t count) {
        if (is_table_)
            slots_[code].count += count;
        else if (count)
            add_hashed(code, count);
    }

    // What was counted, and an empty tally for the next.
    void take(Patterns& out) {
        std::vector<Slot> found;
        for (std::size_t k = 0; k < slots_.size(); ++k)
            if (slots_[k].count) found.push_back({is_table_ ? k : slots_[k].code, slots_[k].count}), slots_[k] = {};
        used_ = 0;
        if (!is_table_) std::sort(found.begin(), found.end(), [](Slot a, Slot b) { return a.code < b.code; });
        for (const Slot& slot : found) out.code.push_back(slot.code), out.count.push_back(slot.count);
    }

  private:
    static constexpr std::size_t table_bits = 10;
    struct Slot {
        std::uint64_t code = 0;
        std::int64_t count = 0;
    };

    void add_hashed(std::uint64_t code, std::int64_t count) {
        Slot& slot = find(code);
        const bool is_new = slot.count == 0;
        slot.code = code, slot.count += count;
        if (is_new && 2 * ++used_ > slots_.size()) grow();
    }
    Slot& find(std::uint64_t code) {
        const std::size_t mask = slots_.size() - 1;
        const std::uint64_t hash = (code ^ (code >> 32)) * 0x9e3779b97f4a7c15u;
        for (std::size_t k = static_cast<std::size_t>(hash >> 32) & mask;; k = (k + 1) & mask)
            if (slots_[k].count == 0 || slots_[k].code == code) return slots_[k];
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.count) find(slot.code) = slot;
    }

    bool is_table_;
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace vesica::agreement

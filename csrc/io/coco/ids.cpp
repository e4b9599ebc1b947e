#include "io/coco/ids.hpp"

#include <algorithm>
#include <tuple>

namespace vesica::ids {

bool comes_before(const Id& a, const Id& b) {
    if (a.is_text() != b.is_text()) return b.is_text();
    if (!a.is_text()) return a.integer < b.integer;
    if (a.text[0] != b.text[0]) return a.text[0] < b.text[0];
    if (a.text[0] == 's') return a.text < b.text;  // UTF-8 has the order of its code points
    const bool a_negative = a.text[1] == '-', b_negative = b.text[1] == '-';
    if (a_negative != b_negative) return a_negative;
    const bool by_size =
        std::tuple(a.text.size(), std::string_view(a.text)) < std::tuple(b.text.size(), std::string_view(b.text));
    return a_negative ? !by_size && a.text != b.text : by_size;
}

Table::Table() : small_(direct, -1), slots_(64, Slot{0, -1}) {}

// Fibonacci hashing: the high bits of the product are well mixed.
std::size_t Table::slot_of(std::int64_t id) const {
    const std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15;
    std::size_t k = (mixed ^ mixed >> 32) & (slots_.size() - 1);
    while (slots_[k].place >= 0 && slots_[k].id != id) k = (k + 1) & (slots_.size() - 1);
    return k;
}

std::int32_t Table::add(Id id) {
    ids_.push_back(std::move(id));
    return static_cast<std::int32_t>(ids_.size() - 1);
}

std::int32_t Table::find_or_add(std::int64_t id) {
    if (static_cast<std::uint64_t>(id) < direct) {
        std::int32_t& place = small_[static_cast<std::size_t>(id)];
        if (place < 0) place = add({id, {}});
        return place;
    }
    std::size_t k = slot_of(id);
    if (slots_[k].place < 0) {
        if (2 * (used_ + 1) > slots_.size()) {
            grow();
            k = slot_of(id);
        }
        ++used_;
        slots_[k] = {id, add({id, {}})};
    }
    return slots_[k].place;
}

void Table::grow() {
    memory::Vector<Slot> old(4 * slots_.size(), Slot{0, -1});
    old.swap(slots_);
    for (const Slot& slot : old)
        if (slot.place >= 0) slots_[slot_of(slot.id)] = slot;
}

std::int32_t Table::place(std::string_view text) {
    const auto [found, is_new] = texts_.try_emplace(std::string(text), 0);
    if (is_new) found->second = add({0, found->first});
    return found->second;
}

std::int32_t Table::find(const Id& id) const {
    if (id.is_text()) {
        const auto found = texts_.find(id.text);
        return found == texts_.end() ? -1 : found->second;
    }
    if (static_cast<std::uint64_t>(id.integer) < direct) return small_[static_cast<std::size_t>(id.integer)];
    return slots_[slot_of(id.integer)].place;
}

}  // namespace vesica::ids

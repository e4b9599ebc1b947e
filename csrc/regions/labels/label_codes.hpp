// label_codes.hpp. Small numbers for labels, however large these are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "regions/labels/label_changes.hpp"

namespace vesica::labels {

// Few labels, however large, as bytes, without a search: a multiplier spreads them over slots, no two on one.
class Numbers {
  public:
    static constexpr std::size_t most = 255;

    const std::int64_t* names() const { return names_.data(); }

    // The number of each label; false if there are too many of them.
    bool write(const std::int64_t* labels, std::size_t count, Byte* out) {
        if (names_.empty()) learn(labels[0]);
        for (std::size_t done = 0; (done += known(labels + done, count - done, out + done)) < count;)
            if (!learn(labels[done])) return false;
        return true;
    }

  private:
    std::size_t slot(std::int64_t label) const { return static_cast<std::uint64_t>(label) * multiplier_ >> shift_; }

    // The numbers of labels up to the first unknown one.
    std::size_t known(const std::int64_t* labels, std::size_t count, Byte* out) const {
        // uint8_t* may alias every other pointer: local copies need not be read again after each store to `out`.
        const std::int64_t* const names = labels_.data();
        const Byte* const bytes = bytes_.data();
        const std::uint64_t multiplier = multiplier_;
        const unsigned shift = shift_;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t place = static_cast<std::uint64_t>(labels[k]) * multiplier >> shift;
            if (names[place] != labels[k]) return k;
            out[k] = bytes[place];
        }
        return count;
    }

    bool learn(std::int64_t label) {
        if (names_.size() == most) return false;
        names_.reserve(most);  // windows keep pointers to them
        names_.push_back(label);
        const std::size_t place = slot(label);
        // An empty slot holds the first label, and is not the slot of the first label itself.
        const bool is_free = names_.size() > 1 && labels_[place] == names_[0] && place != slot(names_[0]);
        if (is_free)
            labels_[place] = label, bytes_[place] = static_cast<Byte>(names_.size() - 1);
        else
            spread();
        return true;
    }

    // Look for a multiplier. With as many slots as pairs of labels, every second or third one will do.
    void spread() {
        const std::size_t slots = std::bit_ceil(std::max<std::size_t>(64, 2 * names_.size() * names_.size()));
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
        labels_.resize(slots), bytes_.resize(slots);
        do {
            multiplier_ = (multiplier_ + 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u | 1;
        } while (!place_all());
    }

    bool place_all() {
        std::fill(labels_.begin(), labels_.end(), names_[0]);
        std::fill(bytes_.begin(), bytes_.end(), Byte(0));
        for (std::size_t k = 1; k < names_.size(); ++k) {
            const std::size_t place = slot(names_[k]);
            if (labels_[place] != names_[0] || place == slot(names_[0])) return false;
            labels_[place] = names_[k], bytes_[place] = static_cast<Byte>(k);
        }
        return true;
    }

    std::vector<std::int64_t> names_;
    std::vector<std::int64_t> labels_;
    std::vector<Byte> bytes_;
    std::uint64_t multiplier_ = 1;
    unsigned shift_ = 63;
};

}  // namespace vesica::labels

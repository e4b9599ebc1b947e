#include "sets.hpp"

namespace vesica::sets {

boxes::Box<double> Members::box(std::size_t i) const {
    const std::int64_t begin = starts[i], end = starts[i + 1];
    if (begin == end) return {0, 0, 0, 0};
    return {static_cast<double>(ids[begin]), 0, static_cast<double>(ids[end - 1] + 1), 1};
}

Source::Source(const Members& a, const Members& b, std::size_t size) : a_(a), b_(b), first_(size + 1, 0) {
    const std::size_t total = static_cast<std::size_t>(b.starts[b.count]);
    for (std::size_t k = 0; k < total; ++k) ++first_[static_cast<std::size_t>(b.ids[k]) + 1];
    for (std::size_t v = 0; v < size; ++v) first_[v + 1] += first_[v];
    holders_.resize(total);
    for (std::size_t j = 0; j < b.count; ++j)
        for (std::int64_t k = b.starts[j]; k < b.starts[j + 1]; ++k)
            holders_[first_[static_cast<std::size_t>(b.ids[k])]++] = static_cast<std::uint32_t>(j);
    for (std::size_t v = size; v > 0; --v) first_[v] = first_[v - 1];  // filling moved each start to the next one's
    first_[0] = 0;
}

Source::Number Source::Row::inter(std::size_t j) {
    if (shared_.empty()) {
        if (!has_met_) return has_met_ = true, merged(j);
        walk();
    }
    return shared_[j];
}

Source::Number Source::Row::merged(std::size_t j) const {
    const Members &a = source_.a_, &b = source_.b_;
    const std::int64_t *p = a.ids + a.starts[i_], *p_end = a.ids + a.starts[i_ + 1];
    const std::int64_t *q = b.ids + b.starts[j], *q_end = b.ids + b.starts[j + 1];
    Number shared = 0;
    while (p < p_end && q < q_end) {
        const std::int64_t x = *p, y = *q;
        shared += x == y;
        p += x <= y, q += y <= x;
    }
    return shared;
}

void Source::Row::walk() {
    const Members& a = source_.a_;
    shared_.assign(source_.m(), 0);
    for (std::int64_t k = a.starts[i_]; k < a.starts[i_ + 1]; ++k) {
        const std::size_t member = static_cast<std::size_t>(a.ids[k]);
        for (std::size_t h = source_.first_[member]; h < source_.first_[member + 1]; ++h)
            ++shared_[source_.holders_[h]];
    }
}

}  // namespace vesica::sets

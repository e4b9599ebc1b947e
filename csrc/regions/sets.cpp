#include "regions/sets.hpp"

namespace vesica::sets {

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
        if (!has_met_) {
            has_met_ = true;
            return source_.merged(i_, j);
        }
        shared_.assign(source_.m(), 0);
        source_.each_holder(i_, [&](std::uint32_t holder) { ++shared_[holder]; });
    }
    return shared_[j];
}

Source::Number Source::merged(std::size_t i, std::size_t j) const {
    const std::int64_t *p = a_.ids + a_.starts[i], *p_end = a_.ids + a_.starts[i + 1];
    const std::int64_t *q = b_.ids + b_.starts[j], *q_end = b_.ids + b_.starts[j + 1];
    Number shared = 0;
    while (p < p_end && q < q_end) {
        const std::int64_t x = *p, y = *q;
        shared += x == y;
        p += x <= y, q += y <= x;
    }
    return shared;
}

}  // namespace vesica::sets

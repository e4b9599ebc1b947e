#include "detection/precision_means.hpp"

#include <numeric>

#include "base/memory.hpp"
#include "base/threads.hpp"
#include "detection/pairwise_sum.hpp"

namespace vesica::precision_recall {
namespace {

using Places = std::vector<std::size_t>;

Places places_of(const std::optional<Places>& chosen, std::size_t count) {
    if (chosen) return *chosen;
    Places all(count);
    std::iota(all.begin(), all.end(), std::size_t(0));
    return all;
}

double mean(const Table& table, const Line& line) {
    const Places thresholds = places_of(line.thresholds, table.thresholds);
    const Places categories = places_of(line.categories, table.categories);
    const std::size_t step = table.areas * table.limits, row = table.categories * step;
    memory::Vector<double> there(thresholds.size() * table.recalls * categories.size());
    std::size_t count = 0;
    for (const std::size_t t : thresholds) {
        for (std::size_t r = 0; r < table.recalls; ++r) {
            const double* const from =
                table.values + (t * table.recalls + r) * row + line.area * table.limits + line.limit;
            for (const std::size_t c : categories) {
                there[count] = from[c * step];
                count += there[count] > -1;  // one that is not stays to be overwritten
            }
        }
    }
    if (!count) return -1;
    PairwiseSum sum;
    sum.start(count);
    sum.add(there.data(), count);
    return sum.total() / static_cast<double>(count);
}

}  // namespace

void means(const Table& table, const std::vector<Line>& lines, double* out, std::size_t threads) {
    // Recall has few values, and they are soon added up.
    constexpr std::size_t worth_a_thread = std::size_t(1) << 14;
    const bool are_many = table.thresholds * table.recalls * table.categories >= worth_a_thread;
    threads::run(lines.size(), are_many ? threads : 1, [&](std::size_t k) { out[k] = mean(table, lines[k]); });
}

}  // namespace vesica::precision_recall

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

using Values = memory::Vector<double>;

// Those of a line at one threshold that are there, by recall, then category.
Values there(const Table& table, const Line& line, const Places& categories, std::size_t threshold) {
    const std::size_t step = table.areas * table.limits, row = table.categories * step;
    Values found(table.recalls * categories.size());
    std::size_t count = 0;
    for (std::size_t r = 0; r < table.recalls; ++r) {
        const double* const from =
            table.values + (threshold * table.recalls + r) * row + line.area * table.limits + line.limit;
        for (const std::size_t c : categories) {
            found[count] = from[c * step];
            count += found[count] > -1;  // one that is not stays to be overwritten
        }
    }
    found.resize(count);
    return found;
}

double mean(const std::vector<Values>& parts) {
    std::size_t count = 0;
    for (const Values& part : parts) count += part.size();
    if (!count) return -1;
    PairwiseSum sum;
    sum.start(count);
    for (const Values& part : parts) sum.add(part.data(), part.size());
    return sum.total() / static_cast<double>(count);
}

}  // namespace

void means(const Table& table, const std::vector<Line>& lines, double* out, std::size_t threads) {
    // Recall has few values, and they are soon added up.
    constexpr std::size_t worth_a_thread = std::size_t(1) << 14;
    const std::size_t count = lines.size();
    if (table.thresholds * table.recalls * table.categories < worth_a_thread) threads = 1;
    std::vector<Places> thresholds(count), categories(count);
    std::vector<std::vector<Values>> parts(count);
    struct Task {
        std::size_t line, number;  // of a threshold of the line
    };
    std::vector<Task> tasks;
    for (std::size_t k = 0; k < count; ++k) {
        thresholds[k] = places_of(lines[k].thresholds, table.thresholds);
        categories[k] = places_of(lines[k].categories, table.categories);
        parts[k].resize(thresholds[k].size());
        for (std::size_t t = 0; t < parts[k].size(); ++t) tasks.push_back({k, t});
    }
    threads::run(tasks.size(), threads, [&](std::size_t task) {
        const auto [k, t] = tasks[task];
        parts[k][t] = there(table, lines[k], categories[k], thresholds[k][t]);
    });
    threads::run(count, threads, [&](std::size_t k) { out[k] = mean(parts[k]); });
}

}  // namespace vesica::precision_recall

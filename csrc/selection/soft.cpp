#include "selection/soft.hpp"

#include "selection/soft_walk.hpp"

namespace vesica::soft {
namespace {

// The edges of each region, one region after the other.
struct Neighbours {
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> rows;
    std::vector<double> values;

    Neighbours(const Edges& edges, std::size_t count) : starts(count + 2, 0) {
        const auto each = [&](const auto& visit) {
            for (std::size_t k = 0; k < edges.count; ++k) {
                if (edges.i[k] == edges.j[k]) continue;
                visit(edges.i[k], edges.j[k], edges.value[k]);
                if (edges.both_ways) visit(edges.j[k], edges.i[k], edges.value[k]);
            }
        };
        // Counted one place too far, so that filling moves each start to where it belongs.
        each([&](std::int64_t from, std::int64_t, double) { ++starts[static_cast<std::size_t>(from) + 2]; });
        for (std::size_t i = 0; i + 1 < starts.size(); ++i) starts[i + 1] += starts[i];
        rows.resize(starts.back()), values.resize(starts.back());
        each([&](std::int64_t from, std::int64_t to, double value) {
            const std::size_t at = starts[static_cast<std::size_t>(from) + 1]++;
            rows[at] = static_cast<std::uint32_t>(to), values[at] = value;
        });
    }
};

}  // namespace

Picks of_edges(const Rule& rule, const Scored& given, const Edges& edges, std::size_t threads) {
    const Neighbours neighbours(edges, given.count);
    const auto near = [&](std::uint32_t row, const auto& visit) {
        const std::size_t begin = neighbours.starts[row], end = neighbours.starts[row + 1];
        visit(neighbours.rows.data() + begin, neighbours.values.data() + begin, end - begin);
    };
    return run(rule, given, threads, [&](Group group, double* scores, std::vector<Entry>& picks) {
        walk(rule, group, given.scores, ByRow{rule, scores, near}, picks);
    });
}

}  // namespace vesica::soft

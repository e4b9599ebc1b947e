#include "base/grid_index.hpp"

#include <unordered_map>

#include "base/threads.hpp"

namespace vesica::grid_index {
namespace {

constexpr float all_sizes = 1e9f;

// How many octaves of size go into one group. With finer groups a point looks at fewer partners in vain, but into more
// groups: worth it only where a search among all sizes at once would meet many.
float group_height(const memory::Vector<Point>& points, const std::uint32_t* keys) {
    constexpr float fine = 4;
    constexpr double few = 12;
    double low_x = points[0].x, high_x = low_x, low_y = points[0].y, high_y = low_y, reach_x = 0, reach_y = 0;
    std::uint32_t key = 0;
    for (const Point& p : points) {
        low_x = std::min(low_x, p.x), high_x = std::max(high_x, p.x);
        low_y = std::min(low_y, p.y), high_y = std::max(high_y, p.y);
        reach_x = std::max(reach_x, p.reach_x), reach_y = std::max(reach_y, p.reach_y);
        if (keys) key = std::max(key, keys[p.index]);
    }
    // Where all centres are equal the quotient is infinite or NaN, and std::min(1.0, …) is 1 for both.
    const double of_width = std::min(1.0, 4 * reach_x / (high_x - low_x));
    const double of_height = std::min(1.0, 4 * reach_y / (high_y - low_y));
    const double met = static_cast<double>(points.size()) / (1.0 + key) * of_width * of_height;
    return met < few ? all_sizes : fine;
}

// Key and size level in one number. The logarithm of a double lies within +-1100.
std::uint64_t code(const Point& p, const std::uint32_t* keys, float height) {
    const auto level = [&](float log) {
        return static_cast<std::uint64_t>(static_cast<std::int32_t>(std::floor(log / height)) + (1 << 15));
    };
    return static_cast<std::uint64_t>(keys ? keys[p.index] : 0) << 32 | level(p.u) << 16 | level(p.v);
}

// Sort points by their code, and make a group for each.
std::vector<Group> gather(memory::Vector<Point>& points, const std::uint32_t* keys) {
    if (points.empty()) return {};
    const float height = group_height(points, keys);
    if (!keys && height == all_sizes) {  // one group: nothing to sort
        std::vector<Group> one(1);
        one[0].end = points.size();
        return one;
    }
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    std::vector<std::uint64_t> codes;
    std::vector<std::uint32_t> number(points.size());
    std::uint64_t last = ~0ull;
    std::uint32_t last_number = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint64_t c = code(points[i], keys, height);
        if (c != last) {
            const auto [found, is_new] = numbers.try_emplace(c, static_cast<std::uint32_t>(codes.size()));
            if (is_new) codes.push_back(c);
            last = c, last_number = found->second;
        }
        number[i] = last_number;
    }
    std::vector<std::uint32_t> order(codes.size());
    for (std::uint32_t g = 0; g < order.size(); ++g) order[g] = g;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return codes[a] < codes[b]; });

    std::vector<std::size_t> at(codes.size(), 0);
    for (const std::uint32_t k : number) ++at[k];
    std::vector<Group> groups(codes.size());
    std::size_t begin = 0;
    for (std::uint32_t g = 0; g < order.size(); ++g) {
        const std::size_t count = at[order[g]];
        groups[g].key = static_cast<std::uint32_t>(codes[order[g]] >> 32);
        groups[g].begin = at[order[g]] = begin;
        groups[g].end = begin += count;
    }
    memory::Vector<Point> sorted(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) sorted[at[number[i]]++] = points[i];
    points.swap(sorted);
    return groups;
}

// The grid of a group: cells about as large as a search, but no more than twice as many as points.
void measure(Group& group, const Point* points) {
    group.low_x = group.high_x = points[group.begin].x, group.low_y = group.high_y = points[group.begin].y;
    for (std::size_t i = group.begin; i < group.end; ++i) {
        const Point& p = points[i];
        group.low_x = std::min(group.low_x, p.x), group.high_x = std::max(group.high_x, p.x);
        group.low_y = std::min(group.low_y, p.y), group.high_y = std::max(group.high_y, p.y);
        group.reach_x = std::max(group.reach_x, p.reach_x), group.reach_y = std::max(group.reach_y, p.reach_y);
        group.u.add(p.u), group.v.add(p.v);
    }
    const double most = 2 * static_cast<double>(group.end - group.begin);
    const double width = group.high_x - group.low_x, height = group.high_y - group.low_y;
    const auto cells = [&](double length, double cell) {
        return length > 0 ? std::max(1.0, std::min(length / cell, most)) : 1.0;  // a cell of no size: as many as may be
    };
    double nx = cells(width, group.reach_x), ny = cells(height, 2 * group.reach_y);
    if (nx * ny > most) {
        const double shrink = std::sqrt(most / (nx * ny));
        nx = std::max(1.0, nx * shrink), ny = std::max(1.0, std::min(ny * shrink, most / nx));
    }
    group.x = {group.low_x, width > 0 ? std::floor(nx) / width : 0, static_cast<std::size_t>(nx)};
    group.y = {group.low_y, height > 0 ? std::floor(ny) / height : 0, static_cast<std::size_t>(ny)};
}

// Sort the points of a group by cell into `sorted`, and note where each cell starts.
void fill(const Group& group, const Point* points, Point* sorted, std::uint32_t* starts) {
    const std::size_t count = group.end - group.begin, cells = group.x.cells * group.y.cells;
    std::vector<std::uint32_t> cell(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Point& p = points[group.begin + i];
        cell[i] = static_cast<std::uint32_t>(group.y.cell(p.y) * group.x.cells + group.x.cell(p.x));
        ++starts[cell[i] + 1];
    }
    for (std::size_t c = 0; c < cells; ++c) starts[c + 1] += starts[c];
    Point* const to = sorted + group.begin;
    for (std::size_t i = 0; i < count; ++i) to[starts[cell[i]]++] = points[group.begin + i];
    for (std::size_t c = cells; c > 0; --c) starts[c] = starts[c - 1];  // filling moved each start to the next one's
    starts[0] = 0;
}

}  // namespace

Grid::Grid(memory::Vector<Point> given, const std::uint32_t* keys, std::size_t threads)
    : points(std::move(given)), groups(gather(points, keys)) {
    const auto each_group = [&](const auto& work) {
        const std::size_t share = threads::at_least_one(groups.size() / (8 * threads));
        threads::over(groups.size(), share, points.size() < 4096 ? 1 : threads,
                      [&](std::size_t begin, std::size_t end) {
                          for (std::size_t g = begin; g < end; ++g) work(groups[g]);
                      });
    };
    each_group([&](Group& group) { measure(group, points.data()); });
    std::size_t cells = 0;
    for (Group& group : groups) group.cells = cells, cells += group.x.cells * group.y.cells + 1;
    starts.resize(cells, 0);
    memory::Vector<Point> sorted(points.size());
    each_group([&](Group& group) { fill(group, points.data(), sorted.data(), starts.data() + group.cells); });
    points.swap(sorted);
}

std::pair<std::size_t, std::size_t> Grid::groups_of(std::uint32_t key) const {
    const auto first = std::partition_point(groups.begin(), groups.end(), [&](const Group& g) { return g.key < key; });
    const auto last = std::partition_point(first, groups.end(), [&](const Group& g) { return g.key == key; });
    return {static_cast<std::size_t>(first - groups.begin()), static_cast<std::size_t>(last - groups.begin())};
}

std::vector<Task> tasks(const Grid& grid) {
    constexpr std::size_t points_in_task = 2048;
    std::vector<Task> all;
    for (std::size_t g = 0; g < grid.groups.size(); ++g)
        for (std::size_t begin = grid.groups[g].begin; begin < grid.groups[g].end; begin += points_in_task)
            all.push_back({g, begin, std::min(begin + points_in_task, grid.groups[g].end)});
    return all;
}

}  // namespace vesica::grid_index

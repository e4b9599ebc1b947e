#include "base/grid_index.hpp"

#include "base/partition.hpp"
#include "base/threads.hpp"

namespace vesica::grid_index {
namespace {

constexpr float all_sizes = 1e9f;

// Centres, reaches and sizes of some points, from the least to the greatest.
struct Extent {
    double low_x, high_x, low_y, high_y, reach_x = 0, reach_y = 0;
    Span u, v;

    explicit Extent(const Point& first) : low_x(first.x), high_x(first.x), low_y(first.y), high_y(first.y) {}
    void add(const Point& p) {
        low_x = std::min(low_x, p.x), high_x = std::max(high_x, p.x);
        low_y = std::min(low_y, p.y), high_y = std::max(high_y, p.y);
        reach_x = std::max(reach_x, p.reach_x), reach_y = std::max(reach_y, p.reach_y);
        u.add(p.u), v.add(p.v);
    }
    void add(const Extent& other) {
        low_x = std::min(low_x, other.low_x), high_x = std::max(high_x, other.high_x);
        low_y = std::min(low_y, other.low_y), high_y = std::max(high_y, other.high_y);
        reach_x = std::max(reach_x, other.reach_x), reach_y = std::max(reach_y, other.reach_y);
        for (const float x : {other.u.low, other.u.high}) u.add(x);
        for (const float x : {other.v.low, other.v.high}) v.add(x);
    }
};

Extent extent_of(const Point* points, std::size_t count, std::size_t threads) {
    const partition::Chunks chunks(count, threads);
    std::vector<Extent> found(chunks.size(), Extent(points[0]));
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        Extent own(points[0]);  // not in the list: threads would write to one line of the cache
        for (std::size_t i = begin; i < end; ++i) own.add(points[i]);
        found[chunk] = own;
    });
    for (const Extent& other : found) found[0].add(other);
    return found[0];
}

std::uint32_t largest_key(const memory::Vector<Point>& points, const std::uint32_t* keys, std::size_t threads) {
    const partition::Chunks chunks(points.size(), threads);
    std::vector<std::uint32_t> found(chunks.size(), 0);
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::uint32_t largest = 0;
        for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, keys[points[i].index]);
        found[chunk] = largest;
    });
    return *std::max_element(found.begin(), found.end());
}

// How many octaves of size go into one group. With finer groups a point looks at fewer partners in vain, but into more
// groups: worth it only where a search among all sizes at once would meet many.
float group_height(const memory::Vector<Point>& points, const std::uint32_t* keys, std::size_t threads) {
    constexpr float fine = 4;
    constexpr double few = 12;
    const Extent all = extent_of(points.data(), points.size(), threads);
    const std::uint32_t key = keys ? largest_key(points, keys, threads) : 0;
    // Where all centres are equal the quotient is infinite or NaN, and std::min(1.0, …) is 1 for both.
    const double of_width = std::min(1.0, 4 * all.reach_x / (all.high_x - all.low_x));
    const double of_height = std::min(1.0, 4 * all.reach_y / (all.high_y - all.low_y));
    const double met = static_cast<double>(points.size()) / (1.0 + key) * of_width * of_height;
    return met < few ? all_sizes : fine;
}

// Key and size level in one number. The logarithm of a double lies within +-1100, so levels are positive, and cutting
// off the fraction rounds them down.
std::uint64_t code(const Point& p, const std::uint32_t* keys, float height) {
    const auto level = [&](float log) {
        return static_cast<std::uint64_t>(static_cast<std::int32_t>(log / height + (1 << 15)));
    };
    return static_cast<std::uint64_t>(keys ? keys[p.index] : 0) << 32 | level(p.u) << 16 | level(p.v);
}

// The codes of some points, numbered as they come, and how many points have each: a hash table with open addressing.
class Codes {
  public:
    // The number of a code, which one more point has.
    std::uint32_t add(std::uint64_t code) {
        Slot* slot = find(code);
        if (slot->number == none) {
            if (2 * list.size() >= slots_.size()) grow(), slot = find(code);
            *slot = {code, static_cast<std::uint32_t>(list.size())};
            list.push_back(code), counts.push_back(0);
        }
        ++counts[slot->number];
        return slot->number;
    }

    std::vector<std::uint64_t> list;
    std::vector<std::uint32_t> counts;

  private:
    static constexpr std::uint32_t none = ~std::uint32_t(0);  // an empty slot
    struct Slot {
        std::uint64_t code = 0;
        std::uint32_t number = none;
    };

    Slot* find(std::uint64_t code) {
        // 2^64 by the golden ratio: it spreads numbers that follow each other, as keys do.
        std::size_t at = std::rotl(code, 32) * 0x9e3779b97f4a7c15 >> shift_;
        while (slots_[at].number != none && slots_[at].code != code) at = (at + 1) & (slots_.size() - 1);
        return &slots_[at];
    }
    void grow() {
        slots_.assign(2 * slots_.size(), Slot{});
        --shift_;
        for (std::uint32_t k = 0; k < list.size(); ++k) *find(list[k]) = {list[k], k};
    }

    std::vector<Slot> slots_ = std::vector<Slot>(64);
    unsigned shift_ = 64 - 6;
};

// A group for each code, in order, empty at its place. The counts of each chunk become the places of its next points.
std::vector<Group> groups_of_codes(std::vector<Codes>& chunks) {
    std::vector<std::uint64_t> codes;
    for (const Codes& own : chunks) codes.insert(codes.end(), own.list.begin(), own.list.end());
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    std::vector<Group> groups(codes.size());
    const auto each = [&](const auto& visit) {
        for (Codes& own : chunks)
            for (std::size_t k = 0; k < own.list.size(); ++k)
                visit(groups[std::lower_bound(codes.begin(), codes.end(), own.list[k]) - codes.begin()], own.counts[k]);
    };
    each([](Group& group, std::uint32_t count) { group.end += count; });
    std::size_t begin = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        groups[g].key = static_cast<std::uint32_t>(codes[g] >> 32);
        groups[g].begin = begin, begin += groups[g].end, groups[g].end = groups[g].begin;
    }
    each([](Group& group, std::uint32_t& count) {
        const std::uint32_t here = count;
        count = static_cast<std::uint32_t>(group.end), group.end += here;
    });
    return groups;
}

// Sort points by their code, and make a group for each.
std::vector<Group> gather(memory::Vector<Point>& points, const std::uint32_t* keys, std::size_t threads) {
    if (points.empty()) return {};
    const float height = group_height(points, keys, threads);
    if (!keys && height == all_sizes) {  // one group: nothing to sort
        std::vector<Group> one(1);
        one[0].end = points.size();
        return one;
    }
    const partition::Chunks chunks(points.size(), threads);
    std::vector<Codes> codes(chunks.size());
    memory::Vector<std::uint32_t> number(points.size());
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        Codes own;  // not in the list: threads would write to one line of the cache
        for (std::size_t i = begin; i < end; ++i) number[i] = own.add(code(points[i], keys, height));
        codes[chunk] = std::move(own);
    });
    std::vector<Group> groups = groups_of_codes(codes);
    memory::Vector<Point> sorted(points.size());
    chunks.each([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t>& places = codes[chunk].counts;
        for (std::size_t i = begin; i < end; ++i) sorted[places[number[i]]++] = points[i];
    });
    points.swap(sorted);
    return groups;
}

// The grid of a group: cells about as large as a search, but no more than twice as many as points.
void measure(Group& group, const Point* points, std::size_t threads) {
    const Extent extent = extent_of(points + group.begin, group.end - group.begin, threads);
    group.low_x = extent.low_x, group.high_x = extent.high_x, group.low_y = extent.low_y, group.high_y = extent.high_y;
    group.reach_x = extent.reach_x, group.reach_y = extent.reach_y;
    group.u = extent.u, group.v = extent.v;
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
    memory::Vector<std::uint32_t> cell(count);
    std::fill_n(starts, cells + 1, 0u);
    for (std::size_t i = 0; i < count; ++i) {
        const Point& p = points[group.begin + i];
        cell[i] = static_cast<std::uint32_t>(group.y.cell(p.y) * group.x.cells + group.x.cell(p.x));
        ++starts[cell[i]];
    }
    for (std::size_t c = 0; c < cells; ++c) starts[c + 1] += starts[c];
    // Now they are the ends of cells. Filled from its end, a cell's end moves to its start.
    Point* const to = sorted + group.begin;
    for (std::size_t i = count; i-- > 0;) to[--starts[cell[i]]] = points[group.begin + i];
}

// The same of a large group by several threads: points go to stripes of cells first, and every stripe is sorted by
// itself. Its part of the table fits into a cache, which the whole table does not.
void fill_by_stripes(const Group& group, const Point* points, Point* sorted, std::uint32_t* starts,
                     std::size_t threads) {
    struct Entry {
        std::uint32_t cell, index;
    };
    constexpr std::size_t points_in_stripe = 1 << 13, most = 1 << 10;
    const std::size_t count = group.end - group.begin, cells = group.x.cells * group.y.cells;
    const std::size_t stripes = std::clamp(count / points_in_stripe, std::size_t(1), most);
    const std::size_t width = (cells + stripes - 1) / stripes;  // cells of a stripe
    const Point* const own = points + group.begin;
    memory::Vector<std::uint32_t> cell(count);
    memory::Vector<Entry> entries(count);
    partition::Chunks(count, threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            cell[i] = static_cast<std::uint32_t>(group.y.cell(own[i].y) * group.x.cells + group.x.cell(own[i].x));
    });
    const std::vector<std::size_t> begins = partition::stable(
        count, stripes, threads, [&](std::size_t i) { return cell[i] / width; },
        [&](std::size_t i, std::size_t place) { entries[place] = {cell[i], static_cast<std::uint32_t>(i)}; });
    threads::run(stripes, threads, [&](std::size_t stripe) {
        const std::size_t first = stripe * width, last = std::min(first + width, cells);
        // at[c + 1] counts cell c; then it is where the next point of that cell goes.
        std::vector<std::uint32_t> at(first < last ? last - first + 1 : 0, 0);
        for (std::size_t k = begins[stripe]; k < begins[stripe + 1]; ++k) ++at[entries[k].cell - first + 1];
        std::uint32_t next = static_cast<std::uint32_t>(begins[stripe]);
        for (std::size_t c = first; c < last; ++c) {
            const std::uint32_t here = at[c - first + 1];
            starts[c] = at[c - first + 1] = next, next += here;
        }
        Point* const to = sorted + group.begin;
        for (std::size_t k = begins[stripe]; k < begins[stripe + 1]; ++k)
            to[at[entries[k].cell - first + 1]++] = own[entries[k].index];
    });
    starts[cells] = static_cast<std::uint32_t>(count);
}

}  // namespace

Grid::Grid(memory::Vector<Point> given, const std::uint32_t* keys, std::size_t threads)
    : points(std::move(given)), groups(gather(points, keys, threads)) {
    // Large groups one after the other by all threads, then the others, each by one.
    constexpr std::size_t large = 1 << 16;
    const auto is_large = [](const Group& group) { return group.end - group.begin >= large; };
    const auto each_group = [&](const auto& by_all, const auto& by_one) {
        for (Group& group : groups)
            if (is_large(group)) by_all(group);
        const std::size_t share = threads::at_least_one(groups.size() / (8 * threads));
        threads::over(groups.size(), share, partition::is_shared(points.size(), threads) ? threads : 1,
                      [&](std::size_t begin, std::size_t end) {
                          for (std::size_t g = begin; g < end; ++g)
                              if (!is_large(groups[g])) by_one(groups[g]);
                      });
    };
    each_group([&](Group& group) { measure(group, points.data(), threads); },
               [&](Group& group) { measure(group, points.data(), 1); });
    std::size_t cells = 0;
    for (Group& group : groups) group.cells = cells, cells += group.x.cells * group.y.cells + 1;
    starts.resize(cells);
    memory::Vector<Point> sorted(points.size());
    each_group(
        [&](Group& group) {
            fill_by_stripes(group, points.data(), sorted.data(), starts.data() + group.cells, threads);
        },
        [&](Group& group) { fill(group, points.data(), sorted.data(), starts.data() + group.cells); });
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

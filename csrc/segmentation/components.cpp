#include "segmentation/components.hpp"

#include <algorithm>

#include "base/interrupt.hpp"
#include "base/union_find.hpp"

namespace vesica::segmentation {
namespace {

// Pixels of one label side by side in a row: columns from begin to end.
struct Run {
    std::size_t begin, end;
    std::int64_t label;
};

struct Runs {
    std::vector<Run> all;
    std::vector<std::size_t> first;  // of each row, and the end
};

template <class T>
Runs runs_of(const T* map, Grid grid, std::int64_t background) {
    Runs runs;
    interrupt::Steps done;
    runs.first.push_back(0);
    for (std::size_t row = 0; row < grid.planes * grid.rows; ++row) {
        const T* const line = map + row * grid.columns;
        for (std::size_t x = 0; x < grid.columns;) {
            const std::size_t begin = x;
            while (x < grid.columns && line[x] == line[begin]) ++x;
            if (std::int64_t(line[begin]) != background) runs.all.push_back({begin, x, std::int64_t(line[begin])});
        }
        runs.first.push_back(runs.all.size());
        done.add(grid.columns);
    }
    return runs;
}

// Joins the runs of two rows that have one label and touch; `reach` is 1 where corners suffice.
void join_rows(const Runs& runs, std::size_t a, std::size_t b, std::size_t reach, Connected& connected) {
    std::size_t i = runs.first[a], j = runs.first[b];
    const std::size_t end_i = runs.first[a + 1], end_j = runs.first[b + 1];
    while (i < end_i && j < end_j) {
        const Run &one = runs.all[i], &other = runs.all[j];
        if (one.begin < other.end + reach && other.begin < one.end + reach && one.label == other.label)
            connected.join(i, j);
        // The one that ends first can touch no later run, unless corners suffice and that run begins where it ends.
        if (one.end < other.end)
            ++i;
        else if (other.end < one.end)
            ++j;
        else if (!reach)
            ++i, ++j;
        else {  // both end here: each may touch the next of the other side by a corner
            if (i + 1 < end_i && runs.all[i + 1].begin < other.end + reach && runs.all[i + 1].label == other.label)
                connected.join(i + 1, j);
            if (j + 1 < end_j && runs.all[j + 1].begin < one.end + reach && runs.all[j + 1].label == one.label)
                connected.join(i, j + 1);
            ++i, ++j;
        }
    }
}

}  // namespace

std::vector<std::int64_t> components(const labels::Map& map, Grid grid, std::int64_t background, bool diagonal,
                                     std::int64_t* out) {
    Runs runs;
    labels::with_type(map.type, [&]<class T>(T) { runs = runs_of(static_cast<const T*>(map.data), grid, background); });
    Connected connected(runs.all.size());
    const std::size_t reach = diagonal;
    interrupt::Steps done;
    for (std::size_t z = 0; z < grid.planes; ++z)
        for (std::size_t y = 0; y < grid.rows; ++y) {
            const std::size_t row = z * grid.rows + y;
            if (y) join_rows(runs, row, row - 1, reach, connected);
            if (z) {
                join_rows(runs, row, row - grid.rows, reach, connected);
                if (diagonal && y) join_rows(runs, row, row - grid.rows - 1, reach, connected);
                if (diagonal && y + 1 < grid.rows) join_rows(runs, row, row - grid.rows + 1, reach, connected);
            }
            done.add(runs.first[row + 1] - runs.first[row] + 1);
        }

    std::vector<std::int64_t> number(runs.all.size()), labels;
    std::fill_n(out, grid.size(), 0);
    for (std::size_t row = 0; row < grid.planes * grid.rows; ++row)
        for (std::size_t k = runs.first[row]; k < runs.first[row + 1]; ++k) {
            const std::size_t root = connected.find(k);  // the lowest, so it has its number already
            if (root == k) {
                labels.push_back(runs.all[k].label);
                number[k] = std::int64_t(labels.size());
            }
            std::fill(out + row * grid.columns + runs.all[k].begin, out + row * grid.columns + runs.all[k].end,
                      number[root]);
        }
    return labels;
}

}  // namespace vesica::segmentation

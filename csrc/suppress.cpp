#include "suppress.hpp"

#include <cstring>
#include <unordered_map>

#include "lined.hpp"

namespace vesica::suppress {
namespace {

// Boxes of one group up to which every kept one looks at all that are left: fewer than a grid pays for.
constexpr std::size_t few = 8192;
// Regions that one thread takes in a go.
constexpr std::size_t rows_in_chunk = 2048;

using lined::Filtered, lined::Lined;

// Strikes the boxes that a kept one suppresses. A share of the areas decides iou and dice; for others it is a bound.
template <class M, class T>
class Striker {
  public:
    using F = Filtered<T>;
    static constexpr bool share_decides = std::is_same_v<M, measures::Iou> || std::is_same_v<M, measures::Dice>;

    Striker(const Request& request, boxes::Rows<T> boxes, Fates& fates, std::size_t count)
        : request_(request), boxes_(boxes), fates_(fates), found_(count + lined::lanes) {}

    // Strike those of the line [begin, end) for which may(place) holds; how many were.
    template <class May>
    std::size_t strike(const Lined<F>& line, std::size_t i, std::size_t begin, std::size_t end, const May& may) {
        const std::size_t count = lined::near(line, i, begin, end, found_.data());
        std::size_t struck = 0;
        const std::uint32_t row = line.rows[i];
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint32_t place = found_[k], other = line.rows[place];
            if (!may(place) || fates_.is_dead(other) || !(is_sure(line, i, place) || reaches(row, other))) continue;
            fates_.by[other] = row, ++struck;
        }
        return struck;
    }

  private:
    // Beyond all roundings?
    bool is_sure(const Lined<F>& line, std::size_t i, std::size_t j) const {
        if (!share_decides) return false;
        const F w = lesser(line.x2[i], line.x2[j]) - greater(line.x1[i], line.x1[j]);
        const F h = lesser(line.y2[i], line.y2[j]) - greater(line.y1[i], line.y1[j]);
        return w * h * (1 - lined::slack<F>)-lined::least<F> > line.share[i] + line.share[j];
    }
    bool reaches(std::uint32_t row, std::uint32_t other) const {
        const auto pair =
            join::pair<join::Exact<T>>(boxes_.data + 4 * row, boxes_.data + 4 * other, measures::needs_slope<M>);
        return join::judge<M>(pair, request_.options, request_.threshold);
    }

    const Request& request_;
    boxes::Rows<T> boxes_;
    Fates& fates_;
    memory::Vector<std::uint32_t> found_;
};

// Every kept box looks at all that are left. The dead are cleared away whenever they are half of them.
template <class M, class T>
void keep_by_looking(const Request& request, double share, boxes::Rows<T> boxes, Group group, Fates& fates) {
    Lined<Filtered<T>> line(group.count);
    for (std::size_t k = 0; k < group.count; ++k)
        line.put(k, boxes::box(boxes.data + 4 * group.rows[k]), group.rows[k], share);
    Striker<M, T> striker(request, boxes, fates, group.count);
    std::size_t count = group.count, dead = 0, kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = line.rows[i];
        if (fates.is_dead(row)) {
            --dead;
            continue;
        }
        fates.is_kept[row] = 1;
        dead += striker.strike(line, i, i + 1, count, [](std::size_t) { return true; });
        if (++kept == request.limit) return;
        if (2 * dead > count - i) {
            std::size_t to = i + 1;
            for (std::size_t j = i + 1; j < count; ++j)
                if (!fates.is_dead(line.rows[j])) line.move(j, to++);
            count = to, dead = 0;
        }
    }
}

// Every kept box looks at those in the cells around it: a stretch of boxes for each row of cells.
template <class M, class T>
void keep_by_cells(const Request& request, const join::Bound& bound, boxes::Rows<T> boxes, Group group, Fates& fates) {
    const double shrink = std::max(bound.shrink_a, bound.shrink_b);
    memory::Vector<candidates::Point> points;
    points.reserve(group.count);
    for (std::size_t k = 0; k < group.count; ++k) {
        const T* const row = boxes.data + 4 * group.rows[k];
        if (join::has_place(row)) points.push_back(join::point_of(row, shrink, k));
    }
    const candidates::Grid grid(std::move(points), nullptr, 1);
    Lined<Filtered<T>> line(grid.points.size());
    std::vector<std::uint32_t> places(group.count, nobody);  // in the grid
    for (std::size_t q = 0; q < grid.points.size(); ++q) {
        const std::uint32_t row = group.rows[grid.points[q].index];
        line.put(q, boxes::box(boxes.data + 4 * row), row, bound.share());
        places[grid.points[q].index] = static_cast<std::uint32_t>(q);
    }
    Striker<M, T> striker(request, boxes, fates, grid.points.size());
    keep_each(group, request.limit, fates, [&](std::size_t k, std::uint32_t) {
        if (places[k] == nobody) return;
        for (const candidates::Group& near : grid.groups)
            candidates::stretches(grid, near, grid.points[places[k]], {bound.apart, bound.apart},
                                  [&](std::size_t begin, std::size_t end) {
                                      striker.strike(line, places[k], begin, end,
                                                     [&](std::size_t q) { return grid.points[q].index > k; });
                                  });
    });
}

// Rotated boxes are clipped many at a time.
template <class M>
struct RotatedTest {
    const Request& request;
    const rotated::Columns& columns;
    double share;
    std::uint32_t row = 0;
    rotated::Lanes lanes = {};

    void begin(std::uint32_t kept) { row = kept; }
    template <class Kill>
    void meet(std::uint32_t other, const Kill& kill) {
        if (!join::may_share(columns, row, columns, other, share)) return;
        lanes.add(row, other);
        if (lanes.full()) end(kill);
    }
    template <class Kill>
    void end(const Kill& kill) {
        lanes.clip(columns, columns);
        for (std::size_t k = 0; k < lanes.count; ++k) {
            const rotated::Parts parts{lanes.inter[k], columns.area[row], columns.area[lanes.j[k]]};
            if (join::judge<M>(parts, request.options, request.threshold)) kill(lanes.j[k]);
        }
        lanes.count = 0;
    }
};

}  // namespace

Walk::Walk(const Request& request, std::size_t count)
    : request_(request), fates_(count), order_(order::best_first(request.scores, count, request.least)) {
    rows_ = request.keys ? order::by_key(order_, request.keys) : order_;
    starts_ = chunks_ = {0};
    for (std::size_t k = 1; request.keys && k < rows_.size(); ++k)
        if (request.keys[rows_[k]] != request.keys[rows_[k - 1]]) starts_.push_back(k);
    if (!rows_.empty()) starts_.push_back(rows_.size());
    for (std::size_t g = 1; g < starts_.size(); ++g)
        if (starts_[g] - starts_[chunks_.back()] >= rows_in_chunk || g + 1 == starts_.size()) chunks_.push_back(g);
}

Answer Walk::answer() {
    Answer out{std::make_unique<std::int64_t[]>(order_.size()), 0, {}};
    std::unordered_map<std::uint32_t, std::size_t> kept_in;
    const bool is_limited = request_.limit && request_.images;
    for (const std::uint32_t row : order_) {
        if (!fates_.is_kept[row]) continue;
        if (is_limited ? ++kept_in[request_.images[row]] > request_.limit
                       : request_.limit && out.count == request_.limit)
            fates_.is_kept[row] = 0;
        else
            out.kept[out.count++] = row;
    }
    // Who is beyond the limit is not kept, and suppresses nothing.
    if (request_.limit)
        for (std::uint32_t& by : fates_.by)
            if (by != nobody && !fates_.is_kept[by]) by = nobody;
    out.by = std::move(fates_.by);
    return out;
}

template <class T>
Answer of_boxes(const Request& request, boxes::Rows<T> rows) {
    Walk walk(request, rows.count);
    const join::Bound bound = request.bound();
    measures::with_box_measure(request.measure, [&]<class M>(M) {
        walk.run([&](Group group, Fates& fates) {
            if (group.count <= few) return keep_by_looking<M>(request, bound.share(), rows, group, fates);
            keep_by_cells<M>(request, bound, rows, group, fates);
        });
    });
    return walk.answer();
}

Answer of_rotated(const Request& request, rotated::Rows rows) {
    Walk walk(request, rows.count);
    const join::Bound bound = request.bound();
    const rotated::Columns columns(rows);
    measures::with_region_measure(request.measure, [&]<class M>(M) {
        walk.run([&](Group group, Fates& fates) {
            memory::Vector<candidates::Point> points;
            points.reserve(group.count);
            for (std::size_t k = 0; k < group.count; ++k)
                if (join::has_place(columns, group.rows[k]))
                    points.push_back(join::point_of(columns, group.rows[k], k));
            const candidates::Grid grid(std::move(points), nullptr, 1);
            RotatedTest<M> test{request, columns, bound.share()};
            keep_by_grid(grid, {bound.apart, join::anything}, group, request.limit, fates, test);
        });
    });
    return walk.answer();
}

template Answer of_boxes<float>(const Request&, boxes::Rows<float>);
template Answer of_boxes<double>(const Request&, boxes::Rows<double>);
template Answer of_boxes<std::int64_t>(const Request&, boxes::Rows<std::int64_t>);

}  // namespace vesica::suppress

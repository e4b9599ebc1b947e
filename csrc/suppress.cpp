#include "suppress.hpp"

#include <cstring>
#include <unordered_map>

namespace vesica::suppress {
namespace {

// Boxes of one group up to which every kept one looks at all that are left: fewer than a grid pays for.
constexpr std::size_t few = 8192;
// Regions that one thread takes in a go.
constexpr std::size_t rows_in_chunk = 2048;

// What the vector filter reads: boxes by column, in order, and the least area that partners share with them.
template <class F>
struct Lined {
    std::vector<F> x1, y1, x2, y2, share;
    std::vector<std::uint32_t> rows;

    explicit Lined(std::size_t count) : x1(count), y1(count), x2(count), y2(count), share(count), rows(count) {}
    void move(std::size_t from, std::size_t to) {
        x1[to] = x1[from], y1[to] = y1[from], x2[to] = x2[from], y2[to] = y2[from];
        share[to] = share[from], rows[to] = rows[from];
    }
};

// hit[j] = may box i and box j be partners? For j in [i + 1, count). May pass too much, never too little: roundings are
// less than `slack`, and products that vanish are less than the smallest normal number.
template <class F>
struct Filter {
    static VESICA_INLINE void body(const Lined<F>& boxes, std::size_t i, std::size_t count,
                                   std::uint8_t* VESICA_RESTRICT hit) {
        constexpr F slack = std::is_same_v<F, float> ? F(1.00001) : F(1 + 1e-12);
        constexpr F least = std::numeric_limits<F>::min();
        const F *VESICA_RESTRICT x1 = boxes.x1.data(), *VESICA_RESTRICT y1 = boxes.y1.data();
        const F *VESICA_RESTRICT x2 = boxes.x2.data(), *VESICA_RESTRICT y2 = boxes.y2.data();
        const F* VESICA_RESTRICT share = boxes.share.data();
        const F left = x1[i], top = y1[i], right = x2[i], bottom = y2[i], mine = share[i];
        for (std::size_t j = i + 1; j < count; ++j) {
            const F w = lesser(right, x2[j]) - greater(left, x1[j]);
            const F h = lesser(bottom, y2[j]) - greater(top, y1[j]);
            hit[j] = (w > 0) & (h > 0) & (w * h * slack + least >= mine + share[j]);
        }
    }
};

template <class T>
using Filtered = std::conditional_t<std::is_same_v<T, float>, float, double>;

// Every kept box looks at all that are left. The dead are cleared away whenever they are half of them.
template <class M, class T>
void keep_by_looking(const Request& request, double share, boxes::Rows<T> boxes, Group group, Fates& fates) {
    using F = Filtered<T>;
    Lined<F> lined(group.count);
    for (std::size_t k = 0; k < group.count; ++k) {
        const boxes::Box<T> b = boxes::box(boxes.data + 4 * group.rows[k]);
        lined.x1[k] = static_cast<F>(b.x1), lined.y1[k] = static_cast<F>(b.y1);
        lined.x2[k] = static_cast<F>(b.x2), lined.y2[k] = static_cast<F>(b.y2);
        lined.share[k] = static_cast<F>(share) * static_cast<F>(b.w()) * static_cast<F>(b.h());
        lined.rows[k] = group.rows[k];
    }
    std::vector<std::uint8_t> hit(group.count + 8, 0);
    std::size_t count = group.count, dead = 0, kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = lined.rows[i];
        if (fates.is_dead(row)) {
            --dead;
            continue;
        }
        fates.is_kept[row] = 1;
        isa::run<Filter<F>>(lined, i, count, hit.data());
        const T* const here = boxes.data + 4 * row;
        for (std::size_t j = i + 1; j < count; j += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, hit.data() + j, 8);
            if (!eight) continue;
            for (std::size_t k = j; k < std::min(j + 8, count); ++k) {
                const std::uint32_t other = lined.rows[k];
                if (!hit[k] || fates.is_dead(other)) continue;
                const auto pair = join::pair<join::Exact<T>>(here, boxes.data + 4 * other, measures::needs_slope<M>);
                if (join::judge<M>(pair, request.options, request.threshold)) fates.by[other] = row, ++dead;
            }
        }
        if (++kept == request.limit) return;
        if (2 * dead > count - i) {
            std::size_t to = i + 1;
            for (std::size_t j = i + 1; j < count; ++j)
                if (!fates.is_dead(lined.rows[j])) lined.move(j, to++);
            count = to, dead = 0;
        }
    }
}

template <class M, class T>
struct BoxTest {
    const Request& request;
    boxes::Rows<T> boxes;
    const T* here = nullptr;

    void begin(std::uint32_t row) { here = boxes.data + 4 * row; }
    template <class Kill>
    void meet(std::uint32_t other, const Kill& kill) {
        const auto pair = join::pair<join::Exact<T>>(here, boxes.data + 4 * other, measures::needs_slope<M>);
        if (join::judge<M>(pair, request.options, request.threshold)) kill(other);
    }
    template <class Kill>
    void end(const Kill&) {}
};

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
    const double shrink = std::max(bound.shrink_a, bound.shrink_b);
    measures::with_box_measure(request.measure, [&]<class M>(M) {
        walk.run([&](Group group, Fates& fates) {
            if (group.count <= few) return keep_by_looking<M>(request, bound.share(), rows, group, fates);
            std::vector<candidates::Point> points;
            points.reserve(group.count);
            for (std::size_t k = 0; k < group.count; ++k) {
                const T* const row = rows.data + 4 * group.rows[k];
                if (join::has_place(row)) points.push_back(join::point_of(row, shrink, k));
            }
            const candidates::Grid grid(std::move(points), nullptr, 1);
            BoxTest<M, T> test{request, rows};
            keep_by_grid(grid, {bound.apart, bound.apart}, group, request.limit, fates, test);
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
            std::vector<candidates::Point> points;
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

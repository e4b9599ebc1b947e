#include "selection/nms.hpp"

#include <atomic>
#include <unordered_map>

#include "base/partition.hpp"
#include "overlaps/box_columns.hpp"
#include "overlaps/box_formulas.hpp"
#include "overlaps/box_neighbours.hpp"

namespace vesica::nms {
namespace {

// Boxes of one group up to which every kept one looks at all that are left, as long as that is cheaper than a grid: so
// many looks for each box.
constexpr std::size_t few = 8192, looks_of_a_box = 64;
// Regions that one thread takes in a go.
constexpr std::size_t rows_in_chunk = 2048;

using box_columns::Filtered, box_columns::Lined;

// Does a kept box suppress another? A share of the areas decides iou and dice; for others it is a bound.
template <class T>
class Judge {
  public:
    using F = Filtered<T>;

    Judge(const Request& request, boxes::Rows<T> boxes)
        : request_(request),
          boxes_(boxes),
          formula_(box_formulas::formula_of<T>(request.measure)),
          share_decides_(request.measure == measures::Name::iou || request.measure == measures::Name::dice) {}

    // Box i of the line, and box j, which passed the filter.
    bool suppresses(const Lined<F>& line, std::size_t i, std::size_t j) const {
        return (share_decides_ && is_sure(line, i, j)) || reaches(line.rows[i], line.rows[j]);
    }

  private:
    // Beyond all roundings?
    bool is_sure(const Lined<F>& line, std::size_t i, std::size_t j) const {
        const F w = lesser(line.x2[i], line.x2[j]) - greater(line.x1[i], line.x1[j]);
        const F h = lesser(line.y2[i], line.y2[j]) - greater(line.y1[i], line.y1[j]);
        return w * h * (1 - box_columns::slack<F>)-box_columns::least<F> > line.share[i] + line.share[j];
    }
    bool reaches(std::uint32_t row, std::uint32_t other) const {
        return formula_.reaches(boxes_.data + 4 * row, boxes_.data + 4 * other, request_.options, request_.threshold);
    }

    const Request& request_;
    boxes::Rows<T> boxes_;
    box_formulas::Formula<T> formula_;
    bool share_decides_;
};

// Every kept box looks at all that are left; the dead are cleared away whenever they are half of them. Returns those
// that it was not worth looking at any more, and lowers the limit by those it kept.
template <class T>
std::vector<std::uint32_t> keep_by_looking(const Request& request, double share, boxes::Rows<T> boxes, Group group,
                                           std::size_t& limit, Fates& fates) {
    Lined<Filtered<T>> line(group.count);
    for (std::size_t k = 0; k < group.count; ++k)
        line.put(k, boxes::box(boxes.data + 4 * group.rows[k]), group.rows[k], share);
    const Judge<T> judge(request, boxes);
    memory::Vector<std::uint32_t> found(group.count + box_columns::lanes);
    std::size_t count = group.count, dead = 0, looks = looks_of_a_box * group.count;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = line.rows[i];
        if (fates.is_dead(row)) {
            --dead;
            continue;
        }
        fates.is_kept[row] = 1;
        const std::size_t hits = box_columns::near(line, i, i + 1, count, found.data());
        for (std::size_t k = 0; k < hits; ++k) {
            const std::uint32_t other = line.rows[found[k]];
            if (fates.is_dead(other) || !judge.suppresses(line, i, found[k])) continue;
            fates.by[other] = row, ++dead;
        }
        if (limit && !--limit) return {};
        const bool is_spent = looks < count - i;
        if (is_spent || 2 * dead > count - i) {
            std::size_t to = i + 1;
            for (std::size_t j = i + 1; j < count; ++j)
                if (!fates.is_dead(line.rows[j])) line.move(j, to++);
            count = to, dead = 0;
        }
        if (is_spent)
            return {line.rows.begin() + static_cast<std::ptrdiff_t>(i + 1),
                    line.rows.begin() + static_cast<std::ptrdiff_t>(count)};
        looks -= count - i;
    }
    return {};
}

// The same answer without a walk: a box is kept when none of its better neighbours is, whatever order they are asked
// in. So boxes are settled where they lie, by several threads, and each asks its better neighbours first. What a thread
// finds out is true whatever others do meanwhile; at worst two find out the same.
template <class T>
class Settler {
  public:
    Settler(const Request& request, boxes::Rows<T> boxes, const Neighbourhood<T>& near)
        : near_(near),
          judge_(request, boxes),
          with_by_(request.with_by),
          fate_(near.size()),
          by_(request.with_by ? near.size() : 0) {
        for (auto& by : by_) by.store(none, std::memory_order_relaxed);
    }

    void run(std::size_t threads) {
        const std::size_t share = std::max(rows_in_chunk, near_.size() / (8 * threads));
        threads::over(near_.size(), share, threads, [&](std::size_t begin, std::size_t end) {
            Scratch scratch;
            for (std::size_t place = begin; place < end; ++place) settle(static_cast<std::uint32_t>(place), scratch);
        });
    }

    void tell(Group group, Fates& fates, std::size_t threads) const {
        partition::Chunks(near_.size(), threads).each([&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t place = begin; place < end; ++place) {
                const std::uint32_t row = near_.line().rows[place];
                fates.is_kept[row] = fate_[place].load(std::memory_order_relaxed) == kept;
                if (with_by_ && !fates.is_kept[row])
                    fates.by[row] = group.rows[by_[place].load(std::memory_order_relaxed)];
            }
        });
    }

  private:
    enum Fate : std::uint8_t { open = 0, kept, dead };

    struct Scratch {
        memory::Vector<std::uint32_t> found, waiting, worse;
        interrupt::Steps steps = {};
    };

    Fate fate(std::size_t place) const { return fate_[place].load(std::memory_order_acquire); }

    void settle(std::uint32_t first, Scratch& scratch) {
        scratch.waiting.assign(1, first);
        while (!scratch.waiting.empty()) {
            const std::uint32_t place = scratch.waiting.back();
            const std::uint32_t rival = fate(place) == open ? ask(place, scratch) : none;
            if (rival == none)
                scratch.waiting.pop_back();
            else
                scratch.waiting.push_back(rival);
        }
    }

    // Settle the box, or name the best neighbour whose fate must be known first.
    std::uint32_t ask(std::uint32_t place, Scratch& scratch) {
        const Lined<Filtered<T>>& line = near_.line();
        const std::uint32_t rank = near_.rank(place);
        std::uint32_t rival = none, rank_of_rival = rank;
        bool is_beaten = false;
        scratch.worse.clear();
        const std::size_t seen = near_.each_near(place, scratch.found, [&](std::uint32_t other) {
            const std::uint32_t rank_of_other = near_.rank(other);
            if (rank_of_other > rank) {
                if (with_by_ || fate(other) == open) scratch.worse.push_back(other);
            } else if (rank_of_other < rank_of_rival && !is_beaten) {
                const Fate known = fate(other);
                if (known == dead || !judge_.suppresses(line, other, place)) return;
                is_beaten = known == kept, rival = other, rank_of_rival = rank_of_other;
            }
        });
        scratch.steps.add(seen);
        if (is_beaten) return fate_[place].store(dead, std::memory_order_release), none;
        if (rival != none) return rival;
        fate_[place].store(kept, std::memory_order_release);
        for (const std::uint32_t other : scratch.worse)
            if (judge_.suppresses(line, place, other)) strike(other, rank);
        return none;
    }

    void strike(std::uint32_t place, std::uint32_t rank) {
        fate_[place].store(dead, std::memory_order_release);
        if (!with_by_) return;
        // The best of those that suppress it, whichever strikes first.
        std::uint32_t before = by_[place].load(std::memory_order_relaxed);
        while (rank < before && !by_[place].compare_exchange_weak(before, rank, std::memory_order_relaxed)) {
        }
    }

    const Neighbourhood<T>& near_;
    const Judge<T> judge_;
    const bool with_by_;
    std::vector<std::atomic<Fate>> fate_;
    std::vector<std::atomic<std::uint32_t>> by_;
};

// With a limit the best are walked, and the walk ends early.
template <class T>
void keep_best(const Request& request, boxes::Rows<T> boxes, const Neighbourhood<T>& near, Group group,
               std::size_t limit, Fates& fates) {
    std::vector<std::uint32_t> places(group.count, none);
    for (std::size_t q = 0; q < near.size(); ++q) places[near.rank(q)] = static_cast<std::uint32_t>(q);
    const Judge<T> judge(request, boxes);
    memory::Vector<std::uint32_t> found;
    interrupt::Steps steps;
    keep_each(group, limit, fates, [&](std::size_t k, std::uint32_t row) {
        if (places[k] == none) return;
        steps.add(near.each_near(places[k], found, [&](std::uint32_t other) {
            const std::uint32_t row_of_other = near.line().rows[other];
            if (near.rank(other) > k && !fates.is_dead(row_of_other) && judge.suppresses(near.line(), places[k], other))
                fates.by[row_of_other] = row;
        }));
    });
}

template <class T>
void keep_by_cells(const Request& request, const join::Bound& bound, boxes::Rows<T> boxes, Group group,
                   std::size_t limit, Fates& fates) {
    const Neighbourhood<T> near(bound, boxes, group, request.threads);
    if (limit) return keep_best<T>(request, boxes, near, group, limit, fates);
    Settler<T> settler(request, boxes, near);
    settler.run(request.threads);
    if (near.size() < group.count)  // those without a place overlap nothing
        for (std::size_t k = 0; k < group.count; ++k) fates.is_kept[group.rows[k]] = 1;
    settler.tell(group, fates, request.threads);
}

// Rotated boxes are clipped many at a time.
struct RotatedTest {
    const Request& request;
    const rotated::Columns& columns;
    measures::Formula<double> formula;
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
            if (formula.reaches(parts, request.options, request.threshold)) kill(lanes.j[k]);
        }
        lanes.count = 0;
    }
};

}  // namespace

Walk::Walk(const Request& request, std::size_t count)
    : request_(request),
      fates_(count, request.threads),
      order_(order::best_first(request.scores, count, request.least, request.threads)),
      groups_(order_, request.keys, rows_in_chunk, request.threads) {}

Answer Walk::answer() {
    Answer out{std::make_unique_for_overwrite<std::int64_t[]>(order_.size()), 0, {}};
    if (!request_.limit) {
        partition::chosen(
            order_.size(), request_.threads, [&](std::size_t k) { return fates_.is_kept[order_[k]] != 0; },
            [&](std::size_t total) { out.count = total; },
            [&](std::size_t k, std::size_t place) { out.kept[place] = order_[k]; });
        out.by = std::move(fates_.by);
        return out;
    }
    std::unordered_map<std::uint32_t, std::size_t> kept_in;
    const bool is_limited = request_.images;
    for (const std::uint32_t row : order_) {
        if (!fates_.is_kept[row]) continue;
        if (is_limited ? ++kept_in[request_.images[row]] > request_.limit : out.count == request_.limit)
            fates_.is_kept[row] = 0;
        else
            out.kept[out.count++] = row;
    }
    // What is beyond the limit is not kept, and suppresses nothing.
    for (std::uint32_t& by : fates_.by)
        if (by != none && !fates_.is_kept[by]) by = none;
    out.by = std::move(fates_.by);
    return out;
}

template <class T>
Answer of_boxes(const Request& request, boxes::Rows<T> rows) {
    Walk walk(request, rows.count);
    const join::Bound bound = request.bound();
    walk.run([&](Group group, Fates& fates) {
        std::size_t limit = request.limit;
        if (group.count > few) return keep_by_cells(request, bound, rows, group, limit, fates);
        const std::vector<std::uint32_t> left = keep_by_looking(request, bound.share(), rows, group, limit, fates);
        if (!left.empty()) keep_by_cells(request, bound, rows, Group{left.data(), left.size()}, limit, fates);
    });
    return walk.answer();
}

Answer of_rotated(const Request& request, rotated::Rows rows) {
    Walk walk(request, rows.count);
    const join::Bound bound = request.bound();
    const rotated::Columns columns(rows);
    const measures::Formula<double> formula = measures::formula_of<double>(request.measure);
    walk.run([&](Group group, Fates& fates) {
        memory::Vector<grid_index::Point> points;
        points.reserve(group.count);
        for (std::size_t k = 0; k < group.count; ++k)
            if (join::has_place(columns, group.rows[k])) points.push_back(join::point_of(columns, group.rows[k], k));
        const grid_index::Grid grid(std::move(points), nullptr, 1);
        RotatedTest test{request, columns, formula, bound.share()};
        keep_by_grid(grid, {bound.apart, join::anything}, group, request.limit, fates, test);
    });
    return walk.answer();
}

template Answer of_boxes<float>(const Request&, boxes::Rows<float>);
template Answer of_boxes<double>(const Request&, boxes::Rows<double>);
template Answer of_boxes<std::int64_t>(const Request&, boxes::Rows<std::int64_t>);

}  // namespace vesica::nms

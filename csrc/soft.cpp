#include "soft.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "candidates.hpp"
#include "decay.hpp"
#include "lined.hpp"
#include "order.hpp"
#include "threads.hpp"

namespace vesica::soft {
namespace {

// The score of a region that was taken: below every min_score, and not above it whatever it is multiplied by.
constexpr double taken = -std::numeric_limits<double>::infinity();
// Regions that meet the one that was taken in a go.
constexpr std::size_t batch = 256;

struct Entry {
    double score;
    std::uint32_t row;
};

bool is_better(const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
}
bool is_worse(const Entry& a, const Entry& b) {
    return is_better(b, a);
}

// The scores of those that overlap the taken one, each by its m.
void weaken(const Rule& rule, const std::uint32_t* rows, const double* m, std::size_t count, double* scores) {
    double left[batch];
    for (std::size_t from = 0; from < count; from += batch) {
        const std::size_t some = std::min(batch, count - from);
        if (rule.is_gaussian)
            isa::run<Gaussian>(m + from, some, rule.sigma, &left[0]);
        else
            isa::run<Linear>(m + from, some, rule.sigma, &left[0]);
        for (std::size_t k = 0; k < some; ++k) scores[rows[from + k]] *= left[k];
    }
}

// Some of the rows that take part, all of one key.
struct Group {
    const std::uint32_t* rows;
    std::size_t count;
};

// All rows that take part, those of one key side by side, best first; and where each key begins.
struct Groups {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> starts;

    Groups(const Rule& rule, const Scored& given) : rows(order::best_first(given.scores, given.count, rule.min_score)) {
        const std::uint32_t* const keys = given.keys;
        if (keys) rows = order::by_key(rows, keys);
        for (std::size_t k = 0; k < rows.size(); ++k)
            if (!k || (keys && keys[rows[k - 1]] != keys[rows[k]])) starts.push_back(k);
        starts.push_back(rows.size());
    }
    std::size_t count() const { return starts.size() - 1; }
    Group operator[](std::size_t g) const { return {rows.data() + starts[g], starts[g + 1] - starts[g]}; }
};

// What may come next, best first: rows with the scores they had at first, in order, and a heap of those that decayed.
class Queue {
  public:
    Queue(Group group, const double* first) : group_(group), first_(first) {}

    bool empty() const { return next_ == group_.count && heap_.empty(); }
    void push(const Entry& entry) {
        heap_.push_back(entry);
        std::push_heap(heap_.begin(), heap_.end(), is_worse);
    }
    Entry pop() {
        if (next_ < group_.count) {
            const std::uint32_t row = group_.rows[next_];
            const Entry fresh{first_[row], row};
            if (heap_.empty() || is_better(fresh, heap_.front())) return ++next_, fresh;
        }
        std::pop_heap(heap_.begin(), heap_.end(), is_worse);
        const Entry top = heap_.back();
        heap_.pop_back();
        return top;
    }

  private:
    Group group_;
    const double* first_;
    std::size_t next_ = 0;
    std::vector<Entry> heap_;
};

// Walk one key. near(row, visit) calls visit(rows, m, count) for those that the row lets decay; they may be out
// already.
template <class Near>
void walk(const Rule& rule, Group group, const double* first, double* scores, Near&& near, std::vector<Entry>& picks) {
    Queue queue(group, first);
    for (std::size_t left = rule.limit ? rule.limit : group.count; left && !queue.empty();) {
        const Entry best = queue.pop();
        const double now = scores[best.row];
        if (now == best.score) {
            --left;
            picks.push_back(best);
            scores[best.row] = taken;
            near(best.row, [&](const std::uint32_t* rows, const double* m, std::size_t count) {
                weaken(rule, rows, m, count, scores);
            });
        } else if (now >= rule.min_score) {
            queue.push({now, best.row});
        }
    }
}

// walk_group(group, scores, picks) walks one key; `scores` are those of the moment, or `taken`.
template <class WalkGroup>
Picks run(const Rule& rule, const Scored& given, std::size_t threads, const WalkGroup& walk_group) {
    constexpr std::size_t rows_in_task = 1024;
    const Groups groups(rule, given);
    std::vector<double> scores(given.scores, given.scores + given.count);
    std::vector<std::size_t> tasks{0};  // the first group of each
    for (std::size_t g = 1; g < groups.count(); ++g)
        if (groups.starts[g] - groups.starts[tasks.back()] >= rows_in_task) tasks.push_back(g);
    tasks.push_back(groups.count());
    std::vector<std::vector<Entry>> lists(tasks.size() - 1);
    threads::run(lists.size(), threads, [&](std::size_t task) {
        for (std::size_t g = tasks[task]; g < tasks[task + 1]; ++g) walk_group(groups[g], scores.data(), lists[task]);
    });

    std::vector<Entry> picks;
    for (const std::vector<Entry>& list : lists) picks.insert(picks.end(), list.begin(), list.end());
    if (groups.count() > 1) std::sort(picks.begin(), picks.end(), is_better);
    Picks out{std::make_unique<std::int64_t[]>(picks.size()), std::make_unique<double[]>(picks.size()), picks.size()};
    for (std::size_t k = 0; k < picks.size(); ++k) out.index[k] = picks[k].row, out.score[k] = picks[k].score;
    return out;
}

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

// What boxes of one group need to find their neighbours.
template <class T>
struct Setting {
    const Rule& rule;
    const join::Request& request;
    join::Bound bound;
    boxes::Rows<T> boxes;
    Group group;
    const double* scores;  // of the moment
    std::uint32_t* place;  // of each row, in the line or among the points

    bool is_out(std::uint32_t row) const { return !(scores[row] >= rule.min_score); }
    const T* box(std::uint32_t row) const { return boxes.data + 4 * row; }
};

// The measure of one box with many, by column.
template <class M, class E>
struct Values {
    static VESICA_INLINE void body(const E (&corners)[4][batch], std::size_t count, const boxes::Box<E>& given,
                                   const measures::Options& options, double* VESICA_RESTRICT values) {
        const boxes::Box<E> box = given;
        const measures::Options o = options;
        const E area = box.w() * box.h();
        const Real<E> slope = measures::needs_slope<M> ? box.slope() : Real<E>(0);
        for (std::size_t k = 0; k < count; ++k) {
            const boxes::Box<E> other{corners[0][k], corners[1][k], corners[2][k], corners[3][k]};
            const Real<E> turned = measures::needs_slope<M> ? other.slope() : Real<E>(0);
            values[k] = M::value(boxes::Pair<E>(box, other, area, other.w() * other.h(), slope, turned), o);
        }
    }
};

// A box that was taken meets others: which of them decay, and by how much. The taken one comes first.
template <class M, class T>
class Meeting {
  public:
    using E = join::Exact<T>;

    explicit Meeting(const Setting<T>& setting) : s_(setting) {}

    // How many went out.
    template <class Visit>
    std::size_t operator()(std::uint32_t row, const std::uint32_t* others, std::size_t count, const Visit& visit) {
        std::size_t out = 0;
        for (std::size_t from = 0; from < count; from += batch)
            out += meet(row, others + from, std::min(batch, count - from), visit);
        return out;
    }

  private:
    template <class Visit>
    std::size_t meet(std::uint32_t row, const std::uint32_t* others, std::size_t given, const Visit& visit) {
        std::size_t count = 0;
        for (std::size_t k = 0; k < given; ++k) {
            const T* const box = s_.box(others[k]);
            for (std::size_t side = 0; side < 4; ++side) corners_[side][count] = static_cast<E>(box[side]);
            rows_[count] = others[k], count += !s_.is_out(others[k]);
        }
        const T* const own = s_.box(row);
        const boxes::Box<E> box{static_cast<E>(own[0]), static_cast<E>(own[1]), static_cast<E>(own[2]),
                                static_cast<E>(own[3])};
        isa::run<Values<M, E>>(corners_, count, box, s_.request.options, &values_[0]);
        // What does not reach the threshold does not decay. Above 0 everything does.
        for (std::size_t k = 0; k < count; ++k)
            if (!(values_[k] > 0) || (s_.request.threshold.p && !reaches(row, rows_[k]))) values_[k] = 0;
        visit(&rows_[0], &values_[0], count);
        std::size_t out = 0;
        for (std::size_t k = 0; k < count; ++k) out += s_.is_out(rows_[k]);
        return out;
    }
    bool reaches(std::uint32_t row, std::uint32_t other) const {
        return join::judge<M>(join::pair<E>(s_.box(row), s_.box(other), measures::needs_slope<M>), s_.request);
    }

    const Setting<T>& s_;
    E corners_[4][batch];
    std::uint32_t rows_[batch];
    double values_[batch];
};

// Every box that is taken looks at all that are left, blocks of neighbours first. Those that are out are cleared away
// when they are many.
template <class M, class T>
class Looking {
  public:
    using F = lined::Filtered<T>;

    explicit Looking(const Setting<T>& setting)
        : s_(setting),
          meeting_(setting),
          count_(setting.group.count),
          line_(count_),
          blocks_(count_ / lined::lanes + 2),
          near_(count_ / lined::lanes + 2 + lined::lanes),
          found_(count_ + lined::lanes) {
        std::vector<double> codes(count_);
        for (std::size_t k = 0; k < count_; ++k) codes[k] = code(s_.box(s_.group.rows[k]));
        const std::vector<std::uint32_t> order = order::best_first(codes.data(), count_, 0);
        for (std::size_t k = 0; k < count_; ++k) {
            const std::uint32_t row = s_.group.rows[order[k]];
            line_.put(k, boxes::box(s_.box(row)), row, s_.bound.share());
        }
        settle();
    }

    template <class Visit>
    void operator()(std::uint32_t row, const Visit& visit) {
        const std::size_t blocks = (count_ + lined::lanes - 1) / lined::lanes;
        blocks_.put(blocks, boxes::box(s_.box(row)), row, s_.bound.share());  // what a partner shares, its block does
        const std::size_t hits = lined::near(blocks_, blocks, 0, blocks, near_.data());
        std::size_t count = 0;
        for (std::size_t k = 0; k < hits; ++k) {
            const std::size_t begin = near_[k] * lined::lanes;
            for (; k + 1 < hits && near_[k + 1] == near_[k] + 1; ++k) {
            }  // blocks side by side in one go
            const std::size_t end = std::min((near_[k] + 1) * lined::lanes, count_);
            count += lined::near(line_, s_.place[row], begin, end, found_.data() + count);
        }
        for (std::size_t k = 0; k < count; ++k) found_[k] = line_.rows[found_[k]];
        out_ += 1 + meeting_(row, found_.data(), count, visit);
        if (4 * out_ > count_) clear();
    }

  private:
    // Boxes of about one size, from about one place: a number, so that they lie side by side when it is sorted. No
    // answer depends on it.
    static double code(const T* row) {
        const double x1 = static_cast<double>(row[0]), y1 = static_cast<double>(row[1]);
        const double x2 = static_cast<double>(row[2]), y2 = static_cast<double>(row[3]);
        const double side = std::max(x2 - x1, y2 - y1);
        if (!(side > 0 && join::in_range(side) && join::in_range(x1) && join::in_range(y1))) return 0;
        const int level = std::ilogb(side);
        const auto bits = [](double number, double values) { return number - std::floor(number / values) * values; };
        const double down = bits(std::floor(std::ldexp(y1, -level)), 65536);
        const double across = bits(std::floor(std::ldexp(x1, 8 - level)), 16777216);
        return ((level + 1100) * 65536.0 + down) * 16777216 + across;
    }

    // Places of the rows, and the boxes around blocks of them.
    void settle() {
        for (std::size_t k = 0; k < count_; ++k) s_.place[line_.rows[k]] = static_cast<std::uint32_t>(k);
        for (std::size_t begin = 0; begin < count_; begin += lined::lanes) {
            boxes::Box<F> hull{line_.x1[begin], line_.y1[begin], line_.x2[begin], line_.y2[begin]};
            for (std::size_t k = begin; k < std::min(begin + lined::lanes, count_); ++k)
                hull = {lesser(line_.x1[k], hull.x1), lesser(line_.y1[k], hull.y1), greater(line_.x2[k], hull.x2),
                        greater(line_.y2[k], hull.y2)};
            blocks_.put(begin / lined::lanes, hull, 0, 0);
        }
    }

    void clear() {
        std::size_t to = 0;
        for (std::size_t k = 0; k < count_; ++k)
            if (!s_.is_out(line_.rows[k])) line_.move(k, to++);
        count_ = to, out_ = 0;
        settle();
    }

    const Setting<T>& s_;
    Meeting<M, T> meeting_;
    std::size_t count_, out_ = 0;
    lined::Lined<F> line_, blocks_;
    std::vector<std::uint32_t> near_, found_;
};

// Every box that is taken looks into the cells around it.
template <class M, class T>
class InCells {
  public:
    explicit InCells(const Setting<T>& setting)
        : s_(setting), meeting_(setting), grid_(points(setting), nullptr, 1), line_(grid_.points.size()) {
        for (std::size_t k = 0; k < s_.group.count; ++k) s_.place[s_.group.rows[k]] = nowhere;
        for (std::size_t p = 0; p < grid_.points.size(); ++p) {
            const std::uint32_t row = grid_.points[p].index;
            s_.place[row] = static_cast<std::uint32_t>(p);
            line_.put(p, boxes::box(s_.box(row)), row, s_.bound.share());
        }
    }

    template <class Visit>
    void operator()(std::uint32_t row, const Visit& visit) {
        if (s_.place[row] == nowhere) return;
        for (const candidates::Group& group : grid_.groups)
            candidates::stretches(grid_, group, grid_.points[s_.place[row]], {s_.bound.apart, s_.bound.apart},
                                  [&](std::size_t begin, std::size_t end) {
                                      found_.resize(end - begin + lined::lanes);
                                      const std::size_t count =
                                          lined::near(line_, s_.place[row], begin, end, found_.data());
                                      for (std::size_t k = 0; k < count; ++k) found_[k] = line_.rows[found_[k]];
                                      meeting_(row, found_.data(), count, visit);
                                  });
    }

  private:
    static constexpr std::uint32_t nowhere = ~std::uint32_t(0);

    static memory::Vector<candidates::Point> points(const Setting<T>& setting) {
        const double shrink = std::max(setting.bound.shrink_a, setting.bound.shrink_b);
        memory::Vector<candidates::Point> points;
        points.reserve(setting.group.count);
        for (std::size_t k = 0; k < setting.group.count; ++k) {
            const std::uint32_t row = setting.group.rows[k];
            if (join::has_place(setting.box(row))) points.push_back(join::point_of(setting.box(row), shrink, row));
        }
        return points;
    }

    const Setting<T>& s_;
    Meeting<M, T> meeting_;
    candidates::Grid grid_;
    lined::Lined<lined::Filtered<T>> line_;
    std::vector<std::uint32_t> found_;
};

}  // namespace

Picks of_edges(const Rule& rule, const Scored& given, const Edges& edges, std::size_t threads) {
    const Neighbours neighbours(edges, given.count);
    const auto near = [&](std::uint32_t row, const auto& visit) {
        const std::size_t begin = neighbours.starts[row], end = neighbours.starts[row + 1];
        visit(neighbours.rows.data() + begin, neighbours.values.data() + begin, end - begin);
    };
    return run(rule, given, threads, [&](Group group, double* scores, std::vector<Entry>& picks) {
        walk(rule, group, given.scores, scores, near, picks);
    });
}

template <class T>
Picks of_boxes(const Rule& rule, const join::Request& request, boxes::Rows<T> rows, const double* scores) {
    // Boxes of one key up to which looking at all is faster than a grid.
    constexpr std::size_t few = 1 << 14;
    const join::Bound bound = join::bound_of(request.measure, request.options, request.threshold.value());
    std::vector<std::uint32_t> place(rows.count);
    Picks picks;
    measures::with_box_measure(request.measure, [&]<class M>(M) {
        picks = run(rule, {scores, request.keys.a, rows.count}, request.threads,
                    [&](Group group, double* now, std::vector<Entry>& list) {
                        const Setting<T> setting{rule, request, bound, rows, group, now, place.data()};
                        if (group.count <= few) return walk(rule, group, scores, now, Looking<M, T>(setting), list);
                        walk(rule, group, scores, now, InCells<M, T>(setting), list);
                    });
    });
    return picks;
}

template Picks of_boxes<float>(const Rule&, const join::Request&, boxes::Rows<float>, const double*);
template Picks of_boxes<double>(const Rule&, const join::Request&, boxes::Rows<double>, const double*);
template Picks of_boxes<std::int64_t>(const Rule&, const join::Request&, boxes::Rows<std::int64_t>, const double*);

}  // namespace vesica::soft

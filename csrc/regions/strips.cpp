#include "regions/strips.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace vesica::polygons {
namespace {

// Where edges stand that were given the numbers of their runs: those of run r are list[start[r]] ... list[start[r +
// 1]].
struct Buckets {
    std::vector<std::uint32_t> start, list;

    Buckets(const std::vector<std::uint32_t>& things, const std::vector<std::uint32_t>& run_of, std::size_t runs)
        : start(runs + 2, 0), list(things.size()) {
        for (const std::uint32_t run : run_of) ++start[run + 2];
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (std::size_t k = 0; k < things.size(); ++k) list[start[run_of[k] + 1]++] = things[k];
        start.pop_back();  // filling moved each start to the next one's
    }
    std::vector<std::uint32_t> of(std::size_t run) const {
        return {list.begin() + start[run], list.begin() + start[run + 1]};
    }
};

double middle_of(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

// The walls of a strip from left to right, and the edges between them: one run more than there are walls.
struct Strips::Runs {
    List walls;
    Buckets edges;
};

TooManyCrossings::TooManyCrossings()
    : invalid_argument("The edges of two polygons cross more than " + std::to_string(most_crossings) +
                       " times, each other and themselves: their overlap is not measured. Simplify their rings.") {}

double Strips::covered(double height) {
    List edges(edges_.size()), flats;
    std::iota(edges.begin(), edges.end(), 0u);
    const Strip all{0, height};
    for (std::uint32_t k = 0; k < flats_.size(); ++k)
        if (all.has(flats_[k].y)) flats.push_back(k);
    return parted(all, std::move(edges), std::move(flats), {none, none});
}

void Strips::count(std::size_t crossings) {
    crossings_ += crossings;
    if (crossings_ > most_crossings) throw TooManyCrossings();
}

// Go across those that are open just above the bottom of the strip.
void Strips::cross_open(const Strip& strip, const std::uint32_t* begin, const std::uint32_t* end) {
    for (; begin != end; ++begin)
        if (edges_[*begin].y0 <= strip.low) inside_.cross(edges_[*begin].part);
}

// From left to right: what lies between two walls with nothing between them, and run(r, gap) for the other gaps.
template <class Run>
double Strips::walk(const Strip& strip, const Gap& gap, const Runs& runs, const Run& run) {
    const List& walls = runs.walls;
    const std::uint32_t* const list = runs.edges.list.data();
    const double middle = strip.middle();
    double sum = 0;
    for (std::size_t r = 0; r <= walls.size(); ++r) {
        const Gap here{r ? walls[r - 1] : gap.left, r < walls.size() ? walls[r] : gap.right};
        const std::uint32_t begin = runs.edges.start[r], end = runs.edges.start[r + 1];
        if (begin < end)
            sum += run(r, here);
        else if (inside_.both())
            sum += strip.height() * (x_of(here.right, middle) - x_of(here.left, middle));
        cross_open(strip, list + begin, list + end);
        if (r < walls.size()) inside_.cross(edges_[walls[r]].part);
    }
    cross_open(strip, list, list + runs.edges.list.size());
    for (const std::uint32_t wall : walls) inside_.cross(edges_[wall].part);
    return sum;
}

// The edges that span a strip, in the order they have at its bottom.
std::vector<Strips::Spanning> Strips::line_of(const Strip& strip, const List& edges) const {
    constexpr double slack = 4 * std::numeric_limits<double>::epsilon();
    std::vector<Spanning> line;
    line.reserve(edges.size());
    for (const std::uint32_t k : edges) {
        const Edge& e = edges_[k];
        if (!strip.is_spanned_by(e)) continue;
        const double far = std::max(std::fabs(e.x0), std::fabs(e.x1));
        line.push_back({e.at(strip.low), e.at(strip.high), e.x0 == e.x1 ? 0 : slack * far, k, false});
    }
    std::sort(line.begin(), line.end(), [](const Spanning& a, const Spanning& b) {
        if (a.low != b.low) return a.low < b.low;
        return a.high != b.high ? a.high < b.high : a.edge < b.edge;
    });
    return line;
}

// Find the walls of a strip, and go on with the runs between them.
double Strips::parted(const Strip& strip, List edges, List flats, const Gap& gap) {
    steps_.add(16 * (edges.size() + flats.size()));
    if (edges.size() <= few) return halved(strip, edges, flats, gap);

    // Those that span the strip and change places with another one are met.
    std::vector<Spanning> line = line_of(strip, edges);
    double furthest = -std::numeric_limits<double>::infinity(), nearest = -furthest;
    for (Spanning& s : line) {
        s.is_met = furthest > s.high + s.slack;
        furthest = std::max(furthest, s.high - s.slack);
    }
    for (std::size_t k = line.size(); k-- > 0;) {
        line[k].is_met |= nearest < line[k].high - line[k].slack;
        nearest = std::min(nearest, line[k].high + line[k].slack);
    }
    std::vector<Spanning> walls;
    for (const Spanning& s : line)
        if (!s.is_met) walls.push_back(s);

    // Walls are met, too, that are passed by an edge which begins or ends inside the strip. Vertices have a place among
    // the walls.
    const auto count_if = [&](const auto& is_left) {
        return static_cast<std::uint32_t>(std::partition_point(walls.begin(), walls.end(), is_left) - walls.begin());
    };
    const auto place_of = [&](double x, double y) {
        return count_if([&](const Spanning& wall) { return edges_[wall.edge].at(y) <= x; });
    };
    std::vector<std::int32_t> passes(walls.size() + 1, 0);
    const auto pass = [&](std::uint32_t from, std::uint32_t to) {
        ++passes[std::min(from, to)], --passes[std::max(from, to)];
    };
    List partial, place, flat_place;
    for (const std::uint32_t k : edges) {
        const Edge& e = edges_[k];
        if (strip.is_spanned_by(e)) continue;
        const bool begins = e.y0 > strip.low, ends = e.y1 < strip.high;
        const std::uint32_t here = begins ? place_of(e.x0, e.y0) : place_of(e.x1, e.y1);
        partial.push_back(k), place.push_back(here);
        if (begins && ends) {
            pass(here, place_of(e.x1, e.y1));
            continue;
        }
        // Where it enters or leaves the strip, what is beyond doubt counts.
        const double x = e.at(begins ? strip.high : strip.low);
        const double slack = 4 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(e.x0), std::fabs(e.x1));
        const auto at_border = [&](const Spanning& wall) { return begins ? wall.high : wall.low; };
        const std::uint32_t least =
            count_if([&](const Spanning& wall) { return at_border(wall) + wall.slack < x - slack; });
        const std::uint32_t most =
            count_if([&](const Spanning& wall) { return at_border(wall) - wall.slack <= x + slack; });
        if (here < least) pass(here, least);
        if (here > most) pass(most, here);
    }
    for (const std::uint32_t k : flats) {
        flat_place.push_back(place_of(flats_[k].x0, flats_[k].y));
        pass(flat_place.back(), place_of(flats_[k].x1, flats_[k].y));
    }

    // What is left of the walls, and which run each place belongs to.
    List kept, run_of_place(walls.size() + 1), run_of;
    std::int32_t passing = 0;
    for (std::size_t w = 0; w < walls.size(); ++w) {
        run_of_place[w] = static_cast<std::uint32_t>(kept.size());
        passing += passes[w];
        if (!passing) kept.push_back(walls[w].edge);
    }
    run_of_place[walls.size()] = static_cast<std::uint32_t>(kept.size());
    if (kept.empty()) return halved(strip, edges, flats, gap);

    edges.clear();
    for (std::uint32_t run = 0; const Spanning& s : line) {
        if (run < kept.size() && kept[run] == s.edge)
            ++run;
        else
            edges.push_back(s.edge), run_of.push_back(run);
    }
    for (std::size_t k = 0; k < partial.size(); ++k)
        edges.push_back(partial[k]), run_of.push_back(run_of_place[place[k]]);
    for (std::uint32_t& at : flat_place) at = run_of_place[at];
    const Buckets flats_of(flats, flat_place, kept.size() + 1);
    const Runs runs{kept, Buckets(edges, run_of, kept.size() + 1)};
    return walk(strip, gap, runs,
                [&](std::size_t r, const Gap& here) { return halved(strip, runs.edges.of(r), flats_of.of(r), here); });
}

double Strips::halved(const Strip& strip, const List& edges, const List& flats, const Gap& gap) {
    std::vector<double> levels;
    for (const std::uint32_t k : edges) {
        if (strip.has(edges_[k].y0)) levels.push_back(edges_[k].y0);
        if (strip.has(edges_[k].y1)) levels.push_back(edges_[k].y1);
    }
    for (const std::uint32_t k : flats) levels.push_back(flats_[k].y);
    if (edges.size() <= few) {
        add_crossings(strip, edges, levels);
        return slabs(strip, edges, std::move(levels), gap);
    }
    if (levels.empty()) return crossed(strip, edges, gap);
    const double middle = middle_of(levels);
    double sum = 0;
    for (const Strip half : {Strip{strip.low, middle}, Strip{middle, strip.high}}) {
        List some, some_flats;
        for (const std::uint32_t k : edges)
            if (edges_[k].y0 < half.high && edges_[k].y1 > half.low) some.push_back(k);
        for (const std::uint32_t k : flats)
            if (half.has(flats_[k].y)) some_flats.push_back(k);
        sum += parted(half, std::move(some), std::move(some_flats), gap);
    }
    return sum;
}

// All edges span the strip: they cross if they change places, and an insertion sort finds all that do.
double Strips::crossed(const Strip& strip, const List& edges, const Gap& gap) {
    std::vector<Spanning> line = line_of(strip, edges);
    std::vector<Crossing> crossings;
    List order;
    for (const Spanning& s : line) order.push_back(s.edge);
    for (std::size_t k = 1; k < line.size(); ++k) {
        const Spanning s = line[k];
        std::size_t to = k;
        for (; to > 0 && line[to - 1].high > s.high; --to) {
            const Spanning& other = line[to] = line[to - 1];
            const double before = s.low - other.low, after = other.high - s.high, slack = s.slack + other.slack;
            if (before <= slack && after <= slack) continue;  // one line, as far as can be told
            const double y = strip.low + strip.height() * (before / (before + after));
            if (strip.has(y)) crossings.push_back({y, s.edge, other.edge});
        }
        line[to] = s;
        count(k - to);
        steps_.add(1 + k - to);
    }
    return parted_by(strip, std::move(order), std::move(crossings), gap);
}

// The same as `parted` where nothing begins or ends: edges that cross no other are walls.
double Strips::parted_by(const Strip& strip, List edges, std::vector<Crossing> crossings, const Gap& gap) {
    steps_.add(16 * (edges.size() + crossings.size()));
    if (edges.size() <= few || crossings.empty()) return between(strip, edges, std::move(crossings), gap);
    hits_.clear();
    for (const std::uint32_t k : edges) hits_.push_back({edges_[k].at(strip.middle()), k});
    std::sort(hits_.begin(), hits_.end(),
              [](const Hit& a, const Hit& b) { return a.x != b.x ? a.x < b.x : a.edge < b.edge; });
    for (const std::uint32_t k : edges) run_[k] = none;
    for (const Crossing& c : crossings) run_[c.e] = run_[c.f] = 0;
    List walls, rest, run_of;
    for (const Hit& hit : hits_) {
        if (run_[hit.edge] == none) {
            walls.push_back(hit.edge);
        } else {
            run_[hit.edge] = static_cast<std::uint32_t>(walls.size());
            rest.push_back(hit.edge), run_of.push_back(run_[hit.edge]);
        }
    }
    if (walls.empty()) return between(strip, rest, std::move(crossings), gap);
    List numbers(crossings.size()), run_of_crossing;
    std::iota(numbers.begin(), numbers.end(), 0u);
    for (const Crossing& c : crossings) run_of_crossing.push_back(run_[c.e]);
    const Buckets crossings_of(numbers, run_of_crossing, walls.size() + 1);
    const Runs runs{walls, Buckets(rest, run_of, walls.size() + 1)};
    return walk(strip, gap, runs, [&](std::size_t r, const Gap& here) {
        std::vector<Crossing> some;
        for (const std::uint32_t k : crossings_of.of(r)) some.push_back(crossings[k]);
        return between(strip, runs.edges.of(r), std::move(some), here);
    });
}

double Strips::between(const Strip& strip, const List& edges, std::vector<Crossing> crossings, const Gap& gap) {
    std::vector<double> levels;
    for (const Crossing& c : crossings) levels.push_back(c.y);
    if (edges.size() * levels.size() <= few * few) return slabs(strip, edges, std::move(levels), gap);
    const double middle = middle_of(levels);
    double sum = 0;
    for (const Strip half : {Strip{strip.low, middle}, Strip{middle, strip.high}}) {
        std::vector<Crossing> some;
        for (const Crossing& c : crossings)
            if (half.has(c.y)) some.push_back(c);
        sum += parted_by(half, edges, std::move(some), gap);
    }
    return sum;
}

// The levels at which two of a few edges cross.
void Strips::add_crossings(const Strip& strip, const List& edges, std::vector<double>& levels) {
    const std::size_t before_all = levels.size();
    for (std::size_t i = 0; i < edges.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double y = crossing(edges_[edges[i]], edges_[edges[j]], strip.low, strip.high);
            if (y == y) levels.push_back(y);
        }
    count(levels.size() - before_all);
}

// Between two levels the covered length changes evenly.
double Strips::slabs(const Strip& strip, const List& edges, std::vector<double> levels, const Gap& gap) {
    levels.push_back(strip.low), levels.push_back(strip.high);
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    steps_.add(4 * levels.size() * edges.size());
    double sum = 0, before = -std::numeric_limits<double>::infinity();
    hits_.clear();
    for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
        const Strip slab{levels[k], levels[k + 1]};
        const double middle = slab.middle();
        std::erase_if(hits_, [&](const Hit& hit) { return edges_[hit.edge].y1 <= middle; });
        const std::size_t known = hits_.size();
        for (const std::uint32_t e : edges)
            if (edges_[e].y0 > before && edges_[e].y0 <= middle && edges_[e].y1 > middle) hits_.push_back({0, e});
        for (Hit& hit : hits_) hit.x = edges_[hit.edge].at(middle);
        sort_hits(hits_, hits_.size() - known);
        before = middle;
        sum += slab.height() * inside_.length(hits_, edges_, x_of(gap.left, middle), x_of(gap.right, middle));
    }
    return sum;
}

}  // namespace vesica::polygons

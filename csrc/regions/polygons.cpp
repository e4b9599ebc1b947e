#include "regions/polygons.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/interrupt.hpp"
#include "base/threads.hpp"

namespace vesica::polygons {
namespace {

// Twice the area of the triangle p, q, r, or 0 where rounding could have turned its sign.
double turn(double px, double py, double qx, double qy, double rx, double ry) {
    constexpr double bound = 4 * std::numeric_limits<double>::epsilon() / 2;  // the proven one is a little above 3
    const double left = (px - rx) * (qy - ry), right = (py - ry) * (qx - rx);
    const double det = left - right;
    return std::fabs(det) > bound * (std::fabs(left) + std::fabs(right)) ? det : 0;
}

// Do both ends of f lie on one side of the line through e, beyond doubt?
bool is_beside(const Edge& e, const Edge& f) {
    const double start = turn(e.x0, e.y0, e.x1, e.y1, f.x0, f.y0);
    const double end = turn(e.x0, e.y0, e.x1, e.y1, f.x1, f.y1);
    return (start > 0 && end > 0) || (start < 0 && end < 0);
}

// Do two edges that share one vertex share nothing else, beyond doubt? They do not if one folds back onto the other.
bool share_only_a_vertex(const Edge& e, const Edge& f) {
    const bool at_e0 = (e.x0 == f.x0 && e.y0 == f.y0) || (e.x0 == f.x1 && e.y0 == f.y1);
    const bool at_f0 = (f.x0 == e.x0 && f.y0 == e.y0) || (f.x0 == e.x1 && f.y0 == e.y1);
    const double vx = at_e0 ? e.x0 : e.x1, vy = at_e0 ? e.y0 : e.y1;
    const double ex = at_e0 ? e.x1 : e.x0, ey = at_e0 ? e.y1 : e.y0;
    const double fx = at_f0 ? f.x1 : f.x0, fy = at_f0 ? f.y1 : f.y0;
    if (turn(ex, ey, vx, vy, fx, fy) != 0) return true;
    const double along = (ex - vx) * (fx - vx) + (ey - vy) * (fy - vy);
    return along < 0;  // straight on: both terms are of one sign when the edges are in line
}

// How many edges lie side by side.
struct Crowd {
    std::size_t most = std::numeric_limits<std::size_t>::max();  // looks, after which it is too much
    std::size_t looks = 0, widest = 0;
};

// Call visit(e, f) for the edges, sorted by y0, whose upright boxes meet, until it says no, or it is too much.
template <class Visit>
bool each_meeting(const std::vector<Edge>& edges, std::vector<std::uint32_t>& open, Crowd& crowd, const Visit& visit) {
    open.clear();
    interrupt::Steps steps;
    for (std::uint32_t k = 0; k < edges.size(); ++k) {
        const Edge& e = edges[k];
        steps.add(1 + open.size());
        crowd.looks += open.size(), crowd.widest = std::max(crowd.widest, open.size());
        if (crowd.looks > crowd.most) return false;
        std::erase_if(open, [&](std::uint32_t j) { return edges[j].y1 < e.y0; });
        for (const std::uint32_t j : open)
            if (edges[j].low_x <= e.high_x && e.low_x <= edges[j].high_x && !visit(edges[j], e)) return false;
        open.push_back(k);
    }
    return true;
}

Edge rising(double x0, double y0, double x1, double y1) {
    if (y1 < y0) std::swap(x0, x1), std::swap(y0, y1);
    return {x0, y0, x1, y1, std::min(x0, x1), std::max(x0, x1), 0, 0};
}

bool starts_first(const Edge& e, const Edge& f) {
    return e.y0 < f.y0;
}

// Call visit(x0, y0, x1, y1) for every edge of a ring.
template <class Visit>
void each_edge(const Regions& regions, std::int64_t ring, const Visit& visit) {
    const double* const begin = regions.points + 2 * regions.rings[ring];
    const double* const end = regions.points + 2 * regions.rings[ring + 1];
    const double* before = end - 2;
    for (const double* p = begin; p != end; before = p, p += 2) visit(before[0], before[1], p[0], p[1]);
}

// The area inside a ring that does not meet itself. Relative to its first vertex, so that large coordinates cancel.
double shoelace(const Regions& regions, std::int64_t ring) {
    const double* const origin = regions.points + 2 * regions.rings[ring];
    const double ox = origin[0], oy = origin[1];
    double twice = 0;
    each_edge(regions, ring, [&](double x0, double y0, double x1, double y1) {
        twice += (x0 - ox) * (y1 - oy) - (x1 - ox) * (y0 - oy);
    });
    return std::fabs(twice) / 2;
}

// The smallest upright box around some parts.
boxes::Box<double> around(const Regions& regions, std::int64_t first, std::int64_t end) {
    const double* p = regions.points + 2 * regions.rings[regions.parts[first]];
    const double* const last = regions.points + 2 * regions.rings[regions.parts[end]];
    boxes::Box<double> box{p[0], p[1], p[0], p[1]};
    for (; p != last; p += 2) {
        box.x1 = std::min(box.x1, p[0]), box.x2 = std::max(box.x2, p[0]);
        box.y1 = std::min(box.y1, p[1]), box.y2 = std::max(box.y2, p[1]);
    }
    return box;
}

// Would fewer edges stand beside each other if x and y were exchanged? They do in a comb, for one.
class Slant {
  public:
    explicit Slant(const Window& window) : window_(window) {}
    void add(const Regions& regions, std::int64_t first, std::int64_t end) {
        for (std::int64_t ring = regions.parts[first]; ring < regions.parts[end]; ++ring)
            each_edge(regions, ring, [&](double x0, double y0, double x1, double y1) {
                run_ += std::min(std::fabs(x1 - x0), window_.w), rise_ += std::min(std::fabs(y1 - y0), window_.h);
            });
    }
    bool is_tall() const { return rise_ * window_.w > run_ * window_.h; }

  private:
    Window window_;
    double run_ = 0, rise_ = 0;
};

Window window_of(const boxes::Box<double>& box) {
    return {box.x1, box.y1, box.x2 - box.x1, box.y2 - box.y1};
}

// -1, 0 or 1: the order of two lists of equal length.
template <class T>
int order(const T* a, const T* b, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

// The order of two lists of offsets of equal length, each counted from its own start.
int order_of_offsets(const std::int64_t* a, const std::int64_t* b, std::int64_t count) {
    for (std::int64_t k = 1; k <= count; ++k)
        if (a[k] - a[0] != b[k] - b[0]) return a[k] - a[0] < b[k] - b[0] ? -1 : 1;
    return 0;
}

// Some order of all regions, in which only regions with the same vertices in the same rings are equal.
int order(const Regions& a, std::size_t i, const Regions& b, std::size_t j) {
    const std::int64_t *parts_a = a.parts + a.first_part(i), *parts_b = b.parts + b.first_part(j);
    const std::int64_t count = a.end_part(i) - a.first_part(i), count_b = b.end_part(j) - b.first_part(j);
    if (count != count_b) return count < count_b ? -1 : 1;
    if (const int found = order_of_offsets(parts_a, parts_b, count)) return found;
    const std::int64_t *rings_a = a.rings + *parts_a, *rings_b = b.rings + *parts_b;
    const std::int64_t rings = parts_a[count] - *parts_a;
    if (const int found = order_of_offsets(rings_a, rings_b, rings)) return found;
    return order(a.points + 2 * *rings_a, b.points + 2 * *rings_b, 2 * (rings_a[rings] - *rings_a));
}

}  // namespace

void Slabs::start() {
    edges_.clear(), levels_.clear(), flats_.clear();
    parts_ = 0;
}

// The edges of some parts that can bear on the window, with its corner as the origin. What lies to its right cannot.
void Slabs::add(const Regions& regions, std::int64_t first, std::int64_t end, const Window& window) {
    for (std::int64_t part = first; part < end; ++part, ++parts_)
        for (std::int64_t ring = regions.parts[part]; ring < regions.parts[part + 1]; ++ring)
            each_edge(regions, ring, [&](double x0, double y0, double x1, double y1) {
                if (turned_) std::swap(x0, y0), std::swap(x1, y1);
                Edge e = rising(x0 - window.x, y0 - window.y, x1 - window.x, y1 - window.y);
                if (e.y1 <= 0 || e.y0 >= window.h || e.low_x > window.w) return;
                if (e.y0 == e.y1) {  // bounds nothing sideways, but what is covered begins or ends here
                    if (e.high_x >= 0) levels_.push_back(e.y0);
                    return;
                }
                const double start = e.at(std::max(e.y0, 0.0)), stop = e.at(std::min(e.y1, window.h));
                e.low_x = std::min(start, stop), e.high_x = std::max(start, stop), e.part = parts_;
                if (e.low_x <= window.w) edges_.push_back(e);
            });
}

// The same for strips, which need whole rings: what comes from below must leave above, also beside the window.
void Slabs::add_all(const Regions& regions, std::int64_t first, std::int64_t end, const Window& window) {
    for (std::int64_t part = first; part < end; ++part, ++parts_)
        for (std::int64_t ring = regions.parts[part]; ring < regions.parts[part + 1]; ++ring)
            each_edge(regions, ring, [&](double x0, double y0, double x1, double y1) {
                if (turned_) std::swap(x0, y0), std::swap(x1, y1);
                Edge e = rising(x0 - window.x, y0 - window.y, x1 - window.x, y1 - window.y);
                if (e.y0 == e.y1)
                    flats_.push_back({e.y0, e.x0, e.x1});
                else if (e.y1 > 0 && e.y0 < window.h)
                    e.part = parts_, edges_.push_back(e);
            });
}

// The heights at which the covered length may bend. What happens to the left of the window moves nothing inside it.
// False: there are so many, across so many edges, that strips are faster.
bool Slabs::find_levels(const Window& window) {
    constexpr std::size_t few = 64, many = 1 << 18;
    std::sort(edges_.begin(), edges_.end(), starts_first);
    levels_.push_back(0), levels_.push_back(window.h);
    const auto add_level = [&](double x, double y) {
        if (x >= 0 && x <= window.w && y > 0 && y < window.h) levels_.push_back(y);
    };
    for (const Edge& e : edges_) add_level(e.x0, e.y0), add_level(e.x1, e.y1);
    Crowd crowd{.most = std::max(many, few * edges_.size())};
    const bool is_done = each_meeting(edges_, open_, crowd, [&](const Edge& e, const Edge& f) {
        if (e.high_x < 0 || f.high_x < 0) return true;
        const double y = crossing(e, f, 0, window.h);
        if (y == y) levels_.push_back(y);
        return true;
    });
    if (!is_done || (crowd.widest > few && levels_.size() * crowd.widest > many)) return false;
    std::sort(levels_.begin(), levels_.end());
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    return true;
}

double Slabs::covered(std::uint32_t second) {
    inside_.start(parts_, second);
    hits_.clear();
    double sum = 0;
    interrupt::Steps steps;
    std::uint32_t next = 0;
    for (std::size_t k = 0; k + 1 < levels_.size(); ++k) {
        const double height = levels_[k + 1] - levels_[k], middle = levels_[k] + height / 2;
        const std::uint32_t known = next;
        for (; next < edges_.size() && edges_[next].y0 <= middle; ++next) hits_.push_back({0, next});
        std::erase_if(hits_, [&](const Hit& hit) { return edges_[hit.edge].y1 <= middle; });
        for (Hit& hit : hits_) hit.x = edges_[hit.edge].at(middle);
        sort_hits(hits_, next - known);
        sum += height * inside_.length(hits_, edges_, 0, 0);
        steps.add(1 + hits_.size());
    }
    return sum;
}

double Slabs::by_strips(const Window& window, std::uint32_t second) {
    inside_.start(parts_, second);
    return Strips(edges_, flats_, inside_).covered(window.h);
}

// Does the ring meet itself nowhere, beyond doubt?
bool Slabs::is_simple(const Regions& regions, std::int64_t ring) {
    edges_.clear();
    each_edge(regions, ring, [&](double x0, double y0, double x1, double y1) {
        if (x0 == x1 && y0 == y1) return;
        if (turned_) std::swap(x0, y0), std::swap(x1, y1);
        edges_.push_back(rising(x0, y0, x1, y1));
        edges_.back().place = static_cast<std::uint32_t>(edges_.size() - 1);
    });
    const auto count = static_cast<std::uint32_t>(edges_.size());
    if (count < 3) return false;
    std::sort(edges_.begin(), edges_.end(), starts_first);
    Crowd crowd;
    return each_meeting(edges_, open_, crowd, [&](const Edge& e, const Edge& f) {
        const std::uint32_t apart = e.place < f.place ? f.place - e.place : e.place - f.place;
        if (apart == 1 || apart == count - 1) return share_only_a_vertex(e, f);
        return is_beside(e, f) || is_beside(f, e);
    });
}

// Do the upright boxes around the parts share no area?
bool Slabs::are_apart(const Regions& regions, std::int64_t first, std::int64_t end) {
    around_.clear();
    for (std::int64_t part = first; part < end; ++part) around_.push_back(around(regions, part, part + 1));
    std::sort(around_.begin(), around_.end(), [](const auto& a, const auto& b) { return a.x1 < b.x1; });
    interrupt::Steps steps;
    for (std::size_t i = 0; i < around_.size(); ++i) {
        std::size_t j = i + 1;
        for (; j < around_.size() && around_[j].x1 < around_[i].x2; ++j)
            if (around_[j].y1 < around_[i].y2 && around_[i].y1 < around_[j].y2) return false;
        steps.add(j - i);
    }
    return true;
}

double Slabs::area_of_parts(const Regions& regions, std::int64_t first, std::int64_t end) {
    const std::int64_t ring = regions.parts[first];
    const Window window = window_of(around(regions, first, end));
    Slant slant(window);
    slant.add(regions, first, end);
    turned_ = slant.is_tall();
    if (end - first == 1 && regions.parts[end] - ring == 1 && is_simple(regions, ring)) {
        const double inside = shoelace(regions, ring);
        if (std::isfinite(inside)) return inside;  // a huge spiral overflows on its way, though its area does not
    }
    start();
    const Window seen = turned_ ? window.turned() : window;
    add(regions, first, end, seen);
    if (find_levels(seen)) return covered(parts_);
    start();
    add_all(regions, first, end, seen);
    return by_strips(seen, parts_);
}

double Slabs::area(const Regions& regions, std::size_t i) {
    const std::int64_t first = regions.first_part(i), end = regions.end_part(i);
    if (!are_apart(regions, first, end)) return area_of_parts(regions, first, end);
    double sum = 0;
    for (std::int64_t part = first; part < end; ++part) sum += area_of_parts(regions, part, part + 1);
    return sum;
}

double Slabs::shared(const Regions& a, std::size_t i, const Regions& b, std::size_t j, const Window& window) {
    Slant slant(window);
    slant.add(a, a.first_part(i), a.end_part(i));
    slant.add(b, b.first_part(j), b.end_part(j));
    turned_ = slant.is_tall();
    start();
    const Window seen = turned_ ? window.turned() : window;
    add(a, a.first_part(i), a.end_part(i), seen);
    const std::uint32_t second = parts_;
    add(b, b.first_part(j), b.end_part(j), seen);
    if (find_levels(seen)) return covered(second);
    start();
    add_all(a, a.first_part(i), a.end_part(i), seen);
    add_all(b, b.first_part(j), b.end_part(j), seen);
    return by_strips(seen, second);
}

void areas(const Regions& regions, double* out, std::size_t threads) {
    threads::over(regions.count, 64, threads, [&](std::size_t begin, std::size_t end) {
        Slabs slabs;
        for (std::size_t i = begin; i < end; ++i) {
            try {
                out[i] = slabs.area(regions, i);
            } catch (const TooManyCrossings&) {
                out[i] = std::numeric_limits<double>::quiet_NaN();
            }
        }
    });
}

double Source::Row::inter(std::size_t j) {
    const boxes::Box<double> p = source_.box_a(i_), q = source_.box_b(j);
    const double x = std::max(p.x1, q.x1), y = std::max(p.y1, q.y1);
    const double w = std::min(p.x2, q.x2) - x, h = std::min(p.y2, q.y2) - y;
    if (!(w > 0 && h > 0)) return 0;
    const Regions &a = source_.a_.regions, &b = source_.b_.regions;
    // Ordered by value, so that (a, b) and (b, a) do the same arithmetic; and what is equal is wholly shared.
    const int found = order(a, i_, b, j);
    const double most = std::min(source_.area_a(i_), source_.area_b(j));
    if (found == 0) return most;
    const Window window{x, y, w, h};
    const double sum = found < 0 ? slabs_.shared(a, i_, b, j, window) : slabs_.shared(b, j, a, i_, window);
    return std::clamp(sum, 0.0, most);
}

}  // namespace vesica::polygons

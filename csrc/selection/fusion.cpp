#include "selection/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/measures.hpp"
#include "base/order.hpp"
#include "base/threads.hpp"
#include "overlaps/box_columns.hpp"

namespace vesica::fusion {
namespace {

using Box = boxes::Box<double>;

constexpr std::size_t none = ~std::size_t(0);

// What a cluster is made of. Sums are scaled by the power of two of its first, and largest, member, so that they
// neither overflow nor vanish; and a cluster of nothing but zeros is a plain mean.
struct Sums {
    std::size_t first;
    int exponent;
    bool is_plain;
    double share = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    double weight = 0, weighted = 0;

    Sums(std::size_t row, double largest) : first(row), exponent(0), is_plain(largest == 0) {
        std::frexp(largest, &exponent);
    }
    void add(const Box& box, double w, double ws) {
        const double r = is_plain ? 1 : std::ldexp(ws, -exponent);
        share += r, x1 += r * box.x1, y1 += r * box.y1, x2 += r * box.x2, y2 += r * box.y2;
        weight += w, weighted += ws;
    }
    Box mean() const { return {x1 / share, y1 / share, x2 / share, y2 / share}; }
    double score(double total) const { return weighted / weight * (std::min(weight, total) / total); }
};

// The clusters of one key, and their fused boxes by column.
class Fusing {
  public:
    Fusing(const Votes& votes, const Threshold& threshold, std::size_t most)
        : votes_(votes),
          threshold_(threshold),
          part_(threshold.value() / (1 + threshold.value())),
          columns_(most + 1),
          found_(most + box_columns::lanes) {}

    // The number of the cluster that the row has joined, or opened.
    std::size_t add(std::size_t row) {
        const Box box = boxes::box(votes_.boxes.data + 4 * row);
        std::size_t at = nearest(box);
        if (at == none) {
            at = sums_.size();
            sums_.emplace_back(row, votes_.weighted[row]);
            fused_.push_back(box);
        }
        sums_[at].add(box, votes_.weight[row], votes_.weighted[row]);
        fused_[at] = sums_[at].mean();
        columns_.put(at, fused_[at], 0, part_);
        return at;
    }

    const std::vector<Sums>& sums() const { return sums_; }

  private:
    std::size_t nearest(const Box& box) {
        const std::size_t size = fused_.size();
        columns_.put(size, box, 0, part_);
        const std::size_t count = box_columns::near(columns_, size, 0, size, found_.data());
        std::size_t best = none;
        double most = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const Box& other = fused_[found_[k]];
            const boxes::Pair<double> pair(other, box, other.w() * other.h(), box.w() * box.h());
            const double num = measures::Iou::num(pair, {}), den = measures::Iou::den(pair, {});
            if (!reaches(num, den, threshold_)) continue;
            const double iou = measures::ratio(num, den, 0);
            if (best == none || iou > most) best = found_[k], most = iou;
        }
        return best;
    }

    const Votes& votes_;
    const Threshold& threshold_;
    double part_;  // of A + B, that boxes above the threshold share at least
    std::vector<Sums> sums_;
    std::vector<Box> fused_;
    box_columns::Lined<double> columns_;  // of the fused boxes, and behind them the one that looks
    std::vector<std::uint32_t> found_;
};

}  // namespace

Clusters fuse(const Votes& votes, const Threshold& threshold, double total, std::size_t threads) {
    const order::Groups groups({votes.order, votes.order + votes.count}, votes.keys, 1);
    std::vector<std::vector<Sums>> found(groups.count());
    Clusters out;
    out.members.assign(votes.boxes.count, -1);
    threads::run(found.size(), threads, [&](std::size_t key) {
        const order::Group group = groups[key];
        Fusing fusing(votes, threshold, group.count);
        for (std::size_t k = 0; k < group.count; ++k)
            out.members[group.rows[k]] = static_cast<std::int64_t>(fusing.add(group.rows[k]));
        found[key] = fusing.sums();
    });

    std::vector<Sums> all;
    for (std::size_t key = 0; key < found.size(); ++key) {
        for (std::size_t k = 0; k < groups[key].count; ++k)
            out.members[groups[key].rows[k]] += static_cast<std::int64_t>(all.size());
        all.insert(all.end(), found[key].begin(), found[key].end());
    }
    std::vector<double> scores(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) scores[k] = all[k].score(total);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : all[a].first < all[b].first;
    });
    std::vector<std::int64_t> rank(all.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Box box = all[order[k]].mean();
        rank[order[k]] = static_cast<std::int64_t>(k);
        out.boxes.insert(out.boxes.end(), {box.x1, box.y1, box.x2, box.y2});
        out.scores.push_back(scores[order[k]]);
        out.first.push_back(static_cast<std::int64_t>(all[order[k]].first));
    }
    for (std::int64_t& member : out.members)
        if (member >= 0) member = rank[static_cast<std::size_t>(member)];
    return out;
}

}  // namespace vesica::fusion

#include "selection/fusion.hpp"

#include <cmath>

#include "base/interrupt.hpp"
#include "base/measures.hpp"
#include "base/order.hpp"
#include "base/threads.hpp"
#include "overlaps/box_columns.hpp"
#include "overlaps/box_formulas.hpp"

namespace vesica::fusion {
namespace {

using Box = boxes::Box<double>;

constexpr std::size_t none = ~std::size_t(0);

// A box is its four numbers behind each other.
const double* numbers(const Box& box) {
    static_assert(sizeof(Box) == 4 * sizeof(double));
    return &box.x1;
}

// What a cluster is made of. Sums are scaled by the power of two of its first, and largest, member, so that they
// neither overflow nor vanish; and a cluster of nothing but zeros is a plain mean.
struct Sums {
    std::size_t first;
    int exponent;
    bool is_plain;
    double share = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0;

    Sums(std::size_t row, double largest) : first(row), exponent(0), is_plain(largest == 0) {
        std::frexp(largest, &exponent);
    }
    void add(const Box& box, double weighted) {
        const double r = is_plain ? 1 : std::ldexp(weighted, -exponent);
        share += r, x1 += r * box.x1, y1 += r * box.y1, x2 += r * box.x2, y2 += r * box.y2;
    }
    Box mean() const { return {x1 / share, y1 / share, x2 / share, y2 / share}; }
};

// The clusters of one key, and their fused boxes by column.
class Fusing {
  public:
    Fusing(const Votes& votes, const Threshold& threshold, std::size_t most)
        : votes_(votes),
          threshold_(threshold),
          part_(threshold.value / (1 + threshold.value)),
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
        sums_[at].add(box, votes_.weighted[row]);
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
            if (!formula_.reaches(numbers(other), numbers(box), {}, threshold_)) continue;
            const double iou = formula_.value(numbers(other), numbers(box), {});
            if (best == none || iou > most) best = found_[k], most = iou;
        }
        return best;
    }

    const Votes& votes_;
    const Threshold& threshold_;
    const box_formulas::Formula<double> formula_ = box_formulas::formula_of<double>(measures::Name::iou);
    double part_;  // of A + B, that boxes above the threshold share at least
    std::vector<Sums> sums_;
    std::vector<Box> fused_;
    box_columns::Lined<float> columns_;  // of the fused boxes, and behind them the one that looks
    std::vector<std::uint32_t> found_;
};

}  // namespace

Clusters fuse(const Votes& votes, const Threshold& threshold, std::size_t threads) {
    order::Rows order(votes.count);
    for (std::size_t k = 0; k < votes.count; ++k) order[k] = static_cast<std::uint32_t>(votes.order[k]);
    const order::Groups groups(std::move(order), votes.keys, 1);
    std::vector<std::vector<Sums>> found(groups.count());
    Clusters out;
    out.members.assign(votes.boxes.count, -1);
    threads::run(found.size(), threads, [&](std::size_t key) {
        const order::Group group = groups[key];
        Fusing fusing(votes, threshold, group.count);
        interrupt::Steps steps;
        for (std::size_t k = 0; k < group.count; ++k) {
            out.members[group.rows[k]] = static_cast<std::int64_t>(fusing.add(group.rows[k]));
            steps.add(fusing.sums().size());
        }
        found[key] = fusing.sums();
    });

    for (std::size_t key = 0; key < found.size(); ++key) {
        for (std::size_t k = 0; k < groups[key].count; ++k)
            out.members[groups[key].rows[k]] += static_cast<std::int64_t>(out.first.size());
        for (const Sums& sums : found[key]) {
            const Box box = sums.mean();
            out.boxes.insert(out.boxes.end(), {box.x1, box.y1, box.x2, box.y2});
            out.first.push_back(static_cast<std::int64_t>(sums.first));
        }
    }
    return out;
}

}  // namespace vesica::fusion

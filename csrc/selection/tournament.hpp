// tournament.hpp. The highest of many numbers that only fall. Each is known by a bound, which may be out of date and so
// too high: it is made anew when it comes first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/measures.hpp"
#include "base/simd.hpp"

namespace vesica::soft {

class Tournament {
  public:
    // Below all numbers; the answer where there are none.
    static constexpr double nothing = -std::numeric_limits<double>::infinity();

    // Begin anew, with number k at now(k). No number is NaN.
    template <class Now>
    void start(std::size_t count, const Now& now) {
        leaves_ = std::bit_ceil(count + (count == 0));
        nodes_.assign(2 * leaves_, {nothing, 0});
        for (std::size_t k = 0; k < count; ++k) nodes_[leaves_ + k] = {now(k), static_cast<std::int64_t>(k)};
        for (std::size_t node = leaves_; --node;) nodes_[node] = better(nodes_[2 * node], nodes_[2 * node + 1]);
    }

    // The highest number. won(k, number) is called once for each k that has it.
    template <class Now, class Won>
    double highest(const Now& now, const Won& won) {
        for (;;) {
            const double bound = nodes_[1].bound;
            if (bound == nothing) return nothing;
            const auto first = static_cast<std::size_t>(nodes_[1].k);
            const double number = now(first);
            if (number != bound) {
                lower(first, number);
                continue;
            }
            won(first, number);
            // Who else has this bound stands beside the way up.
            for (std::size_t node = leaves_ + first; node > 1; node /= 2) visit(node ^ 1, number, now, won);
            return number;
        }
    }

  private:
    struct Node {
        double bound;
        std::int64_t k;  // whose bound it is
    };
    static Node better(const Node& a, const Node& b) {
        // Two choices without a branch: no processor could guess it.
        return {greater(b.bound, a.bound), simd::choose(a.bound < b.bound, b.k, a.k)};
    }

    void lower(std::size_t k, double number) {
        std::size_t node = leaves_ + k;
        Node best = nodes_[node] = {number, static_cast<std::int64_t>(k)};
        while (node > 1) {
            best = better(best, nodes_[node ^ 1]);
            nodes_[node /= 2] = best;
        }
    }

    // Make all bounds below this node anew that are as high as the number.
    template <class Now, class Won>
    void visit(std::size_t node, double number, const Now& now, const Won& won) {
        if (nodes_[node].bound != number) return;
        if (node < leaves_) {
            visit(2 * node, number, now, won);
            visit(2 * node + 1, number, now, won);
            return;
        }
        const std::size_t k = node - leaves_;
        const double fresh = now(k);
        fresh == number ? won(k, number) : lower(k, fresh);
    }

    // The root is node 1; nodes 2 n and 2 n + 1 are below node n, which has the better one of them. Leaves come last.
    std::size_t leaves_ = 0;
    std::vector<Node> nodes_;
};

}  // namespace vesica::soft

#include "agreement/staple.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/interrupt.hpp"

namespace vesica::agreement {
namespace {

// Logarithms of what an annotator says of a pixel that belongs, and of one that does not: [its vote].
struct Logs {
    double inside[2], outside[2];
};

double mean_vote(const Votes& votes) {
    double given = 0, all = 0;
    for (std::size_t p = 0; p < votes.size; ++p) {
        const double count = static_cast<double>(votes.count[p]);
        given += count * std::popcount(votes.code[p] & votes.asked[p]), all += count * std::popcount(votes.asked[p]);
    }
    return all > 0 ? given / all : 0.0;
}

// Sorts indices by values alone, so that sums over them have the same bits in any order of annotators: those of equal
// values are interchangeable. Few places change from step to step, so a short list is sorted by insertion.
template <class Less>
void put_in_order(std::vector<std::uint32_t>& order, const Less& less) {
    constexpr std::size_t few = 64;
    if (order.size() > few) return std::sort(order.begin(), order.end(), less);
    for (std::size_t k = 1; k < order.size(); ++k) {
        const std::uint32_t moved = order[k];
        std::size_t at = k;
        for (; at && less(moved, order[at - 1]); --at) order[at] = order[at - 1];
        order[at] = moved;
    }
}

std::vector<std::uint32_t> numbers(std::size_t count) {
    std::vector<std::uint32_t> order(count);
    for (std::size_t k = 0; k < count; ++k) order[k] = static_cast<std::uint32_t>(k);
    return order;
}

// The probability that pixels of each pattern belong.
void expect(const Votes& votes, const std::vector<Logs>& logs, const std::vector<std::uint32_t>& annotators,
            double prior, double* belief) {
    const double log_inside = std::log(prior), log_outside = std::log1p(-prior);
    for (std::size_t p = 0; p < votes.size; ++p) {
        double inside = log_inside, outside = log_outside;
        // First who said yes, then who said no: of annotators with equal rates it does not matter who is who.
        for (const std::size_t vote : {1, 0}) {
            const std::uint64_t said = votes.asked[p] & (vote ? votes.code[p] : ~votes.code[p]);
            for (const std::uint32_t k : annotators)
                if (said >> k & 1) inside += logs[k].inside[vote], outside += logs[k].outside[vote];
        }
        // Both impossible: not for a pattern that occurs. One of them: 0 or 1, by the infinite exponent.
        belief[p] = inside == -INFINITY ? 0.0 : 1.0 / (1.0 + std::exp(outside - inside));
    }
}

struct Sums {
    double inside = 0, inside_yes = 0, outside = 0, outside_no = 0;
};

}  // namespace

StapleFit staple(const Votes& votes, std::size_t annotators, const StapleOptions& options, double* sensitivity,
                 double* specificity, double* belief) {
    std::fill_n(sensitivity, annotators, options.start);
    std::fill_n(specificity, annotators, options.start);
    StapleFit fit{StapleStatus::not_converged, 0, mean_vote(votes)};
    double pixels = 0;
    for (std::size_t p = 0; p < votes.size; ++p) pixels += static_cast<double>(votes.count[p]);
    if (!(pixels > 0)) return {StapleStatus::no_pixels, 0, 0.0};
    if (fit.prior <= 0 || fit.prior >= 1) {
        std::fill_n(belief, votes.size, fit.prior);
        fit.status = fit.prior <= 0 ? StapleStatus::no_foreground : StapleStatus::no_background;
        return fit;
    }

    std::vector<std::uint32_t> by_rates = numbers(annotators), by_weight = numbers(votes.size);
    std::vector<double> yes(votes.size), no(votes.size);
    std::vector<Logs> logs(annotators);
    std::vector<Sums> sums(annotators);
    for (fit.steps = 0; fit.steps < options.most;) {
        for (std::size_t k = 0; k < annotators; ++k)
            logs[k] = {{std::log1p(-sensitivity[k]), std::log(sensitivity[k])},
                       {std::log(specificity[k]), std::log1p(-specificity[k])}};
        put_in_order(by_rates, [&](std::uint32_t a, std::uint32_t b) {
            return sensitivity[a] != sensitivity[b] ? sensitivity[a] < sensitivity[b] : specificity[a] < specificity[b];
        });
        expect(votes, logs, by_rates, fit.prior, belief);
        ++fit.steps;

        std::fill(sums.begin(), sums.end(), Sums());
        double inside = 0;
        for (std::size_t p = 0; p < votes.size; ++p) {
            const double count = static_cast<double>(votes.count[p]);
            yes[p] = count * belief[p], no[p] = count * (1.0 - belief[p]);
        }
        put_in_order(by_weight, [&](std::uint32_t a, std::uint32_t b) {
            return yes[a] != yes[b] ? yes[a] < yes[b] : no[a] < no[b];
        });
        for (const std::uint32_t p : by_weight) {
            inside += yes[p];
            for (std::uint64_t rest = votes.asked[p]; rest; rest &= rest - 1) {
                const auto k = static_cast<std::size_t>(std::countr_zero(rest));
                Sums& sum = sums[k];
                sum.inside += yes[p], sum.outside += no[p];
                if (votes.code[p] >> k & 1)
                    sum.inside_yes += yes[p];
                else
                    sum.outside_no += no[p];
            }
        }
        if (!(inside > 0) || !(inside < pixels)) {
            fit.status = inside > 0 ? StapleStatus::no_background : StapleStatus::no_foreground;
            return fit;
        }
        double change = 0;
        const auto set = [&](double& value, double numerator, double denominator) {
            if (!(denominator > 0)) return;
            const double fresh = std::min(1.0, numerator / denominator);
            change = std::max(change, std::abs(fresh - value));
            value = fresh;
        };
        for (std::size_t k = 0; k < annotators; ++k) {
            set(sensitivity[k], sums[k].inside_yes, sums[k].inside);
            set(specificity[k], sums[k].outside_no, sums[k].outside);
        }
        if (options.is_free) set(fit.prior, inside, pixels);
        if (change <= options.tolerance) {
            fit.status = StapleStatus::ok;
            return fit;
        }
        if (fit.steps % 256 == 0) interrupt::poll();
    }
    return fit;
}

}  // namespace vesica::agreement

#include "agreement/dawid_skene.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/interrupt.hpp"
#include "base/simd.hpp"

namespace vesica::agreement {
namespace {

VESICA_INLINE void add_row(const double* VESICA_RESTRICT row, std::size_t count, double* VESICA_RESTRICT to) {
    for (std::size_t c = 0; c < count; ++c) to[c] += row[c];
}

// Logarithms of probabilities → the probabilities, which add up to 1.
void normalise(double* told, std::size_t count, const double* prior) {
    const double top = *std::max_element(told, told + count);
    if (top == -INFINITY) {  // a unit of no weight may be impossible by now
        std::copy_n(prior, count, told);
        return;
    }
    double total = 0;
    for (std::size_t c = 0; c < count; ++c) total += told[c] = std::exp(told[c] - top);
    for (std::size_t c = 0; c < count; ++c) told[c] /= total;
}

// What each thing that an annotator can say tells of each label: row `said` has a number for each truth.
void take_logs(const Ratings& ratings, const double* confusion, double* logs) {
    const std::size_t labels = ratings.labels;
    for (std::size_t k = 0; k < ratings.annotators; ++k)
        for (std::size_t truth = 0; truth < labels; ++truth)
            for (std::size_t given = 0; given < labels; ++given)
                logs[(k * labels + given) * labels + truth] =
                    std::log(confusion[(k * labels + truth) * labels + given]);
}

// Believe, and add up what is believed by what was said: sums are laid out as the logarithms.
void expect(const Ratings& ratings, const std::vector<double>& logs, const std::vector<double>& log_prior,
            const double* prior, std::vector<double>& sums, std::vector<double>& share, double* belief) {
    const std::size_t labels = ratings.labels;
    std::fill(sums.begin(), sums.end(), 0.0);
    std::fill(share.begin(), share.end(), 0.0);
    std::vector<double> weighted(labels);
    interrupt::Steps steps;
    for (std::size_t u = 0; u < ratings.units; ++u) {
        const std::int64_t *const begin = ratings.said + ratings.begins[u], *const end =
                                                                                ratings.said + ratings.begins[u + 1];
        double* const told = belief + u * labels;
        std::copy(log_prior.begin(), log_prior.end(), told);
        for (const std::int64_t* said = begin; said != end; ++said)
            add_row(logs.data() + static_cast<std::size_t>(*said) * labels, labels, told);
        normalise(told, labels, prior);
        for (std::size_t c = 0; c < labels; ++c) weighted[c] = told[c] * ratings.weight[u];
        for (const std::int64_t* said = begin; said != end; ++said)
            add_row(weighted.data(), labels, sums.data() + static_cast<std::size_t>(*said) * labels);
        add_row(weighted.data(), labels, share.data());
        steps.add(labels * static_cast<std::size_t>(end - begin + 1));
    }
}

}  // namespace

std::size_t dawid_skene(const Ratings& ratings, const DawidSkeneOptions& options, double* confusion, double* prior,
                        double* belief) {
    const std::size_t labels = ratings.labels, cells = ratings.annotators * labels * labels;
    std::vector<double> logs(cells), sums(cells), log_prior(labels), share(labels);
    for (std::size_t step = 1; step <= options.most; ++step) {
        take_logs(ratings, confusion, logs.data());
        for (std::size_t c = 0; c < labels; ++c) log_prior[c] = std::log(prior[c]);
        expect(ratings, logs, log_prior, prior, sums, share, belief);

        double change = 0;
        const auto set = [&](double& value, double fresh) {
            change = std::max(change, std::abs(fresh - value));
            value = fresh;
        };
        for (std::size_t k = 0; k < ratings.annotators; ++k)
            for (std::size_t truth = 0; truth < labels; ++truth) {
                double total = 0;
                for (std::size_t given = 0; given < labels; ++given)
                    total += sums[(k * labels + given) * labels + truth];
                if (!(total > 0)) continue;
                for (std::size_t given = 0; given < labels; ++given)
                    set(confusion[(k * labels + truth) * labels + given],
                        sums[(k * labels + given) * labels + truth] / total);
            }
        if (options.is_free) {
            double total = 0;
            for (const double one : share) total += one;
            for (std::size_t c = 0; c < labels; ++c) set(prior[c], share[c] / total);
        }
        if (change <= options.tolerance) return step;
    }
    return options.most + 1;
}

}  // namespace vesica::agreement

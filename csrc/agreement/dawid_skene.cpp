#include "agreement/dawid_skene.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/interrupt.hpp"
#include "base/simd.hpp"

namespace vesica::agreement {
namespace {

// Numbers of labels lie in rows of whole vectors; what is behind the last label is 0, or the logarithm of 0.
constexpr std::size_t lanes = 8;

std::size_t row_size(std::size_t labels) {
    return (labels + lanes - 1) / lanes * lanes;
}

// What each thing that an annotator can say tells of each label: row `said` has a number for each truth.
void take_logs(const Ratings& ratings, const double* confusion, double* logs) {
    const std::size_t labels = ratings.labels, row = row_size(labels);
    for (std::size_t k = 0; k < ratings.annotators; ++k)
        for (std::size_t truth = 0; truth < labels; ++truth)
            for (std::size_t given = 0; given < labels; ++given)
                logs[(k * labels + given) * row + truth] = std::log(confusion[(k * labels + truth) * labels + given]);
}

// Believe, and add up what is believed by what was said: sums are laid out as the logarithms.
struct Expect {
    static VESICA_INLINE void body(const Ratings& ratings, const double* logs, const double* log_prior,
                                   const double* prior, double* sums, double* share, double* told, double* belief) {
        const std::size_t labels = ratings.labels, row = row_size(labels);
        interrupt::Steps steps;
        for (std::size_t u = 0; u < ratings.units; ++u) {
            const std::int64_t* const begin = ratings.said + ratings.begins[u];
            const std::int64_t* const end = ratings.said + ratings.begins[u + 1];
            for (std::size_t c = 0; c < row; c += lanes) {
                double own[lanes];
                for (std::size_t j = 0; j < lanes; ++j) own[j] = log_prior[c + j];
                for (const std::int64_t* said = begin; said != end; ++said) {
                    const double* const more = logs + static_cast<std::size_t>(*said) * row + c;
                    for (std::size_t j = 0; j < lanes; ++j) own[j] += more[j];
                }
                for (std::size_t j = 0; j < lanes; ++j) told[c + j] = own[j];
            }
            normalise(labels, prior, told);
            std::copy_n(told, labels, belief + u * labels);

            for (std::size_t c = 0; c < row; c += lanes) {
                double own[lanes];
                for (std::size_t j = 0; j < lanes; ++j) own[j] = told[c + j] * ratings.weight[u];
                for (const std::int64_t* said = begin; said != end; ++said)
                    add(own, sums + static_cast<std::size_t>(*said) * row + c);
                add(own, share + c);
            }
            steps.add(labels * static_cast<std::size_t>(end - begin + 1));
        }
    }

    static VESICA_INLINE void add(const double* VESICA_RESTRICT own, double* VESICA_RESTRICT to) {
        for (std::size_t j = 0; j < lanes; ++j) to[j] += own[j];
    }

    // Logarithms of probabilities → the probabilities, which add up to 1.
    static VESICA_INLINE void normalise(std::size_t labels, const double* prior, double* told) {
        const std::size_t row = row_size(labels);
        const double top = *std::max_element(told, told + labels);
        if (top == -INFINITY) {  // a unit of no weight may be impossible by now
            std::copy_n(prior, labels, told);
            std::fill(told + labels, told + row, 0.0);
            return;
        }
        double total = 0;
        for (std::size_t c = 0; c < labels; ++c) total += told[c] = std::exp(told[c] - top);
        std::fill(told + labels, told + row, 0.0);
        for (std::size_t c = 0; c < row; c += lanes)
            for (std::size_t j = 0; j < lanes; ++j) told[c + j] /= total;
    }
};

}  // namespace

std::size_t dawid_skene(const Ratings& ratings, const DawidSkeneOptions& options, double* confusion, double* prior,
                        double* belief) {
    const std::size_t labels = ratings.labels, row = row_size(labels), cells = ratings.annotators * labels * row;
    std::vector<double> logs(cells, -INFINITY), sums(cells), log_prior(row, -INFINITY), share(row), told(row);
    for (std::size_t step = 1; step <= options.most; ++step) {
        take_logs(ratings, confusion, logs.data());
        for (std::size_t c = 0; c < labels; ++c) log_prior[c] = std::log(prior[c]);
        std::fill(sums.begin(), sums.end(), 0.0);
        std::fill(share.begin(), share.end(), 0.0);
        simd::run<Expect>(ratings, logs.data(), log_prior.data(), prior, sums.data(), share.data(), told.data(),
                          belief);

        double change = 0;
        const auto set = [&](double& value, double fresh) {
            change = std::max(change, std::abs(fresh - value));
            value = fresh;
        };
        for (std::size_t k = 0; k < ratings.annotators; ++k)
            for (std::size_t truth = 0; truth < labels; ++truth) {
                double total = 0;
                for (std::size_t given = 0; given < labels; ++given)
                    total += sums[(k * labels + given) * row + truth];
                if (!(total > 0)) continue;
                for (std::size_t given = 0; given < labels; ++given)
                    set(confusion[(k * labels + truth) * labels + given],
                        sums[(k * labels + given) * row + truth] / total);
            }
        if (options.is_free) {
            double total = 0;
            for (std::size_t c = 0; c < labels; ++c) total += share[c];
            for (std::size_t c = 0; c < labels; ++c) set(prior[c], share[c] / total);
        }
        if (change <= options.tolerance) return step;
    }
    return options.most + 1;
}

}  // namespace vesica::agreement

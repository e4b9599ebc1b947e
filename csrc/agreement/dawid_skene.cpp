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

// Rows of such numbers, each at the start of a cache line.
class Rows {
  public:
    Rows(std::size_t count, std::size_t row, double value) : vectors_(std::max<std::size_t>(1, count * row / lanes)) {
        fill(value);
    }

    double* data() { return vectors_.data()->numbers; }
    void fill(double value) {
        for (Vector& vector : vectors_) std::fill_n(vector.numbers, lanes, value);
    }

  private:
    struct alignas(lanes * sizeof(double)) Vector {
        double numbers[lanes];
    };
    std::vector<Vector> vectors_;
};

// What each thing that an annotator can say tells of each label: row `said` has a number for each truth.
void take_logs(const Ratings& ratings, const double* confusion, double* logs) {
    const std::size_t labels = ratings.labels, row = row_size(labels);
    for (std::size_t k = 0; k < ratings.annotators; ++k)
        for (std::size_t truth = 0; truth < labels; ++truth)
            for (std::size_t given = 0; given < labels; ++given)
                logs[(k * labels + given) * row + truth] = std::log(confusion[(k * labels + truth) * labels + given]);
}

// Units at a time, step by step: what one step writes number by number, the next one reads as vectors, and the
// processor would have to wait if it came at once.
constexpr std::size_t together = 64;

// told[u] = what is known of each unit: the logarithms of its probabilities, but for a constant.
struct AddLogs {
    static VESICA_INLINE void body(const Ratings& ratings, std::size_t first, std::size_t count, const double* logs,
                                   const double* log_prior, double* VESICA_RESTRICT told) {
        const std::size_t row = row_size(ratings.labels);
        for (std::size_t u = 0; u < count; ++u) {
            const std::int64_t* const begin = ratings.said + ratings.begins[first + u];
            const std::int64_t* const end = ratings.said + ratings.begins[first + u + 1];
            for (std::size_t c = 0; c < row; c += lanes) {
                double own[lanes];
                for (std::size_t j = 0; j < lanes; ++j) own[j] = log_prior[c + j];
                for (const std::int64_t* said = begin; said != end; ++said) {
                    const double* const more = logs + static_cast<std::size_t>(*said) * row + c;
                    for (std::size_t j = 0; j < lanes; ++j) own[j] += more[j];
                }
                for (std::size_t j = 0; j < lanes; ++j) told[u * row + c + j] = own[j];
            }
        }
    }
};

// Rows of numbers, each by its divisor.
struct Divide {
    static VESICA_INLINE void body(std::size_t count, std::size_t row, const double* VESICA_RESTRICT by,
                                   double* VESICA_RESTRICT told) {
        for (std::size_t u = 0; u < count; ++u)
            for (std::size_t c = 0; c < row; c += lanes)
                for (std::size_t j = 0; j < lanes; ++j) told[u * row + c + j] /= by[u];
    }
};

// Add up what is believed of units by what was said of them: sums are laid out as the logarithms.
struct AddUp {
    static VESICA_INLINE void body(const Ratings& ratings, std::size_t first, std::size_t count, double* told,
                                   double* sums, double* share) {
        const std::size_t row = row_size(ratings.labels);
        for (std::size_t u = 0; u < count; ++u) {
            double* const own = told + u * row;
            const double weight = ratings.weight[first + u];
            for (std::size_t c = 0; c < row; ++c) own[c] *= weight;
            const std::int64_t* const end = ratings.said + ratings.begins[first + u + 1];
            for (const std::int64_t* said = ratings.said + ratings.begins[first + u]; said != end; ++said)
                add_row(own, row, sums + static_cast<std::size_t>(*said) * row);
            add_row(own, row, share);
        }
    }

    static VESICA_INLINE void add_row(const double* VESICA_RESTRICT own, std::size_t row, double* VESICA_RESTRICT to) {
        for (std::size_t c = 0; c < row; c += lanes)
            for (std::size_t j = 0; j < lanes; ++j) to[c + j] += own[c + j];
    }
};

// Logarithms of probabilities → numbers in proportion to them; the sum of these.
double likelihoods(double* told, std::size_t labels, std::size_t row, const double* prior) {
    const double top = *std::max_element(told, told + labels);
    double total = 0;
    if (top == -INFINITY) {  // a unit of no weight may be impossible by now
        std::copy_n(prior, labels, told);
        total = 1;
    } else {
        for (std::size_t c = 0; c < labels; ++c) total += told[c] = std::exp(told[c] - top);
    }
    std::fill(told + labels, told + row, 0.0);
    return total;
}

// Believe, and add up what is believed.
class Expectation {
  public:
    explicit Expectation(const Ratings& ratings)
        : ratings_(ratings), row_(row_size(ratings.labels)), told_(together, row_, 0), total_(together) {}

    void write(const double* logs, const double* log_prior, const double* prior, double* sums, double* share,
               double* belief) {
        const std::size_t labels = ratings_.labels;
        for (std::size_t first = 0; first < ratings_.units; first += together) {
            const std::size_t count = std::min(together, ratings_.units - first);
            double* const told = told_.data();
            simd::run<AddLogs>(ratings_, first, count, logs, log_prior, told);
            for (std::size_t u = 0; u < count; ++u) total_[u] = likelihoods(told + u * row_, labels, row_, prior);
            simd::run<Divide>(count, row_, static_cast<const double*>(total_.data()), told);
            for (std::size_t u = 0; u < count; ++u) std::copy_n(told + u * row_, labels, belief + (first + u) * labels);
            simd::run<AddUp>(ratings_, first, count, told, sums, share);
            const std::int64_t said = ratings_.begins[first + count] - ratings_.begins[first];
            steps_.add(labels * (static_cast<std::size_t>(said) + count));
        }
    }

  private:
    const Ratings& ratings_;
    std::size_t row_;
    Rows told_;
    std::vector<double> total_;
    interrupt::Steps steps_;
};

}  // namespace

std::size_t dawid_skene(const Ratings& ratings, const DawidSkeneOptions& options, double* confusion, double* prior,
                        double* belief) {
    const std::size_t labels = ratings.labels, row = row_size(labels), kinds = ratings.annotators * labels;
    Rows logs(kinds, row, -INFINITY), sums(kinds, row, 0), log_prior(1, row, -INFINITY), share(1, row, 0);
    Expectation expectation(ratings);
    for (std::size_t step = 1; step <= options.most; ++step) {
        take_logs(ratings, confusion, logs.data());
        for (std::size_t c = 0; c < labels; ++c) log_prior.data()[c] = std::log(prior[c]);
        sums.fill(0);
        share.fill(0);
        expectation.write(logs.data(), log_prior.data(), prior, sums.data(), share.data(), belief);

        const double* const sum = sums.data();
        double change = 0;
        const auto set = [&](double& value, double fresh) {
            change = std::max(change, std::abs(fresh - value));
            value = fresh;
        };
        for (std::size_t k = 0; k < ratings.annotators; ++k)
            for (std::size_t truth = 0; truth < labels; ++truth) {
                double total = 0;
                for (std::size_t given = 0; given < labels; ++given) total += sum[(k * labels + given) * row + truth];
                if (!(total > 0)) continue;
                for (std::size_t given = 0; given < labels; ++given)
                    set(confusion[(k * labels + truth) * labels + given],
                        sum[(k * labels + given) * row + truth] / total);
            }
        if (options.is_free) {
            double total = 0;
            for (std::size_t c = 0; c < labels; ++c) total += share.data()[c];
            for (std::size_t c = 0; c < labels; ++c) set(prior[c], share.data()[c] / total);
        }
        if (change <= options.tolerance) return step;
    }
    return options.most + 1;
}

}  // namespace vesica::agreement

#include "matching/kmeans.hpp"

#include <algorithm>

#include "base/measures.hpp"
#include "base/threads.hpp"

namespace vesica::kmeans {
namespace {

// Shapes that are compared with all centres before the next ones are: they stay in the first-level cache.
constexpr std::size_t block = 256;
// Sums of neighbouring shapes run side by side, so that none waits for the one before it. Always so many, whatever the
// width of the processor: another order would round otherwise.
constexpr std::size_t lanes = 8;
// Shapes above which a second thread pays for its waking up.
constexpr std::size_t worth_threads = 1 << 13;

// The nearest centre of each of `count` shapes.
struct Nearest {
    static VESICA_INLINE void body(const double* VESICA_RESTRICT w, const double* VESICA_RESTRICT h, std::size_t count,
                                   const Centre* centres, std::size_t k, double* VESICA_RESTRICT best,
                                   std::int64_t* VESICA_RESTRICT label) {
        const measures::Options options{};
        for (std::size_t j = 0; j < count; ++j) best[j] = -1, label[j] = 0;
        for (std::size_t c = 0; c < k; ++c) {
            const double cw = centres[c].w, ch = centres[c].h, area = cw * ch;
            for (std::size_t j = 0; j < count; ++j) {
                const double inter = lesser(w[j], cw) * lesser(h[j], ch);
                const double iou = measures::Iou::value(measures::Parts<double>{inter, w[j] * h[j], area}, options);
                label[j] = simd::choose(iou > best[j], static_cast<std::int64_t>(c), label[j]);
                best[j] = greater(iou, best[j]);
            }
        }
    }
};

// Shapes whose sums are made in one go: enough of them that the sums of k clusters are few beside them.
std::size_t chunk_of(std::size_t k) {
    constexpr std::size_t least = 4096;
    return std::max(least, (16 * k + block - 1) / block * block);
}

double sum_of(const double* values, std::size_t count) {
    double side[lanes] = {};
    std::size_t j = 0;
    for (; j + lanes <= count; j += lanes)
        for (std::size_t l = 0; l < lanes; ++l) side[l] += values[j + l];
    for (; j < count; ++j) side[j % lanes] += values[j];
    double total = 0;
    for (const double part : side) total += part;
    return total;
}

}  // namespace

double nearest(Shapes shapes, const Centre* centres, std::size_t k, std::int32_t* label, double* iou, Sum* sums,
               std::size_t threads) {
    constexpr std::size_t banks = 2;
    const std::size_t chunk = chunk_of(k), chunks = (shapes.count + chunk - 1) / chunk;
    std::vector<Sum> parts(chunks * banks * k);
    std::vector<double> totals(chunks);
    threads::over(shapes.count, chunk, shapes.count < worth_threads ? 1 : threads,
                  [&](std::size_t begin, std::size_t end) {
                      Sum* const mine = parts.data() + begin / chunk * banks * k;
                      std::int64_t wide[block];
                      for (std::size_t at = begin; at < end; at += block) {
                          const std::size_t count = std::min(block, end - at);
                          simd::run<Nearest>(shapes.w + at, shapes.h + at, count, centres, k, iou + at, &wide[0]);
                          for (std::size_t j = 0; j < count; ++j) {
                              Sum& sum = mine[j % banks * k + static_cast<std::size_t>(wide[j])];
                              sum.w += shapes.w[at + j], sum.h += shapes.h[at + j], ++sum.count;
                              label[at + j] = static_cast<std::int32_t>(wide[j]);
                          }
                      }
                      totals[begin / chunk] = sum_of(iou + begin, end - begin);
                  });

    std::fill_n(sums, k, Sum{});
    double total = 0;
    for (std::size_t c = 0; c < chunks; ++c) {
        total += totals[c];
        for (std::size_t p = 0; p < banks * k; ++p) {
            const Sum& part = parts[c * banks * k + p];
            sums[p % k].w += part.w, sums[p % k].h += part.h, sums[p % k].count += part.count;
        }
    }
    return total;
}

namespace {

// The middle one, or the mean of the two in the middle. Moves the values.
double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2) return *middle;
    const double below = *std::max_element(values.begin(), middle);
    return below + (*middle - below) / 2;
}

}  // namespace

void medians(Shapes shapes, const std::int32_t* label, Centre* centres, std::size_t k, std::size_t threads) {
    std::vector<std::vector<double>> w(k), h(k);
    for (std::size_t i = 0; i < shapes.count; ++i) {
        const std::size_t c = static_cast<std::size_t>(label[i]);
        w[c].push_back(shapes.w[i]), h[c].push_back(shapes.h[i]);
    }
    threads::run(k, shapes.count < worth_threads ? 1 : threads, [&](std::size_t c) {
        if (!w[c].empty()) centres[c] = {median(w[c]), median(h[c])};
    });
}

}  // namespace vesica::kmeans

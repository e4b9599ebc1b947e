// lane.cpp. The fast lane: entries for small calls, which look at the caller's own objects, check and compute in one
// go.
//
// Whatever an entry does not know, it hands back untouched: it answers None, and the caller takes the careful path,
// which converts, and has words for every fault. So nothing here raises for what it is given.
#include "bind/lane.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/order.hpp"
#include "bind/module.hpp"
#include "matching/assign.hpp"
#include "overlaps/join.hpp"
#include "regions/boxes.hpp"
#include "selection/nms.hpp"

namespace vesica::bind {
namespace {

using namespace lane;

// What is larger goes the careful way, which shares it out among threads, lets other Python threads run meanwhile and
// listens for signals. There a microsecond is nothing.
constexpr std::size_t most_pairs = 1 << 16, most_rows = 1 << 12, most_competitors = 1 << 10;
constexpr std::size_t most_partners = 1 << 12, most_entries = 1 << 12;

constexpr double least_score = -std::numeric_limits<double>::infinity();

bool is_row(std::int64_t number) {
    return number >= 0;
}

struct Formula {
    measures::Name measure;
    measures::Options options;
};

// One side of a call that is boxes: an array of four columns, or Boxes, whose corners have been looked at already.
class BoxSide {
  public:
    explicit BoxSide(nb::handle given) {
        PyObject* const object = given.ptr();
        if (Py_TYPE(object) == world().ndarray) {
            view_.open(object);
        } else if (Py_TYPE(object) == world().boxes) {
            dtype_ = attribute(object, world().dtype);
            corners_ = attribute(object, world().corners);
            if (Py_TYPE(corners_.ptr()) == world().ndarray) view_.open(corners_.ptr());
        }
    }

    bool is_table() const { return view_ && view_->ndim == 2 && view_->shape[1] == 4 && count() <= most_rows; }
    std::size_t count() const { return static_cast<std::size_t>(view_->shape[0]); }
    const View& view() const { return view_; }
    // The type of its arithmetic: 'f', 'd', 'q' for int64, or 0.
    char math() const { return math_of(view_.letter()); }

    // Its rows as T, if they are boxes, and if measures of them come back in the dtype that T has.
    template <class T>
    std::optional<boxes::Rows<T>> rows(Gathered<T>& gathered) const {
        if (dtype_.is_valid() && !is_same(dtype_.ptr(), world().name_of<Real<T>>())) return {};
        if (!gathered.read(view_, count(), 4)) return {};
        const boxes::Rows<T> found{gathered.data, count()};
        if (!dtype_.is_valid() && boxes::first_fault<T>(found, boxes::limit<T>).fault != boxes::Fault::none) return {};
        return found;
    }

  private:
    nb::object dtype_, corners_;
    View view_;
};

// Two sides of a call: act(rows of a, rows of b) with the type of both; None where they are no two tables of boxes.
template <class Act>
nb::object with_boxes(const BoxSide& a, const BoxSide& b, const Act& act) {
    return with_math(a.math(), [&]<class T>(T) -> nb::object {
        Gathered<T> from_a, from_b;
        const auto left = a.rows<T>(from_a), right = b.rows<T>(from_b);
        return left && right ? act(*left, *right) : nb::none();
    });
}

bool are_few(const BoxSide& a, const BoxSide& b, std::size_t most) {
    return a.is_table() && b.is_table() && a.count() * b.count() <= most;
}

nb::object measure(const Formula& formula, nb::handle left, nb::handle right, bool aligned) {
    const BoxSide a(left), b(right);
    if (aligned ? !a.is_table() || !b.is_table() || a.count() != b.count() : !are_few(a, b, most_pairs))
        return nb::none();
    return with_boxes(a, b, [&]<class T>(boxes::Rows<T> x, boxes::Rows<T> y) {
        const Fresh<Real<T>> out = aligned ? Fresh<Real<T>>(x.count) : Fresh<Real<T>>(x.count, y.count);
        if (aligned)
            boxes::aligned<T>(formula.measure, formula.options, x, y, out.data(), 1);
        else
            boxes::pairwise<T>(formula.measure, formula.options, x, y, out.data(), 1);
        return out.array();
    });
}

// One finite score for each row, as the kernels read them; NaN is handed back.
class Scores {
  public:
    Scores(nb::handle given, std::size_t count) {
        if (Py_TYPE(given.ptr()) != world().ndarray) return;
        View view;
        view.open(given.ptr());
        if (!view || view->ndim != 1 || static_cast<std::size_t>(view->shape[0]) != count) return;
        is_sound_ = numbers_.read_as_real(view, count) && order::first_nan(numbers_.data, count) == order::none;
    }
    explicit operator bool() const { return is_sound_; }
    const double* data() const { return numbers_.data; }

  private:
    Gathered<double> numbers_;
    bool is_sound_ = false;
};

nb::object choose(const Formula& formula, nb::handle regions, nb::handle given, const ThresholdTuple& threshold) {
    const BoxSide side(regions);
    if (!side.is_table() || side.count() > most_competitors) return nb::none();
    const Scores scores(given, side.count());
    if (!scores) return nb::none();
    const nms::Request request{formula.measure,
                               formula.options,
                               threshold_of(threshold),
                               scores.data(),
                               nullptr,
                               nullptr,
                               least_score,
                               0,
                               false,
                               1};
    return with_math(side.math(), [&]<class T>(T) -> nb::object {
        Gathered<T> from;
        const auto rows = side.rows<T>(from);
        if (!rows) return nb::none();
        const nms::Answer answer = nms::of_boxes<T>(request, *rows);
        return fresh(answer.kept.get(), answer.count);
    });
}

template <class T>
join::Pairs<Real<T>> joined(const Formula& formula, const ThresholdTuple& threshold, boxes::Rows<T> a,
                            boxes::Rows<T> b) {
    return join::of_few_boxes<T>(
        {formula.measure, formula.options, threshold_of(threshold), {nullptr, nullptr}, false, 1}, a, b);
}

// The columns of Pairs: i, j, value.
nb::object join_boxes(const Formula& formula, nb::handle left, nb::handle right, const ThresholdTuple& threshold) {
    const BoxSide a(left), b(right);
    if (!are_few(a, b, most_partners)) return nb::none();
    return with_boxes(a, b, [&]<class T>(boxes::Rows<T> x, boxes::Rows<T> y) -> nb::object {
        const join::Pairs<Real<T>> found = joined(formula, threshold, x, y);
        return nb::make_tuple(fresh(found.i.get(), found.count), fresh(found.j.get(), found.count),
                              fresh(found.value.get(), found.count));
    });
}

// The columns of Matches, of n truths and m guesses of which guess_of says who is whose: truth, guess, value, guess_of,
// truth_of. value_of(row, column) is the value of a pair.
template <class V, class ValueOf>
nb::object matches(const std::vector<std::int64_t>& guess_of, std::size_t m, const ValueOf& value_of) {
    const auto count = static_cast<std::size_t>(std::count_if(guess_of.begin(), guess_of.end(), is_row));
    const Fresh<std::int64_t> truth(count), guess(count), truth_of(m);
    const Fresh<V> value(count);
    std::fill_n(truth_of.data(), m, std::int64_t(-1));
    std::size_t pair = 0;
    for (std::size_t i = 0; i < guess_of.size(); ++i) {
        const std::int64_t j = guess_of[i], row = static_cast<std::int64_t>(i);
        if (!is_row(j)) continue;
        truth.data()[pair] = row, guess.data()[pair] = j, truth_of.data()[j] = row;
        value.data()[pair++] = value_of(i, static_cast<std::size_t>(j));
    }
    return nb::make_tuple(truth.array(), guess.array(), value.array(), fresh(guess_of.data(), guess_of.size()),
                          truth_of.array());
}

// By the number of a goal, or greedy: −1. Where there are no scores, something else stands in their place.
nb::object match(const Formula& formula, nb::handle left, nb::handle right, const ThresholdTuple& threshold,
                 bool is_scored, nb::handle given, int goal) {
    const BoxSide a(left), b(right);
    if (!are_few(a, b, most_partners)) return nb::none();
    const Scores scores(given, b.count());
    if (is_scored && !scores) return nb::none();
    return with_boxes(a, b, [&]<class T>(boxes::Rows<T> x, boxes::Rows<T> y) -> nb::object {
        const join::Pairs<Real<T>> found = joined(formula, threshold, x, y);
        const std::vector<double> values(found.value.get(), found.value.get() + found.count);
        const assign::Pairs pairs{found.i.get(), found.j.get(), values.data(), found.count, x.count, y.count};
        const assign::Choice choice =
            goal < 0 ? assign::Choice{assign::greedy(pairs, is_scored ? scores.data() : nullptr), {}}
                     : assign::optimal(pairs, assign::Goal(goal), 1);
        if (choice.shortage) return nb::none();
        std::vector<std::int64_t> guess_of(x.count, -1);
        std::vector<Real<T>> value_of(x.count);
        for (const std::int64_t place : choice.places) {
            const auto row = static_cast<std::size_t>(found.i[static_cast<std::size_t>(place)]);
            guess_of[row] = found.j[static_cast<std::size_t>(place)];
            value_of[row] = found.value[static_cast<std::size_t>(place)];
        }
        return matches<Real<T>>(guess_of, y.count, [&](std::size_t i, std::size_t) { return value_of[i]; });
    });
}

// A matrix as costs, of which small ones are wanted: the shorter side in rows, infinite where a pair is forbidden.
template <class T>
std::optional<std::vector<double>> costs_of(const T* values, std::size_t n, std::size_t m, bool minimise,
                                            assign::Goal goal) {
    constexpr double forbidden = std::numeric_limits<double>::infinity();
    std::vector<double> costs(n * m);
    std::size_t allowed = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
            const double value = static_cast<double>(values[i * m + j]);
            double cost = minimise ? value : -value;
            if (!(cost >= -assign::limit && (cost <= assign::limit || cost == forbidden))) return {};
            if (goal == assign::Goal::sum && cost >= 0) cost = forbidden;  // no better than no pair
            costs[n > m ? j * n + i : i * m + j] = cost;
            allowed += cost < forbidden;
        }
    if (4 * allowed < n * m) return {};  // few of many are chosen as pairs
    return costs;
}

nb::object assign_matrix(nb::handle matrix, bool minimise, int number) {
    View view;
    if (Py_TYPE(matrix.ptr()) == world().ndarray) view.open(matrix.ptr());
    if (!view || view->ndim != 2) return nb::none();
    const auto n = static_cast<std::size_t>(view->shape[0]), m = static_cast<std::size_t>(view->shape[1]);
    const assign::Goal goal{number};
    if (!n || !m || n > most_entries / m) return nb::none();
    return with_math(math_of(view.letter()), [&]<class T>(T) -> nb::object {
        Gathered<T> values;
        if (view->itemsize != Py_ssize_t(sizeof(T)) || !values.read(view, n, m)) return nb::none();
        const auto costs = costs_of(values.data, n, m, minimise, goal);
        if (!costs) return nb::none();
        std::vector<std::int64_t> far_of(std::min(n, m)), guess_of(n, -1);
        if (assign::dense(costs->data(), far_of.size(), std::max(n, m), goal, far_of.data())) return nb::none();
        for (std::size_t near = 0; near < far_of.size(); ++near) {
            if (n <= m)
                guess_of[near] = far_of[near];
            else if (is_row(far_of[near]))
                guess_of[static_cast<std::size_t>(far_of[near])] = static_cast<std::int64_t>(near);
        }
        return matches<T>(guess_of, m, [&](std::size_t i, std::size_t j) { return values.data[i * m + j]; });
    });
}

// The dtype of measures of these rows, by name, if they are boxes as they stand.
nb::typed<nb::object, std::optional<nb::str>> sound_boxes(nb::handle array) {
    const BoxSide side(array);
    if (Py_TYPE(array.ptr()) != world().ndarray || !side.is_table()) return nb::none();
    return with_math(side.math(), [&]<class T>(T) -> nb::object {
        Gathered<T> gathered;
        if (side.view()->itemsize != Py_ssize_t(sizeof(T)) || !side.rows<T>(gathered)) return nb::none();
        return nb::borrow(world().name_of<Real<T>>());
    });
}

// A function that makes the entry of a formula: entry(formula, arguments …) without the formula.
template <class... Arguments>
void define_entry(nb::module_& m, const char* name, nb::object (*entry)(const Formula&, Arguments...)) {
    m.def(
        name,
        [entry](int measure, const OptionTuple& options) -> nb::typed<nb::callable, nb::object(...)> {
            const Formula formula{measures::Name(measure), options_of(options)};
            return nb::borrow<nb::callable>(
                nb::cpp_function([=](Arguments... arguments) { return entry(formula, arguments...); }));
        },
        "measure"_a, "options"_a);
}

}  // namespace

void define_lane(nb::module_& m) {
    m.def(
        "lane_knows", [](nb::handle boxes) { world().boxes = reinterpret_cast<PyTypeObject*>(boxes.inc_ref().ptr()); },
        "boxes"_a);
    m.def("sound_boxes", &sound_boxes, "array"_a);
    m.def("assign_lane", &assign_matrix, "values"_a, "minimise"_a, "goal"_a);
    define_entry(m, "measure_lane", &measure);
    define_entry(m, "nms_lane", &choose);
    define_entry(m, "join_lane", &join_boxes);
    define_entry(m, "match_lane", &match);
}

}  // namespace vesica::bind

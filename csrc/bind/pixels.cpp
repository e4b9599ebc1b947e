#include "bind/pixels.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/module.hpp"

namespace vesica::bind {
namespace {

// A table with one struct of numbers a row. Its memory is that of the pixels.
using Table = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<2>, nb::c_contig>;
template <class Row>
Table rows_of(const std::shared_ptr<const Row[]>& rows, std::size_t count) {
    constexpr std::size_t width = sizeof(Row) / sizeof(std::int64_t);
    using Kept = std::shared_ptr<const Row[]>;
    nb::capsule owner(new Kept(rows), [](void* p) noexcept { delete static_cast<Kept*>(p); });
    return {reinterpret_cast<const std::int64_t*>(rows.get()), {count, width}, owner};
}

using Words = nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<1>, nb::c_contig>;
Words words_of(const Pixels& pixels) {
    using Kept = std::shared_ptr<const std::uint64_t[]>;
    nb::capsule owner(new Kept(pixels.words), [](void* p) noexcept { delete static_cast<Kept*>(p); });
    return {pixels.words.get(), {pixels.word_count}, owner};
}

// The masks begin ... end, whose table is a part of that of all.
Pixels slice(const Pixels& all, std::size_t begin, std::size_t end) {
    Pixels some = all;
    some.masks = {all.masks, all.masks.get() + begin};
    some.count = end - begin;
    return some;
}

Pixels take(const Pixels& all, Flat<std::int64_t> rows) {
    auto masks = std::make_unique_for_overwrite<pixels::Mask[]>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(rows.data()[i]);
        if (row >= all.count) refuse("`rows` must be below " + std::to_string(all.count));
        masks[i] = all.masks[static_cast<std::ptrdiff_t>(row)];
    }
    Pixels some = all;
    some.masks = std::move(masks), some.count = rows.size();
    return some;
}

// All masks of several stacks of one image size.
Pixels concat(const std::vector<Pixels>& stacks) {
    pixels::Owned all;
    if (stacks.empty()) refuse("`stacks` must have one stack at least");
    for (const Pixels& stack : stacks)
        if (stack.height != stacks[0].height || stack.width != stacks[0].width)
            refuse("masks must be of one image size");
    for (const Pixels& stack : stacks)
        all.count += stack.count, all.word_count += stack.word_count, all.run_count += stack.run_count;
    all.masks = std::make_unique_for_overwrite<pixels::Mask[]>(all.count);
    all.words = std::make_unique_for_overwrite<std::uint64_t[]>(all.word_count);
    all.runs = std::make_unique_for_overwrite<pixels::Run[]>(all.run_count);
    pixels::Mask* mask = all.masks.get();
    std::size_t word = 0, run = 0;
    for (const Pixels& stack : stacks) {
        std::copy_n(stack.words.get(), stack.word_count, all.words.get() + word);
        std::copy_n(stack.runs.get(), stack.run_count, all.runs.get() + run);
        for (std::size_t i = 0; i < stack.count; ++i, ++mask) {
            *mask = stack.masks[static_cast<std::ptrdiff_t>(i)];
            if (mask->has_bits()) mask->word += static_cast<std::int64_t>(word);
            mask->run += static_cast<std::int64_t>(run), mask->end += static_cast<std::int64_t>(run);
        }
        word += stack.word_count, run += stack.run_count;
    }
    return give(std::move(all), stacks[0].height, stacks[0].width);
}

using State = std::tuple<Table, Words, Table, std::int64_t, std::int64_t>;
State state_of(const Pixels& pixels) {
    return {rows_of(pixels.masks, pixels.count), words_of(pixels), rows_of(pixels.runs, pixels.run_count),
            pixels.height, pixels.width};
}

// A mask whose box lies in the image, and its words and runs among those that there are.
void expect_inside(const pixels::Mask& mask, const pixels::Owned& all, std::int64_t height, std::int64_t width) {
    const auto rise = [](std::int64_t a, std::int64_t b, std::int64_t end) { return 0 <= a && a <= b && b <= end; };
    const auto words = static_cast<std::int64_t>(all.word_count), runs = static_cast<std::int64_t>(all.run_count);
    const bool is_inside = mask.area >= 0 && rise(mask.x1, mask.x2, width) && rise(mask.y1, mask.y2, height) &&
                           rise(mask.run, mask.end, runs) && mask.word >= -1 && mask.word <= words;
    if (!is_inside || (mask.has_bits() && static_cast<std::int64_t>(mask.words()) > words - mask.word))
        refuse("a mask must lie within its image, and its words and runs among those given");
}

using GivenState = std::tuple<In<std::int64_t>, Flat<std::uint64_t>, In<std::int64_t>, std::int64_t, std::int64_t>;
Pixels of_state(const GivenState& state) {
    const auto& [masks, words, runs, height, width] = state;
    pixels::Owned all;
    all.count = expect_rows("table", masks, sizeof(pixels::Mask) / sizeof(std::int64_t)), all.word_count = words.size();
    all.run_count = expect_rows("runs", runs, sizeof(pixels::Run) / sizeof(std::int64_t));
    all.masks = std::make_unique_for_overwrite<pixels::Mask[]>(all.count);
    all.words = std::make_unique_for_overwrite<std::uint64_t[]>(all.word_count);
    all.runs = std::make_unique_for_overwrite<pixels::Run[]>(all.run_count);
    std::copy_n(reinterpret_cast<const pixels::Mask*>(masks.data()), all.count, all.masks.get());
    for (std::size_t i = 0; i < all.count; ++i) expect_inside(all.masks[i], all, height, width);
    std::copy_n(words.data(), all.word_count, all.words.get());
    std::copy_n(reinterpret_cast<const pixels::Run*>(runs.data()), all.run_count, all.runs.get());
    return give(std::move(all), height, width);
}

}  // namespace

Pixels give(pixels::Owned stack, std::int64_t height, std::int64_t width) {
    return {std::move(stack.masks),
            stack.count,
            std::move(stack.words),
            stack.word_count,
            std::move(stack.runs),
            stack.run_count,
            height,
            width};
}

void define_pixels(nb::module_& m) {
    const auto owned = nb::rv_policy::automatic;  // arrays that keep their memory alive by themselves
    nb::class_<Pixels>(m, "Pixels",
                       "N masks as the native kernels read them: each cut to its box, as columns of bits or as runs.")
        .def("__len__", [](const Pixels& self) { return self.count; })
        .def_prop_ro(
            "table", [](const Pixels& self) { return rows_of(self.masks, self.count); }, owned,
            "(N, 8) integers: area, x1, y1, x2, y2, first word or -1, first run, end of the runs.")
        .def_prop_ro(
            "area",
            [](const Pixels& self) {
                std::vector<std::int64_t> areas;
                areas.reserve(self.count);
                for (std::size_t i = 0; i < self.count; ++i) areas.push_back(self.stack().masks[i].area);
                return give(std::move(areas));
            },
            owned, "(N,) integers: a copy of the first column of the table.")
        .def_prop_ro("words", &words_of, owned,
                     "Bands of 64 rows, counted from the top of the image; bit k of a word is row 64 * band + k of a "
                     "column.")
        .def_prop_ro(
            "runs", [](const Pixels& self) { return rows_of(self.runs, self.run_count); }, owned,
            "(R, 2) integers: starts and ends of runs, counted down the columns of the image.")
        .def_ro("height", &Pixels::height)
        .def_ro("width", &Pixels::width)
        .def(
            "rows",
            [](const Pixels& self, nb::slice rows) {
                const auto [begin, end, step, length] = rows.compute(self.count);
                return slice(self, begin, begin + length);
            },
            "rows"_a, "Some of the masks that stand side by side.")
        .def("take", &take, "rows"_a.noconvert(), "Some of the masks, by their numbers.")
        .def_static("concat", &concat, "stacks"_a, "All masks of several stacks of one image size.")
        .def("__getstate__", &state_of)
        .def("__setstate__", [](Pixels& self, const GivenState& state) { new (&self) Pixels(of_state(state)); });
}

}  // namespace vesica::bind

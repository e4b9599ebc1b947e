// nms_regions.cpp. NMS of masks, polygons and sets.
#include "overlaps/region_kinds.hpp"
#include "selection/nms.hpp"

namespace vesica::nms {
namespace {

template <class S>
struct SourceTest {
    const Request& request;
    const S& source;
    measures::Formula<typename S::Number> formula;
    double share;
    std::uint32_t row = 0;
    interrupt::Steps steps = {};
    std::optional<typename S::Row> ready = {};

    void begin(std::uint32_t kept) { row = kept, ready.reset(); }
    template <class Kill>
    void meet(std::uint32_t other, const Kill& kill) {
        if (!region_pairs::may_share(source, row, other, share)) return;
        steps.add(steps.of_regions);
        if (!ready) ready.emplace(source, row);
        if (formula.reaches(region_pairs::parts(source, *ready, row, other), request.options, request.threshold))
            kill(other);
    }
    template <class Kill>
    void end(const Kill&) {}
};

// Those that may share area lie near each other in a grid of their upright boxes.
template <class S>
Answer by_grid(const Request& request, const S& source) {
    Walk walk(request, source.n());
    const join::Bound bound = request.bound();
    const auto formula = measures::formula_of<typename S::Number>(request.measure);
    walk.run([&](Group group, Fates& fates) {
        const auto box_of = [&](std::size_t k) { return source.box_a(group.rows[k]); };
        const auto area_of = [&](std::size_t k) { return source.area_a(group.rows[k]); };
        const grid_index::Grid grid = region_pairs::grid_of(group.count, box_of, area_of, nullptr, 1);
        SourceTest<S> test{request, source, formula, bound.share()};
        keep_by_grid(grid, {bound.apart, join::anything}, group, request.limit, fates, test);
    });
    return walk.answer();
}

// The source itself knows which regions meet.
template <class S>
Answer by_partners(const Request& request, const S& source) {
    Walk walk(request, source.n());
    const auto formula = measures::formula_of<typename S::Number>(request.measure);
    walk.run([&](Group group, Fates& fates) {
        std::vector<std::uint32_t> places(source.n(), none);  // regions of other groups have no place
        for (std::size_t k = 0; k < group.count; ++k) places[group.rows[k]] = static_cast<std::uint32_t>(k);
        typename S::Partners partners(source);
        keep_each(group, request.limit, fates, [&](std::size_t k, std::uint32_t row) {
            interrupt::poll();
            partners.each(row, [&](std::size_t other, typename S::Number shared) {
                if (places[other] == none || places[other] <= k || fates.is_dead(other)) return;
                const measures::Parts<typename S::Number> found{shared, source.area_a(row), source.area_b(other)};
                if (formula.reaches(found, request.options, request.threshold)) fates.by[other] = row;
            });
        });
    });
    return walk.answer();
}

}  // namespace

template <class S>
Answer of_source(const Request& request, const S& source) {
    if constexpr (requires { typename S::Partners; })
        return by_partners(request, source);
    else
        return by_grid(request, source);
}

template Answer of_source<pixels::Masks>(const Request&, const pixels::Masks&);
template Answer of_source<polygons::Source>(const Request&, const polygons::Source&);
template Answer of_source<sets::Source>(const Request&, const sets::Source&);

}  // namespace vesica::nms

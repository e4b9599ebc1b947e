"""Faults that change no answer, looked at one by one: file, line of code, change, and why no test can see it.

Most decide how fast an answer comes: how wide a filter is, how much room there is, when a table pays.
"""

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "base/grid_index.cpp",
        "const double most = 2 * static_cast<double>(group.end - group.begin);",
        "2 → 3",
    ): "Only how many cells the grid has.",
    (
        "base/grid_index.cpp",
        "nx = std::max(1.0, nx * shrink), ny = std::max(1.0, std::min(ny * shrink, most / nx));",
        "* → + (2)",
    ): "Only how many cells the grid has.",
    ("base/interrupt.cpp", "next_ = now + pause;", "+ → -"): "Only how often a long call looks for signals.",
    ("base/interrupt.hpp", "if (done_ < between) return;", "< → <="): "Only how often a long call looks for signals.",
    (
        "base/memory.cpp",
        "const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;",
        "/ → * (2)",
    ): "Only which pages the system is advised about.",
    (
        "base/memory.cpp",
        "const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;",
        "- → +",
    ): "Only which pages the system is advised about.",
    (
        "base/threads.cpp",
        "const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(100);",
        "+ → -",
    ): "Only how long a thread spins before it sleeps.",
    (
        "base/threads.cpp",
        "std::size_t started_ = 0;",
        "0 → 1",
    ): "One helper thread fewer; results do not depend on their number.",
    ("base/threads.hpp", "return n ? n : 1;", "1 → 2"): "Only shares of work among threads.",
    (
        "bind/io.cpp",
        "table.in_some & records::bit(records::Field::name) ? give_column(std::move(table.names)) : nb::none(),",
        "& → |",
    ): "A column without rows is None as well.",
    (
        "bind/selection.cpp",
        "nms::Answer answer{std::make_unique<std::int64_t[]>(0), 0, {}};",
        "0 → 1",
    ): "Room for one number in an answer that has none.",
    (
        "bind/selection.cpp",
        "nms::Answer answer{std::make_unique<std::int64_t[]>(0), 0, {}};",
        "0 → 1 (2)",
    ): "The count of an answer that the error for NaN replaces.",
    (
        "dataset/coco_masks.cpp",
        "const bool has_zero = !counts.empty() && std::find(counts.begin() + 1, counts.end(), 0u) != counts.end();",
        "&& std::find(counts.begin() + 1, counts.end(), 0u) != counts.end() → nothing",
    ): "Counts as they were written describe the same mask as canonical ones.",
    (
        "dataset/coco_masks.hpp",
        "std::int64_t height = 0, width = 0;",
        "0 → 1",
    ): "Decoder::read sets both sides before anything reads them.",
    ("detection/boundary.hpp", "std::int64_t area = 0;", "0 → 1"): "`made` sets the area before anything reads it.",
    (
        "detection/cell_masks.cpp",
        "const std::int64_t columns = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);",
        "min → max",
    ): "A bound from above, which only skips pairs that cannot matter; a larger one skips fewer.",
    (
        "detection/cell_masks.hpp",
        "for (std::size_t k = 0; k < truths; ++k) rows[k] = static_cast<std::uint32_t>(k);",
        "0 → 1",
    ): "A new vector holds zeros, and row 0 is 0.",
    (
        "detection/match_cells.cpp",
        "if (low >= 0 && inter < low * whole) continue;",
        "0 → 1",
    ): "Without the shortcut the division decides the same.",
    (
        "detection/precision_recall.cpp",
        "[&](std::size_t a, std::size_t b) { return first[a + 1] - first[a] > first[b + 1] - first[b]; });",
        "1 → 2 (2)",
    ): "Only the order in which threads take categories.",
    (
        "io/coco/coco_file.cpp",
        "if (error.fault > Fault::none && error.fault < Fault::not_a_list) return fault_ = error, false;",
        "< → <=",
    ): "The reader of a list that began with a bracket never says not_a_list.",
    (
        "io/coco/ids.hpp",
        "if (static_cast<std::uint64_t>(id) < direct && small_[static_cast<std::size_t>(id)] >= 0)",
        "0 → 1",
    ): "Place 0 takes the longer way, which finds it too.",
    ("io/coco/ids.hpp", "std::size_t used_ = 0;", "0 → 1"): "Only when the hash table grows.",
    (
        "io/coco/parallel_records.cpp",
        "const char* before = at - 1;",
        "- → +",
    ): "A wrong guess of where records begin is noticed, and the block is read again.",
    (
        "io/coco/record_templates.cpp",
        "text_to(value.begin + is_text, act, field, 0);",
        "0 → 1",
    ): "Steps that skip a value have no use for the offset.",
    (
        "io/coco/record_templates.cpp",
        "second->text == third[1].text && second->length == third->length;",
        "== → !=",
    ): "Boxes whose separators differ are then read number by number, or fall back to it.",
    (
        "io/coco/record_templates.cpp",
        "default: number(Act::by_hand, 0); break;",
        "0 → 1",
    ): "Steps read by hand have no use for the offset.",
    (
        "io/coco/record_templates.cpp",
        "return ((~same(0) & mask_low) | (~same(16) & mask_high)) == 0;",
        "& → |",
    ): "No text matches a template any more; records are read by keys.",
    (
        "io/coco/records.hpp",
        "std::int32_t image = -1, category = -1;",
        "1 → 2",
    ): "Every negative place means that there is none.",
    ("io/coco/records.hpp", "std::size_t count = 0;", "0 → 1"): "`clear` sets the count before a block is read.",
    (
        "io/json/decimals.cpp",
        "if (exponent < -27 || exponent >= 0) return false;",
        "0 → 1",
    ): "A division by one rounds correctly too.",
    (
        "io/json/decimals.hpp",
        "if (((points & (points - 1)) | (points & (1u | 1u << end >> 1))) || end - 1 > 7 || point > 7) return nullptr;",
        "1 → 2 (3)",
    ): "Eight digits and a point are read rightly too.",
    (
        "matching/assignment_costs.hpp",
        "return {low_, first.value_or(0)};",
        "0 → 1",
    ): "A distance within reach belongs to some column, so `first` is set.",
    (
        "overlaps/join.cpp",
        "const double shrink = (1 - least.iou) / (1 + least.iou);",
        "- → +",
    ): "A wider search finds more that do not reach the threshold, and no other pairs.",
    (
        "overlaps/join.hpp",
        "shrink * h / 2 + grid_index::hair * far_y,",
        "/ → *",
    ): "A wider search finds more that do not reach the threshold, and no other pairs.",
    ("overlaps/join.hpp", "steps.add(4 * (end - begin));", "- → +"): "Only how often a long call looks for signals.",
    (
        "overlaps/region_pairs.hpp",
        "const Parts<typename S::Number> apart{0, 1, 1};",
        "1 → 2 (2)",
    ): "Without a shared area no measure depends on the areas, as long as they are not 0.",
    (
        "regions/labels/labels.cpp",
        "for (std::size_t lane = 0; lane < tables; ++lane) lanes[lane] = table + lane % copies * size;",
        "% → /",
    ): "The tables are added up, so any of them may count a lane.",
    ("regions/masks/masks_boxes.hpp", "std::size_t spent_ = 0;", "0 → 1"): "Only when a table of sums pays.",
    (
        "regions/masks/pixels.cpp",
        "steps_ += met_a[i] * (mask.has_bits() ? 16 + mask.words() / 8 : 8 * runs);",
        "+ → -",
    ): "Only when bits are made from runs.",
    (
        "regions/masks/rle.cpp",
        "const std::size_t most = (strings.starts[end] - strings.starts[begin]) / 2 + (end - begin);",
        "- → +",
    ): "Only how much room there is.",
    (
        "regions/masks/rle_strings.cpp",
        "const bool is_cut = count && (text[count - 1] - 48u) & 32;",
        "32 → 33",
    ): "A string that ends in an odd group goes to the scalar decoder.",
    (
        "regions/masks/sparse.cpp",
        "for (std::size_t k = 0; k < at.count; ++k) {",
        "< → <=",
    ): "It is called when an index lies outside, and returns there.",
    ("regions/polygons.hpp", "std::uint32_t parts_ = 0;", "0 → 1"): "`start` sets it before it is read.",
    (
        "regions/raster.cpp",
        "const std::size_t columns = std::size_t(high) - low + 1;",
        "- → +",
    ): "Only how many columns there is room for.",
    (
        "regions/raster.hpp",
        "std::int64_t height_ = 0, width_ = 0;",
        "0 → 1 (2)",
    ): "`start` sets both sides before they are read.",
    (
        "regions/rotated.cpp",
        "meets[j] = (std::fabs(xs[j] - cx) <= reach_x + rx[j]) & (std::fabs(ys[j] - cy) <= reach_y + ry[j]);",
        "& → |",
    ): "A wider filter: pairs that do not meet are clipped to 0.",
    (
        "regions/rotated.cpp",
        "to[8 * n + i] = reach_x + grid_index::hair * (std::fabs(r[0]) + reach_x);",
        "+ → - (3)",
    ): "The slack stays at 0 or above, for centres lie at least as far from 0 together as from each other.",
    (
        "regions/rotated.hpp",
        "bool full() const { return count == most; }",
        "== → !=",
    ): "Pairs are clipped one at a time, not 64.",
    (
        "regions/strips.cpp",
        "std::int32_t passing = 0;",
        "0 → 1",
    ): "No run of walls is kept, so the strip is halved: the same area, more slowly.",
    (
        "regions/strips.cpp",
        "if (before <= slack && after <= slack) continue;",
        "<= → < (2)",
    ): "0 / 0 is NaN, which is in no strip.",
    (
        "regions/strips.cpp",
        "steps_.add(4 * levels.size() * edges.size());",
        "* → +",
    ): "Only how often a long call looks for signals.",
    (
        "selection/nms.cpp",
        "if (is_spent || 2 * dead > count - i) {",
        "> → >=",
    ): "Only when suppressed boxes are cleared away.",
    ("selection/nms_regions.cpp", "std::uint32_t row = 0;", "0 → 1"): "`begin` sets the row before it is read.",
    ("selection/soft_boxes.cpp", "hulls_(count_ / box_columns::lanes + 2),", "2 → 3"): "Only how much room there is.",
    (
        "selection/soft_boxes.cpp",
        "if (!(side > 0 && join::in_range(side) && join::in_range(x1) && join::in_range(y1))) return 0;",
        "0 → 1",
    ): "Only how boxes are sorted into blocks.",
    (
        "selection/soft_boxes.cpp",
        "const auto bits = [](double number, double values) { return number - std::floor(number / values) * values; };",
        "- → +",
    ): "Only how boxes are sorted into blocks.",
    (
        "selection/soft_boxes.cpp",
        "const auto bits = [](double number, double values) { return number - std::floor(number / values) * values; };",
        "* → +",
    ): "Only how boxes are sorted into blocks.",
    (
        "selection/soft_boxes.cpp",
        "Entry best{taken, ~std::uint32_t(0)};",
        "0 → 1",
    ): "Every entry comes before one that is taken, whatever its row.",
    (
        "selection/soft_boxes.cpp",
        "tops_.resize(blocks_.count() / wide + 1), scores_.resize(tops_.size() * wide);",
        "/ → *",
    ): "Only how much room there is.",
}

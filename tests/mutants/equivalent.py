"""Faults that change no answer, looked at one by one: file, line of code, change, and why no test can see it.

Most decide how fast an answer comes: how wide a filter is, how much room there is, when a table pays.
"""

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "agreement/outline_offsets.cpp",
        "step_ = window.length() + 2;",
        "2 → 3",
    ): "Only how far lines are apart: the column more is empty.",
    (
        "agreement/outline_offsets.cpp",
        "step_ = window.length() + 2 * margin_;",
        "2 → 3",
    ): "Only how far lines are apart: the columns more are empty.",
    (
        "agreement/outline_offsets.cpp",
        "std::size_t lines_ = 0, step_ = 0;",
        "0 → 1",
    ): "Both are set before anything is drawn.",
    (
        "agreement/outline_offsets.cpp",
        "while (static_cast<double>((along + 1) * (along + 1)) <= rest) ++along;",
        "1 → 2 (2)",
    ): "A root of such numbers is never too small by one: the loop only guards.",
    (
        "agreement/vote_patterns.cpp",
        "for (; at + 8 <= end; at += 8) {",
        "8 → 9",
    ): "What is left is looked at byte by byte.",
    (
        "agreement/vote_patterns.cpp",
        "if (differ) return at + static_cast<std::size_t>(std::countr_zero(differ)) / 8;",
        "8 → 9",
    ): "A run that ends too soon goes on as another with the same labels.",
    (
        "detection/bootstrap.cpp",
        "const std::uint32_t* const end = needed + (positives_[wide * c + b] ? request_.recall_count : 0);",
        "0 → 1",
    ): "A category without truths in a replicate has no value there, whatever was read.",
    (
        "detection/bootstrap.cpp",
        "tables_.assign(categories() + 1, 0);",
        "0 → 1",
    ): "Only where the tables begin.",
    (
        "detection/sorted_runs.cpp",
        ": width_(std::bit_ceil(std::max<std::size_t>(count, 1))), keys_(width_, last), winners_(2 * width_) {",
        "1 → 2",
    ): "Only how many places there are for runs that end at once.",
    (
        "statistics/weights.cpp",
        "const std::size_t size = std::min(group, count - first);",
        "- → +",
    ): "Numbers behind the last are counted, and not given out; groups fill a block.",
    (
        "statistics/weights.cpp",
        "const std::uint64_t inner = mix(seed + step), first_pair = first / 2;",
        "2 → 3",
    ): "Pairs before the first that is wanted are drawn, and not given out.",
    (
        "agreement/tally.hpp",
        "explicit Tally(std::size_t bits) : is_table_(bits <= table_bits), slots_(is_table_ ? std::size_t(1) "
        "<< bits : 64) {}",
        "<= → <",
    ): "Only whether a table or a hash table counts.",
    (
        "agreement/vote_patterns.cpp",
        "const auto later = [](const Entry& a, const Entry& b) { return a.cursor.next > b.cursor.next; };",
        "> → >=",
    ): "Of masks that change at one pixel all are taken before the next is counted, in any order.",
    (
        "agreement/vote_patterns.cpp",
        "return joined(parts, 8 * maps);",
        "8 → 9",
    ): "Only whether a table or a hash table counts.",
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
    (
        "base/grid_index.cpp",
        "const double met = static_cast<double>(points.size()) / (1.0 + key) * of_width * of_height;",
        "* → + (2)",
    ): "Only whether sizes have grids of their own.",
    (
        "base/grid_index.cpp",
        "return length > 0 ? std::max(1.0, std::min(length / cell, most)) : 1.0;",
        "> → >=",
    ): "Of no length the quotient is 0 or NaN, and one cell comes out of both.",
    (
        "base/grid_index.hpp",
        "(std::fabs(partner.u - point.u) <= apart.u) & (std::fabs(partner.v - point.v) <= apart.v))",
        "& → |",
    ): "A wider search finds more that do not reach the threshold, and no other pairs.",
    ("base/interrupt.cpp", "next_ = now + pause;", "+ → -"): "Only how often a long call looks for signals.",
    ("base/interrupt.hpp", "if (done_ < between) return;", "< → <="): "Only how often a long call looks for signals.",
    ("base/interrupt.hpp", "std::size_t done_ = 0;", "0 → 1"): "Only how often a long call looks for signals.",
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
        "base/memory.cpp",
        "for (std::size_t k = blocks.size(); k-- > 0;)",
        "0 → 1",
    ): "Only whether the oldest block that is kept is used again.",
    (
        "base/memory.cpp",
        "if (bytes >= 2 * page) {",
        ">= → >",
    ): "Only whether a block of that very size is in large pages.",
    (
        "base/memory.hpp",
        "if (bytes < medium || !VESICA_KEEPS_SCRATCH) return ::operator delete(data);",
        "< → <=",
    ): "A block of that very size is freed and not kept; it came from the C library.",
    (
        "base/partition.hpp",
        "return threads > 1 && count >= 2 * few;",
        "&& count >= 2 * few → nothing",
    ): "Only whether threads share the work.",
    (
        "base/threads.cpp",
        "const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(100);",
        "+ → -",
    ): "Only how long a thread spins before it sleeps.",
    ("base/threads.hpp", "return n ? n : 1;", "1 → 2"): "Only shares of work among threads.",
    (
        "base/threshold.cpp",
        "if (!std::isfinite(num) || !std::isfinite(den)) return false;",
        "|| !std::isfinite(den) → nothing",
    ): "Pairs with an area that is not finite are left out before.",
    ("base/whole.cpp", "int exponent = 0;", "0 → 1"): "frexp writes the exponent before it is read.",
    (
        "bind/io.cpp",
        "table.in_some & records::bit(records::Field::name) ? give_column(std::move(table.names)) : nb::none(),",
        "& → |",
    ): "A column without rows is None as well.",
    ("bind/lane.cpp", "std::size_t allowed = 0;", "0 → 1"): "Only whether a matrix takes the short way.",
    (
        "bind/lane.cpp",
        "if (!(cost >= -assign::limit && (cost <= assign::limit || cost == forbidden))) return {};",
        "|| cost == forbidden → nothing",
    ): "A matrix with a forbidden pair takes the long way, to the same answer.",
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
        "dataset/coco_masks.cpp",
        "text_.resize(static_cast<std::size_t>(text.end - text.at) + 2 * rle_strings::room);",
        "2 → 3",
    ): "Only how much room there is.",
    (
        "dataset/coco_masks.hpp",
        "std::int64_t height = 0, width = 0;",
        "0 → 1",
    ): "Decoder::read sets both sides before anything reads them.",
    ("dataset/coco_masks.hpp", "std::int64_t area = 0;", "0 → 1"): "`clear` sets the area before a mask is read.",
    (
        "detection/bootstrap.cpp",
        "for (std::size_t i = 0; i < images_; i += some) {",
        "< → <=",
    ): "A last piece of no images draws nothing.",
    (
        "detection/bootstrap.cpp",
        "std::size_t padded_, class_lines_ = 0, first_ = 0, count_ = 0;",
        "0 → 1 (2)",
    ): "`first_` is set before a block of replicates is made.",
    ("detection/boundary.cpp", "if (done < reach) take(reach - done);", "< → <="): "A step of 0 is a mask with itself.",
    (
        "detection/boundary.cpp",
        "const pixels::Stack right{&mask_b, 1, of_b.words.data(), nullptr, b.height, b.width};",
        "1 → 2",
    ): "Two masks are compared by themselves; how many the stack has is not asked.",
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
        "detection/match_cells.cpp",
        "steps_.add(16 * (1 + std::size_t(cell.truth_count)));",
        "+ → -",
    ): "Only how often a long call looks for signals.",
    (
        "detection/match_cells.cpp",
        "return a.iou != b.iou ? a.iou > b.iou : a.truth > b.truth;",
        "> → >=",
    ): "Both sides differ there, or one is NaN, which is neither above nor equal.",
    (
        "detection/pairwise_sum.hpp",
        "std::size_t count_ = 0, leaf_ = 0, at_ = 0, waiting_ = 0, known_ = 0;",
        "0 → 1 (2)",
    ): "`open` sets the leaf before anything is added.",
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
        "io/coco/ids.cpp",
        "while (slots_[k].place >= 0 && slots_[k].id != id) k = (k + 1) & (slots_.size() - 1);",
        "+ → -",
    ): "The search for a slot goes round the other way, for those that add and those that look.",
    (
        "io/coco/ids.hpp",
        "if (static_cast<std::uint64_t>(id) < direct && small_[static_cast<std::size_t>(id)] >= 0)",
        "0 → 1",
    ): "Place 0 takes the longer way, which finds it too.",
    ("io/coco/ids.hpp", "std::size_t used_ = 0;", "0 → 1"): "Only when the hash table grows.",
    ("io/coco/ids.hpp", "std::int32_t last_place_ = -1;", "1 → 2"): "Every negative place means that there is none.",
    (
        "io/coco/parallel_records.cpp",
        "const char* before = at - 1;",
        "- → +",
    ): "A wrong guess of where records begin is noticed, and the block is read again.",
    (
        "io/coco/parallel_records.cpp",
        "if (before <= low || *before != ',') continue;",
        "!= → ==",
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
        "io/coco/record_templates.cpp",
        "const std::uint64_t mask = (std::uint64_t(1) << step.length) - 1;",
        "1 → 2",
    ): "No text matches a template any more; records are read by keys.",
    (
        "io/coco/record_templates.cpp",
        "if (step.length <= 8) step.mask = step.length ? ~std::uint64_t(0) >> (64 - 8 * step.length) : 0;",
        ">> → <<",
    ): "No text matches a template any more; records are read by keys.",
    (
        "io/coco/records.cpp",
        "json::skip_value(cursor, 0);",
        "0 → 1",
    ): "The list was read once before, at its true depth.",
    (
        "io/coco/records.hpp",
        "std::int32_t image = -1, category = -1;",
        "1 → 2",
    ): "Every negative place means that there is none.",
    ("io/coco/records.hpp", "std::size_t count = 0;", "0 → 1"): "`clear` sets the count before a block is read.",
    (
        "io/coco/records.hpp",
        "std::int32_t image = -1, category = -1;",
        "1 → 2 (2)",
    ): "Every negative place means that there is none.",
    (
        "io/coco/records.hpp",
        "std::uint64_t mask = 0;",
        "0 → 1",
    ): "The mask of a text of more than eight bytes is never read.",
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
        "io/json/json.hpp",
        "return fault >= Fault::not_a_list || (fault != Fault::end && end - where > longest);",
        "!= → ==",
    ): "What is not certain is read once more with all of the text, and found again.",
    (
        "matching/assign.cpp",
        "for (std::size_t k = 0; k < members_.start[count_]; ++k) has_pair[row(members_.places[k])] = 1;",
        "1 → 2",
    ): "Every number but 0 says that a row has a pair.",
    (
        "matching/assignment_costs.hpp",
        "return {low_, first.value_or(0)};",
        "0 → 1",
    ): "A distance within reach belongs to some column, so `first` is set.",
    ("matching/augmenting_paths.hpp", "left = 0;", "0 → 1"): "One bid more before the search for paths, which decides.",
    (
        "matching/kmeans.cpp",
        "for (; j + lanes <= count; j += lanes)",
        "+ → -",
    ): "The loop behind it adds the same numbers to the same lanes in the same order.",
    (
        "overlaps/box_columns.hpp",
        "for (std::size_t from = begin; from < end; from += lanes) hits = asker.ask(from, found, hits);",
        "< → <=",
    ): "What is found behind the end is dropped, and there is room for it.",
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
        "overlaps/join.hpp",
        "return row[2] > row[0] && row[3] > row[1] && in_range(static_cast<double>(row[0])) &&",
        "> → >= (2)",
    ): "Boxes without area share nothing, and reach no threshold.",
    (
        "overlaps/region_pairs.hpp",
        "const Parts<typename S::Number> apart{0, 1, 1};",
        "1 → 2 (2)",
    ): "Without a shared area no measure depends on the areas, as long as they are not 0.",
    (
        "overlaps/region_pairs.hpp",
        "points.push_back({(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, reach_x, reach_y, "
        "grid_index::rough_log2(area),",
        "2 → 3 (2)",
    ): "Distances in y shrink for both sides alike: a wider search, and no other pairs.",
    (
        "overlaps/region_pairs.hpp",
        "const double w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1), h = std::min(a.y2, b.y2) - "
        "std::max(a.y1, b.y1);",
        "max → min",
    ): "A bound from above, which only skips pairs that cannot matter; a larger one skips fewer.",
    (
        "regions/boxes.cpp",
        "for (int c = 0; c < 4; ++c)",
        "0 → 1",
    ): "The caller looks at the row that is named, and finds what is wrong with it.",
    (
        "regions/labels/label_changes.hpp",
        "Byte plain = 0, shifted = 0;",
        "0 → 1 (2)",
    ): "One place more in the table, at which nothing is counted.",
    (
        "regions/labels/labels.cpp",
        "for (std::size_t lane = 0; lane < tables; ++lane) lanes[lane] = table + lane % copies * size;",
        "% → /",
    ): "The tables are added up, so any of them may count a lane.",
    (
        "regions/labels/labels.cpp",
        "return base == other.base && names == other.names && shift() == other.shift() && size() == other.size();",
        "== → != (3)",
    ): "Tops only grow, and where the shift changes the size does: the table is moved more often.",
    (
        "regions/labels/labels.cpp",
        "begin_ = begin, count_ = count, low_ = 0, high_ = 255;",
        "255 → 256",
    ): "Maps of bytes are counted like those of larger numbers.",
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
        "regions/masks/rle_strings.cpp",
        "for (std::size_t at = 0; at < count; at += 16) {",
        "< → <=",
    ): "No character behind the end is valid, and there is room for them.",
    (
        "regions/masks/runs.hpp",
        "if (begin != end && begin->end <= from)",
        "<= → <",
    ): "A run that ends where the window begins has no pixel in it.",
    (
        "regions/masks/sparse.cpp",
        "for (std::size_t k = 0; k < at.count; ++k) {",
        "< → <=",
    ): "It is called when an index lies outside, and returns there.",
    ("regions/masks/sparse.hpp", "int axis = -1;", "1 → 2"): "Every negative axis means that all lie inside.",
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
        "regions/raster.hpp",
        "std::int64_t height_ = 0, width_ = 0;",
        "0 → 1",
    ): "`open` sets both sides before they are read.",
    (
        "regions/rotated.cpp",
        "return (std::fabs(b.cx - a.cx) <= reach_x_of(a) + reach_x_of(b)) &",
        "& → |",
    ): "A wider filter: pairs that do not meet are clipped to 0.",
    (
        "regions/rotated.cpp",
        "return reach + grid_index::hair * (std::fabs(centre) + reach);",
        "+ → - (2)",
    ): "The slack stays at 0 or above, for centres lie at least as far from 0 together as from each other.",
    (
        "regions/rotated.cpp",
        "const double rise = y1 - y0, safe_rise = rise == 0 ? 1.0 : rise;",
        "1.0 → 2.0",
    ): "Where nothing rises the mean is not used.",
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
        "regions/strips.cpp",
        "for (; to > 0 && line[to - 1].high > s.high; --to) {",
        "> → >= (2)",
    ): "Edges that end at one point cross there or not at all, which is no part of the strip.",
    (
        "regions/strips.cpp",
        "line[k].is_met |= nearest < line[k].high - line[k].slack;",
        "< → <=",
    ): "An edge more that is no wall: the same area, more slowly.",
    (
        "regions/strips.cpp",
        "if (edges_[e].y0 > before && edges_[e].y0 <= middle && edges_[e].y1 > middle) hits_.push_back({0, e});",
        "&& edges_[e].y1 > middle → nothing",
    ): "Levels are where edges begin and end, so that none ends within a slab.",
    (
        "segmentation/label_masks.hpp",
        "std::size_t largest = 0, total = 0;",
        "0 → 1",
    ): "Only how work is shared among threads.",
    (
        "selection/decay.hpp",
        "const double near = x < -708 ? -708.0 : x;",
        "708 → 709",
    ): "Below -708 the answer is 0, whatever was computed.",
    (
        "selection/nms.cpp",
        "if (is_spent || 2 * dead > count - i) {",
        "> → >=",
    ): "Only when suppressed boxes are cleared away.",
    (
        "selection/nms.cpp",
        "if (is_spent || 2 * dead > count - i) {",
        "* → +",
    ): "Only when suppressed boxes are cleared away.",
    ("selection/nms_regions.cpp", "std::uint32_t row = 0;", "0 → 1"): "`begin` sets the row before it is read.",
    (
        "selection/soft_blocks.hpp",
        "static VESICA_INLINE double rest(double number, double of) { return number - std::floor(number / of) * of; }",
        "- → +",
    ): "Only how boxes are sorted into blocks.",
    (
        "selection/soft_blocks.hpp",
        "static VESICA_INLINE double rest(double number, double of) { return number - std::floor(number / of) * of; }",
        "* → +",
    ): "Only how boxes are sorted into blocks.",
    (
        "selection/soft_fading.hpp",
        "if (taken_so_far % pause == 0) clear(), interrupt::poll();",
        "% → /",
    ): "Only when boxes below the least score are cleared away.",
    (
        "selection/soft_fading.hpp",
        "if (8 * left > 7 * blocks_.count()) return;",
        "* → +",
    ): "Only when boxes below the least score are cleared away.",
    (
        "selection/soft_boxes.cpp",
        "if (group.count <= few && rule.decay == Decay::gaussian && !request.threshold.p)",
        "<= → <",
    ): "Both ways have one answer, and one of them is faster for many.",
}

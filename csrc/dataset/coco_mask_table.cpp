#include "dataset/coco_mask_table.hpp"

#include <algorithm>

#include "base/threads.hpp"

namespace vesica::coco_masks {
namespace {

constexpr std::size_t grain = 256;

Table table_of(std::size_t count) {
    Table table;
    table.area.resize(count), table.kind.resize(count), table.position.resize(count), table.finding.resize(count);
    return table;
}

void write(Table& table, std::size_t k, const Fault& found, const Shape& shape) {
    table.area[k] = shape.area;
    table.kind[k] = static_cast<std::uint8_t>(found.kind),
    table.position[k] = static_cast<std::int64_t>(found.position);
    table.finding[k] = static_cast<std::uint8_t>(shape.is_short | shape.has_no_area << 1);
}

void append(const Shape& shape, std::vector<std::int64_t>& counts) {
    runs::ToCounts writer(counts);
    for (const Run& run : shape.runs) writer.add(run.begin, run.end);
    writer.close(shape.height * shape.width);
}

}  // namespace

Table decoded(const Column& column, const std::int64_t* rows, std::size_t count, bool literal, std::size_t threads) {
    Table table = table_of(count);
    table.place.resize(6 * count), table.offsets.assign(count + 1, 0);
    std::vector<std::vector<std::int64_t>> pieces((count + grain - 1) / grain);
    threads::over(count, grain, threads, [&](std::size_t begin, std::size_t end) {
        Decoder decoder(literal);
        Shape shape;
        std::vector<std::int64_t>& piece = pieces[begin / grain];
        for (std::size_t k = begin; k < end; ++k) {
            const Fault found = decoder.decode(column, static_cast<std::size_t>(rows[k]), shape);
            write(table, k, found, shape);
            const std::int64_t place[] = {shape.x1, shape.y1, shape.x2, shape.y2, shape.height, shape.width};
            std::copy_n(place, 6, table.place.data() + 6 * k);
            const std::size_t before = piece.size();
            if (!found) append(shape, piece);
            table.offsets[k + 1] = static_cast<std::int64_t>(piece.size() - before);
        }
    });
    for (std::size_t k = 0; k < count; ++k) table.offsets[k + 1] += table.offsets[k];
    table.counts.reserve(static_cast<std::size_t>(table.offsets.back()));
    for (const std::vector<std::int64_t>& piece : pieces)
        table.counts.insert(table.counts.end(), piece.begin(), piece.end());
    return table;
}

Table areas(const Column& column, const std::int64_t* rows, std::size_t count, bool literal, std::size_t threads) {
    Table table = table_of(count);
    threads::over(count, grain, threads, [&](std::size_t begin, std::size_t end) {
        Decoder decoder(literal);
        Shape shape;
        for (std::size_t k = begin; k < end; ++k)
            write(table, k, decoder.read(column, static_cast<std::size_t>(rows[k]), shape), shape);
    });
    return table;
}

}  // namespace vesica::coco_masks

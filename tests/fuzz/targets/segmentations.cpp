// segmentations.cpp. Any bytes as the "segmentation" of an annotation: runs that rise inside the image, with their area
// and box, or a fault with its place. The first four bytes are the size, the form and what is kept.
#include <string>

#include "dataset/coco_masks.hpp"
#include "input.hpp"

namespace {

using vesica::fuzz::hold;
namespace coco_masks = vesica::coco_masks;

void sound(const coco_masks::Shape& shape, bool has_box) {
    const std::int64_t pixels = shape.height * shape.width;
    std::int64_t area = 0, end = -1;
    for (const coco_masks::Run& run : shape.runs) {
        hold(end < static_cast<std::int64_t>(run.begin) && run.begin < run.end && run.end <= pixels, "runs rise");
        area += run.end - run.begin, end = run.end;
    }
    hold(area == shape.area, "the area is that of the runs");
    if (!has_box) return;
    hold(0 <= shape.x1 && shape.x1 <= shape.x2 && shape.x2 <= shape.width, "the box lies in the image");
    hold(0 <= shape.y1 && shape.y1 <= shape.y2 && shape.y2 <= shape.height, "the box lies in the image");
    hold((area > 0) == (shape.x1 < shape.x2 && shape.y1 < shape.y2), "an empty mask has no box");
    hold(area <= (shape.x2 - shape.x1) * (shape.y2 - shape.y1), "the box holds the mask");
}

bool is_same(const coco_masks::Shape& a, const coco_masks::Shape& b) {
    if (a.runs.size() != b.runs.size() || a.area != b.area || a.is_short != b.is_short) return false;
    for (std::size_t k = 0; k < a.runs.size(); ++k)
        if (a.runs[k].begin != b.runs[k].begin || a.runs[k].end != b.runs[k].end) return false;
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const vesica::fuzz::Input input(data + 4, size - 4);
    const std::int64_t begin = 0, end = static_cast<std::int64_t>(input.size());
    const std::int64_t image[] = {data[0], data[1]};
    const std::uint8_t form = data[2] % 3;
    const double xywh[] = {data[0] / 3.0, -1.5, data[1] / 2.0, 300};
    const coco_masks::Column column{reinterpret_cast<const std::uint8_t*>(input.begin()),
                                    &begin,
                                    &end,
                                    &form,
                                    image,
                                    data[3] & 2 ? xywh : nullptr,
                                    1};
    const bool literal = data[3] & 1;

    coco_masks::Shape first, shape;
    coco_masks::Fault known;
    bool is_first = true;
    vesica::fuzz::each_level([&] {
        coco_masks::Decoder decoder(literal);
        const coco_masks::Fault fault = decoder.decode(column, 0, shape);
        hold(fault.position <= input.size() + 1, "a fault lies in the text");
        hold(!fault || !shape.area, "a fault leaves an empty mask");
        sound(shape, true);
        coco_masks::Shape bare;
        const coco_masks::Fault other = decoder.read(column, 0, bare);  // the decoder remembers nothing of the last row
        hold(other.kind == fault.kind && other.position == fault.position, "without a box it is the same fault");
        sound(bare, false);
        hold(is_same(shape, bare), "without a box it is the same mask");
        if (is_first) known = fault, decoder.decode(column, 0, first);
        is_first = false;
        hold(known.kind == fault.kind && known.position == fault.position && is_same(first, shape),
             "all instruction sets agree");
    });
    return 0;
}

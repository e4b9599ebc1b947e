// rle_strings.cpp. Any bytes as COCO's compressed counts: the vector decoder says what the plain one says, and what was
// written from an answer is read as that answer. The first two bytes are the size of the image, 0 ends a string.
#include "regions/masks/rle_strings.hpp"

#include <string_view>
#include <vector>

#include "input.hpp"
#include "regions/masks/rle.hpp"

namespace {

using vesica::fuzz::hold;
using vesica::fuzz::Input;
namespace rle = vesica::rle;
namespace runs = vesica::runs;

// Number by number.
rle::Finding plainly(const std::vector<std::string_view>& strings, std::int64_t pixels, rle::OwnedCounts& out) {
    rle::OwnedCounts given;
    given.offsets.push_back(0);
    for (std::size_t k = 0; k < strings.size(); ++k) {
        const auto* const text = reinterpret_cast<const std::uint8_t*>(strings[k].data());
        std::vector<runs::LongRun> list;
        runs::FromCounts<std::vector<runs::LongRun>> from(list, pixels);
        std::size_t position = 0;
        const runs::Fault fault =
            vesica::rle_strings::each_count(text, strings[k].size(), position, [&](std::int64_t count) {
                given.data.push_back(count);
                return from.add(count);
            });
        if (fault != runs::Fault::none) return {fault, k, position};
        given.offsets.push_back(static_cast<std::int64_t>(given.data.size()));
    }
    return rle::canonical({given.data.data(), given.offsets.data(), strings.size()}, pixels, out);
}

rle::Finding read(const std::vector<std::string_view>& strings, std::int64_t height, std::int64_t pixels,
                  rle::OwnedCounts& out) {
    vesica::pixels::Owned packed;
    const rle::Finding found = rle::from_strings(rle::joined(strings), height, pixels, packed, 2);
    if (found.fault == runs::Fault::none) {
        const vesica::pixels::Stack stack{packed.masks.get(), packed.count, packed.words.get(),
                                          packed.runs.get(),  height,       height ? pixels / height : 0};
        out = rle::unpack(stack, 1);
    }
    return found;
}

bool is_same(const rle::Finding& a, const rle::Finding& b) {
    return a.fault == b.fault && (a.fault == runs::Fault::none || (a.mask == b.mask && a.position == b.position));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Input input(data + 2, size - 2);
    const std::int64_t height = data[0], width = data[0] < 128 ? data[1] : data[1] << 16, pixels = height * width;
    std::vector<std::string_view> strings;
    for (const char *begin = input.begin(), *at = begin;; ++at) {
        if (at < input.end() && *at) continue;
        strings.emplace_back(begin, at);
        if (at >= input.end()) break;
        begin = at + 1;
    }

    rle::OwnedCounts want;
    const rle::Finding known = plainly(strings, pixels, want);
    vesica::fuzz::each_level([&] {
        rle::OwnedCounts got;
        const rle::Finding found = read(strings, height, pixels, got);
        hold(is_same(found, known), "the decoders agree on what is wrong");
        if (known.fault != runs::Fault::none) return;
        hold(got.data == want.data && got.offsets == want.offsets, "the decoders agree on the counts");
    });
    if (known.fault != runs::Fault::none) return 0;

    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> offsets;
    rle::to_strings({want.data.data(), want.offsets.data(), strings.size()}, text, offsets);
    std::vector<std::string_view> written;
    for (std::size_t k = 0; k < strings.size(); ++k)
        written.emplace_back(reinterpret_cast<const char*>(text.data()) + offsets[k], offsets[k + 1] - offsets[k]);
    rle::OwnedCounts again;
    hold(read(written, height, pixels, again).fault == runs::Fault::none, "what is written can be read");
    hold(again.data == want.data && again.offsets == want.offsets, "what is written is read as it was");
    return 0;
}

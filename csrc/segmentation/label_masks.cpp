#include "segmentation/label_masks.hpp"

#include <mutex>
#include <unordered_map>

#include "base/simd.hpp"

namespace vesica::segmentation {
namespace {

// The box of each wanted label. Equal neighbours are looked up once.
template <class T>
void add_boxes(const T* map, Grid grid, const std::unordered_map<std::int64_t, std::size_t>& place,
               std::vector<Box>& boxes, std::size_t threads) {
    std::mutex lock;
    const std::size_t rows = grid.planes * grid.rows;
    threads::over(rows, std::max<std::size_t>(1, (std::size_t(1) << 18) / (grid.columns + 1)), threads,
                  [&](std::size_t begin, std::size_t end) {
                      std::vector<Box> found(boxes.size());
                      for (std::size_t row = begin; row < end; ++row) {
                          const T* const line = map + row * grid.columns;
                          const std::size_t z = row / grid.rows, y = row % grid.rows;
                          for (std::size_t x = 0; x < grid.columns;) {
                              const T label = line[x];
                              const std::size_t first = x;
                              while (x < grid.columns && line[x] == label) ++x;
                              const auto known = place.find(std::int64_t(label));
                              if (known != place.end()) found[known->second].add({{z, y, first}, {z + 1, y + 1, x}});
                          }
                      }
                      const std::lock_guard<std::mutex> guard(lock);
                      for (std::size_t k = 0; k < boxes.size(); ++k)
                          if (!found[k].is_empty()) boxes[k].add(found[k]);
                  });
}

template <class T>
struct Equal {
    static VESICA_INLINE void body(const T* line, std::size_t count, T label, std::uint8_t* out) {
        for (std::size_t x = 0; x < count; ++x) out[x] = line[x] == label;
    }
};

}  // namespace

std::vector<Box> boxes_of(const labels::Map& map, Grid grid, const std::vector<std::int64_t>& wanted,
                          std::size_t threads) {
    std::unordered_map<std::int64_t, std::size_t> place;
    for (std::size_t k = 0; k < wanted.size(); ++k) place.emplace(wanted[k], k);
    std::vector<Box> boxes(wanted.size());
    labels::with_type(map.type,
                      [&]<class T>(T) { add_boxes(static_cast<const T*>(map.data), grid, place, boxes, threads); });
    return boxes;
}

std::vector<Box> joined(const std::vector<Box>& a, const std::vector<Box>& b) {
    std::vector<Box> boxes = a;
    for (std::size_t k = 0; k < boxes.size(); ++k)
        if (!b[k].is_empty()) boxes[k].add(b[k]);
    return boxes;
}

Bytes mask_of(const labels::Map& map, Grid grid, const Box& box, std::int64_t label, std::size_t threads) {
    const Grid part = box.grid();
    Bytes mask(part.size());
    labels::with_type(map.type, [&]<class T>(T) {
        const T* const data = static_cast<const T*>(map.data);
        if (std::int64_t(T(label)) != label) {  // a label that the map cannot hold
            std::fill(mask.begin(), mask.end(), std::uint8_t(0));
            return;
        }
        threads::run(part.planes, threads, [&](std::size_t z) {
            for (std::size_t y = 0; y < part.rows; ++y)
                simd::run<Equal<T>>(data + ((box.low[0] + z) * grid.rows + box.low[1] + y) * grid.columns + box.low[2],
                                    part.columns, T(label), mask.data() + (z * part.rows + y) * part.columns);
        });
    });
    return mask;
}

}  // namespace vesica::segmentation

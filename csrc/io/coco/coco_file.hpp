// coco_file.hpp. A whole file of COCO, truth or results, → columns.
#pragma once

#include <cstdint>
#include <vector>

#include "io/coco/ids.hpp"
#include "io/coco/parallel_records.hpp"
#include "io/coco/record_columns.hpp"

namespace vesica::coco_file {

struct File {
    parallel_records::Error error;
    bool is_results = false;  // a bare list
    record_columns::Table images, annotations, categories;
    std::vector<ids::Id> image_ids, category_ids;            // what the columns of annotations point into
    std::int64_t unknown_image = -1, unknown_category = -1;  // the first annotation whose id is in no table
    std::size_t categories_begin = 0, categories_end = 0;    // the text of that list
};

File read(const char* data, std::size_t size, const parallel_records::Request& request);

}  // namespace vesica::coco_file

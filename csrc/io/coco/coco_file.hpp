// coco_file.hpp. A whole file of COCO, truth or results, → columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/coco/ids.hpp"
#include "io/coco/parallel_records.hpp"
#include "io/coco/record_columns.hpp"
#include "io/json/text.hpp"

namespace vesica::coco_file {

struct File {
    parallel_records::Error error;
    bool is_results = false;  // a bare list
    record_columns::Table images, annotations, categories;
    ids::Ids image_ids, category_ids;                        // what the columns of annotations point into
    std::int64_t unknown_image = -1, unknown_category = -1;  // the first annotation whose id is in no table
    std::string categories_text;                             // of that list
};

// Throws text::Unreadable.
File read(const text::Text& text, const parallel_records::Request& request);

}  // namespace vesica::coco_file

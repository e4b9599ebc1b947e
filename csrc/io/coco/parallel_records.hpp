// parallel_records.hpp. One list of records → columns, read by several threads.
//
// The text is cut into blocks. Where one begins in the middle of a record, its reader guesses the next record; only if
// the block before ended exactly there the guess counts, and otherwise the block is read again from the true place. So
// columns and errors are those of one thread. Each reader looks at its block through a window of its own.
#pragma once

#include <cstdint>

#include "io/coco/record_columns.hpp"
#include "io/coco/records.hpp"
#include "io/json/json.hpp"
#include "io/json/text.hpp"

namespace vesica::parallel_records {

struct Request {
    bool masks;         // keep the text of segmentations
    bool spans;         // keep where each annotation stands
    std::size_t block;  // bytes
    std::size_t threads;
};

struct Error {
    json::Fault fault = json::Fault::none;
    std::size_t at = 0;
    int kind = -1;             // of the list, or -1 outside of all
    std::int64_t record = -1;  // or -1 where no record was begun
    int field = static_cast<int>(records::Field::nothing);
    std::int64_t detail = 0;
};

// Read the list whose first record begins at `place`, inside `depth` brackets with its own. `place` comes to stand
// behind the closing bracket, if there is no error.
Error read(records::Kind kind, int depth, const Request& request, const text::Text& text, std::size_t& place,
           record_columns::Table& out);

}  // namespace vesica::parallel_records

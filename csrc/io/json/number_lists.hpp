// number_lists.hpp. Lists of numbers inside lists, as polygons are written: checked and skipped 64 characters at a
// time.
#pragma once

namespace vesica::number_lists {

struct Skipped {
    const char* at;  // behind the bracket that closed the first list, or behind a comma inside
    int opened;      // lists that are open there
};

// Skip what is plainly written: digits, points, signs, brackets, and commas with at most one space behind each. Text
// begins with an open bracket (opened = 0), or inside a list where a value is due (opened = 1). Where something else
// comes, exponents or strings say, the answer is the last comma before it; that may be `at` itself. All that was passed
// over is right as JSON has it. `room` is how many lists may be open.
Skipped skip(const char* at, const char* end, int opened, int room);

}  // namespace vesica::number_lists

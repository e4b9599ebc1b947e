// named_enum.hpp. Enums whose names Python knows: one list makes the enum and its names, so no order is written twice.
#pragma once

#include <string>
#include <vector>

#define VESICA_ENUMERATOR(name) name,
#define VESICA_NAME(name) #name,

// `LIST(X)` is X(first) X(second) …; names_of(Enum()) are the names in the order of the numbers.
#define VESICA_NAMED_ENUM(Enum, Number, LIST)             \
    enum class Enum : Number { LIST(VESICA_ENUMERATOR) }; \
    inline std::vector<std::string> names_of(Enum) {      \
        return {LIST(VESICA_NAME)};                       \
    }                                                     \
    static_assert(true)

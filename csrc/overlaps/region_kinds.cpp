#include "overlaps/region_kinds.hpp"

namespace vesica::region_pairs {

#define X(S) VESICA_REGION_VERBS(, S)
VESICA_REGION_KINDS(X)
#undef X

}  // namespace vesica::region_pairs

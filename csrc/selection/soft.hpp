// soft.hpp. Soft-NMS: take the best region, let the scores of what it overlaps decay, and repeat.
//
// Regions of different keys never meet, so each key is a walk of its own, by a queue whose entries may be out of date:
// a score only falls, so an entry that is still right when it comes first is the best there is. What is taken does not
// depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "overlaps/join.hpp"
#include "regions/boxes.hpp"
#include "selection/decay.hpp"

namespace vesica::soft {

struct Rule {
    Decay decay;
    double sigma;       // above 0; of decays that have one
    double min_score;   // what falls below it is out; not negative
    std::size_t limit;  // so many are taken of each key at most; 0: all
};

// Finite scores; one key for each, or null.
struct Scored {
    const double* scores;
    const std::uint32_t* keys;
    std::size_t count;
};

// What was taken, best first, with the score it had then; among equal scores the lower row first.
struct Picks {
    std::unique_ptr<std::int64_t[]> index;
    std::unique_ptr<double[]> score;
    std::size_t count;
};

// Region i, once taken, lets the score of j decay by value; with both_ways, j that of i too. Both have one key.
struct Edges {
    const std::int64_t *i, *j;
    const double* value;
    std::size_t count;
    bool both_ways;
};

Picks of_edges(const Rule& rule, const Scored& given, const Edges& edges, std::size_t threads);

// The same for boxes, whose edges are looked up when a box is taken: memory O(N), however many overlap. The measure has
// the box that is taken in the first place. request.keys.a are the keys.
template <class T>
Picks of_boxes(const Rule& rule, const join::Request& request, boxes::Rows<T> rows, const double* scores);

}  // namespace vesica::soft

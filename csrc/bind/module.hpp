// module.hpp. The parts of the module vesica._native: one function a file of this folder.
#pragma once

#include <nanobind/nanobind.h>

namespace vesica::bind {

void define_signals(nanobind::module_& m);
void define_base(nanobind::module_& m);
void define_boxes(nanobind::module_& m);
void define_rotated(nanobind::module_& m);
void define_pixels(nanobind::module_& m);
void define_masks(nanobind::module_& m);
void define_polygons(nanobind::module_& m);
void define_sets(nanobind::module_& m);
void define_labels(nanobind::module_& m);
void define_selection(nanobind::module_& m);
void define_matching(nanobind::module_& m);
void define_io(nanobind::module_& m);
void define_dataset(nanobind::module_& m);
void define_detection(nanobind::module_& m);
void define_segmentation(nanobind::module_& m);
void define_statistics(nanobind::module_& m);
void define_agreement(nanobind::module_& m);
void define_lane(nanobind::module_& m);

}  // namespace vesica::bind

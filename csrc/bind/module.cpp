// module.cpp. The Python face of the kernels: what vesica._native consists of. Only files of this folder know Python.
#include "bind/module.hpp"

NB_MODULE(_native, m) {
    using namespace vesica::bind;
    nanobind::set_leak_warnings(false);  // at exit a daemon thread may still hold masks: no fault, and no news
    m.doc() = "The compiled kernels. Use the functions of vesica, which check their arguments.";
    define_signals(m);
    define_base(m);  // memory, list of measures, instruction set
    define_boxes(m);
    define_rotated(m);
    define_pixels(m);  // masks as kernels read them
    define_masks(m);   // dense, runs, coordinates
    define_polygons(m);
    define_sets(m);
    define_labels(m);
    define_selection(m);     // nms, soft-nms, fusion, components
    define_matching(m);      // assignments, anchors, k-means
    define_io(m);            // COCO files, JSON
    define_dataset(m);       // masks as COCO files spell them
    define_detection(m);     // matching of cells, precision and recall
    define_segmentation(m);  // distances between surfaces
    define_statistics(m);    // weights of a bootstrap
    define_agreement(m);     // patterns of votes
    define_lane(m);          // small calls
}

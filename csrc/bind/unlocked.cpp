#include "bind/unlocked.hpp"

#include <nanobind/nanobind.h>

#include <atomic>

#include "bind/module.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace vesica::bind {
namespace {

std::atomic<unsigned long> main_thread{0};

void look_for_signals() {
    nanobind::gil_scoped_acquire locked;
    if (PyErr_CheckSignals()) throw nanobind::python_error();
}

}  // namespace

Unlocked::Unlocked() : watch_(PyThread_get_thread_ident() == main_thread ? look_for_signals : nullptr) {}

void define_signals(nanobind::module_&) {
    main_thread =
        nanobind::cast<unsigned long>(nanobind::module_::import_("threading").attr("main_thread")().attr("ident"));
#if !defined(_WIN32)
    pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });  // the thread that forked
#endif
}

}  // namespace vesica::bind

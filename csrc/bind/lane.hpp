// lane.hpp. What the fast lane reads and writes: NumPy arrays, through their buffers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "bind/arrays.hpp"

namespace vesica::bind::lane {

// What of Python every call asks for: looked up once, and kept.
struct World {
    PyTypeObject* ndarray;
    PyTypeObject* boxes = nullptr;  // vesica's Boxes, once they are there
    PyObject *empty, *float32, *float64, *int64;
    PyObject *corners, *dtype, *name_of_float32, *name_of_float64;

    World() {
        const nb::module_ numpy = nb::module_::import_("numpy");
        ndarray = reinterpret_cast<PyTypeObject*>(kept(numpy.attr("ndarray")));
        empty = kept(numpy.attr("empty"));
        float32 = kept(numpy.attr("dtype")("float32"));
        float64 = kept(numpy.attr("dtype")("float64"));
        int64 = kept(numpy.attr("dtype")("int64"));
        corners = PyUnicode_InternFromString("_corners");
        dtype = PyUnicode_InternFromString("dtype");
        name_of_float32 = PyUnicode_InternFromString("float32");
        name_of_float64 = PyUnicode_InternFromString("float64");
    }
    template <class T>
    PyObject* dtype_of() const {
        return std::is_same_v<T, std::int64_t> ? int64 : std::is_same_v<T, float> ? float32 : float64;
    }
    template <class R>
    PyObject* name_of() const {
        return std::is_same_v<R, float> ? name_of_float32 : name_of_float64;
    }

  private:
    static PyObject* kept(nb::object object) { return object.release().ptr(); }
};
inline World& world() {
    static World* const known = new World;
    return *known;
}

inline nb::object attribute(PyObject* object, PyObject* name) {
    PyObject* const found = PyObject_GetAttr(object, name);
    if (!found) throw nb::python_error();
    return nb::steal(found);
}

// Of two strings, which are the same object almost always.
inline bool is_same(PyObject* a, PyObject* b) {
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

// The memory of an array, while this lives.
class View {
  public:
    View() = default;
    ~View() {
        if (is_open_) PyBuffer_Release(&buffer_);
    }
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    void open(PyObject* array, int flags = PyBUF_STRIDES | PyBUF_FORMAT) {
        is_open_ = PyObject_GetBuffer(array, &buffer_, flags) == 0;
        if (!is_open_) PyErr_Clear();  // a dtype of which there are no buffers
    }
    explicit operator bool() const { return is_open_; }
    const Py_buffer* operator->() const { return &buffer_; }

    // The letter by which Python's struct calls its numbers; 0 for other byte orders, for records, and for numbers that
    // do not lie where the machine wants them.
    char letter() const {
        if (!buffer_.format || !buffer_.format[0] || buffer_.format[1]) return 0;
        std::size_t places = reinterpret_cast<std::size_t>(buffer_.buf);
        for (int axis = 0; axis < buffer_.ndim; ++axis)
            if (buffer_.shape[axis] > 1) places |= static_cast<std::size_t>(buffer_.strides[axis]);
        return places & static_cast<std::size_t>(buffer_.itemsize - 1) ? 0 : buffer_.format[0];
    }

  private:
    Py_buffer buffer_;
    bool is_open_ = false;
};

// Call act(zero of the type) for an integer that int64 holds; false for all others.
template <class Act>
bool with_integer(char letter, const Act& act) {
    switch (letter) {
        case 'b': return act(static_cast<signed char>(0));
        case 'B': return act(static_cast<unsigned char>(0));
        case 'h': return act(static_cast<short>(0));
        case 'H': return act(static_cast<unsigned short>(0));
        case 'i': return act(0);
        case 'I': return act(0u);
        case 'l': return act(0l);
        case 'q': return act(0ll);
        default: return false;
    }
}

// The arithmetic for boxes of such numbers: 'f', 'd', 'q' for int64, or 0.
inline char math_of(char letter) {
    return letter == 'f' || letter == 'd' ? letter : with_integer(letter, [](auto) { return true; }) ? 'q' : 0;
}

// act(zero of the type) for float, double, int64; None for other letters.
template <class Act>
nb::object with_math(char letter, const Act& act) {
    switch (letter) {
        case 'f': return act(float());
        case 'd': return act(double());
        case 'q': return act(std::int64_t());
        default: return nb::none();
    }
}

// Rows of `width` numbers as T, one after the other: where they lie, if they lie so, or else a copy of them.
template <class T>
class Gathered {
  public:
    const T* data = nullptr;

    // False where the numbers are of another arithmetic than T.
    bool read(const View& view, std::size_t count, std::size_t width) {
        const char letter = view.letter();
        if constexpr (std::is_integral_v<T>)
            return with_integer(letter, [&](auto zero) { return take<decltype(zero)>(view, count, width); });
        else
            return letter == (std::is_same_v<T, float> ? 'f' : 'd') && take<T>(view, count, width);
    }
    // One column of any numbers.
    bool read_as_real(const View& view, std::size_t count) {
        const char letter = view.letter();
        if (letter == 'd') return take<double>(view, count, 1);
        if (letter == 'f') return take<float>(view, count, 1);
        return with_integer(letter, [&](auto zero) { return take<decltype(zero)>(view, count, 1); });
    }

  private:
    template <class From>
    bool take(const View& view, std::size_t count, std::size_t width) {
        constexpr Py_ssize_t size = sizeof(From);
        const Py_ssize_t row = view->strides[0], step = view->ndim > 1 ? view->strides[1] : size;
        const bool is_dense = step == size && (count < 2 || row == size * static_cast<Py_ssize_t>(width));
        if constexpr (sizeof(From) == sizeof(T) && std::is_integral_v<From> == std::is_integral_v<T>)
            if (is_dense) return data = static_cast<const T*>(view->buf), true;
        copy_.reset(new T[count * width + 1]);
        const char* from = static_cast<const char*>(view->buf);
        for (std::size_t i = 0; i < count; ++i, from += row)
            for (std::size_t k = 0; k < width; ++k) {
                From number;
                std::memcpy(&number, from + static_cast<Py_ssize_t>(k) * step, sizeof number);
                copy_[i * width + k] = static_cast<T>(number);
            }
        return data = copy_.get(), true;
    }

    std::unique_ptr<T[]> copy_;
};

// A new array of NumPy's own.
template <class T>
class Fresh {
  public:
    explicit Fresh(std::size_t count) { make(PyLong_FromSize_t(count)); }
    Fresh(std::size_t n, std::size_t m) {
        make(Py_BuildValue("(nn)", static_cast<Py_ssize_t>(n), static_cast<Py_ssize_t>(m)));
    }
    const nb::object& array() const { return array_; }
    T* data() const { return static_cast<T*>(view_->buf); }

  private:
    void make(PyObject* shape) {
        const nb::object owned = nb::steal(shape);
        PyObject* const arguments[] = {shape, world().dtype_of<T>()};
        PyObject* const array = shape ? PyObject_Vectorcall(world().empty, arguments, 2, nullptr) : nullptr;
        if (!array) throw nb::python_error();
        array_ = nb::steal(array);
        view_.open(array, PyBUF_WRITABLE);
        if (!view_) throw std::bad_alloc();
    }

    nb::object array_;
    View view_;
};

// The same numbers in one.
template <class T>
nb::object fresh(const T* numbers, std::size_t count) {
    const Fresh<T> made(count);
    std::copy_n(numbers, count, made.data());
    return made.array();
}

}  // namespace vesica::bind::lane

"""The only place that knows array libraries: namespaces, dtypes, devices, gradients."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np

Array = Any
"""An array of any library that array-api-compat knows. There is no common static type for them."""


class SomeArray(Protocol):
    """What every array is, in the eyes of a type checker: so that the library of an answer is that of its arrays."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})
FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})


_TORCH: Any = sys.modules.get("torch")


def _torch() -> Any:
    """torch, if it is loaded; or None.

    Loaded before vesica, as mostly, it is known without a look at all modules: torch's compiler would trace that look,
    and fails where a module is loaded meanwhile.
    """
    return sys.modules.get("torch") if _TORCH is None else _TORCH


def namespace(*arrays: Array) -> Any:
    """The array-API namespace of the arrays, which must be of one library."""
    if type(arrays[0]) is np.ndarray:
        return _NUMPY
    if _is_tensor(arrays[0]):
        import array_api_compat.torch  # by name: torch's compiler warns of the caches on the way there

        return array_api_compat.torch
    import array_api_compat

    return array_api_compat.array_namespace(*arrays)


def _is_tensor(value: Any) -> bool:
    torch = _torch()
    return torch is not None and isinstance(value, torch.Tensor)


PLAIN = frozenset(
    {
        *("abs", "all", "any", "argmax", "argmin", "atan2", "broadcast_arrays", "broadcast_to", "concat", "cos", "exp"),
        *("float64", "int64", "isfinite", "isnan", "log2", "max", "maximum", "min", "minimum", "reshape", "round"),
        *("searchsorted", "sin", "sqrt", "stack", "take", "uint8", "where"),
    }
)
"""Names that array-api-compat takes from NumPy as they are, from NumPy 2.1 on."""


class _NumPy:
    """NumPy as a namespace of the array API. array-api-compat imports all of NumPy's modules, which takes 0.1 s: it is
    loaded for a name that NumPy itself has not, or has otherwise."""

    def __getattr__(self, name: str) -> Any:
        if name in PLAIN and hasattr(np, "cumulative_sum"):  # NumPy 2.1
            found = getattr(np, name)
        else:
            import array_api_compat.numpy

            found = getattr(array_api_compat.numpy, name)
        setattr(self, name, found)  # the next one does not come here
        return found


_NUMPY = _NumPy()


def objects(values: Iterable[Any], /) -> np.ndarray:
    """A NumPy column of any objects, lists and None too, one for each."""
    listed = list(values)
    return np.fromiter(listed, object, len(listed))


def as_array(value: Any, /) -> Array:
    """The value as an array: arrays stay what they are, the rest becomes NumPy."""
    if type(value) is np.ndarray and value.dtype.isnative:
        return value
    if isinstance(value, np.ndarray):
        plain = np.asarray(value)
        return plain if plain.dtype.isnative else plain.astype(plain.dtype.newbyteorder("="))
    if _is_tensor(value):
        return value
    import array_api_compat

    if array_api_compat.is_array_api_obj(value):
        return value
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        return np.from_dlpack(value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError("Lists must be nested evenly, with rows of one length; got rows of several.") from None
    return _of_nullable(value, array) if array.dtype == object and hasattr(value, "to_numpy") else array


def _of_nullable(table: Any, array: np.ndarray) -> np.ndarray:
    """The numbers of a frame or column with nullable dtypes, which NumPy takes for objects. What is missing is NaN."""
    dtypes = [table.dtype] if array.ndim == 1 else table.dtypes
    kinds = {getattr(dtype, "kind", "O") for dtype in dtypes}
    if not kinds <= set("iuf"):
        return array
    if kinds <= set("iu") and not np.asarray(table.isna()).any():
        return np.asarray(table.to_numpy(dtype="int64"))
    return np.asarray(table.to_numpy(dtype="float64", na_value=np.nan))


def is_array(value: Any, /) -> bool:
    """Is it an array of some library?"""
    if isinstance(value, np.ndarray) or _is_tensor(value):
        return True
    import array_api_compat

    return not isinstance(value, np.generic) and bool(array_api_compat.is_array_api_obj(value))


def library(array: Array, /) -> str:
    """The name of the array's library: numpy, torch, jax, array_api_strict, …"""
    if isinstance(array, np.ndarray):
        return "numpy"
    if _is_tensor(array):
        return "torch"
    import array_api_compat

    if array_api_compat.is_jax_array(array):
        return "jax"
    return type(array).__module__.partition(".")[0]


def dtype_name(array: Array, /) -> str:
    """The dtype without its library: float32, int64, …"""
    dtype = array.dtype
    return _numpy_name(dtype) if isinstance(dtype, np.dtype) else str(dtype).rpartition(".")[2]


@functools.cache
def _numpy_name(dtype: np.dtype[Any]) -> str:
    return str(dtype.name)  # which NumPy composes anew each time


def math_name(*names: str) -> str:
    """The dtype in which coordinates of these dtypes are subtracted and multiplied."""
    return _MATH[names]


def result_name(*names: str) -> str:
    """The floating dtype in which a measure of these dtypes comes back."""
    return _RESULT[names]


def widened(name: str) -> str:
    """The dtype itself, or float32 for half precision."""
    return "float32" if name in ("float16", "bfloat16") else name


def _math(names: tuple[str, ...]) -> str:
    if all(name in INTEGERS for name in names):
        return "int64"
    return "float64" if any(name in INTEGERS or name == "float64" for name in names) else "float32"


def _result(names: tuple[str, ...]) -> str:
    if len(set(names)) == 1 and names[0] in FLOATS:
        return names[0]
    return "float64" if _math(names) != "float32" else "float32"


# Tables, because these are asked several times in each call and a compiler can see through a dict.
_NAMES = sorted(INTEGERS | FLOATS)
_CASES: list[tuple[str, ...]] = [(a,) for a in _NAMES] + [(a, b) for a in _NAMES for b in _NAMES]
_MATH = {names: _math(names) for names in _CASES}
_RESULT = {names: _result(names) for names in _CASES}


def cast(array: Array, name: str, /) -> Array:
    """The array in the named dtype; itself if it has it already."""
    if dtype_name(array) == name:
        return array
    if isinstance(array, np.ndarray):
        return array.astype(name)
    if name == "int64":
        need_int64(array)
    xp = namespace(array)
    return xp.astype(array, getattr(xp, name))


def need_int64(array: Array, /) -> None:
    """Raise where the library was told to have no 64-bit integers, before it warns by itself."""
    if widest_float(array) != "float64":
        raise TypeError(
            "Integer boxes, masks and label maps need 64-bit integers, which JAX has switched off: "
            'call jax.config.update("jax_enable_x64", True), or pass boxes as floats.'
        )


def as_index(array: Array, /) -> Array:
    """Row numbers as int64, or as the widest integers that the library was told to have."""
    return array if widest_float(array) != "float64" else cast(array, "int64")


def real(array: Array, /) -> Array:
    """The array as floats: integers become float64, exactly up to 2^53 and rounded once beyond."""
    return cast(array, "float64") if dtype_name(array) in INTEGERS else array


def widest_float(array: Array, /) -> str:
    """float64, unless the library was told not to have it (JAX without x64) or the device has none (Apple's)."""
    name = library(array)
    if name == "torch":
        return "float32" if array.device.type == "mps" else "float64"
    if name != "jax":
        return "float64"
    import jax

    return "float64" if jax.config.jax_enable_x64 else "float32"


def take_rows(table: Array, index: Any, /, *, ndim: int = 2) -> Array:
    """Some rows of a table, or masks of a stack of three axes; one index gives a table of one row."""
    if isinstance(index, slice) and index.step is not None and index.step < 0 and _is_tensor(table):
        index = from_numpy(np.arange(table.shape[0])[index].copy(), table)  # torch has no such slices
    if isinstance(index, (int, slice, np.integer)):
        index = (index, ...)  # the array API wants every axis named
    taken = table[index]
    return taken[None, ...] if taken.ndim == ndim - 1 else taken


def is_traced(array: Array, /) -> bool:
    """Is this a stand-in without values, or one that a transformation is watching?"""
    if isinstance(array, np.ndarray):
        return False
    torch = _torch()
    if torch is not None and isinstance(array, torch.Tensor):
        return _is_watching(torch)
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(array, jax.core.Tracer)


def _is_watching(torch: Any) -> bool:
    """Does a transformation of torch watch what is done with tensors?"""
    return bool(
        torch.compiler.is_compiling()
        or torch._C._functorch.peek_interpreter_stack() is not None  # vmap, grad, jvp
        or torch._C._len_torch_dispatch_stack() > 0
    )


def is_compiling() -> bool:
    """Does the compiler of torch trace what runs now?"""
    torch = _torch()
    return torch is not None and bool(torch.compiler.is_compiling())


def is_compiled(array: Array, /) -> bool:
    """Is this a tensor that torch.compile watches, and nothing else: no other transformation, no export?"""
    torch = _torch()
    if torch is None or not isinstance(array, torch.Tensor) or not torch.compiler.is_compiling():
        return False
    return bool(torch.autograd.forward_ad._current_level < 0) and _compiles_alone()


def _compiles_alone() -> bool:
    """Is there no vmap, grad or jvp around what runs now, and no export?"""
    torch = sys.modules["torch"]
    is_exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)  # torch 2.7
    return torch._C._functorch.peek_interpreter_stack() is None and not is_exporting()


# As torch.compiler.assume_constant_result: torch's compiler calls it while it traces, and takes the answer for a fact.
# Within a trace some versions say of every compilation that it is an export.
_compiles_alone._dynamo_marked_constant = True  # type: ignore[attr-defined]


def torch_of_plain(a: Any, b: Any, /) -> Any:
    """torch, where both are its plain tensors on the CPU or on CUDA, and there is no derivative to be lost; or None.

    The same is said by `is_traced`, `needs_gradient` and `device_type`, which take longer to say it.
    """
    torch = _torch()
    if torch is None or type(a) is not torch.Tensor or type(b) is not torch.Tensor or _is_watching(torch):
        return None
    if a.requires_grad or b.requires_grad or torch.autograd.forward_ad._current_level >= 0:
        return None
    return torch if (a.is_cpu and b.is_cpu) or (a.is_cuda and b.is_cuda) else None


def are_on_cuda(a: Any, b: Any, /) -> bool:
    """Are both plain tensors of torch on CUDA, with nothing that watches them but its backward pass?"""
    torch = _torch()
    if torch is None or type(a) not in (torch.Tensor, torch.nn.Parameter) or type(b) is not torch.Tensor:
        return False
    return bool(a.is_cuda and b.is_cuda) and not (_is_watching(torch) or torch.autograd.forward_ad._current_level >= 0)


def device(array: Array, /) -> Any:
    """Where the array lives, as its library says it."""
    if _is_tensor(array):
        return array.device
    import array_api_compat

    return array_api_compat.device(array)


def on_cpu(array: Array, /) -> bool:
    if isinstance(array, np.ndarray):
        return True
    if library(array) == "torch":
        return bool(array.device.type == "cpu")
    try:
        return bool(array.__dlpack_device__()[0] == 1)
    except (AttributeError, BufferError, ValueError):
        return False


def device_type(array: Array, /) -> str:
    """The kind of device: cpu, cuda, …; "device" where the library gives no name, and for a stand-in without values."""
    if _is_tensor(array):
        return str(array.device.type)
    return "device" if is_traced(array) or not on_cpu(array) else "cpu"


def has_visible_values(array: Array, /) -> bool:
    """May the values be looked at without waiting for a device or breaking a trace?"""
    return isinstance(array, np.ndarray) or (not is_traced(array) and on_cpu(array))


def needs_gradient(array: Array, /) -> bool:
    """Would a result computed outside the array's library lose a derivative?"""
    torch = _torch()
    if torch is None or not isinstance(array, torch.Tensor):
        return False
    if torch.autograd.forward_ad._current_level >= 0:
        return True
    return bool(array.requires_grad and torch.is_grad_enabled())


def stop_gradient(array: Array, /) -> Array:
    """The same values, as a constant."""
    name = library(array)
    if name == "torch":
        return array.detach()
    if name == "jax":
        import jax

        return jax.lax.stop_gradient(array)
    return array


def repeat(count: int, step: Callable[[Any, Any], Any], state: Any, like: Array, /) -> Any:
    """state = step(k, state) for k = 0 … count − 1. A tracer sees one step, where its library has a loop of its own."""
    if library(like) == "jax":
        import jax

        return jax.lax.fori_loop(0, count, step, state)
    for k in range(count):
        state = step(k, state)
    return state


def quiet(array: Array, /) -> contextlib.AbstractContextManager[Any]:
    """Where NumPy says nothing of overflow and NaN. Other libraries never do, and their compilers stumble on this."""
    return np.errstate(all="ignore") if isinstance(array, np.ndarray) else contextlib.nullcontext()


def to_numpy(array: Array, /) -> np.ndarray:
    """The values as a NumPy array, shared where that is possible, copied from another device."""
    if isinstance(array, np.ndarray):
        return array
    array = stop_gradient(array)
    if library(array) == "torch":
        array = array.cpu()
    if library(array) == "cupy":
        return np.asarray(array.get())  # NumPy's DLPack takes no other device
    if dtype_name(array) == "bfloat16":
        array = cast(array, "float32")
    return np.asarray(array) if library(array) == "jax" else np.from_dlpack(array)


def contiguous(array: Any, dtype: Any = None, /) -> np.ndarray:
    """As kernels read it: in C order, and each number where one of its size may begin; copied only where it is not."""
    found = np.ascontiguousarray(array, dtype)
    return found if found.flags.aligned else found.copy()  # one packed row is in order, and not aligned


def from_numpy(array: np.ndarray, like: Array, /) -> Array:
    """The NumPy array in the library and on the device of `like`, sharing its memory where that is possible."""
    if isinstance(like, np.ndarray):
        return array
    xp = namespace(like)
    if library(like) != "torch":
        return xp.asarray(array)
    given = xp.from_dlpack(array)
    if like.device.type == "cuda" and array.nbytes <= SENT_AHEAD:  # a copy from pinned memory does not wait
        return given.pin_memory().to(like.device, non_blocking=True)
    return given.to(like.device)


SENT_AHEAD = 1 << 16
"""Bytes up to which an array goes to a CUDA device without waiting for it; pinning more would take longer."""


def tally(codes: Array, size: int, /) -> Array:
    """How often each number below `size` stands in each row, int64. No device is waited for."""
    if isinstance(codes, np.ndarray):
        return np.stack([np.bincount(row, minlength=size) for row in codes]) if len(codes) else np.zeros((0, size), int)
    xp = namespace(codes)
    rows, columns = (int(side) for side in codes.shape)
    # Equal numbers stand together in an image, and adding to one place has to wait: neighbours go to different lanes.
    where = codes * _LANES + xp.arange(columns, device=device(codes)) % _LANES
    if _is_tensor(codes):
        table = xp.zeros((rows, size * _LANES), dtype=codes.dtype, device=codes.device)
        table.scatter_add_(1, where, xp.ones((1, 1), dtype=codes.dtype, device=codes.device).expand(rows, columns))
    else:
        table = xp.zeros((rows, size * _LANES), dtype=codes.dtype).at[xp.arange(rows)[:, None], where].add(1)
    return xp.sum(xp.reshape(table, (rows, size, _LANES)), axis=-1)


_LANES = 32

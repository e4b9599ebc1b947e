"""What Triton serves, where it is installed: it comes with torch for CUDA."""

from __future__ import annotations

from importlib.util import find_spec

from vesica._kernels.generic import measure
from vesica._kernels.native.kernels import FORMULAS
from vesica._kernels.registry import Place, kernels, late, register

CUDA = Place("torch", "cuda", "plain")
IS_THERE = find_spec("triton") is not None

if IS_THERE:
    SERVED = {CUDA: "Triton kernels work on the device, without intermediates"}
    register(
        *kernels("triton", late("triton.measure.measure"), "measure", ("boxes",), SERVED, formulas=FORMULAS),
        *kernels("triton", late("triton.contingency.contingency"), "contingency", ("labels",), SERVED),
    )
else:
    WITHOUT = {CUDA: "the kernels for this device need triton, which is not installed: torch does the arithmetic"}
    register(*kernels("generic", measure.measure, "measure", ("boxes",), WITHOUT))

"""NumPy as a namespace of the array API, without what array-api-compat imports for it."""

import subprocess
import sys

import array_api_compat.numpy
import numpy as np
import pytest

from vesica._array import PLAIN, namespace


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="NumPy before 2.1 goes through array-api-compat")
@pytest.mark.parametrize("name", sorted(PLAIN))
def test_plain_names_are_the_same(name):
    assert getattr(np, name) is getattr(array_api_compat.numpy, name) is getattr(namespace(np.zeros(1)), name)


@pytest.mark.parametrize("name", ["argsort", "astype", "clip", "cumulative_sum", "unique_inverse", "nonzero"])
def test_others_are_those_of_the_array_api(name):
    assert getattr(namespace(np.zeros(1)), name) is getattr(array_api_compat.numpy, name)


def test_unknown_names():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = namespace(np.zeros(1)).no_such_name


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="NumPy before 2.1 goes through array-api-compat")
def test_boxes_do_not_import_all_of_numpy():
    code = """
import sys, numpy as np, vesica
vesica.Boxes(np.array([[0.0, 0.0, 4.0, 4.0]]), "xywh").to("cxcywh")
print([name for name in ("numpy.f2py", "numpy.ma", "numpy.testing") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

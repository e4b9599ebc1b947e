"""What a file of tests leaves changed in its process is seen, told and put back."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import leftovers


@pytest.fixture
def before():
    """The process as it is; whatever a test of the guard changes is put back, should the guard not do it."""
    found = leftovers.found()
    yield found
    leftovers.restored(found)


CHANGES = {
    "how NumPy prints": lambda _: np.set_printoptions(precision=3),
    "what NumPy does on errors": lambda _: np.seterr(all="raise"),
    "the folder": os.chdir,
}


@pytest.mark.parametrize("name", CHANGES)
def test_is_told_and_put_back(before, tmp_path, name):
    CHANGES[name](tmp_path)
    (line,) = leftovers.restored(before)
    assert line.startswith(f"{name}: ")
    assert leftovers.found() == before


def test_style_of_pictures(before):
    """As seaborn sets it when tidecv is imported; also where nobody had imported matplotlib before."""
    matplotlib = pytest.importorskip("matplotlib")
    styled = leftovers.found()
    for known in (styled, styled | {"matplotlib's style": None}):
        matplotlib.rcParams["axes.grid"] = not matplotlib.rcParams["axes.grid"]
        (line,) = leftovers.restored(known)
        assert line.startswith("matplotlib's style: axes.grid was ")
        assert leftovers.found() == styled


def test_torch(before):
    torch = pytest.importorskip("torch")
    torch.set_default_dtype(torch.float64)
    assert leftovers.restored(before | {"torch's dtype": torch.float32}) == [
        "torch's dtype: was torch.float32 and is torch.float64"
    ]


def test_what_libraries_do_is_put_back_without_a_word(before):
    os.environ["VESICA_LEFT_BEHIND"] = "1"
    sys.path.append("/nowhere")
    assert leftovers.restored(before) == []
    assert "VESICA_LEFT_BEHIND" not in os.environ and "/nowhere" not in sys.path


def test_nothing_changed(before):
    assert leftovers.restored(before) == []


def test_at_the_end_of_a_file(before):
    """The file that did it fails when it ends, and the next one is not blamed."""
    guard, (one, other) = leftovers.Guard(), (SimpleNamespace(path=Path(name)) for name in ("test_a.py", "test_b.py"))
    guard.pytest_runtest_setup()
    np.set_printoptions(precision=3)
    guard.pytest_runtest_teardown(one, one)
    with pytest.raises(pytest.fail.Exception, match=r"test_a\.py leaves the process changed\.\nhow NumPy prints: "):
        guard.pytest_runtest_teardown(one, other)
    guard.pytest_runtest_setup()
    guard.pytest_runtest_teardown(other, None)

"""Every example in a docstring runs. (Pages in docs/ and the README run as they are collected.)"""

import doctest
import importlib
import pkgutil

import pytest

import vesica
from installed import has
from vesica import plot
from vesica.overlaps.measures import MEASURES

MODULES = [
    module.name
    for module in pkgutil.walk_packages(vesica.__path__, "vesica.")
    if module.name.rpartition(".")[2] != "__main__"
]
NEEDS = {"vesica.integrations.torchmetrics": "torchmetrics", "vesica.integrations.transformers": "torch"}
NEEDS |= {name: "triton" for name in MODULES if name.startswith("vesica._kernels.triton.")}
"""Modules that are for those who have another library."""
DRAWING = [f"{getattr(plot, name).__module__}.{name}" for name in plot.__all__]
EXAMPLES_NEED = dict.fromkeys([*DRAWING, "vesica.report.write", "vesica.report.charts.chart"], "matplotlib")
EXAMPLES_NEED |= {
    "vesica.dataset.Dataset.from_arrow": "pyarrow",
    "vesica.dataset.Dataset.to_arrow": "pyarrow",
    "vesica.scale.detection.evaluate": "pyarrow",
    "vesica.scale.objects.write_objects": "pyarrow",
}
"""Docstrings whose examples need another library, in modules that do without."""


def run(tests):
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    return runner.summarize(verbose=False)


def of_its_part(name):
    """With the mark of what it needs: all of these stand on torch."""
    return pytest.param(name, marks=pytest.mark.torch) if name in NEEDS else name


@pytest.mark.parametrize("name", [of_its_part(name) for name in ("vesica", *MODULES)])
def test_module(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    tests = [test for test in doctest.DocTestFinder().find(importlib.import_module(name)) if test.examples]
    lacking = {EXAMPLES_NEED[test.name] for test in tests if not has(EXAMPLES_NEED.get(test.name))}
    can_run = [test for test in tests if has(EXAMPLES_NEED.get(test.name))]
    if lacking and not can_run:
        pytest.skip(f"{', '.join(lacking)} is not installed")
    assert run(can_run).failed == 0


@pytest.mark.parametrize("name", MEASURES)
def test_measure(name):
    """Measures are objects, which doctest does not look into by itself."""
    test = doctest.DocTestParser().get_doctest(MEASURES[name].__doc__, dict(MEASURES), name, None, 0)
    outcome = run([test])
    assert outcome.attempted and outcome.failed == 0


def test_there_are_examples():
    found = [
        test
        for name in MODULES
        if name not in NEEDS
        for test in doctest.DocTestFinder().find(importlib.import_module(name))
        if test.examples
    ]
    assert {"Boxes", "RotatedBoxes", "join", "best", "parts"} <= {test.name.rpartition(".")[2] for test in found}

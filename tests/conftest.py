"""Fixtures: every array library that is there, and what a fast path must not touch. Profiles, and marks by path."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import gc
import importlib
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from backends import careful, forbidden
from leftovers import Guard
from undrawn import leave_undrawn
from worker_memory import Frugal

# Machines differ in speed: a slow example is no fault of the code. The same commit gets the same verdict, so the
# examples are the same each time, and few: depth is for `make fuzz` and every night. What chance finds there becomes an
# @example of its test.
_SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "test", deadline=None, max_examples=40, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("quick", settings.get_profile("test"), max_examples=10)
settings.register_profile("fuzz", deadline=None, max_examples=1500, print_blob=True)
settings.load_profile(os.environ.get("VESICA_PROFILE", "test"))

# Before Triton is imported: its kernels for CUDA run here step by step, on the CPU.
os.environ["TRITON_INTERPRET"] = "1"

# Before JAX is imported, for it is one switch for all tests: float64 as everywhere else.
os.environ["JAX_ENABLE_X64"] = "1"

MARKS = {
    "parity": ["parity/*"],
    "fuzz": ["test_fuzz.py"],
    "memory": ["test_memory.py"],
    "torch": [
        "test_triton*.py",
        "test_adapters.py",
        "test_torchmetrics.py",
        "test_training.py",
        "test_transformers.py",
        "parity/test_segmentation_libraries.py",
        *(f"../docs/{page}.md" for page in "backends measures recipes scores sparse training".split()),
        "../README.md",
    ],
    # What starts browsers, clusters and commands: those hold memory of their own.
    "processes": """
        browser/* faults/* test_scale*.py test_checkpoints.py test_cli_rules.py test_cli_examples.py test_demo.py
        test_option_values.py test_types.py test_first_hour.py test_compat_scripts.py test_completions.py test_memory.py
        test_fuzz.py test_mutants.py test_recipes.py test_examples.py test_many_threads.py test_package.py
    """.split(),
    "docs": ["test_docstrings.py", "../docs/*", "../README.md"],
    # More than a second of work that no smaller number of examples shortens; and what compiles or starts processes (see
    # below).
    "slow": """
        parity/* test_training.py test_compat.py test_report_pages.py *TestTwoProcesses* test_triton*.py
        *_memory* *hundred_thousand_rows* *hostile_yaml* *test_transformations* *test_padded*
        test_anchors.py::*test_native_is_its_twin* test_boundary.py::TestSeams::* test_coco_file.py::*test_templates*
        test_coco_masks.py::TestAgainstPycocotools::* test_grid.py::*test_gradient* test_kernels.py::TestTwin::*
        test_losses.py::TestGradients::* test_losses.py::TestDegenerate::* test_losses.py::TestTracing::*
        test_matching.py::TestKernel::* test_measures.py::TestOracles::test_all_close* test_nms.py::TestWalk::*
        test_package.py::*test_no_star_imports* test_result.py::TestPairs::* test_sparse.py::TestOtherLibraries::*
        test_coco_file.py::*test_mutations* test_compat_coco.py::TestFiles::* ../docs/training.md
        test_plot_images.py test_plot_overlap.py::TestTwentyAtRandom::* test_plot_overlap.py::TestLetters::*
        test_plot_*::TestAll::* test_plot_cli.py::*test_every_picture* test_report.py::*test_policy_comes_first*
        test_soft.py::TestSizes::* test_soft.py::*test_many_boxes_under_every* test_atomic.py::TestOnePlace::*
        test_label_files.py::*behind_a_pipe* test_tolerances.py::*test_pedestrians* test_parquet.py::TestBombs::*
        test_anchor_free.py::TestIsThePlainLoop::* test_kernels.py::*test_torch_transformations* ../docs/report.md
        test_explain.py::*test_of_findings* test_option_words.py::*test_every_text* test_lane.py::*forward_gradient*
        test_plot_overlap.py::*test_masks_of_every_form* test_coco_file.py::*test_longer_than_a_window*
        test_gate_files.py::*test_streams* test_plot_cli.py::TestFiles::* test_segmentation_resampled.py::*repeated*
        test_losses.py::TestLovasz::test_steps* test_strips.py::TestShared::* test_polygons.py::TestOracles::*
        test_eval.py::TestProgress::test_shows_a_bar* test_kernels.py::TestIsa::* test_kernels.py::TestKeptMemory::*
        test_habits.py::TestCommandLine::*missing* test_atomic.py::TestSpecialFiles::* test_cli.py::*standard_input*
        test_check_damages.py::TestDamages::* test_rotated_scores.py::TestIsPycocotools*
    """.split(),
    "native": [
        f"test_{noun}.py"
        for noun in (
            "join best rotated kernels masks rle sparse pixels polygons raster labels sets anchors kmeans soft fusion "
            "nmm nms nms_batched matching decimals json coco_file records lane threshold surfaces components panoptic "
            "resampling vote_patterns staple dawid_skene"
        ).split()
    ],
}
"""Which files, or tests of a file, have which mark, seen from this folder."""


ONE_AT_A_TIME = {
    # A type checker, a cluster and a browser hold more than a worker: first of all, as long as workers are small.
    "processes": "test_types.py test_scale_ray.py browser/test_report.py".split(),
    # What brings pandas, scikit-learn, statsmodels, OpenCV, Numba and SciPy's distributions: to one worker.
    "not": """
        test_losses.py parity/test_lvis.py test_labels.py test_parquet.py test_compare_detection.py test_comparison.py
        test_bands.py test_boundary.py test_raster.py test_sparse.py test_coefficients.py test_curves.py test_sets.py
        test_label_map_agreement.py test_masks.py test_pixel_ledger.py test_habits.py test_explained.py test_causes.py
        test_confusion.py parity/test_agreement_libraries.py ../docs/masks.md ../docs/two_annotators.md
        ../docs/agreement.md ../docs/causes.md ../docs/datasets.md ../docs/polygons.md
    """.split(),
    # What compares JAX with torch: one worker has loaded both.
    "jax": "test_losses.py test_labels.py test_masks.py test_far_boxes.py test_registry.py".split(),
    # Further processes that load torch; and what it compiles, for which more is loaded.
    "torch": """
        test_torchmetrics.py test_scale_recipes.py test_losses.py test_triton_compile.py test_far_boxes.py test_grid.py
        test_kernels.py test_nms_batched.py test_registered_measure.py test_compat_scripts.py test_adapters.py
        test_lane.py test_registry.py test_docstrings.py test_explained.py test_triton_devices.py
        parity/test_segmentation_libraries.py ../docs/training.md
    """.split(),
}
"""Files that one worker has, one after another, in the part of `make test` that begins with such a word: for memory."""

FIRST = [
    *ONE_AT_A_TIME["processes"],
    *"""
    faults/test_killed_writers.py faults/test_streams.py faults/test_signals.py test_cli_rules.py test_cli_examples.py
    faults/test_full_disk.py faults/test_kernel_sizes.py faults/test_many_writers.py test_demo.py test_checkpoints.py
    test_scale.py test_compat_scripts.py faults/test_interrupted_files.py test_first_hour.py
    faults/test_fork.py test_torchmetrics.py test_scale_recipes.py test_triton_compile.py test_losses.py
    test_triton_regions.py test_training.py test_triton.py
    test_score_counts.py test_strips.py parity/test_lvis.py test_parquet.py test_kernels.py
    test_check_damages.py faults/test_io_errors.py test_report_pages.py parity/test_detection.py
    test_interval_coverage.py test_report.py test_compare_detection.py
    """.split(),
]
"""What begins first: what needs room, while workers are small; then what takes long, so that no worker is left alone
with it at the end."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Who tests what: a worker has whole files, and one of them all of ONE_AT_A_TIME."""
    from xdist.scheduler import LoadFileScheduling

    together = ONE_AT_A_TIME.get(config.option.markexpr.partition(" ")[0], [])

    class Scheduler(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            name = file.removeprefix("tests/") if file.startswith("tests/") else f"../{file}"
            return "one at a time" if name in together else file

        # By itself it looks at all tests once more whenever one has ended, which is a second in ten thousand tests.

        def add_node_collection(self, node: Any, collection: Any) -> None:
            super().add_node_collection(node, collection)
            if node in self.registered_collections:
                self.registered_collections[node] = Places(self.registered_collections[node])

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            super().mark_test_complete(node, item_index, duration)
            scope = self._split_scope(self.registered_collections[node][item_index])
            if all(self.assigned_work[node].get(scope, {"": False}).values()):
                del self.assigned_work[node][scope]

    return Scheduler(config, log)


class Places(list[str]):
    """A list of different names that knows where each of them is."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self._places = {name: place for place, name in enumerate(names)}

    def index(self, name: str) -> int:  # type: ignore[override]
        return self._places[name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    order = {here / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: order.get(item.path, len(order)))
    inner = _inner_rows_of_jax(items)
    items[:] = [item for item in items if item not in inner and not _is_once_more(item)]
    marks = {mark: re.compile("|".join(map(fnmatch.translate, patterns))) for mark, patterns in MARKS.items()}
    relative = functools.cache(lambda path: Path(os.path.relpath(path, here)).as_posix())
    for item in items:
        path = relative(item.path)
        names = (path, f"{path}::{item.nodeid.partition('::')[2]}")
        for mark, pattern in marks.items():
            if any(map(pattern.match, names)):
                item.add_marker(mark)
        if _names(item, "jax"):
            item.add_marker("jax")
            item.add_marker("compile")  # each operation for each shape
        if _names(item, "torch"):
            item.add_marker("torch")
        if any(item.get_closest_marker(mark) is not None for mark in ("compile", "processes")):
            item.add_marker("slow")
        for mark in ("jax", "torch"):
            if item.get_closest_marker(mark) is not None:
                assert _may_have(item.path, mark), "pytest_ignore_collect would leave out a file with such a test"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without a test that the marks of `make quick`, or of one part of `make test`, ask for are not imported."""
    asked = config.option.markexpr
    named = {*re.findall(r"\w+", asked)} - {"and", "or", "not"}
    if collection_path.suffix not in (".py", ".md") or not named or not named <= {"jax", "torch", "processes", "slow"}:
        return None
    starts = _is_of(collection_path, "processes")
    has = {
        "processes": (starts,),
        "slow": (starts or _is_of(collection_path, "slow"), True),
        "torch": (_is_of(collection_path, "torch"), _may_have(collection_path, "torch")),
        "jax": (False, _may_have(collection_path, "jax")),
    }
    combined = (dict(zip(has, marks, strict=True)) for marks in itertools.product(*has.values()))
    return None if any(eval(asked, {}, marks) for marks in combined) else True


def _is_of(path: Path, mark: str) -> bool:
    """Do all tests of a file have a mark?"""
    seen = Path(os.path.relpath(path, Path(__file__).parent)).as_posix()
    return any(fnmatch.fnmatch(seen, pattern) for pattern in MARKS[mark])


@functools.cache
def _may_have(path: Path, mark: str) -> bool:
    """Does a file name what tests with this mark need, or is it one of theirs?"""
    if mark in MARKS and _is_of(path, mark):
        return True
    named = rf"\bxp\b|{mark}(?!')"  # single quotes stand in programs that tests start
    return re.search(named, path.read_text(encoding="utf-8")) is not None


def _is_once_more(item: pytest.Item) -> bool:
    """A test of a library that has no lane, once more without the lane?"""
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("both_ways") == "careful" and call.params.get("xp") in NO_LANE


def _inner_rows_of_jax(items: list[pytest.Item]) -> set[pytest.Item]:
    """Of each table of cases all tests of JAX but the first and the last.

    It compiles each operation for each shape, and runs the same array code as the libraries that take all rows.
    """
    tables: dict[str, list[pytest.Item]] = {}
    for item in items:
        call = getattr(item, "callspec", None)
        if call is not None and call.params.get("xp") == "jax":
            tables.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return {item for rows in tables.values() for item in rows[1:-1]}


def _names(item: pytest.Item, library: str) -> bool:
    """Does its name say so, or does it name the library itself?"""
    function = getattr(item, "function", None)
    code = getattr(getattr(getattr(function, "hypothesis", None), "inner_test", function), "__code__", None)
    return _whole(library).search(item.name) is not None or _is_named(code, library)


@functools.cache
def _whole(library: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z]){library}(?![a-z])")


@functools.cache
def _is_named(code: Any, library: str) -> bool:
    """All rows of a table are tests of one function."""
    named = () if code is None else (*code.co_consts, *code.co_names)
    return any(isinstance(one, str) and _whole(library).match(one) for one in named)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays to the end: the garbage collector need not look through it.

    And it need not look at every 700 new objects, of which a chart has thousands; the end of each file has one look.
    """
    gc.disable()
    yield
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    for plugin in (Guard(), Frugal(config)):  # hooks of this file do not see the pages of docs/
        config.pluginmanager.register(plugin)


def pytest_report_header() -> str:
    import vesica

    return f"vesica: {vesica.__version__} from {Path(vesica.__file__).parent}"


class Library:
    """An array library behind one way to make arrays of it and one way back."""

    def __init__(self, name: str, module: str, make: Callable[[np.ndarray, Any], Any]) -> None:
        self.name, self._module, self._make = name, module, make

    @property
    def module(self) -> Any:
        return importlib.import_module(self._module)

    def __call__(self, values: Any, dtype: str = "float64") -> Any:
        return self._make(np.asarray(values, dtype), self.module)

    def __repr__(self) -> str:
        return self.name

    @staticmethod
    def back(array: Any) -> np.ndarray:
        return np.asarray(array.detach() if hasattr(array, "detach") else array)


def _read_only(values: np.ndarray, _: Any) -> np.ndarray:
    values = values.copy()
    values.setflags(write=False)
    return values


LIBRARIES = {
    "numpy": Library("numpy", "numpy", lambda values, _: values),
    "read-only numpy": Library("read-only numpy", "numpy", _read_only),
    "array-api-strict": Library("array-api-strict", "array_api_strict", lambda values, xp: xp.asarray(values)),
    "torch": Library("torch", "torch", lambda values, xp: xp.from_numpy(values.copy())),
    "torch with gradient": Library(
        "torch with gradient",
        "torch",
        lambda values, xp: xp.from_numpy(values.copy()).requires_grad_(values.dtype.kind == "f"),
    ),
    "jax": Library("jax", "jax.numpy", lambda values, xp: xp.asarray(values)),
}


NO_LANE = ("array-api-strict", "torch with gradient", "jax")


@pytest.fixture(params=list(LIBRARIES))
def xp(request: pytest.FixtureRequest) -> Library:
    """Each array library in turn; those that are not installed are skipped."""
    library = LIBRARIES[request.param]
    pytest.importorskip(library._module.partition(".")[0])
    return library


@pytest.fixture(scope="module", params=["lane", "careful"])
def both_ways(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test twice: what is stated of small calls is stated of the fast lane and of the careful path."""
    with contextlib.nullcontext() if request.param == "lane" else careful():
        yield


@pytest.fixture
def no_twin() -> Iterator[None]:
    """Break the generic kernels: a call that still answers took the fast path."""
    with forbidden("generic"):
        yield


@pytest.fixture
def no_native() -> Iterator[None]:
    """Break the native kernels: a call that still answers took the generic path."""
    with forbidden("native"):
        yield


@pytest.fixture(scope="session")
def stats() -> Any:
    """SciPy's distributions. They are large: the worker loads them that has such a test."""
    return importlib.import_module("scipy.stats")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the charts of reports undrawn, which takes seconds: for tests of all else."""
    leave_undrawn(monkeypatch)


@pytest.fixture
def each_isa() -> Iterator[Callable[[Callable[[], Any]], dict[str, Any]]]:
    """Run a function under every instruction set this machine has; put the best one back."""
    from vesica import _native

    best_one = _native.isa()

    def under_each(work: Callable[[], Any]) -> dict[str, Any]:
        answers = {}
        for name in ("avx512", "avx2", "baseline"):
            _native.limit_isa(name)
            answers[_native.isa()] = work()
        return answers

    yield under_each
    _native.limit_isa(best_one)

"""The package itself: what it exports, imports and says when its core is missing."""

import ast
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vesica

HEAVY = ("torchmetrics", "torch", "jax", "matplotlib", "rich", "ray", "scipy", "shapely")


def python(code, *arguments):
    return subprocess.run([sys.executable, *arguments, "-c", code], capture_output=True, text=True)


class TestNames:
    def test_all_is_sorted_and_small(self):
        assert vesica.__all__ == sorted(vesica.__all__) and len(vesica.__all__) <= 60

    def test_all_is_there_and_documented(self):
        for name in vesica.__all__:
            assert (getattr(vesica, name).__doc__ or "").strip(), name
        assert set(vesica.__all__) <= set(dir(vesica))

    def test_names_are_not_shadowed_by_modules(self):
        code = (
            "import importlib, pkgutil, types, vesica\n"
            "for m in pkgutil.walk_packages(vesica.__path__, 'vesica.'):\n"
            "    if {'__main__', 'integrations', 'triton'}.isdisjoint(m.name.split('.')):\n"
            "        importlib.import_module(m.name)\n"
            "assert not [n for n in vesica.__all__ if isinstance(getattr(vesica, n), types.ModuleType)]\n"
        )
        assert python(code).stderr == ""

    def test_unknown(self):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            vesica.nothing

    def test_version_is_the_installed_one(self):
        from importlib.metadata import version

        assert version("vesica") == vesica.__version__


class TestImports:
    def test_import_is_light(self):
        code = (
            "import sys, vesica; vesica.iou([[0, 0, 1, 1]], [[0, 0, 1, 1]])\n"
            f"print([m for m in {HEAVY} if m in sys.modules])"
        )
        assert python(code).stdout.strip() == "[]"

    def test_scores_of_coco_files_load_nothing_else(self, tmp_path):
        """Every fresh process waits for what is imported: other formats, archives, statistics and tables of kernels."""
        box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "segmentation": [[0, 0, 4, 0, 4, 4, 0, 4]]}
        truth = {
            "images": [{"id": 1, "height": 9, "width": 9}],
            "annotations": [{"id": 1, "area": 16, "iscrowd": 0, **box}],
            "categories": [{"id": 1, "name": "cat"}],
        }
        paths = [str(tmp_path / name) for name in ("truth.json", "guess.json")]
        for path, content in zip(paths, (truth, [{"score": 0.9, **box}]), strict=True):
            Path(path).write_text(json.dumps(content))
        late = ("zipfile", "gzip", "pathlib", "hashlib", "difflib", "vesica.regions", "vesica.statistics")
        late += ("vesica.io.archives", "vesica.io.labelme", "vesica.io.labelstudio", "vesica.io.folders")
        late += ("vesica._kernels.registry", "vesica._kernels.tables", "vesica.results.gates")
        code = (
            "import sys, numpy\nbefore = set(sys.modules)\nimport vesica\n"
            f"for kind in ('box', 'mask', 'boundary'): vesica.evaluate(*{paths}, regions=kind).stats\n"
            f"print(sorted(set({late}) & set(sys.modules) - before))"
        )
        assert python(code).stdout.strip() == "[]"

    def test_help_needs_no_numpy(self):
        code = (
            "import sys\nfrom vesica.cli import main\n"
            "try: main(['--help'])\nexcept SystemExit: pass\n"
            "assert 'numpy' not in sys.modules\n"
        )
        assert python(code).stderr == ""

    def test_missing_core_says_how_to_build(self):
        run = python("import sys; sys.modules['vesica._native'] = None; import vesica; vesica.iou")
        assert run.returncode and "Build it with `pip install .`" in run.stderr

    def test_typed(self):
        assert (Path(vesica.__file__).parent / "py.typed").exists()

    def test_stable_abi(self):
        """One wheel for Python 3.12 and later; nanobind has no stable ABI before."""
        from vesica import _native

        assert ("abi3" in Path(_native.__file__).name) == (sys.version_info >= (3, 12) and sys.platform != "win32")


class TestSource:
    """Rules that a reader relies on."""

    FILES = sorted(Path(vesica.__file__).parent.rglob("*.py"))

    def test_only_one_place_imports_array_api_compat(self):
        users = {f.name for f in self.FILES if "import array_api_compat" in f.read_text()}
        assert users == {"_array.py"}

    def test_only_kernels_touch_the_compiled_core(self):
        assert {f.parent.name for f in self.FILES if "import _native" in f.read_text()} == {"native"}

    def test_arrays_are_positional_and_options_are_keywords(self):
        from inspect import Parameter, signature

        for name in ("iou", "tversky", "join", "best", "parts"):
            for p in signature(getattr(vesica, name)).parameters.values():
                wanted = (
                    Parameter.POSITIONAL_ONLY if p.name in "ab" else (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
                )
                assert p.kind == wanted or p.kind in tuple(wanted if isinstance(wanted, tuple) else ()), (name, p)

    def test_no_star_imports(self):
        for file in self.FILES:
            text = file.read_text()
            if re.search(r"import[\s\\]*\*", text):  # or else it need not be parsed
                nodes = ast.walk(ast.parse(text))
                stars = [n for n in nodes if isinstance(n, ast.ImportFrom) and any(a.name == "*" for a in n.names)]
                assert not stars, file


def test_every_test_is_in_one_part():
    """`make test` runs several parts, by marks: whatever marks a test has, one of them asks for it."""
    makefile = Path(__file__).parents[1] / "Makefile"
    if not makefile.exists():
        pytest.skip("the wheel alone has no Makefile")
    asked = re.findall(r'^\t\$\(PYTEST\) -m "(.*)"$', makefile.read_text(), re.MULTILINE)
    names = sorted({*re.findall(r"\w+", " ".join(asked))} - {"and", "or", "not"})
    assert len(asked) > 1 and names
    for values in itertools.product((False, True), repeat=len(names)):
        marks = dict(zip(names, values, strict=True))
        assert sum(bool(eval(one, {}, marks)) for one in asked) == 1, marks


class TestTests:
    """Wheels are tested with few other libraries (the group "bare"): a test that needs more is skipped there, a file
    that imports more cannot even be collected."""

    HERE = Path(__file__).parent
    THERE = {
        *("array_api_compat", "numpy", "rich", "vesica"),  # with the wheel
        *("array_api_strict", "defusedxml", "hypothesis", "PIL", "pycocotools", "pytest", "scipy", "shapely", "yaml"),
        *sys.stdlib_module_names,
    }

    @pytest.mark.parametrize(
        "file", sorted(HERE.rglob("test_*.py")), ids=lambda file: file.relative_to(Path(__file__).parent).as_posix()
    )
    def test_imports_are_there(self, file):
        ours = {path.stem for path in self.HERE.iterdir()} | {"benchmarks", "docs", "examples", "tests"}
        text = file.read_text()
        asked = {name.partition(".")[0] for name in re.findall(r'^\w.*importorskip\("([\w.]+)"\)', text, re.MULTILINE)}
        assert _imported(ast.parse(text)) <= self.THERE | ours | asked


def _imported(module):
    """The libraries that the statements of a file import, those inside functions left out."""
    found = set()
    for node in module.body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.partition(".")[0])
    return found


class TestRepository:
    """Rules that a visitor relies on."""

    ROOT = Path(__file__).parents[1]

    def test_readme_has_no_relative_links(self):
        """PyPI shows it, and knows no other file of ours."""
        links = re.findall(r"\]\(([^)]*)\)", (self.ROOT / "README.md").read_text())
        assert links and not [link for link in links if not link.startswith("https://")]

    def test_readme_links_lead_to_files(self):
        links = re.findall(r"/vesica/vesica/blob/main/([^)#]*)", (self.ROOT / "README.md").read_text())
        assert links and not [link for link in links if not (self.ROOT / link).is_file()]

    def test_pages_link_to_pages(self):
        for page in (self.ROOT / "docs").glob("*.md"):
            links = re.findall(r"\]\(([^)#:]*)(?:#[^)]*)?\)", page.read_text())
            assert not [link for link in links if link and not (page.parent / link).is_file()], page.name

    def test_every_page_is_in_the_contents(self):
        pages = {page.name for page in (self.ROOT / "docs").glob("*.md")} - {"index.md"}
        assert pages == {*re.findall(r"\]\((\w+\.md)\)", (self.ROOT / "docs" / "index.md").read_text())}

    def test_the_picture_shows_what_is_measured(self):
        """The three pairs of README's picture: two boxes, a cross and a box, a box and the same turned by 45°."""
        shown = re.findall(r">[^<>=]+ = ([\d.]+)<", (self.ROOT / "docs" / "overlap.svg").read_text())
        cross = np.zeros((1, 5, 5), bool)
        cross[0, 1:4, 2] = cross[0, 2, 1:4] = True
        diamond = vesica.RotatedBoxes([[2, 2, 4, 4, 45]], unit="deg", direction="cw")
        square = [[0, 0, 4, 4]]
        pairs = [(square, [[1, 1, 5, 5]]), (cross, [[1.5, 1.5, 3.5, 3.5]]), (square, diamond)]
        found = [vesica.iou(*pair).item() for pair in pairs]
        assert [len(text) for text in shown] == [5, 3, 6]
        assert [float(text) for text in shown] == [
            round(value, len(text) - 2) for value, text in zip(found, shown, strict=True)
        ]

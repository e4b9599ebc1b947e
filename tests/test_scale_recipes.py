"""The scripts of docs/scale_recipes.md run as they stand, and have the result of one run to the byte."""

import importlib.util
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vesica
from installed import has

if not has("pyarrow"):
    pytest.skip("pyarrow is not installed", allow_module_level=True)

PAGE = Path(__file__).parents[1] / "docs" / "scale_recipes.md"
SOURCE = Path(vesica.__file__).parents[1]
PARTS, IMAGES = 4, 22


def scripts():
    """The blocks of the page, by the names that their first lines give them; those without are numbered."""
    blocks = re.findall(r"^```(?:python|bash)\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    named = {}
    for number, block in enumerate(blocks):
        name = re.search(r"^# (\w+\.\w+)$", block, re.MULTILINE)
        named[name[1] if name else number] = block
    return named


def sides(ids):
    rng = np.random.default_rng(3)
    boxes = np.concatenate([rng.uniform(0, 80, (5 * len(ids), 2)), rng.uniform(5, 20, (5 * len(ids), 2))], 1)
    image, category = np.repeat(ids, 5), rng.integers(0, 3, 5 * len(ids))
    tables = {"form": "xywh", "image": image, "category": category, "categories": {0: "cat", 1: "dog", 2: "cow"}}
    truth = vesica.Dataset.from_arrays(boxes, **tables)
    moved = boxes + rng.normal(0, 1, boxes.shape) * [1, 1, 0, 0]
    return truth, vesica.Dataset.from_arrays(moved, score=rng.random(len(boxes)).round(2), **tables)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the page's scripts and four uneven parts."""
    from pyarrow import parquet as pq  # late: another worker needs none of it

    monkeypatch.chdir(tmp_path)
    truth, guess = sides(np.arange(IMAGES))
    table = truth.to_arrow().append_column("guess", guess.to_arrow().column("guess"))
    order, ends = np.random.default_rng(1).permutation(IMAGES), [0, 1, 13, 15, IMAGES]
    Path("parts").mkdir()
    for part in range(PARTS):
        pq.write_table(table.take(order[ends[part] : ends[part + 1]]), f"parts/part-0000{part}.parquet")
    Path("images.txt").write_text("".join(f"{k}\n" for k in range(IMAGES)))
    for name, text in scripts().items():
        if isinstance(name, str):
            Path(name).write_text(text)
    return tmp_path


def whole():
    return vesica.evaluate(*sides(np.arange(IMAGES)))


def environment(**more):
    paths = os.pathsep.join([str(SOURCE), os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": paths, "PYTHONWARNINGS": "ignore"} | more


def run(*words, **more):
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env=environment(**more), timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def has(package):
    """Is it there? Then its recipe must run."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")


# The name of a script, and what it needs.
RECIPES = {"spark.py": "pyspark", "dask_fold.py": "dask", "beam.py": "apache_beam"}


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_recipe(here, name):
    has(RECIPES[name])
    if name == "spark.py" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    script = Path(name).read_text()
    assert "print(result)" in script
    Path(name).write_text(script.replace("print(result)", "open('result.json', 'w').write(result.to_json())"))
    run(name, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    assert Path("result.json").read_text() == whole().to_json()


def test_the_functions(here):
    """They are all that the recipes need: any tree, in any order."""
    namespace = {}
    exec(Path("functions.py").read_text(), namespace)
    shards = [namespace["shard"](str(path)) for path in sorted(Path("parts").glob("*.parquet"))]
    join = namespace["join"]
    a, b, c, d = shards
    trees = [join(join(a, b), join(c, d)), join(d, join(c, join(b, a))), join(join(join(b, d), a), c)]
    assert len({*trees}) == 1
    assert namespace["scores"](trees[0]).to_json() == whole().to_json()


def test_other_kinds(tmp_path):
    """The table of what else merges."""
    from vesica.agreement import AgreementResult
    from vesica.segmentation import SegmentationResult

    rng = np.random.default_rng(0)
    maps = rng.integers(0, 3, (2, 4, 8, 8)).astype(np.uint8)
    scored = [
        vesica.evaluate_segmentation(*maps[:, rows], images=ids, categories=3).to_bytes()
        for rows, ids in ((slice(0, 1), ["a"]), (slice(1, 4), ["b", "c", "d"]))
    ]
    a, b = map(SegmentationResult.from_bytes, scored)
    every = vesica.evaluate_segmentation(*maps, images=list("abcd"), categories=3)
    assert a.merge(b).to_json() == b.merge(a).to_json() == every.to_json()
    people = []
    for ids in (np.arange(3), np.arange(3, 9), np.arange(9)):
        truth, guess = (side.rows(np.isin(side.images.ids[side.image], ids)) for side in sides(np.arange(9)))
        drawn = {
            who: vesica.Dataset.from_arrays(
                side.xywh, form="xywh", image=side.images.ids[side.image], images=ids,
                category=side.categories.ids[side.category], categories=side.categories,
            )
            for who, side in (("ann", truth), ("ben", guess))
        }  # fmt: skip
        people.append(vesica.evaluate_agreement(drawn).to_bytes())
    a, b, every = map(AgreementResult.from_bytes, people)
    assert a.merged(b).to_bytes() == b.merged(a).to_bytes() == every.to_bytes()


SBATCH = r"""#!/bin/bash
# Runs at once what the scheduler would run: every id of an array, the last first; what depends on it afterwards.
case "$*" in
  *--wrap*) [[ "$*" == *--dependency=afterok:17* ]] && bash -c "${@: -1}" ;;
  *)
    script="${@: -1}"
    range=$(grep -oP '(?<=#SBATCH --array=)\S+' "$script")
    for id in $(seq "${range#*-}" -1 "${range%-*}"); do
      SLURM_ARRAY_TASK_ID=$id bash "$script" > "slurm-17_$id.out" || exit 1
    done
    echo 17 ;;
esac
"""


@pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="SLURM has a shell")
class TestSlurm:
    @pytest.fixture
    def submit(self, here):
        programs = {"sbatch": SBATCH, "vesica": f'#!/bin/bash\nexec "{sys.executable}" -m vesica "$@"\n'}
        Path("bin").mkdir()
        for name, text in programs.items():
            Path("bin", name).write_text(text)
            Path("bin", name).chmod(0o755 | stat.S_IXUSR)
        (lines,) = (text for name, text in scripts().items() if not isinstance(name, str))

        def done():
            path = f"{here / 'bin'}{os.pathsep}{os.environ['PATH']}"
            return subprocess.run(
                ["bash", "-c", lines], env=environment(PATH=path), capture_output=True, text=True, timeout=900
            )

        return done

    def test_array(self, submit):
        done = submit()
        assert done.returncode == 0, done.stderr
        found = json.loads(Path("scores.json").read_text())
        assert found.pop("gates") == [] and found == json.loads(whole().to_json())
        assert sorted(path.name for path in Path("records").iterdir()) == [f"{k}.records" for k in range(PARTS)]

    def test_a_job_that_was_lost(self, submit):
        Path("parts/part-00001.parquet").unlink()
        Path("score.sh").write_text(Path("score.sh").read_text().replace("0-3", "0-2"))
        done = submit()
        told = json.loads(Path("scores.json").read_text())
        assert done.returncode == told["exit"] == 3
        assert "12 of 22 expected images were in no part" in told["error"] and "`--partial`" in told["error"]


@pytest.mark.slow
def test_torch_distributed(here):
    """Two processes, gloo, seven images: one of them is seen by both."""
    pytest.importorskip("torch")
    script = Path("epoch.py").read_text()
    assert "    print(result)\n" in script
    Path("epoch.py").write_text(
        script.replace("if dist.get_rank() == 0:\n    print(result)", "told = result.to_json()").replace(
            "dist.destroy_process_group()",
            "open(f'{dist.get_rank()}.json', 'w').write(told)\n"
            "open(f'{dist.get_rank()}.seen', 'w').write(str(len(evaluator)))\ndist.destroy_process_group()",
        )
    )
    namespace = {}
    exec(script.partition("dist.init")[0], namespace)
    alone = vesica.Evaluator(categories={1: "cat", 2: "dog"})
    for number in range(7):
        alone.update(*namespace["image"](number), image=number, form="xywh")
    run("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "epoch.py", OMP_NUM_THREADS="1")
    assert [Path(f"{rank}.seen").read_text() for rank in (0, 1)] == ["4", "4"]  # 8 of 7 images
    told = [Path(f"{rank}.json").read_text() for rank in (0, 1)]
    assert told[0] == told[1]
    found, want = json.loads(told[0]), json.loads(alone.compute().to_json())
    notes = [note for note in found.pop("notes") if note["rule"] == "M1"]
    want.pop("notes")
    assert found == want and [note["count"] for note in notes] == [1]

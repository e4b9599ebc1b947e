"""A metric of torchmetrics: the numbers of one run, however the images are spread and carried about."""

import copy
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import vesica
from installed import has

torch = pytest.importorskip("torch")
if not has("torchmetrics"):
    pytest.skip("torchmetrics is not installed", allow_module_level=True)

from metric_images import CATEGORIES, SHARES, images  # noqa: E402

HERE = Path(__file__).parent


def metric_of(**options):
    from vesica.integrations.torchmetrics import DetectionMetric  # late: it is large, and one worker has these tests

    return DetectionMetric(**options)


def collection_of(metrics, **options):
    from torchmetrics import MetricCollection  # late: as above

    return MetricCollection(metrics, **options)


def whole(guesses, truths, **options):
    evaluator = vesica.Evaluator(categories=CATEGORIES, **options)
    evaluator.update(truths, guesses)
    return evaluator.compute()


def numbers(metric):
    return {name: value.item() for name, value in metric.compute().items()}


def filled(**options):
    metric = metric_of(categories=CATEGORIES, **options)
    guesses, truths = images()
    for first in range(0, 12, 5):
        metric.update(guesses[first : first + 5], truths[first : first + 5])
    return metric


@pytest.fixture(scope="module")
def answer():
    return {name: torch.tensor(value).item() for name, value in whole(*images()).flat().items()}


class TestMetric:
    def test_batches_are_one_run(self, answer):
        assert numbers(filled()) == answer and 0.2 < answer["AP"] < 1
        assert filled().result().stats.tobytes() == whole(*images()).stats.tobytes()

    def test_images_without_ids(self, answer):
        guesses, truths = images(named=False)
        metric = metric_of(categories=CATEGORIES)
        for guess, truth in zip(guesses, truths, strict=True):
            metric.update([guess], [truth])
        assert numbers(metric) == answer and len(metric.result().records.images) == 12

    def test_the_same_image_again(self, answer):
        """Counted once where it has an id; otherwise it is another image."""
        metric = filled()
        guesses, truths = images()
        metric.update(guesses[:4], truths[:4])
        assert numbers(metric) == answer
        assert {note.rule: note.count for note in metric.result().notes}["M1"] == 4
        unnamed = metric_of(categories=CATEGORIES)
        guesses, truths = images(named=False)
        for _ in range(2):
            unnamed.update(guesses, truths)
        assert len(unnamed.result().records.images) == 24

    def test_reset_and_nothing(self, answer):
        metric = filled()
        metric.reset()
        assert metric.result().flat() == {} and len(metric.result().records.images) == 0
        guesses, truths = images()
        metric.update(guesses, truths)
        assert numbers(metric) == answer

    def test_forward_gives_the_batch(self, answer):
        metric = metric_of(categories=CATEGORIES)
        guesses, truths = images()
        for first in (0, 6):
            batch = guesses[first : first + 6], truths[first : first + 6]
            want = whole(*batch).flat()
            assert {name: value.item() for name, value in metric(*batch).items()} == pytest.approx(want)
        assert numbers(metric) == answer

    def test_options(self):
        guesses, truths = images()
        metric = metric_of(categories=dict.fromkeys(CATEGORIES, "x"), protocol="voc", sync_on_compute=False)
        metric.update(guesses, truths)
        assert list(metric.compute()) == ["mAP"] and metric.result().categories == ["x"] * 3
        with pytest.raises(ValueError, match="protocol"):
            metric_of(categories=CATEGORIES, protocol="kitti")
        with pytest.raises(ValueError, match="nonsense"):
            metric_of(categories=CATEGORIES, nonsense=1)
        with pytest.raises(TypeError, match="categories"):
            metric_of()

    def test_a_batch_with_guesses_of_other_categories_alone(self, answer):
        """It is as in one run: they are left out, and counted."""
        guesses, truths = images()
        guesses[7] = guesses[7] | {"labels": torch.full_like(guesses[7]["labels"], 90)}
        metric = metric_of(categories=dict.fromkeys(CATEGORIES, "x"))
        for guess, truth in zip(guesses, truths, strict=True):
            metric.update([guess], [truth])
        assert metric.result().stats.tobytes() == whole(guesses, truths).stats.tobytes()
        assert {note.rule: note.count for note in metric.result().notes}["Q13"] == len(guesses[7]["labels"]) > 0

    def test_another_order_is_found_out(self):
        guesses, truths = images()
        with pytest.raises(vesica.InputError, match="swapped"):
            metric_of(categories=CATEGORIES).update(truths, guesses)

    def test_forms(self, answer):
        guesses, truths = images()
        metric = metric_of(categories=CATEGORIES)
        sides = [one | {"boxes": torchvision_xywh(one["boxes"])} for one in truths]
        metric.update(guesses, sides, form=("xywh", "xyxy"))
        assert numbers(metric) == answer

    def test_dtypes_do_not_change_bytes(self, answer):
        """`set_dtype` changes the dtype of every state; whole numbers below 256 are exact in all of them."""
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            assert numbers(filled().set_dtype(dtype)) == answer


def torchvision_xywh(boxes):
    return torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1)


class TestCarried:
    def test_pickle_and_copy(self, answer):
        metric = filled()
        for again in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), metric.clone()):
            assert numbers(again) == answer
        metric.update(*images(1))
        buffer = io.BytesIO()
        metric.persistent(True)
        torch.save(metric.state_dict(), buffer)
        buffer.seek(0)
        fresh = metric_of(categories=CATEGORIES)
        fresh.persistent(True)
        fresh.load_state_dict(torch.load(buffer))
        with pytest.warns(UserWarning, match="before the ``update`` method"):
            assert numbers(fresh) == answer

    @pytest.mark.parametrize("name", SHARES)
    def test_merge_state(self, answer, name):
        guesses, truths = images()
        halves = []
        for share in SHARES[name]:
            half = metric_of(categories=CATEGORIES)
            for place in share:
                half.update([guesses[place]], [truths[place]])
            halves.append(half)
        halves[0].merge_state(halves[1])
        assert halves[0].result().flat() == (whole(guesses, truths).flat() if name != "both are empty" else {})

    def test_merge_state_of_images_without_ids(self):
        """Those of two metrics are different images, also where they look the same."""
        guesses, truths = images(named=False)
        a, b = (metric_of(categories=CATEGORIES) for _ in range(2))
        a.update(guesses[:5], truths[:5])
        b.update(guesses[:5], truths[:5])
        a.merge_state(b)
        assert len(a.result().records.images) == 10

    def test_collection(self, answer):
        metrics = collection_of(
            {
                "coco": metric_of(categories=CATEGORIES),
                "voc": metric_of(categories=CATEGORIES, protocol="voc"),
            },
            prefix="val/",
        )
        guesses, truths = images()
        for first in (0, 6):
            metrics.update(guesses[first : first + 6], truths[first : first + 6])
        found = {name: value.item() for name, value in metrics.compute().items()}
        voc = whole(guesses, truths, protocol="voc")["mAP"]
        assert found == pytest.approx({f"val/{name}": value for name, value in {**answer, "mAP": voc}.items()})

    def test_collection_with_names_twice(self):
        kinds = {f"{t}": metric_of(categories=CATEGORIES, iou=t / 100) for t in (50, 90)}
        metrics = collection_of(kinds)
        metrics.update(*images())
        found = metrics.compute()
        values = {t: whole(*images(), iou=t / 100)["AP"] for t in (50, 90)}
        assert values[50] > values[90]
        for t, value in values.items():
            assert found[f"{t}_AP"].item() == pytest.approx(value)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gloo")
    command = [sys.executable, str(HERE / "gloo_worker.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


class TestTwoProcesses:
    """Gathered by gloo; each has the answer of one run, and its own images are still its own."""

    @pytest.mark.parametrize("name", SHARES)
    def test_one_answer(self, answers, answer, name):
        for rank in range(2):
            assert answers[rank][name] == ({} if name == "both are empty" else answer)
            assert answers[rank][f"{name}, images"] == len(set(SHARES[name][rank]))


def test_nobody_else_imports_it():
    code = "import sys, vesica; vesica.Evaluator; vesica.evaluate; print('torchmetrics' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_integrations_are_small():
    for file in (Path(vesica.__file__).parent / "integrations").glob("*.py"):
        text = file.read_text()
        assert len(text.splitlines()) < 100
        assert "vesica._" not in text, "public vesica only"

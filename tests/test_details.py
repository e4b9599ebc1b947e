"""Details: pairs of any class, from which the same matches come out, also in parts, in bytes and merged."""

import dataclasses
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from record_bytes import blocks_of, bytes_of
from scenes import Traits, awkward, datasets, job
from test_records import part
from vesica._check.details import BACKGROUND
from vesica.dataset import Dataset
from vesica.detection import Records, merge, records_of, summarise
from vesica.detection.matches import found_again, matches_of
from vesica.errors import InputError

WAYS = [
    pytest.param({}, id="boxes"),
    pytest.param({"regions": "mask"}, id="masks"),
    pytest.param({"regions": "boundary"}, id="boundaries"),
    pytest.param({"by_class": False}, id="one class"),
    pytest.param({"protocol": "voc"}, id="voc"),
    pytest.param({"protocol": "lvis"}, id="lvis"),
    pytest.param({"quirks": "pycocotools"}, id="quirks"),
    pytest.param(
        {"iou": [0.05, 0.5, 1.0], "strict": True, "areas": {"small": (0, 900), "rest": (900, 1e10)}}, id="bars"
    ),
]


def sets(seed, options):
    """A job that these options can score."""
    masks = options.get("regions", "box") != "box"
    own = job(np.random.default_rng(seed), Traits(masks=masks, strangers=True, ignores="quirks" not in options))
    return datasets(*own)


class TestPairs:
    @pytest.mark.parametrize("seed", range(4))
    def test_equal_pycocotools(self, seed):
        """Every pair of one image, whatever the classes, by the very quotient that pycocotools makes."""
        masks = pytest.importorskip("pycocotools.mask")
        truth, guess = sets(seed, {})
        records = records_of(truth, guess, details=True)
        details = records.details
        for place, image in enumerate(records.images.tolist()):
            own = np.flatnonzero(records.guess_image == place)
            here = np.flatnonzero(details.truth_image == place)
            if not len(own) or not len(here):
                continue
            crowd = (details.truth_flags[here] & 1).tolist()
            want = masks.iou(details.box[own], details.truth_box[here], crowd)
            got = np.zeros((len(details.near), len(details.truth_image)))
            got[details.guess, details.truth] = details.overlap
            assert np.array_equal(got[np.ix_(own, here)], np.where(want >= BACKGROUND, want, 0)), image

    def test_rotated(self):
        """The same overlaps as the measure, also of different classes."""
        rng = np.random.default_rng(0)
        rows = np.column_stack([rng.uniform(0, 40, (30, 2)), rng.uniform(8, 30, (30, 2)), rng.uniform(-3, 3, 30)])
        boxes = vesica.RotatedBoxes(rows, unit="rad", direction="cw")
        kinds = {"image": rng.integers(0, 3, 30), "category": rng.integers(0, 3, 30)}
        truth = Dataset.from_arrays(boxes[:12], **{name: column[:12] for name, column in kinds.items()})
        guess = Dataset.from_arrays(
            boxes[12:], **{name: column[12:] for name, column in kinds.items()}, score=rng.random(18)
        )
        details = records_of(truth, guess, regions="rotated", details=True, categories="id").details
        want = np.asarray(vesica.iou(boxes[12:], boxes[:12]))
        together = kinds["image"][12:, None] == kinds["image"][None, :12]
        assert len(details.overlap) == int(((want >= BACKGROUND) & together).sum()) > 10
        assert np.allclose(np.sort(details.overlap), np.sort(want[(want >= BACKGROUND) & together]), atol=1e-9)


class TestMatches:
    @pytest.mark.parametrize("options", WAYS)
    @pytest.mark.parametrize("seed", range(3))
    def test_equal_records(self, seed, options):
        """Matched again from details, all lanes are those of the records."""
        records = records_of(*sets(seed, options), details=True, **options)
        protocol = records.protocol
        areas = tuple((low, high) for _, low, high in protocol.areas)
        found = found_again(records, records.details, protocol.bars, areas)
        assert np.array_equal(found.row, np.arange(len(records)))
        for name in ("matched", "ignored", "counted"):
            assert np.array_equal(getattr(found, name).ravel(), getattr(records, name).ravel()), name

    @pytest.mark.parametrize("options", WAYS[:5])
    def test_pairs(self, options):
        """Who found whom is what `pairs` tells of the data sets."""
        truth, guess = sets(5, options)
        result = vesica.evaluate(truth, guess, details=True, **options)
        found = matches_of(result.records, result.details, 0.5)
        want = result.pairs(iou=0.5)
        hits = np.flatnonzero(found.right)
        got = {(int(result.records.row[hit]), result.details.truth_id[found.truth[hit]]) for hit in hits.tolist()}
        assert got == {
            (row, truth.id[other])
            for row, other, counts in zip(want.guess.tolist(), want.truth.tolist(), want.counts, strict=True)
            if counts
        }
        assert np.array_equal(np.sort(found.guess[found.guess >= 0]), hits)

    def test_lazy(self):
        """Details that are made when they are asked for are those that come with records."""
        truth, guess = sets(1, {})
        late, early = vesica.evaluate(truth, guess), vesica.evaluate(truth, guess, details=True)
        assert late.records.details is None and early.records.details is not None
        for column in dataclasses.fields(early.records.details):
            assert np.array_equal(*(getattr(one, column.name) for one in (late.details, early.records.details)))

    def test_threads(self):
        truth, guess = sets(2, {})
        one, many = (records_of(truth, guess, details=True, threads=threads).to_bytes() for threads in (1, 5))
        assert one == many


def told(result):
    """All that details tell, as text."""
    tables = [result.causes().to_dict(), result.causes(iou=0.7, like="tidecv").to_dict(), result.confusion().to_dict()]
    tables += [list(result.objects(iou=iou)) for iou in (0.5, 0.75)]
    tables += [list(result.per_image()), list(result.by_size(bins=3)), list(result.thresholds())]
    return json.dumps([*tables, result.reliability().to_dict()])


class TestMerge:
    @given(seed=st.integers(0, 3), owner=st.lists(st.integers(0, 3), min_size=6, max_size=6), order=st.randoms())
    def test_four_shards(self, seed, owner, order):
        """Any split in any order has the bytes of one run."""
        own = job(np.random.default_rng(seed), Traits(images=6, strangers=True, ignores=True, zero_id=True))
        ids = [row["id"] for row in own[0]["images"]]
        shards = [{one for one, its in zip(ids, owner, strict=True) if its == k} for k in range(4)]
        records = [records_of(*part(*own, shard), details=True) for shard in shards]
        order.shuffle(records)
        whole = records_of(*datasets(*own), details=True)
        assert merge(*records).to_bytes() == whole.to_bytes()

    @pytest.mark.parametrize("seed", range(2))
    def test_tables(self, seed):
        """All that a result tells is the same to the last byte: in one run, from a file, from four merged files."""
        own = job(np.random.default_rng(seed), Traits(images=8, guesses=12))
        ids = [row["id"] for row in own[0]["images"]]
        shards = [records_of(*part(*own, set(ids[k::4])), details=True).to_bytes() for k in range(4)]
        whole = vesica.evaluate(*datasets(*own))
        again = summarise(Records.from_bytes(records_of(*datasets(*own), details=True).to_bytes()))
        merged = summarise(merge(*map(Records.from_bytes, shards)))
        assert told(whole) == told(again) == told(merged)

    def test_of_images(self):
        """Of some images they are what matching these images alone gives."""
        own = job(np.random.default_rng(2), Traits(images=6))
        whole = records_of(*datasets(*own), details=True)
        keep = np.arange(len(whole.images)) % 2 == 0
        alone = records_of(*part(*own, set(whole.images[keep].tolist())), details=True)
        assert whole.of_images(keep).to_bytes() == dataclasses.replace(alone, notes=()).to_bytes()

    def test_evaluator(self):
        """A training loop tells causes too, alone and merged with others."""
        box = [[0, 0, 10, 10]]
        workers = [vesica.Evaluator(categories={1: "cat", 2: "dog"}) for _ in range(2)]
        both = vesica.Evaluator(categories={1: "cat", 2: "dog"})
        for image, worker in enumerate(workers):
            for one in (worker, both):
                said = {"boxes": box, "labels": [1 + image], "scores": [0.5]}
                one.update({"boxes": box, "labels": [1]}, said, image=image)
        merged = merge(*(worker.records(details=True) for worker in workers))
        assert merged.to_bytes() == both.records(details=True).to_bytes()
        assert both.compute().causes()["classification"]["count"] == 1
        assert summarise(merged).confusion().counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0]]

    def test_texts_as_ids(self):
        boxes, kinds = [[0, 0, 9, 9], [20, 0, 29, 9]], {"image": ["b", "a"], "category": ["cat", "cat"]}
        truth = Dataset.from_arrays(boxes, **kinds, id=["x", 7])
        guess = Dataset.from_arrays(boxes, **kinds, score=[0.5, 0.6])
        records = records_of(truth, guess, details=True)
        back = Records.from_bytes(records.to_bytes())
        assert back.details.truth_id.tolist() == records.details.truth_id.tolist() == [7, "x"]
        assert back.to_bytes() == records.to_bytes()

    def test_some_without(self):
        """Where a part has no details, the whole has none, and says so when it is asked."""
        own = awkward(1)
        ids = [row["id"] for row in own.truth["images"]]
        halves = [records_of(*part(own.truth, own.results, set(ids[k::2])), details=not k) for k in range(2)]
        result = summarise(merge(*halves))
        assert result.records.details is None
        with pytest.raises(InputError, match=r"made without them. Make them again with `details=True`"):
            result.causes()

    def test_duplicates(self):
        """An image that comes twice counts once; with another box in it, it is an error."""
        own = job(np.random.default_rng(3), Traits(images=4))
        ids = sorted(row["id"] for row in own[0]["images"])
        shards = [records_of(*part(*own, set(shard)), details=True) for shard in (ids[:3], ids[2:])]
        merged = merge(*shards, duplicates="same")
        whole = records_of(*datasets(*own), details=True)
        assert dataclasses.replace(merged, notes=()).to_bytes() == dataclasses.replace(whole, notes=()).to_bytes()
        moved = dataclasses.replace(
            shards[1], details=dataclasses.replace(shards[1].details, box=shards[1].details.box + 1)
        )
        with pytest.raises(InputError, match=r"with different details \(box\)"):
            merge(shards[0], moved, duplicates="same")


class TestBytes:
    def test_without(self):
        """Records without details have the bytes that they always had."""
        truth, guess = sets(0, {})
        assert b"details" not in records_of(truth, guess).to_bytes()

    DAMAGES = {
        "truth": lambda column: column + 1000,
        "near": lambda column: -column,
        "overlap": lambda column: column * 0,
        "truth_image": lambda column: column[::-1].copy(),
        "truth_category": lambda column: column + 50,
        "truth_flags": lambda column: column + 8,
        "number": lambda column: column - 1000,
        "lenient": lambda column: column + 2,
        "box": lambda column: column[:-1],
        "area": lambda column: column.astype(np.float32),
    }

    @pytest.mark.parametrize("name", DAMAGES)
    def test_damage(self, name):
        """Columns that do not fit together never reach a kernel."""
        records = records_of(*sets(0, {}), details=True)
        changed = dataclasses.replace(records.details, **{name: self.DAMAGES[name](getattr(records.details, name))})
        data = dataclasses.replace(records, details=changed).to_bytes()
        with pytest.raises(InputError, match="details do not fit together"):
            Records.from_bytes(data)

    def test_other_image(self):
        """A pair of two images."""
        records = records_of(*sets(0, {}), details=True)
        truth = len(records.details.truth_image) - 1 - records.details.truth
        changed = dataclasses.replace(records.details, truth=truth.astype(np.int32))
        with pytest.raises(InputError, match="pairs must be of one image"):
            Records.from_bytes(dataclasses.replace(records, details=changed).to_bytes())

    @pytest.mark.parametrize("floor", [0.0, 2.0, "x", None])
    def test_floor(self, floor):
        blocks = blocks_of(records_of(*sets(0, {}), details=True).to_bytes())
        header = json.loads(blocks[0])
        header["details"]["floor"] = floor
        with pytest.raises(InputError, match="least overlap"):
            Records.from_bytes(bytes_of([json.dumps(header).encode(), *blocks[1:]]))

    def test_absent_columns(self):
        """A header that speaks of details, and no columns."""
        blocks = blocks_of(records_of(*sets(0, {})).to_bytes())
        header = json.loads(blocks[0])
        header["details"] = {"floor": 0.1, "truth_id": None}
        with pytest.raises(InputError):
            Records.from_bytes(bytes_of([json.dumps(header).encode(), *blocks[1:]]))


class TestEdges:
    @pytest.mark.parametrize("truths, guesses", [*itertools.product((0, 1), (0, 1))])
    def test_nothing(self, truths, guesses):
        """Neither truths nor guesses, or one of them alone."""
        boxes = np.array([[0, 0, 9, 9]])
        kinds = {"images": [1, 2], "categories": {0: "cat"}}
        truth = Dataset.from_arrays(boxes[:truths], image=[1] * truths, category=[0] * truths, **kinds)
        guess = Dataset.from_arrays(
            boxes[:guesses], image=[1] * guesses, category=[0] * guesses, score=[0.5] * guesses, **kinds
        )
        result = vesica.evaluate(truth, guess, details=True)
        assert len(result.objects()) == max(truths, guesses)
        assert result.confusion().counts.tolist() == [
            [truths * guesses, truths * (1 - guesses)],
            [guesses * (1 - truths), 0],
        ]
        assert told(result) == told(summarise(Records.from_bytes(result.records.to_bytes())))
        counts = result.causes()["missed"]["count"], result.causes()["background"]["count"]
        assert counts == (truths * (1 - guesses), guesses * (1 - truths))

    def test_wild(self):
        """Boxes that are no numbers have no details, and an error says so."""
        wild = next(one for one in map(awkward, range(40)) if one.traits.wild)
        with pytest.raises(ValueError, match="Details are made of boxes whose overlaps are numbers"):
            records_of(*datasets(wild.truth, wild.results), quirks="pycocotools", details=True)

    @pytest.mark.parametrize("iou", [0.05, 0.0, 1.5, float("nan")])
    def test_below_the_floor(self, iou):
        with pytest.raises(ValueError, match=r"`iou` must lie between 0.1, the least overlap that details keep, and 1"):
            vesica.evaluate(*sets(0, {})).objects(iou=iou)

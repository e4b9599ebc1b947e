"""Sorted runs: the numbers of their records to the byte, however they are cut and however little is read at a time."""

import itertools
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vesica
from vesica import Dataset
from vesica.detection import Records, merge, run_merging, summarise
from vesica.detection.run_merging import tally_of
from vesica.detection.sorted_runs import SortedRun, merge_runs, sorted_run_of
from vesica.errors import InputError

MUCH = 10**9


def records_of(seed=0, *, images=40, rows=400, classes=3, decimals=1, ids=None, **options):
    """Many guesses with equal scores, a category without truths, one without guesses, crowds."""
    rng = np.random.default_rng(seed)
    image, category = rng.integers(0, images, rows), rng.integers(0, classes, rows)
    boxes = np.concatenate([rng.uniform(0, 60, (rows, 2)), rng.uniform(4, 90, (rows, 2))], 1).round(1)
    names = list(range(images)) if ids is None else ids
    tables = {"images": names, "categories": {k: f"c{k}" for k in range(classes + 2)}}
    named = np.array(names, object)[image] if ids else image
    truth = Dataset.from_arrays(
        boxes, form="xywh", image=named, category=category, crowd=rng.random(rows) < 0.05, **tables
    )
    guessed = np.where(rng.random(rows) < 0.1, classes, category)
    guess = Dataset.from_arrays(
        boxes + rng.normal(0, 2, boxes.shape) * [1, 1, 0, 0], form="xywh", image=named, category=guessed,
        score=rng.random(rows).round(decimals), **tables,
    )  # fmt: skip
    return vesica.evaluate(truth, guess, **options).records


def cut(records, count, seed=0):
    """Some images each, at random."""
    part = np.random.default_rng(seed).integers(0, count, len(records.images))
    return [records.of_images(part == k) for k in range(count)]


def same(found, whole):
    assert found.to_json() == whole.to_json()
    assert found.stats.tobytes() == whole.stats.tobytes()


PROTOCOLS = [
    {},
    {"max_dets": [1, 3]},
    {"max_dets": [1, 10, 300]},
    {"max_dets": [70_000]},
    {"iou": [0.5], "areas": {"all": (0, 1e10)}},
    {"iou": np.linspace(0.05, 0.95, 37).tolist()},  # lanes in three words
    {"by_class": False},
    {"max_dets": [1, 10, 50], "quirks": "pycocotools"},  # precision of another limit than the last
    {"max_dets": [1, 100, 200], "quirks": "pycocotools"},
    {"protocol": "lvis"},
    {"protocol": "voc07"},
    {"protocol": "voc12"},
    {"protocol": "voc", "iou": [0.5, 0.75]},
]


class TestSameNumbers:
    @pytest.mark.parametrize("options", PROTOCOLS, ids=str)
    @pytest.mark.parametrize("rows", [1, 7, 1 << 20])
    def test_protocols(self, options, rows, monkeypatch):
        records = records_of(**options)
        runs = [sorted_run_of(one) for one in cut(records, 5)]
        monkeypatch.setattr(run_merging, "LEAST_ROWS", rows)
        fixed = run_merging._fixed(runs, len(records.images))
        few = fixed + 2 * rows * sum(one.row_bytes for one in runs)
        whole = summarise(replace(records, notes=()))
        memory = few if whole.protocol.rules.average_precision == "recalls" else MUCH
        same(summarise(tally_of(runs, memory=memory, workers=2)), whole)

    @given(
        st.integers(0, 1000), st.integers(1, 9), st.integers(1, 60), st.integers(0, 3), st.integers(0, 150),
        st.booleans(),
    )  # fmt: skip
    @settings(max_examples=40, deadline=None)
    def test_any_cut(self, seed, count, rows, decimals, size, has_texts):
        ids = [f"im{k * 7 % 40}" if k % 3 else k for k in range(40)] if has_texts else None
        records = records_of(seed, rows=size, decimals=decimals, ids=ids)
        runs = [SortedRun.from_bytes(sorted_run_of(one).to_bytes()) for one in cut(records, count, seed)]
        before, run_merging.LEAST_ROWS = run_merging.LEAST_ROWS, rows
        try:
            fixed = run_merging._fixed(runs, len(records.images))
            tally = tally_of(runs[::-1], memory=fixed + rows * sum(one.row_bytes for one in runs))
        finally:
            run_merging.LEAST_ROWS = before
        same(summarise(tally), summarise(replace(records, notes=())))
        one = merge_runs(*runs)
        assert one.to_bytes() == sorted_run_of(replace(records, notes=())).to_bytes()

    def test_scores_of_several_kinds(self):
        """Short ones, exact ones and those that are no numbers."""
        records = records_of(quirks="pycocotools", decimals=9)
        parts = cut(replace(records, score=np.floor(records.score * 16) / 16), 3)
        long = replace(parts[1], score=parts[1].score + 1e-12)
        last = {int(end) - 1 for end in np.cumsum(parts[2].guesses)[parts[2].guesses > 0]}
        score = parts[2].score.copy()
        score[sorted(last)[::2]] = np.nan
        parts = [parts[0], long, replace(parts[2], score=score)]
        runs = [sorted_run_of(one) for one in parts]
        assert [one.score_bytes for one in runs] == [4, 8, 4]
        whole = summarise(merge(*parts))
        same(summarise(tally_of(runs, memory=MUCH)), whole)
        same(summarise(tally_of([merge_runs(*runs)], memory=MUCH)), whole)

    def test_notes_and_order(self):
        parts = cut(records_of(), 4)
        noted = [replace(one, notes=records_of().notes) for one in parts]
        runs = [sorted_run_of(one) for one in noted]
        found = {summarise(tally_of(order, memory=MUCH)).to_json() for order in itertools.permutations(runs)}
        assert found == {summarise(merge(*noted)).to_json()}

    @pytest.mark.parametrize("rows", [0, 1])
    def test_hardly_anything(self, rows):
        records = records_of(rows=rows)
        same(summarise(tally_of([sorted_run_of(records)], memory=MUCH)), summarise(records))


class TestWhatATallyHasNot:
    @pytest.mark.parametrize(
        "ask",
        [
            lambda result: result.interval("AP", replicates=10),
            lambda result: result.curve(),
            lambda result: result.counts(),
            lambda result: result.precision,
            lambda result: result.scores,
            lambda result: result.per_image(),
            lambda result: result.reliability(),
            lambda result: result.thresholds(),
            lambda result: result.records.to_bytes(),
            lambda result: result.records.score,
            lambda result: result.of_images(np.ones(40, bool)),
        ],
    )
    def test_it_says_so(self, ask):
        result = summarise(tally_of([sorted_run_of(records_of())], memory=MUCH))
        with pytest.raises(InputError, match="keeps none.*Score without `memory=`"):
            ask(result)

    def test_what_it_has(self):
        records = replace(records_of(), notes=())
        result, whole = summarise(tally_of([sorted_run_of(records)], memory=MUCH)), summarise(records)
        assert str(result) == str(whole) and result.per_class() == whole.per_class()
        assert result.recall.tobytes() == whole.recall.tobytes()
        assert [one.passed for one in result.gates("AP>=0", "AP50[c1]>2")] == [True, False]
        assert not hasattr(result.records, "nothing_like_it")


class TestBytes:
    @given(st.binary(max_size=4), st.integers(0, 10**6))
    @settings(max_examples=200, deadline=None)
    def test_any_damage(self, bytes_, at):
        """It is told, or nothing changed."""
        data = sorted_run_of(records_of(rows=30)).to_bytes()
        at %= len(data)
        broken = data[:at] + bytes_ + data[at + len(bytes_) :]
        if broken == data:
            return
        with pytest.raises(InputError):
            SortedRun.from_bytes(broken)

    def test_every_length(self):
        data = sorted_run_of(records_of(rows=3, images=2)).to_bytes()
        for end in range(len(data)):
            with pytest.raises(InputError):
                SortedRun.from_bytes(data[:end])

    @pytest.mark.parametrize("where", [0.01, 0.3, 0.6])
    def test_damaged_rows_of_an_opened_run(self, where):
        """They are read when they are needed, and then it is told."""
        data = bytearray(sorted_run_of(records_of(decimals=9)).to_bytes())
        rows = len(data) - len(records_of()) * 23
        at = rows + int(where * (len(data) - rows))
        data[at] ^= 4
        run = SortedRun.opened(lambda begin, count: bytes(data[begin : begin + count]), "the.run")
        with pytest.raises(InputError, match="the.run is damaged: the checksum of its rows is wrong"):
            tally_of([run], memory=MUCH)

    def test_an_image_that_is_not_there(self):
        """With a checksum that is right: the kernel looks before it reads."""
        good = sorted_run_of(records_of(decimals=9))
        rows = good.rows(0, len(good)).reshape(-1, good.row_bytes).copy()
        rows[:, 8:12] = 255
        bad = replace(good, rows=lambda first, end: rows[first:end].reshape(-1))
        ends = good.bounds
        sums = [zlib.crc32(rows[a:b]) for a, b in itertools.pairwise(ends.tolist())]
        bad = replace(bad, checksums=np.array(sums, np.uint32), name="the.run")
        with pytest.raises(InputError, match="the.run is damaged"):
            tally_of([bad], memory=MUCH)
        with pytest.raises(InputError, match="a guess is of image number"):
            merge_runs(bad)

    def test_too_short_a_file(self):
        data = sorted_run_of(records_of()).to_bytes()
        run = SortedRun.opened(lambda begin, count: data[begin : begin + count][: max(0, 6000 - begin)], "the.run")
        with pytest.raises(InputError, match="the.run ends in the middle"):
            tally_of([run], memory=MUCH)


class TestRefused:
    def test_one_image_twice(self):
        run = sorted_run_of(records_of())
        for call in (lambda: tally_of([run, run], memory=MUCH), lambda: merge_runs(run, run)):
            with pytest.raises(InputError, match="image 0 is in two of them"):
                call()

    def test_other_protocols(self):
        runs = [sorted_run_of(cut(records_of(iou=[t]), 2)[k]) for k, t in enumerate((0.5, 0.75))]
        with pytest.raises(InputError, match="different protocols"):
            tally_of(runs, memory=MUCH)

    def test_nothing(self):
        with pytest.raises(ValueError, match="needs records"):
            tally_of([], memory=MUCH)

    def test_too_little_memory(self):
        runs = [sorted_run_of(one) for one in cut(records_of(), 4)]
        with pytest.raises(InputError, match=r"memory=1kB is too little: reading 4 parts at once needs [\d.]+kB"):
            tally_of(runs, memory=1000)
        voc = [sorted_run_of(one) for one in cut(records_of(protocol="voc"), 4)]
        with pytest.raises(InputError, match=r"category 'c\d' with \d+ guesses needs [\d.]+kB"):
            tally_of(voc, memory=20_000)


def test_records_of_before_are_read():
    """The container writes the same bytes as it did, piece by piece."""
    records = records_of()
    assert Records.from_bytes(records.to_bytes()).to_bytes() == records.to_bytes()

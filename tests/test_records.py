"""Records: what matching leaves behind can be cut, merged, written and read, and always stands for the same scores."""

import dataclasses
import functools
import hashlib
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from record_bytes import blocks_of, bytes_of
from scenes import Traits, awkward, datasets, job
from vesica.dataset import Categories, Dataset, Images
from vesica.detection import Records, merge, records_of, summarise
from vesica.errors import InputError


def part(truth, results, images):
    """The truths and guesses of some of the images alone."""
    kept = [row for row in truth["images"] if row["id"] in images]
    mine = [row for row in truth["annotations"] if row["image_id"] in images]
    return datasets(
        {**truth, "images": kept, "annotations": mine}, [row for row in results if row["image_id"] in images]
    )


def parts(truth, results, owner):
    """Records of the images that each of several owners has, and of all of them."""
    ids = [row["id"] for row in truth["images"]]
    shards = [{one for one, its in zip(ids, owner, strict=False) if its == k} for k in range(max(owner) + 1)]
    return [records_of(*part(truth, results, shard)) for shard in shards if shard]


@functools.cache
def awkward_job(seed):
    """Guesses of unknown categories, truths to be ignored, an id 0: the records have several notes."""
    rng = np.random.default_rng(seed)
    return job(rng, Traits(images=6, strangers=True, ignores=True, zero_id=True))


def same(a, b):
    """Equal bytes, without a word about where they differ: there are many."""
    return a.to_bytes() == b.to_bytes()


class TestMerge:
    @given(seed=st.integers(0, 5), owner=st.lists(st.integers(0, 3), min_size=6, max_size=6), order=st.randoms())
    def test_any_split_in_any_order(self, seed, owner, order):
        truth, results = awkward_job(seed)
        shards = parts(truth, results, owner)
        order.shuffle(shards)
        whole = records_of(*datasets(truth, results))
        assert same(merge(*shards), whole)

    def test_associative_and_commutative(self):
        a, b, c = parts(*awkward_job(0), [0, 1, 2, 2, 1, 0])
        first = merge(a, b, c)
        for x, y, z in itertools.permutations((a, b, c)):
            assert same(merge(merge(x, y), z), first)
            assert same(merge(x, merge(y, z)), first)

    def test_nothing_is_neutral(self):
        truth, results = awkward_job(1)
        whole, nothing = records_of(*datasets(truth, results)), records_of(*part(truth, results, set()))
        assert len(nothing) == 0
        assert same(merge(whole, nothing), whole) and same(merge(nothing, whole), whole)
        assert same(merge(whole), whole)

    def test_result(self):
        """The scores of merged records are those of one run."""
        truth, results = awkward_job(2)
        whole = vesica.evaluate(*datasets(truth, results))
        merged = summarise(merge(*parts(truth, results, [0, 1, 0, 1, 2, 0])))
        for name in ("precision", "recall", "scores", "stats"):
            assert not (getattr(merged, name) != getattr(whole, name)).sum()
        assert merged.notes == whole.notes and merged.to_json() == whole.to_json()

    def test_other_protocols(self):
        """Also where classes do not matter, and under quirks, and of VOC."""
        truth, results = awkward_job(3)
        halves = [{10, 11, 12}, {13, 14, 15}]
        for options in ({"by_class": False}, {"quirks": "pycocotools"}, {"protocol": "voc"}, {"protocol": "lvis"}):
            whole = records_of(*datasets(truth, results), **options)
            assert same(merge(*(records_of(*part(truth, results, half), **options) for half in halves)), whole), options

    def test_strings_and_numbers(self):
        """Ids of both kinds have one order."""
        a, b, c = (
            records_of(*(one_image(name, **score) for score in ({}, {"score": np.array([0.5])})))
            for name in ("b", 7, "a")
        )
        merged = merge(a, b, c)
        assert merged.images.tolist() == [7, "a", "b"]
        assert same(merge(c, b, a), merged) and same(Records.from_bytes(merged.to_bytes()), merged)

    def test_nothing_to_merge(self):
        with pytest.raises(ValueError, match="`merge` needs records; got none"):
            merge()

    def test_image_twice(self):
        whole = records_of(*datasets(*awkward_job(0)))
        with pytest.raises(InputError, match="image 10 is in two of them"):
            merge(whole, whole)
        some = records_of(*part(*awkward_job(0), {13, 14}))
        with pytest.raises(InputError, match="image 13 is in two"):
            merge(whole, some)

    @given(
        seed=st.integers(0, 5),
        owners=st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=6, max_size=6),
        order=st.randoms(),
    )
    def test_images_of_several_owners_count_once(self, seed, owners, order):
        """However often each image comes, and in which order."""
        truth, results = awkward_job(seed)
        ids = [row["id"] for row in truth["images"]]
        shards = [{one for one, its in zip(ids, owners, strict=True) if k in its} for k in range(4)]
        found = [records_of(*part(truth, results, shard)) for shard in shards]
        order.shuffle(found)
        merged, whole = merge(*found, duplicates="same"), records_of(*datasets(truth, results))
        assert same(dataclasses.replace(merged, notes=()), dataclasses.replace(whole, notes=()))
        again = sum(map(len, owners)) - len(owners)
        assert {note.rule: note.count for note in merged.notes}.get("M1", 0) == again
        assert same(merge(merge(*found[:2], duplicates="same"), *found[2:], duplicates="same"), merged)

    def test_without_duplicates_nothing_differs(self):
        shards = parts(*awkward_job(2), [0, 1, 0, 1, 2, 0])
        assert same(merge(*shards, duplicates="same"), merge(*shards))

    @pytest.mark.parametrize(
        "change, word",
        [
            ({"score": [0.5]}, "scores"),
            ({"xywh": [[50.0, 50, 4, 4]]}, "matches"),
            ({"category": "dog"}, "categories"),
        ],
    )
    def test_different_content_stays_an_error(self, change, word):
        def made(score=(0.75,), xywh=((0.0, 0, 4, 4),), category="cat"):
            kinds = {"categories": ["cat", "dog"], "form": "xywh"}
            truth = Dataset.from_arrays([[0.0, 0, 4, 4]], image=[7], category=[category], **kinds)
            return records_of(truth, Dataset.from_arrays(xywh, image=[7], category=[category], score=score, **kinds))

        assert len(merge(made(), made(), duplicates="same")) == 1
        with pytest.raises(InputError, match=f"Image 7 is in two records, with different {word}"):
            merge(made(), made(**change), duplicates="same")

    def test_empty_images_count_once(self):
        nothing = Dataset.from_arrays([], image=[], images=[1, 2], category=[], categories=["cat"], score=[])
        merged = merge(*[records_of(nothing, nothing)] * 3, duplicates="same")
        assert merged.images.tolist() == [1, 2] and [(note.rule, note.count) for note in merged.notes] == [("M1", 4)]

    def test_unknown_word(self):
        with pytest.raises(ValueError, match='`duplicates` must be one of "error", "same"; got'):
            merge(records_of(*datasets(*awkward_job(0))), duplicates="sum")

    @pytest.mark.parametrize(
        "options, named",
        [
            ({"protocol": "voc"}, "name is 'coco' here and 'voc' there"),
            ({"iou": [0.5]}, "iou is "),
            ({"areas": {"all": (0, 1e9)}}, "areas is "),
            ({"max_dets": [1, 10]}, r"max_dets is \(1, 10, 100\) here and \(1, 10\) there"),
            ({"by_class": False}, "by_class is True here and False there"),
            ({"strict": True}, "strict is False here and True there"),
            ({"quirks": "pycocotools"}, "quirks is None here and 'pycocotools' there"),
        ],
    )
    def test_other_header(self, options, named):
        truth, results = awkward_job(0)
        a, b = records_of(*part(truth, results, {10})), records_of(*part(truth, results, {11}), **options)
        with pytest.raises(InputError, match=f"different protocols do not belong together: {named}"):
            merge(a, b)

    def test_categories_that_contradict(self):
        truth, results = awkward_job(0)
        a = records_of(*part(truth, results, {10}))
        for change, named in (
            ({"names": np.array(["c1", "dog", "c3", "c4"], object)}, "names of 2 is 'c2' here and 'dog' there"),
            ({"frequency": np.array(["r", "f", None, "c"], object)}, "frequency of 1 is 'f' here and 'r' there"),
        ):
            mine = dataclasses.replace(a.categories, frequency=np.array(["f", None, "c", "c"], object))
            one = dataclasses.replace(a, categories=mine)
            other = dataclasses.replace(a, categories=dataclasses.replace(mine, **change))
            with pytest.raises(InputError, match=f"different categories do not belong together: {named}"):
                merge(one, other)


class TestCategoriesThatDiffer:
    """Parts that know different categories, as files have them whose tables list what occurs."""

    @staticmethod
    def shard(images, table, *, seen=None):
        """Objects of categories of the table, and guesses of those that are `seen`."""
        k = np.arange(6 * len(images))
        ids = sorted(table)
        boxes = np.stack([k * 37 % 90, k * 53 % 70, k * 37 % 90 + 9, k * 53 % 70 + 9], axis=1)
        category = np.array(ids)[k * 5 % len(ids)] if ids else np.full(len(k), 1)
        rows = slice(None) if ids else slice(0, 0)
        of = {"image": np.repeat(images, 6)[rows], "category": category[rows], "images": images, "categories": table}
        truth = Dataset.from_arrays(boxes[rows], **of)
        known = table if seen is None else seen
        guess = Dataset.from_arrays(
            boxes + k[:, None] % 3, image=np.repeat(images, 6), images=images, categories=known,
            category=np.array(sorted(known))[k * 7 % len(known)], score=1 - k * 13 % 64 / 64,
        )  # fmt: skip
        return truth, guess

    @pytest.mark.parametrize("details", [False, True])
    @pytest.mark.parametrize(
        "tables",
        [
            ({1: "cat", 2: "dog"}, {1: "cat", 2: "dog", 7: "cow"}, {2: "dog"}),
            ({9: "cat"}, {4: "dog"}, {1: "cow", 6: "kite"}),
            ({"cat": None, "kite": None}, {"dog": None}, {"ant": None, "dog": None}),
        ],
        ids=["one in the other", "disjoint", "texts"],
    )
    def test_as_of_one_run(self, tables, details):
        shards = [self.shard([3 * k, 3 * k + 1, 3 * k + 2], table) for k, table in enumerate(tables)]
        whole = records_of(*(Dataset.joined(side) for side in zip(*shards, strict=True)), details=details)
        parts = [records_of(*shard, details=details) for shard in shards]
        for order in itertools.permutations(parts):
            assert merge(*order).to_bytes() == whole.to_bytes()
        assert merge(parts[0], merge(parts[1], parts[2])).to_bytes() == whole.to_bytes()

    def test_a_guess_that_was_left_out(self):
        a = records_of(*self.shard([0, 1], {1: "cat", 2: "dog"}))
        b = records_of(*self.shard([2, 3], {1: "cat"}, seen={1: "cat", 2: "dog"}))
        assert "Q13" in [note.rule for note in b.notes]
        with pytest.raises(InputError, match="some know 2, and others left out 6 guesses of categories"):
            merge(a, b)
        assert len(merge(a.of_images(np.array([True, False])), a.of_images(np.array([False, True])))) == len(a)

    def test_left_out_of_a_table_that_lacks_nothing(self):
        a = records_of(*self.shard([0, 1], {1: "cat", 2: "dog"}, seen={1: "cat", 9: "ufo"}))
        b = records_of(*self.shard([2, 3], {1: "cat"}))
        assert "Q13" in [note.rule for note in merge(a, b).notes]


def small_job():
    """Twelve images of three categories; every number by plain arithmetic, which no generator can change."""
    k = np.arange(60)
    corner = np.stack([k * 37 % 90, k * 53 % 70], axis=1)
    boxes = np.concatenate([corner, corner + np.stack([8 + k * 11 % 90, 8 + k * 7 % 60], axis=1)], axis=1)
    place = {"image": (k % 12).tolist(), "category": [("cat", "dog", "kite")[c] for c in k * 5 % 3]}
    truth = Dataset.from_arrays(boxes.tolist(), **place, id=k.tolist(), crowd=(k % 17 == 3).tolist())
    guess = Dataset.from_arrays((boxes + k[:, None] % 5).tolist(), **place, score=(1 - k * 13 % 60 / 64).tolist())
    return truth, guess


def one_image(name, **columns):
    images = Images(np.array([name], object) if isinstance(name, str) else np.array([name]))
    place = np.zeros(1, np.int64)
    return Dataset(images, Categories(np.array([1])), place, place, np.array([[0.0, 0, 4, 4]]), **columns)


class TestBytes:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"iou": [0.5]},
            {"iou": np.linspace(0.2, 0.95, 16)},
            {"iou": np.linspace(0.02, 1, 26), "areas": {f"a{k}": (0, k * 1e3) for k in range(5)}},
        ],
        ids=["40 lanes", "4 lanes", "64 lanes", "130 lanes"],
    )
    def test_round_trip(self, seed, options):
        records = records_of(*datasets(*awkward_job(seed)), **options)
        back = Records.from_bytes(records.to_bytes())
        assert same(back, records)
        assert back.protocol == records.protocol and back.notes == records.notes
        for column in ("images", "starts", "image", "guesses", "counted", "score", "matched", "ignored"):
            a, b = getattr(back, column), getattr(records, column)
            assert a.dtype == b.dtype and np.array_equal(a, b), column
        assert summarise(back).to_json() == summarise(records).to_json()

    def test_a_score_that_is_a_nan_of_other_bits(self):
        """A signalling NaN: no warning, and a NaN it stays."""
        score = np.array([0.75, np.nan], np.float32)
        records = records_of(one_image("a"), one_image("a", score=score[:1]), quirks="pycocotools")
        blocks = blocks_of(records.to_bytes())
        (place,) = (k for k, block in enumerate(blocks) if block == score[:1].tobytes())
        blocks[place] = np.array([0x7FA00000], np.uint32).tobytes()
        assert np.isnan(Records.from_bytes(bytes_of(blocks)).score).tolist() == [True]

    @pytest.mark.parametrize("count", [16, 26])
    def test_every_lane_is_the_one_asked_for_alone(self, count):
        """Lanes lie 64 to a word; a lane of many is what it is by itself."""
        jobs = datasets(*awkward_job(1))
        bars, areas = np.linspace(0.1, 0.95, count), {f"a{k}": (k * 300.0, 1e3 + k * 1e3) for k in range(5)}
        many = records_of(*jobs, iou=bars, areas=areas)
        for area, (name, ends) in enumerate(areas.items()):
            for bar in range(0, count, 3):
                one = records_of(*jobs, iou=bars[bar : bar + 1], areas={name: ends})
                assert np.array_equal(np.array(many.lane(bar, area)), np.array(one.lane(0, 0)))
                assert many.counted[:, area].tolist() == one.counted[:, 0].tolist()

    def test_wild_scores(self):
        """NaN, infinities, both zeros and what no short number holds."""
        wild = awkward(next(seed for seed in range(99) if awkward(seed).traits.wild))
        records = records_of(*datasets(wild.truth, wild.results), quirks="pycocotools")
        assert np.isnan(records.score).any()
        for score in (records.score, np.where(np.arange(len(records)) == 3, 1e300, records.score)):
            changed = dataclasses.replace(records, score=score)
            assert Records.from_bytes(changed.to_bytes()).score.tobytes() == score.tobytes()

    def test_short_scores(self):
        """Scores that were single precision take half the room, and nothing else changes."""
        records = records_of(*datasets(*awkward_job(0)))
        short = dataclasses.replace(records, score=records.score.astype(np.float32).astype(np.float64))
        assert len(records.to_bytes()) - len(short.to_bytes()) == 4 * len(records)
        assert np.array_equal(Records.from_bytes(short.to_bytes()).score, short.score)

    def test_no_guess_and_no_image(self):
        truth, results = awkward_job(0)
        for images in ({10}, set()):
            records = records_of(*part(truth, [], images))
            assert same(Records.from_bytes(records.to_bytes()), records)
        assert np.isnan(summarise(records_of(*part(truth, results, set())))["AP"])

    @pytest.mark.parametrize(
        "options, digest",
        [
            ({}, "92de76e7368c16cc9f1157bfe7a56a99421dc02f80eee1ba5652c1bf3854061e"),
            ({"quirks": "pycocotools"}, "8d42d657823496f2dada90cb08e6f1905c54cb69927e99faea25878adb88b29c"),
            ({"protocol": "voc07"}, "39ff895af944bf1a8ced61f912b68bffed259869e3722dd5b138c8971ebe533c"),
            ({"protocol": "voc12"}, "8596e37f42154d3265b9138c6ba84c8b5e13fc0f059b6bd5137c4de284e1e57c"),
            ({"protocol": "voc-devkit"}, "11f2d04faeaf49bdb0d6d56ce01ce1e0160fd1349782f23387e40b9459513b41"),
            ({"protocol": "lvis"}, "8b6c8b308dcbd90a373da7a2940d9cf1d09e7918a7fe88711030845562111bd9"),
            (
                {"iou": [0.5, 1.0], "strict": True, "by_class": False, "max_dets": 3},
                "b68bc58c7e99aff707f7cf67aab1758b6210677dd99b537ce2e120662254aa37",
            ),
        ],
    )
    def test_as_ever(self, options, digest):
        """The bytes that the first version of the format gave. Whoever changes them changes the version too."""
        assert hashlib.sha256(records_of(*small_job(), **options).to_bytes()).hexdigest() == digest

    def test_unknown_protocol(self):
        protocol = dataclasses.replace(records_of(*small_job()).protocol, name="coco51")

        def changed(header, _):
            header.update(protocol=dataclasses.asdict(protocol), digest=protocol.digest)

        with pytest.raises(InputError, match="of the protocol 'coco51'; known are coco, lvis, voc"):
            Records.from_bytes(rewritten(changed))

    def test_every_flipped_bit(self):
        """Magic, lengths, checksums, header and columns: nothing goes unseen."""
        data = records_of(*part(*awkward_job(0), {10, 11})).to_bytes()
        for at in range(len(data)):
            damaged = bytearray(data)
            damaged[at] ^= 1 << (at % 8)
            with pytest.raises(InputError):
                Records.from_bytes(bytes(damaged))

    def test_every_length(self):
        """Cut anywhere, or with something behind it."""
        data = records_of(*part(*awkward_job(0), {10, 11})).to_bytes()
        for end in range(len(data)):
            with pytest.raises(InputError):
                Records.from_bytes(data[:end])
        for more in (b"\0", b"\0" * 12, data):
            with pytest.raises(InputError):
                Records.from_bytes(data + more)

    def test_what_it_says(self):
        data = records_of(*datasets(*awkward_job(0))).to_bytes()
        with pytest.raises(InputError, match="no records of vesica"):
            Records.from_bytes(b"PK\3\4")
        with pytest.raises(InputError, match="end in the middle"):
            Records.from_bytes(data[:-1])
        damaged = bytearray(data)
        damaged[-1] ^= 1
        with pytest.raises(InputError, match=r"damaged: the checksum of the block at byte \d+ is wrong"):
            Records.from_bytes(bytes(damaged))

    @pytest.mark.parametrize("version", [0, 2, "1", None])
    def test_other_version(self, version):
        data = rewritten(lambda header, _: header.update(version=version))
        with pytest.raises(InputError, match=f"have format {version}; this version of vesica reads format 1"):
            Records.from_bytes(data)

    def test_changed_protocol(self):
        data = rewritten(lambda header, _: header["protocol"].update(by_class=False))
        with pytest.raises(InputError, match="the protocol does not fit its checksum"):
            Records.from_bytes(data)

    @pytest.mark.parametrize("key", ["version", "protocol", "digest", "categories", "images", "notes", "columns"])
    def test_missing_key(self, key):
        with pytest.raises(InputError, match=key):
            Records.from_bytes(rewritten(lambda header, _: header.pop(key)))

    @pytest.mark.parametrize(
        "column, change",
        [
            pytest.param("starts", lambda a: a + 1, id="starts beyond the cells"),
            pytest.param("starts", lambda a: a[::-1], id="starts that fall"),
            pytest.param("starts", lambda a: a[:-1], id="a category less"),
            pytest.param("starts", lambda a: a.astype(np.int32), id="starts of another kind"),
            pytest.param("guesses", lambda a: a + 1000, id="guesses beyond the rows"),
            pytest.param(
                "guesses", lambda a: np.where(np.arange(len(a)) == 0, -5, a).astype(a.dtype), id="guesses < 0"
            ),
            pytest.param("guesses", lambda a: a[:-1], id="a cell less"),
            pytest.param("image", lambda a: a + 1000, id="images beyond the table"),
            pytest.param("image", lambda a: a - 1000, id="images below it"),
            pytest.param("counted", lambda a: a[:, :-1], id="a range less"),
            pytest.param("counted", lambda a: a[:-1], id="counted: a cell less"),
            pytest.param("counted", lambda a: -a - 1, id="counted < 0"),
            pytest.param("score", lambda a: a[:-1], id="a score less"),
            pytest.param("score", lambda a: a.astype(np.int64), id="whole scores"),
            pytest.param("matched", lambda a: a[:-1], id="a guess less"),
            pytest.param("ignored", lambda a: a[:, :-1], id="fewer lanes"),
            pytest.param("ignored", lambda a: np.repeat(a, 9, axis=1), id="more lanes"),
        ],
    )
    def test_columns_that_do_not_fit(self, column, change):
        """Sound checksums prove nothing: whoever wrote the bytes may have written any."""

        def changed(header, blocks):
            entry = next(entry for entry in header["columns"] if entry[0] == column)
            array = change(np.frombuffer(blocks[column], entry[1]).reshape(entry[2]))
            entry[1:] = [array.dtype.str, list(array.shape)]
            blocks[column] = np.ascontiguousarray(array).tobytes()

        with pytest.raises(InputError, match="do not fit together|cannot be read"):
            Records.from_bytes(rewritten(changed))


def rewritten(change):
    """Records with a changed header or changed columns, and checksums that are right."""
    data = records_of(*datasets(*awkward_job(0))).to_bytes()
    blocks = blocks_of(data)
    header = json.loads(blocks[0])
    columns = dict(zip((entry[0] for entry in header["columns"]), blocks[1:], strict=True))
    change(header, columns)
    written = (json.dumps(header, sort_keys=True, ensure_ascii=False).encode(), *columns.values())
    return bytes_of(written)


def test_length_and_name():
    records = records_of(*datasets(*awkward_job(0)))
    assert len(records) == len(records.score) > 0
    assert repr(records) == f"Records({len(records)} guesses, 6 images, coco)"


class TestLanes:
    """Which guess found a truth, read from the bits."""

    def test_positives_and_bounds(self):
        truth, results = awkward_job(0)
        records = records_of(*datasets(truth, results))
        categories = sorted(row["id"] for row in truth["categories"])
        for k, one in enumerate(categories):
            mine = [row for row in truth["annotations"] if row["category_id"] == one]
            counted = [row for row in mine if not row["iscrowd"] and not row.get("ignore")]
            assert records.positives[k, 0] == len(counted)
            assert records.positives[k, 1] == sum(row["area"] <= 1024 for row in counted)
            start, end = records.bounds[k : k + 2]
            assert end - start == sum(row["category_id"] == one for row in results)


class TestFoundIn:
    def test_equals_the_lane(self):
        records = records_of(*datasets(*awkward_job(0)))
        for threshold, area in itertools.product((0, 5), (0, 2)):
            matched, ignored = records.lane(threshold, area)
            assert records.found_in(threshold, area) == np.count_nonzero(matched & ~ignored)

    def test_enough(self, monkeypatch):
        monkeypatch.setattr("vesica.detection.records._AT_ONCE", 3)
        records = records_of(*datasets(*awkward_job(0)))
        every = records.found_in(0, 0)
        assert every > 5
        assert records.found_in(0, 0, enough=0) == 0
        assert 2 <= records.found_in(0, 0, enough=2) < every
        assert records.found_in(0, 0, enough=every) == every


class TestWhatIsRemembered:
    """Protocols and categories of equal headers are looked at once."""

    @pytest.mark.parametrize(
        "old, new",
        [
            (b'"strict": false', b'"strict": 0'),
            (b'"by_class": true', b'"by_class": 1'),
            (b"[1, 10, 100]", b"[true, 10, 100]"),
        ],
    )
    def test_a_number_for_a_flag(self, old, new):
        data = records_of(*small_job()).to_bytes()
        Records.from_bytes(data)
        header, *blocks = blocks_of(data)
        assert old in header
        with pytest.raises(InputError):
            Records.from_bytes(bytes_of([header.replace(old, new), *blocks]))

    def test_categories_cannot_be_written_to(self):
        data = records_of(*small_job()).to_bytes()
        one, other = Records.from_bytes(data), Records.from_bytes(data)
        assert one.categories is other.categories
        with pytest.raises(ValueError, match="read-only"):
            one.categories.ids[0] = "lynx"

    @pytest.mark.parametrize("guesses", [3, 300])
    def test_more_hits_than_truths(self, guesses):
        k = np.arange(guesses)
        boxes = np.stack([k * 20, k * 0, k * 20 + 9, k * 0 + 9], axis=1)
        given = {"image": k * 0, "category": k * 0}
        truth, guess = Dataset.from_arrays(boxes, **given), Dataset.from_arrays(boxes, **given, score=1 - k / 512)
        records = records_of(truth, guess, max_dets=300)
        assert Records.from_bytes(records.to_bytes()).to_bytes() == records.to_bytes()
        for area in range(records.counted.shape[1]):
            counted = records.counted.copy()
            counted[0, area] -= counted[0, area] > 0
            fewer = dataclasses.replace(records, counted=counted)
            if (counted == records.counted).all():
                continue
            with pytest.raises(InputError, match="`matched` must not find more truths than `counted` has"):
                Records.from_bytes(fewer.to_bytes())

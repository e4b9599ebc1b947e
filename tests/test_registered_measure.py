"""A measure that is written in Python alone follows by itself everywhere.

`share` and `weighted` are formulas that are compiled under other names, so every verb has an answer to compare with.
`cosine` is not compiled at all, and is compared with its definition.
"""

import json

import numpy as np
import pytest

from vesica import (
    Boxes,
    LabelMap,
    Masks,
    Polygons,
    RleMasks,
    RotatedBoxes,
    Sets,
    SparseMasks,
    _check,
    best,
    coverage,
    join,
    match,
    nmm,
    nms,
    nms_padded,
    parts,
    soft_nms,
    tversky,
)
from vesica._array import namespace, real
from vesica._kernels import pick
from vesica.cli import main
from vesica.overlaps.measures import MEASURES, register
from vesica.regions import comparable

RNG = np.random.default_rng(11)
CORNERS = RNG.integers(0, 24, (40, 2))
ROWS = np.concatenate([CORNERS, CORNERS + RNG.integers(1, 16, (40, 2))], axis=1).astype(float)
STACK = np.stack([(np.arange(40)[:, None] // 8 == k % 5) | (np.arange(44)[None] // 4 == k) for k in range(11)])
STACK &= np.random.default_rng(12).random(STACK.shape) < 0.8
ROTATED = RotatedBoxes(np.concatenate([ROWS, RNG.uniform(0, 360, (40, 1))], axis=1), unit="deg", direction="cw")
SCORES = np.random.default_rng(13).permutation(40) / 40

COLLECTIONS = {
    "boxes": (Boxes(ROWS), Boxes(ROWS[::-1] + 1)),
    "integers": (Boxes(ROWS.astype(int)), Boxes(ROWS[::-1].astype(int))),
    "rotated": (ROTATED, Boxes(ROWS)),
    "polygons": (Polygons.from_boxes(Boxes(ROWS)), Polygons.from_rotated(ROTATED)),
    "masks": (Masks(STACK), Masks(STACK[::-1])),
    "run lengths": (RleMasks.from_masks(STACK), Masks(STACK[::-1])),
    "sparse": (SparseMasks(np.array(np.nonzero(STACK)), size=STACK.shape), RleMasks.from_masks(STACK)),
    "masks with boxes": (Masks(STACK), Boxes(ROWS[:11] + 0.25)),
    "boxes with masks": (Boxes(ROWS[:11] + 0.25), RleMasks.from_masks(STACK)),
    "label maps": (
        LabelMap(np.random.default_rng(14).integers(0, 5, (9, 9)), ids=range(1, 5)),
        LabelMap(np.random.default_rng(15).integers(0, 5, (9, 9)), ids=range(1, 5)),
    ),
    "sets": tuple(Sets([np.flatnonzero(row.ravel()).tolist() for row in stack]) for stack in (STACK, STACK[::-1])),
}
SELF = {name: COLLECTIONS[name][0] for name in ("boxes", "integers", "rotated", "polygons", "masks", "sets")}


def share_formula(p, /):
    """The share of the first that the second covers."""
    return p.inter, p.area_a


def weighted_formula(p, /, *, alpha=0.5, beta=0.5):
    only_a, only_b = real(p.area_a - p.inter), real(p.area_b - p.inter)
    return real(p.inter), real(p.inter) + alpha * only_a + beta * only_b


def cosine_formula(p, /):
    """Ochiai's coefficient: the shared area over the geometric mean of both."""
    return real(p.inter), namespace(p.inter).sqrt(real(p.area_a) * real(p.area_b))


def known(name, formula, **facts):
    formula.__name__ = name
    return register(is_fraction=True, **facts)(formula)


@pytest.fixture(autouse=True)
def measures():
    """The three measures, for as long as a test runs."""
    weights = {"alpha": _check.weight, "beta": _check.weight}
    yield {
        "share": known("share", share_formula, is_symmetric=False),
        "weighted": known(
            "weighted",
            weighted_formula,
            checks=weights,
            turned=lambda options: {**options, "alpha": options["beta"], "beta": options["alpha"]},
        ),
        "cosine": known("cosine", cosine_formula),
    }
    for name in ("share", "weighted", "cosine"):
        del MEASURES[name]


# The measure by its name, the compiled one that is the same, the options of both.
SAME = [
    pytest.param("share", coverage, {}, id="share"),
    pytest.param("weighted", tversky, {"alpha": 0.2, "beta": 0.9}, id="weighted"),
]


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("name, compiled, options", SAME)
class TestSameAsCompiled:
    @pytest.mark.parametrize("kind", COLLECTIONS)
    def test_matrix_and_aligned(self, name, compiled, options, kind):
        a, b = COLLECTIONS[kind]
        assert np.array_equal(MEASURES[name](a, b, **options), compiled(a, b, **options))
        assert np.array_equal(MEASURES[name](a, b, aligned=True, **options), compiled(a, b, aligned=True, **options))
        assert np.array_equal(MEASURES[name](parts(a, b), **options), compiled(parts(a, b), **options))

    @pytest.mark.parametrize("kind", COLLECTIONS)
    def test_join_and_best(self, name, compiled, options, kind):
        a, b = COLLECTIONS[kind]
        for limit in ({"at_least": 0.1}, {"at_least": 0.05, "strict": True}):
            found = join(a, b, measure=name, **limit, **options)
            assert len(found) and same(found, join(a, b, measure=compiled, **limit, **options))
        assert same(best(a, b, k=3, measure=name, **options), best(a, b, k=3, measure=compiled, **options))

    @pytest.mark.parametrize("kind", SELF)
    def test_selection(self, name, compiled, options, kind):
        regions = SELF[kind]
        scores = SCORES[: len(regions)]
        keys = np.arange(len(regions)) % 2
        for settings in ({}, {"keys": keys}, {"keys": (keys, keys), "limit": 2}, {"limit": 3, "min_score": 0.2}):
            settings = {"above": 0.3, "suppressed_by": True, **settings, **options}
            assert same(*(nms(regions, scores, measure=measure, **settings) for measure in (name, compiled)))
        for decay in ("linear", "gaussian"):
            settings = {"decay": decay, "keys": keys, **options}
            assert same(*(soft_nms(regions, scores, measure=measure, **settings) for measure in (name, compiled)))
        if kind == "sets":  # which have no union
            return
        for how in ("greedy", "transitive"):
            settings = {"how": how, "above": 0.3, **options}
            one, two = (nmm(regions, scores, measure=measure, **settings) for measure in (name, compiled))
            assert np.array_equal(one.group, two.group) and np.array_equal(one.scores, two.scores)

    def test_nan_score(self, name, compiled, options):
        with pytest.raises(ValueError, match="NaN in row 1"):
            nms(ROWS[:3], [1.0, np.nan, 0.5], measure=name, **options)

    def test_match(self, name, compiled, options):
        a, b = COLLECTIONS["boxes"]
        for how in ("greedy", "optimal"):
            one, two = (match(a, b, at_least=0.2, how=how, measure=measure, **options) for measure in (name, compiled))
            assert len(one.truth) and np.array_equal(one.truth, two.truth) and np.array_equal(one.guess, two.guess)

    def test_padded(self, name, compiled, options):
        torch = pytest.importorskip("torch")
        batch, scores = torch.from_numpy(ROWS).reshape(2, 20, 4), torch.from_numpy(SCORES).reshape(2, 20)
        want = nms_padded(batch, scores, limit=9, above=0.3, measure=compiled, **options)
        got = nms_padded(batch, scores, limit=9, above=0.3, measure=name, **options)
        # Each step is traced anew: two of them, of which the second sees what was suppressed before.
        traced = torch.compile(nms_padded, backend="eager")(batch, scores, limit=2, above=0.3, measure=name, **options)
        assert torch.equal(got.index, want.index) and torch.equal(traced.index, want.index[:, :2])

    def test_every_library(self, name, compiled, options, xp):
        a, b = xp(ROWS), xp(ROWS[::-1])
        assert np.allclose(xp.back(MEASURES[name](a, b, **options)), compiled(ROWS, ROWS[::-1], **options), rtol=1e-15)
        got = join(a, b, at_least=0.3, measure=name, **options)
        want = join(ROWS, ROWS[::-1], at_least=0.3, measure=compiled, **options)
        assert xp.back(got.i).tolist() == want.i.tolist() and xp.back(got.j).tolist() == want.j.tolist()

    def test_gradient(self, name, compiled, options):
        torch = pytest.importorskip("torch")
        slopes = []
        for measure in (MEASURES[name], compiled):
            x = torch.from_numpy(ROWS).requires_grad_()
            measure(x, torch.from_numpy(ROWS[::-1].copy()), **options).sum().backward()
            slopes.append(x.grad)
        assert torch.equal(*slopes) and slopes[0].abs().sum() > 0


class TestCosine:
    @pytest.mark.parametrize("kind", COLLECTIONS)
    def test_no_pair_is_lost(self, kind):
        a, b = COLLECTIONS[kind]
        p = parts(a, b)
        matrix = p.inter / np.sqrt(p.area_a.astype(float) * p.area_b)
        assert np.array_equal(MEASURES["cosine"](a, b), np.nan_to_num(matrix))
        found = join(a, b, at_least=0.101, measure="cosine")
        i, j = np.nonzero(matrix >= 0.101)
        assert found.i.tolist() == i.tolist() and found.j.tolist() == j.tolist() and len(i)
        assert np.array_equal(found.value, matrix[i, j])

    def test_of_nothing(self):
        point = [[1, 1, 1, 1]]
        assert MEASURES["cosine"](point, point).tolist() == [[0]]
        assert MEASURES["cosine"](point, point, empty=1).tolist() == [[1]]


class TestFacts:
    def test_symmetry(self, measures):
        told = {name: one.chosen({}).is_symmetric for name, one in MEASURES.items()}
        assert {name for name, is_symmetric in told.items() if not is_symmetric} == {"coverage", "share"}
        assert not measures["weighted"].chosen({"alpha": 0.1}).is_symmetric
        for name, one in MEASURES.items():
            options = one.options({"alpha": 0.2, "beta": 0.7} if "alpha" in one.defaults else {})
            if name != "share":
                turned = one(Boxes(ROWS[::-1]), Boxes(ROWS), **one.turned(options))
                want = one(Boxes(ROWS), Boxes(ROWS[::-1]), **options)
                assert np.allclose(turned.T, want, rtol=1e-15, atol=0), name

    def test_the_reason_is_told(self, measures):
        for name, verb in (("boxes", "measure"), ("boxes", "join"), ("polygons", "best"), ("masks", "nms")):
            tables = comparable(*COLLECTIONS[name], aligned=False)
            compiled, python = (pick(verb, tables, one.chosen({})) for one in (coverage, measures["share"]))
            assert compiled.backend == "native" and python.backend == "generic"
            assert python.why == "no compiled formula of this name"

    def test_options_are_checked(self):
        with pytest.raises(ValueError, match="`alpha` must not be negative; got -1"):
            MEASURES["weighted"](ROWS, ROWS, alpha=-1)
        with pytest.raises(TypeError, match="share has no option `of`; it takes `aligned`, `threads`, `empty`"):
            MEASURES["share"](ROWS, ROWS, of="a")

    def test_command_line(self, tmp_path, capsys):
        for name, rows in (("a.npy", ROWS), ("b.npy", ROWS[::-1])):
            np.save(tmp_path / name, rows)
        files = [str(tmp_path / name) for name in ("a.npy", "b.npy")]
        assert main(["iou", *files, "--measure", "cosine", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["values"] == MEASURES["cosine"](ROWS, ROWS[::-1]).tolist()
        with pytest.raises(SystemExit):
            main(["nms", "--help"])
        assert "ciou,eiou,share,cosine}" in capsys.readouterr().out

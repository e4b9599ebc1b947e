"""The registry of kernels: a backend is a folder and its registrations."""

import json

import numpy as np
import pytest

from backends import absent, present
from vesica import Boxes, Masks, iou, join, nms
from vesica._kernels import has_kernel, pick, pick_arrays, registry
from vesica._kernels.registry import Kernel, Place, cases, find, registered
from vesica.cli import main
from vesica.overlaps.measures import MEASURES
from vesica.regions import comparable

ROW = [[0.0, 0, 1, 1]]
KINDS = {"boxes", "rotated", "masks", "masks_boxes", "boxes_masks", "polygons", "sets", "labels"}


class TestNewBackend:
    """What a folder for another device will do: register, and be chosen."""

    WHY = "its own kernels read this device"

    def kernel(self, call, **rest):
        return Kernel("measure", "boxes", "fake", call, Place("torch", "meta", "plain"), self.WHY, **rest)

    def test_is_chosen_says_why_and_goes(self):
        torch = pytest.importorskip("torch")
        there = torch.zeros((3, 4), device="meta")
        tables, formula = comparable(there, there, aligned=False), iou.chosen({})
        before = pick("measure", tables, formula)
        seen = []

        def call(tables, formula, *, aligned, threads):
            seen.append((tables.kind, formula.name, aligned, threads))
            return torch.ones((tables.n, tables.m))

        with present(self.kernel(call)):
            chosen = pick("measure", tables, formula)
            assert (chosen.backend, chosen.why) == ("fake", self.WHY)
            assert iou(there, there, threads=2).tolist() == [[1.0] * 3] * 3
            assert seen == [("boxes", "iou", False, 2)]
            assert pick("measure", comparable(ROW, ROW, aligned=False), formula).backend == "native"
            assert pick("join", tables, formula).backend == "generic"
        assert pick("measure", tables, formula) is before and before.backend == "generic"
        assert iou(there, there).device.type == "meta" and len(seen) == 1

    def test_a_gradient_stays_with_torch(self):
        torch = pytest.importorskip("torch")
        learnt = torch.zeros((3, 4), device="meta", requires_grad=True)
        with present(self.kernel(None)):
            kernel = pick("measure", comparable(learnt, learnt, aligned=False), iou.chosen({}))
        assert kernel.backend == "generic" and kernel.why == "the gradient is torch's own"

    def test_formulas_it_lacks(self):
        torch = pytest.importorskip("torch")
        there = torch.zeros((3, 4), device="meta")
        tables = comparable(there, there, aligned=False)
        with present(self.kernel(None, formulas=frozenset({"iou"}))):
            assert pick("measure", tables, iou.chosen({})).backend == "fake"
            other = pick("measure", tables, MEASURES["giou"].chosen({}))
        assert other.backend == "generic" and other.why == "no compiled formula of this name"

    def test_is_listed(self, capsys):
        with present(self.kernel(None)):
            assert main(["info", "--json"]) == 0
            listed = json.loads(capsys.readouterr().out)["backends"]
        want = {"arrays": "arrays of torch meta plain", "verbs": ["measure"], "kinds": ["boxes"]}
        assert want | {"backend": "fake", "why": self.WHY} in listed
        assert main(["info", "--json"]) == 0 and "fake" not in capsys.readouterr().out


class TestChoice:
    def test_every_kind_has_a_measure_a_join_and_a_best(self):
        for verb in ("measure", "join", "best"):
            assert {kernel.kind for kernel in registered() if kernel.verb == verb} == KINDS

    def test_what_has_a_fixed_shape_is_served_anywhere(self):
        anywhere = Place("another library", "another device", "plain")
        for verb in ("measure", "join", "best"):
            for kind in ("boxes", "rotated", "masks", "masks_boxes", "boxes_masks"):
                assert find(verb, kind, anywhere, "iou").backend == "generic"
        for verb, kind in (("area", "masks"), ("boxes", "masks"), ("count", "labels"), ("anchors", "boxes")):
            assert find(verb, kind, anywhere).backend == "generic"

    def test_the_choice_is_kept(self):
        tables, formula = comparable(ROW, ROW, aligned=False), iou.chosen({})
        assert pick("measure", tables, formula) is pick("measure", tables, formula)

    def test_no_kernel(self):
        with pytest.raises(LookupError, match="No backend has a kernel `fly` for boxes"):
            pick("fly", comparable(ROW, ROW, aligned=False))
        with pytest.raises(LookupError, match="No backend has a kernel `pack` for masks"):
            strict = pytest.importorskip("array_api_strict")
            pick_arrays("pack", "masks", strict.zeros((1, 2, 2)))

    def test_without_native_the_twin_serves(self):
        """The same pairs and values, and the same rows that stay."""
        rng = np.random.default_rng(3)
        corner = rng.integers(0, 30, (50, 2))
        rows, scores = np.concatenate([corner, corner + rng.integers(1, 20, (50, 2))], axis=1), rng.random(50)
        want = iou(rows, rows), *join(rows, at_least=0.3), *nms(rows, scores, suppressed_by=True)
        with absent("native", "measure"), absent("native", "join"), absent("native", "nms"):
            got = iou(rows, rows), *join(rows, at_least=0.3), *nms(rows, scores, suppressed_by=True)
        assert all(np.array_equal(x, y) for x, y in zip(got, want, strict=True))

    def test_dense_masks_are_packed_where_a_kernel_can(self):
        strict = pytest.importorskip("array_api_strict")
        stack = np.ones((1, 2, 2), bool)
        assert Masks(stack).can_be_packed and not Masks(strict.asarray(stack)).can_be_packed
        assert has_kernel("pack", "masks", stack)


class TestPlace:
    def test_of_arrays(self):
        torch, strict = pytest.importorskip("torch"), pytest.importorskip("array_api_strict")
        jax = pytest.importorskip("jax")
        wants = [
            (np.zeros(1), ("numpy", "cpu", "plain")),
            (torch.zeros(1), ("torch", "cpu", "plain")),
            (torch.zeros(1, requires_grad=True), ("torch", "cpu", "gradient")),
            (torch.zeros(1, device="meta"), ("torch", "meta", "plain")),
            (strict.zeros(1), ("array_api_strict", "cpu", "plain")),
            (jax.numpy.zeros(1), ("jax", "cpu", "plain")),
        ]
        for array, want in wants:
            assert registry.place_of(array) == want
        assert registry.place_of(torch.zeros(1), torch.zeros(1, requires_grad=True)).state == "gradient"
        seen = []
        jax.jit(lambda x: (seen.append(registry.place_of(x)), x)[1])(jax.numpy.zeros(1))
        torch.func.vmap(lambda x: (seen.append(registry.place_of(x)), x)[1])(torch.zeros(1))
        assert [(place.library, place.state) for place in seen] == [("jax", "traced"), ("torch", "traced")]

    def test_of_tables(self):
        from vesica import LabelMap, RleMasks, Sets

        labels = LabelMap([[1, 2]])
        rle = RleMasks([[0, 4]], size=(2, 2))
        wants = [(Boxes(ROW), ROW, "numpy"), (rle, ROW, "flat"), (ROW, rle, "flat"), (rle, rle, "flat")]
        wants += [
            (labels, labels, "counted"),
            (Sets([[1]]), Sets([[2]]), "flat"),
            (Masks(np.ones((1, 2, 2), bool)), rle, "flat"),
        ]
        for a, b, want in wants:
            assert registry.place_of_tables(comparable(a, b, aligned=False)).library == want


class TestCases:
    def test_the_list_is_what_is_registered(self):
        listed = {(verb, case.backend, case.why) for case in cases() for verb in case.verbs}
        assert listed == {(kernel.verb, kernel.backend, kernel.why) for kernel in registered()}

"""Backends: which one runs, that it equals its twin, and that threads and instruction sets change no bit."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from backends import careful
from vesica import Boxes, Masks, RotatedBoxes, _native, best, giou, iou, join, nms, parts
from vesica._kernels import native, pick
from vesica._kernels.registry import cases
from vesica.overlaps.measures import MEASURES
from vesica.overlaps.parts import twin_parts
from vesica.regions import comparable

ALL = sorted(MEASURES)
DEG = {"unit": "deg", "direction": "cw"}


def rows(n, seed=0, dtype="float64"):
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 80, (n, 2))
    return np.concatenate([corner, corner + rng.uniform(0, 40, (n, 2))], axis=1).astype(dtype)


def turned(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(0, 50, (n, 2)), rng.uniform(1, 20, (n, 2)), rng.uniform(0, 360, (n, 1))], axis=1)


class TestDelegation:
    def test_numpy_is_native(self, no_twin):
        boxes, rotated = Boxes(rows(9)), RotatedBoxes(turned(9), **DEG)
        for measure in MEASURES.values():
            measure(boxes, boxes)
            measure(boxes, boxes, aligned=True)
        iou(rotated, rotated), best(boxes, boxes), best(rotated, rotated)
        join(boxes, boxes, at_least=0.5), join(rotated, at_least=0.5)

    def test_torch_without_gradient_is_native(self, no_twin):
        torch = pytest.importorskip("torch")
        x = torch.from_numpy(rows(9))
        for measure in MEASURES.values():
            assert measure(x, x).dtype == torch.float64
        join(x, at_least=0.5), best(x, x)

    def test_torch_under_no_grad_is_native(self, no_twin):
        torch = pytest.importorskip("torch")
        x = torch.from_numpy(rows(9)).requires_grad_()
        with torch.no_grad():
            assert not iou(x, x).requires_grad

    def test_torch_with_gradient_is_generic(self, no_native):
        torch = pytest.importorskip("torch")
        x = torch.from_numpy(rows(9)).requires_grad_()
        assert iou(x, x).requires_grad and join(x, at_least=0.5).value.requires_grad and best(x, x).value.requires_grad

    def test_strict_is_generic(self, no_native):
        strict = pytest.importorskip("array_api_strict")
        x = strict.asarray(rows(9))
        iou(x, x), join(x, at_least=0.5), best(x, x)

    def test_jax_is_generic(self, no_native):
        jnp = pytest.importorskip("jax.numpy")
        x = jnp.asarray(rows(9))
        iou(x, x), best(x, x)

    def test_torch_transformations_are_generic(self, no_native):
        torch = pytest.importorskip("torch")
        x, y = torch.from_numpy(rows(4)), torch.from_numpy(rows(4, 1))
        both = torch.func.vmap(lambda a, b: iou(a[None], b[None])[0, 0])(x, y)
        slopes = torch.func.jacrev(lambda a: iou(a, y, aligned=True).sum())(x)
        _, tangent = torch.func.jvp(lambda a: iou(a, y, aligned=True), (x,), (torch.ones_like(x),))
        assert both.shape == (4,) and slopes.shape == (4, 4) and tangent.shape == (4,)

    @pytest.mark.compile
    def test_jax_transformations(self):
        jax = pytest.importorskip("jax")
        x = jax.numpy.asarray(rows(4))
        once = jax.jit(lambda a: iou(a, a))(x)
        slope = jax.grad(lambda a: giou(a, x + 1.0, aligned=True).sum())(x)
        assert np.allclose(once, iou(rows(4), rows(4))) and np.isfinite(np.asarray(slope)).all()

    def test_jax_without_x64(self):
        jax = pytest.importorskip("jax")
        was = jax.config.jax_enable_x64
        jax.config.update("jax_enable_x64", False)
        try:
            x = jax.numpy.asarray(rows(4, dtype="float32"))
            assert iou(x, x).dtype == "float32" and best(x, x, k=2).index.shape == (4, 2)
            assert len(join(x, at_least=0.01)) == len(join(rows(4, dtype="float32"), at_least=0.01))
            with pytest.raises(TypeError, match="need 64-bit integers, which JAX has switched off"):
                Boxes(jax.numpy.asarray([[0, 0, 1, 1]]))
            stack = jax.numpy.ones((1, 3, 3), bool)
            for call in (lambda: iou(stack, stack), lambda: Masks(stack).area, lambda: Masks(stack).boxes):
                with pytest.raises(TypeError, match="masks and label maps need 64-bit integers"):
                    call()
        finally:
            jax.config.update("jax_enable_x64", was)

    @pytest.mark.compile
    def test_torch_compile_has_no_graph_break(self):
        torch = pytest.importorskip("torch")
        x = torch.from_numpy(rows(6, dtype="float32")).requires_grad_()
        y = torch.from_numpy(rows(6, 1, dtype="float32"))
        compiled = torch.compile(lambda a, b: giou(a, b, aligned=True), backend="eager", fullgraph=True)
        assert torch.equal(compiled(x, y), giou(x, y, aligned=True))

    def test_pick_can_explain(self):
        torch = pytest.importorskip("torch")
        plain, learned = torch.zeros((1, 4)), torch.zeros((1, 4), requires_grad=True)
        nowhere = torch.zeros((1, 4), device="meta")
        wants = [
            (plain, plain, "native", "compiled kernels share the memory of CPU tensors"),
            (plain, learned, "generic", "the gradient is torch's own"),
            (nowhere, nowhere, "generic", "there are no kernels for this device yet: its library does the arithmetic"),
        ]
        for a, b, backend, why in wants:
            kernel = pick("measure", comparable(a, b, aligned=False), iou.chosen({}))
            assert (kernel.backend, kernel.why) == (backend, why)
            assert why in {case.why for case in cases()}

    def test_measures_are_the_native_list(self):
        assert set(_native.measure_names(True)) == set(MEASURES)
        assert set(_native.measure_names(False)) == {name for name, one in MEASURES.items() if not one.needs_hull}

    def test_anything_with_dlpack(self):
        class Strange:
            def __init__(self, array):
                self._array = array

            def __dlpack__(self, **options):
                return self._array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self._array.__dlpack_device__()

        assert iou(Strange(rows(3)), Strange(rows(3))).shape == (3, 3)

    def test_tensors_are_shared_not_copied(self, monkeypatch):
        torch = pytest.importorskip("torch")
        x = torch.from_numpy(rows(5))
        seen = []
        plain = native._kernel
        monkeypatch.setattr(
            native, "_kernel", lambda *names: lambda *call: (seen.append(call[2].ctypes.data), plain(*names)(*call))
        )
        with careful():
            iou(x, x)
        assert seen == [x.data_ptr()]


class TestTwin:
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
    @given(data=st.data())
    def test_equal_bit_for_bit(self, dtype, data):
        a, b = data.draw(strategies.tables(dtype=dtype)), data.draw(strategies.tables(dtype=dtype))
        n = min(len(a), len(b))
        for name, measure in MEASURES.items():
            for aligned, x, y in ((False, a, b), (True, a[:n], b[:n])):
                twin = measure.of_parts(twin_parts(comparable(x, y, aligned=aligned), aligned), measure.options({}))
                fast = measure(x, y, aligned=aligned)
                # Two libraries may round an arc tangent differently; nothing else may differ at all.
                tolerance = np.spacing(np.ones(1, fast.dtype))[0] * 8 if name == "ciou" else 0
                assert fast.dtype == twin.dtype and np.all(np.abs(fast - twin) <= tolerance), name

    @given(strategies.tables(dtype="float32"), strategies.tables(dtype="float32"))
    def test_inter(self, a, b):
        fast, twin = parts(a, b).inter, twin_parts(comparable(a, b, aligned=False), False).inter
        assert np.array_equal(fast, twin)

    def test_odd_lengths(self):
        """Every remainder that a vector loop can leave."""
        for m in range(1, 70):
            a, b = rows(3, m, "float32"), rows(m, m + 1, "float32")
            assert np.array_equal(iou(a, b), iou(b, a).T)
            twin = MEASURES["giou"].of_parts(twin_parts(comparable(a, b, aligned=False), False), {"empty": 0.0})
            assert np.array_equal(giou(a, b), twin)

    def test_non_contiguous_and_foreign_byte_order(self):
        a = rows(20)
        wide = np.zeros((20, 8))
        wide[:, ::2] = a
        assert np.array_equal(iou(wide[:, ::2], a), iou(a, a))
        assert np.array_equal(iou(a.astype(">f8"), a.astype(">f4").astype("f8")), iou(a, a.astype("f4").astype("f8")))
        assert np.array_equal(iou(np.asfortranarray(a), a[::-1]), iou(a, a[::-1].copy()))


def test_an_instruction_set_is_taken_by_its_name(each_isa):
    """As far as the processor has it; so tests that ask for one do run it."""
    names = ["baseline", "avx2", "avx512"]
    there = names[: names.index(_native.isa()) + 1]
    assert sorted(each_isa(lambda: None)) == sorted(there)
    for name in there:
        _native.limit_isa(name)
        assert _native.isa() == name
    with pytest.raises(ValueError, match="no such instruction set"):
        _native.limit_isa("avx1024")


class TestSameEverywhere:
    def everything(self, threads):
        a, b = rows(500, 1, "float32"), rows(700, 2, "float32")
        left, right = RotatedBoxes(turned(300, 1), **DEG), RotatedBoxes(turned(200, 2), **DEG)
        answers = [measure(a, b, threads=threads) for measure in MEASURES.values()]
        answers += [iou(a, a, aligned=True, threads=threads), iou(left, right, threads=threads)]
        answers += [*best(a, b, k=3, threads=threads), *join(a, b, at_least=0.3, threads=threads)]
        answers += [*join(left, right, at_least=0.3, threads=threads), *join(a, at_least=0.3, threads=threads)]
        answers += [iou(rows(200, 3).round().astype("int64"), rows(300, 4).round().astype("int64"), threads=threads)]
        return [answer.tobytes() for answer in answers]

    def test_threads(self):
        one = self.everything(1)
        assert all(self.everything(threads) == one for threads in (2, 3, 7))

    def test_instruction_sets(self, each_isa):
        answers = each_isa(lambda: self.everything(2))
        assert len(set(map(tuple, answers.values()))) == 1

    def test_many_python_threads(self):
        want, failures = self.everything(2), []

        def work():
            if self.everything(2) != want:
                failures.append("differs")

        crew = [threading.Thread(target=work) for _ in range(4)]
        [thread.start() for thread in crew]
        [thread.join() for thread in crew]
        assert not failures

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    def test_after_a_fork(self):
        code = (
            "import os, numpy as np, vesica\n"
            "rows = np.tile([[0., 0, 1, 1]], (2000, 1))\n"
            "assert vesica.iou(rows, rows, threads=2).all()\n"
            "pid = os.fork()\n"
            "assert vesica.iou(rows, rows, threads=2).all()\n"
            "if pid == 0: os._exit(0)\n"
            "assert os.waitpid(pid, 0)[1] == 0\n"
        )
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)


class TestThreads:
    def run(self, value):
        code = "from vesica._kernels import native; print(native.default_threads())"
        environment = {**os.environ, "VESICA_NUM_THREADS": value}
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    def test_environment(self):
        assert self.run("3").stdout.strip() == "3"

    def test_nonsense(self):
        assert "VESICA_NUM_THREADS must be a whole number above 0; got 'many'" in self.run("many").stderr


class TestIsa:
    """VESICA_ISA: at most this instruction set."""

    def run(self, value):
        code = "import vesica; vesica.iou([[0, 0, 4, 4]], [[0, 0, 4, 2]]); print(vesica._kernels.native.isa())"
        environment = {**os.environ, "VESICA_ISA": value}
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    @pytest.mark.parametrize("told", native.ISAS)
    def test_is_never_above_what_was_told_nor_what_there_is(self, told):
        weakest = max(native.ISAS.index(told), native.ISAS.index(native.isa()))
        assert self.run(told).stdout.strip() == native.ISAS[weakest]

    def test_empty_is_unset(self):
        assert self.run("").stdout.strip() == native.isa()

    def test_nonsense(self):
        assert "VESICA_ISA must be avx512, avx2 or baseline; got 'sse'" in self.run("sse").stderr


class TestKeptMemory:
    """Large answers reuse the memory of freed ones."""

    ROWS = np.concatenate([np.zeros((2100, 2)), np.ones((2100, 2))], axis=1).astype("float32")

    def test_is_reused_and_answers_stay_apart(self):
        first = iou(self.ROWS, self.ROWS)
        place = first.ctypes.data
        second = iou(self.ROWS, self.ROWS)
        assert second.ctypes.data != place
        second[:] = 7
        assert np.all(first == 1)
        del first
        third = iou(self.ROWS, self.ROWS)
        assert third.ctypes.data == place and np.all(third == 1) and np.all(second == 7)

    def test_views_keep_it_alive(self):
        view = iou(self.ROWS, self.ROWS)[5:7, ::2]
        others = [iou(self.ROWS, self.ROWS * 2) for _ in range(3)]
        assert np.all(view == 1) and all(np.all(other == 0.25) for other in others)

    def test_tensors(self):
        torch = pytest.importorskip("torch")
        x = torch.from_numpy(self.ROWS)
        answers = [iou(x, x * scale) for scale in (1, 2)]
        assert torch.all(answers[0] == 1) and torch.all(answers[1] == 0.25)

    def test_has_a_limit(self):
        try:
            answers = [iou(self.ROWS, self.ROWS) for _ in range(4)]
            del answers
            assert 0 < _native.kept() <= 256 << 20
            assert _native.keep_at_most(40 << 20) <= 40 << 20
            assert _native.keep_at_most(0) == 0 and iou(self.ROWS, self.ROWS).all() and _native.kept() == 0
        finally:
            _native.keep_at_most(256 << 20)

    def test_scratch(self):
        """It serves the next call, and gives way to large answers: those alone are as large as the limit here."""
        boxes, scores = rows(10_000), np.arange(10_000)
        try:
            _native.keep_at_most(0), _native.keep_at_most(18 << 20)
            want, once = nms(boxes, scores), _native.kept()
            assert 0 < once < 4 << 20
            assert np.array_equal(nms(boxes, scores), want) and _native.kept() == once
            iou(self.ROWS, self.ROWS)
            assert _native.kept() == 18 << 20
            assert np.array_equal(nms(boxes, scores), want) and _native.kept() == 18 << 20
        finally:
            _native.keep_at_most(256 << 20)

    def test_environment(self):
        code = (
            "import numpy as np, vesica\nfrom vesica import _native\n"
            "rows = np.tile(np.float32([[0, 0, 1, 1]]), (2100, 1))\n"
            "vesica.iou(rows, rows); print(_native.kept())"
        )
        for value, want in (("0", "0"), ("64", str(18 << 20))):
            environment = {**os.environ, "VESICA_KEEP_MB": value}
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
            assert done.stdout.strip() == want

"""How much memory masks take at most. Each case runs in a process of its own and reports its peak."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peaks are read from /proc")

MB = 1 << 20
PEAK = """
import numpy as np, vesica
from vesica import Masks, RleMasks, SparseMasks, iou, join, nms, parts  # not all, which takes longer than most cases

def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024

def extra(call):
    # Over what the process holds now. The call must be the first of its size: freed memory would serve it again.
    open("/proc/self/clear_refs", "w").write("5")
    before = peak()
    call()
    return peak() - before

parts(np.ones((2, 3, 3), bool), [[0, 0, 1, 1]]), iou(np.ones((2, 3, 3), bool), np.ones((2, 3, 3), bool))  # libraries
"""


def measured(code):
    """What the code prints: bytes."""
    environment = {**os.environ, "VESICA_NUM_THREADS": "2"}
    command = [sys.executable, "-W", "ignore", "-c", PEAK + code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


# Discs that cover a third of the picture, side by side and over each other.
STACK = """
stack = np.zeros((100, 540, 960), bool)
for k in range(100):
    y, x = np.ogrid[:540, :960]
    stack[k] = (x - 9 * k) ** 2 + (y - 5 * k) ** 2 < 250 ** 2
"""
STACK_BYTES = 100 * 540 * 960


def test_the_measure_itself():
    assert 49 * MB < measured("print(extra(lambda: np.ones(50 << 20, np.uint8)))") < 52 * MB


class TestDense:
    def test_pairs(self):
        """All pairs at once would be 5 GB, one stack as float32 207 MB. As bits two stacks are 13 MB."""
        extra = measured(STACK + "other = stack[::-1].copy()\nprint(extra(lambda: iou(stack, other)))")
        assert extra < STACK_BYTES / 2

    def test_numbers_are_not_copied_whole(self):
        """Integers that are no bytes go by a chunk at a time."""
        extra = measured(STACK + "stack = stack.astype(np.int32)\nprint(extra(lambda: Masks(stack).area))")
        assert extra < 1.5 * STACK_BYTES

    def test_twin(self):
        """The array-API twin makes numbers of some rows at a time: as float32 the stack would be four times itself."""
        pytest.importorskip("array_api_strict")
        code = STACK + (
            "import tracemalloc, array_api_strict as xp\n"
            "masks, few = Masks(xp.asarray(stack)), Masks(xp.asarray(stack[:5]))\n"
            "assert not masks.can_be_packed\n"
            "tracemalloc.start()\niou(masks, few)\nprint(tracemalloc.get_traced_memory()[1])"
        )
        assert 4 * MB < measured(code) < 1.5 * STACK_BYTES


class TestRle:
    def test_747_masks_of_12_megapixels(self):
        """Dense they are 9 GB. The whole process stays far below one."""
        code = """
rng = np.random.default_rng(0)
lists = []
for k in range(747):  # ellipses, column by column
    cx, cy = rng.uniform(0, 4000), rng.uniform(0, 3000)
    a, b = rng.uniform(50, 600, 2)
    x = np.arange(max(0, int(cx - a) + 1), min(4000, int(cx + a)))
    half = b * np.sqrt(np.maximum(1 - ((x - cx) / a) ** 2, 0))
    y1, y2 = np.clip(np.stack([cy - half, cy + half]), 0, 3000).astype(int)
    edges = np.stack([x * 3000 + y1, x * 3000 + np.maximum(y2, y1)], axis=1).ravel()
    lists.append(np.diff(edges, prepend=0).tolist())
masks = RleMasks(lists, size=(3000, 4000))
found = iou(masks, masks)
assert (found > 0).sum() > 10_000 and np.array_equal(np.diagonal(found), (masks.area > 0).astype(float))
print(peak())
"""
        assert measured(code) < 400 * MB

    def test_largest_images(self):
        code = """
def call():
    masks = RleMasks([[0, 70_000**2], [5, 3_000_000_000]], size=(70_000, 70_000))
    assert masks.area.tolist() == [70_000**2, 3_000_000_000]
    assert iou(masks, masks)[0, 1] == 3_000_000_000 / 70_000**2
    assert iou(masks, [[0, 0, 70_000, 70_000]])[0, 0] == 1
print(extra(call))
"""
        assert measured(code) < MB


class TestSparse:
    def test_few_pixels_of_large_images(self):
        code = """
def call():
    table = [[0, 0, 1, 2, 2], [0, 69_999, 5, 5, 6], [0, 69_999, 5, 5, 5]]
    masks = SparseMasks(table, size=(3, 70_000, 70_000))
    assert masks.area.tolist() == [2, 1, 2]
    assert iou(masks, masks)[1, 2] == 0.5
    assert join(masks, at_least=0.5).value.tolist() == [0.5]
    assert parts(masks, [[4.5, 5.5, 8, 8]]).inter[:, 0].tolist() == [0, 0.5, 1.5]
    assert masks.indices.shape == (3, 5) and len(masks.to_rle().to_strings()) == 3
print(extra(call))
"""
        assert measured(code) < MB

    def test_many_pixels(self):
        """A million pixels in a thousand layers: about as much again as the indices."""
        code = """
rng = np.random.default_rng(0)
n = np.repeat(np.arange(1000), 1000)
table = np.stack([n, rng.integers(0, 40, 10**6) + 500 * (n % 90), rng.integers(0, 40, 10**6) + 700 * (n % 90)])
print(extra(lambda: SparseMasks(table, size=(1000, 70_000, 70_000))))
"""
        assert measured(code) < 2 * 24 * 10**6


class TestAssignment:
    def test_four_images(self):
        """8400 anchors × 5000 truths × 4 images: one matrix in float32 is 168 MB, all are 672 MB."""
        code = """
rng = np.random.default_rng(0)
def rows(count):
    corner = rng.uniform(0, 600, (count, 2))
    return np.concatenate([corner, corner + np.exp(rng.normal(4, 1, (count, 2)))], axis=1)
boxes, truths, offsets = rows(8400), rows(4 * 5000), np.arange(5) * 5000
print(extra(lambda: anchors.assign(boxes, truths, offsets=offsets)))
"""
        assert measured("from vesica import anchors\n" + code) < 20 * MB

    def test_twin(self):
        """4200 anchors × 2500 truths: one matrix is 84 MB."""
        pytest.importorskip("array_api_strict")
        code = """
import tracemalloc, array_api_strict as xp
rng = np.random.default_rng(0)
corner = rng.uniform(0, 600, (6700, 2))
rows = np.concatenate([corner, corner + 50], axis=1)
boxes, truths = xp.asarray(rows[:4200]), xp.asarray(rows[4200:])
tracemalloc.start()
anchors.assign(boxes, truths)
print(tracemalloc.get_traced_memory()[1])
"""
        assert 4 * MB < measured("from vesica import anchors\n" + code) < 60 * MB


class TestChoosing:
    @pytest.mark.parametrize(
        "boxes", ["np.tile(np.float32([[0, 0, 4, 4]]), (n, 1))", "low.repeat(2, axis=1)[:, [0, 2, 1, 3]]"]
    )
    def test_a_million(self, boxes):
        """Of equal boxes every two overlap; of the others hardly any do. Memory is O(N) either way."""
        make = "n = 1_000_000\nlow = np.random.default_rng(0).uniform(0, 9000, (n, 2)).astype(np.float32)\n"
        make += f"boxes = {boxes} + np.float32([0, 0, 9, 9])\nscores = np.arange(n) / n\n"
        assert measured(make + "print(extra(lambda: nms(boxes, scores)))") < 300 * MB


class TestSegmentation:
    """What is kept of an image is which labels met: memory does not grow with pixels."""

    @staticmethod
    def of_images(number):
        return measured(f"""
def maps(seed):
    rng = np.random.default_rng(seed)
    for _ in range({number}):
        yield np.kron(rng.integers(0, 19, (16, 16)), np.ones((32, 32), int)).astype(np.uint8)

vesica.evaluate_segmentation([np.zeros((2, 2), int)], [np.zeros((2, 2), int)])["mIoU"]
print(extra(lambda: vesica.evaluate_segmentation(maps(1), maps(2), categories=19)["mIoU"]))
""")

    def test_generators(self):
        few, many = self.of_images(10), self.of_images(500)
        assert many - few < 12 * MB  # of 250 MB of pixels; the tables of 490 images take 5 MB

    def test_scores_take_no_copies(self):
        """19 classes of 1 megapixel in float32 are 76 MB; one-hot arrays of them would be 150 MB and more."""
        extra = measured("""
scores, truth = np.ones((1, 19, 1024, 1024), np.float32), np.zeros((1, 1024, 1024), np.uint8)
vesica.evaluate_segmentation(truth[:, :2, :2], scores[..., :2, :2], from_scores="argmax")["mIoU"]  # libraries
print(extra(lambda: vesica.evaluate_segmentation(truth, scores, from_scores="argmax")["mIoU"]))
""")
        assert extra < 60 * MB

"""Processes that fork, or are started, while threads are inside a call; workers of a data loader."""

import os

import pytest

from processes import script

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

# A child that hangs ends by its alarm, whose signal the parent reports.
STORM = """
import os, signal, sys, threading
import numpy as np, vesica

random = np.random.default_rng(0)
corners = random.random((20_000, 2)) * 1000
boxes, scores = np.concatenate([corners, corners + 20], 1), random.random(20_000)
# The last answer is large enough for its memory to be kept when it is freed.
calls = [
    lambda: vesica.nms(boxes, scores).tobytes(),
    lambda: vesica.join(boxes, boxes, at_least=0.5).value.tobytes(),
    lambda: vesica.iou(boxes[:2100], boxes[:2100])[::7, 0].tobytes(),
]
wanted = [call() for call in calls]
stop = threading.Event()

def work(call):
    while not stop.is_set():
        call()

threads = [threading.Thread(target=work, args=(call,)) for call in calls for _ in range(2)]
for thread in threads:
    thread.start()
ends = []
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(0 if [call() for call in calls] == wanted else 1)
    ends.append(os.waitpid(child, 0)[1])
stop.set()
for thread in threads:
    thread.join()
print(*ends)
"""

LOADER = """
import numpy as np, torch, vesica

class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, k):
        random = np.random.default_rng(k)
        corners = random.random((3000, 2)) * 300
        boxes = np.concatenate([corners, corners + 20], 1)
        return len(vesica.nms(boxes, random.random(3000))), len(vesica.join(boxes, boxes, at_least=0.5))

if __name__ == "__main__":
    images = Images()
    here = [images[k] for k in range(len(images))]  # the pool of this process has begun
    for start, workers in (("fork", 2), ("spawn", 1)):  # each spawned one imports torch
        loader = torch.utils.data.DataLoader(
            images, batch_size=None, num_workers=workers, multiprocessing_context=start, timeout=100
        )
        print(start, [tuple(map(int, counts)) for counts in loader] == here)
"""


# Nothing has been loaded yet when threads and children ask for the first time.
FIRST = """
import os, signal, threading
import numpy as np, vesica

boxes, scores = np.array([[0.0, 0, 4, 4]] * 3), np.ones(3)
threads = [threading.Thread(target=lambda: vesica.nms(boxes, scores)) for _ in range(4)]
for thread in threads:
    thread.start()
child = os.fork()
if not child:
    signal.alarm(60)
    os._exit(len(vesica.nms(boxes, scores)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
for thread in threads:
    thread.join()
"""


def test_fork_at_the_first_call():
    ended = script(FIRST)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1\n", "")


def test_children_of_busy_parents_answer():
    ended = script(STORM, 12, VESICA_NUM_THREADS="4")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split() == ["0"] * 12


def test_workers_of_a_data_loader(tmp_path):
    pytest.importorskip("torch")
    path = tmp_path / "loader.py"
    path.write_text(LOADER)  # spawned workers import it
    ended = script(path, VESICA_NUM_THREADS="4")
    assert (ended.returncode, ended.stdout) == (0, "fork True\nspawn True\n"), ended.stderr

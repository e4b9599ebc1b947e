"""The end of a process while other threads are inside a call."""

import pytest

from processes import script

# What is kept by `sys` goes last. Until then Python is being finalised, and calls that end find no interpreter.
LEAVE = """
import sys, threading, time
import numpy as np, vesica

class Late:
    def __del__(self, sleep=time.sleep):
        sleep(0.5)

sys.late = Late()
random = np.random.default_rng(0)
corners = random.random((2000, 2)) * 300
boxes, scores = np.concatenate([corners, corners + 20], 1), random.random(2000)
mask = np.ones((4, 300, 300), bool)
calls = {
    "nms": lambda: vesica.nms(boxes, scores),
    "join": lambda: vesica.join(boxes, boxes, at_least=0.5),
    "iou": lambda: vesica.iou(boxes, boxes),
    "masks": lambda: vesica.iou(mask, mask),
}
call, begun = calls[sys.argv[1]], threading.Semaphore(0)

def work():
    while True:
        call()
        begun.release()

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
for _ in range(4):
    begun.acquire()
print("done")
"""


@pytest.mark.parametrize("verb", ["nms", "join", "iou", "masks"])
def test_daemon_threads_leave_quietly(verb):
    ended = script(LEAVE, verb)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")

"""Many processes that write one file, or one folder, at once, and others that read it."""

import os
from pathlib import Path

import pytest

from processes import script

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

TESTS = str(Path(__file__).parents[1])

# Children write contents of their own again and again, while their parent reads; all begin at once.
STORM = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import vesica
from vesica import Dataset
from writers import content_of, parts_beside

path, children, rounds = Path(sys.argv[2]), 8, 12
data = [Dataset.from_arrays([[0, 0, k + 1, 1]] * 2000, image=list(range(2000)), category=[k] * 2000)
        for k in range(children)]
contents = []
for one in data:
    vesica.write(path, one)
    contents.append(content_of(path))
ready, begin = os.pipe()
pids = []
for one in data:
    child = os.fork()
    if not child:
        signal.alarm(60)
        try:
            os.close(begin)
            os.read(ready, 1)
            for _ in range(rounds):
                vesica.write(path, one)
            os._exit(0)
        finally:
            os._exit(1)
    pids.append(child)
os.close(begin)
ends, reads = {}, 0
while len(ends) < children:
    assert set(vesica.read(path).xywh[:, 2].tolist()) in [{k + 1.0} for k in range(children)]
    reads += 1
    for child in pids:
        if child not in ends and (ended := os.waitpid(child, os.WNOHANG))[0]:
            ends[child] = ended[1]
print(set(ends.values()), content_of(path) in contents, parts_beside(path), reads > 0)
"""

# Eight processes write one folder. One that is new is made by one of them, and the others are told. One that there is
# they all overwrite: who meets another one at it is told, and the folder is always whole.
FOLDER = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import vesica
from vesica import Dataset
from writers import SIZE, content_of, parts_beside

children, found, overwrite = 8, set(), sys.argv[3] == "overwrite"
data = [Dataset.from_arrays([[0, 0, 1, 1]] * 5, image=[f"{k}{n}" for n in range(5)], sizes=SIZE) for k in range(9)]
for attempt in range(6):
    path = Path(sys.argv[2], f"yolo{attempt}")
    if overwrite:
        vesica.write(path, data[8], format="yolo")
    ready, begin = os.pipe()
    pids = []
    for k in range(children):
        child = os.fork()
        if not child:
            signal.alarm(60)
            os.close(begin)
            os.read(ready, 1)
            try:
                for _ in range(4 if overwrite else 1):
                    vesica.write(path, data[k], format="yolo", overwrite=overwrite)
                os._exit(0)
            except vesica.InputError as error:
                os._exit(3)
            finally:
                os._exit(1)
        pids.append(child)
    os.close(begin)
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in pids]
    images = vesica.read(path, sizes=SIZE).images.ids.tolist()
    whose = {image[0] for image in images}
    ended = set(ends) <= {0, 3} if overwrite else (sorted(ends), ends[int(min(whose))])
    found.add((str(ended), len(images), len(whose), len(content_of(path)), len(parts_beside(path))))
print(found)
"""


def test_one_file(tmp_path):
    ended = script(STORM, TESTS, tmp_path / "guess.csv")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "{0} True [] True\n", "")


@pytest.mark.parametrize("how, ends", [("new", f"({[0] + [3] * 7}, 0)"), ("overwrite", "True")])
def test_one_folder(tmp_path, how, ends):
    ended = script(FOLDER, TESTS, tmp_path, how)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"{{('{ends}', 5, 1, 6, 0)}}\n", "")

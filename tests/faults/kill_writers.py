"""Kills writers and tells what is left: `python kill_writers.py steps|moments|bytes FOLDER`, a line for each kill.

Children are forked when everything has been imported and made, and only write. Before each thing that one asks of the
file system or of an open file it forks, and the fork is killed there; what that leaves is looked at in a copy, while
the writer waits. At each moment its parent kills it from outside; and after so many bytes of a file the system does.
"""

import io
import os
import re
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import vesica
import without_pandas  # noqa: F401  Arrow would load it: the larger a process is, the longer it takes to fork
from processes import PATIENCE
from vesica.io import atomic
from writers import WRITERS, content_of, parts_beside

SHARES = (0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Moments of the kills, of the time that the writing takes."""
PART = re.compile(r"\.vesica-[0-9a-f]{16}\.(part|unfinished)")


def main(how, folder):
    for name, writer in WRITERS.items():
        for begin in ("file",) if not writer.is_folder else ("new", "folder"):
            case = Case(name, writer, Path(folder, f"{list(WRITERS).index(name)}{begin}"), is_new=begin == "new")
            for moment, ended in enumerate(getattr(case, how)()):
                print(name, begin, moment, ended, case.verdict(), sep="\t")


class Case:
    """A writer, and what stands in its place before and after."""

    def __init__(self, name, writer, home, *, is_new):
        self.name, self.writer, self.home, self.place = name, writer, home, home / writer.place
        home.mkdir()
        began = time.monotonic()
        writer.write(self.place, 1)
        self.seconds = time.monotonic() - began
        self.new = content_of(self.place)
        if is_new:
            self.old = None
        else:
            writer.write(self.place, 0)
            self.old = content_of(self.place)

    def restore(self):
        """As it was before anything was written."""
        for path in self.home.glob(".vesica-*"):
            (shutil.rmtree if path.is_dir() else os.remove)(path)
        shutil.rmtree(self.place, ignore_errors=True)
        if isinstance(self.old, bytes):
            self.place.write_bytes(self.old)
        for name, data in self.old.items() if isinstance(self.old, dict) else ():
            (self.place / name).parent.mkdir(parents=True, exist_ok=True)
            (self.place / name).write_bytes(data)

    def child(self, before=lambda: None, after=lambda: time.sleep(PATIENCE)):
        """A process that writes."""
        self.restore()
        child = os.fork()
        if not child:
            try:
                before()
                self.writer.write(self.place, 1)
                after()
            finally:
                os._exit(1)
        return child

    def steps(self):
        self.restore()
        own = self.home.with_name(f"{self.home.name}-own")
        shutil.copytree(self.home, own)
        (told, telling), (heard, going_on) = os.pipe(), os.pipe()
        writer = os.fork()
        if not writer:
            try:
                os.close(told)
                os.close(going_on)
                deaths = Deaths(telling, heard)
                sys.addaudithook(deaths)
                atomic.open = deaths.opened  # which opens all files that are written
                self.writer.write(own / self.writer.place, 1)
                os._exit(0)
            finally:
                os._exit(1)
        os.close(telling)
        os.close(heard)
        while ended := os.read(told, 1):
            self.copy(own)
            yield -int(ended[0])
            os.write(going_on, b"!")
        self.copy(own)
        shutil.rmtree(own)
        os.close(told)
        os.close(going_on)
        yield end_of(writer)

    def copy(self, home):
        """What is in another folder, here: the same files, for none is written into once it has its name."""
        shutil.rmtree(self.home)
        shutil.copytree(home, self.home, copy_function=os.link)

    def moments(self):
        for share in SHARES:
            child = self.child()
            time.sleep(share * self.seconds)
            os.kill(child, signal.SIGKILL)
            yield end_of(child)

    def bytes(self):
        """Files may be so long, and the byte after that ends the process."""
        sizes = map(len, [self.new] if isinstance(self.new, bytes) else self.new.values())
        largest = max(sizes)
        for most in (0, 1, largest // 2, largest - 1):
            yield end_of(self.child(lambda most=most: limit(most), lambda: os._exit(0)))

    def verdict(self):
        """What is left: the old, the new, or a folder that readers refuse and in which both still are."""
        left = self.judged()
        parts = [name for name in parts_beside(self.place) if not PART.fullmatch(Path(name).name)]
        if left == "unfinished":
            self.writer.write(self.place, 1)
            if content_of(self.place) != self.new or list(self.place.glob(".vesica-*.unfinished")):
                return "unfinished, and cannot be finished"
        return f"{left}, and {parts}" if parts else left

    def judged(self):
        found = content_of(self.place)
        if found in (self.old, self.new):
            return "old" if found == self.old else "new"
        if not self.writer.is_folder:
            return f"half: {found!r}"
        try:
            vesica.read(self.place)
        except vesica.InputError as error:
            if "was not written to its end" not in str(error):
                return f"not told: {error}"
        else:
            return "read"
        (work,) = self.place.glob(".vesica-*.unfinished")
        waiting, aside = content_of(work / "new"), content_of(work / "old")
        lost = [name for name, data in self.new.items() if data not in (found.get(name), waiting.get(name))]
        lost += [name for name, data in self.old.items() if data not in (found.get(name), aside.get(name))]
        return f"lost: {lost}" if lost else "unfinished"


def end_of(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def limit(most):
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


class Deaths:
    """Before each step in the file system: a fork of this process is killed, its end is told, and an answer awaited."""

    def __init__(self, telling, heard):
        self.telling, self.heard, self.is_dying = telling, heard, False

    def __call__(self, event, arguments):
        if event.startswith(("os.", "shutil.")) or event == "open":
            self.die()

    def opened(self, path, mode, *, opener=None):
        return DyingFile(io.FileIO(path, mode.replace("b", ""), opener=opener), self)

    def die(self):
        if self.is_dying:
            return
        self.is_dying = True
        child = os.fork()
        if not child:
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(self.telling, bytes([-end_of(child)]))
        os.read(self.heard, 1)
        self.is_dying = False


class DyingFile(io.BufferedWriter):
    """Its first bytes, and what is asked of it afterwards, are steps too; Python tells nobody of these."""

    def __init__(self, raw, deaths):
        super().__init__(raw)
        self.deaths, self.is_begun = deaths, False

    def write(self, data):
        if not self.is_begun:
            self.is_begun = True
            self.deaths.die()
        return super().write(data)

    def flush(self):
        self.deaths.die()
        super().flush()

    def fileno(self):
        self.deaths.die()
        return super().fileno()


main(*sys.argv[1:])

"""Atomic writing: what is written is there whole or not at all, whenever the process ends or the disk is full.

Everything goes beside its place first, under a name that begins with `.vesica-`, and is renamed at the end. What fails
or is interrupted takes its part away; only a process that is killed leaves it. A file is forced onto the disk (fsync)
before it is renamed, so that a power failure too leaves the old or the new one. The many files of a folder are not,
which would take ten times as long.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from vesica.errors import InputError

if sys.platform != "win32":
    import fcntl

_UNFINISHED = ".unfinished"
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(self|\d+)(?:/task/\d+)?)/fd/(\d+)")


@contextlib.contextmanager
def file(path: str | os.PathLike[str], /, *, lasting: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing. `path` becomes it at the end; until then, and after an error, it is as it was.

    Links are followed, and the permissions of an earlier file are kept. What is no plain file is written straight: a
    pipe, a device, /dev/stdout. One that is not `lasting` is not forced onto the disk: it is gone with the process.
    """
    with _told(path):
        old = _stat(path)
        number = _own_descriptor(os.fspath(path))
        if number is not None:
            if sys.stdout is not None:
                sys.stdout.flush()  # what was printed stands before what is written
            with open(os.dup(number), "wb") as out:
                yield out
        elif old is not None and not stat.S_ISREG(old.st_mode):
            with open(path, "wb") as out:
                yield out
        else:
            with _replacing(_behind_links(path), old, lasting) as out:
                yield out


def append(path: str | os.PathLike[str], content: bytes, /) -> None:
    """Add to the end of a file in one piece; what others wrote there stays."""
    with _told(path), open(path, "ab") as out:
        out.write(content)


@contextlib.contextmanager
def folder(path: str | os.PathLike[str], stale: Callable[[Path], list[Path]], /, *, overwrite: bool) -> Iterator[Path]:
    """Give a folder to `put` files into. At the end they go to `path`, and what `stale` finds there goes away.

    A folder that is new appears with all its files. In one that there is, files are moved one by one: what ends in
    between leaves a folder that readers refuse, by `check_finished`, and nothing is lost.
    """
    with _told(path):
        place = _behind_links(path)
        is_new = not place.exists()
        if not is_new:
            _earlier(place, stale, [], overwrite)
        home = place.parent if is_new else place
        home.mkdir(parents=True, exist_ok=True)
        work = home / _part()
        try:
            (work / "new").mkdir(parents=True)
            yield work / "new"
            if is_new:
                os.rename(work / "new", place)
            else:
                _swap(work, place, stale, overwrite)
            _remove(work)
        except BaseException:
            _remove(work)  # of an interrupted removal too
            raise


def put(path: Path, content: str | bytes, /) -> None:
    """Write one file of a folder that `folder` gave. Two of one name are an error, where A.txt is a.txt too."""
    with open(path, "xb") as out:
        out.write(content.encode("utf-8") if isinstance(content, str) else content)


def check_finished(folder: Path, /) -> None:
    """Raise for a folder, or the one it is in, to which not all files of a data set were moved."""
    for work in (*_unfinished(folder), *_unfinished(Path(os.path.abspath(folder)).parent)):
        _check_finished(work)


@contextlib.contextmanager
def alone(folder: str | os.PathLike[str], /) -> Iterator[None]:
    """Hold a folder, which is made if it is not there, against other processes; one that has it already is an error.

    What killed processes left of files that they had not finished is taken away.
    """
    with _told(folder):
        os.makedirs(folder, exist_ok=True)
        number = None if sys.platform == "win32" else os.open(folder, os.O_RDONLY)
    try:
        if sys.platform != "win32" and number is not None:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InputError(f"{os.fspath(folder)} cannot be used: another process works there.") from error
            except OSError:
                pass  # not every disk has locks
        for part in Path(folder).glob(".vesica-*.part"):
            with contextlib.suppress(OSError):
                part.unlink()
        yield
    finally:
        if number is not None:
            os.close(number)


@contextlib.contextmanager
def _told(path: str | os.PathLike[str]) -> Iterator[None]:
    """What the system says against writing is an error of the input. A closed pipe is for the caller to judge."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"{os.fspath(path)} cannot be written: {error.strerror or error}.") from error


def _stat(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _behind_links(path: str | os.PathLike[str]) -> Path:
    """Where a link leads. Other paths stay as they are: what is above them need not be open to us."""
    return Path(os.path.realpath(path) if os.path.islink(path) else path)


def _own_descriptor(path: str) -> int | None:
    """The open file of this process that a path such as /dev/stdout or /dev/fd/3 stands for.

    Opened anew, a plain file behind it would be cut, and later words would go over its beginning.
    """
    path = os.path.abspath(path)
    for _ in range(40):  # as many links as Linux follows
        if found := _DESCRIPTOR.fullmatch(path):
            return int(found[2]) if found[1] in (None, "self", str(os.getpid())) else None
        if not os.path.islink(path):
            return None
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return None


def _part() -> str:
    return f".vesica-{os.urandom(8).hex()}.part"


@contextlib.contextmanager
def _replacing(place: Path, old: os.stat_result | None, lasting: bool) -> Iterator[BinaryIO]:
    if old is not None and not os.access(place, os.W_OK):  # renaming would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = place.with_name(_part())
    try:
        with _beside(part, old) as out:
            yield out
            out.flush()
            if lasting:
                os.fsync(out.fileno())
        if old is not None:
            _keep_permissions(part, old)
        os.replace(part, place)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _beside(part: Path, old: os.stat_result | None) -> BinaryIO:
    try:
        return open(part, "xb", opener=None if old is None else _private)
    except PermissionError as error:
        where = os.path.dirname(part) or os.curdir
        raise PermissionError(error.errno, f"{error.strerror} in {where}, where the new file is made first") from error


def _private(path: str, flags: int) -> int:
    """No other user may read a file before it has the permissions of the earlier one."""
    return os.open(path, flags, 0o600)


def _keep_permissions(part: Path, old: os.stat_result) -> None:
    now = os.stat(part)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(PermissionError):  # only root gives files away
            os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, stat.S_IMODE(old.st_mode) & 0o777)


def _swap(work: Path, place: Path, stale: Callable[[Path], list[Path]], overwrite: bool) -> None:
    """Move the files of `work / "new"` to their places, and earlier ones out of the way; or leave all as it was."""
    marked = work.with_suffix(_UNFINISHED)
    moves: list[tuple[Path, Path]] = []
    try:
        with _held(work):
            os.rename(work, marked)  # before a look around: of two processes that meet at least one sees the other
            moves = _moves(marked, place, stale, overwrite)
            for source, target in moves:
                os.replace(source, target)
            os.rename(marked, work)
    except BaseException:
        if marked.exists():
            for source, target in reversed(moves):
                if os.path.lexists(target) and not os.path.lexists(source):
                    os.replace(target, source)
            os.rename(marked, work)
        raise


def _moves(marked: Path, place: Path, stale: Callable[[Path], list[Path]], overwrite: bool) -> list[tuple[Path, Path]]:
    """From where to where: first what an earlier data set left, then what is new."""
    targets = list(_targets(marked / "new", place))
    earlier = _earlier(place, stale, [target for _, target in targets], overwrite, marked)
    for source, target in targets:
        if target in earlier:
            _keep_permissions(source, os.stat(target, follow_symlinks=False))
    away = [(file, marked / "old" / file.relative_to(place)) for file in earlier]
    for _, target in away:
        target.parent.mkdir(parents=True, exist_ok=True)
    return away + targets


@contextlib.contextmanager
def _held(work: Path) -> Iterator[None]:
    """Hold a lock, which the system takes away when the process ends, so that others know one that lives."""
    if sys.platform == "win32":
        yield
        return
    number = os.open(work, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # not every disk has locks
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(number)


def _is_held(work: Path) -> bool:
    if sys.platform == "win32":
        return False
    try:
        number = os.open(work, os.O_RDONLY)
    except FileNotFoundError:  # the other process has finished
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(number)
    return False


def _targets(new: Path, place: Path) -> Iterator[tuple[Path, Path]]:
    """Each file and where it goes; folders that are not there yet go whole."""
    for source in sorted(new.iterdir()):
        target = place / source.name
        if source.is_dir() and target.is_dir():
            yield from _targets(source, target)
        else:
            yield source, target


def _earlier(
    place: Path, stale: Callable[[Path], list[Path]], targets: list[Path], overwrite: bool, own: Path | None = None
) -> list[Path]:
    """What an earlier data set left: its files, those in the way of the new ones, and what was not finished."""
    unfinished = [work for work in _unfinished(place) if work != own]
    if any(map(_is_held, unfinished)):
        raise InputError(f"{place} cannot be written: another process is writing it.")
    in_the_way = [target for target in targets if os.path.lexists(target)]
    blocked = next((target for target in in_the_way if target.is_dir() and not target.is_symlink()), None)
    if blocked is not None:
        raise InputError(f"{blocked} cannot be written: it is a folder.")
    files = [*dict.fromkeys([*stale(place), *in_the_way])]
    if not overwrite:
        for work in unfinished:
            _check_finished(work)
        if files:
            raise InputError(
                f"{place} has {len(files)} files of an earlier data set, such as {files[0].relative_to(place)}. "
                "Name another folder, or say `overwrite=True` (vesica convert --overwrite) to remove them."
            )
    return files + unfinished


def _unfinished(place: Path) -> list[Path]:
    return sorted(place.glob(f".vesica-*{_UNFINISHED}"))


def _check_finished(work: Path) -> None:
    missing = sorted(path.relative_to(work / "new") for path in work.glob("new/**/*") if not path.is_dir())
    if missing:
        raise InputError(
            f"{work.parent} was not written to its end: {len(missing)} files are missing, such as {missing[0]}. Write "
            f"it again with `overwrite=True` (vesica convert --overwrite); {work.name} in it has what is missing, and "
            "what was there before."
        )


def _remove(work: Path) -> None:
    if work.exists():
        import shutil

        try:
            shutil.rmtree(work, ignore_errors=True)
        except OSError as error:
            # A signal that comes when rmtree has just closed a folder lets it close the folder again, which fails: the
            # caller must hear of the signal.
            if isinstance(error.__context__, KeyboardInterrupt):
                raise error.__context__ from None
            raise

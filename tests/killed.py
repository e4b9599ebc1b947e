"""Functions for workers, in a file that they can import: some end their process."""

import json
import os
import signal
import time
from pathlib import Path


def killed_first(kind, part, options, /):
    """Ends the process the first time, without a word; afterwards does the work."""
    from vesica.scale.work import mapped

    marker = Path(options["folder"], "killed")
    if part["name"].endswith(options["victim"]) and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return mapped(kind, part, {key: value for key, value in options.items() if key not in ("folder", "victim")})


def killed_always(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def slowly(value, /):
    time.sleep(0.05)
    return json.dumps({"pid": os.getpid()}).encode(), value


def awaited(kind, part, options, /):
    """Says in a folder which process works on which part, and waits to be killed, or spared; then does the work."""
    own = {key: value for key, value in options.items() if key != "folder"}
    folder, name = Path(options["folder"]), Path(part["table"]).stem
    (folder / "working" / f"{name}.{os.getpid()}").touch()
    while not ((folder / "spared" / name).exists() or (folder / "spared" / "all").exists()):
        time.sleep(0.01)
    from vesica.scale.work import mapped  # late: whoever is killed need not have it

    return mapped(kind, part, own)


def timed(_value, /):
    """When it began and when it ended."""
    begin = time.time()
    time.sleep(0.1)
    return json.dumps([begin, time.time()]).encode(), b""


def noted(folder, number, /):
    """Says in a folder that it was begun."""
    Path(folder, str(number)).touch()
    time.sleep(0.1)
    return b"", b""

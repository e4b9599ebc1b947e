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

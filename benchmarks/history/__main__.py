"""Print the table of the bars by commit, and write it to README.md beside the runs."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import history


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else history.FOLDER
    text = history.page(history.read(folder))
    (folder / "README.md").write_text(text)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

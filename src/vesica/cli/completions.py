"""`vesica completions SHELL`: a script for the shell, made from the parsers themselves. No TAB starts Python."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from vesica.cli import streams
from vesica.cli.completion_tree import tree
from vesica.cli.epilogs import epilog

SHELLS = {
    "bash": "vesica completions bash > ~/.local/share/bash-completion/completions/vesica",
    "zsh": "vesica completions zsh > ~/.zfunc/_vesica, in ~/.zshrc: fpath+=~/.zfunc; autoload -U compinit; compinit",
    "fish": "vesica completions fish > ~/.config/fish/completions/vesica.fish",
}
_NOTES = "where the script goes:\n" + "\n".join(f"  {shell:<5} {how}" for shell, how in SHELLS.items())
_EPILOG = epilog(
    """
  vesica completions bash > vesica.bash  # then: source vesica.bash
  vesica completions fish > vesica.fish
""",
    notes=_NOTES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("shell", metavar="SHELL", choices=tuple(SHELLS), help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    writer: Any = importlib.import_module(f"vesica.cli.completion_{arguments.shell}")
    script = writer.script(tree())
    if arguments.json:
        streams.answer({"shell": arguments.shell, "script": script})
    else:
        streams.write(script)
    return 0

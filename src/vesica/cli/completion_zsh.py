"""The script for zsh."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from vesica.cli.completion_tree import Option, Value, Verb

_HEAD = """\
#compdef vesica
# Completion of vesica for zsh: `vesica completions zsh` writes it anew.

_vesica() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
    _arguments -C '(- *)--help[show help]' '(- *)--version[show the version]' \\
        '1:verb:_vesica_verbs' '*::argument:->verb'
    [[ "$state" == verb ]] || return
    case "$line[1]" in
"""
_TAIL = """
if [[ "$funcstack[1]" == "_vesica" ]]; then
    _vesica "$@"
else
    compdef _vesica vesica
fi
"""


def script(verbs: Sequence[Verb]) -> str:
    """All of it."""
    return _HEAD + "\n".join(_cases(verbs)) + "\n    esac\n}\n\n" + _names(verbs) + _TAIL


def _names(verbs: Sequence[Verb]) -> str:
    listed = "\n".join(f"        {shlex.quote(f'{verb.name}:{verb.text}')}" for verb in verbs)
    return f"_vesica_verbs() {{\n    local -a verbs=(\n{listed}\n    )\n    _describe verb verbs\n}}\n"


def _cases(verbs: Sequence[Verb]) -> Iterator[str]:
    for verb in verbs:
        yield f"        {verb.name})"
        yield "            _arguments -s \\"
        for option in verb.options:
            yield from (f"                {shlex.quote(spec)} \\" for spec in _specs(option))
        for number, place in enumerate(verb.places, 1):
            last = number == len(verb.places)
            where = "*" if last and verb.is_open else str(number)
            yield f"                {shlex.quote(f'{where}:argument:{_action(place)}')} \\"
        yield "                && return"
        yield "            ;;"


def _specs(option: Option) -> Iterator[str]:
    """One for each way to write it: `--iou=[text]:value:action`."""
    others = "*" if option.is_repeated else f"({' '.join(option.flags)})"
    for flag in option.flags:
        if option.value is None:
            yield f"{others}{flag}[{option.text}]"
        else:
            sign = "=" if flag.startswith("--") else ""
            yield f"{others}{flag}{sign}[{option.text}]:value:{_action(option.value)}"


def _action(value: Value) -> str:
    if value.choices:
        return f"({' '.join(_escaped(choice) for choice in value.choices)})"
    return "_files" if value.is_file else " "


def _escaped(word: str) -> str:
    return "".join(f"\\{letter}" if letter in " ()[]:\\@%" else letter for letter in word)

"""The script for bash."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from vesica.cli.completion_tree import Value, Verb

_HEAD = """\
# Completion of vesica for bash: `vesica completions bash` writes it anew.
_vesica() {
    local cur prev verb="" word i place=0
    COMPREPLY=()
    cur="${COMP_WORDS[COMP_CWORD]}"
    prev="${COMP_WORDS[COMP_CWORD-1]}"
    # bash takes --option=value apart at the sign
    if [[ "$cur" == "=" ]]; then cur=""; elif [[ "$prev" == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ "$word" == -* || "$word" == "=" ]]; then continue; fi
        if [[ -z "$verb" ]]; then verb="$word"; continue; fi
        _vesica_takes "$verb" "${COMP_WORDS[i-1]}" || place=$((place + 1))
    done
"""
_TAIL = """\
}

# Words that begin as `cur` does. They may have blanks and brackets in them, so no word is expanded.
_vesica_words() {
    local word IFS=$'\\n'
    for word in $1; do
        if [[ "$word" == "$cur"* ]]; then COMPREPLY+=("$(printf '%q' "$word")"); fi
    done
}

_vesica_files() {
    local IFS=$'\\n'
    compopt -o filenames 2> /dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
}

complete -F _vesica vesica
"""


def script(verbs: Sequence[Verb]) -> str:
    """All of it."""
    return "\n".join([*_takes(verbs), _HEAD + "\n".join(_body(verbs)), _TAIL])


def _takes(verbs: Sequence[Verb]) -> Iterator[str]:
    """A function that tells whether an option of a verb has a value behind it."""
    yield "_vesica_takes() {"
    yield '    case "$1 $2" in'
    for verb in verbs:
        flags = [flag for option in verb.options if option.value is not None for flag in option.flags]
        if flags:
            yield f"        {'|'.join(shlex.quote(f'{verb.name} {flag}') for flag in flags)}) return 0 ;;"
    yield "    esac"
    yield "    return 1"
    yield "}\n"


def _body(verbs: Sequence[Verb]) -> Iterator[str]:
    yield '    case "$verb" in'
    yield '        "")'
    yield f"            _vesica_words {_quoted([*(verb.name for verb in verbs), '--help', '--version'])}"
    yield "            ;;"
    for verb in verbs:
        yield f"        {verb.name})"
        yield '            case "$prev" in'
        for option in verb.options:
            if option.value is not None:
                yield f"                {'|'.join(option.flags)}) {_action(option.value)}; return ;;"
        yield "            esac"
        yield '            if [[ "$cur" == -* ]]; then'
        flags = [flag for option in verb.options for flag in option.flags if flag.startswith("--")]
        yield f"                _vesica_words {_quoted(flags)}"
        yield "                return"
        yield "            fi"
        yield '            case "$place" in'
        for number, place in enumerate(verb.places):
            last = number == len(verb.places) - 1
            yield f"                {'*' if last and verb.is_open else number}) {_action(place)} ;;"
        yield "            esac"
        yield "            ;;"
    yield "    esac"


def _action(value: Value) -> str:
    if value.choices:
        return f"_vesica_words {_quoted(value.choices)}"
    return "_vesica_files" if value.is_file else ":"


def _quoted(words: Sequence[str]) -> str:
    return shlex.quote("\n".join(words))

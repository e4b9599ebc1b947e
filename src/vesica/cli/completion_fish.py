"""The script for fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vesica.cli.completion_tree import Option, Value, Verb


def script(verbs: Sequence[Verb]) -> str:
    """All of it."""
    return "\n".join(_lines(verbs)) + "\n"


def _lines(verbs: Sequence[Verb]) -> Iterator[str]:
    yield "# Completion of vesica for fish: `vesica completions fish` writes it anew."
    yield "complete -c vesica -f"
    yield "complete -c vesica -n __fish_use_subcommand -l help -d 'show help'"
    yield "complete -c vesica -n __fish_use_subcommand -l version -d 'show the version'"
    for verb in verbs:
        yield f"complete -c vesica -n __fish_use_subcommand -a {_quoted(verb.name)} -d {_quoted(verb.text)}"
    for verb in verbs:
        when = _quoted(f"__fish_seen_subcommand_from {verb.name}")
        for option in verb.options:
            yield f"complete -c vesica -n {when} {_option(option)}"
        # fish does not count places: all of them offer what any of them takes.
        if any(place.is_file for place in verb.places):
            yield f"complete -c vesica -n {when} -F"
        choices = [choice for place in verb.places for choice in place.choices]
        if choices:
            yield f"complete -c vesica -n {when} -a {_quoted(_words(choices))}"


def _option(option: Option) -> str:
    flags = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags]
    return " ".join([*flags, *_value(option.value), f"-d {_quoted(option.text)}"])


def _value(value: Value | None) -> Iterator[str]:
    if value is None:
        return
    yield "-r"
    if value.choices:
        yield f"-f -a {_quoted(_words(value.choices))}"
    elif value.is_file:
        yield "-F"
    else:
        yield "-f"


def _words(choices: Sequence[str]) -> str:
    """Words that fish reads once more: each is quoted for itself."""
    return " ".join(word if word.replace("_", "").replace("-", "").isalnum() else _quoted(word) for word in choices)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

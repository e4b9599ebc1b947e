"""Settings: options that a file says once for all runs. The command line wins."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from vesica.cli import common_options, outputs, streams
from vesica.cli.settings_file import SettingsFile, find

if TYPE_CHECKING:
    from vesica.cli.parsers import Parser

WRITING = ("records", "fix", "consensus", "queue", "report")
"""Options that write files. A file that happens to lie in a folder above must not be able to."""
_FORMS = ("json", "output", "markdown")
"""Options that say one thing, the form of the answer."""
_DEFAULT, _COMMAND_LINE = "default", "command line"

_origins: dict[str, str] = {}
"""Where each option of this run comes from, by its name."""


class Setting(NamedTuple):
    """One line of a file."""

    dest: str
    value: Any
    place: str


def forget() -> None:
    """A new run begins."""
    _origins.clear()


def with_origin(message: str) -> str:
    """An error, and where the options that it names come from, if that is a file."""
    named = {name: place for name, place in _of_files().items() if _is_named(name, message)}
    told = "; ".join(f"{name} is set in {place}" for name, place in named.items())
    return f"{message} ({told})" if told else message


def _of_files() -> dict[str, str]:
    return {name: place for name, place in _origins.items() if place not in (_DEFAULT, _COMMAND_LINE)}


def _is_named(name: str, message: str) -> bool:
    return re.search(rf"(?<![\w-])--{name}(?![\w-])|`{_dest(name)}`", message) is not None


def parsed(
    build: Callable[[], tuple[Parser, Parser | None]], verb: str | None, words: Sequence[str]
) -> argparse.Namespace:
    """What the command line says, and where it is silent, what the file says."""
    parser, own = build()
    asks = "--print-config" in words and own is not None
    file = None
    if own is not None and "--no-config" not in words and not {"-h", "--help"} & {*words}:
        try:
            file = find()
        except ValueError as error:
            own.error(str(error))
    if asks and own is not None:
        _relax(own)  # files need not be named to see what holds
    arguments: argparse.Namespace = parser.parse_args(words)
    if own is None or (file is None and not asks):
        return arguments
    said = _said(build, words, relaxed=asks)
    found = [] if file is None else _settings(file, verb or "", build)
    names = {action.dest: _name(action) for action in _options(own)}
    _origins.update({name: _COMMAND_LINE if dest in said else _DEFAULT for dest, name in names.items()})
    for one in found:
        if not _is_overruled(one.dest, said, own):
            setattr(arguments, one.dest, one.value)
            _origins[names[one.dest]] = one.place
    if file is not None and _of_files() and not asks:  # never in silence: they may change a score
        streams.note(f"Settings of {file.path}: {', '.join(_of_files())}.", arguments)
    return arguments


def _said(build: Callable[[], tuple[Parser, Parser | None]], words: Sequence[str], *, relaxed: bool) -> set[str]:
    """Where argparse keeps what the command line says: all that is left if nothing has a default."""
    parser, own = build()
    assert own is not None
    if relaxed:
        _relax(own)
    for action in own._actions:
        if action.option_strings:
            action.default = argparse.SUPPRESS
    return set(vars(parser.parse_args(words)))


def _relax(parser: argparse.ArgumentParser) -> None:
    """Let nothing be required."""
    for action in parser._actions:
        action.required = False
        if not action.option_strings:
            action.nargs, action.choices, action.default = "*", None, None


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [one for one in parser._actions if one.option_strings and one.dest != "help"]


def _name(action: argparse.Action) -> str:
    """The option as a file writes it: its long form, without the dashes."""
    return action.option_strings[-1].removeprefix("--")


def _is_overruled(dest: str, said: set[str], parser: argparse.ArgumentParser) -> bool:
    """Does the command line say it, or something that excludes it?"""
    groups = [{one.dest for one in group._group_actions} for group in parser._mutually_exclusive_groups]
    return any(dest in group and group & said for group in (*groups, set(_FORMS), {dest}))


def _settings(file: SettingsFile, verb: str, build: Callable[[], tuple[Parser, Parser | None]]) -> list[Setting]:
    """What the file says of a verb: first of all verbs, then of this one, which wins."""
    _, own = build()
    assert own is not None
    from vesica.cli import VERBS

    for name, value in file.table.items():
        if isinstance(value, dict) and name not in VERBS:
            near = _near(name, VERBS)
            own.error(f"{file.place(None)}: `{name}` is no verb of vesica.{near}")
    every = {name: value for name, value in file.table.items() if not isinstance(value, dict)}
    for name in every:
        if not common_options.is_setting(_dest(name)):
            known = [_key(one) for one in (*common_options.NAMES, "seed") if common_options.is_setting(one)]
            own.error(
                f"{file.place(None)}: `{name}` is no setting of all verbs.{_near(name, known)} Those of one verb stand "
                f"in a table of their own: [{'tool.vesica.' if file.is_pyproject else ''}eval]"
            )
    found = [_setting(name, value, own, file.place(None)) for name, value in every.items() if _has(own, name)]
    mine = file.table.get(verb, {})
    if not isinstance(mine, dict):
        own.error(f"{file.place(None)}: `{verb}` must be a table")
    found += [_setting(name, value, own, file.place(verb)) for name, value in mine.items()]
    _check_groups(found, own)
    return list({one.dest: one for one in found}.values())


def _check_groups(found: list[Setting], parser: Parser) -> None:
    """Of options that exclude each other the file says one."""
    for group in parser._mutually_exclusive_groups:
        names = {action.dest: _name(action) for action in group._group_actions}
        both = list({one.dest: one for one in found if one.dest in names and one.value}.values())
        if len(both) > 1:
            parser.error(f"{both[0].place}: {names[both[0].dest]} and {names[both[1].dest]} exclude each other")


def _setting(name: str, value: Any, parser: Parser, place: str) -> Setting:
    """One line of the file as the command line would mean it; exit code 2 for what it would refuse."""

    def wrong(text: str) -> NoReturn:
        parser.error(f"{place}: {text}")

    if not _has(parser, name):
        places = {one.dest: str(one.metavar) for one in parser._actions if not one.option_strings}
        if _dest(name) in places:
            wrong(f"`{name}` is no setting: {places[_dest(name)]} is said on the command line")
        known = [_name(one) for one in _options(parser) if _may_be_set(parser, one.dest)]
        wrong(f"`{name}` is no setting of `{parser.prog}`.{_near(name, known)}")
    action = parser._option_string_actions[_flag(name)]
    if not _may_be_set(parser, action.dest):
        wrong(f"`{name}` is no setting: it is said on the command line")
    words = _words(action, value)
    if words is None:
        what = "true or false" if action.nargs == 0 else "a text or a number"
        more = ", or a list of them" if _takes_lists(action) else ""
        wrong(f"`{name}` must be {what}{more}; got {_toml(value)}")
    return Setting(action.dest, _value(parser, action, words, place), place)


def _value(parser: Parser, action: argparse.Action, words: list[str | None], place: str) -> Any:
    """The words of an option as argparse takes them."""
    if action.nargs == 0:
        return bool(words)
    try:
        values = [action.const if word is None else parser._get_values(action, [word]) for word in words]
    except argparse.ArgumentError as error:
        parser.error(f"{place}: {error}")
    return values if isinstance(action, argparse._AppendAction) else values[0]


def _words(action: argparse.Action, value: Any) -> list[str | None] | None:
    """What the command line would say instead: texts, of an option without its value None; None if it cannot."""
    if action.nargs == 0:
        return None if not isinstance(value, bool) else ["yes"] if value else []
    if value is True and action.nargs == "?":
        return [None]
    plain = value if isinstance(value, list) else [value]
    if not plain or not all(isinstance(one, (str, int, float)) and not isinstance(one, bool) for one in plain):
        return None
    texts: list[str | None] = [one if isinstance(one, str) else repr(one) for one in plain]
    if isinstance(action, argparse._AppendAction):
        return texts
    if isinstance(value, list):
        return [",".join(map(str, texts))] if _takes_lists(action) else None
    return texts


def _takes_lists(action: argparse.Action) -> bool:
    """Repeated options, and those whose values have commas between them."""
    return isinstance(action, argparse._AppendAction) or (action.type is None and "," in str(action.metavar or ""))


def _dest(name: str) -> str:
    return name.replace("-", "_")


def _key(dest: str) -> str:
    return dest.replace("_", "-")


def _flag(name: str) -> str:
    return f"--{_key(name)}"


def _has(parser: argparse.ArgumentParser, name: str) -> bool:
    return _flag(name) in parser._option_string_actions and _key(name) != "help"


def _may_be_set(parser: argparse.ArgumentParser, dest: str) -> bool:
    """Not what writes files, and not what is about the files of settings themselves."""
    verb = parser.prog.split()[-1]
    if dest == "output":
        return verb in outputs.VERBS
    return dest not in (*WRITING, "print_config", "no_config")


def _near(name: str, known: Any) -> str:
    from difflib import get_close_matches

    near = get_close_matches(_key(name), list(known), n=1)
    return f" Did you mean {near[0]}?" if near else ""


def tell(arguments: argparse.Namespace) -> int:
    """Print what holds, and where it comes from."""
    verb = arguments.parser.prog.split()[-1]
    rows = {
        _name(action): {"value": getattr(arguments, action.dest), "from": _origins.get(_name(action), _DEFAULT)}
        for action in _options(arguments.parser)
        if action.dest != "print_config"
    }
    if arguments.json:
        streams.answer({"verb": verb, "settings": rows})
        return 0
    shown = {name: row for name, row in rows.items() if row["value"] is not None}
    lines = [f"{name} = {_toml(row['value'])}" for name, row in shown.items()]
    width = min(48, max(map(len, lines)))
    print(f"[{verb}]")
    for line, row in zip(lines, shown.values(), strict=True):
        print(f"{line:<{width}}  # {row['from']}")
    silent = [name for name, row in rows.items() if row["value"] is None]
    if silent:
        print(f"# not set: {', '.join(silent)}")
    return 0


def _toml(value: Any) -> str:
    """A value as TOML has it; JSON's texts, numbers and lists are the same."""
    import json

    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)

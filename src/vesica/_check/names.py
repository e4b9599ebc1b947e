"""Names that a caller tried and that are not there: the errors say what to write instead."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from vesica._check.habits import Habit

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")

_OF_OTHERS = "It is an option of"


def no_attribute(name: str) -> AttributeError:
    """What to write instead of a name that another package has."""
    start = f"module 'vesica' has no attribute {name!r}."
    found = _habit("", name)
    if found is not None:
        return AttributeError(f"{start} Write {found.write}{_told(found)}")
    from vesica import __all__ as public

    near = _near(name, public)
    return AttributeError(f"{start} Did you mean vesica.{near[0]}?" if near else start)


def unknown_option(verb: str, option: str, takes: Iterable[str], group: str = "") -> TypeError:
    """What to write instead of an option that a function does not have."""
    takes = list(takes)
    start = f"{verb} has no option `{option}`"
    found = _habit(group, option) if group else None
    if found is not None:
        return TypeError(f"{start}. Write {found.line(verb)}{_told(found)}")
    near = _near(option, takes)
    if near:
        return TypeError(f"{start}. Did you mean `{near[0]}`?")
    return TypeError(f"{start}; it takes {', '.join(f'`{name}`' for name in takes) or 'none'}.")


def option_of_others(measure: str, option: str, takes: Iterable[str], others: Iterable[str]) -> TypeError:
    """An option that other measures have: the error is about the measure, whichever verb was called."""
    listed = ", ".join(f"`{name}`" for name in takes)
    return TypeError(f"{measure} has no option `{option}`; it takes {listed}. {_OF_OTHERS} {', '.join(others)}.")


def by_position(verb: str, group: str, count: int) -> TypeError:
    """More arrays by position than there are."""
    found = _habit(group, "by position") if group else None
    line = f" Write {found.line(verb)}." if found is not None else ""
    several = f"{count} more" if count > 1 else "one more"
    return TypeError(f"{verb} takes arrays by position and the rest by name; got {several} by position.{line}")


def _habit(group: str, name: str) -> Habit | None:
    """What others call it: an option of a group of functions, or with "" a name of a package."""
    from vesica._check.habits import HABITS  # late: only errors read the table

    return next((habit for habit in HABITS if habit.of == group and name in habit.names), None)


def _near(name: str, known: list[str]) -> list[str]:
    """The known name that is spelt most like it, if one is."""
    import difflib  # late, as above

    return difflib.get_close_matches(name, known, n=1)


def _told(habit: Habit) -> str:
    return f". {habit.note}" if habit.note else "."


def explained(
    group: str, verb: str = "", also: Callable[..., Any] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function say what to write where it is called with a name that it does not have.

    `also` is the function to which it hands its other options.
    Not for what is called many times a second: it costs a tenth of a microsecond.
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*arrays: P.args, **options: P.kwargs) -> R:
            try:
                return function(*arrays, **options)
            except TypeError as error:
                told = retold(error, function, group, verb or function.__name__, options, also)
                if told is None:
                    raise
                raise told from None

        return call

    return wrap


def explained_class(group: str, verb: str) -> Callable[[type[C]], type[C]]:
    """The same for a class whose constructor is made by `dataclass`."""

    def wrap(cls: type[C]) -> type[C]:
        cls.__init__ = explained(group, verb)(cls.__init__)  # type: ignore[method-assign]
        return cls

    return wrap


def not_taken(function: Callable[..., Any], group: str, more: tuple[Any, ...], options: Mapping[str, Any]) -> TypeError:
    """The error of a function that takes `*more` and `**options` to be told of them: `explained` costs a small call."""
    verb = function.__name__
    if more:
        return by_position(verb, group, len(more))
    return unknown_option(verb, next(iter(options)), _options_of(function), group)


def shown_without_more(function: F) -> F:
    """Let help show the signature without `*more`, and `**options` that are never right: they are there for the error
    alone."""
    told = inspect.signature(function)
    kinds = inspect.Parameter
    known = [
        one
        for one in told.parameters.values()
        if one.kind is not kinds.VAR_POSITIONAL and not (one.kind is kinds.VAR_KEYWORD and one.annotation == "NoReturn")
    ]
    function.__signature__ = told.replace(parameters=known)  # type: ignore[attr-defined]
    return function


def retold(
    error: TypeError,
    function: Callable[..., Any],
    group: str,
    verb: str,
    options: Mapping[str, Any],
    also: Callable[..., Any] | None = None,
) -> TypeError | None:
    """The error in the words of the function that the user called; None for one that is about something else."""
    said = str(error)
    found = re.search(r"unexpected keyword argument '(\w+)'|has no option `(\w+)`[.;]", said)
    option = found and (found[1] or found[2]) if _OF_OTHERS not in said else None
    if "missing" in said:  # the name that it goes by elsewhere may be there
        option = next((name for name in options if group and _habit(group, name)), None)
    if option in options:
        takes = [name for one in (function, also) if one is not None for name in _options_of(one)]
        return unknown_option(verb, str(option), takes, group)
    many = re.search(r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given", said)
    in_the_call = error.__traceback__ is not None and error.__traceback__.tb_next is None
    if many and in_the_call:
        return by_position(verb, group, int(many[2]) - int(many[1]))
    return None


def check_options(function: Callable[..., Any], options: Mapping[str, Any], /, *, group: str) -> None:
    """Raise for the first option that a function does not have, before it is called."""
    known = _options_of(function)
    for name in options:
        if name not in known:
            raise unknown_option(function.__name__, name, known, group)


def _options_of(function: Callable[..., Any]) -> list[str]:
    kinds = inspect.Parameter
    return [
        name
        for name, one in inspect.signature(function).parameters.items()
        if one.kind in (kinds.KEYWORD_ONLY, kinds.POSITIONAL_OR_KEYWORD) and name not in ("self", "cls", "name")
    ]

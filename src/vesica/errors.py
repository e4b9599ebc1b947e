"""What vesica raises, beside ValueError for a value and TypeError for a kind.

VesicaError
├── InputError        a file or table that cannot be used            exit 3
├── MissingExtra      an optional package is not installed           exit 2
├── NotOffered        another tool has it, and its stand-in has not  also a NotImplementedError
└── SizeValueError    things that should be of one size are not      also a ValueError
"""

from __future__ import annotations


class VesicaError(Exception):
    """Anything that a program might want to catch by one name."""


class InputError(VesicaError):
    """A file or table cannot be used: it names the place and the way out."""


class MissingExtra(VesicaError, ImportError):
    """An optional package is not installed: it names the command that installs it."""


class NotOffered(VesicaError, NotImplementedError):
    """Another tool does this and its stand-in here does not: it names what does."""


class SizeValueError(VesicaError, ValueError):
    """Two things that must be of one size are not: numbers of rows, image sizes, index tables."""

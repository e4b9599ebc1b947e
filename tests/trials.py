"""How many trials a test makes that draws its own random cases: as many as properties try examples."""

from hypothesis import settings


def trials(count: int) -> range:
    """Of `count` trials the first ones: all of them where properties try 100 examples or more."""
    return range(max(1, count * min(settings.default.max_examples, 100) // 100))

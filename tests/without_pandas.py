"""Once this is imported, pandas is not installed: for processes that are forked often, for it makes them large."""

import sys


class _Without:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, _Without)

"""Stand-ins for other tools, under the names those tools have: one import line changes, the script does not.

`vesica.compat.coco`, `vesica.compat.cocoeval` and `vesica.compat.mask` take the place of pycocotools' modules. They
keep its names, its printed lines and its numbers, odd ones included. `vesica.compat.install()` does so for libraries
that import pycocotools by name. New scripts do better with `vesica.evaluate`.
"""

from __future__ import annotations

__all__ = ["install"]


def install() -> None:
    """Let `import pycocotools` mean these modules, in this process.

    For libraries that import it by name, and scripts that are not to be touched. Call it before any of them: once
    pycocotools itself has been imported, they hold on to it, and this is an error. Keypoints are still scored by
    pycocotools, if it is installed.

    >>> import vesica.compat
    >>> vesica.compat.install()  # doctest: +SKIP
    >>> from pycocotools.coco import COCO  # doctest: +SKIP
    """
    import sys

    from vesica._check import compat as check
    from vesica.compat import coco, cocoeval, mask

    modules = {"": sys.modules[__name__], ".coco": coco, ".cocoeval": cocoeval, ".mask": mask}
    names = {f"pycocotools{name}": module for name, module in modules.items()}
    others = sorted(name for name in sys.modules if name.split(".")[0] == "pycocotools")
    check.not_loaded([name for name in others if sys.modules[name] is not names.get(name)])
    sys.modules.update(names)

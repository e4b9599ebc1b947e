"""What the site has beside the pages: the gallery, which is drawn, and links to files of the repository."""

from __future__ import annotations

import html
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
DRAWN = HERE.parent / "build" / "gallery"
SOURCE = "https://github.com/vesica/vesica/blob/main/"
WORDS = """\
# Gallery

Every picture of `vesica.plot`, by the line that draws it. `result`, `segmented`, `people` and `compared` are what
`evaluate`, `evaluate_segmentation`, `evaluate_agreement` and `compare` answer; [pictures](pictures.md) tells what each
takes, and `vesica plot` [draws them from files](cli.md#vesica-plot). A click opens a picture alone.
"""


def on_files(files: Any, config: Any) -> Any:
    """The gallery as a page, and its pictures."""
    from mkdocs.structure.files import File

    gallery = _gallery()
    _draw(gallery)
    for name in gallery.GALLERY:
        for theme in ("light", "dark"):
            path = f"gallery/{name}-{theme}.png"
            files.append(File.generated(config, path, abs_src_path=str(DRAWN / f"{name}-{theme}.png")))
    files.append(File.generated(config, "gallery.md", content=_page(gallery)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to files that are no pages lead to the repository; what speaks to doctest alone is left out."""
    markdown = re.sub(r"\]\(\.\./([^)]*)\)", rf"]({SOURCE}\1)", markdown)
    markdown = re.sub(r" *# doctest: [+\w]+$", "", markdown, flags=re.MULTILINE)
    return re.sub(r"^<BLANKLINE>$", "", markdown, flags=re.MULTILINE)


def _gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pictures_of_docs", HERE / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _draw(gallery: ModuleType) -> None:
    """Those pictures that are older than what draws them."""
    import vesica

    package = Path(vesica.__file__).parent
    newest = max(path.stat().st_mtime for path in (HERE / "pictures.py", *package.glob("plot/*.py")))
    DRAWN.mkdir(parents=True, exist_ok=True)
    for name in gallery.GALLERY:
        for theme in ("light", "dark"):
            path = DRAWN / f"{name}-{theme}.png"
            if not path.exists() or path.stat().st_mtime < newest:
                path.write_bytes(gallery.small_png(gallery.draw(name, theme), dpi=110))


def _page(gallery: ModuleType) -> str:
    parts: dict[str, list[str]] = {}
    for name, example in gallery.GALLERY.items():
        parts.setdefault(example.part, []).append(_figure(name, example.line))
    lines = [WORDS]
    for part, figures in parts.items():
        lines += [f"## {part}\n", '<div class="gallery" markdown="0">', *figures, "</div>\n"]
    return "\n".join(lines)


def _figure(name: str, line: str) -> str:
    words = name.replace("_", " ")
    images = [
        f'<a class="only-{theme}" href="gallery/{name}-{theme}.png">'
        f'<img src="gallery/{name}-{theme}.png" alt="{words}" loading="lazy"></a>'
        for theme in ("light", "dark")
    ]
    return f"<figure>{''.join(images)}<figcaption><code>{html.escape(line)}</code></figcaption></figure>"

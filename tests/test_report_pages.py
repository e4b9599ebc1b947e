"""Pages of segmentation, agreement and comparison: their numbers, where they lead, and names that mean harm."""

from __future__ import annotations

import html.parser
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import report_cases as cases
import vesica
from vesica import report
from vesica.cli import main
from vesica.io.png_write import png_of
from vesica.report import agreement, comparison, segmentation
from vesica.report.map_items import items_of, ranked
from vesica.report.views import Chart, Choice, Facts, Filter, Part, Table, Tiles, Words

pytest.importorskip("matplotlib")


def charts_of(part: Part) -> Iterator[Chart]:
    for block in part.page.blocks:
        if isinstance(block, Chart):
            yield block
        elif isinstance(block, Choice):
            yield from block.charts


def tables_of(part: Part) -> Iterator[Table]:
    yield from (block for block in part.page.blocks if isinstance(block, Table))
    yield from (chart.table for chart in charts_of(part) if chart.table is not None)


def filters_of(part: Part) -> Iterator[tuple[str, Filter]]:
    """Everything that can be clicked, with what it asks for."""
    blocks = [part.tiles, *([part.first] if part.first else []), *part.page.blocks]
    for block in blocks:
        if isinstance(block, Tiles):
            yield from ((tile.key, tile.filter) for tile in block.tiles if tile.filter is not None)
        elif isinstance(block, Words):
            yield from ((line.text, line.filter) for line in block.lines if line.filter is not None)
    for table in tables_of(part):
        assert len(table.filters) in (0, len(table.rows))
        yield from ((table.key, wanted) for wanted in table.filters if wanted is not None)
    for chart in charts_of(part):
        yield from ((f"{chart.key} {name}", mark.filter) for name, mark in chart.marks.items())
        if chart.grid is not None:
            for row, counts in zip(chart.grid.rows, chart.grid.counts, strict=True):
                for column, count in zip(chart.grid.columns, counts, strict=True):
                    if count and f'id="{chart.key}-cell-' in chart.svg:
                        yield chart.key, dict(zip(chart.grid.facts, (row, column), strict=True))


def has(facts: Facts, wanted: Filter) -> bool:
    return all(value == facts.get(name) or value in (facts.get(name) or ()) for name, value in wanted.items())


def finds(part: Part, wanted: Filter) -> bool:
    known = [{**item.facts, **shape.facts} for item in part.items for shape in item.shapes]
    known += [item.facts for item in part.items] + [row.facts for row in part.rows]
    return any(has(facts, wanted) for facts in known)


def maps_and_result(**options: Any) -> tuple[Any, Any]:
    return cases.label_maps(), cases.segmentation(**options)


def all_parts() -> dict[str, Part]:
    maps, result = maps_and_result()
    surfaces = vesica.evaluate_surfaces(*maps, categories={1: "car", 2: "sky"})
    people = {"ann": maps[0], "ben": maps[1], "cleo": np.roll(maps[0], 1, axis=2)}
    return {
        "segmentation": segmentation.part_of(result, "segmentation", maps=maps),
        "without maps": segmentation.part_of(result, "segmentation"),
        "surfaces": segmentation.part_of(surfaces, "surfaces"),
        "panoptic": segmentation.part_of(panoptic(), "panoptic"),
        "agreement": agreement.part_of(cases.agreement(), "agreement"),
        "label maps": agreement.part_of(vesica.evaluate_agreement(people), "agreement"),
        "comparison": comparison.part_of(cases.comparison(), "comparison"),
        "three models": comparison.part_of(cases.comparison(called=("a", "b", "c")), "comparison"),
        "two segmentations": comparison.part_of(vesica.compare(result, result), "comparison"),
    }


def panoptic() -> Any:
    truth = np.array([[1, 1, 2, 2], [1, 1, 3, 3]]), {1: 7, 2: 8, 3: 8}
    guess = np.array([[1, 1, 2, 2], [1, 4, 4, 2]]), {1: 7, 2: 8, 4: 7}
    return vesica.evaluate_panoptic([truth] * 8, [guess, truth] * 4, categories={7: "car", 8: "sky"})


@pytest.fixture(scope="module")
def parts() -> dict[str, Part]:
    return all_parts()


def test_everything_that_can_be_clicked_leads_to_something(parts: dict[str, Part]) -> None:
    for name, part in parts.items():
        asked = list(filters_of(part))
        lost = [(key, wanted) for key, wanted in asked if not finds(part, wanted)]
        assert not lost, (name, lost[:3])
        assert len(asked) > 3 or name == "two segmentations", name


def test_marks_are_drawn_and_ids_are_once(parts: dict[str, Part]) -> None:
    for part in parts.values():
        charts = list(charts_of(part))
        keys = [one.key for one in charts]
        assert len(set(keys)) == len(keys)
        tables = [table.key for table in tables_of(part)]
        assert len(set(tables)) == len(tables)
        for chart in charts:
            for mark in chart.marks:
                assert f'id="{chart.key}-{mark}" class="mark"' in chart.svg


def test_every_chart_has_words_and_numbers(parts: dict[str, Part]) -> None:
    for part in parts.values():
        for block in part.page.blocks:
            charts = block.charts if isinstance(block, Choice) else (block,) if isinstance(block, Chart) else ()
            assert all(one.title and one.sentence for one in charts)
            assert not charts or any(one.table is not None for one in charts)


def test_tiles_are_the_numbers(parts: dict[str, Part]) -> None:
    results = {
        "segmentation": cases.segmentation(),
        "agreement": cases.agreement(),
        "comparison": cases.comparison(),
        "panoptic": panoptic(),
    }
    for name, result in results.items():
        tiles = parts[name].tiles.tiles
        assert {tile.label: tile.number for tile in tiles} == result.numbers
        assert any(tile.interval for tile in tiles), name
    for name in ("segmentation", "agreement"):
        assert all(tile.interval for tile in parts[name].tiles.tiles if tile.number is not None)


def rows_of(part: Part, key: str) -> dict[Any, dict[str, Any]]:
    table = next(table for table in tables_of(part) if table.key == key)
    return {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}


def test_tables_are_those_of_the_result(parts: dict[str, Part]) -> None:
    result = cases.segmentation()
    shown = rows_of(parts["segmentation"], "segmentation-classes")
    for row in result.per_class():
        assert {name: shown[row["category"]][name] for name in ("IoU", "Dice", "tp", "fp", "fn")} == {
            name: row[name] for name in ("IoU", "Dice", "tp", "fp", "fn")
        }
    shown = rows_of(parts["agreement"], "agreement-ledger")
    people = cases.agreement()
    assert sum(row["share of all units"] for row in shown.values()) == pytest.approx(1 - people["agreement"])
    shown = rows_of(parts["comparison"], "comparison-numbers")
    assert {name: row["difference"] for name, row in shown.items()} == cases.comparison().numbers


def test_pixels_of_a_mistake_are_those_that_were_counted(parts: dict[str, Part]) -> None:
    """Over all pictures, the pixels of each pair of classes are those of the confusion matrix."""
    counts = np.zeros((4, 4), int)
    names = ["road", "car", "sky", "tree"]
    for item in parts["segmentation"].items:
        for shape in item.shapes:
            place = names.index(shape.facts["truth"]), names.index(shape.facts["guess"])
            counts[place] += int(shape.facts["pixels"].replace(",", ""))
    assert (counts == cases.segmentation().confusion()).all()


def test_worst_images_come_first(parts: dict[str, Part]) -> None:
    rows = sorted(cases.segmentation().per_image(), key=lambda row: row["mIoU"])
    part = parts["segmentation"]
    assert part.items[0].image == str(rows[0]["image"])
    assert part.items[0].facts["images"] == "worst"
    disputed = [row[0] for row in next(t for t in tables_of(parts["agreement"]) if t.key == "agreement-disputed").rows]
    assert [item.facts["image"] for item in parts["agreement"].items[: len(disputed)]] == disputed


def test_objects_of_a_comparison_are_fixed_and_broken(parts: dict[str, Part]) -> None:
    found = cases.comparison().objects()["change"].tolist()
    part = parts["comparison"]
    shown = [shape.facts["change"] for item in part.items for shape in item.shapes if "change" in shape.facts]
    assert sorted(shown) == sorted(found)


# ---- the file


class _Tags(html.parser.HTMLParser):
    """Tags with their attributes, and ids."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def written(path: Path, *results: Any, **options: Any) -> str:
    report.write(path, *results, **options)
    return path.read_text(encoding="utf-8")


def sound(text: str) -> None:
    """No tag and no attribute of a name, and each id once."""
    tags = _Tags()
    tags.feed(text)
    assert not [name for tag, own in tags.tags for name in own if name.startswith("on")]
    assert all((own.get("src") or "data:").startswith("data:") for _, own in tags.tags)
    ids = [own["id"] for _, own in tags.tags if "id" in own]
    assert len(set(ids)) == len(ids)
    block = text[text.index('<script type="application/json" id="data">') :]
    json.loads(block[block.index(">") + 1 : block.index("</script>")])


_MANY = tuple(f"class {place}" for place in range(80))


@pytest.mark.parametrize("names", [_MANY, ("one",), cases.HOSTILE], ids=["many", "one", "hostile"])
def test_any_names(names: tuple[str, ...], tmp_path: Path) -> None:
    maps = cases.label_maps(6, len(names), size=(20, 160))
    results = [
        vesica.evaluate_segmentation(*maps, categories=list(names)),
        cases.agreement(images=6, people=("ann", *cases.HOSTILE[:2]), names=names[:12], files=cases.HOSTILE),
        cases.comparison(8, names, called=("old", cases.HOSTILE[1])),
    ]
    text = written(tmp_path / "out.html", *results, maps=maps)
    sound(text)
    assert len(text) < 2_500_000


def test_no_names_and_few_images(tmp_path: Path) -> None:
    few = [cases.comparison(images, *names) for images in (0, 1) for names in ((), ((),))]
    few += [cases.agreement(images=1, names=()), cases.segmentation(1, ("road",))]
    sound(written(tmp_path / "out.html", *few))


def test_hostile_images(tmp_path: Path) -> None:
    maps = cases.label_maps(4)
    result = vesica.evaluate_segmentation(*maps, categories=["a", "b", "c", "d"], images=list(cases.HOSTILE))
    pairs = {name: (maps[0][place], maps[1][place]) for place, name in enumerate(cases.HOSTILE)}
    sound(written(tmp_path / "out.html", result, maps=pairs))


def test_nothing_differs(tmp_path: Path) -> None:
    """Annotators who drew the same, models that say the same, and a guess that is the truth."""
    people = cases.drawn(people=("ann",))
    same = vesica.evaluate_agreement({"ann": people, "ben": people})
    truth, guesses = cases.detections(6)
    equal = vesica.compare(truth, guesses[0], guesses[0], replicates=20)
    maps = cases.label_maps(4)[0]
    perfect = vesica.evaluate_segmentation(maps, maps)
    nothing = vesica.evaluate_segmentation(np.full_like(maps, 9), maps, categories=4, ignore=9)
    sound(written(tmp_path / "out.html", same, equal, perfect, maps=(maps, maps)))
    assert report.write(tmp_path / "out.html", nothing, maps=(np.full_like(maps, 9), maps)).pictures == 4


def test_without_maps_it_says_where_they_are_told(tmp_path: Path, undrawn: None) -> None:
    left_out = report.write(tmp_path / "out.html", cases.segmentation())
    assert left_out.pictures == 0
    assert any("`maps` of `report` says" in line for line in left_out.lines)
    left_out = report.write(tmp_path / "out.html", cases.segmentation(), maps={"elsewhere": None})
    assert left_out.lines == ("No label maps are shown: `maps` has none of these images, which are called 0, 1, 2, ….",)


def test_maps_of_other_images_are_an_error(tmp_path: Path, undrawn: None) -> None:
    truth = cases.label_maps()[0]
    with pytest.raises(ValueError, match="must be the label maps that were scored"):
        report.write(tmp_path / "out.html", cases.segmentation(), maps=(truth, truth))
    assert not (tmp_path / "out.html").exists()


def test_pictures_can_be_left_out(tmp_path: Path, undrawn: None) -> None:
    text = written(tmp_path / "out.html", cases.segmentation(), maps=cases.label_maps(), embed="none")
    assert "data:image" not in text


def test_photographs_stand_beside_label_maps() -> None:
    pytest.importorskip("PIL.Image")
    maps, result = cases.label_maps(), cases.segmentation()
    order = ranked(result.per_image(), "mIoU")
    for side, ending in ((72, "jpeg"), (48, "png")):  # a photograph of another shape is not of them
        photographs = {str(place): np.full((48, side, 3), 90, np.uint8) for place in range(12)}
        items, _, _ = items_of(result, order, maps, "mIoU", {}, photographs)
        assert all(item.picture.startswith(f"data:image/{ending}") for item in items)


# ---- the command line


def files(folder: Path) -> dict[str, str]:
    """Label maps, what three people drew, and the guesses of two models."""
    truth, guess = cases.label_maps()
    for name, maps in (("truth", truth), ("guess", guess)):
        (folder / name).mkdir()
        for place, one in enumerate(maps):
            (folder / name / f"map{place:02}.png").write_bytes(png_of(one))
    objects, models = cases.detections()
    found = {name: str(folder / f"{name}.json") for name in ("objects", "old", "new", "ann", "ben")}
    for name, data in zip(("objects", "old", "new"), (objects, *models), strict=True):
        vesica.write(found[name], data)
    people = cases.drawn(people=("ann", "ben"))
    for number, name in enumerate(("ann", "ben")):
        rows = people.rows(people.annotator == number)
        vesica.write(found[name], rows, format="coco")
    return found | {"truth": str(folder / "truth"), "guess": str(folder / "guess")}


@pytest.mark.parametrize(
    ("words", "pictures"),
    [
        (["seg", "{truth}", "{guess}", "--gate", "mIoU>=0.1"], 12),
        (["seg", "{truth}", "{guess}", "--surface", "--classes", "road,car,sky,tree"], 12),
        (["compare", "{objects}", "{old}", "{new}", "--replicates", "20"], 1),
        (["agree", "{ann}", "{ben}"], 1),
    ],
)
def test_report_on_the_command_line(
    words: list[str], pictures: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], undrawn: None
) -> None:
    known, out = files(tmp_path), tmp_path / "out.html"
    code = main([*(word.format(**known) for word in words), "--report", str(out), "--json"])
    told = capsys.readouterr()
    assert code == 0, told.err
    text = out.read_text(encoding="utf-8")
    sound(text)
    assert text.count('class="item"') >= pictures
    assert json.loads(told.out)["summary"]
    assert f"Wrote {out}" in told.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seg", "{truth}", "{guess}", "--images", "{truth}"], "--images goes with --report"),
        (["seg", "{truth}", "{guess}", "--report", "o.html", "--images", "{truth}/no"], "must be a folder that exists"),
        (["seg", "{truth}", "{guess}", "--max-mb", "3"], "go with --report"),
        (["seg", "{truth}", "{guess}", "--report", "{truth}"], "must be a file of its own"),
        (["compare", "{objects}", "{old}", "{new}", "--report", "{new}"], "must be a file of its own"),
        (["seg", "{truth}", "{guess}", "--report="], "must be a name; got nothing"),
        (["agree", "{ann}", "{ben}", "--report", "{ben}"], "must be a file of its own"),
    ],
)
def test_usage(words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = files(tmp_path)
    with pytest.raises(SystemExit) as left:
        main([word.format(**known) for word in words])
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_many_classes_take_no_room():
    """Of a confusion of a thousand classes nearly all cells are empty."""
    from vesica.report.document import _grid
    from vesica.report.views import Grid

    names = tuple(f"c{k}" for k in range(1000))
    counts = [[0] * 1000 for _ in names]
    counts[3][7], counts[999][0] = 5, 2
    made = _grid(Grid(("truth", "guess"), names, names, tuple(map(tuple, counts))), "detection")
    assert made["counts"] == {"3": {"7": 5}, "999": {"0": 2}} and len(json.dumps(made)) < 30_000


@pytest.mark.parametrize("kind", ["panoptic", "comparison"])
def test_photographs_where_nothing_is_drawn(tmp_path, kind, undrawn):
    """Segments, and label maps of two models: the images that lose or change most, each with what is known of it."""
    pytest.importorskip("PIL")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, (3, 8, 12))
    guess = [np.where(rng.random(truth.shape) < share, 1, truth) for share in (0.3, 0.1)]
    if kind == "panoptic":
        pairs = ([(one, {1: 17, 2: 3}) for one in side] for side in (truth, guess[0]))
        result: Any = vesica.evaluate_panoptic(*pairs, categories={17: "cat", 3: "grass"}, things=[17])
    else:
        result = vesica.compare(truth, *guess, task="segmentation")
    photographs = {str(k): np.full((8, 12, 3), 40 * k, np.uint8) for k in range(2)}
    assert result.report(tmp_path / "bare.html").pictures == 0
    found = result.report(tmp_path / "a.html", images=photographs)
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert found.pictures == 2 and text.count("data:image/jpeg") == 2 and "guess that is wrong" not in text


def test_long_names_break_between_words(tmp_path, undrawn):
    cases.segmentation().report(tmp_path / "a.html")
    assert "generalised_<wbr>dice" in (tmp_path / "a.html").read_text(encoding="utf-8")

"""Reports in a real browser: what spec and users ask of a page that is one file."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from browser.kinds import HOSTILE, KINDS, MAIN, MANY, photographs

# All tests of a kind one after the other: its page is open once, and no other takes memory beside it.
every = pytest.mark.parametrize("kind", KINDS, scope="module")
main = pytest.mark.parametrize("kind", MAIN, scope="module")

LEADS = """() => [
    ...[...document.querySelectorAll('svg .mark')].map((one) => [one.id, one.dataset.show]),
    ...[...document.querySelectorAll("a[href^='#show/']")].map((one) => [one.textContent, one.getAttribute('href')]),
]"""


# Every button, but of more than twelve pictures the first and the last, and of the links that differ in a value alone
# the first; where all of them lead is followed below. The page follows each before the next is clicked: the answer is
# how many addresses it followed, and how many there were.
CLICKS = """async () => {
    const known = new Set(), asked = new Set(), followed = new Set();
    addEventListener('hashchange', () => followed.add(location.hash));
    const pictures = document.querySelectorAll('.item').length;
    for (const one of document.querySelectorAll('a, button')) {
        const to = (one.getAttribute('href') ?? '').replace(/=[^&/]*/g, '=');
        if (to.startsWith('#show/') && known.has(to)) continue;
        const item = one.closest('.item');
        if (item && +item.dataset.at >= 12 && +item.dataset.at < pictures - 1) continue;
        known.add(to);
        const before = location.hash;
        one.click();
        await new Promise((done) => setTimeout(done, 0));
        if (location.hash !== before && (item || to)) asked.add(location.hash);  // other buttons replace it themselves
    }
    await new Promise((done) => setTimeout(done, 0));
    return [followed.size, asked.size];
}"""
ODD = ["#gallery", "#show/nowhere/a=b", "#show/detection/%", "#show///99999", "#show/x"]


@every
def test_no_request_but_the_file_itself(still, kind):
    looking = still(kind)
    if kind in MANY:  # of these the layout alone takes most of the time, and there are reports enough that have one
        looking.hide()
    followed, asked = looking.run(CLICKS)
    assert followed >= asked > 3
    looking.hide(False)
    looking.settle()
    looking.follow(ODD)
    looking.settle()
    assert looking.requests == []
    assert looking.page.url.split("#")[0] == looking.address
    assert looking.complaints == [] and looking.run("window.violations") == []


@every
def test_nothing_to_complain_of(still, kind):
    looking = still(kind)
    looking.page.mouse.wheel(0, 20000)
    looking.settle()
    assert looking.complaints == [] and looking.run("window.violations") == []
    policy = looking.page.locator("head > meta").first.get_attribute("content")
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-")
    assert policy.endswith("base-uri 'none'; form-action 'none'")


@main
def test_names_from_data_are_text(still, kind):
    looking = still(kind)
    looking.follow([fragment for _, fragment in looking.run(LEADS)[:60]])
    looking.settle()
    looking.run("() => document.querySelector('.item:not([hidden]) button')?.click()")
    looking.settle()
    assert looking.run("window.ran") is None
    assert looking.run("document.querySelectorAll('img[src=x], [onload], [onerror]').length") == 0
    shown = looking.run("document.body.innerHTML")
    text = looking.run("document.body.textContent")
    for name in HOSTILE[:2]:
        assert name in text  # as it is written
    assert "<img src=x" not in shown.partition('<script type="application/json"')[0]
    assert looking.complaints == [] and looking.run("window.violations") == []


@every
def test_everything_that_can_be_clicked_leads_somewhere(still, kind):
    """To pictures, to rows, or to a line that says honestly that none of them is here."""
    looking = still(kind)
    if kind in MANY:  # what is there can be told without a layout, which takes most of the time
        looking.hide()
    leads = looking.run(LEADS)
    assert all(fragment for _, fragment in leads)
    fragments = list(dict.fromkeys(fragment for _, fragment in leads))
    seen = looking.run(
        """async (fragments) => {
            const seen = [];
            for (const one of fragments) {
                history.replaceState(null, '', one);
                dispatchEvent(new HashChangeEvent('hashchange'));
                const pictures = [...document.querySelectorAll('.item')].filter((item) => !item.hidden).length;
                seen.push([one, pictures, document.querySelectorAll('#rows-table tbody tr').length,
                           document.getElementById('status').textContent, document.getElementById('filter').hidden]);
            }
            return seen;
        }""",
        fragments,
    )
    for fragment, pictures, rows, status, is_hidden in seen:
        assert not is_hidden, fragment
        assert pictures or rows or "not embedded" in status or status.startswith("No picture of these"), fragment
        assert bool(pictures) == bool(re.search(r"\d picture", status)), (fragment, status)
    if kind in MAIN:  # every kind of part leads somewhere, and most of them to a picture
        assert sum(1 for _, pictures, *_ in seen if pictures) > 0.8 * len(seen)
    looking.hide(False)
    assert looking.requests == [] and looking.complaints == [] and looking.run("window.violations") == []


def test_a_cell_leads_to_its_objects_and_to_no_others(still):
    looking = still("detection")
    result = looking.made.results[0]
    cut = result.curve(iou=0.5).best_f1.score
    counts = result.confusion(min_score=cut).counts
    grid = looking.data["grids"]["detection-confusion-row"]
    told = {(int(row), int(column)): n for row, own in grid["counts"].items() for column, n in own.items()}
    assert told == {tuple(place): int(counts[tuple(place)]) for place in np.argwhere(counts).tolist()}
    cells = np.argwhere(counts).tolist()
    fragments = looking.run(
        "(ids) => ids.map((id) => document.getElementById(id).dataset.show)",
        [f"detection-confusion-row-cell-{row}-{column}" for row, column in cells],
    )
    for (row, column), status in zip(cells, looking.follow(fragments), strict=True):
        assert status.startswith(f"{counts[row, column]:,} object"), (row, column, status)


def test_causes_lead_to_as_many_objects(still):
    looking = still("detection")
    result = looking.made.results[0]
    cut = result.curve(iou=0.5).best_f1.score
    causes = result.objects(iou=0.5, min_score=cut)["cause"].tolist()
    names = ("missed", "background", "classification", "localisation", "duplicate")
    told = looking.follow([f"#show/detection/cause={cause}" for cause in names])
    for cause, status in zip(names, told, strict=True):
        assert status.startswith(f"{causes.count(cause):,} object") or (
            not causes.count(cause) and "No picture" in status
        )


@every
def test_numbers_are_those_of_the_result(read, kind):
    looking = read(kind)
    wanted = [value for result in looking.made.results for value in result.numbers.values()]
    shown = looking.run(
        """() => [...document.querySelectorAll('.tile b')]
            .map((one) => [one.dataset.number ?? null, one.textContent])"""
    )
    assert [None if number is None else float(number) for number, _ in shown] == wanted
    assert [text.removeprefix("+") for _, text in shown] == [
        written(value) for value in wanted
    ]  # differences have signs


def test_the_table_of_categories_is_that_of_the_result(read):
    looking = read("eighty")
    columns, *rows = looking.run(
        """() => [...document.querySelectorAll('#table-detection-categories tr')]
            .map((row) => [...row.cells].map((cell) => cell.textContent))"""
    )
    found = {row[0]: dict(zip(columns, row, strict=True)) for row in rows}
    classes = looking.made.results[0].to_dict()["classes"]
    assert len(found) == len(classes) == 80
    for row in classes:
        own = found[str(row["category"])]
        assert {name: own[name] for name in row} == {name: written(value) for name, value in row.items()}


def written(value):
    """A number as tables have it."""
    return (
        "–"
        if value is None
        else f"{value:.3f}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else value
    )


def test_the_tour_by_keyboard(look):
    looking = look("detection")
    page = looking.page
    focused = "() => document.activeElement.id"
    stops = looking.run(
        """() => [...document.querySelectorAll('.chart svg')]
            .map((svg) => svg.querySelectorAll('[tabindex="0"]').length)"""
    )
    assert set(stops) <= {0, 1} and sum(stops) > 8  # one tab stop for each chart that leads anywhere

    page.locator("#chart-detection-by-category .mark").first.focus()
    first = looking.run(focused)
    page.keyboard.press("ArrowDown")
    second = looking.run(focused)
    assert first != second and second.startswith("detection-by-category-")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert looking.run(focused) == first
    page.keyboard.press("Tab")
    assert looking.run("() => document.activeElement.closest('svg') === null")  # Tab leaves the chart

    page.locator(f"[id='{first}']").focus()
    scrolled = looking.run("scrollY")
    page.keyboard.press("Enter")
    looking.settle()
    assert looking.shown()["asked"].startswith("Detection · category: ")
    assert looking.run(focused) == "gallery-title"

    page.locator(".item:not([hidden]) button").first.focus()
    page.keyboard.press("Enter")
    looking.settle()
    title = page.locator("#viewer-title").text_content()
    page.keyboard.press("ArrowRight")
    looking.settle()
    assert page.locator("#viewer[open]").count() == 1 and page.locator("#viewer-title").text_content() != title
    page.keyboard.press("ArrowLeft")
    looking.settle()
    assert page.locator("#viewer-title").text_content() == title
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.getElementById('viewer').open")
    looking.settle()
    assert looking.shown()["asked"] and looking.run("() => document.activeElement.closest('.item') !== null")

    page.go_back()  # from the filter to the chart
    looking.settle()
    assert looking.shown()["asked"] == "" and looking.run(focused) == first
    assert abs(looking.run("scrollY") - scrolled) < 50

    page.keyboard.press("?")
    assert page.locator("#keys[open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#keys[open]").count() == 0
    assert looking.complaints == []


def test_arrows_walk_from_cell_to_cell(still):
    looking = still("detection")
    cell = looking.page.locator("#detection-confusion-row-cell-3-3")
    cell.focus()
    looking.page.keyboard.press("ArrowRight")
    row, column = map(int, re.findall(r"\d+", looking.run("() => document.activeElement.id"))[-2:])
    assert (row, column) != (3, 3) and column > 3
    looking.page.keyboard.press("ArrowLeft")
    assert int(looking.run("() => document.activeElement.id").rsplit("-", 1)[1]) < column


def test_the_address_keeps_what_is_shown(look):
    looking = look("detection", fragment="#show/detection/cause=missed")
    shown = looking.shown()
    assert shown["asked"] == "Detection · cause: missed" and shown["pictures"]
    looking.page.locator("#clear").click()
    looking.settle()
    assert looking.shown()["asked"] == ""
    again = look("detection", fragment="#show/detection/cause=missed/0")
    assert again.page.locator("#viewer[open]").count() == 1


def test_outlines_are_painted(look):
    """Truths solid, guesses dashed; what is asked for stands out."""
    looking = look("detection", fragment="#gallery")
    looking.page.locator(".item canvas").first.wait_for()
    painted = looking.run(
        """() => {
            const one = document.querySelector('.item:not([hidden]) canvas');
            const dots = [...one.getContext('2d').getImageData(0, 0, one.width, one.height).data];
            return dots.filter((value, at) => at % 4 === 3 && value > 0).length;
        }"""
    )
    assert painted > 200


@pytest.mark.parametrize("kind", [*MAIN, "nothing"])
def test_without_script(look, kind):
    looking = look(kind, has_script=False)
    page = looking.page
    charts = page.locator(".chart svg")
    assert charts.count() == looking.made.path.read_text(encoding="utf-8").count("<svg role")
    shown = [one for one in charts.all() if one.is_visible()]
    assert len(shown) >= charts.count() - 2 * page.locator(".choice").count()
    assert page.locator("noscript p").is_visible()
    assert not page.locator("#ask-keys").is_visible()
    if kind in MAIN:
        assert page.locator(".item img").first.is_visible()
        page.locator("summary").first.click()
        assert page.locator("details[open] table").first.is_visible()


def test_print_as_a_file(still):
    assert still("detection").page.pdf(format="A4", print_background=True).startswith(b"%PDF")


@every
def test_print(still, kind):
    looking = still(kind)
    looking.page.set_viewport_size({"width": 718, "height": 1000})  # A4 between usual margins
    looking.page.emulate_media(media="print")
    looking.run("() => { dispatchEvent(new Event('beforeprint')) }")
    cut = looking.run(
        """() => [...document.querySelectorAll('.chart svg')].filter((svg) => {
            const box = svg.getBoundingClientRect(), own = svg.closest('.chart').getBoundingClientRect();
            if (!box.width) return false;  // the other ways of a choice
            const isWhole = getComputedStyle(svg).breakInside === 'avoid' && box.height <= 1000;
            return !isWhole || box.right > innerWidth + 1 || box.left < own.left - 1;
        }).map((svg) => svg.closest('.chart').id)"""
    )
    assert cut == []
    assert looking.run("() => [...document.querySelectorAll('details')].every((one) => one.open)")
    assert looking.run("() => document.documentElement.scrollWidth <= innerWidth")


@every
def test_no_sideways_scroll(still, kind):
    """On a phone and on a wide screen; with all tables open; with a picture open."""
    looking = still(kind)
    widths = (360, 1600)

    def too_wide(element, side):
        wrong = []
        for width in widths:
            looking.page.set_viewport_size({"width": width, "height": 900})
            looking.settle()
            found = looking.run(f"{element}.{side}")
            wrong += [(width, found)] if found > width else []
        return wrong

    assert too_wide("document.documentElement", "scrollWidth") == []
    looking.run("() => document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert too_wide("document.documentElement", "scrollWidth") == []
    if kind in MAIN:
        looking.run("() => document.querySelector('.item button').click()")
        looking.settle()
        assert looking.page.locator("#viewer[open]").count() == 1
        assert too_wide("document.getElementById('viewer').getBoundingClientRect()", "right") == []


@every
def test_ids_are_unique(read, kind):
    looking = read(kind)
    ids = looking.run("() => [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(set(ids)) == len(ids)
    lost = looking.run(
        """() => [...document.querySelectorAll('use')].map((one) => one.getAttribute('xlink:href').slice(1))
            .filter((one) => !document.getElementById(one))"""
    )
    assert lost == []


@every
def test_size(reports, kind):
    made = reports(kind)
    text = made.path.read_text(encoding="utf-8")
    bare = re.sub(r"data:image/[^\"]*", "", text)
    assert len(bare.encode()) <= 2_000_000
    assert made.path.stat().st_size == made.left_out.bytes <= 10_000_000
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    assert len(script.encode()) <= 25_000


def test_a_smaller_size_leaves_pictures_out_and_says_so(reports, tmp_path):
    """The page of eighty categories in less room: fewer photographs, then pictures, then rows."""
    whole, small = reports("eighty"), tmp_path / "small.html"
    pictures = photographs(whole.left_out.pictures + 10)
    left_out = whole.results[0].report(small, images=pictures.get, max_mb=0.6)
    assert small.stat().st_size <= 600_000 < whole.path.stat().st_size
    for words in ("have no picture", "pictures are left out", "neither shown nor listed", "photographs are left out"):
        assert any(words in line for line in left_out.lines), words
    assert all(line.split(":")[0] in small.read_text(encoding="utf-8") for line in left_out.lines)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder with the main reports once more, written by another process with other hashes and another time zone."""
    pytest.importorskip("matplotlib")
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1]); from browser.kinds import KINDS, MAIN\n"
        "for kind in MAIN:\n    own = pathlib.Path(sys.argv[2]) / kind; own.mkdir(); KINDS[kind](own)"
    )
    folder, tests = tmp_path_factory.mktemp("elsewhere"), str(Path(__file__).parents[1])
    changed = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", code, tests, str(folder)], check=True, env=changed)
    return folder


@main
def test_same_input_same_bytes(reports, kind, elsewhere):
    again, here = elsewhere / kind / "report.html", reports(kind).path.parent
    assert again.read_bytes() == reports(kind).path.read_bytes()
    text = again.read_text(encoding="utf-8")
    assert str(here) not in text and str(elsewhere) not in text  # nobody's folders


NAMED = {"link", "button", "radio", "image", "region", "dialog", "graphics-document", "SvgRoot"}


@every
def test_names_for_those_who_cannot_see(read, kind):
    looking = read(kind)
    session = looking.context.new_cdp_session(looking.page)
    nodes = [node for node in session.send("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    session.detach()  # else the browser keeps that tree up to date for the reports that follow
    named = [node for node in nodes if node["role"]["value"] in NAMED]
    assert named and all(node.get("name", {}).get("value") for node in named)
    without = (
        "() => [...document.querySelectorAll('.chart svg, svg .mark')].filter((one) => !one.getAttribute('aria-label'))"
    )
    assert looking.run(f"({without})().length") == 0
    words = looking.run(
        """() => [...document.querySelectorAll('.chart')]
            .map((one) => [one.querySelector('h3').textContent, one.querySelector('figcaption p').textContent])"""
    )
    assert words and all(title and sentence for title, sentence in words)


LETTERS = """() => [...document.querySelectorAll('p, h1, h2, h3, th, td, a, b, small, span, summary, li, svg text')]
    .filter((one) => one.getClientRects().length)
    .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((one) => !one.closest('[id*="confusion"] svg'))
    .map((one) => {
        const style = getComputedStyle(one), nothing = /rgba\\(0, 0, 0, 0\\)|transparent/;
        let below = one;
        while (below && nothing.test(getComputedStyle(below).backgroundColor)) below = below.parentElement;
        const page = below ? getComputedStyle(below).backgroundColor : 'rgb(255, 255, 255)';
        return [one.ownerSVGElement ? style.fill : style.color, page, one.textContent.slice(0, 30)];
    })"""


@main
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(still, kind, scheme):
    """Letters of the page and of its charts on what lies below them; those in cells are chosen for their cell."""
    looking = still(kind)
    looking.page.emulate_media(color_scheme=scheme)
    looking.settle()
    pairs = looking.run(LETTERS)
    assert len(pairs) > 200
    assert [pair for pair in pairs if _contrast(*pair[:2]) < 4.5] == []


def _contrast(one, other):
    light = sorted(map(_light, (one, other)))
    return (light[1] + 0.05) / (light[0] + 0.05)


def _light(colour):
    channels = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

"""`vesica explain`: every name that a user can meet is explained, and what the examples say is so."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica import glossary
from vesica.agreement.ledger import BESIDE, TYPES
from vesica.cli import main, outputs
from vesica.detection.cause_names import STATES, TOTALS
from vesica.detection.rules import PROTOCOLS
from vesica.overlaps.measures import MEASURES
from vesica.segmentation.rules import SCORES, STATUSES
from vesica.statistics.coefficients import krippendorff

SOURCE = Path(vesica.__file__).parent
DOCS = Path(__file__).parents[1] / "docs"
TERMS = [term for terms in glossary.GROUPS.values() for term in terms]
BOXES = [[0, 0, 4, 4]], [[2, 2, 6, 6]]


def run(capsys, *words):
    try:
        code = main(["explain", *words])
    except SystemExit as leaving:
        code = leaving.code
    return code, *capsys.readouterr()


def keys_of(scores):
    """The names that gates of a result know: of the whole, and of a category."""
    yield from scores.overall
    for row in scores.by_category.values():
        yield from row


def detection_keys():
    sides = (
        vesica.Dataset.from_arrays([[0, 0, 10, 10]], image=[1], category=["cat"], score=score) for score in (None, [1])
    )
    truth, guess = sides
    from vesica.detection.bootstrap import Cut

    for protocol in PROTOCOLS:
        yield from keys_of(vesica.evaluate(truth, guess, protocol=protocol).gate_scores(cut=Cut(0, 0, None)))
    yield from keys_of(vesica.evaluate(truth, guess, iou=[0.5, 0.6], max_dets=[1, 7]).gate_scores())
    yield from keys_of(vesica.evaluate(truth, guess, protocol="voc", iou=[0.5, 0.65]).gate_scores())


def segmentation_keys():
    truth, guess = [[[0, 0, 1, 1]]], [[[0, 0, 1, 0]]]
    yield from keys_of(vesica.evaluate_segmentation(truth, guess).gate_scores())
    found = vesica.evaluate_surfaces(truth, guess, categories=[0, 1], tau=[1, 2.5], boundary="2%", centrelines=True)
    yield from keys_of(found.gate_scores())
    pair = [([[1, 1, 2]], {1: 17, 2: 3})]
    yield from keys_of(
        vesica.evaluate_panoptic(pair, pair, categories={17: "cat", 3: "grass"}, things=[17]).gate_scores()
    )


def agreement_keys():
    yield from keys_of(vesica.evaluate_agreement([[0, 0, 10, 10]], [[2, 2, 10, 12]]).gate_scores())
    maps = (vesica.LabelMap([[0, 0, 1]]), vesica.LabelMap([[0, 1, 1]]))
    yield from keys_of(vesica.evaluate_agreement(*maps).gate_scores())


def rules_in_source():
    """The rules of notes and the codes of findings, wherever a module writes one down."""
    for path in sorted(set(SOURCE.rglob("*.py")) - set((SOURCE / "cli").iterdir())):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(getattr(node, "func", None), "id", None)
            if name in ("Note", "Remark", "Finding") and node.args and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value


class TestEveryNameIsKnown:
    @pytest.mark.parametrize("keys", [detection_keys, segmentation_keys, agreement_keys])
    def test_of_gates(self, keys):
        found = set(keys())
        assert len(found) > 5 and not {name for name in found if not glossary.find(name)}

    def test_of_findings_and_notes(self):
        found = set(rules_in_source())
        assert {"boxes-inclusive", "Q19", "J1", "MR16"} <= found  # the walk sees them
        assert not {name for name in found if not glossary.find(name)}

    def test_of_findings_on_the_page(self):
        rows = [
            line.split("|")[1] for line in (DOCS / "check.md").read_text("utf-8").splitlines() if line.startswith("| `")
        ]
        codes = {code.strip(" `") for row in rows for code in row.split(",")}
        assert len(codes) > 20 and {term.name for term in glossary.GROUPS["findings of check"]} == codes

    def test_of_advice_on_the_page(self):
        text = (DOCS / "segmentation.md").read_text("utf-8")
        assert all(f"{term.name}" in text for term in glossary.GROUPS["advice"])

    @pytest.mark.parametrize(
        "names",
        [
            [*STATES, *TOTALS],
            [*TYPES, *BESIDE],
            list(MEASURES),
            [*SCORES, *STATUSES],
            list(outputs.RULES),
            ["0", "1", "2", "3", "4", "130"],
            ["AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "ARs", "mIoU", "dice", "mPA", "PQ", "HD95", "NSD"],
            ["alpha", "kappa", "mAP50-95", "TP", "Jaccard", "F1", "exit 3", "NSD(1.5)", "AP@.5", "iscrowd"],
        ],
    )
    def test_of_lists(self, names):
        assert not [name for name in names if not glossary.find(name)]


class TestTexts:
    def test_are_sentences(self):
        for term in TERMS:
            assert term.text[0].isupper() or term.text[0] in "αdmpx`1", term
            assert term.text.endswith(".") and len(term.text) < 700 and "  " not in term.text, term
            assert not term.title.endswith("."), term

    def test_numbers_have_formula_and_example(self):
        for group in ("detection", "segmentation", "outlines", "panoptic", "measures"):
            for term in glossary.GROUPS[group]:
                assert term.example and (term.formula or term.name in ("TP",)), term.name

    def test_no_alias_hides_a_name(self):
        names = {term.name.casefold() for term in TERMS}
        hidden = {alias for term in TERMS for alias in term.aliases if alias.casefold() in names}
        own = {alias for term in TERMS for alias in term.aliases if alias.casefold() == term.name.casefold()}
        assert hidden == own

    def test_page(self):
        import runpy

        page = runpy.run_path(str(DOCS / "terms.py"))["page"]()
        assert page == (DOCS / "terms.md").read_text("utf-8"), "python docs/terms.py > docs/terms.md"

    def test_pages_are_there(self):
        assert not [term for term in TERMS if term.page and not (DOCS / term.page).exists()]


def _ap():
    boxes = [[0, 0, 10, 10], [50, 0, 60, 10]]
    truth = vesica.Dataset.from_arrays(boxes, image=[1, 1])
    guess = vesica.Dataset.from_arrays([boxes[0], [80, 80, 90, 90], boxes[1]], image=[1] * 3, score=[0.9, 0.8, 0.7])
    return truth, guess


def _distances():
    """Distances of guess → truth 0, 0, 1, 5 and of truth → guess 0, 0, 0, 2, as counts."""
    return np.array([0, 0, 1, 5.0]), np.array([0, 0, 0, 2.0])


WORKED = {
    "AP": lambda: vesica.evaluate(*_ap())["AP50"],
    "mAP": lambda: vesica.evaluate(*_ap(), protocol="voc")["mAP"],
    "IoU": lambda: vesica.iou(*BOXES)[0, 0],
    "Dice": lambda: vesica.dice(*BOXES)[0, 0],
    "distance": lambda: vesica.distance(*BOXES)[0, 0],
    "coverage": lambda: vesica.coverage(*BOXES)[0, 0],
    "overlap": lambda: vesica.overlap(*BOXES)[0, 0],
    "tversky": lambda: vesica.tversky(*BOXES, alpha=0.3, beta=0.7)[0, 0],
    "giou": lambda: vesica.giou(*BOXES)[0, 0],
    "diou": lambda: vesica.diou(*BOXES)[0, 0],
    "ciou": lambda: vesica.ciou(*BOXES)[0, 0],
    "eiou": lambda: vesica.eiou(*BOXES)[0, 0],
    "alpha": lambda: krippendorff([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 0]).value,
    "HD95": lambda: max(np.percentile(side, 95) for side in _distances()),
    "ASSD": lambda: np.concatenate(_distances()).mean(),
    "MASD": lambda: np.mean([side.mean() for side in _distances()]),
    "ASD": lambda: _distances()[0].mean(),
    "NSD": lambda: np.mean(np.concatenate(_distances()) <= 1),
    "f1": lambda: 6 / 9,
    "PQ": lambda: 1.4 / 3,
    "clDice": lambda: 2 * 0.722 / 1.722,
    "F-beta": lambda: 15 / 21,
    "generalised_dice": lambda: 2.5 / 2.75,
    "boundary_F": lambda: 2 * 0.75 / 1.75,
    "mIoU": lambda: (0.5 + 0.75 + 0.75) / 3,
    "mDice": lambda: (6 / 9 + 6 / 7 + 6 / 7) / 3,
}


@pytest.mark.parametrize("name", WORKED)
def test_worked_number(name):
    """The last number of an example is what the library, or the formula, gives."""
    (term,) = (one for one in glossary.find(name) if one.name == name)
    told = term.example.rstrip(".").replace("−", "-").replace(",", "").split()[-1]
    decimals = len(told.partition(".")[2])
    assert round(float(WORKED[name]()), decimals) == float(told)


class TestVerb:
    def test_text(self, capsys):
        code, out, err = run(capsys, "AP50")
        assert code == 0 and err == "" and out.startswith("AP50: average precision at an IoU of 0.5\n")
        assert "formula" in out and "example" in out and "docs/scores.md" in out
        assert max(map(len, out.splitlines())) <= 100

    def test_a_gate_is_explained_by_its_number(self, capsys):
        assert run(capsys, "AP50[cat,dog]>=0.8 @95%")[1].startswith("AP50: ")

    def test_words_of_two_meanings(self, capsys):
        out = run(capsys, "duplicate")[1]
        assert out.count("duplicate: ") == 2

    def test_json(self, capsys):
        found = json.loads(run(capsys, "miou", "exit 2", "--json")[1])["terms"]
        assert [(one["name"], one["group"]) for one in found] == [("mIoU", "segmentation"), ("2", "exit codes")]
        assert found[0]["formula"] and found[0]["aliases"]

    def test_alone_it_lists_all(self, capsys):
        out = run(capsys)[1]
        assert all(term.name in out for term in TERMS) and out.index("detection") < out.index("exit codes")
        groups = json.loads(run(capsys, "--json")[1])["groups"]
        assert list(groups) and sum(map(len, groups.values())) == len(TERMS)

    @pytest.mark.parametrize(
        "word, meant", [("mIuO", "mIoU"), ("krippendorf", "alpha"), ("box-layout", "boxes-layout"), ("AP5O", "AP50")]
    )
    def test_did_you_mean(self, capsys, word, meant):
        code, out, err = run(capsys, word)
        assert code == 2 and out == "" and "Did you mean" in err and meant in err

    @pytest.mark.parametrize("word", ["", " ", "🙂" * 50, "x" * 5000, "(((", "AP\x00", "[", "\udcff", ">=", "--"])
    def test_hostile_words(self, capsys, word):
        code, _, err = run(capsys, "--", word)
        assert code in (0, 2) and "Traceback" not in err

    def test_needs_no_numpy(self):
        import subprocess
        import sys

        code = "import sys\nfrom vesica.cli import main\nmain(['explain', 'AP'])\nassert 'numpy' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_words():
    assert glossary.words("boxes-layout").startswith("xyxy, xywh or cxcywh") and glossary.words("nothing like it") == ""

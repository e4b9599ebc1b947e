"""Errors of the command line speak of its options, and of no argument of Python."""

import ast
import functools
import json
import re
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica.cli import VERBS, main
from vesica.cli.option_words import as_options
from vesica.cli.parsers import HABITS, meant, parser_of, places_of

SOURCE = Path(vesica.__file__).parent
ARGUMENT = re.compile(r"(?<![\w/-])[a-z_]+=")
OPTION = re.compile(r"(?<![\w/-])--[a-z][a-z-]*")
COMMAND = re.compile(r"(?:\bvesica |`(?!vesica ))([a-z]+) [^`.;()\n]*$")


@functools.cache
def parser(verb):
    return parser_of(VERBS, verb)[1][verb]


def options_of(verb):
    return {action.dest for action in parser(verb)._actions}


def not_of(text, verb=None):
    """The options that a text names and no command has: that of the line it shows, or else this verb, or any."""
    found = []
    for option in OPTION.finditer(text):
        shown = COMMAND.search(text[: option.start()])
        verbs = [shown[1]] if shown and shown[1] in VERBS else VERBS if verb is None else [verb]
        if not any(option[0] in parser(one)._option_string_actions for one in verbs):
            found.append(option[0])
    return found


class TestWords:
    @pytest.mark.parametrize(
        "text, known, want",
        [
            ("Say `images=FOLDER`.", {"images"}, "Say `--images FOLDER`."),
            ("Say `sizes=(height, width)`.", {"sizes"}, "Say `--sizes HEIGHT,WIDTH`."),
            ("Say `format=`.", {"source_format"}, "Say `--from`."),
            ("Say format='yolo'.", {"truth_format", "guess_format"}, "Say --truth-format yolo or --guess-format yolo."),
            ('Say kind="obb".', {"kind"}, "Say --kind obb."),
            ('columns="class box score"', {"columns"}, '--columns "class box score"'),
            ('categories={7: "cat", …}', {"categories"}, '--categories \'{"7": "cat", …}\''),
            ('categories={"it\'s": "7", …}', {"categories"}, '--categories \'{"it\'s": "7", …}\''),
            ("All pairs that meet: `strict=True`.", {"strict"}, "All pairs that meet: `--strict`."),
            ("`boxes` must be one of 'xywh'", {"boxes"}, "`--boxes` must be one of 'xywh'"),
            ("`boxes` says nothing about a file", {"boxes"}, "`--boxes` says nothing about a file"),
            ("`boxes` row 3 is inverted", {"boxes"}, "`boxes` row 3 is inverted"),
            ("All pairs: leave `aligned` out.", {"aligned"}, "All pairs: leave `--aligned` out."),
            ('Rows go to Boxes(a, "xywh").', {"form"}, "Rows go to --form xywh."),
            ("to RotatedBoxes(a, unit=…, direction=…)", {"rotated"}, "to --rotated deg,ccw"),
            ("No masks. In Python: RleMasks([], size=(1, 2)).", set(), "No masks."),
            ("say `overwrite=True` (vesica convert --overwrite)", {"overwrite"}, "say `--overwrite`"),
            ("say `overwrite=True` (vesica convert --overwrite)", set(), "say `vesica convert --overwrite`"),
            ("lr=0.1/iou=0.5/guess.json cannot be read", {"iou"}, "lr=0.1/iou=0.5/guess.json cannot be read"),
            ('Say kind="obb".', set(), 'Say kind="obb".'),
        ],
    )
    def test_value(self, text, known, want):
        assert as_options(text, known) == want


# Which files hold the words that a verb may say: what reads, what measures, what scores.
PEOPLE = ["io/annotators.py", "io/coco_annotators.py"]
READERS = [f"io/{path.name}" for path in sorted((SOURCE / "io").glob("*.py")) if "write" not in path.name]
READERS = [path for path in READERS if path not in PEOPLE]
WRITERS = [f"io/{path.name}" for path in sorted((SOURCE / "io").glob("*write.py"))]
MEETING = ["scoring.py", "_check/detection.py", "_check/meeting.py"]
SCORES = ["_check/records.py", "_check/container.py"]
SCORES += [f"{noun}/{path.name}" for noun in ("detection", "results") for path in sorted((SOURCE / noun).glob("*.py"))]
TABLES = [
    "io/arrays.py",
    "io/coco.py",
    "io/coco_errors.py",
    "io/detections.py",
    "io/files.py",
    "io/archives.py",
    "io/png.py",
]
REGIONS = ["_check/__init__.py", "_check/masks.py", "_check/coco_masks.py", "_check/rotated.py", "_check/selection.py"]
REGIONS += ["regions/__init__.py", "_check/soft.py", "overlaps/join.py", "overlaps/best.py", "overlaps/measures.py"]
LABEL_MAPS = [
    "io/png.py",
    "io/files.py",
    "io/archives.py",
    "io/panoptic.py",
    "_check/label_files.py",
    "_check/painted.py",
]
LABEL_MAPS += [f"segmentation/{path.name}" for path in sorted((SOURCE / "segmentation").glob("*.py"))]
AGREEMENT = ["_check/agreement.py", "_check/annotators.py", "_check/assignments.py", "scoring.py"]
AGREEMENT += [f"agreement/{path.name}" for path in sorted((SOURCE / "agreement").glob("*.py"))]
ADVICE = {"advice", "agreement", "segmentation", "shapes", "surfaces"}
DIAGNOSE = [f"diagnose/{path.name}" for path in sorted((SOURCE / "diagnose").glob("*.py")) if path.stem not in ADVICE]
DIAGNOSE.append("_check/diagnose.py")
SCALE = ["_check/scale.py", *(f"scale/{path.name}" for path in sorted((SOURCE / "scale").glob("*.py")))]
COMPARE = [f"comparison/{path.name}" for path in sorted((SOURCE / "comparison").glob("*.py"))]
SAID_BY = {
    "iou": TABLES + REGIONS,
    "nms": TABLES + REGIONS,
    "eval": READERS + MEETING + SCORES + SCALE,
    "records": READERS + MEETING + SCORES,
    "merge": [*SCORES, "_check/scale.py"],
    "agree": READERS + PEOPLE + WRITERS + AGREEMENT + SCALE,
    "check": READERS + DIAGNOSE,
    "compare": READERS + MEETING + SCORES + COMPARE + SCALE,
    "convert": [*READERS, "io/coco_annotators.py", *WRITERS],
    "plot": [*TABLES, *SCORES, "_check/plot.py"],  # it has no options of reading: `eval --records` has them
    "seg": LABEL_MAPS + SCALE,
    "stats": READERS,
}
# What no file and no option of the verb leads to.
_GIVEN = {
    "fit=": "corners of rotated boxes as an array; those of files are taken as they are",
    "rule=": "polygons, of which label maps are no partner on the command line",
}
_PANOPTIC = {
    "truth_folder=": "files of panoptic segments, which `vesica eval` alone reads",
    "without --protocol panoptic": "files of panoptic segments, which `vesica eval` alone reads",
}
_RUN_LENGTHS = {"with --form xywh": "run lengths in lists, which `vesica iou` and `vesica nms` alone read"}
_TWICE = {"; duplicates=": "equal images in two parts, which detection alone lets count once"}
NOT_REACHED = {
    "iou": _GIVEN,
    "nms": {
        **_GIVEN,
        "`strict=True`": "its threshold is strict, and may be 0",
        "above=0.5": "it reads no stack of masks",
    },
    "eval": {
        **_RUN_LENGTHS,
        "images=[…]": "lists of dicts, which no file is",
        "duplicates=": "records that are merged",
    },
    "records": {
        **_PANOPTIC,
        **_RUN_LENGTHS,
        "images=[…]": "lists of dicts, which no file is",
        "duplicates=": "records that are merged",
    },
    "merge": {"engine=": "engines, which work on files of truths and guesses"},
    "plot": {"duplicates=": "records that are merged"},
    "agree": {
        **_PANOPTIC,
        **_RUN_LENGTHS,
        **_TWICE,
        "`sizes` must be areas": "size bins, which no option asks for",
        "Dataset.from_arrays(": "said by the verb itself, with its option",
        "resample_by=": "groups of images, which no option asks for",
        "Images(ids, batch": "trends, which no option asks for",
        "these annotations have no": "trends, which no option asks for",
        "policy=": "policies, which are made of options",
    },
    "check": {
        **_PANOPTIC,
        **_RUN_LENGTHS,
        "NAME=VALUE": "how an assumption is written here, too",
        "`check=False`": "said by evaluate",
    },
    "compare": {
        **_PANOPTIC,
        **_RUN_LENGTHS,
        "images=[…]": "lists of dicts, which no file is",
        "duplicates=": "records that are merged",
    },
    "convert": {**_PANOPTIC, **_RUN_LENGTHS},
    "stats": {**_PANOPTIC, **_RUN_LENGTHS},
    "seg": {
        **_PANOPTIC,
        **_TWICE,
        "vesica.evaluate_segmentation(": "a module that is called as if it were a function",
        "reduction=": "how another library computes its number, in a table of what is compared",
    },
}


@functools.cache
def words_of(path):
    """The texts of a module that are longer than a word, docstrings apart; a placeholder where a value goes."""
    return list(_words_of(path))


def _words_of(path):
    tree = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "'X'" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (docs | inner):
            text = node.value
        else:
            continue
        if " " in text.strip():
            yield node.lineno, text


@pytest.mark.parametrize("verb", SAID_BY)
def test_every_text(verb):
    """Whatever a verb may say names options of that verb, or says for Python what is for Python."""
    known, left = options_of(verb), []
    for path in SAID_BY[verb]:
        for line, text in words_of(path):
            said = as_options(text, known)
            if ARGUMENT.search(said) and not any(part in said for part in NOT_REACHED[verb]):
                left.append(f"{path}:{line}: {said}")
    assert not left, "\n".join(left)


@pytest.mark.parametrize("verb", SAID_BY)
def test_every_option_is_there(verb):
    """Whatever option a verb may name, it has; or the text shows the command that has it."""
    known = options_of(verb)
    left = [
        f"{path}:{line}: {wrong}: {said}"
        for path in SAID_BY[verb]
        for line, text in words_of(path)
        if (wrong := not_of(said := as_options(text, known), verb)) and not any(p in said for p in NOT_REACHED[verb])
    ]
    assert not left, "\n".join(left)


@pytest.mark.parametrize(
    "path", sorted(path.name for path in (SOURCE / "cli").glob("*.py") if not path.name.startswith("completion"))
)
def test_every_option_of_the_command_line(path):
    """A file that is named like a verb speaks for it; others, and those of options, speak for several."""
    verb = path.removesuffix(".py").partition("_")[0]
    verb = verb if verb in VERBS and not path.endswith("_options.py") else None
    left = [f"{line}: {wrong}: {text}" for line, text in words_of(f"cli/{path}") if (wrong := not_of(text, verb))]
    assert not left, "\n".join(left)


@pytest.mark.parametrize("verb", VERBS)
def test_what_was_meant_is_there(verb):
    """No habit of another tool is answered by an option or a place that the verb does not have."""
    known = [one for one in parser(verb)._option_string_actions if one.startswith("--")]
    places = [str(one.metavar or one.dest) for one in places_of(parser(verb))]
    for flag in [*HABITS, "-o", "--output"]:
        told = meant(flag, known, places)
        assert not not_of(told, verb)
        assert "by its place" not in told or told.split()[3].rstrip(",") in (*places, "the")


@pytest.mark.parametrize("verb", SAID_BY)
def test_no_reason_is_left_over(verb):
    texts = [text for path in SAID_BY[verb] for _, text in words_of(path)]
    assert all(any(part in text for text in texts) for part in NOT_REACHED[verb])


def test_every_verb_is_looked_at():
    told = {"info", "demo", "explain", "completions"}  # of no file
    assert set(SAID_BY) | {"plot", "report", *told} == set(VERBS)  # plot and report say what eval, seg and agree say


BOX = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]}
TRUTH = {
    "images": [{"id": 1, "width": 10, "height": 10, "file_name": "a.jpg"}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{**BOX, "id": 1, "area": 16, "iscrowd": 0}],
}
OPEN = "ImageID,LabelName,Confidence,XMin,XMax,YMin,YMax\na,/m/01,0.5,0.25,{},0.1,0.9\n"
CORNERS = "<xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax>"
XML = f"<annotation><object><name>c</name><bndbox>{CORNERS}</bndbox></object></annotation>"
FILES = {
    "t.json": json.dumps(TRUTH),
    "g.json": json.dumps([{**BOX, "score": 0.5}]),
    "dogs.csv": "image,class,score,x1,y1,x2,y2\n1,dog,0.5,0,0,4,4\n",
    "three.csv": "image,class,x1,y1,x2,y2\n1,7,0,0,4,4\n",
    "open.csv": OPEN.format(0.5),
    "pixels.csv": OPEN.format(50),
    "empty.json": '{"annotations": []}',
    "turned.csv": "1,1,2,2,45\n",
    "wide.csv": "0,0,4,4\n9,9,1,1\n",
    "both/a.xml": XML,
    "both/labels/a.txt": "0 0.5 0.5 0.1 0.1\n",
    "voc/a.xml": XML,
    "yolo/a.txt": "0 0.5 0.5 0.1 0.1\n",
    "eight/a.txt": "0 0.1 0.1 0.5 0.1 0.5 0.5 0.1 0.5\n",
    "nine/a.txt": "0 0.1 0.1 0.5 0.1 0.5 0.5 0.1 0.5 0.9\n",
    "pose/a.txt": "0 0.5 0.5 0.4 0.4 0.5 0.5 2 0.5 0.5 2\n",
    "order/a.txt": "0 0.5 0.5 0.5 0.5 0.5\n",
    "far/a.txt": "0 162 96 189 245\n",
    "what.txt": "hello\n",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True, parents=True)
        Path(name).write_text(text)
    np.save("soft.npy", np.zeros((1, 5, 5), np.float32))
    np.save("bits.npy", np.zeros((1, 5, 5), bool))
    np.save("names.npy", np.array([["a", "b", "c", "d"]]))
    Path("one.records").write_bytes(vesica.evaluate("t.json", "g.json").records.to_bytes())
    Path("two.records").write_bytes(Path("one.records").read_bytes())
    return tmp_path


SIZED = ("--sizes", "100,100")
QUIRKS = ("eval", "t.json", "g.json", "--quirks", "pycocotools")
NO_SIZE = "Say where the pictures are, `--images FOLDER`; or how large they are, `--sizes HEIGHT,WIDTH`."
CASES = [
    (("eval", "yolo", "yolo"), NO_SIZE),
    (("convert", "yolo", "o.json"), NO_SIZE),
    (("eval", "open.csv", "open.csv"), "or --boxes xyxy to take the numbers as they stand"),
    (("eval", "pixels.csv", "pixels.csv", *SIZED), "Pixels under these names are read with --boxes xyxy."),
    (("convert", "voc", "o.json", "--images", "t.json"), "`--images` says nothing about a file of the format 'voc'."),
    (("convert", "voc", "o.json", "--boxes", "xyxy"), "`--boxes` must be one of"),
    (("eval", "t.json", "g.json", *SIZED), "`--sizes` says nothing about files of coco. Leave it out."),
    (("eval", "t.json", "three.csv", "--kind", "obb"), "`--kind` says nothing about files of coco and csv."),
    (("eval", "eight", "yolo", *SIZED), "Say --kind polygon for the one, --kind obb for the other."),
    (("convert", "nine", "o.json", *SIZED), "Say --kind polygon if the last is a score, or --kind pose."),
    (("eval", "pose", "yolo", *SIZED), "Say --kind pose, or --kind polygon."),
    (("eval", "yolo", "order", *SIZED), 'Say which: --columns "class box score" or --columns "class score box".'),
    (("eval", "far", "far", *SIZED), "such as --boxes xywh."),
    (("eval", "both", "yolo", *SIZED), "Say which: --truth-format voc or --guess-format voc."),
    (("convert", "both", "o.json", *SIZED), "Say which: --from voc."),
    (("convert", "what.txt", "o.json"), "If it is one of them, say `--from`."),
    (("eval", "t.json", "dogs.csv"), "--categories '{\"dog\": \"cat\", …}'; or let ids meet, --categories id."),
    (("eval", "t.json", "g.json", "--regions", "rotated"), "from YOLO files with --kind obb."),
    (("eval", "t.json", "g.json", "--regions", "mask"), "let their boxes be compared: --missing box."),
    ((*QUIRKS, "--protocol", "voc"), "which knows --protocol coco alone"),
    ((*QUIRKS, "--regions", "rotated"), "does not know --regions rotated"),
    (("merge", "one.records", "two.records"), "--duplicates same."),
    (("iou", "turned.csv", "turned.csv"), "Rotated boxes go to --rotated deg,ccw; a score"),
    (("iou", "wide.csv", "wide.csv"), "Rows of x, y, width, height go to --form xywh."),
    (("iou", "empty.json", "empty.json"), "empty.json: No masks, so no image size is known."),
    (("iou", "soft.npy", "soft.npy", "--masks"), "Say which values count: --masks --above 0.5."),
    (("iou", "names.npy", "names.npy"), "`boxes` must hold integers or floats up to 64 bits; got str32."),
    (("iou", "turned.csv", "bits.npy", "--rotated", "deg,ccw"), "Draw the rotated boxes by a rule of your choice."),
    (("iou", "wide.csv", "wide.csv", "--at-least", "0"), "All pairs that meet: `--strict`."),
]  # fmt: skip


@pytest.mark.parametrize("words, want", CASES, ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_errors(files, capsys, words, want):
    """Each of these says the line to write, and no argument of Python."""
    try:
        code = main([*words])
    except SystemExit as leaving:
        code = leaving.code
    told = next(line for line in capsys.readouterr().err.splitlines() if line.startswith("vesica: "))
    assert code in (2, 3) and want in told
    assert not ARGUMENT.search(told) and "In Python" not in told

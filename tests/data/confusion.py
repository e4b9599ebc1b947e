"""Write confusion.json: what hotcoco 1.3.0 (MIT) counts in jobs of `tide.mixed`. Run it where that is installed."""

import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

CASES = ((0.5, None), (0.5, 0.4), (0.3, 0.6))


def matrix(truth, results, iou, least):
    import hotcoco

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("truth.json", "guess.json")]
        for path, rows in zip(paths, (truth, results), strict=True):
            path.write_text(json.dumps(rows))
        known = hotcoco.COCO(str(paths[0]))
        scored = hotcoco.COCOeval(known, known.load_res(str(paths[1])), "bbox")
        return scored.confusion_matrix(iou_thr=iou, min_score=least)["matrix"].astype(int).tolist()


if __name__ == "__main__":
    import tide

    answers = [
        {"seed": seed, "iou": iou, "min_score": least, "matrix": matrix(*tide.mixed(seed), iou, least)}
        for seed in range(5)
        for iou, least in CASES
    ]
    (HERE / "confusion.json").write_text("[\n" + ",\n".join(map(json.dumps, answers)) + "\n]\n")

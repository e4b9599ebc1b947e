"""Files of every kind that the examples of the command line name: small, and the same each time."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

NAMES = ("person", "car", "dog")
WIDTH, HEIGHT = 96, 64
IMAGES = {**{k: f"{k:03}.png" for k in range(1, 12)}, 139: "000139.jpg"}
"""Ids and file names."""


def build(folder: Path) -> None:
    """Write them all."""
    rng = np.random.default_rng(17)
    truth = _truth(rng)
    guess = _guess(truth, rng, 1.5)
    _coco(folder, truth, guess, rng)
    _parts(folder, truth, guess)
    _tables(folder, rng)
    _maps(folder, rng)
    _pictures(folder, rng)
    _voc_and_yolo(folder, truth, guess)
    _annotators(folder, truth, rng)
    _panoptic(folder)
    _volumes(folder)
    _shards(folder)


def linked(made: Path, folder: Path) -> None:
    """The same files in another folder, at the price of their names: whoever changes one puts another in its place.

    So do all writers of the library. A test that writes into a file by other means must take the link away before.
    """
    shutil.copytree(made, folder, copy_function=os.link)


@contextlib.contextmanager
def unchanged(folder: Path) -> Iterator[Path]:
    """Nobody has written into what was lent."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    yield folder
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def page(found, folder: Path) -> tuple[str, ...]:
    """Instead of the report of a demo, which takes seconds; `vesica.cli.demo._report` is like it."""
    (folder / "report.html").write_text("<!doctype html>", "utf-8")
    return ()


def _put(path: Path, value) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


def _truth(rng) -> dict:
    rows = []
    for image in IMAGES:
        for _ in range(rng.integers(2, 6)):
            width, height = rng.integers(8, 40), rng.integers(8, 40)
            x, y = rng.integers(0, WIDTH - width), rng.integers(0, HEIGHT - height)
            rows.append(_row(len(rows) + 1, image, rng.integers(1, 4), [x, y, width, height]))
    images = [{"id": id, "width": WIDTH, "height": HEIGHT, "file_name": name} for id, name in IMAGES.items()]
    return {
        "images": images,
        "categories": [{"id": k + 1, "name": name} for k, name in enumerate(NAMES)],
        "annotations": rows,
    }


def _row(id, image, category, box) -> dict:
    x, y, width, height = (float(side) for side in box)
    outline = [x, y, x + width, y, x + width, y + height, x, y + height]
    return {
        "id": int(id),
        "image_id": int(image),
        "category_id": int(category),
        "bbox": [x, y, width, height],
        "area": width * height,
        "iscrowd": 0,
        "segmentation": [outline],
    }


def _moved(rows, rng, by) -> list:
    """The boxes of rows, a little off, and inside their image."""
    found = []
    for row in rows:
        box = np.array(row["bbox"]) + rng.normal(0, by, 4)
        x, y = np.clip(box[:2], 0, (WIDTH - 5, HEIGHT - 5)).round(1)
        width, height = np.clip(box[2:], 4, (WIDTH - x, HEIGHT - y)).round(1)
        found.append([x, y, width, height])
    return found


def _guess(truth, rng, by) -> list:
    rows = []
    for row, box in zip(truth["annotations"], _moved(truth["annotations"], rng, by), strict=True):
        if rng.random() < 0.1:
            continue
        made = _row(1, row["image_id"], row["category_id"], box)
        kept = {name: made[name] for name in ("image_id", "category_id", "bbox", "segmentation")}
        rows.append(kept | {"score": round(float(rng.uniform(0.3, 1)), 3)})
    return rows


def _coco(folder, truth, guess, rng) -> None:
    _put(folder / "truth.json", truth)
    _put(folder / "guess.json", guess)
    _put(folder / "results.json", [{k: v for k, v in row.items() if k != "segmentation"} for row in guess])
    for name, by in (("yesterday", 3), ("today", 1), ("base", 2.5), ("small", 3.5), ("large", 0.8), ("new", 1.2)):
        _put(folder / f"{name}.json", _guess(truth, rng, by))
    corners = [row | {"bbox": _corners(row["bbox"])} for row in guess]
    _put(folder / "corners.json", [{k: v for k, v in row.items() if k != "segmentation"} for row in corners])
    halves = "".join(f"{k},{'day' if k % 2 else 'night'}\n" for k in IMAGES)
    _put(folder / "meta.csv", f"image,light\n{halves}")
    _put(folder / "found.csv", "image,class,score,x1,y1,x2,y2\n7,cat,0.5,10,20,40,60\n8,dog,0.9,1.5,2,3,4\n")
    named = [
        ",".join(
            map(str, [IMAGES[row["image_id"]], NAMES[row["category_id"] - 1], row["score"], *_corners(row["bbox"])])
        )
        for row in guess
    ]
    _put(folder / "model.csv", "\n".join(["image,class,score,x1,y1,x2,y2", *named, ""]))
    runs = [{"size": [5, 5], "counts": counts} for counts in ([7, 1, 3, 3, 3, 1, 7], [11, 3, 11])]
    _put(folder / "runs_a.json", [{"id": 1, "segmentation": runs[0]}])
    _put(folder / "runs_b.json", [{"id": 1, "segmentation": runs[1]}])
    masks = [
        {"image_id": 1, "category_id": 1, "score": score, "segmentation": run}
        for score, run in zip((0.9, 0.8), runs, strict=True)
    ]
    _put(folder / "mask_results.json", masks)


def _corners(box) -> list:
    return [box[0], box[1], round(box[0] + box[2], 1), round(box[1] + box[3], 1)]


def _parts(folder, truth, guess) -> None:
    """Records of halves, of several processes, of two models, and of one with details."""
    import vesica

    half = len(IMAGES) // 2
    for number, ids in ((1, [*IMAGES][:half]), (2, [*IMAGES][half:])):
        part = truth | {
            "images": [one for one in truth["images"] if one["id"] in ids],
            "annotations": [one for one in truth["annotations"] if one["image_id"] in ids],
        }
        _put(folder / f"part{number}_truth.json", part)
        _put(folder / f"part{number}_guess.json", [one for one in guess if one["image_id"] in ids])
        found = vesica.evaluate(folder / f"part{number}_truth.json", folder / f"part{number}_guess.json")
        data = found.records.to_bytes()
        for name in (f"part{number}", f"rank{number}", f"parts/{number}"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / f"{name}.records").write_bytes(data)
    for name in ("base", "new"):
        found = vesica.evaluate(folder / "truth.json", folder / f"{name}.json")
        (folder / f"{name}.records").write_bytes(found.records.to_bytes())
    found = vesica.evaluate(folder / "truth.json", folder / "guess.json", details=True)
    (folder / "run.records").write_bytes(found.records.to_bytes())
    for name in ("monday", "tuesday"):
        _put(folder / f"{name}.json", found.to_dict())


def _tables(folder, rng) -> None:
    boxes = np.array([[1, 2, 8, 9], [3, 3, 20, 22], [5, 6, 30, 31], [2, 2, 9, 9]])
    moved = boxes + [0, 1, 1, 0]
    np.save(folder / "truth.npy", boxes)
    np.save(folder / "guess.npy", moved)
    np.save(folder / "all.npy", np.concatenate([boxes, moved]))
    for name, rows in (("truth", boxes), ("guess", moved)):
        _put(folder / f"{name}.csv", "".join(",".join(map(str, row)) + "\n" for row in rows.tolist()))
    for name, angle in (("a", 0), ("b", 30)):
        _put(folder / f"{name}.csv", f"10,10,8,4,{angle}\n30,20,6,6,{angle}\n")
    masks = np.zeros((2, 10, 12), bool)
    masks[0, 2:6, 2:8], masks[1, 5:9, 4:10] = True, True
    np.save(folder / "masks.npy", masks)
    np.save(folder / "soft.npy", np.where(masks, 0.9, 0.1))
    np.savez(folder / "guess.npz", soft=np.where(masks, 0.75, 0.25), hard=masks)
    _put(folder / "boxes.csv", "2,2,8,6\n0,0,4,4\n")
    scored = np.column_stack([np.concatenate([boxes, moved]).astype(float), np.linspace(0.9, 0.2, 8).round(1)])
    np.save(folder / "detections.npy", scored)
    _put(folder / "detections.csv", "".join(",".join(map(str, row)) + "\n" for row in scored.tolist()))


def _maps(folder, rng) -> None:
    """Label maps in folders and arrays, those of Cityscapes, and thin shapes."""
    from PIL import Image

    _put(folder / "names.txt", "road\nsky\ncar\n")
    stacks: dict[str, list] = {"truth": [], "guess": []}
    for number in range(3):
        truth = np.repeat(np.repeat(rng.integers(0, 3, (4, 6)), 6, 0), 6, 1).astype(np.uint8)
        guess = np.where(rng.random(truth.shape) < 0.08, (truth + 1) % 3, truth).astype(np.uint8)
        for name in ("old_maps", "new_maps"):
            (folder / name).mkdir(exist_ok=True)
            Image.fromarray(guess).save(folder / name / f"{number}.png")
        for name, labels in (("truth", truth), ("guess", guess)):
            stacks[name].append(labels)
            shown = labels.copy()
            if name == "truth":
                shown[0, :4] = 255
            (folder / name).mkdir(exist_ok=True)
            Image.fromarray(shown).save(folder / name / f"{number}.png")
        city = folder / "gtFine" / "val" / "ulm"
        city.mkdir(parents=True, exist_ok=True)
        (folder / "results").mkdir(exist_ok=True)
        ids = np.array([7, 23, 26], np.uint8)  # road, sky and car of Cityscapes
        Image.fromarray(ids[truth]).save(city / f"ulm_{number}_gtFine_labelIds.png")
        Image.fromarray(ids[guess]).save(folder / "results" / f"ulm_{number}_pred.png")
        for name, gap in (("truth", 0), ("guess", 5)):
            vessel = np.zeros((24, 40), np.uint8)
            vessel[10:13, 2:38] = 1
            vessel[:, 18 : 18 + gap] = 0
            place = folder / "vessels" / name
            place.mkdir(parents=True, exist_ok=True)
            Image.fromarray(vessel).save(place / f"{number}.png")
    np.save(folder / "maps_a.npy", np.stack(stacks["truth"]))
    np.save(folder / "maps_b.npy", np.stack(stacks["guess"]))
    Image.fromarray(np.uint8([[1, 1, 0], [1, 2, 255], [0, 2, 2]])).save(folder / "truth.png")
    Image.fromarray(np.uint8([[1, 1, 0], [0, 2, 2], [0, 3, 2]])).save(folder / "guess.png")


def _pictures(folder, rng) -> None:
    from PIL import Image

    for place in ("pictures", "photographs"):
        (folder / place).mkdir()
        for name in IMAGES.values():
            grey = rng.integers(0, 255, (HEIGHT, WIDTH), dtype=np.uint8)
            Image.fromarray(grey).convert("RGB").save(folder / place / name)
    for number in range(3):  # of the label maps
        grey = rng.integers(0, 255, (24, 36), dtype=np.uint8)
        Image.fromarray(grey).convert("RGB").save(folder / "photographs" / f"{number}.png")


def _yolo_line(row) -> str:
    x, y, width, height = row["bbox"]
    shares = (x + width / 2) / WIDTH, (y + height / 2) / HEIGHT, width / WIDTH, height / HEIGHT
    return " ".join([str(row["category_id"] - 1), *(f"{share:.6f}" for share in shares)])


def _voc_and_yolo(folder, truth, guess) -> None:
    _put(folder / "data.yaml", "names: [person, car, dog]\n")
    for id, name in IMAGES.items():
        lines = [f"{_yolo_line(row)} {row['score']}\n" for row in guess if row["image_id"] == id]
        _put(folder / "guesses" / f"{Path(name).stem}.txt", "".join(lines))
    for image in truth["images"]:
        rows = [row for row in truth["annotations"] if row["image_id"] == image["id"]]
        stem = Path(image["file_name"]).stem
        _put(folder / "labels" / f"{stem}.txt", "".join(f"{_yolo_line(row)}\n" for row in rows))
        objects = "".join(
            f"<object><name>{NAMES[row['category_id'] - 1]}</name><bndbox><xmin>{row['bbox'][0] + 1:g}</xmin>"
            f"<ymin>{row['bbox'][1] + 1:g}</ymin><xmax>{row['bbox'][0] + row['bbox'][2]:g}</xmax>"
            f"<ymax>{row['bbox'][1] + row['bbox'][3]:g}</ymax></bndbox></object>"
            for row in rows
        )
        _put(
            folder / "Annotations" / f"{stem}.xml",
            f"<annotation><filename>{image['file_name']}</filename><size><width>{WIDTH}</width><height>{HEIGHT}</height>"
            f"<depth>3</depth></size>{objects}</annotation>",
        )


def _annotators(folder, truth, rng) -> None:
    """Three people: as COCO, YOLO, CVAT and Label Studio."""
    drawn = {}
    for name, by in (("ann", 0.5), ("ben", 1.5), ("cleo", 1.0), ("expert", 0.2)):
        boxes = _moved(truth["annotations"], rng, by)
        rows = [
            _row(row["id"], row["image_id"], row["category_id"], box)
            for row, box in zip(truth["annotations"], boxes, strict=True)
            if rng.random() < 0.95
        ]
        drawn[name] = rows
        _put(folder / f"{name}.json", truth | {"annotations": rows})
    for round_, name in (("round1", "ann"), ("round2", "ben")):
        for image in truth["images"]:
            own = [row for row in drawn[name] if row["image_id"] == image["id"]]
            stem = Path(image["file_name"]).stem
            _put(folder / round_ / "labels" / f"{stem}.txt", "".join(f"{_yolo_line(row)}\n" for row in own))
    for name in ("ann", "ben"):
        _put(folder / f"{name}.xml", _cvat(truth, drawn[name]))
    signed = [row | {"created_by": name} for name in ("ann", "ben") for row in drawn[name]]
    _put(folder / "signed.json", truth | {"annotations": [row | {"id": k + 1} for k, row in enumerate(signed)]})
    asked = "".join(f"{image['id']},{name}\n" for image in truth["images"] for name in ("ann", "ben"))
    _put(folder / "asked.csv", f"image,annotator\n{asked}")
    _put(folder / "export.json", [_task(image, drawn) for image in truth["images"]])


def _cvat(truth, rows) -> str:
    images = []
    for image in truth["images"]:
        boxes = "".join(
            f'<box label="{NAMES[row["category_id"] - 1]}" occluded="0" xtl="{row["bbox"][0]:.2f}" '
            f'ytl="{row["bbox"][1]:.2f}" xbr="{row["bbox"][0] + row["bbox"][2]:.2f}" '
            f'ybr="{row["bbox"][1] + row["bbox"][3]:.2f}" z_order="0"></box>'
            for row in rows
            if row["image_id"] == image["id"]
        )
        images.append(
            f'<image id="{image["id"]}" name="{image["file_name"]}" width="{WIDTH}" height="{HEIGHT}">{boxes}</image>'
        )
    return f"<annotations><version>1.1</version>{''.join(images)}</annotations>"


def _task(image, drawn) -> dict:
    annotations = []
    for number, name in enumerate(("ann", "ben", "cleo"), 1):
        results = [
            {
                "type": "rectanglelabels",
                "from_name": "label",
                "to_name": "image",
                "original_width": WIDTH,
                "original_height": HEIGHT,
                "value": {
                    "x": 100 * row["bbox"][0] / WIDTH,
                    "y": 100 * row["bbox"][1] / HEIGHT,
                    "width": 100 * row["bbox"][2] / WIDTH,
                    "height": 100 * row["bbox"][3] / HEIGHT,
                    "rotation": 0,
                    "rectanglelabels": [NAMES[row["category_id"] - 1]],
                },
            }
            for row in drawn[name]
            if row["image_id"] == image["id"]
        ]
        annotations.append({"id": 100 * image["id"] + number, "completed_by": number, "result": results})
    return {"id": image["id"], "data": {"image": image["file_name"]}, "annotations": annotations}


def _panoptic(folder) -> None:
    import vesica

    truth = {1: ([[1, 1, 1, 2], [1, 1, 1, 2]], {1: 17, 2: 3}), 2: ([[1, 1, 2, 2]], {1: 3, 2: 17})}
    guess = {1: ([[5, 5, 5, 5], [5, 5, 6, 6]], {5: 17, 6: 3}), 2: ([[1, 1, 2, 2]], {1: 3, 2: 17})}
    kinds = {17: "cat", 3: "grass"}
    vesica.write_panoptic(folder / "panoptic.json", truth, categories=kinds, things=[17])
    vesica.write_panoptic(folder / "panoptic_guess.json", guess, categories=kinds, things=[17])
    (folder / "panoptic_guess").rename(folder / "guess_maps")


def _volumes(folder) -> None:
    """NIfTI, where nibabel is there."""
    try:
        import nibabel
    except ModuleNotFoundError:
        return
    for name, end in (("truth", 6), ("guess", 7)):
        volume = np.zeros((8, 12, 12), np.uint8)
        volume[2:end, 3:9, 3:9] = 1
        (folder / "ct" / name).mkdir(parents=True)
        nibabel.save(nibabel.Nifti1Image(volume, np.diag([2.0, 1.0, 1.0, 1.0])), folder / "ct" / name / "case1.nii.gz")


def _shards(folder) -> None:
    """The same files in parts: pairs of COCO, and where pyarrow is there Parquet with both sides, or all annotators."""
    import vesica

    place = folder / "parts"
    _put(folder / "images.txt", "".join(f"{id}\n" for id in IMAGES))
    sides = {name: json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("guess", "base", "new")}
    for number in (1, 2):
        truth = json.loads((folder / f"part{number}_truth.json").read_text("utf-8"))
        ids = {one["id"] for one in truth["images"]}
        _put(place / f"{number}_truth.json", truth)
        for name, rows in sides.items():
            _put(place / f"{number}_{name}.json", [row for row in rows if row["image_id"] in ids])
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError:
        return
    (folder / "rounds").mkdir()
    people = {name: vesica.read(folder / f"{name}.json", masks=False) for name in ("ann", "ben")}
    marked = vesica.Dataset.of_annotators(people).to_arrow()
    half = len(marked) // 2
    for number, own in ((1, marked.slice(0, half)), (2, marked.slice(half))):
        parquet.write_table(own, folder / "rounds" / f"{number}.parquet")
        table = vesica.read(place / f"{number}_truth.json").to_arrow()
        guess = vesica.read(place / f"{number}_guess.json").to_arrow()
        found = {row["image_id"]: row["guess"] for row in guess.to_pylist()}
        rows = [found.get(one, []) for one in table.column("image_id").to_pylist()]
        both = table.append_column("guess", pyarrow.array(rows, guess.schema.field("guess").type))
        parquet.write_table(both, place / f"part-0000{number - 1}.parquet")

"""Guesses of models that have learned little, or nothing: their files are sound."""

from __future__ import annotations

import numpy as np

from damages import clipped

KINDS = {}


def kind(make):
    KINDS[make.__name__] = make
    return make


def guesses(name, truth, seed):
    """What such a model says of the images of a truth, as results of COCO."""
    return KINDS[name](np.random.default_rng(seed), truth, [one["id"] for one in truth["categories"]])


def _row(rng, image, category, box, digits=2):
    box = clipped(box, image["width"], image["height"], digits)
    return {"image_id": image["id"], "category_id": int(category), "bbox": box, "score": float(rng.random())}


def _anywhere(rng, image):
    w, h = rng.uniform(5, image["width"]), rng.uniform(5, image["height"])
    return [rng.uniform(0, image["width"] - w), rng.uniform(0, image["height"] - h), w, h]


def _of_image(truth):
    found = {image["id"]: [] for image in truth["images"]}
    for one in truth["annotations"]:
        found[one["image_id"]].append(one)
    return [(image, found[image["id"]]) for image in truth["images"]]


@kind
def boxes_anywhere(rng, truth, kinds):
    return [_row(rng, image, rng.choice(kinds), _anywhere(rng, image)) for image in truth["images"] for _ in range(20)]


@kind
def whole_images(rng, truth, kinds):
    return [
        _row(rng, image, rng.choice(kinds), [0, 0, image["width"], image["height"]])
        for image in truth["images"]
        for _ in range(8)
    ]


@kind
def whole_images_of_one_kind(rng, truth, kinds):
    return [_row(rng, image, kinds[-1], [0, 0, image["width"], image["height"]]) for image in truth["images"]]


@kind
def whole_numbers_anywhere(rng, truth, kinds):
    return [
        _row(rng, image, rng.choice(kinds), _anywhere(rng, image), 0) for image in truth["images"] for _ in range(20)
    ]


@kind
def the_middle(rng, truth, kinds):
    def middle(image):
        w, h = image["width"] * rng.uniform(0.3, 0.9), image["height"] * rng.uniform(0.3, 0.9)
        return [(image["width"] - w) / 2, (image["height"] - h) / 2, w, h]

    return [_row(rng, image, rng.choice(kinds), middle(image)) for image in truth["images"] for _ in range(10)]


@kind
def right_boxes_of_one_kind(rng, truth, kinds):
    return [_row(rng, image, kinds[-1], one["bbox"]) for image, own in _of_image(truth) for one in own]


@kind
def right_boxes_of_any_kind(rng, truth, kinds):
    return [_row(rng, image, rng.choice(kinds), one["bbox"]) for image, own in _of_image(truth) for one in own]


@kind
def far_off(rng, truth, kinds):
    def moved(x, y, w, h):
        return [
            x + rng.normal(0, 0.5) * w,
            y + rng.normal(0, 0.5) * h,
            w * rng.uniform(0.4, 2),
            h * rng.uniform(0.4, 2),
        ]

    return [
        _row(rng, image, one["category_id"] if rng.random() < 0.5 else rng.choice(kinds), moved(*one["bbox"]))
        for image, own in _of_image(truth)
        for one in own
    ]


@kind
def too_large(rng, truth, kinds):
    return [
        _row(rng, image, one["category_id"], [one["bbox"][0] - one["bbox"][2] / 4, one["bbox"][1] - one["bbox"][3] / 4,
                                              one["bbox"][2] * 1.5, one["bbox"][3] * 1.5])
        for image, own in _of_image(truth)
        for one in own
    ]  # fmt: skip


@kind
def finds_little(rng, truth, kinds):
    every = [(image, one) for image, own in _of_image(truth) for one in own]
    found = [_row(rng, image, one["category_id"], one["bbox"]) for image, one in every if rng.random() < 0.05]
    return found + boxes_anywhere(rng, truth, kinds)


@kind
def outside(rng, truth, kinds):
    def box(image):
        return [float(one) for one in rng.normal(0, image["width"], 2)] + [float(one) for one in rng.uniform(1, 400, 2)]

    return [
        {
            "image_id": image["id"],
            "category_id": int(rng.choice(kinds)),
            "bbox": box(image),
            "score": float(rng.random()),
        }
        for image in truth["images"]
        for _ in range(10)
    ]


@kind
def tiny(rng, truth, kinds):
    def box(image):
        return [rng.uniform(0, 3), rng.uniform(0, 3), rng.uniform(2, 4), rng.uniform(2, 4)]

    return [_row(rng, image, rng.choice(kinds), box(image)) for image in truth["images"] for _ in range(10)]


@kind
def nothing(rng, truth, kinds):
    return []

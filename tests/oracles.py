"""Slow answers that a beginner can read. Nothing here comes from vesica."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np


def area(box):
    x1, y1, x2, y2 = (Fraction(v) for v in box)
    return (x2 - x1) * (y2 - y1)


def inter(a, b):
    w = min(Fraction(a[2]), Fraction(b[2])) - max(Fraction(a[0]), Fraction(b[0]))
    h = min(Fraction(a[3]), Fraction(b[3])) - max(Fraction(a[1]), Fraction(b[1]))
    return max(w, Fraction(0)) * max(h, Fraction(0))


def union(a, b):
    return area(a) + area(b) - inter(a, b)


def ratio(num, den, empty=0):
    return Fraction(empty) if den == 0 else Fraction(num) / Fraction(den)


def hull(a, b):
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def iou(a, b):
    """In exact fractions, whatever the numbers."""
    return ratio(inter(a, b), union(a, b))


def dice(a, b):
    return ratio(2 * inter(a, b), area(a) + area(b))


def coverage(a, b):
    return ratio(inter(a, b), area(a))


def overlap(a, b):
    return ratio(inter(a, b), min(area(a), area(b)))


def tversky(a, b, alpha, beta):
    shared = inter(a, b)
    alpha, beta = Fraction(alpha), Fraction(beta)
    return ratio(shared, shared + alpha * (area(a) - shared) + beta * (area(b) - shared))


def giou(a, b):
    around = area(hull(a, b))
    return iou(a, b) - ratio(around - union(a, b), around)


def diou(a, b):
    x1, y1, x2, y2 = (Fraction(v) for v in hull(a, b))
    dx = (Fraction(a[0]) + Fraction(a[2]) - Fraction(b[0]) - Fraction(b[2])) / 2
    dy = (Fraction(a[1]) + Fraction(a[3]) - Fraction(b[1]) - Fraction(b[3])) / 2
    return iou(a, b) - ratio(dx**2 + dy**2, (x2 - x1) ** 2 + (y2 - y1) ** 2)


def ciou(a, b):
    shape_a = math.atan2(a[2] - a[0], a[3] - a[1])
    shape_b = math.atan2(b[2] - b[0], b[3] - b[1])
    v = 4 / math.pi**2 * (shape_a - shape_b) ** 2
    k = v / (1 - float(iou(a, b)) + v) if v else 0.0
    return float(diou(a, b)) - k * v


def eiou(a, b):
    x1, y1, x2, y2 = (Fraction(v) for v in hull(a, b))
    w = Fraction(a[2]) - Fraction(a[0]) - Fraction(b[2]) + Fraction(b[0])
    h = Fraction(a[3]) - Fraction(a[1]) - Fraction(b[3]) + Fraction(b[1])
    return diou(a, b) - ratio(w**2, (x2 - x1) ** 2) - ratio(h**2, (y2 - y1) ** 2)


def distance(a, b):
    return 1 - iou(a, b)


def squares(box, size):
    """The pixels of a box with whole-number corners, as a set: counting, not geometry."""
    x1, y1, x2, y2 = box
    return {(x, y) for x in range(size) for y in range(size) if x1 <= x < x2 and y1 <= y < y2}


def rotated_polygon(row):
    """A shapely polygon of cx, cy, w, h, angle in radians, turning +x towards +y."""
    import shapely

    cx, cy, w, h, angle = row
    c, s = math.cos(angle), math.sin(angle)
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return shapely.Polygon([(cx + i * w / 2 * c - j * h / 2 * s, cy + i * w / 2 * s + j * h / 2 * c) for i, j in signs])


def rotated_iou(a, b):
    p, q = rotated_polygon(a), rotated_polygon(b)
    shared = p.intersection(q).area
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)


def matrix(measure, a, b, **options):
    """Every pair, one by one."""
    return np.array([[float(measure(x, y, **options)) for y in b] for x in a]).reshape(len(a), len(b))


def area_inside(stack: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """The area of each mask inside each box, pixel by pixel."""
    answer = np.zeros((len(stack), len(boxes)))
    n, y, x = np.nonzero(stack)
    for k, (x1, y1, x2, y2) in enumerate(boxes):
        w, h = np.minimum(x2, x + 1) - np.maximum(x1, x), np.minimum(y2, y + 1) - np.maximum(y1, y)
        np.add.at(answer[:, k], n, np.maximum(w, 0) * np.maximum(h, 0))
    return answer


def shared_pixels(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The pixels that each two masks share."""
    return np.array([[np.count_nonzero((x != 0) & (y != 0)) for y in b] for x in a], np.int64).reshape(len(a), len(b))


def even_odd(rings):
    """The area inside an odd number of rings, by shapely: those faces of the arrangement of all edges whose inner point
    sees an odd number of edges to its right."""
    from shapely import LineString, coverage_union_all, get_x, get_y, point_on_surface, polygonize, union_all

    rings = [np.asarray(ring, np.float64) for ring in rings]
    faces = np.array(polygonize([union_all([LineString([*ring, ring[0]]) for ring in rings])]).geoms)
    inner = point_on_surface(faces)
    x, y = get_x(inner), get_y(inner)
    seen = np.zeros(len(faces), int)
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring.tolist(), np.roll(ring, -1, axis=0).tolist(), strict=True):
            crossed = (y0 <= y) != (y1 <= y)
            seen[crossed] += x0 + (y[crossed] - y0) * (x1 - x0) / (y1 - y0) > x[crossed]
    return coverage_union_all(faces[seen % 2 == 1])  # which share edges, and nothing else


def polygon(parts):
    """Parts of rings, united, by shapely."""
    from shapely import union_all

    return union_all([even_odd(rings) for rings in parts])


def met(a, b):
    """How many pixels have each pair of labels, one by one."""
    counts = {}
    for row_a, row_b in zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True):
        for pair in zip(row_a, row_b, strict=True):
            counts[pair] = counts.get(pair, 0) + 1
    return counts


def jaccard(a, b):
    """Of two Python sets."""
    return ratio(len(a & b), len(a | b))


def best_first(scores):
    """Rows by falling score, equal ones by rising index."""
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))


def nms(suppresses, scores, keys=None, min_score=-math.inf):
    """Kept rows and who suppressed each: `suppresses(kept, other)` says whether a kept one does."""
    kept, by = [], [-1] * len(scores)
    for i in best_first(scores):
        if scores[i] < min_score:
            continue
        for k in kept:
            if (keys is None or keys[k] == keys[i]) and suppresses(k, i):
                by[i] = k
                break
        else:
            kept.append(i)
    return kept, by


def shape_iou(a, b):
    """Of two shapes (width, height) that share their centre."""
    shared = min(a[0], b[0]) * min(a[1], b[1])
    return shared / (a[0] * a[1] + b[0] * b[1] - shared)


def clusters(shapes, k, seed, middle, rounds=300):
    """k-means of shapes by the IoU, in loops: sizes by area, their counts, the mean IoU, the rounds it took."""
    draw = random.Random(seed).random
    centres = [shapes[int(draw() * len(shapes))]]
    while len(centres) < k:
        reach = list(itertools.accumulate(min(1 - shape_iou(s, c) for c in centres) for s in shapes))
        target = draw() * reach[-1]
        centres.append(shapes[next(i for i, r in enumerate(reach) if r > target)])

    best, before, turn = None, None, 0
    while turn < rounds:
        turn += 1
        nearness = [[shape_iou(s, c) for c in centres] for s in shapes]
        owner = [row.index(max(row)) for row in nearness]
        mean = math.fsum(map(max, nearness)) / len(shapes)
        if best is None or mean > best[0]:
            best = mean, centres, [owner.count(c) for c in range(k)]
        if owner == before:
            break
        before = owner
        members = [[s for s, o in zip(shapes, owner, strict=True) if o == c] for c in range(k)]
        assert all(members), "this oracle knows no empty clusters"
        centres = [tuple(middle([s[axis] for s in group]) for axis in (0, 1)) for group in members]
    mean, centres, counts = best
    order = sorted(range(k), key=lambda c: centres[c][0] * centres[c][1])
    return [centres[c] for c in order], [counts[c] for c in order], mean, turn


def assigned(anchors, truths, positive, negative, low_quality):
    """Max-IoU assignment from the whole matrix, in exact fractions."""
    table = [[iou(a, t) for t in truths] for a in anchors]
    answer = []
    for row in table:
        highest = max(row, default=Fraction(0))
        attains = any(v > 0 and v == max(other[j] for other in table) for j, v in enumerate(row))
        if highest >= positive or (low_quality and attains):
            answer.append(row.index(highest))
        else:
            answer.append(-1 if highest < negative else -2)
    return answer


def siou(a, b):
    """As its paper has it, with the angle as an angle."""
    dx, dy = (abs(float(Fraction(b[k]) + b[k + 2] - Fraction(a[k]) - a[k + 2])) / 2 for k in (0, 1))
    around = hull(a, b)
    distance = math.hypot(dx, dy)
    angle = 1 - 2 * math.sin(math.asin(min(dy / distance, 1)) - math.pi / 4) ** 2 if distance else 0.0
    cost = 0.0
    for k, way in ((0, dx), (1, dy)):
        side, side_a, side_b = (float(Fraction(box[k + 2]) - Fraction(box[k])) for box in (around, a, b))
        cost += 1 - math.exp(-(2 - angle) * (way / side) ** 2) if side else 0.0
        cost += (1 - math.exp(-abs(side_a - side_b) / max(side_a, side_b))) ** 4 if max(side_a, side_b) else 0.0
    return float(iou(a, b)) - cost / 2


def lovasz(errors, truth):
    """By definition: walk down the errors, each times what its pixel adds to the Jaccard distance."""
    wanted = {k for k, is_set in enumerate(truth) if is_set}
    wrong, before, total = set(), Fraction(0), 0.0
    for k in sorted(range(len(errors)), key=lambda k: -errors[k]):
        wrong.add(k)
        guess = wanted ^ wrong
        after = 1 - ratio(len(guess & wanted), len(guess | wanted), empty=1)
        total, before = total + errors[k] * float(after - before), after
    return total


def soft_picks(scores, overlap, weaken, min_score, keys=None):
    """Soft-NMS as its authors tell it: [(row, score)], in the order of the picks.

    overlap(i, j) is the measure of the taken i with j, and weaken(m) what it leaves of a score, 1 for all of it.
    """
    left = {i: float(s) for i, s in enumerate(scores) if s >= min_score}
    picks = []
    while left:
        best = min(left, key=lambda i: (-left[i], i))
        picks.append((best, left.pop(best)))
        for i in list(left):
            if keys is None or keys[i] == keys[best]:
                left[i] *= weaken(overlap(best, i))
                if left[i] < min_score:
                    del left[i]
    return picks


def fused_clusters(boxes, scores, models, weights, t, keys):
    """Weighted box fusion in plain floats: [(members, box, score)], the oldest cluster first; t is a fraction."""
    strength = [weights[m] * s for m, s in zip(models, scores, strict=True)]

    def mean(rows):
        shares = [strength[k] for k in rows] if any(strength[k] for k in rows) else [1.0] * len(rows)
        return [sum(s * boxes[k][c] for s, k in zip(shares, rows, strict=True)) / sum(shares) for c in range(4)]

    clusters = []
    for row in sorted(range(len(boxes)), key=lambda k: (-strength[k], models[k], k)):
        best, most = None, 0.0
        for members in clusters:
            a, b = mean(members), boxes[row]
            w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            shared = max(w, 0.0) * max(h, 0.0)
            all_of_it = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
            meets = keys[members[0]] == keys[row] and shared * t.denominator > all_of_it * t.numerator
            if meets and shared / all_of_it > most:
                best, most = members, shared / all_of_it
        if best is None:
            clusters.append([row])
        else:
            best.append(row)

    answer = []
    for members in clusters:
        mean_score = sum(strength[k] for k in members) / sum(weights[models[k]] for k in members)
        voted = sum(weights[m] for m in sorted({models[k] for k in members}))
        score = min(mean_score, max(scores[k] for k in members)) * (voted / sum(weights))
        answer.append((members, mean(members), score))
    return answer


def connected_groups(count, linked):
    """Of each row the lowest row that it hangs together with."""
    group = [-1] * count
    for start in range(count):
        todo = [start] if group[start] < 0 else []
        while todo:
            row = todo.pop()
            group[row] = start
            todo += [k for k in range(count) if group[k] < 0 and (linked(row, k) or linked(k, row))]
    return group

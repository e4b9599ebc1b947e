"""The area shared by two rotated boxes: an integral, without clipping and without epsilons.

In the frame of the smaller box, with its sides along the axes, the other box is a parallelogram. Walking along its
edges, sum the integral of y over x, with x clamped to the width of the smaller box and y to its height: what the upper
edges enclose minus what the lower ones do is the shared area. Each step is homogeneous in length, so scale cannot
matter, and every division is by a length that is not 0.
"""

from __future__ import annotations

from vesica._array import Array, namespace, stop_gradient


def inter(a: Array, b: Array) -> Array:
    """Rows of cx, cy, w, h, angle, cos, sin on the last axis, broadcast against each other."""
    xp = namespace(a)
    a, b = xp.broadcast_arrays(a, b)
    first = [b[..., k] for k in range(7)]
    second = [a[..., k] for k in range(7)]
    swap = _comes_first(second, first)
    frame = [xp.where(swap, s, f) for f, s in zip(first, second, strict=True)]
    other = [xp.where(swap, f, s) for f, s in zip(first, second, strict=True)]
    return _inside(frame, other)


def _comes_first(a: list[Array], b: list[Array]) -> Array:
    """Is a the smaller one? Ties are broken by value, so that (a, b) and (b, a) do the same arithmetic."""
    order = [(a[2] * a[3], b[2] * b[3]), *((a[k], b[k]) for k in (2, 3, 0, 1, 4))]
    less, equal = order[0][0] < order[0][1], order[0][0] == order[0][1]
    for left, right in order[1:]:
        less, equal = less | (equal & (left < right)), equal & (left == right)
    return less


def _inside(frame: list[Array], other: list[Array]) -> Array:
    """The area of `other` inside `frame`, which is not larger."""
    xp = namespace(frame[0])
    cx, cy, w, h, angle, cos, sin = frame
    # Centres are subtracted before anything is turned: large coordinates cancel.
    dx, dy = other[0] - cx, other[1] - cy
    ox, oy = dx * cos + dy * sin, dy * cos - dx * sin
    c, s = other[5] * cos + other[6] * sin, other[6] * cos - other[5] * sin
    # Equal angles must leave exactly (1, 0), so that a box is exactly itself; the gradient flows all the same.
    parallel = angle == other[4]
    c = xp.where(parallel, 1 + (c - stop_gradient(c)), c)
    s = xp.where(parallel, s - stop_gradient(s), s)
    ux, uy, vx, vy = c * (other[2] / 2), s * (other[2] / 2), -s * (other[3] / 2), c * (other[3] / 2)
    corners = [
        (ox - ux - vx, oy - uy - vy),
        (ox + ux - vx, oy + uy - vy),
        (ox + ux + vx, oy + uy + vy),
        (ox - ux + vx, oy - uy + vy),
    ]
    edges = [_under(p, q, w / 2, h / 2) for p, q in zip(corners, corners[1:] + corners[:1], strict=True)]
    area = 0 - ((edges[0] + edges[1]) + (edges[2] + edges[3]))
    return xp.minimum(w * h, xp.clip(area, 0, None))


def _under(p: tuple[Array, Array], q: tuple[Array, Array], half_w: Array, half_h: Array) -> Array:
    """The integral of clamp(y, ±half_h) along the edge p → q, over the part of it with |x| ≤ half_w."""
    xp = namespace(half_w)
    (px, py), (qx, qy) = p, q
    run, climb = qx - px, qy - py
    x0, x1 = _clamp(px, half_w), _clamp(qx, half_w)
    safe_run = xp.where(run == 0, xp.ones_like(run), run)
    y0 = py + xp.clip((x0 - px) / safe_run, 0.0, 1.0) * climb
    y1 = qy + xp.clip((x1 - qx) / safe_run, -1.0, 0.0) * climb
    low0, low1 = _clamp(y0, half_h), _clamp(y1, half_h)
    # The part before y enters the band, the part inside, the part after it left, as shares of the edge.
    rise = y1 - y0
    level = rise == 0
    safe_rise = xp.where(level, xp.ones_like(rise), rise)
    before = xp.clip((low0 - y0) / safe_rise, 0.0, 1.0)
    inside = (low1 - low0) / safe_rise
    after = xp.clip((y1 - low1) / safe_rise, 0.0, 1.0)
    middle = (low0 + low1) / 2
    mean = inside * middle + before * low0 + after * low1
    return (x1 - x0) * xp.where(level, middle, mean)


def _clamp(x: Array, half: Array) -> Array:
    xp = namespace(x)
    return xp.minimum(half, xp.maximum(-half, x))

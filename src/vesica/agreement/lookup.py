"""Looking up: where numbers stand in a column that is in no order."""

from __future__ import annotations

import numpy as np


def places_of(wanted: np.ndarray, codes: np.ndarray, /) -> tuple[np.ndarray, np.ndarray]:
    """The place of each wanted number among the codes, which differ; and which of the wanted are not there.

    >>> places_of(np.array([7, 5, 8]), np.array([5, 9, 7]))
    (array([ 2,  0, -1]), array([2]))
    """
    order = np.argsort(codes)
    found = np.searchsorted(codes, wanted, sorter=order)
    is_there = found < len(codes)
    is_there[is_there] = codes[order[found[is_there]]] == wanted[is_there]
    places = np.full(len(wanted), -1)
    places[is_there] = order[found[is_there]]
    return places, np.flatnonzero(~is_there)

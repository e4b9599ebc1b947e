"""Greedy matching on a CUDA device: guesses ask for their best truths at once, and who has the higher score keeps one.

Who loses a truth, or finds it taken by a better guess, asks for the next. In whatever order they ask, all end with the
truths that the walk from the best score down gives: the better of two guesses always has the first choice.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from vesica._kernels.triton.launch import in_rows, launch, on_device_of

BLOCK = 32


@triton.jit(do_not_specialize=["guesses"])
def _ask(truth, value, starts, rank, order, holder, guesses, BLOCK: tl.constexpr):
    """One guess asks until it has a truth or none is left; whom it displaces, it lets ask in its place.

    `holder` has the rank of the guess that holds each truth, or the number of guesses where none does.
    """
    NO_TRUTH: tl.constexpr = 0x7FFFFFFFFFFFFFFF
    guess = tl.program_id(0).to(tl.int64)
    last = guess * 0 - 1  # the truth that it was refused, or lost
    is_asking = 1
    while is_asking != 0:
        begin, end = tl.load(starts + guess), tl.load(starts + guess + 1)
        # What that truth was worth to it.
        nothing = tl.load(value + begin, begin < end, other=0) * 0 + float("-inf")
        worth = -nothing
        if last >= 0:
            first = begin
            while first < end:
                at = first + tl.arange(0, BLOCK)
                same = tl.load(truth + at, at < end, other=-1) == last
                found = tl.max(tl.where(same, tl.load(value + at, at < end, other=0), float("-inf")), axis=0)
                worth = tl.where(found > float("-inf"), found, worth)
                first += BLOCK
        top, wanted = nothing, guess * 0 + NO_TRUTH
        first = begin
        while first < end:
            at = first + tl.arange(0, BLOCK)
            here = tl.load(truth + at, at < end, other=-1)
            each = tl.load(value + at, at < end, other=0)
            is_next = (at < end) & ((each < worth) | ((each == worth) & (here > last)))
            best = tl.max(tl.where(is_next, each, float("-inf")), axis=0)
            if best > top:  # truths rise: the first of equals came before
                wanted = tl.min(tl.where(is_next & (each == best), here, NO_TRUTH), axis=0)
                top = best
            first += BLOCK
        if wanted == NO_TRUTH:
            is_asking = 0
        else:
            mine = tl.load(rank + guess)
            held = tl.atomic_min(holder + wanted, mine)
            last = wanted
            if held > mine:
                if held == guesses:
                    is_asking = 0
                else:
                    guess = tl.load(order + held)


def greedy(
    i: Any, j: Any, value: Any, size: tuple[int, int], scores: Any | None
) -> tuple[int, tuple[Any, Any, Any, Any, Any]]:  # fmt: skip
    """The first row whose score is NaN, or −1; and rows of truths, rows of guesses and values of the chosen pairs,
    ordered by truth, the guess of each truth and the truth of each guess, or −1. Pairs come ordered by i, then j.

    The device is waited for once, for how many pairs there are.
    """
    (n, m), there = size, value.device
    guess_of, truth_of = (torch.full((count,), -1, dtype=torch.int64, device=there) for count in size)
    bad = None if scores is None else torch.isnan(scores)
    if not value.numel():
        at = int(torch.where(bad.any(), bad.int().argmax(), -1)) if bad is not None and m else -1
        return at, (i, j, value, guess_of, truth_of)
    order = torch.arange(m, device=there)
    rank = order
    if scores is not None:
        order = torch.sort(scores + 0, descending=True, stable=True).indices  # −0 is 0
        rank = torch.empty_like(order).scatter_(0, order, torch.arange(m, device=there))
    guesses, by_guess = torch.sort(j, stable=True)
    starts = torch.searchsorted(guesses, torch.arange(m + 1, device=there))
    holder = torch.full((n,), m, dtype=torch.int64, device=there)
    with on_device_of(value):
        launch(
            _ask, m, (in_rows(i[by_guess]), in_rows(value[by_guess]), starts, rank, order, holder, m), (BLOCK,), warps=1
        )  # fmt: skip
    guess_of = torch.where(holder < m, order[holder.clamp(max=m - 1)], guess_of)
    chosen = guess_of[i] == j
    ends = torch.cumsum(chosen, 0)
    most = min(n, m)
    slots = torch.where(chosen, ends - 1, most)
    places = torch.zeros(most + 1, dtype=torch.int64, device=there).scatter_(
        0, slots, torch.arange(len(i), device=there)
    )
    facts = [ends[-1]] if bad is None else [ends[-1], torch.where(bad.any(), bad.int().argmax(), -1)]
    count, *strange = torch.stack(facts).tolist()
    places = places[:count]
    truth, guess = i[places], j[places]
    truth_of[guess] = truth
    return (strange[0] if strange else -1), (truth, guess, value[places], guess_of, truth_of)

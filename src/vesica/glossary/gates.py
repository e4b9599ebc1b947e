"""Words of gates and intervals: what must be reached, and how sure it is."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "gates.md"

TERMS = (
    Term(
        "gate",
        "what a result must reach, or the exit code is 1",
        "The name of a number, a sign and a bound; in brackets categories, each of which must pass. Numbers are "
        "compared without rounding, within 1e-9. A name that nobody knows is an error (exit code 2), a number that "
        "does not exist "
        'fails. Any key of the summary may be named: `--json` shows them under "summary".',
        "NAME[CATEGORY,…] >= BOUND, or NAME drop <= BOUND vs FILE @95%",
        '--gate "AP>=0.5" with AP 0.497: FAILED, exit code 1.',
        _PAGE,
    ),
    Term(
        "gate-undecided",
        "the interval reaches across the bound",
        "A gate with a level (@95%) whose interval lies on both sides of its bound. It passes, unless `--undecided "
        "fail`, and says about how many images would decide.",
        "images · (half-width / distance)²",
        "mIoU 0.774, interval 0.768 to 0.779, bound 0.77, 60 images: about 130 would decide.",
        _PAGE,
        ("undecided",),
    ),
    Term(
        "drop",
        "how much lower a number is than that of the base",
        "Of a gate: `AP drop<=0.01 vs base.records`. Both sides must be of the same images, truths and conventions.",
        "base − now",
        "AP was 0.500 and is 0.495: a drop of 0.005, which passes <= 0.01.",
        _PAGE,
    ),
    Term(
        "rise",
        "how much higher a number is than that of the base",
        "Of a gate: `AP rise>=0.01 vs base.records`.",
        "now − base",
        "AP was 0.500 and is 0.495: a rise of −0.005.",
        _PAGE,
    ),
    Term(
        "@95%",
        "the level of a gate: the interval decides",
        "The gate passes if the whole interval is on the right side of the bound, and fails if it is wholly on the "
        "wrong one.",
        "",
        'AP 0.52, interval 0.49 to 0.55: "AP>=0.5 @95%" is undecided, "AP>=0.48 @95%" passes.',
        _PAGE,
        ("level", "@"),
    ),
    Term(
        "interval",
        "how far a number would move with other images",
        "Images are drawn again, with replacement, 2,000 times, and the number is computed of each draw; the interval"
        " holds the middle 95 % of them. `--by` draws patients, scenes or videos instead of images. Of two models "
        "both draw the same images, so that the interval of their difference is narrow.",
        "2.5th to 97.5th percentile over replicates",
        "AP50 0.708, with 95 % between 0.587 and 0.803.",
        "intervals.md",
        ("bootstrap", "confidence interval", "CI", "replicates"),
    ),
    Term(
        "crowd",
        "a region that is a group of objects",
        "`iscrowd` of COCO: to find it is neither right nor wrong, and any number of guesses may lie in it. The "
        "overlap with it is the share of the guess that it covers.",
        "I / area of the guess",
        "A guess of 100 pixels, 80 of them in the crowd: 0.8.",
        "scores.md",
        ("iscrowd",),
    ),
    Term(
        "ledger",
        "what keeps annotators apart, adding up to the gap",
        "Every disagreement has a type and an amount, and the amounts add up to 1 − agreement.",
        "Σ amounts / units = 1 − agreement",
        "0.564 + 1.818 + 0.5 + 0.5 of 8 units is 0.423; agreement 0.577.",
        "ledger.md",
    ),
)

"""A cell: one process that scores parts, or merges records, and prints what it took as JSON.

`python -m benchmarks.scale_cell VERB REQUEST` is how `ask` starts it; nobody else holds memory there.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.cell import ROOT, environment
from benchmarks.lap import Failure


def ask(verb: str, **request: Any) -> dict[str, Any]:
    """Do it in a fresh process, and bring back what it found."""
    command = [sys.executable, "-m", "benchmarks.scale_cell", verb, json.dumps(request)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure((done.stderr.strip().splitlines() or [f"{verb} said nothing"])[-1])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def evaluate(paths: list[str], engine: str, workers: int, repeats: int = 2, **options: Any) -> dict[str, Any]:
    """The score of all parts: the seconds of each call, the first with the start of the engine."""
    from vesica import scale

    begun = _watch(lambda: _cluster(workers)) if engine == "ray" else 0.0
    seconds, answers, rows = [], [], [0]
    for _ in range(repeats):
        start = time.perf_counter()
        result = scale.evaluate(
            paths, engine=engine, workers=workers, progress=lambda *now: rows.append(now[2]), **options
        )
        seconds.append(time.perf_counter() - start)
        answers.append(hashlib.sha256(result.to_json().encode()).hexdigest())
        numbers = dict(result)
        del result
    seconds[0] += begun
    assert len(set(answers)) == 1, "two calls, two answers"
    return {"seconds": seconds, "answer": answers[0], "numbers": numbers, "guesses": rows[-1], "peak": _peak()}


def bounds(paths: list[str], bins: int, workers: int) -> dict[str, Any]:
    """AP in bounds, from counts alone."""
    from vesica import scale

    start = time.perf_counter()
    low, high = scale.bounds(paths, bins=bins, workers=workers)["AP"]
    return {"seconds": time.perf_counter() - start, "low": low, "high": high, "peak": _peak()}


def merging(paths: list[str], shards: int, repeats: int) -> dict[str, Any]:
    """Records of parts, cut into so many shards of images: bytes in, one result out, by one worker."""
    from vesica.detection import Records, merge, summarise
    from vesica.scale.run import together
    from vesica.scale.work import joined, merged

    sent = [piece for k, path in enumerate(paths) for piece in _cut(path, k, len(paths), shards)]
    guesses = sum(len(Records.from_bytes(one)) for one in sent)

    def in_rounds() -> Records:
        some = together(len(sent))
        joint = [merged("detection", {}, *sent[k : k + some])[1] for k in range(0, len(sent), some)]
        found: Records = joined("detection", {}, joint, threads=1)
        return found

    whole = in_rounds().to_bytes()
    assert merge(*map(Records.from_bytes, sent)).to_bytes() == whole, "another order, other bytes"
    total = Records.from_bytes(whole)
    return {
        "guesses": guesses,
        "shards": len(sent),
        "bytes": sum(map(len, sent)),
        "read": min(_watch(lambda: [Records.from_bytes(one) for one in sent]) for _ in range(repeats)),
        "at once": min(_watch(lambda: merge(*map(Records.from_bytes, sent))) for _ in range(repeats)),
        "in rounds": min(_watch(in_rounds) for _ in range(repeats)),
        "summary": min(_watch(lambda: dict(summarise(total))) for _ in range(repeats)),
        "answer": hashlib.sha256(whole).hexdigest(),
    }


def _cut(path: str, part: int, parts: int, shards: int) -> list[bytes]:
    """The records of one part as its share of the shards, of images here and there."""
    import numpy as np

    from vesica.scale.detection import records_of_part

    records = records_of_part({"name": path, "table": path, "group": None}, {"threads": 1})
    count = shards * (part + 1) // parts - shards * part // parts
    shard = np.random.default_rng(part).permutation(len(records.images)) % max(count, 1)
    return [records.of_images(shard == k).to_bytes() for k in range(count)]


def _cluster(workers: int) -> None:
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")


def _watch(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    answer = call()
    taken = time.perf_counter() - start
    del answer
    return taken


def _peak() -> int:
    """The high-water mark of this program alone; what its parent held before it began is not in it."""
    with open("/proc/self/status") as told:
        return next(int(line.split()[1]) * 1024 for line in told if line.startswith("VmHWM"))


def gathering(way: str, ranks: int, images: int) -> dict[str, Any]:
    """What ranks send, and what the first makes of it."""
    from benchmarks.scale_gathering import measure

    return measure(way, ranks, images)


VERBS: dict[str, Callable[..., dict[str, Any]]] = {
    "evaluate": evaluate,
    "bounds": bounds,
    "merging": merging,
    "gathering": gathering,
}

if __name__ == "__main__":
    print(json.dumps(VERBS[sys.argv[1]](**json.loads(sys.argv[2]))))

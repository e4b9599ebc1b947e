"""A run with a checkpoint, in a process that may be killed: folder, checkpoint, engine, memory or "-", task."""

import sys
import time


def main(folder, checkpoint, engine, memory, task):
    from vesica import scale
    from vesica.scale import kept

    kept.SECONDS = 0.0  # every part is written at once
    options = {"engine": engine, "workers": 2, "checkpoint": checkpoint}
    if memory != "-":
        options["memory"] = memory

    def slowly(done, *_):
        print(done, flush=True)
        time.sleep(0.03)

    run = getattr(scale, task)
    paths = (f"{folder}/truth", f"{folder}/guess") if task == "evaluate_segmentation" else (folder,)
    run(*paths, progress=slowly, **options)
    print("finished", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

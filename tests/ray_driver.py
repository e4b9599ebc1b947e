"""A process that scores parts on a cluster, as test_scale_ray starts it: ray_driver.py WHOSE PARTS FOLDER."""

import sys

import killed
from vesica import scale
from vesica.errors import InputError
from vesica.scale import detection, run
from vesica.scale import ray as engine


def main(whose, parts, folder):
    run.mapped = killed.awaited
    engine.PATIENCE = 0.5
    detection._check_options = lambda options: None  # some are for the worker
    if whose == "theirs":
        import ray

        ray.init(log_to_driver=False, logging_level="error")
    try:
        result = scale.evaluate(
            parts, engine="ray", folder=folder, progress=lambda done, *_: print("done", done, flush=True)
        )
    except InputError as error:
        print(error)
        return 3
    print(result.to_json().replace("\n", ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

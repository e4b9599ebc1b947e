"""The head of a cluster of Ray, as test_scale_ray starts it: ray_head.py PORT FOLDER CPUS. It stays until killed."""

import sys

from ray._private.node import Node
from ray.scripts import scripts

NOT_NEEDED = ("start_monitor", "start_log_monitor", "start_api_server")
"""What scales a cluster, shows logs and answers browsers: three processes whom nobody asks, and which take longer to
begin than all others. A version that has other names for them begins them."""
HEAD = "--head --block --node-ip-address=127.0.0.1 --include-dashboard=false --disable-usage-stats"


def main(port, folder, processors):
    for name in NOT_NEEDED:
        if hasattr(Node, name):
            setattr(Node, name, lambda *_, **__: None)
    places = [f"--port={port}", f"--temp-dir={folder}", f"--num-cpus={processors}", "--object-store-memory=100000000"]
    scripts.cli(["start", *HEAD.split(), *places])


if __name__ == "__main__":
    main(*sys.argv[1:])

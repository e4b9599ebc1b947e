"""How fast vesica is, against named peers and against the memory it must write: `python -m benchmarks`."""

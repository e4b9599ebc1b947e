"""One-to-one pairs, and targets: greedy by score, optimal, anchors and grids to objects."""

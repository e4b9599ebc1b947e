"""Who belongs to whom: greedy by score, optimal, anchors and grids to objects."""

"""A small world, drawn from a seed: pictures of streets and parks, what two models and three annotators make of them,
and the files that somebody with such pictures would have."""

"""Names of engines, which the command line lists without waiting for NumPy."""

ENGINES = ("threads", "processes", "ray")
"""Who works on parts."""

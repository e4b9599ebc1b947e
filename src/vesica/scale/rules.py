"""Who can work on parts. It needs nothing but names, so that `vesica eval --help` costs nothing."""

ENGINES = ("threads", "processes", "ray")

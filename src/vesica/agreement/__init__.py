"""Agreement between annotators: who differs from whom, where and how."""

"""Coefficients, resampling and intervals: numbers about numbers, which know no image."""

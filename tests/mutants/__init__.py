"""Seed small faults into the kernels, and see whether the tests notice: python -m tests.mutants."""

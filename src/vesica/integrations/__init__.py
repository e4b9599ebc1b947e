"""Scores inside other libraries: each module imports the library it is named after, and is imported by nobody else."""

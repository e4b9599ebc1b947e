"""The command line, called from a test."""

from vesica.cli import main


def run(capsys, *words):
    """The exit code, and what was said on both streams."""
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    return code, *capsys.readouterr()

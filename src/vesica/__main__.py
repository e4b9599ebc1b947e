"""`python -m vesica` is `vesica`."""

import sys

from vesica.cli import main

if __name__ == "__main__":
    sys.exit(main())

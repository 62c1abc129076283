"""`python -m antidote_core`: the command line."""

import sys

from antidote_core.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

"""Starts the command line of the bundled program."""

import sys

from forensicviewer.cli import main

if __name__ == "__main__":
    sys.exit(main())

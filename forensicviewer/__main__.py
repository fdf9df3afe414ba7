"""Runs the command line as ``python -m forensicviewer``."""

import sys

from forensicviewer.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""Starts the window of the bundled program."""

import sys

from forensicviewer.cli import open_window

if __name__ == "__main__":
    sys.exit(open_window())

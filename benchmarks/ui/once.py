"""One run of a part, in a program that does nothing else: ``python -m benchmarks.ui.once``.

Compiled modules and large tables are kept beside the answer, for the next run.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.report import write_figures
from benchmarks.ui import stories
from benchmarks.ui.tools import use_compiled, use_home
from forensicviewer.ui.shell.start import make_application

_PARTS = {"stories": stories.measure, "many": stories.measure_many_rows}


def main(part: str, answer: str) -> None:
    """Measure a part and write its figures to a file."""
    kept = Path(answer).parent
    use_compiled(kept)
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        use_home(Path(folder))
        write_figures(Path(answer), list(_PARTS[part](application, Path(folder), kept)))


if __name__ == "__main__":
    main(*sys.argv[1:])

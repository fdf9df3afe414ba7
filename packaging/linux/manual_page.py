"""Writes the manual page of the command line from its own help."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent
_TEXT = """\
.TH FORENSICVIEWER 1 "{date}" "forensicviewer {version}" "User Commands"
.SH NAME
forensicviewer \\- inspect, score and judge media-forensics results
.SH SYNOPSIS
.B forensicviewer
[\\fIDATASET\\fR [\\fISUBMISSION\\fR ...]]
.br
.B forensicviewer
\\fICOMMAND\\fR ...
.SH DESCRIPTION
Without a command, the window opens. Every command has its own help: \\fB\\-\\-help\\fR.
The manual of the window is under \\fIHelp > Manual\\fR.
.SH COMMANDS
.nf
{help}
.fi
.SH ENVIRONMENT
.TP
.B FORENSICVIEWER_OFFLINE
1: the program refuses every network call. The name of a file: it also lists the calls there.
.SH EXIT STATUS
0 success, 1 finished with problems, 2 wrong usage, 3 error, 70 bug.
"""


def manual_page(version: str) -> str:
    """The page in roff."""
    listed = subprocess.run(
        [sys.executable, "-m", "forensicviewer", "--help"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "78"},
    ).stdout
    escaped = listed.replace("\\", "\\e").replace("-", "\\-").replace("\n.", "\n\\&.")
    date = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC).strftime("%Y-%m-%d")
    return _TEXT.format(date=date, version=version, help=escaped.strip())

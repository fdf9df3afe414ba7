"""The whole self-test: every check of this installation, offline and away from the user's files."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from forensicviewer.app.runtime.crash import report_folder
from forensicviewer.app.runtime.decoders import close_decoders, open_decoders
from forensicviewer.app.runtime.offline import OFFLINE, NetworkRefusedError, refuse_network
from forensicviewer.app.selftest.check import (
    CheckFailedError,
    InstallationCheck,
    Result,
    run_checks,
)
from forensicviewer.app.selftest.decoding import decoding_checks
from forensicviewer.app.selftest.installation import installation_checks
from forensicviewer.app.selftest.program import program_checks

_DECODER_MEMORY_MB = 2_048
_DECODER_SECONDS = 60.0


def run_selftest() -> Iterator[Result]:
    """Results as they come. The process stays offline afterwards; it should do nothing else."""
    with tempfile.TemporaryDirectory(prefix="forensicviewer-selftest-") as name:
        folder = Path(name)
        os.environ[OFFLINE] = str(folder / "network.txt")
        refuse_network()
        # The user's own settings, sessions and caches take no part.
        for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            os.environ[variable] = str(folder / variable.lower())
        open_decoders(memory_mb=_DECODER_MEMORY_MB, seconds=_DECODER_SECONDS)
        try:
            yield from run_checks(_checks(folder))
        finally:
            close_decoders()


def _checks(folder: Path) -> Iterator[InstallationCheck]:
    yield from installation_checks()
    yield from decoding_checks()
    yield from program_checks(folder)
    yield InstallationCheck("find no crash report", _find_no_crash)
    yield InstallationCheck("stay offline", partial(_stay_offline, folder / "network.txt"))


def _find_no_crash() -> str:
    reports = sorted(report_folder().glob("crash-*.txt"))
    if reports:
        text = reports[0].read_text(encoding="utf-8", errors="replace")
        raise CheckFailedError(f"{len(reports)} crash reports were written, the first: {text}")
    return "none was written"


def _stay_offline(notes: Path) -> str:
    """Nothing was noted so far; a call made here shows that it would have been."""
    if notes.exists():
        calls = notes.read_text(encoding="utf-8").splitlines()
        raise CheckFailedError(f"{len(calls)} network calls were made, the first: {calls[0]}")
    with contextlib.suppress(NetworkRefusedError):
        socket.socket(socket.AF_INET).close()
    if not notes.exists():
        raise CheckFailedError("Network calls are not refused, so they cannot be checked")
    return "no network call was made, and a test call was refused"

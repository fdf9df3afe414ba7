"""Runs the program itself as its user would, in separate processes: sample, scores, windows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from forensicviewer.app.runtime.resources import resource
from forensicviewer.app.selftest.check import CheckFailedError, InstallationCheck
from forensicviewer.sources.media.images import read_image

_DATASET = "MFC2019_Sample"
SCORED = ("p-good_1_MFC2019-image", "p-good_1_MFC2019-video", "p-good_1_MFC2019-provenance")
# layout of the window → the submission that fills it
_WINDOWS = {
    "inspect": "p-noisy_1_MFC2019-image",
    "video": "p-noisy_1_MFC2019-video",
    "graph": "p-noisy_1_MFC2019-provenance",
}
_TRIAL = "MFC2019_1002"
_SECONDS = 600
# A window that failed to draw its trial has a handful of colours; a drawn one has thousands.
_LEAST_COLOURS = 500


def program_checks(folder: Path) -> Iterator[InstallationCheck]:
    """Checks that write into ``folder``; in this order, as the sample comes first."""
    yield InstallationCheck("write the sample", partial(_write_sample, folder))
    for submission in SCORED:
        yield InstallationCheck(f"score {submission}", partial(_check_scores, folder, submission))
    yield InstallationCheck("write a report", partial(_write_report, folder))
    for layout, submission in _WINDOWS.items():
        yield InstallationCheck(
            f"draw the {layout} window", partial(_draw, folder, layout, submission)
        )


def expected_scores() -> Mapping[str, Mapping[str, str]]:
    """Submission → headline numbers, as the reference build of the program computed them."""
    text = resource("selftest/scores.json").read_text(encoding="utf-8")
    scores: Mapping[str, Mapping[str, str]] = json.loads(text)
    return scores


def score_sample(folder: Path, submission: str) -> Mapping[str, str]:
    """The headline numbers of a submission of the sample."""
    out = folder / "scores" / submission
    _run("score", "all", _dataset(folder), _submission(folder, submission), "--out", str(out))
    summary: Mapping[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return {name: str(value) for name, value in summary["headline"].items()}


def _write_sample(folder: Path) -> str:
    _run("sample", str(folder / "sample"), _DATASET)
    return f"written to {folder / 'sample'}"


def _check_scores(folder: Path, submission: str) -> str:
    expected, found = expected_scores()[submission], score_sample(folder, submission)
    differing = [name for name in expected if found.get(name) != expected[name]]
    if differing:
        name = differing[0]
        raise CheckFailedError(
            f"{len(differing)} of {len(expected)} numbers differ from the stored ones, "
            f"e.g. {name}: {found.get(name)} instead of {expected[name]}"
        )
    return f"{len(expected)} numbers as expected"


def _write_report(folder: Path) -> str:
    out = folder / "report.html"
    about = (_dataset(folder), _submission(folder, SCORED[0]), "--trial", _TRIAL)
    _run("report", "trial", *about, "--out", str(out))
    if _TRIAL not in out.read_text(encoding="utf-8"):
        raise CheckFailedError("The report does not name its trial", where=out)
    return f"{out.stat().st_size} bytes written"


def _draw(folder: Path, layout: str, submission: str) -> str:
    out = folder / f"{layout}.png"
    options = ("--layout", layout, "--window", "--size", "1280x800", "--out", str(out))
    _run("render", _dataset(folder), _submission(folder, submission), *options)
    colours = len(np.unique(read_image(out).pixels.reshape(-1, 3), axis=0))
    if colours < _LEAST_COLOURS:
        raise CheckFailedError(f"The window is almost empty: {colours} colours", where=out)
    return f"drawn with {colours} colours"


def _dataset(folder: Path) -> str:
    return str(folder / "sample" / _DATASET)


def _submission(folder: Path, name: str) -> str:
    return str(folder / "sample" / "submissions" / name)


def command_line() -> Sequence[str]:
    """What starts the command line of this very installation."""
    if getattr(sys, "frozen", False):
        return [str(Path(sys.executable).with_stem("forensicviewer"))]
    return [sys.executable, "-m", "forensicviewer"]


def _run(*arguments: str) -> None:
    try:
        done = subprocess.run(
            [*command_line(), *arguments, "--quiet"],
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CheckFailedError(f"No answer after {_SECONDS} s from {arguments[0]}") from error
    if sys.platform == "linux" and done.returncode == -signal.SIGSYS:
        raise CheckFailedError(f"forensicviewer {arguments[0]} tried to use the network")
    if done.returncode not in (0, 1):
        raise CheckFailedError(
            f"forensicviewer {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}"
        )

"""Checks predictions for images: that each is there, readable, grey and as large as its image."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.validation.finding import Findings
from forensicviewer.core.array import Size
from forensicviewer.core.imdl.geometry import Geometry, geometry_of
from forensicviewer.core.model import Submission, Task, Trial
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.imdl.masks import read_map
from forensicviewer.sources.imdl.predictions import squares_of
from forensicviewer.sources.media.headers import read_header


def check_maps(
    task: Task, submission: Submission, findings: Findings, *, progress: Progress
) -> None:
    """Look at the prediction of every image."""
    total = len(task.trials)
    for row in range(total):
        _check(task, submission, task.trials[row], findings)
        progress(row + 1, total)


def _check(task: Task, submission: Submission, trial: Trial, findings: Findings) -> None:
    answer = submission.answers.get(trial.id)
    if answer is None or answer.mask is None:
        findings.error(
            "map.exists",
            f"{trial.id} has no prediction",
            expected="one map per image",
            hint="IMDL-BenCo's test_save_images leaves out the last incomplete batch",
        )
        return
    try:
        values = read_map(resolve(Path(submission.root), answer.mask), is_inverted=False).values
    except ForensicViewerError as error:
        findings.error(
            error.rule or "map.readable", f"{answer.mask}: {error.message}", hint=error.hint
        )
        return
    try:
        image = read_header(resolve(Path(task.root), trial.probe.name)).size
    except ForensicViewerError:
        return  # told about when the dataset was opened
    own = Size.of(values)
    if image is not None and own != image:
        kind = geometry_of(own, image, squares_are=squares_of(submission))
        how = "anchored at the upper left" if kind is Geometry.PADDED else "resized"
        findings.note(
            "map.size",
            f"{answer.mask} is {own}, but its image is {image}: read as {how}",
            hint="the margin is not scored"
            if kind is Geometry.PADDED
            else "the reference is resized to the map, as IMDL-BenCo scores",
        )

"""Small images of probes for lists, by trial; what cannot be read has none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forensicviewer.core.array import RgbImage
from forensicviewer.core.model import Task, TaskKind, TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.decoders.process import PASSING, DecoderGoneError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import thumbnail
from forensicviewer.sources.video.frame_reader import video_thumbnail


def thumbnails_of(
    task: Task, trial_ids: Sequence[TrialId], *, edge_px: int
) -> dict[TrialId, RgbImage | None]:
    """The probes of some trials, each at most ``edge_px`` wide and high."""
    return {trial_id: _thumbnail_of(task, trial_id, edge_px) for trial_id in trial_ids}


def _thumbnail_of(task: Task, trial_id: TrialId, edge_px: int) -> RgbImage | None:
    trial = task.find_trial(trial_id)
    if trial is None:
        return None
    try:
        path = resolve(Path(task.root), trial.probe.name)
        small = video_thumbnail if task.kind is TaskKind.VIDEO else thumbnail
        try:
            return small(path, edge_px=edge_px)
        except DecoderGoneError as error:
            if error.rule not in PASSING:
                raise
            # Killed with the decoder, the file may be fine; nobody asks for it again.
            return small(path, edge_px=edge_px)
    except (ForensicViewerError, OSError):
        # Opening the trial says what is wrong; a list has no room for it.
        return None

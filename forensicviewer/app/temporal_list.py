"""The temporal score of every video of a task at once, as a list of trials shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from forensicviewer.app.temporal_scoring import score_stream
from forensicviewer.app.temporal_trials import (
    EVERYTHING,
    Stream,
    TemporalReader,
    TemporalSettings,
    journal_rows,
)
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.problem import ForensicViewerError, ProblemLog


def temporal_mccs(
    task: Task, submission: Submission, settings: TemporalSettings
) -> Mapping[TrialId, float]:
    """The MCC of every probe that is scored, with all its operations selected.

    Probes without journal rows, and those the rules leave out, are not in it. Problems are told by
    the review of each video and by ``score temporal``, not here.
    """
    try:
        rows = journal_rows(task)
    except ForensicViewerError:
        return {}
    everything = replace(settings, queries=(EVERYTHING,), partition="")
    reader = TemporalReader(task, submission, everything, ProblemLog())
    results = score_stream(rows, reader, Stream.VIDEO)
    return {TrialId(result.trial.probe): result.mcc for result in results}

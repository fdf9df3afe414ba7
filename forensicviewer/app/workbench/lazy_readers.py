"""What reads files, imported when it first reads.

The readers of every layout and format are a third of the program; a window that shows its start
page needs none of them.
"""

from __future__ import annotations

from forensicviewer.app.workbench.loaded_trial import LoadedTrial, TrialRequest
from forensicviewer.core.model import Dataset, Task


def choose_task(dataset: Dataset, name: str | None) -> Task:
    from forensicviewer.app.datasets import opening

    return opening.choose_task(dataset, name)


def load_trial(request: TrialRequest) -> LoadedTrial:
    from forensicviewer.app.workbench import trial_reader

    return trial_reader.load_trial(request)

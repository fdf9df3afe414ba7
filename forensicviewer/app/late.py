"""What reads files, imported when it first reads.

The readers of every layout and format are a third of the program; a window that shows its start
page needs none of them.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

from forensicviewer.app.trialview import LoadedTrial, TrialRequest
from forensicviewer.core.model import Dataset, Task

# Libraries that take long to load, and nothing else runs meanwhile; our own scorers first, which
# are wanted as soon as a dataset is open.
SLOW_READERS = ("forensicviewer.app.scoreboard", "PIL.TiffImagePlugin", "h5py", "av", "glymur")


def import_ahead(module: str) -> None:
    """Import a library before it is needed; one that cannot be is told when it is."""
    with suppress(ImportError, OSError):
        import_module(module)


def choose_task(dataset: Dataset, name: str | None) -> Task:
    from forensicviewer.app import opening

    return opening.choose_task(dataset, name)


def load_trial(request: TrialRequest) -> LoadedTrial:
    from forensicviewer.app import trialreading

    return trialreading.load_trial(request)

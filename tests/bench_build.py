"""A workbench with a built dataset on it, every job done at once."""

from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.trialview import LoadedTrial
from forensicviewer.app.workbench import Workbench
from tests.build import Built


def opened(built: Built) -> Workbench:
    bench = Workbench(inline_jobs())
    bench.open_dataset(built.root)
    bench.open_submission(built.submission)
    return bench


def loaded(bench: Workbench) -> LoadedTrial:
    assert bench.state.loaded is not None
    return bench.state.loaded

"""A workbench with a built dataset on it, as the desk puts it there once the files are read."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.datasets.opening import choose_task, open_dataset, open_submission
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import LoadedTrial
from forensicviewer.app.workbench.state import FOUR_PANES, Layer, Pane
from forensicviewer.core.model import Side
from tests.build import Built

# What a splice is shown in where nobody chose anything else.
SPLICE_PANES = (*FOUR_PANES, Pane(Layer.PICTURE, Side.DONOR), Pane(Layer.COMPARISON, Side.DONOR))


def opened(built: Built) -> Workbench:
    """A workbench whose jobs are done when they are submitted, with all of a built dataset."""
    bench = Workbench(inline_jobs())
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)
    return bench


def put_dataset(bench: Workbench, path: Path, *, task: str | None = None) -> None:
    """Show one task of a dataset, the first unless named."""
    dataset = open_dataset(path)
    chosen = dataset.tasks[0] if task is None else choose_task(dataset, task)
    bench.show_dataset(dataset, chosen)


def put_submission(bench: Workbench, path: Path) -> None:
    bench.add_submissions([open_submission(path, task=bench.state.task)])


def put_row(bench: Workbench, row: int) -> None:
    """Look at the trial of a row of the dataset's table."""
    assert bench.state.task is not None
    bench.select_trial(bench.state.task.trials.ids()[row])


def loaded(bench: Workbench) -> LoadedTrial:
    assert bench.state.loaded is not None
    return bench.state.loaded

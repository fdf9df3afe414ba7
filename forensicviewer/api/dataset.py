"""Datasets, their tasks, and the submissions that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.api.arguments import StrPath, path_of, paths_of, require, texts_of, truth
from forensicviewer.api.frames import problem_table, table_of
from forensicviewer.app.datasets import opening
from forensicviewer.app.imdl.choices import make_choices
from forensicviewer.app.trials.query import operations_of
from forensicviewer.core import model
from forensicviewer.core.cached import cached_property
from forensicviewer.core.graph.variation import variation_of
from forensicviewer.core.problem import Problem

if TYPE_CHECKING:
    import pandas as pd


def open_dataset(
    path: StrPath,
    *,
    index: StrPath | None = None,
    reference: StrPath | None = None,
    label_column: str | None = None,
    roots: StrPath | Iterable[StrPath] = (),
    maps: str | Iterable[str] = (),
    pairing: str | None = None,
    reference_polarity: str | None = None,
    follow_links: bool = False,
) -> Dataset:
    """Open a dataset: its folder, or a single index or reference table; of GenAI also an archive.

    ``index`` and ``reference`` name the tables of one task that are used instead of those found in
    it, relative to it or to the working directory. ``label_column`` names the column of a GenAI
    reference that says which images are AI-generated, where it is not found. ``follow_links`` reads
    files outside that links of the dataset lead to; links of submissions are never followed.

    A dataset of images and masks is a published one as it was unpacked, IMDL-BenCo's folder with
    ``Tp`` and ``Gt``, or a list. A list opens only files below its own folder and below the
    ``roots`` you name; ``maps`` (``"OLD=NEW"``) say where folders of another machine lie here.
    ``pairing`` (``"stem"``, ``"position"`` or the path of a list) and ``reference_polarity``
    (``"white"`` or ``"black"``) settle what names and masks leave uncertain.

    What is wrong with some files is in ``problems``; a dataset that cannot be opened at all raises
    a :class:`ForensicViewerError`. Files are read when they are needed.
    """
    folder, links = path_of(path), truth("follow_links", follow_links)
    if label_column is not None:
        require(label_column, str, hint="the name of a column")
    if index is not None or reference is not None:
        dataset, _ = opening.open_task(
            folder,
            name=None,
            index=None if index is None else path_of(index),
            reference=None if reference is None else path_of(reference),
            label_column=label_column,
            follow_links=links,
        )
        return Dataset(dataset)
    choices = make_choices(
        roots=paths_of(roots),
        maps=texts_of("maps", maps),
        pairing=pairing,
        reference_polarity=reference_polarity,
    )
    return Dataset(
        opening.open_dataset(folder, label_column=label_column, choices=choices, follow_links=links)
    )


class Dataset:
    """An opened dataset.

    ``name`` and ``root`` (its folder) say where it is from, ``tasks`` are all its tasks, and
    ``model`` is the dataset as the rest of the program holds it.
    """

    def __init__(self, dataset: model.Dataset) -> None:
        self.model = dataset
        self.name = dataset.name
        self.root = Path(dataset.root)
        self.tasks = tuple(Task(task, opening=dataset.problems) for task in dataset.tasks)

    def __repr__(self) -> str:
        names = ", ".join(task.name for task in self.tasks)
        return f"<Dataset {self.name}: {names}>"

    @cached_property
    def problems(self) -> pd.DataFrame:
        """What is wrong with the files: severity, message, where, hint."""
        return problem_table(self.model.problems)

    def task(self, name: str | None = None) -> Task:
        """The task of that name: ``"manipulation"``, or ``"splice:NC2017"`` where it has several.

        Without a name, the only task of the dataset.
        """
        if name is not None:
            require(name, str, hint="the name of a task")
        chosen = opening.choose_task(self.model, name)
        # A provenance index answers for filtering too; that task is not among those listed.
        known = (task for task in self.tasks if task.model is chosen)
        return next(known, None) or Task(chosen)


class Task:
    """One task of a dataset, as ``dataset.task(name)`` gives it.

    ``name`` is the word it is chosen by, ``kind`` what is asked (``"manipulation"``, ``"video"``,
    ``"splice"``, ``"provenance"`` …) and ``edition`` the evaluation (``"MFC2019"``). ``condition``
    is the training-testing condition of a camera task (``"image-video"``; blank for others),
    ``variation`` which images graphs are built from (``"end-to-end"``; blank for other tasks).
    ``model`` is the task as the rest of the program holds it.
    """

    def __init__(self, task: model.Task, *, opening: Sequence[Problem] = ()) -> None:
        self.model = task
        # What scoring must know of: pairs or colours that nobody settled.
        self.opening_problems = tuple(opening)
        self.name = task.name
        self.kind = task.kind.value
        self.edition = task.edition.value
        self.condition = "" if task.condition is None else str(task.condition)
        variation = variation_of(task)
        self.variation = "" if variation is None else variation.value

    def __repr__(self) -> str:
        return f"<Task {self.name} of {self.edition}: {len(self)} trials>"

    def __len__(self) -> int:
        return len(self.model.trials)

    @cached_property
    def trials(self) -> pd.DataFrame:
        """One row per trial: the columns of the index, then the other ones of the reference."""
        return table_of(self.model.table.columns)

    @cached_property
    def trial_ids(self) -> tuple[str, ...]:
        """The ids of the trials in the order of ``trials``; a splice is ``probe+donor``."""
        return tuple(self.model.trials.ids())

    @cached_property
    def operations(self) -> pd.DataFrame:
        """One row per probe and operation of its journal; no rows where there are no journals.

        Merge it with ``trials`` or with scores to group them by ``Operation`` or ``Purpose``.
        """
        table = operations_of(self.model)
        return table_of({} if table is None else table.columns)

    @cached_property
    def training(self) -> pd.DataFrame:
        """The files that show each camera or event; no rows where the dataset lists none."""
        table = self.model.training
        return table_of({} if table is None else table.columns)

    @cached_property
    def pools(self) -> pd.DataFrame:
        """The world images NIST's oracle filter gave for each provenance probe; often no rows."""
        table = self.model.pools
        return table_of({} if table is None else table.columns)

    def open_submission(self, path: StrPath) -> Submission:
        """Open what a system answered to this task: a folder, a table or an archive.

        An archive is unpacked once, into the user's cache folder.
        """
        return Submission(opening.open_submission(path_of(path), task=self.model))


class Submission:
    """An opened submission. ``model`` is the submission as the rest of the program holds it."""

    def __init__(self, submission: model.Submission) -> None:
        self.model = submission
        self.name = submission.name
        self.path = Path(submission.origin)

    def __repr__(self) -> str:
        return f"<Submission {self.name}: {len(self)} answers>"

    def __len__(self) -> int:
        return len(self.model.answers)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """The system's own table, one row per answer."""
        return table_of(self.model.table.columns)

    @cached_property
    def problems(self) -> pd.DataFrame:
        """What is wrong with the submission's files: severity, message, where, hint."""
        return problem_table(self.model.problems)

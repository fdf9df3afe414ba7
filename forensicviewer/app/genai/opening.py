"""Finds the system outputs a user names, and remembers what a reference's labels are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.datasets.genai_choices import read_choices, write_choices
from forensicviewer.core import genai
from forensicviewer.core.model import Dataset, Task
from forensicviewer.core.problem import ProblemLog, ScoringError
from forensicviewer.sources.files import archives
from forensicviewer.sources.layouts.genai import NO_LABELS
from forensicviewer.sources.tables.genai_output import tidied
from forensicviewer.sources.tables.separated_text import SUFFIXES, read_header, read_table

_EXAMPLES = 4


def system_outputs(paths: Iterable[Path]) -> list[Path]:
    """The paths, with every system output of a folder that holds several in its place."""
    return [found for path in paths for found in (_outputs_in(path) or [path])]


def _outputs_in(path: Path) -> list[Path]:
    if not path.is_dir():
        return []
    entries = sorted(entry for entry in path.iterdir() if entry.is_file())
    return [entry for entry in entries if _is_output(entry)]


def _is_output(path: Path) -> bool:
    if path.suffix.lower() in SUFFIXES:
        return genai.is_output(read_header(path), name=path.name)
    return archives.is_archive(path)


@dataclass(frozen=True, slots=True)
class LabelCandidate:
    """A column of a reference that may hold its labels, with some of its cells."""

    column: str
    examples: tuple[str, ...]


def label_candidates(task: Task) -> tuple[LabelCandidate, ...]:
    """Every column of the task's reference; the reference is read again for it."""
    name = task.files["reference"]
    table = tidied(read_table(Path(task.root) / name, name=name, log=ProblemLog()))
    return tuple(
        LabelCandidate(column, table[column].dictionary[1][:_EXAMPLES]) for column in table.names
    )


def choose_label(columns: Sequence[str], chosen: str) -> None:
    """Keep which column of references with these columns holds the labels."""
    write_choices(read_choices().with_label(columns, chosen))


def require_labels(dataset: Dataset) -> None:
    """Refuse a dataset with a reference nobody can read the labels of, and say why."""
    for problem in dataset.problems:
        if problem.rule == NO_LABELS:
            raise ScoringError(
                problem.message, where=problem.where, hint=problem.hint, rule=NO_LABELS
            )


def remember_label(task: Task, column: str) -> None:
    """Save which column of such a reference holds the labels, so that it is asked only once."""
    reference = task.reference
    if reference is None or column not in reference:
        return
    names = tuple(name for name in reference.names if name != genai.TARGET or name == column)
    choices = read_choices()
    if choices.label_of(names) != column:
        write_choices(choices.with_label(names, column))

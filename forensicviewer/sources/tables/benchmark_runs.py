"""Runs as a grid reads them: the summaries of ``score imdl``, logs of IMDL-BenCo, model cards.

A run is a folder. ``imdl_summary.csv`` in it, or in folders below it, are its numbers by dataset;
``model.json`` is its card. Where there is only IMDL-BenCo's ``log.txt``, the card's ``test_sets``
name its lines, which do not say which dataset they are about.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from forensicviewer.core.imdl.dataset_names import dataset_key
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.table.number_cell import number_in, number_of
from forensicviewer.sources.files.dataclass_json import from_json_value
from forensicviewer.sources.files.paths import is_own_file

SUMMARY, LOG, CARD = "imdl_summary.csv", "log.txt", "model.json"
_MOST_BYTES = 64 << 20
_MOST_SUMMARIES = 1000
_LOG_KEYS = {
    "F1": "test_pixel-level F1",
    "IoU": "test_pixel-level IOU",
    "AUC": "test_pixel-level AUC",
    "Accuracy": "test_pixel-level Accuracy",
    "ImageF1": "test_image-level F1",
    "ImageAUC": "test_image-level AUC",
    "ImageAccuracy": "test_image-level Accuracy",
}


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The description of a run's model; ``test_sets`` name the lines of a log in order."""

    model: str = ""
    backbone: str = ""
    extractor: str = ""
    protocol: str = ""
    training_sets: tuple[str, ...] = ()
    test_sets: tuple[str, ...] = ()
    input_size: str = ""
    parameters: str = ""
    flops: str = ""

    def was_trained_on(self, dataset: str) -> bool:
        return dataset_key(dataset) in {dataset_key(each) for each in self.training_sets}


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One line of a grid: dataset to metric to value, and the card."""

    name: str
    numbers: Mapping[str, Mapping[str, float]]
    card: ModelCard = field(default_factory=ModelCard)
    reasons: Mapping[str, str] = field(default_factory=dict)  # why a dataset has no number
    is_published: bool = False
    folder: Path | None = None  # where the run lies


def read_run(folder: Path, log: ProblemLog) -> Run:
    """A run from its folder; what cannot be used is a problem."""
    if not folder.is_dir():
        raise UsageError(
            "A run must be a folder", where=folder, hint=f"it contains {SUMMARY} or {LOG}"
        )
    card = read_card(folder, log)
    found = sorted(folder.rglob(SUMMARY))[:_MOST_SUMMARIES]
    numbers: dict[str, dict[str, float]] = {}
    for file in found:
        numbers |= _summary(file, folder, log)
    if not found and (folder / LOG).is_file():
        numbers = _log_numbers(folder / LOG, card, log)
    elif not found:
        log.error("The run has no results", where=str(folder), hint=f"write {SUMMARY} or {LOG}")
    return described(Run(folder.name, numbers, folder=folder), card, log)


def described(run: Run, card: ModelCard, log: ProblemLog) -> Run:
    """The run with its card, and a problem if it was trained on its test data."""
    name = card.model or run.name
    for dataset in run.numbers:
        if card.was_trained_on(dataset):
            log.warn(
                f"{name} was trained on {dataset}, on which it is tested",
                where=str(CARD if run.folder is None else run.folder / CARD),
                hint="its numbers there say nothing about other images",
                rule="grid.trained-on",
            )
    return replace(run, name=name, card=card)


def read_card(folder: Path, log: ProblemLog) -> ModelCard:
    """The model card in a folder; an empty one where there is none."""
    file = folder / CARD
    if not file.is_file():
        return ModelCard()
    try:
        return from_json_value(ModelCard, json.loads(_text(file, file.parent)))
    except (ValueError, TypeError, RecursionError) as error:
        log.warn(f"The model card cannot be read: {error}", where=str(file), rule="grid.card")
        return ModelCard()


def _summary(file: Path, folder: Path, log: ProblemLog) -> dict[str, dict[str, float]]:
    lines = [line.split("|") for line in _text(file, folder).splitlines() if line]
    if len(lines) < 2 or "Dataset" not in lines[0]:
        log.error(
            "This is not a summary of “score imdl”", where=str(file), hint="score the run again"
        )
        return {}
    found = {}
    for row, line in enumerate(lines[1:], start=2):
        cells = dict(zip(lines[0], line, strict=False))
        if "Dataset" not in cells:
            log.error(
                f"Row {row} is too short to name a dataset",
                where=str(file),
                hint="score the run again",
            )
            continue
        found[cells["Dataset"]] = {
            name: number for name, cell in cells.items() if (number := number_in(cell)) is not None
        }
    return found


def _log_numbers(file: Path, card: ModelCard, log: ProblemLog) -> dict[str, dict[str, float]]:
    """The last line about each dataset; earlier ones are of earlier checkpoints."""
    tested = []
    for number, line in enumerate(_text(file, file.parent).splitlines(), start=1):
        try:
            document = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            log.warn("The line is not JSON", where=f"{file}:{number}", hint="the line is ignored")
            continue
        if isinstance(document, dict) and any(key in document for key in _LOG_KEYS.values()):
            tested.append(document)
    names = card.test_sets
    if not names or not tested or len(tested) % len(names):
        log.error(
            f"The log has {len(tested)} tests, which cannot be assigned to {len(names)} datasets",
            where=str(file),
            hint=f"list the datasets of each checkpoint in order as test_sets in {CARD}",
            rule="grid.log",
        )
        return {}
    last = zip(names, tested[-len(names) :], strict=True)
    return {name: _logged(document) for name, document in last}


def _logged(document: Mapping[str, object]) -> dict[str, float]:
    found = {metric: number_of(document.get(key)) for metric, key in _LOG_KEYS.items()}
    return {metric: number for metric, number in found.items() if number is not None}


def _text(file: Path, folder: Path) -> str:
    try:
        if not is_own_file(file, folder):
            hint = "copy the file itself there"
            raise UsageError("Links and pipes are not read", where=file, hint=hint)
        if file.stat().st_size > _MOST_BYTES:
            raise UsageError("The file is too large", where=file)
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError("The file cannot be read", where=file) from error

"""A whole dataset of one year with every task of its plan, and what the program makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import choose_task, open_dataset, open_submission
from forensicviewer.cli import main
from forensicviewer.core.model import Dataset, Submission, Task
from forensicviewer.core.table.text_table import Table
from tests.plans.build import PlanDataset, PlanSubmission
from tests.plans.columns import YEARS
from tests.plans.submissions import BUILDERS, TASKS, describe

# The beginning of a table's name → the task it belongs to.
_TASKS = {
    "manipulation-image": "manipulation",
    "manipulation-video": "video",
    "manipulation": "manipulation",
    "removal": "removal",
    "splice": "splice",
    "provenancefiltering": "filtering",
    "provenance": "provenance",
    "eventverification": "event",
    "cameraverification": "camera",
    "traindata": "camera",
}


@dataclass
class Whole:
    """The dataset and a perfect answer to each task, written and opened once."""

    year: str
    folder: Path
    dataset: Dataset
    answers: dict[str, PlanSubmission]
    _headlines: dict[tuple[str, ...], dict[str, str]] = field(default_factory=dict)

    def task(self, name: str) -> Task:
        return choose_task(self.dataset, name)

    def submission(self, name: str) -> Submission:
        return open_submission(self.answers[name].root, task=self.task(name))

    def score(self, name: str, *options: str) -> dict[str, str]:
        """The headline of ``score all`` over a task: ``AUC`` is that of detection, where it ran."""
        asked = (name, *options)
        if asked not in self._headlines:
            out = self.folder / "out" / str(len(self._headlines))
            paths = [str(self.dataset.root), str(self.answers[name].root)]
            kind = ["--task", name] if name in ("provenance", "filtering") else []
            assert (
                main(["score", "all", *paths, *kind, *options, "--out", str(out), "--quiet"]) == 0
            )
            found: dict[str, str] = {}
            # What two scorers call the same is told apart: "mask AUC" beside AUC of detection.
            for path in sorted(out.glob("*/summary.json")):
                own = _flat(json.loads(path.read_text("utf-8")))
                found |= {f"{path.parent.name} {label}": text for label, text in own.items()}
                found = own | found
            self._headlines[asked] = found
        return self._headlines[asked]

    def table(self, name: str) -> Table | None:
        """The opened table that a table of the plan became."""
        start = next(word for word in _TASKS if name.startswith(word))
        task = self.task(_TASKS[start])
        roles = {
            "traindata": task.training,
            "-index": task.index,
            "-probejournaljoin": task.probe_journals,
            "-journalmask": task.journal_masks,
            "-node": task.nodes,
            "-ref": task.reference,
        }
        return next(table for end, table in roles.items() if name.endswith(end))


def _flat(document: object) -> dict[str, str]:
    """Every text of a summary by its name."""
    found: dict[str, str] = {}
    if isinstance(document, dict):
        for name, value in document.items():
            found |= {name: value} if isinstance(value, str) else _flat(value)
    return found


def build_whole(folder: Path, year: str) -> Whole:
    plan = PlanDataset.of(folder, year)
    answers = {}
    for task in TASKS[year]:
        add, answer = BUILDERS[task]
        add(plan)
        answers[task] = answer(folder / task, year)
        describe(answers[task])
        answers[task].write()
    return Whole(year, folder, open_dataset(plan.write()), answers)


Statement = tuple[str, str, Callable[[Whole], object]]


def columns_of(year: str) -> Iterator[tuple[str, str, str]]:
    """(section, table, column) of everything the plan lists."""
    for name, table in YEARS[year].tables.items():
        for column in table.columns:
            yield table.section, name, column


def assert_opened(whole: Whole, table: str, column: str) -> None:
    opened = whole.table(table)
    assert opened is not None
    assert column in opened
    own = YEARS[whole.year].tables[table]
    stored = (Path(whole.dataset.root) / own.path).read_text("utf-8").splitlines()[1:]
    cells = [line.split("|")[own.columns.index(column)] for line in stored]
    assert list(opened[column]) == cells


def outputs_of(year: str) -> Iterator[tuple[str, str, str]]:
    """(section, task, column) of every output table the plan lists."""
    of = {"filtering": "provenance", "video": "video" if year == "MFC2019" else "manipulation"}
    for task in TASKS[year]:
        output = YEARS[year].outputs[of.get(task, "manipulation" if task == "removal" else task)]
        for column in output.columns:
            yield output.section, task, column


def assert_asked_for(
    whole: Whole, task: str, column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A column that a submission lacks is missed, unless the plan calls it optional."""
    answers = whole.answers[task]
    assert column in whole.submission(task).table
    text = (answers.root / f"{answers.name}.csv").read_text("utf-8")
    lines = [line.split("|") for line in text.splitlines()]
    place = lines[0].index(column)
    kept = ["|".join(line[:place] + line[place + 1 :]) for line in lines]
    copy = tmp_path / answers.name
    copy.mkdir()
    (copy / f"{answers.name}.csv").write_text("\n".join(kept) + "\n", "utf-8")
    paths = [str(whole.dataset.root), str(copy)]
    main(["validate", *paths, "--task", task, "--rules", "plan", "--no-masks", "--json"])
    found = json.loads(capsys.readouterr().out)["findings"]
    # Without the column that names the probe it cannot even be opened.
    missed = [each for each in found if each["rule"] in ("columns.required", "submission.opens")]
    masks = ("OutputProbeMaskFileName", "ProbeOptOutPixelValue")
    assert bool(missed) is not (task == "video" and column in masks)
    for each in missed:
        assert each["section"] or each["rule"] == "submission.opens"


def is_perfect(task: str, *names: str) -> Callable[[Whole], None]:
    """These numbers are 1 for the perfect answers, by every rule set."""

    def check(whole: Whole) -> None:
        for rules in ("mediscore", "plan"):
            found = whole.score(task, "--rules", rules)
            assert {name: found[name] for name in names} == dict.fromkeys(names, "1.0")

    return check

"""Makes the report of a submission, or of several beside each other: a set."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from forensicviewer.app.datasets.answered_task import scorers_for
from forensicviewer.app.masks.settings import evaluation_settings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.reports.making import (
    LIMITS,
    METHOD,
    MOST_ROWS,
    ReportHeading,
    evaluated_state,
)
from forensicviewer.app.reports.model import Report, ReportImage, ReportTable, Section
from forensicviewer.app.reports.pictures import sorted_picture, trial_pictures
from forensicviewer.app.results.request import RunRequest
from forensicviewer.app.results.scorers import SCORERS
from forensicviewer.app.workbench.state import Scoring
from forensicviewer.core.model import Submission, Task, TaskKind, TrialId, key_columns, trial_id
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.rules import MEDISCORE
from forensicviewer.sources.media.images import digest

_WORST = 3
_TRIAL_COLUMNS = ("ProbeFileID", "DonorFileID", "OptimumMCC", "OptimumNMM", "OptimumThreshold")
_RANKED = ("OptimumMCC", "pOptimumMCC")


def submission_report(
    task: Task, submissions: Sequence[Submission], heading: ReportHeading, *, dataset: Path
) -> Report:
    """The averages and trials of one submission, or of several beside each other (a set).

    The numbers are those of ``score`` at the evaluation's settings.
    """
    word = _scorer_of(task, submissions)
    scored = {one.name: _scored(word, task, one) for one in submissions}
    lines = {name: _averages(word, output) for name, output in scored.items()}
    names = tuple(dict.fromkeys(name for line in lines.values() for name in line))
    rows = tuple((name, *(line.get(n, "") for n in names)) for name, line in lines.items())
    sections = [_averaged(names, rows)]
    for one in submissions:
        sections += _about(task, one, scored[one.name])
    first = next(iter(scored.values()))
    sections.append(_settings(first.settings))
    if word == "mask":
        sections.append(Section("Method", METHOD))
    sections.append(Section("Limitations", LIMITS[1:]))
    sections.append(_tables(word, task, submissions, dataset))
    title = f"Submission {submissions[0].name}" if len(submissions) == 1 else "Set of submissions"
    facts = (*heading.facts(), ("Dataset", dataset.name), ("Task", task.name), ("Scorer", word))
    return Report(title, facts, tuple(sections))


def _settings(settings: Mapping[str, object]) -> Section:
    """What a run was asked for; switches, of which there are many, in a separate table."""
    nested = {name: value for name, value in settings.items() if isinstance(value, dict)}
    plain = tuple((name, _format(value)) for name, value in settings.items() if name not in nested)
    switches = [(name, _format(one)) for each in nested.values() for name, one in each.items()]
    grids = [ReportTable(("Setting", "Value"), plain)]
    grids += [ReportTable(("Switch", "Choice"), tuple(switches))] if switches else []
    return Section("Settings", grids=tuple(grids))


def _scorer_of(task: Task, submissions: Sequence[Submission]) -> str:
    common = [
        word
        for word in scorers_for(task, submissions[0])
        if word in SCORERS and all(word in scorers_for(task, one) for one in submissions)
    ]
    if not common:
        raise ScoringError("No scorer applies to all of these submissions", where=task.root)
    return common[0]


def _scored(word: str, task: Task, submission: Submission) -> ScoreOutput:
    scorer = SCORERS[word]
    request = RunRequest(Path(task.root), task, submission, MEDISCORE, Scoring())
    if word == "mask":
        asked = evaluation_settings(task)
    else:
        asked = scorer.make(**({} if word == "genai" else {"rules": MEDISCORE.name}))
    return scorer.run(request, asked, 1, lambda _done, _total: None).output


def _averages(word: str, output: ScoreOutput) -> Mapping[str, str]:
    lines = SCORERS[word].lines(output)
    return {name: cell for name, cell in lines[0][1].items() if cell.strip()} if lines else {}


def _averaged(names: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Section:
    """One row a submission, or one a number where there are many of them."""
    if len(names) <= 3:
        return Section("Averages", grids=(ReportTable(("Submission", *names), rows),))
    turned = tuple((name, *(row[place + 1] for row in rows)) for place, name in enumerate(names))
    return Section("Averages", grids=(ReportTable(("Average", *(row[0] for row in rows)), turned),))


def _about(task: Task, one: Submission, output: ScoreOutput) -> list[Section]:
    table = next((each for each in output.tables if each.name.endswith("perimage.csv")), None)
    records: Sequence[Mapping[str, str]] = () if table is None else table.records()
    columns = tuple(c for c in (*_TRIAL_COLUMNS, "AUC") if records and c in records[0])
    if not columns:
        return []
    rows = tuple(tuple(record[c] for c in columns) for record in records[:MOST_ROWS])
    more = (
        () if len(records) <= MOST_ROWS else (f"The first {MOST_ROWS} of {len(records)} trials.",)
    )
    scores = _mcc_of(records)
    curve = sorted_picture([number for number, _ in scores], "MCC of every scored trial, sorted")
    pictures: tuple[ReportImage, ...] = () if curve is None else (curve,)
    found = [Section(f"Trials of {one.name}", more, pictures, (ReportTable(columns, rows),))]
    if task.kind is not TaskKind.VIDEO and scores:
        found.append(_worst(task, one, scores))
    return found


def _mcc_of(records: Sequence[Mapping[str, str]]) -> list[tuple[float, Mapping[str, str]]]:
    """The scored trials with their MCC, the worst first."""
    column = next((name for name in _RANKED if records and name in records[0]), None)
    if column is None:
        return []
    numbers = [(_number(record[column]), record) for record in records]
    scored = [(number, record) for number, record in numbers if not math.isnan(number)]
    return sorted(scored, key=lambda pair: pair[0])


def _worst(
    task: Task, one: Submission, scores: Sequence[tuple[float, Mapping[str, str]]]
) -> Section:
    """The outcomes of the trials with the lowest MCC."""
    keys, pictures = key_columns(task.kind), []
    for number, record in scores[:_WORST]:
        trial = TrialId(str(trial_id(record[name] for name in keys)))
        drawn = trial_pictures(evaluated_state(task, one, trial))
        if drawn:
            last = drawn[-1]
            caption = f"{trial}, MCC {number:.4f}: {last.caption}"
            pictures.append(ReportImage(last.png, caption, last.legend))
    return Section(f"Lowest scores of {one.name}", pictures=tuple(pictures))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _tables(word: str, task: Task, submissions: Sequence[Submission], dataset: Path) -> Section:
    files = [Path(task.root) / name for name in task.files.values()]
    files += [Path(one.root) / one.table.name for one in submissions]
    rows = tuple((path.name, digest(path)) for path in files if path.is_file())
    commands = tuple(
        shlex.join(
            ["forensicviewer", "score", word, str(dataset), str(one.origin)]
            + ([] if word == "genai" else ["--task", task.name])
            + ["--out", f"scores-{number}"]
        )
        for number, one in enumerate(submissions, start=1)
    )
    words = ("Each command writes the score files of one submission with all numbers above.",)
    return Section(
        "Reproduce", words, grids=(ReportTable(("Table", "SHA-256"), rows),), commands=commands
    )


def _format(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)

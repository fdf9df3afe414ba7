"""Makes reports: of a trial, a dispute, a submission, a set of submissions, a review."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.claims.search import Explained, also_text, command_of, texts_of, written
from forensicviewer.app.judging.measuring import measure, state_of, with_digests
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.language.words import in_english
from forensicviewer.app.masks.run import score_masks, settings_of
from forensicviewer.app.masks.settings import evaluation_settings
from forensicviewer.app.report.numbers import printed, printed_count
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.reports.model import Grid, Picture, Report, Section
from forensicviewer.app.reports.pictures import curve_picture, trial_pictures
from forensicviewer.app.reports.reproduce import measure_command, score_command_of
from forensicviewer.app.workbench.evaluation import differences
from forensicviewer.app.workbench.state import Snap, ViewState
from forensicviewer.core.measurement import Measurement
from forensicviewer.core.model import Side, Submission, Task, TrialId
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.verdict import Verdict, fates
from forensicviewer.sources.media.images import digest

_MOST_ROWS = 200
_METHOD = (
    "A system mask is compared with the reference pixel by pixel. The reference is eroded and "
    "dilated by the kernels below; pixels between the two, and those of operations that are not "
    "selected, are not scored. A pixel is called manipulated when its grey value is at most the "
    "threshold (NIST's masks are black where manipulated). MCC, NMM and BWL1 are NIST's, counted "
    "in whole numbers.",
)
_LIMITS = (
    "Images are shown reduced and are no substitute for the files; the digests name the files that "
    "were measured.",
    "A number is about one mask, one reference and these settings. It says nothing about whether "
    "the reference is right.",
    "Names of judges are as they were written; the report is not signed.",
)


@dataclass(frozen=True, slots=True)
class Heading:
    """Whose report it is; blank ones are left out."""

    case: str = ""
    judge: str = ""
    checker: str = ""
    note: str = ""
    made_at: str = ""

    def facts(self) -> tuple[tuple[str, str], ...]:
        when = self.made_at or datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        named = (
            ("Case", self.case),
            ("Judge", self.judge),
            ("Checked by", self.checker),
            ("Note", self.note),
            ("Made", when),
            ("Program", f"forensicviewer {__version__}"),
        )
        return tuple((name, value) for name, value in named if value)


def evaluated_state(task: Task, submission: Submission | None, trial_id: TrialId) -> ViewState:
    """A trial as the evaluation scores it, at its optimum; reads its files."""
    usual = evaluation_settings(task)
    asked = Measurement(
        task.name,
        str(trial_id),
        Side.PROBE.value,
        "" if submission is None else submission.name,
        bit_planes=usual.bit_planes,
    )
    return state_at(asked, task, submission)


def state_at(asked: Measurement, task: Task, submission: Submission | None) -> ViewState:
    """A trial with the settings of a measurement, at the optimum where that has no threshold."""
    state = state_of(asked, task, submission)
    if asked.threshold is not None:
        return state
    sweep = None if state.loaded is None else state.loaded.sweep(state.side, 0)
    best = None if sweep is None else sweep.optimum
    if best is None:
        return state
    at_best = replace(state.thresholds, main=best, snap=Snap.OPTIMUM)
    return replace(state, thresholds=at_best)


def trial_report(
    state: ViewState,
    heading: Heading,
    *,
    measured: Measurement | None = None,
    verdicts: Sequence[Verdict] = (),
    places: tuple[str, str] | None = None,
    explained: Explained | None = None,
    has_pictures: bool = True,
) -> Report:
    """A trial as a state shows it; with an explained claim, of a dispute. Reads the files.

    ``places`` are dataset and submission as the commands name them. Without images, all that is
    drawn from pixels is left out: they may not be passed on.
    """
    task = state.task
    if task is None or state.loaded is None:
        raise ScoringError("There is no trial to report")
    if measured is None:
        found = measure(state)
        if found is None:
            raise ScoringError("The trial is not read yet")
        measured = with_digests(found, task, state.submission)
    if places is None:
        places = str(task.root), "" if state.submission is None else str(state.submission.origin)
    sections = [_numbers(measured, state)]
    if explained is not None:
        sections.insert(0, claim_section(explained, Path(places[0])))
    if has_pictures:
        sections.append(Section("Images", pictures=trial_pictures(state)))
    if verdicts:
        sections.append(verdict_section(verdicts))
    sections += [_settings(measured), *_closing(measured)]
    if measured.submission:
        sections.append(_reproduced(measured, places))
    what = "Dispute about" if explained is not None else "Trial"
    facts = (
        *heading.facts(),
        ("Dataset", Path(task.root).name),
        ("Task", task.name),
        ("Submission", measured.submission),
    )
    return Report(f"{what} {measured.trial}", facts, tuple(sections))


def _reproduced(measured: Measurement, places: tuple[str, str]) -> Section:
    return Section(
        "Reproduce",
        (
            "The first command prints every number of this trial. The second writes the "
            "evaluation's score files, with the trial's optimum in the table per image.",
        ),
        commands=(
            measure_command(measured, *places),
            score_command_of(measured.task, *places),
        ),
    )


def _numbers(measured: Measurement, state: ViewState) -> Section:
    rows = tuple(
        (name, printed_count(value) if name.startswith("Pixel") else printed(value))
        for name, value in measured.metrics.items()
    )
    curve = curve_picture(state)
    pictures: tuple[Picture, ...] = () if curve is None else (curve,)
    why = [f"Not scored: {measured.unscored}"] if measured.unscored else []
    with in_english():
        if differing := differences(state):
            why.append(f"Not the evaluation's settings: {', '.join(differing)}.")
    at = (
        ()
        if measured.shown_threshold is None
        else (f"At the threshold {measured.shown_threshold}.",)
    )
    return Section(
        "Numbers", (*why, *(at if rows else ())), pictures, (Grid(("Metric", "Value"), rows),)
    )


def _settings(measured: Measurement) -> Section:
    operations = measured.operations
    rows = (
        ("Rule set", measured.rules),
        ("Kernel", measured.kernel),
        ("Erosion", f"{measured.erode_px} px"),
        ("Dilation", f"{measured.dilate_px} px"),
        ("Distraction", f"{measured.distraction_px} px"),
        ("Operations", "all" if operations is None else "; ".join(map(" ".join, operations))),
        ("Bit planes", "yes" if measured.bit_planes else "no"),
        ("Opted-out pixels", "left out" if measured.opt_out_pixels else "scored"),
        ("Side", measured.side),
    )
    switches = tuple(measured.choices.items())
    return Section(
        "Settings",
        grids=(Grid(("Setting", "Value"), rows), Grid(("Switch", "Choice"), switches)),
    )


def _closing(measured: Measurement) -> tuple[Section, ...]:
    files = tuple((one.role, one.name, one.sha256 or "not read") for one in measured.files)
    return (
        Section("Files", grids=(Grid(("Role", "File", "SHA-256"), files),)),
        Section("Method", _METHOD),
        Section("Limitations", _LIMITS),
    )


def verdict_section(verdicts: Iterable[Verdict]) -> Section:
    rows = tuple(
        (str(v.trial_id), v.judge, v.ruling.label, v.note, v.said_at, v.facts.get("MCC", ""))
        for v in verdicts
    )
    return Section(
        "Verdicts", grids=(Grid(("Trial", "Judge", "Verdict", "Note", "When", "MCC"), rows),)
    )


def claim_section(explained: Explained, dataset: Path) -> Section:
    """The claim beside the recomputed number, and what gives it."""
    claims = ", ".join(f"{one.metric} {one.text}" for one in explained.dispute.claims)
    lines = [f"Claimed: {claims}."]
    lines += [
        f"Recomputed at the evaluation's settings ({side.word}): {written(numbers)}."
        for side, numbers in explained.recomputed.items()
    ]
    lines.append(
        f"{len(explained.found)} of {explained.tried} settings tried give the claim to its printed "
        f"digits, with {explained.depth} or fewer differences from the evaluation's settings."
    )
    if explained.wants_digits:
        lines.append("More digits of the claim would tell them apart.")
    rows = []
    for one in explained.found[:_MOST_ROWS]:
        what = "; ".join(texts_of(one))
        if also := also_text(one):
            what += f" (the same with: {also})"
        rows.append((str(one.steps), what, written(one.numbers)))
    commands = [command_of(explained.dispute, one, dataset) for one in explained.simplest[:3]]
    grid = Grid(("Differences", "What differs", "Numbers"), tuple(rows))
    return Section("Claim", tuple(lines), grids=(grid,), commands=tuple(filter(None, commands)))


def submission_report(
    task: Task, submissions: Sequence[Submission], heading: Heading, *, dataset: Path
) -> Report:
    """The averages and trials of one submission, or of several beside each other (a set)."""
    settings = evaluation_settings(task)
    scored = {one.name: score_masks(task, one, settings) for one in submissions}
    names = dict.fromkeys(name for output in scored.values() for name in output.headline)
    rows = tuple(
        (name, *(output.headline.get(name, "") for name in names))
        for name, output in scored.items()
    )
    sections = [Section("Averages", grids=(Grid(("Submission", *names), rows),))]
    sections += [_trials(name, output) for name, output in scored.items()]
    told = tuple((name, _said(value)) for name, value in settings_of(settings, task).items())
    sections.append(Section("Settings", grids=(Grid(("Setting", "Value"), told),)))
    sections.append(Section("Method", _METHOD))
    sections.append(Section("Limitations", _LIMITS[1:]))
    sections.append(_tables(task, submissions, dataset))
    title = f"Submission {submissions[0].name}" if len(submissions) == 1 else "Set of submissions"
    facts = (*heading.facts(), ("Dataset", dataset.name), ("Task", task.name))
    return Report(title, facts, tuple(sections))


def _trials(name: str, output: ScoreOutput) -> Section:
    table = next((one for one in output.tables if one.name.endswith("perimage.csv")), None)
    wanted = ("ProbeFileID", "DonorFileID", "OptimumMCC", "OptimumNMM", "OptimumThreshold", "AUC")
    records: Sequence[Mapping[str, str]] = () if table is None else table.records()
    columns = tuple(c for c in wanted if records and c in records[0])
    rows = tuple(tuple(record[c] for c in columns) for record in records[:_MOST_ROWS])
    more = (
        () if len(records) <= _MOST_ROWS else (f"The first {_MOST_ROWS} of {len(records)} trials.",)
    )
    return Section(f"Trials of {name}", more, grids=(Grid(columns, rows),))


def _tables(task: Task, submissions: Sequence[Submission], dataset: Path) -> Section:
    files = [Path(task.root) / name for name in task.files.values()]
    files += [Path(one.root) / one.table.name for one in submissions]
    rows = tuple((path.name, digest(path)) for path in files if path.is_file())
    commands = tuple(
        shlex.join(
            [
                "forensicviewer",
                "score",
                "mask",
                str(dataset),
                str(one.origin),
                "--task",
                task.name,
                "--out",
                "scores",
            ]
        )
        for one in submissions
    )
    return Section("Reproduce", grids=(Grid(("Table", "SHA-256"), rows),), commands=commands)


def _said(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={one}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def review_report(book: VerdictBook, heading: Heading, *, dataset: str) -> Report:
    """Every verdict ever given on a dataset, and what became of it."""
    rows = tuple(
        (v.task, str(v.trial_id), v.judge, v.ruling.label, fate.value, v.note, v.said_at)
        for v, fate in fates(book.entries)
    )
    columns = ("Task", "Trial", "Judge", "Verdict", "Fate", "Note", "When")
    troubles = tuple(str(problem) for problem in book.problems)
    sections = [Section("Verdicts", grids=(Grid(columns, rows),))]
    if troubles:
        sections.append(Section("Problems of the logs", troubles))
    logs = tuple((log.name, digest(log)) for log in book.logs if log.is_file())
    sections.append(Section("Logs", grids=(Grid(("File", "SHA-256"), logs),)))
    sections.append(Section("Limitations", _LIMITS[2:]))
    return Report("Review", (*heading.facts(), ("Dataset", dataset)), tuple(sections))

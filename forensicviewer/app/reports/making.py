"""Makes the report of a trial, or of a dispute about its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.claims.search import (
    ExplainedClaim,
    also_text,
    command_of,
    texts_of,
    written,
)
from forensicviewer.app.judging.measuring import measure, state_of, with_digests
from forensicviewer.app.language.words import in_english
from forensicviewer.app.masks.settings import evaluation_settings
from forensicviewer.app.report.numbers import printed, printed_count
from forensicviewer.app.reports.model import CASE, Report, ReportImage, ReportTable, Section
from forensicviewer.app.reports.pictures import curve_picture, trial_pictures
from forensicviewer.app.reports.reproduce import measure_command, score_command_of
from forensicviewer.app.workbench.evaluation import differences
from forensicviewer.app.workbench.state import Snap, ViewState
from forensicviewer.core.measurement import Measurement
from forensicviewer.core.model import Side, Submission, Task, TrialId
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.verdict import Verdict

MOST_ROWS = 200
METHOD = (
    "A system mask is compared with the reference pixel by pixel. The reference is eroded and "
    "dilated by the kernels below; pixels between the two, and those of operations that are not "
    "selected, are not scored. A pixel is called manipulated when its grey value is at most the "
    "threshold (NIST's masks are black where manipulated). MCC, NMM and BWL1 are NIST's, counted "
    "in whole numbers.",
)
LIMITS = (
    "Images are shown at reduced size and do not replace the files; the digests identify the "
    "measured files.",
    "Each number is about one mask, one reference and these settings. It does not show "
    "whether the reference is correct.",
    "Names of judges are shown as entered; the report is not signed.",
)


@dataclass(frozen=True, slots=True)
class ReportHeading:
    """Whose report it is; blank ones are left out."""

    case: str = ""
    judge: str = ""
    checker: str = ""
    note: str = ""
    made_at: str = ""

    def facts(self) -> tuple[tuple[str, str], ...]:
        when = self.made_at or datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        named = (
            (CASE, self.case),
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
    heading: ReportHeading,
    *,
    measured: Measurement | None = None,
    verdicts: Sequence[Verdict] = (),
    places: tuple[str, str] | None = None,
    explained: ExplainedClaim | None = None,
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
            raise ScoringError("The trial has not been read yet")
        measured = with_digests(found, task, state.submission)
    if places is None:
        places = str(task.root), "" if state.submission is None else str(state.submission.origin)
    sections = [_numbers(measured, state)]
    if explained is not None:
        sections.insert(0, claim_section(explained, Path(places[0])))
    if has_pictures:
        marks = tuple(mark for verdict in verdicts for mark in verdict.examined.marks)
        shown = replace(state, marks=marks or state.marks)
        sections.append(Section("Images", pictures=trial_pictures(shown)))
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
            "The first command prints all numbers of this trial. The second writes the "
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
    pictures: tuple[ReportImage, ...] = () if curve is None else (curve,)
    why = [f"Not scored: {measured.unscored}"] if measured.unscored else []
    with in_english():
        if differing := differences(state):
            why.append(f"Different from the evaluation's settings: {', '.join(differing)}.")
    at = (
        ()
        if measured.shown_threshold is None
        else (f"At the threshold {measured.shown_threshold}.",)
    )
    return Section(
        "Numbers",
        (*why, *(at if rows else ())),
        pictures,
        (ReportTable(("Metric", "Value"), rows),),
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
        ("Opted-out pixels", "excluded" if measured.opt_out_pixels else "scored"),
        ("Side", measured.side),
    )
    switches = tuple(measured.choices.items())
    return Section(
        "Settings",
        grids=(
            ReportTable(("Setting", "Value"), rows),
            ReportTable(("Switch", "Choice"), switches),
        ),
    )


def _closing(measured: Measurement) -> tuple[Section, ...]:
    files = tuple((one.role, one.name, one.sha256 or "not read") for one in measured.files)
    return (
        Section("Files", grids=(ReportTable(("Role", "File", "SHA-256"), files),)),
        Section("Method", METHOD),
        Section("Limitations", LIMITS),
    )


def verdict_section(verdicts: Iterable[Verdict]) -> Section:
    verdicts = tuple(verdicts)
    rows = tuple(
        (
            *(str(v.trial_id), v.judge, v.ruling.label, v.note),
            *(spoken_time(v.said_at), v.facts.get("MCC", "")),
        )
        for v in verdicts
    )
    said = ReportTable(("Trial", "Judge", "Verdict", "Note", "When (UTC)", "MCC"), rows)
    return Section("Verdicts", grids=(said.without_blank_columns(), *examined_grid(verdicts)))


def spoken_time(said_at: str) -> str:
    """The time of a log, to the second: 2026-05-17T08:30:12.123+00:00 and what is like it."""
    return said_at[:19].replace("T", " ")


def examined_grid(verdicts: Iterable[Verdict]) -> tuple[ReportTable, ...]:
    """The answers of the checklist and the marks, where judges gave any."""
    rows = tuple(
        (str(v.trial_id), v.judge, what, found)
        for v in verdicts
        for what, found in v.examined.describe()
    )
    return (ReportTable(("Trial", "Judge", "Checked or marked", "Finding"), rows),) if rows else ()


def claim_section(explained: ExplainedClaim, dataset: Path) -> Section:
    """The claim beside the recomputed number, and what gives it."""
    claims = ", ".join(f"{one.metric} {one.text}" for one in explained.dispute.claims)
    lines = [f"Claimed: {claims}."]
    lines += [
        f"Recomputed at the evaluation's settings ({side.word}): {written(numbers)}."
        for side, numbers in explained.recomputed.items()
    ]
    found, steps = len(explained.found), explained.depth
    lines.append(
        f"{found} of {explained.tried} settings tried {'gives' if found == 1 else 'give'} the "
        f"claimed number to its printed digits, with at most {steps} "
        f"{'difference' if steps == 1 else 'differences'} from the evaluation's settings."
    )
    if explained.wants_digits:
        lines.append("More digits of the claimed number would distinguish them.")
    rows = []
    for one in explained.found[:MOST_ROWS]:
        what = "; ".join(texts_of(one))
        if also := also_text(one):
            what += f" (the same with: {also})"
        rows.append((str(one.steps), what, written(one.numbers)))
    commands = [command_of(explained.dispute, one, dataset) for one in explained.simplest[:3]]
    grid = ReportTable(("Differences", "What differs", "Numbers"), tuple(rows))
    return Section("Claim", tuple(lines), grids=(grid,), commands=tuple(filter(None, commands)))

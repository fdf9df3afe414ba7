"""What a search for suspects writes: a table, a page with images, rows for programs."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from forensicviewer.app.quality.evidence_image import evidence_image
from forensicviewer.app.quality.search import CheckedReferences
from forensicviewer.app.report.html_page import html_document, html_table
from forensicviewer.app.report.separated_text import as_text
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.core.model import Dataset, Submission, Task
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.quality.rule import RULE_OF, RULES, TrialSuspect
from forensicviewer.sources.media.png import encode_png

COLUMNS = ("Task", "Trial", "Rule", "Severity", "Evidence", "Remedy")
CSV, PAGE = "suspects.csv", "suspects.html"
_MOST_IMAGES = 200


def report_title(dataset: Dataset) -> str:
    return f"Suspect references of {dataset.name}"


def verdict_note(one: TrialSuspect, *, is_fault: bool) -> str:
    """What a verdict about a suspect notes."""
    text = f"{one.suspect.rule}: {one.suspect.evidence}"
    return text if is_fault else f"Not a fault ({text})"


def rows_of(findings: CheckedReferences) -> list[list[str]]:
    """One row a suspect, in the order of :data:`COLUMNS`."""
    return [
        [
            one.task,
            str(one.trial),
            one.suspect.rule,
            one.suspect.level.value,
            one.suspect.evidence,
            one.suspect.mending,
        ]
        for one in findings.suspects
    ]


def document(findings: CheckedReferences, off: Sequence[str]) -> dict[str, object]:
    """The same for programs, with the rules that looked."""
    names = [column.lower() for column in COLUMNS]
    return {
        "trials": findings.trials,
        "rows": [dict(zip(names, row, strict=True)) for row in rows_of(findings)],
        "rules": [
            {
                "rule": rule.name,
                "title": rule.title,
                "severity": rule.severity.value,
                "false_alarms": rule.rate,
                "off": rule.name in off,
            }
            for rule in RULES
        ],
    }


def as_csv(findings: CheckedReferences) -> str:
    return as_text(COLUMNS, rows_of(findings), separator=",")


def write_report(
    folder: Path,
    findings: CheckedReferences,
    tasks: Sequence[Task],
    submissions: Sequence[Submission],
    *,
    title: str,
    check: Callable[[], None] = lambda: None,
) -> tuple[Path, ...]:
    """Write the table and the page into a folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    page = as_page(findings, tasks, submissions, title=title, check=check)
    write_atomically(folder / CSV, as_csv(findings))
    write_atomically(folder / PAGE, page)
    return folder / CSV, folder / PAGE


def as_page(
    findings: CheckedReferences,
    tasks: Sequence[Task],
    submissions: Sequence[Submission],
    *,
    title: str,
    check: Callable[[], None] = lambda: None,
) -> str:
    """A page that needs no other file: the suspects, an image of each trial, and the rules."""
    by_name = {task.name: task for task in tasks}
    trials: dict[tuple[str, int], list[TrialSuspect]] = {}
    for one in findings.suspects:
        trials.setdefault((one.task, one.row), []).append(one)
    rules = [(rule.name, rule.title, rule.severity.value, rule.rate, rule.remedy) for rule in RULES]
    sections = [
        f"<p>{len(findings.suspects)} suspects in {findings.trials} trials. The images show "
        "the probe and its difference from the base image (or the regions on which systems "
        "agree), both with the outline of the mask; the mask; and, where a suspect names "
        "one, the probe of another trial. A box marks the largest place that a suspect "
        "concerns; a small place is shown enlarged beside the mask.</p>",
        "<h2>Suspects</h2>" + html_table(COLUMNS, rows_of(findings)),
        "<h2>Evidence</h2>",
    ]
    for (task, _), suspects in list(trials.items())[:_MOST_IMAGES]:
        check()
        sections.append(_section(by_name[task], suspects, submissions))
    heads = ("Rule", "What it finds", "Severity", "False alarms on clean data", "Remedy")
    sections.append("<h2>Rules</h2>" + html_table(heads, rules))
    return html_document(title, sections, has_pictures=True)


def _section(
    task: Task, suspects: Sequence[TrialSuspect], submissions: Sequence[Submission]
) -> str:
    first = suspects[0]
    # One image, and one more for each other trial it is about.
    shown = {one.suspect.other: one for one in reversed(suspects)}
    chosen = [one for other, one in shown.items() if other is not None] or [first]
    images = "".join(_image(task, one, submissions) for one in chosen)
    items = "".join(
        f"<li><b>{escape(RULE_OF[one.suspect.rule].title)}.</b> {escape(one.suspect.evidence)}."
        f" {escape(one.suspect.mending)}.</li>"
        for one in suspects
    )
    return f"<h3>{escape(str(first.trial))} · {escape(first.task)}</h3><ul>{items}</ul>{images}"


def _image(task: Task, one: TrialSuspect, submissions: Sequence[Submission]) -> str:
    try:
        image = evidence_image(task, one, submissions)
    except ForensicViewerError:
        image = None
    if image is None:
        return ""
    encoded = base64.b64encode(encode_png(image)).decode()
    about = escape(f"{one.trial}: {RULE_OF[one.suspect.rule].title}", quote=True)
    return f'<p><img src="data:image/png;base64,{encoded}" alt="{about}"></p>'

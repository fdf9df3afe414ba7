"""Verdicts as something to hand over: a page or an archive with tables, images and the logs."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from forensicviewer.app.judging.anchor import anchor_path
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.judging.verdict_table import describe_settings, verdict_table
from forensicviewer.app.report.html_page import html_document, html_table
from forensicviewer.app.report.separated_text import as_text
from forensicviewer.app.runtime.atomic import write_atomically, write_bytes
from forensicviewer.core.verdict import Entry, Fate, Standing, Verdict, about_task, fates, fold

PAGE, ARCHIVE = ".html", ".zip"
_DECIDED = ("Task", "Trial", "Decision")


@dataclass(frozen=True, slots=True)
class ReportedVerdict:
    """A verdict, what became of it, and the image (PNG) of what it is about, if there is one.

    ``check`` says whether its numbers came out again from its recorded settings.
    """

    verdict: Verdict
    fate: Fate
    picture: bytes | None = None
    check: str = ""


def report_verdicts(book: VerdictBook) -> tuple[ReportedVerdict, ...]:
    """Everything ever said about a dataset, still without images."""
    return tuple(ReportedVerdict(verdict, fate) for verdict, fate in fates(book.exported))


def write_findings(
    path: Path, findings: Sequence[ReportedVerdict], book: VerdictBook, *, title: str
) -> None:
    """Write a page with everything in it, or an archive; the file's name decides."""
    if path.suffix.lower() == PAGE:
        write_atomically(path, _page(findings, book, title))
    else:
        write_bytes(path, _archive(findings, book, title))


def decisions(entries: Sequence[Entry]) -> tuple[tuple[str, ...], list[list[str]]]:
    """One row a trial: what stands, and what each judge says."""
    judges = sorted({entry.judge for entry in entries})
    tasks = sorted({entry.task for entry in entries if isinstance(entry, Verdict)})
    rows = []
    for task in tasks:
        # What names no task counts for every one; here it stands once, by itself.
        about = about_task(entries, task)
        own = [e for e in about if not isinstance(e, Verdict) or e.task == task]
        rows += [_decision(task, standing, judges) for standing in fold(own).values()]
    return (*_DECIDED, *judges), rows


def _decision(task: str, standing: Standing, judges: Iterable[str]) -> list[str]:
    by_judge = {verdict.judge: verdict for verdict in standing.opinions}
    cells = [_ruled(by_judge[judge]) if judge in by_judge else "" for judge in judges]
    return [task, str(standing.trial_id), standing.label, *cells]


def _ruled(verdict: Verdict) -> str:
    note = " ".join(verdict.note.split())
    return f"{verdict.ruling.label}: {note}" if note else verdict.ruling.label


def _page(findings: Sequence[ReportedVerdict], book: VerdictBook, title: str) -> str:
    columns, rows = decisions(book.exported)
    sections = [
        "<h2>Decisions</h2>" + html_table(columns, rows),
        *(f"<p>{escape(line)}</p>" for line in book.proof),
        "<h2>Findings</h2>",
        *(_section(finding) for finding in findings),
    ]
    return html_document(title, sections, has_pictures=True)


def _section(finding: ReportedVerdict) -> str:
    verdict = finding.verdict
    rows = [
        ("Judge", verdict.judge),
        ("Verdict", f"{verdict.ruling.label} ({finding.fate.value})"),
        ("Note", verdict.note),
        ("When", verdict.said_at),
        ("Reason", verdict.reason),
        *verdict.examined.describe(),
        *verdict.facts.items(),
        *((what, value) for one in verdict.measured[:1] for what, value in describe_settings(one)),
        ("Check", finding.check),
    ]
    name = f"{verdict.trial_id} · {verdict.task}" if verdict.task else str(verdict.trial_id)
    picture = ""
    if finding.picture is not None:
        encoded = base64.b64encode(finding.picture).decode()
        about = escape(f"{name}: {verdict.ruling.label}", quote=True)
        picture = f'<p><img src="data:image/png;base64,{encoded}" alt="{about}" width="100%"></p>'
    facts = html_table(("What", "Value"), [(what, value) for what, value in rows if value])
    return f"<h3>{escape(name)}</h3>{picture}{facts}"


def _archive(findings: Sequence[ReportedVerdict], book: VerdictBook, title: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        names = [_picture_name(number, one) for number, one in enumerate(findings, start=1)]
        columns, rows = verdict_table([(one.verdict, one.fate) for one in findings])
        named = zip(rows, names, findings, strict=True)
        finished = [[*row, name, one.check] for row, name, one in named]
        archive.writestr(
            "findings.csv", as_text([*columns, "Image", "Check"], finished, separator=",")
        )
        archive.writestr("decisions.csv", as_text(*decisions(book.exported), separator=","))
        archive.writestr("report.html", _page(findings, book, title))
        for name, finding in zip(names, findings, strict=True):
            if finding.picture is not None:
                archive.writestr(name, finding.picture)
        for log in book.exported_logs:
            for kept in (log, anchor_path(log)):
                if kept.exists():
                    archive.write(kept, f"logs/{kept.name}")
    return held.getvalue()


def _picture_name(number: int, finding: ReportedVerdict) -> str:
    if finding.picture is None:
        return ""
    plain = re.sub(r"[^\w.+-]+", "-", str(finding.verdict.trial_id))[:80]
    return f"pictures/{number:03d}-{plain}.png"

"""Verdicts as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from forensicviewer.app.judging.log_file import SUFFIX
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.report.numbers import printed
from forensicviewer.app.report.separated_text import write_table
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.core.measurement import Measurement
from forensicviewer.core.verdict import Fate, Verdict, fates


def write_verdicts(book: VerdictBook, path: Path) -> None:
    """Write every verdict ever given, or this judge's log as it is for another judge to add."""
    if path.name.lower().endswith(SUFFIX):
        write_bytes(path, book.log_path.read_bytes())
        return
    write_table(path, *verdict_table(fates(book.read_again().exported)))


def verdict_table(
    said: Sequence[tuple[Verdict, Fate]],
) -> tuple[Sequence[str], list[list[str]]]:
    """The columns and rows of a table of verdicts."""
    facts = sorted({name for verdict, _ in said for name in verdict.facts})
    settings = list(dict.fromkeys(name for verdict, _ in said for name in _settings(verdict)))
    has_reasons = any(verdict.reason for verdict, _ in said)
    is_examined = any(verdict.examined for verdict, _ in said)
    rows = [
        [
            *(verdict.trial_id, verdict.task, verdict.judge, _ruled(verdict), fate.value),
            *(verdict.note, verdict.said_at),
            *([verdict.reason] if has_reasons else []),
            *(["; ".join(map(": ".join, verdict.examined.describe()))] if is_examined else []),
            *(verdict.facts.get(name, "") for name in facts),
            *(_settings(verdict).get(name, "") for name in settings),
        ]
        for verdict, fate in said
    ]
    columns = ["Trial", "Task", "Judge", "Verdict", "Fate", "Note", "When"]
    columns += [*(["Reason"] if has_reasons else []), *(["Examined"] if is_examined else [])]
    columns += [*facts, *settings]
    return columns, rows


def _ruled(verdict: Verdict) -> str:
    words = verdict.ruling.label
    return f"Decision: {words}" if verdict.is_decision else words


def describe_settings(measured: Measurement) -> tuple[tuple[str, str], ...]:
    """What a number was computed with, in the words of tables and pages."""
    chosen = measured.operations
    operations = "all" if chosen is None else "; ".join(" ".join(key) for key in chosen) or "none"
    widths = (measured.erode_px, measured.dilate_px, measured.distraction_px)
    kernels = "erode {} px, dilate {} px, distraction {} px".format(*widths)
    turned = ", ".join(f"{key}={choice}" for key, choice in sorted(measured.choices.items()))
    settings = (
        ("Kernel", f"{measured.kernel}: {kernels}"),
        ("Operations", operations),
        ("Bit planes", "yes" if measured.bit_planes else "no"),
        ("Opted-out pixels", "excluded" if measured.opt_out_pixels else "as in the rule set"),
        ("Rule choices", turned),
        ("Evaluation's threshold", "" if measured.actual is None else str(measured.actual)),
        ("Frame", "" if measured.frame is None else str(measured.frame)),
        ("Stretch", "" if measured.stretch is None else "{} to {}".format(*measured.stretch)),
        *((name, printed(number)) for name, number in measured.metrics.items() if name != "MCC"),
        *((f"{one.role.capitalize()} ({one.name})", one.sha256) for one in measured.files),
    )
    return tuple((what, value) for what, value in settings if value)


def _settings(verdict: Verdict) -> dict[str, str]:
    """The settings of a verdict, with columns that are the same for every trial."""
    if not verdict.measured:
        return {}
    first = verdict.measured[0]
    settings = dict(describe_settings(replace(first, files=())))
    digests = {f"{one.role.capitalize()} digest": one.sha256 for one in first.files}
    return {**settings, **digests}

"""What a review hands over: tables of verdicts, decisions and agreement, and what is proven."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.judging.findings import decisions
from forensicviewer.app.judging.review import Agreement, Review, count_entries, status_of
from forensicviewer.app.judging.verdict_table import verdict_table
from forensicviewer.app.report.numbers import printed
from forensicviewer.app.report.separated_text import write_table
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.core.problem import Problem, UsageError
from forensicviewer.core.verdict import Retraction, fates


def export_review(review: Review, folder: Path) -> tuple[Problem, ...]:
    """Write a new folder from the logs as they are now, without honeypots; what is wrong with them.

    Nothing is overwritten.
    """
    if folder.exists():
        raise UsageError("The folder already exists", where=folder, hint="name a new folder")
    book = review.book()
    entries, agreement = count_entries(review, book), status_of(review, book).agreement
    counted = {one.id for one in entries}
    folder.mkdir(parents=True)
    write_table(folder / "verdicts.csv", *verdict_table(fates(entries)))
    write_table(folder / "decisions.csv", *decisions(entries))
    back = [
        [one.judge, one.retracts, one.reason, one.said_at]
        for one in entries
        if isinstance(one, Retraction) and one.retracts in counted
    ]
    write_table(folder / "taken-back.csv", ["Judge", "Verdict", "Reason", "When"], back)
    write_table(folder / "agreement.csv", ["What", "Value"], agreement_rows(agreement))
    wrong = [f"{one.where}: {one.message}" for one in book.problems]
    write_atomically(folder / "proof.txt", "\n".join((*book.proof, *wrong)) + "\n")
    return book.problems


def agreement_rows(agreement: Agreement) -> list[tuple[str, str]]:
    """Agreement in words and numbers; what is not defined says so."""
    pairs = [(f"Cohen's kappa, {a} and {b}", value) for a, b, value in agreement.kappas]
    numbers = [
        ("Raw agreement", agreement.raw),
        *pairs,
        ("Krippendorff's alpha", agreement.alpha),
    ]
    rows = [(what, "not defined" if one is None else printed(one)) for what, one in numbers]
    return [("Trials with two or more verdicts", str(agreement.trials)), *rows]

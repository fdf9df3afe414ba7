"""A grid of results: runs by datasets for one metric, best and second best, as text of any kind."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from forensicviewer.app.report.separated_text import as_text
from forensicviewer.app.runtime.resources import resource
from forensicviewer.core.imdl.dataset_names import dataset_key
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.sources.tables.benchmark_runs import (
    ModelCard,
    Run,
    described,
    read_card,
    read_run,
)

__all__ = [
    "METRICS",
    "WRITERS",
    "Grid",
    "GridCell",
    "Run",
    "as_csv",
    "as_html",
    "as_latex",
    "make_grid",
    "published_runs",
    "read_runs",
    "with_cards",
]

AVERAGE = "Average"
METRICS = ("F1", "IoU", "AUC", "Accuracy", "ImageF1", "ImageAUC", "ImageAccuracy")
_SOURCE = "IMDL-BenCo, published"
_CROSS = "×"  # noqa: RUF001 - the sign of the paper's tables
_TEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


@dataclass(frozen=True, slots=True)
class GridCell:
    """A number, its rank in its column and protocol (1, 2 or 0), or why there is none."""

    value: float | None = None
    rank: int = 0
    reason: str = ""

    @property
    def text(self) -> str:
        return _CROSS if self.value is None else f"{self.value:.4f}"


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Lines of cells, one for each dataset and the average of what a line has."""

    metric: str
    datasets: tuple[str, ...]
    runs: tuple[Run, ...]
    cells: tuple[tuple[GridCell, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return ("Protocol", "Model", "Size", *self.datasets, AVERAGE)

    def titles(self, run: Run) -> tuple[str, str, str]:
        name = f"{run.name} ({_SOURCE})" if run.is_published else run.name
        return run.card.protocol, name, run.card.input_size

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why cells are empty, each reason once."""
        found = (cell.reason for line in self.cells for cell in line if cell.reason)
        return tuple(dict.fromkeys(found))


def make_grid(runs: Sequence[Run], metric: str) -> Grid:
    """The runs against every dataset one of them has, under one name each."""
    runs = _named_alike(runs)
    datasets = tuple(dict.fromkeys(name for run in runs for name in (*run.numbers, *run.reasons)))
    rows = []
    for run in runs:
        row = [_cell(run, name, metric) for name in datasets]
        found = [cell.value for cell in row if cell.value is not None]
        rows.append(
            [*row, GridCell(fmean(found)) if found else GridCell(reason="nothing to average")]
        )
    protocols = [run.card.protocol for run in runs]
    ranked = zip(*(_ranked(column, protocols) for column in zip(*rows, strict=True)), strict=True)
    return Grid(metric, datasets, tuple(runs), tuple(ranked))


def _named_alike(runs: Sequence[Run]) -> list[Run]:
    """The runs with one spelling of each dataset, that of published figures where they have it.

    Two datasets of one run stay two, however alike their names are.
    """
    spelled: dict[str, str] = {}
    for run in sorted(runs, key=lambda run: not run.is_published):
        for name in (*run.numbers, *run.reasons):
            spelled.setdefault(dataset_key(name), name)
    renamed = []
    for run in runs:
        own = dict.fromkeys((*run.numbers, *run.reasons))
        keys = Counter(map(dataset_key, own))
        names = {
            name: spelled[dataset_key(name)] if keys[dataset_key(name)] == 1 else name
            for name in own
        }
        numbers = {names[name]: found for name, found in run.numbers.items()}
        reasons = {names[name]: reason for name, reason in run.reasons.items()}
        renamed.append(replace(run, numbers=numbers, reasons=reasons))
    return renamed


def published_runs(metric: str) -> tuple[Run, ...]:
    """The figures of the IMDL-BenCo paper, without those it prints differently in two places."""
    lines = resource("published/imdl-benco.csv").read_text(encoding="utf-8").splitlines()
    names, *rows = (line.split("|") for line in lines)
    found: dict[tuple[str, str], Run] = {}
    for row in rows:
        cells = dict(zip(names, row, strict=True))
        if cells["Metric"] != metric:
            continue
        key = cells["Protocol"], cells["Model"]
        card = ModelCard(cells["Model"], protocol=key[0], input_size=cells["InputSize"])
        run = found.setdefault(key, Run(key[1], {}, card, {}, is_published=True))
        numbers, reasons = dict(run.numbers), dict(run.reasons)
        if cells["Value"]:
            numbers[cells["Dataset"]] = {metric: float(cells["Value"])}
        else:
            reasons[cells["Dataset"]] = cells["Reason"]
        found[key] = Run(run.name, numbers, card, reasons, is_published=True)
    return tuple(found.values())


def as_csv(grid: Grid) -> str:
    """Separated by commas, every digit; an empty cell has its reason beside it."""
    rows = []
    for run, line in zip(grid.runs, grid.cells, strict=True):
        numbers = [_CROSS if cell.value is None else repr(round(cell.value, 10)) for cell in line]
        reasons = "; ".join(dict.fromkeys(cell.reason for cell in line if cell.reason))
        rows.append((*grid.titles(run), *numbers, reasons))
    return as_text((*grid.columns, "Reasons"), rows, separator=",")


def as_html(grid: Grid) -> str:
    """A page with one table; the best bold, the second underlined."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in grid.columns)
    body = []
    for run, line in zip(grid.runs, grid.cells, strict=True):
        titles = "".join(f"<td>{html.escape(part)}</td>" for part in grid.titles(run))
        body.append(f"<tr>{titles}{''.join(map(_html_cell, line))}</tr>")
    title = html.escape(f"Results: {grid.metric}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        "<style>body{font-family:sans-serif}td,th{padding:.2em .7em;text-align:left}"
        "tr:nth-child(even){background:#eee}</style></head>\n"
        f"<body><h1>{title}</h1>\n<table><tr>{head}</tr>\n" + "\n".join(body) + "\n</table>\n"
        "<p>Bold: best of its column and protocol. Underlined: second.</p></body></html>\n"
    )


def as_latex(grid: Grid) -> str:
    """A tabular with the commands every LaTeX knows."""
    lines = [" & ".join(map(_tex, grid.columns)) + r" \\ \hline"]
    for run, line in zip(grid.runs, grid.cells, strict=True):
        cells = [*map(_tex, grid.titles(run)), *map(_tex_cell, line)]
        lines.append(" & ".join(cells) + r" \\")
    form = "lll" + "r" * (len(grid.datasets) + 1)
    notes = "".join(f"% {_CROSS}: {_one_line(reason)}\n" for reason in grid.reasons)
    body = "\n".join(lines)
    return f"{notes}\\begin{{tabular}}{{{form}}}\n{body}\n\\end{{tabular}}\n"


def _cell(run: Run, dataset: str, metric: str) -> GridCell:
    value = run.numbers.get(dataset, {}).get(metric)
    if value is not None:
        return GridCell(value)
    if dataset in run.reasons:
        return GridCell(reason=run.reasons[dataset])
    known = dataset in run.numbers
    return GridCell(
        reason=f"{metric} is undefined there" if known else "not scored on this dataset"
    )


def _ranked(column: Sequence[GridCell], protocols: Sequence[str]) -> list[GridCell]:
    """The cells with their ranks among those of the same protocol."""
    # As they are shown: numbers that look the same are equally good.
    best: dict[tuple[str, str], int] = {}
    for protocol in set(protocols):
        among = zip(column, protocols, strict=True)
        texts = {cell.text for cell, its in among if its == protocol and cell.value is not None}
        for number, text in enumerate(sorted(texts, key=float, reverse=True)[:2], start=1):
            best[protocol, text] = number
    return [
        GridCell(cell.value, best.get((protocol, cell.text), 0), cell.reason)
        for cell, protocol in zip(column, protocols, strict=True)
    ]


def _html_cell(cell: GridCell) -> str:
    tag = {1: "b", 2: "u"}.get(cell.rank)
    text = cell.text if tag is None else f"<{tag}>{cell.text}</{tag}>"
    reason = f' title="{html.escape(cell.reason)}"' if cell.reason else ""
    return f"<td{reason}>{text}</td>"


def _tex_cell(cell: GridCell) -> str:
    if cell.value is None:
        return r"$\times$"
    return {1: rf"\textbf{{{cell.text}}}", 2: rf"\underline{{{cell.text}}}"}.get(
        cell.rank, cell.text
    )


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_runs(folders: Sequence[Path], log: ProblemLog) -> list[Run]:
    """The runs of some folders; a folder that has none is a problem."""
    runs = []
    for folder in folders:
        try:
            runs.append(read_run(folder, log))
        except UsageError as error:
            log.add(error.as_problem())
    return runs


def with_cards(runs: Sequence[Run], log: ProblemLog) -> list[Run]:
    """Runs that were read without their cards, described by what lies in their folders now."""
    return [
        run if run.folder is None else described(run, read_card(run.folder, log), log)
        for run in runs
    ]


WRITERS = {".csv": as_csv, ".html": as_html, ".tex": as_latex}

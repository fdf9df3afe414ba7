"""Runs benchmarks by name: ``python -m benchmarks NAME… [--json FILE]``.

A benchmark is a module of this package with ``run() -> Report``. One with ``PARTS`` takes the names
of parts to measure and leaves out the others: ``python -m benchmarks ui:start,rows``.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import os
import pkgutil
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks.report import Report

# What some benchmarks take besides their parts.
_OPTIONS: Mapping[str, Any] = {
    "masks": {"type": int, "metavar": "N", "help": "scale: so many tiny masks, to try it"},
    "trials": {"type": int, "metavar": "N", "help": "scale: so many trials and answers"},
    "rows": {"type": int, "metavar": "N", "help": "scale: so many rows of a large index"},
    "mediscore": {
        "type": Path,
        "metavar": "DIR",
        "help": "scale: a copy of NIST's MediScore to measure beside ours",
    },
}
_NOT_BENCHMARKS = {"__main__", "report"}


def names() -> list[str]:
    """Every benchmark there is."""
    modules = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name for name in modules if name not in _NOT_BENCHMARKS)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="+",
        type=_chosen,
        metavar="NAME",
        help=f"all, or some of {', '.join(names())}; NAME:PART,PART measures only these parts",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    for option, settings in _OPTIONS.items():
        parser.add_argument(f"--{option}", **settings)
    return parser


def main(arguments: list[str] | None = None) -> int:
    options = make_parser().parse_args(arguments)
    chosen: list[tuple[str, list[str]]] = options.names
    if any(name == "all" for name, _ in chosen):
        chosen = [(name, []) for name in names()]
    asked = {name: value for name in _OPTIONS if (value := getattr(options, name)) is not None}
    reports = [_run(name, parts, asked) for name, parts in chosen]
    if options.json:
        options.json.write_text(json.dumps(_document(reports), indent=2), encoding="utf-8")
    return 0


def _chosen(text: str) -> tuple[str, list[str]]:
    name, _, listed = text.partition(":")
    parts = [part for part in listed.split(",") if part]
    if name not in (*names(), "all"):
        raise argparse.ArgumentTypeError(f"there is no benchmark {name!r}")
    if parts:
        offered = getattr(importlib.import_module(f"benchmarks.{name}"), "PARTS", {})
        unknown = [part for part in parts if part not in offered]
        if unknown:
            offers = ", ".join(offered) or "no parts"
            raise argparse.ArgumentTypeError(f"{name} has {offers}, not {', '.join(unknown)}")
    return name, parts


def _run(name: str, parts: list[str], asked: Mapping[str, Any]) -> Report:
    benchmark = importlib.import_module(f"benchmarks.{name}")
    known = inspect.signature(benchmark.run).parameters
    options = {option: value for option, value in asked.items() if option in known}
    report: Report = benchmark.run(parts, **options) if parts else benchmark.run(**options)
    print("\n".join(report.lines()), flush=True)
    return report


def _document(reports: list[Report]) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "reports": [report.as_document() for report in reports],
    }


if __name__ == "__main__":
    sys.exit(main())

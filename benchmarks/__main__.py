"""Runs benchmarks by name: ``python -m benchmarks NAME… [--json FILE]``.

A benchmark is a module of this package with ``run() -> Report``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
from pathlib import Path

import benchmarks
from benchmarks.report import Report

_NOT_BENCHMARKS = {"__main__", "report"}


def names() -> list[str]:
    """Every benchmark there is."""
    modules = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name for name in modules if name not in _NOT_BENCHMARKS)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*names(), "all"], metavar="NAME")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    options = parser.parse_args(arguments)
    chosen = names() if "all" in options.names else options.names
    reports = [_run(name) for name in chosen]
    if options.json:
        options.json.write_text(json.dumps(_document(reports), indent=2), encoding="utf-8")
    return 0


def _run(name: str) -> Report:
    report: Report = importlib.import_module(f"benchmarks.{name}").run()
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

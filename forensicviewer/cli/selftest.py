"""``forensicviewer --selftest``: check that this installation works."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from forensicviewer import __version__
from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.selftest.run import run_selftest  # imports every decoder

    results = []
    for result in run_selftest():
        results.append(result)
        if not options.json:
            mark = "ok    " if result.passed else "FAILED"
            console.say(f"{mark} {result.name} ({result.elapsed_s:.1f} s): {result.detail}")
    failed = sum(not result.passed for result in results)
    if options.json:
        passed = not failed
        listed = [asdict(result) for result in results]
        console.say_json({"version": __version__, "passed": passed, "checks": listed})
    elif failed:
        console.say(f"{failed} of {len(results)} checks failed: this installation is incomplete")
    else:
        console.say(f"All {len(results)} checks passed: this installation works")
    return ExitCode.CANNOT if failed else ExitCode.FINE


COMMAND = Subcommand(
    "selftest",
    "Check that this installation decodes, scores and draws correctly (also --selftest)",
    _add_options,
    _run,
)

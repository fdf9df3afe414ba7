"""The options every scorer shares, and what every scorer does with its result."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from forensicviewer.cli import console
from forensicviewer.cli.command import (
    add_dataset,
    add_printing,
    add_submission,
    add_tables,
    exit_code,
)
from forensicviewer.core.rules import RULE_SETS, RuleSet, Switch, rule_set

if TYPE_CHECKING:
    from forensicviewer.app.report.score_output import ScoreOutput
    from forensicviewer.app.report.svg_figure import Figure
    from forensicviewer.core.model import Submission, Task

Options: TypeAlias = argparse._ActionsContainer  # noqa: SLF001 - parsers and their groups
SettingsT = TypeVar("SettingsT")


def _listed_probes(name: str) -> str:
    """The query that selects the probes a file lists."""
    from forensicviewer.sources.tables.trial_file import probes_listed

    return probes_listed(Path(name))


def add_shared_options(parser: argparse.ArgumentParser, *, scorer: str | None = None) -> None:
    """Options that mean the same for every scorer; without one, ``--rule`` takes any switch."""
    _add_files(parser)
    _add_selections(parser)
    parser.add_argument(
        "--precision", type=int, metavar="N", help="number of significant digits in the files"
    )
    add_rule_set(parser)
    add_switches(parser, scorer)
    add_reporting(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    add_dataset(parser)
    add_submission(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="output folder")
    add_tables(parser)


def _add_selections(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--query",
        nargs="+",
        action="extend",
        metavar="Q",
        help="score each selection of trials separately",
    )
    parser.add_argument(
        "--trials",
        dest="query",
        action="append",
        type=_listed_probes,
        metavar="FILE",
        help="score only the probes whose ids are listed in FILE, one per line, as "
        "'duplicates' writes them",
    )
    parser.add_argument(
        "--query-partition",
        metavar="Q",
        help="score every combination of the listed values, for example \"A==['a','b'] & "
        "B==['c']\"",
    )
    parser.add_argument(
        "--query-manipulation",
        nargs="+",
        metavar="Q",
        help="score only the selected operations or targets",
    )
    parser.add_argument(
        "--opt-out", action="store_true", help="exclude trials the system opted out of"
    )


def add_rule_set(
    parser: Options,
    *,
    name: str = "--rules",
    default: str | None = RULE_SETS[0].name,
    help_: str = "rule set to use where NIST's code and plans differ (default: %(default)s)",
) -> None:
    """Add ``--rules``."""
    names = [rules.name for rules in RULE_SETS]
    parser.add_argument(name, default=default, choices=names, help=help_)


def add_switches(parser: Options, scorer: str | None) -> None:
    """Add ``--rule`` for single switches of the rule set."""
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        type=partial(_choice, scorer),
        metavar="SWITCH=CHOICE",
        help="change one switch of the rule set; may be repeated ('forensicviewer rules' "
        "lists them)",
    )


def add_reporting(
    parser: argparse.ArgumentParser, *, page: str = "also write an HTML report"
) -> None:
    """Add the options for what a scorer writes and prints besides its result files."""
    parser.add_argument("--html", action="store_true", help=page)
    add_printing(parser, json="the summary")


def add_mask_options(parser: Options) -> None:
    """Add the options for counting the pixels of a mask."""
    parser.add_argument(
        "--kernel",
        choices=("box", "disc", "diamond", "gaussian", "line"),
        default="box",
        help="shape of all three kernels (default: box)",
    )
    for name, default, effect in (
        ("--erode", 15, "erodes selected regions (default: 15)"),
        ("--dilate", 11, "dilates selected regions (default: 11)"),
        ("--distraction", None, "dilates unselected regions (default: 15; 11 with --rules plan)"),
    ):
        words = f"width of the kernel that {effect}"
        parser.add_argument(name, type=int, default=default, metavar="N", help=words)
    parser.add_argument(
        "--opt-out-pixels",
        action="store_true",
        help="read the grey value of opted-out pixels from the submission, for each trial",
    )
    parser.add_argument(
        "--bit-planes", action="store_true", help="use the JPEG 2000 references of the trials"
    )


def rules_of(options: argparse.Namespace) -> RuleSet:
    """The chosen rule set with the chosen switches."""
    return rule_set(options.rules, options.rule)


def _choice(scorer: str | None, text: str) -> Switch:
    # Imported here, as the switches are needed only when one is turned.
    from forensicviewer.core.rules.catalog import choice_named

    return choice_named(text, scorer=scorer)


def open_asked(options: argparse.Namespace) -> tuple[Task, Submission]:
    """The task and the submission that the options name."""
    from forensicviewer.app.datasets.answered_task import open_answered_task

    return open_answered_task(
        options.dataset,
        options.submission,
        name=options.task,
        index=options.index,
        reference=options.reference,
    )


def settings_from(options: argparse.Namespace, make: Callable[..., SettingsT]) -> SettingsT:
    """The settings that a scorer's ``from_options`` makes from the options it knows."""
    known = inspect.signature(make).parameters
    return make(**{name: value for name, value in vars(options).items() if name in known})


def finish(
    output: ScoreOutput,
    options: argparse.Namespace,
    *,
    inputs: Iterable[Path],
    figures: Iterable[Figure] = (),
    headlines: Mapping[str, Mapping[str, str]] | None = None,
) -> int:
    """Write the files and, if asked for, the page; tell the user; return the exit code.

    ``inputs`` are the tables that were read: their digests go into the summary. ``headlines`` are
    the headline numbers under each rule set, for the page.
    """
    # Imported here, as the options of all scorers are defined whenever the program starts.
    from forensicviewer.app.report.score_output import summary_of, write_output

    tables = list(inputs)
    written = write_output(output, options.out, inputs=tables)
    if options.html:
        written.append(_write_page(output, options, figures=figures, headlines=headlines))
    if options.json:
        console.say_json(summary_of(output, inputs=tables))
    elif not options.quiet:
        _say_headline(output, written)
    if not options.quiet:
        console.list_problems(output.problems)
    return exit_code(output.problems)


def headlines_by_rules(score: Callable[[RuleSet], ScoreOutput]) -> dict[str, Mapping[str, str]]:
    """The headline of a scoring run under each rule set, for :func:`finish` to show."""
    return {rules.name: score(rules).headline for rules in RULE_SETS}


def _write_page(
    output: ScoreOutput,
    options: argparse.Namespace,
    *,
    figures: Iterable[Figure],
    headlines: Mapping[str, Mapping[str, str]] | None,
) -> Path:
    from forensicviewer.app.report.html_page import RulesUsed, write_page
    from forensicviewer.core.rules.catalog import switches_of

    comparison = None
    if hasattr(options, "rules"):  # GenAI's plan leaves nothing for rule sets to decide
        rules = rules_of(options)
        if headlines and rules.turned:
            headlines = {rules.label: output.headline, **headlines}
        comparison = RulesUsed(rules, switches_of(output.scorer), headlines)
    return write_page(output, options.out, figures=figures, comparison=comparison)


def _say_headline(output: ScoreOutput, written: Iterable[Path]) -> None:
    width = max((len(name) for name in output.headline), default=0)
    for name, value in output.headline.items():
        console.say(f"{name:<{width}}  {value or 'none'}")
    for path in written:
        console.say(f"wrote {path}")

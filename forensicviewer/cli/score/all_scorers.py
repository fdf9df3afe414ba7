"""``forensicviewer score all``: every scorer that applies to the submission."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand, exit_code
from forensicviewer.cli.score import detection, filtering, genai, imdl, mask, provenance, temporal
from forensicviewer.cli.score.options import add_shared_options, open_asked, rules_of
from forensicviewer.core.problem import (
    ForensicViewerError,
    Problem,
    ScoringError,
    Severity,
    TrialId,
    UsageError,
)

if TYPE_CHECKING:
    from forensicviewer.core.model import Submission

_COMMANDS = {
    command.name: command
    for command in (
        mask.COMMAND,
        detection.COMMAND,
        temporal.COMMAND,
        provenance.COMMAND,
        filtering.COMMAND,
        genai.COMMAND,
        imdl.COMMAND,
    )
}
_SELECTING = ("query", "query_partition", "query_manipulation", "opt_out")


def _run(options: argparse.Namespace) -> int:
    """Score the submission, or each submission of a package into a separate folder."""
    from forensicviewer.app.datasets.opening import experiments_of

    experiments = experiments_of(options.submission)
    if len(experiments) == 1:
        return _score(options)
    experiments = _asked_for(experiments, options)
    summaries: dict[str, object] = {}
    codes: list[int] = []
    for experiment in experiments:
        own = {"submission": experiment, "out": options.out / experiment.name, "json": False}
        silent = {"quiet": True} if options.json else {}
        if not (options.json or options.quiet):
            console.say(experiment.name)
        try:
            codes.append(_score(argparse.Namespace(**{**vars(options), **own, **silent})))
            summaries |= _summaries(options.out, [experiment.name])
        except ForensicViewerError as error:
            console.list_problems([error.as_problem()])
            codes.append(ExitCode.PROBLEMS)
    if options.json:
        console.say_json(summaries)
    return max(codes)


def _asked_for(experiments: tuple[Path, ...], options: argparse.Namespace) -> tuple[Path, ...]:
    """The submissions of a package that answer the named task, or all of them."""
    if options.task is None or options.index is not None or options.reference is not None:
        return experiments
    from forensicviewer.app.datasets.answered_task import task_answered_by
    from forensicviewer.app.datasets.opening import choose_task, open_dataset, open_submission

    dataset = open_dataset(options.dataset)
    kind = choose_task(dataset, options.task).kind

    def is_about(experiment: Path) -> bool:
        answered = task_answered_by(dataset, [open_submission(experiment)])
        return answered is not None and answered.kind is kind

    found = tuple(filter(is_about, experiments))
    if not found:
        raise UsageError(
            f"No submission of the package answers the task {options.task}",
            where=options.submission,
            hint="leave --task out to score all of them",
        )
    return found


def _score(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.answered_task import scorers_for

    task, submission = open_asked(options)
    scorers = scorers_for(task, submission)
    failures: dict[str, Problem] = {}
    for scorer in scorers:
        try:
            _COMMANDS[scorer].run(_options_of(scorer, options, task=task.name))
        except ForensicViewerError as error:
            failure = error.as_problem()
            failures[scorer] = replace(failure, message=f"{scorer}: {failure.message}")
    summaries = _summaries(options.out, [name for name in scorers if name not in failures])
    if not summaries:
        hint = "; ".join(problem.message for problem in failures.values())
        raise ScoringError(
            "The submission contains nothing that can be scored",
            where=options.submission,
            hint=hint or _why_nothing(submission),
            rule="score-nothing",
        )
    return _finish(options, summaries, list(failures.values()))


def _options_of(scorer: str, options: argparse.Namespace, *, task: str) -> argparse.Namespace:
    """The scorer's own options at their defaults, and the shared ones as the user gave them."""
    from forensicviewer.core.rules.catalog import switches_of

    parser = argparse.ArgumentParser()
    _COMMANDS[scorer].add_options(parser)
    folder = options.out / scorer
    given = [str(options.dataset), str(options.submission), "--out", str(folder)]
    own = vars(parser.parse_args(given))
    for name in _SELECTING:
        # Passed over, it would leave numbers of all trials where those of some were asked for.
        if getattr(options, name) and name not in own:
            option = name.replace("_", "-")
            raise UsageError(f"'score {scorer}' does not select trials by --{option}")
    shared = {name: value for name, value in vars(options).items() if name in own}
    turned = [choice for choice in options.rule if type(choice) in switches_of(scorer)]
    fixed = {"task": task, "out": folder, "json": False, "quiet": True, "rule": turned}
    return argparse.Namespace(**{**own, **shared, **fixed})


def _summaries(out: Path, scorers: list[str]) -> dict[str, dict[str, object]]:
    return {
        scorer: json.loads((out / scorer / "summary.json").read_text(encoding="utf-8"))
        for scorer in scorers
    }


def _why_nothing(submission: Submission) -> str:
    hinted = next((problem for problem in submission.problems if problem.hint), None)
    if hinted is not None:
        return f"{hinted.message}: {hinted.hint}"
    return "it needs confidence scores, masks, segments or provenance graphs"


def _finish(
    options: argparse.Namespace,
    summaries: Mapping[str, Mapping[str, object]],
    problems: list[Problem],
) -> int:
    from forensicviewer.app.report.html_page import write_page
    from forensicviewer.app.report.overwrite import PAGE_NAME, SUMMARY_NAME
    from forensicviewer.app.report.score_output import ScoreOutput, summary_of
    from forensicviewer.app.runtime.atomic import write_atomically

    output = ScoreOutput(
        scorer="all",
        tables=(),
        headline=_headline(summaries),
        settings={"rules": rules_of(options).label, "scorers": list(summaries)},
        problems=(*problems, *_problems(summaries)),
    )
    summary = {**summary_of(output, inputs=[]), "scorers": dict(summaries)}
    write_atomically(options.out / SUMMARY_NAME, json.dumps(summary, indent=2) + "\n")
    if options.html:
        pages = {scorer: f"{scorer}/{PAGE_NAME}" for scorer in summaries}
        write_page(output, options.out, subpages=pages)
    if options.json:
        console.say_json(summary)
    elif not options.quiet:
        for name, value in output.headline.items():
            console.say(f"{name}  {value}")
        console.say(f"wrote {options.out}")
    if not options.quiet:
        console.list_problems(output.problems)
    return exit_code(output.problems)


def _headline(summaries: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for scorer, summary in summaries.items():
        numbers = summary["headline"]
        assert isinstance(numbers, dict)
        found |= {f"{scorer} {name}": str(value) for name, value in numbers.items()}
    return found


def _problems(summaries: Mapping[str, Mapping[str, object]]) -> list[Problem]:
    found: dict[Problem, None] = {}
    for summary in summaries.values():
        problems = summary["problems"]
        assert isinstance(problems, list)
        for one in problems:
            texts = {name: one[name] for name in ("message", "where", "hint", "rule")}
            trial = TrialId(one["trial"]) if one["trial"] else None
            found[Problem(Severity(one["severity"]), **texts, trial=trial)] = None
    return list(found)


COMMAND = Subcommand(
    "all", "Run every scorer that applies to the submission", add_shared_options, _run
)

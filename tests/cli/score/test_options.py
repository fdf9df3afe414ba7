"""What every scorer does with its result."""

import argparse
import inspect
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from forensicviewer.app.detection.scoring import DetectionSettings
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.temporal.trials import TemporalSettings
from forensicviewer.cli.command import ExitCode, Subcommand
from forensicviewer.cli.score import detection, filtering, mask, provenance, temporal
from forensicviewer.cli.score.options import add_shared_options, finish, settings_from
from forensicviewer.core.problem import Problem, Severity


def options(tmp_path: Path, *extra: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_shared_options(parser)
    return parser.parse_args(["dataset", "submission", "--out", str(tmp_path / "out"), *extra])


def output(*problems: Problem) -> ScoreOutput:
    table = OutputTable("report.csv", ("AUC",), (("0.5",),))
    return ScoreOutput("detection", (table,), headline={"AUC": "0.5"}, problems=problems)


def test_tables_and_summary_are_written_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "index.csv"
    table.write_text("a|b\n", encoding="utf-8")

    code = finish(output(), options(tmp_path), inputs=[table])

    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert code == ExitCode.FINE
    assert (tmp_path / "out" / "report.csv").read_text(encoding="utf-8") == "AUC\n0.5\n"
    assert list(summary["inputs"]) == [str(table)]
    assert "AUC  0.5" in capsys.readouterr().out
    assert not (tmp_path / "out" / "report.html").exists()


def test_the_page_and_the_json_are_made_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    headlines = {"plan": {"AUC": "0.4"}}

    finish(output(), options(tmp_path, "--html", "--json"), inputs=[], headlines=headlines)

    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert json.loads(capsys.readouterr().out)["headline"] == {"AUC": "0.5"}
    assert "0.4" in page
    assert "Where the rule sets differ" in page


def test_quiet_prints_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finish(output(Problem(Severity.NOTE, "something")), options(tmp_path, "--quiet"), inputs=[])

    assert capsys.readouterr() == ("", "")


def test_warnings_make_the_exit_code_and_notes_do_not(tmp_path: Path) -> None:
    note, warning = Problem(Severity.NOTE, "a"), Problem(Severity.WARNING, "b")

    assert finish(output(note), options(tmp_path), inputs=[]) == ExitCode.FINE
    assert finish(output(note, warning), options(tmp_path), inputs=[]) == ExitCode.PROBLEMS


@pytest.mark.parametrize(
    ("command", "make", "others"),
    [
        (mask.COMMAND, MaskSettings.from_options, set()),
        (detection.COMMAND, DetectionSettings.from_options, set()),
        (temporal.COMMAND, TemporalSettings.from_options, set()),
        (provenance.COMMAND, ProvenanceSettings.from_options, {"node_type"}),
        (filtering.COMMAND, ProvenanceSettings.from_options, {"direct", "undirected"}),
    ],
    ids=lambda value: value.name if isinstance(value, Subcommand) else "",
)
def test_the_command_line_leaves_every_setting_at_its_default(
    command: Subcommand, make: Callable[..., object], others: set[str]
) -> None:
    parser = argparse.ArgumentParser()
    command.add_options(parser)

    given = parser.parse_args(["dataset", "submission", "--out", "out"])

    assert settings_from(given, make) == make()
    assert set(inspect.signature(make).parameters) - set(vars(given)) == others

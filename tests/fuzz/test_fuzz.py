"""A short run of the fuzzer: everything is refused or read, and the fuzzer itself can fail."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from forensicviewer.app.cases.opening import open_case
from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.imdl.robustness import read_runs
from forensicviewer.core.problem import ProblemLog
from forensicviewer.sources.tables.benchmark_runs import read_run
from tests.fuzz import asking, imports
from tests.fuzz.doors import KINDS, MEDIA, Supply
from tests.fuzz.mutation import mutate
from tests.fuzz.run import Report, run, take
from tests.fuzz.seeds import media_seeds
from tests.fuzz.worlds import worlds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it watches itself by /proc")


def test_hostile_files_of_every_kind_are_read_or_refused(tmp_path: Path) -> None:
    report = run(tmp_path, count=400, seed="house", kinds=KINDS, tell=lambda _: None)

    assert report.is_clean, "\n".join(report.lines())
    assert sum(report.inputs.values()) == 400
    assert set(report.inputs) == set(KINDS)


def test_a_program_that_reads_outside_is_noticed(tmp_path: Path) -> None:
    report = run(tmp_path, count=3, seed="x", kinds=["spy"], tell=lambda _: None)

    assert [line for line in report.opened if "secret.png" in line]
    assert [line for line in report.opened if "the trap" in line]
    assert [line for line in report.talked if "trap" in line]
    (error,) = report.internal
    assert error.startswith("ValueError: 'spied' at doors.py")
    assert not report.is_clean


def test_a_process_that_dies_is_a_crash(tmp_path: Path) -> None:
    report = run(tmp_path, count=2, seed="x", kinds=["suicide"], tell=lambda _: None)

    assert len(report.crashes) == 2
    assert not report.is_clean


@pytest.mark.parametrize("kind", MEDIA)
def test_mutants_differ_from_their_seeds_and_repeat(kind: str) -> None:
    seeds = [content for _, content in media_seeds(kind)]
    assert all(seeds)

    mutants = [mutate(seeds[0], kind, Random(number), seeds) for number in range(30)]

    again = [mutate(seeds[0], kind, Random(number), seeds) for number in range(30)]
    assert mutants == again
    assert len(set(mutants)) > 20


def test_valid_files_of_every_kind_open(tmp_path: Path) -> None:
    """Otherwise nothing of what is changed in them would ever be reached."""
    supply = Supply(tmp_path, tmp_path / "outside" / "secret.png", port=9)

    refused = {kind: supply.refusals(kind, tmp_path / kind) for kind in MEDIA}

    # The RAF file is a header without a camera's file behind it.
    assert {kind: said for kind, said in refused.items() if said} == {"raw": ["codec.unreadable"]}


def test_a_slow_input_is_a_hang_where_it_computed_or_is_slow_again() -> None:
    """Not where it only waited for a busy machine."""
    report = Report()
    told = {"peak_mb": 1, "internal": "", "opened": [], "talked": [], "logged": []}
    for number, (processor, again) in enumerate(((12, 1), (1, 11), (2, 3))):
        told |= {"end": number, "seconds": 15, "processor": processor, "again": again}
        take(report, told, "png")

    assert [line.split(":")[0] for line in report.hangs] == ["input 0 (png)", "input 1 (png)"]
    assert report.slow == ["input 2 (png): 15 s, of that 2 s of processor time; again 3 s"]


def test_a_report_names_every_count() -> None:
    text = "\n".join(Report().lines())

    assert "inputs                     0" in text
    for count in ("crashes", "internal errors", "hangs over 10 s", "peaks over 1024 MB"):
        assert count in text
    assert "reads outside              0" in text
    assert "sockets and programs       0" in text


def test_valid_imports_open(tmp_path: Path) -> None:
    """Otherwise nothing of what is changed in them would ever be reached."""
    for name, world in imports.imdl_worlds().items():
        asking.write(tmp_path / name, world.files)
        assert open_dataset(tmp_path / name / world.dataset).tasks[0].trials.ids()
    asking.write(tmp_path / "run", imports.a_run())
    case = imports.a_case(worlds()["manipulation"])
    (tmp_path / "c.fvcase").write_bytes(imports.zipped(imports.resealed(case)))

    (run,) = read_runs([tmp_path / "run"], ProblemLog())
    (finding,) = open_case(tmp_path / "c.fvcase", tmp_path / "case").findings

    assert read_run(tmp_path / "run", ProblemLog()).numbers["CASIA"]["F1"] == 0.5
    assert {point.attack for point in run.points} == {"none", "blur", "noise", "JPEG"}
    assert finding.is_same


def test_a_command_that_prints_what_a_terminal_obeys_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a\x1b[31m"
    folder.mkdir()
    asking.command(["info", str(folder)])

    monkeypatch.setattr("forensicviewer.cli.console.printable", lambda text: text)

    with pytest.raises(asking.InternalError, match="info prints"):
        asking.command(["info", str(folder)])

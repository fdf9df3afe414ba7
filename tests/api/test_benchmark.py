"""``fv.results_grid`` and ``fv.robustness`` give the numbers of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import forensicviewer as fv
from forensicviewer.cli import main
from tests.app.grid.test_grid import a_run
from tests.sources.tables.test_robustness_logs import write


def test_a_grid_has_the_numbers_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = a_run(tmp_path / "mine", {"model": "Mine"}, Columbia="0.5", CASIAv1="0.25")

    table = fv.results_grid([run, tmp_path / "gone"], published=True)

    assert list(table.loc[0, ["Model", "Columbia", "CASIAv1", "Average"]]) == [
        *("Mine", 0.5, 0.25),
        0.375,
    ]
    assert table["NIST16"].isna()[0]
    assert len(table.attrs["problems"]) == 1
    assert main(["results-grid", str(run), "--published"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(table)
    with pytest.raises(fv.ForensicViewerError, match="Dice"):
        fv.results_grid([run], metric="Dice")


def test_robustness_is_a_table_by_attack_and_level(tmp_path: Path) -> None:
    write(tmp_path / "Net", "GaussianBlur(blur_limit=(3, 3))", 3, 0.5)
    write(tmp_path / "Net", "JpegCompression(quality_lower=49, quality_upper=50)", 50, 0.25)

    table = fv.robustness([tmp_path / "Net"])

    assert table.to_numpy().tolist() == [["Net", "JPEG", 50.0, 0.25], ["Net", "blur", 3.0, 0.5]]
    assert table.attrs["problems"] == []

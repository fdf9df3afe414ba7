"""Grids of results from the files of runs: ranks, reasons, exports, cards and logs."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from forensicviewer.app.grid.grid import as_csv, as_html, as_latex, make_grid, published_runs
from forensicviewer.cli import main
from forensicviewer.core.problem import ProblemLog
from forensicviewer.sources.tables.benchmark_runs import Run, read_run


def a_run(folder: Path, card: object = None, **f1: str) -> Path:
    """A run as ``score imdl`` writes one: a folder for each dataset."""
    for dataset, value in f1.items():
        file = folder / dataset / "imdl_summary.csv"
        file.parent.mkdir(parents=True)
        file.write_text(f"Dataset|Predictions|Images|F1|IoU\n{dataset}|pred|9|{value}|\n")
    if card is not None:
        (folder / "model.json").write_text(json.dumps(card))
    return folder


def read(*folders: Path) -> tuple[list[Run], ProblemLog]:
    log = ProblemLog()
    return [read_run(folder, log) for folder in folders], log


def test_the_best_and_the_second_of_each_column_are_ranked(tmp_path: Path) -> None:
    runs, log = read(
        a_run(tmp_path / "a", CASIA="0.5", NIST16="0.25"),
        a_run(tmp_path / "b", CASIA="0.75", NIST16="0.25"),
        a_run(tmp_path / "c", CASIA="0.625"),
    )

    grid = make_grid(runs, "F1")

    assert grid.datasets == ("CASIA", "NIST16")
    assert [[cell.rank for cell in line] for line in grid.cells] == [
        [0, 1, 0],
        [1, 1, 2],
        [2, 0, 1],
    ]
    assert grid.cells[1][2].value == 0.5
    assert grid.cells[2][1].text == "×"  # noqa: RUF001
    assert grid.cells[2][1].reason == "not scored on this dataset"
    assert make_grid(runs, "IoU").cells[0][0].reason == "IoU is undefined there"
    assert len(log) == 0


def test_spellings_of_one_dataset_share_a_column_with_the_paper(tmp_path: Path) -> None:
    runs, _ = read(a_run(tmp_path / "a", CASIA1="0.5", NIST_2016="0.25", Mine="0.1"))
    both, _ = read(a_run(tmp_path / "b", CASIA1="0.5", CASIAv1="0.75"))

    grid = make_grid([*runs, *published_runs("F1")], "F1")

    assert "CASIA1" not in grid.datasets
    assert grid.cells[0][grid.datasets.index("CASIAv1")].value == 0.5
    assert grid.cells[0][grid.datasets.index("NIST16")].value == 0.25
    # Two datasets of one run stay two.
    assert [cell.value for cell in make_grid(both, "F1").cells[0]] == [0.5, 0.75, 0.625]


def test_a_model_tested_on_what_it_was_trained_on_is_warned_of(tmp_path: Path) -> None:
    card = {"model": "Net", "protocol": "MVSS", "training_sets": ["CASIA v2"], "input_size": "512"}

    (run,), log = read(a_run(tmp_path / "a", card, CASIAv2="0.9", Columbia="0.4"))

    assert run.name == "Net"
    (problem,) = log
    assert "Net was trained on CASIAv2" in problem.message


@pytest.mark.parametrize("text", ["{", "[]", '{"model": 3}', "[" * 100_000])
def test_a_card_nobody_can_read_is_a_problem(tmp_path: Path, text: str) -> None:
    folder = a_run(tmp_path / "a", CASIA="0.5")
    (folder / "model.json").write_text(text)

    (run,), log = read(folder)

    assert run.numbers["CASIA"]["F1"] == 0.5
    assert [problem.rule for problem in log] == ["grid.card"]


LOG = (
    '{"test_pixel-level F1": 0.1, "epoch": 0}\n{"test_pixel-level F1": 0.2, "epoch": 0}\n'
    '{"train_loss": 1}\nnot json\n'
    '{"test_pixel-level F1": 0.53, "test_pixel-level IOU": 0.4, "epoch": 1}\n'
    '{"test_pixel-level F1": NaN, "epoch": 1}\n'
)


def test_a_log_of_imdl_benco_is_assigned_to_the_datasets_of_the_card(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(LOG)
    (tmp_path / "model.json").write_text(json.dumps({"test_sets": ["Columbia", "CASIAv1"]}))

    (run,), log = read(tmp_path)

    assert run.numbers == {"Columbia": {"F1": 0.53, "IoU": 0.4}, "CASIAv1": {}}
    assert [problem.where.rpartition(":")[2] for problem in log] == ["4"]


def test_a_log_without_names_of_datasets_is_not_guessed_at(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(LOG)

    (run,), log = read(tmp_path)

    assert run.numbers == {}
    assert "grid.log" in [problem.rule for problem in log]


def test_published_figures_are_those_of_the_paper_without_its_misprints() -> None:
    """Table 3, Protocol-MVSS, as printed: averages of the rows are 0.123, 0.530 and 0.519."""
    grid = make_grid(published_runs("F1"), "F1")
    found = {(r.card.protocol, r.name): line for r, line in zip(grid.runs, grid.cells, strict=True)}

    assert grid.datasets == ("COVERAGE", "Columbia", "NIST16", "CASIAv1", "IMD2020")
    means = [found["Protocol-MVSS", n][-1].value for n in ("Mantra-Net", "TruFor", "IML-ViT")]
    assert [round(m or 0, 3) for m in means] == [0.123, 0.530, 0.519]
    # Best and second of each protocol on COVERAGE, bold and underlined in the paper.
    first = {key: line[0].rank for key, line in found.items() if line[0].rank}
    assert first["Protocol-MVSS", "IML-ViT"] == first["Protocol-CAT", "IML-ViT"] == 1
    assert first["Protocol-MVSS", "TruFor"] == first["Protocol-CAT", "MVSS-Net"] == 2
    assert len(first) == 4
    excluded = found["Protocol-CAT", "IML-ViT"][4]
    assert (excluded.text, excluded.reason[:20]) == ("×", "part of the training")  # noqa: RUF001
    assert "0.1837" in found["Protocol-CAT", "Mantra-Net"][2].reason
    iou = make_grid(published_runs("IoU"), "IoU")
    line = next(
        line for run, line in zip(iou.runs, iou.cells, strict=True) if run.name == "ObjectFormer"
    )
    assert round(line[-1].value or 0, 3) == 0.188  # the paper prints 0.478


def test_names_of_strangers_stay_text_in_every_kind_of_file(tmp_path: Path) -> None:
    card = {"model": "=1+1 <b>&_%$#{}~^\\ \n2"}
    runs, _ = read(a_run(tmp_path / "a", card, D_1="0.5"))
    grid = make_grid(runs, "F1")

    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            del attrs
            tags.append(tag)

    Tags().feed(as_html(grid))

    assert tags.count("b") == 2  # the best number and the best average
    tex = as_latex(grid)
    assert r"\textless{}b\textgreater{}\&\_\%\$\#\{\}\textasciitilde{}" in tex
    assert r"\textbf{0.5000}" in tex
    assert "\n,\"'=1+1" in as_csv(grid) or ",'=1+1" in as_csv(grid).replace('"', "")


def test_the_command_writes_what_the_name_says(tmp_path: Path) -> None:
    a_run(tmp_path / "a", CASIA="0.5")
    outs = [tmp_path / "out" / f"grid{ending}" for ending in (".csv", ".html", ".tex")]

    codes = [
        main(["results-grid", str(tmp_path / "a"), "--published", "--out", str(out), "--quiet"])
        for out in outs
    ]

    assert codes == [0, 0, 0]
    assert all("TruFor" in out.read_text() for out in outs)
    assert main(["results-grid", str(tmp_path / "a"), "--out", str(tmp_path / "x.pdf")]) == 2
    assert main(["results-grid"]) == 2

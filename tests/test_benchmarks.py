import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import __main__ as runner
from benchmarks import dataset, genai
from benchmarks.report import Figure, Report, middle_of, read_figures, write_figures
from benchmarks.scale import masks as many_masks
from benchmarks.scale import temporal, window
from benchmarks.scale.data import write_masks
from forensicviewer.app.datasets.opening import open_dataset, open_submission, open_task
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.core.array import Size


def test_a_figure_knows_whether_its_promise_was_kept() -> None:
    quick = Figure("open", 2.0, "s", limit=5.0, peers={"pandas": 6.0})
    slow = Figure("frames", 20.0, "/s", limit=60.0, peers={"other": 10.0}, more_is_better=True)

    assert quick.is_kept is True
    assert quick.ratio_to("pandas") == 3.0
    assert slow.is_kept is False
    assert slow.ratio_to("other") == 2.0
    assert Figure("free", 1.0, "s").is_kept is None


def test_a_report_prints_figures_limits_and_peers() -> None:
    figure = Figure("open", 2.0, "s", limit=5.0, peers={"pandas": 6.0})

    lines = Report("dataset", (figure,), notes=("a note",)).lines()

    assert lines[0] == "dataset"
    assert "limit 5 kept" in lines[1]
    assert "pandas 6" in lines[1]
    assert lines[2] == "a note"


def test_of_several_runs_the_middle_one_counts_and_all_are_told(tmp_path: Path) -> None:
    runs = [
        [Figure("block", value, "ms", limit=50, peers={"other": 2 * value})]
        for value in (70.0, 20.0, 30.0)
    ]
    for number, figures in enumerate(runs):
        write_figures(tmp_path / f"{number}.json", figures)

    (block,) = middle_of([read_figures(tmp_path / f"{number}.json") for number in range(3)])

    assert (block.value, block.peers, block.is_kept) == (30.0, {"other": 60.0}, True)
    assert Report("ui", (block,)).lines()[1].endswith("runs 20 30 70")


def test_benchmarks_run_by_name_and_write_their_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dataset, "TRIALS", 2000)
    monkeypatch.setattr(dataset, "_in_own_process", lambda measure, root: measure(root))

    assert runner.main(["dataset", "--json", str(tmp_path / "figures.json")]) == 0

    written = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    names = [figure["name"] for figure in written["reports"][0]["figures"]]
    assert "open index and reference" in names
    assert "2,000 splice trials" in capsys.readouterr().out


def test_every_module_of_the_package_but_the_runner_is_a_benchmark() -> None:
    assert "dataset" in runner.names()
    assert "report" not in runner.names()


def test_parts_of_a_benchmark_are_chosen_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner._chosen("ui:start,rows") == ("ui", ["start", "rows"])

    with pytest.raises(SystemExit):
        runner.main(["ui:start,tea"])
    assert "not tea" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        runner.main(["nothing"])
    assert "no benchmark 'nothing'" in capsys.readouterr().err


def test_the_generated_dataset_is_a_true_one(tmp_path: Path) -> None:
    dataset.write_dataset(tmp_path / "MFC2019", trials=500)

    opened = open_dataset(tmp_path / "MFC2019")

    assert opened.problems == ()
    assert len(opened.tasks[0].trials) == 500
    assert opened.tasks[0].trials[0].is_target is True
    assert opened.tasks[0].trials[1].is_target is False


def test_the_genai_benchmark_agrees_with_its_peers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(genai, "TRIALS", 3000)
    monkeypatch.setattr(genai, "_in_own_process", lambda measure, root: measure(root))

    assert runner.main(["genai", "--json", str(tmp_path / "figures.json")]) == 0

    written = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    figures = {figure["name"]: figure for figure in written["reports"][0]["figures"]}
    assert figures["AUC, largest difference to theirs"]["is_kept"] is True
    assert "pandas + scikit-learn" in figures["open and score"]["peers"]
    assert "3,000 trials" in capsys.readouterr().out


def test_masks_as_they_grow_are_all_different_and_scored(tmp_path: Path) -> None:
    place = write_masks(tmp_path / "NC2017", size=Size(width=40, height=30), masks=40)

    _, task = open_task(place.root, name="manipulation")
    output = score_masks(task, open_submission(place.submission, task=task), MaskSettings())

    assert len({path.read_bytes() for path in place.files}) == 80
    assert not output.problems
    assert [row["Scored"] for row in output.tables[0].records()] == ["Y"] * 40


def test_a_long_video_is_written_and_scored(tmp_path: Path) -> None:
    temporal._scoring(tmp_path / "MFC2019", 50)()  # raises where a problem is found


def test_options_reach_the_benchmarks_that_know_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def measure(_folder: Path, *, masks: int, mediscore: Path | None) -> Iterator[Figure]:
        seen.append(masks)
        assert mediscore is None
        return iter(())

    monkeypatch.setattr(many_masks, "measure_tiny", measure)

    assert runner.main(["scale:masks", "--masks", "7"]) == 0
    assert seen == [7]


def test_a_window_is_measured_from_opening_to_the_last_score(tmp_path: Path) -> None:
    figures = list(window.measure_million(tmp_path, trials=1200))

    assert [figure.unit for figure in figures] == ["s", "s", "s", "ms", "s", "GB"]
    assert all(figure.value > 0 for figure in figures)

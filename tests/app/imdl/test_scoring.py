"""A researcher scores predictions of manipulated regions, from the command line and from Python."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from sklearn.metrics import f1_score, jaccard_score, roc_auc_score

import forensicviewer as fv
from forensicviewer.app.imdl.settings import ImdlSettings
from forensicviewer.cli import main
from forensicviewer.sources.decoders.pool import DecoderPool
from forensicviewer.sources.decoders.process import Call
from tests.sources.imdl import build

COLUMNS = (
    "Image|Label|Status|F1|F1_inverse|F1_permute|IoU|IoU_inverse|IoU_permute|Accuracy"
    "|Accuracy_inverse|Accuracy_permute|AUC|AUC_inverse|AUC_permute|AUC_benco|AUC_benco_inverse"
    "|AUC_benco_permute|F1_best|F1_best_threshold|ImageScore|ImageScoreKind|Geometry"
)


def _floats(
    seed: int, *, is_target: bool = True
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    random = np.random.default_rng(seed)
    centre = np.where(build.area() & is_target, 0.7, 0.25)
    return np.clip(random.normal(centre, 0.2), 0, 1).astype(np.float32)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three manipulated images and an authentic one, as a list."""
    return build.json_list(tmp_path / "CASIA2.0")


def _maps(folder: Path, *, inverted: bool = False) -> Path:
    for name in ("0", "1", "2", "n"):
        values = _floats(ord(name), is_target=name != "n")
        levels = np.floor((1 - values if inverted else values) * 255 + 0.5).astype(np.uint8)
        build.write(folder / "pred" / f"{name}.png", levels)
    return folder


def _archives(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in ("0", "1", "2", "n"):
        values = _floats(ord(name), is_target=name != "n")
        score = np.float32(0.2 if name == "n" else 0.9)
        np.savez(folder / f"{name}.jpg.npz", map=values, conf=values, score=score)
    return folder


def _rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def _score(data: Path, maps: Path, out: Path, *options: str) -> int:
    return main(["score", "imdl", str(data), str(maps), "--out", str(out), "--quiet", *options])


def test_the_files_have_the_columns_and_numbers_promised(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    assert _score(data, _archives(tmp_path / "trufor"), out, "--workers", "1") == 0

    assert (out / "imdl_perimage.csv").read_text().splitlines()[0] == COLUMNS
    rows = _rows(out, "imdl_perimage.csv")
    assert [row["Image"] for row in rows] == ["0.jpg", "1.jpg", "2.jpg", "n.jpg"]
    assert [row["Label"] for row in rows] == ["1", "1", "1", "0"]
    assert {row["Status"] for row in rows} == {"scored"}
    assert {row["Geometry"] for row in rows} == {"own size"}
    assert {row["ImageScoreKind"] for row in rows} == {"head"}
    truth, values = build.area().ravel(), _floats(ord("1")).ravel()
    row = rows[1]
    assert float(row["F1"]) == pytest.approx(f1_score(truth, values > 0.5), abs=1e-6)
    assert float(row["IoU"]) == pytest.approx(jaccard_score(truth, values > 0.5), abs=1e-6)
    assert float(row["AUC"]) == pytest.approx(roc_auc_score(truth, values), abs=1e-9)
    # The threshold written is the one the score is reached at, to the last digit.
    at_best = values.astype(np.float64) > float(row["F1_best_threshold"])
    assert float(row["F1_best"]) == pytest.approx(f1_score(truth, at_best), abs=1e-9)
    # An authentic image counts as 0, and has no AUC; IMDL-BenCo's is 0.
    assert (rows[3]["F1"], rows[3]["AUC"], rows[3]["AUC_benco"]) == ("0.0", "", "0.0")
    (summary,) = _rows(out, "imdl_summary.csv")
    assert (summary["F1_used"], summary["AUC_used"], summary["AUC_left_out"]) == ("4", "3", "1")
    assert float(summary["F1"]) == pytest.approx(sum(float(r["F1"]) for r in rows) / 4)
    assert [float(summary[name]) for name in ("ImageF1", "ImageAccuracy", "ImageAUC")] == [
        pytest.approx(1, abs=1e-6),
        1,
        1,
    ]
    assert 0 < float(summary["BestThreshold"]) < 1


def test_authentic_images_can_be_left_out(data: Path, tmp_path: Path) -> None:
    maps = _maps(tmp_path / "run")
    _score(data, maps, tmp_path / "all", "--workers", "1")
    _score(data, maps, tmp_path / "only", "--workers", "1", "--manipulated-only")

    (every,), (only,) = (_rows(tmp_path / n, "imdl_summary.csv") for n in ("all", "only"))

    assert (every["Images"], only["Images"]) == ("4", "3")
    assert float(only["F1"]) == pytest.approx(float(every["F1"]) * 4 / 3)
    # The image-level numbers need both classes, and keep them.
    assert only["ImageAUC"] == every["ImageAUC"] != ""


def test_another_threshold_is_exact(data: Path, tmp_path: Path) -> None:
    _score(data, _archives(tmp_path / "m"), tmp_path / "o", "--workers", "1", "--threshold", "0.31")

    row = _rows(tmp_path / "o", "imdl_perimage.csv")[0]
    called = _floats(ord("0")).ravel() > np.float32(0.31)
    assert float(row["F1"]) == pytest.approx(f1_score(build.area().ravel(), called), abs=1e-6)


def test_predictions_that_look_inverted_stop_the_run_until_settled(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maps = _maps(tmp_path / "run", inverted=True)

    assert _score(data, maps, tmp_path / "out", "--workers", "1") == 3
    said = capsys.readouterr().err
    assert "3 of 3 maps score authentic pixels above manipulated ones" in said
    assert "--prediction-polarity black" in said
    assert not (tmp_path / "out").exists()

    settled = ("--workers", "1", "--prediction-polarity")
    assert _score(data, maps, tmp_path / "black", *settled, "black") == 0
    assert _score(data, maps, tmp_path / "white", *settled, "white") == 0
    (black,) = _rows(tmp_path / "black", "imdl_summary.csv")
    (white,) = _rows(tmp_path / "white", "imdl_summary.csv")
    assert float(black["F1"]) > 0.5 > float(white["F1"])
    assert float(black["AUC"]) == pytest.approx(float(white["AUC_inverse"]))


def test_uncertain_pairs_and_colours_stop_the_run_until_settled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "set"
    for number in range(3):
        build.image(root / "Tp" / f"photo{number}.jpg")
        build.mask(root / "Gt" / f"m{number}.png", white=0, black=255)
        build.write(tmp_path / "run" / f"photo{number}.png", np.uint8(255) * build.area())

    assert _score(root, tmp_path / "run", tmp_path / "out") == 3
    assert "--pairing" in capsys.readouterr().err
    position = ("--pairing", "position", "--workers", "1")
    assert _score(root, tmp_path / "run", tmp_path / "out", *position) == 3
    assert "--reference-polarity" in capsys.readouterr().err
    assert (
        _score(root, tmp_path / "run", tmp_path / "o", *position, "--reference-polarity", "black")
        == 1  # names and positions differ, which is told
    )
    (summary,) = _rows(tmp_path / "o", "imdl_summary.csv")
    assert float(summary["F1"]) == pytest.approx(1, abs=1e-6)


def test_a_missing_tail_is_listed_and_never_counted(data: Path, tmp_path: Path) -> None:
    maps = _maps(tmp_path / "run")
    (maps / "pred" / "2.png").unlink()

    assert _score(data, maps, tmp_path / "out", "--workers", "1") == 1

    rows = _rows(tmp_path / "out", "imdl_perimage.csv")
    assert [row["Status"] for row in rows] == ["scored", "scored", "no prediction", "scored"]
    assert rows[2]["F1"] == ""
    (summary,) = _rows(tmp_path / "out", "imdl_summary.csv")
    assert (summary["F1_used"], summary["F1_left_out"]) == ("3", "1")


def test_padded_and_resized_predictions_are_scored_where_they_lie(tmp_path: Path) -> None:
    root = build.mani(tmp_path / "set", 2)
    area = build.area()
    padded = np.where(area, 200, 20).astype(np.uint8)[:, :50]
    build.write(tmp_path / "run" / "0.png", padded)
    build.write(tmp_path / "run" / "1.png", np.where(area, 200, 20).astype(np.uint8)[::2, ::2])

    assert _score(root, tmp_path / "run", tmp_path / "out", "--workers", "1") == 0

    rows = _rows(tmp_path / "out", "imdl_perimage.csv")
    assert [row["Geometry"] for row in rows] == ["padded 50x48", "resized 32x24"]
    assert [float(row["F1"]) for row in rows] == [pytest.approx(1, abs=1e-6)] * 2


def test_a_second_run_counts_nothing_again(data: Path, tmp_path: Path) -> None:
    task = fv.open_dataset(data).task()
    submission = task.open_submission(_maps(tmp_path / "run"))
    done: list[int] = []

    first = fv.score(task, submission, kind="imdl", progress=lambda n, _all: done.append(n))
    assert done[-1] == 4
    done.clear()
    again = fv.score(task, submission, kind="imdl", progress=lambda n, _all: done.append(n))

    assert done == []
    assert first.per_trial.equals(again.per_trial)


def test_processes_give_the_same_files(data: Path, tmp_path: Path) -> None:
    maps = _archives(tmp_path / "run")
    _score(data, maps, tmp_path / "one", "--workers", "1", "--threshold", "0.4")
    _score(data, maps, tmp_path / "two", "--workers", "2", "--threshold", "0.4")

    for name in ("imdl_perimage.csv", "imdl_summary.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_python_gives_the_numbers_of_the_command_line(data: Path, tmp_path: Path) -> None:
    maps = _maps(tmp_path / "run")
    _score(data, maps, tmp_path / "out", "--workers", "1")
    task = fv.open_dataset(data).task()
    result = fv.score(task, task.open_submission(maps), kind="imdl")

    rows = _rows(tmp_path / "out", "imdl_perimage.csv")
    assert result.per_trial["F1"].tolist() == [float(row["F1"]) for row in rows]
    assert [*result.per_trial.columns] == COLUMNS.split("|")
    assert float(result.summary["F1"].iloc[0]) == pytest.approx(result.per_trial["F1"].mean())


def test_a_trial_is_loaded_in_the_terms_of_its_dataset(data: Path, tmp_path: Path) -> None:
    maps = _maps(tmp_path / "run")
    task = fv.open_dataset(data).task()
    submission = task.open_submission(maps)
    listed = fv.score(task, submission, kind="imdl").per_trial.set_index("Image")

    trial = fv.load_trial(task, submission, "1.jpg")

    called = trial.system > 127
    hits = (called & (trial.regions == fv.Region.MANIPULATED)).sum()
    row = trial.at(127)
    assert hits == row.TP
    assert pytest.approx(listed.loc["1.jpg", "F1"], abs=1e-6) == row.F1
    assert (trial.reference > 0).sum() == build.area().sum()


def test_doubt_stops_python_too(tmp_path: Path) -> None:
    for number in range(2):
        build.image(tmp_path / "set" / "Tp" / f"photo{number}.jpg")
        build.mask(tmp_path / "set" / "Gt" / f"m{number}.png")
        build.write(tmp_path / "run" / f"photo{number}.png", np.zeros(build.SIZE, np.uint8))
    task = fv.open_dataset(tmp_path / "set").task()

    with pytest.raises(fv.ForensicViewerError, match="uncertain which mask"):
        fv.score(task, task.open_submission(tmp_path / "run"), kind="imdl")

    settled = fv.open_dataset(tmp_path / "set", pairing="position").task()
    found = fv.score(settled, settled.open_submission(tmp_path / "run"), kind="imdl")
    assert len(found.per_trial) == 2


def test_lists_elsewhere_need_their_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images = build.mani(tmp_path / "data")
    path = tmp_path / "lists" / "list.json"
    path.parent.mkdir()
    path.write_text(json.dumps([[str(images / "Tp" / "0.jpg"), str(images / "Gt" / "0.png")]]))

    assert main(["info", str(path)]) == 3
    assert "--root" in capsys.readouterr().err
    assert main(["info", str(path), "--root", str(images), "--quiet"]) == 0
    assert main(["trials", str(path), "--map", f"{images}={images}", "--quiet"]) == 0
    assert len(fv.open_dataset(path, roots=[images]).task().trials) == 1


def test_a_list_of_images_scores_these_alone(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maps = _maps(tmp_path / "run")
    listed = tmp_path / "kept.txt"
    listed.write_text("# kept\n2.jpg\n0.jpg\n\nother.jpg\n")

    assert _score(data, maps, tmp_path / "out", "--workers", "1", "--trials", str(listed)) == 1

    rows = _rows(tmp_path / "out", "imdl_perimage.csv")
    assert [row["Image"] for row in rows] == ["0.jpg", "2.jpg"]
    (summary,) = _rows(tmp_path / "out", "imdl_summary.csv")
    assert (summary["Images"], summary["F1_used"]) == ("2", "2")
    assert float(summary["F1"]) == pytest.approx(sum(float(row["F1"]) for row in rows) / 2)
    task = fv.open_dataset(data).task()
    found = fv.score(
        task, task.open_submission(maps), kind="imdl", trials=["0.jpg", "2.jpg", "other.jpg"]
    )
    assert found.summary["F1"][0] == pytest.approx(float(summary["F1"]))
    assert "1 of 3 listed images are not in the dataset (other.jpg)" in str(
        found.problems["message"].tolist()
    )

    listed.write_text("other.jpg\n")
    assert _score(data, maps, tmp_path / "none", "--trials", str(listed)) == 2
    assert "1 of 1 listed images are not in the dataset" in capsys.readouterr().err


def test_what_duplicates_keeps_is_what_is_scored(data: Path, tmp_path: Path) -> None:
    (data.parent / "Tp" / "2.jpg").write_bytes((data.parent / "Tp" / "0.jpg").read_bytes())
    assert main(["duplicates", str(data), "--out", str(tmp_path / "found"), "--quiet"]) in (0, 1)
    kept = (tmp_path / "found" / "kept_trials.txt").read_text().split()
    assert 0 < len(kept) < 4

    maps, listed = _maps(tmp_path / "run"), str(tmp_path / "found" / "kept_trials.txt")
    assert _score(data, maps, tmp_path / "out", "--workers", "1", "--trials", listed) in (0, 1)

    rows = _rows(tmp_path / "out", "imdl_perimage.csv")
    assert sorted(row["Image"] for row in rows) == sorted(kept)


def test_a_run_finds_its_files_by_root_and_by_map(tmp_path: Path) -> None:
    images = build.mani(tmp_path / "data")
    lists = tmp_path / "lists"
    lists.mkdir()
    here = [[str(images / "Tp" / f"{n}.jpg"), str(images / "Gt" / f"{n}.png")] for n in range(2)]
    (lists / "here.json").write_text(json.dumps(here))
    there = [[f"/mnt/iml/Tp/{n}.jpg", f"/mnt/iml/Gt/{n}.png"] for n in range(2)]
    (lists / "there.json").write_text(json.dumps(there))
    for number in range(2):
        levels = np.where(build.area(), 200, 20).astype(np.uint8)
        build.write(tmp_path / "run" / f"{number}.png", levels)

    runs = {
        "refused": ("here.json",),
        "root": ("here.json", "--root", str(images)),
        "map": ("there.json", "--map", f"/mnt/iml={images}"),
    }
    codes = {
        name: _score(lists / listed, tmp_path / "run", tmp_path / name, "--workers", "1", *said)
        for name, (listed, *said) in runs.items()
    }

    assert codes == {"refused": 3, "root": 0, "map": 0}
    assert not (tmp_path / "refused").exists()
    for name in ("root", "map"):
        (summary,) = _rows(tmp_path / name, "imdl_summary.csv")
        assert (summary["Images"], summary["F1_used"]) == ("2", "2")
        assert float(summary["F1"]) == pytest.approx(1)
    mapped = fv.open_dataset(lists / "there.json", maps=[f"/mnt/iml={images}"]).task()
    rooted = fv.open_dataset(lists / "there.json", roots=[images]).task()
    assert len(mapped.trials) == len(rooted.trials) == 2


def test_validate_names_what_is_wrong_with_maps(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maps = _maps(tmp_path / "run")
    assert main(["validate", str(data), str(maps)]) == 0
    (maps / "pred" / "0.png").unlink()
    (maps / "pred" / "1.png").write_bytes(b"broken")

    assert main(["validate", str(data), str(maps)]) == 1
    said = capsys.readouterr().out
    assert "0.jpg has no prediction" in said
    assert "pred/1.png" in said


def test_render_draws_a_trial(data: Path, tmp_path: Path) -> None:
    maps, out = _maps(tmp_path / "run"), tmp_path / "trial.png"

    # In a process of its own: drawing needs the program's application, tests have another.
    command = [sys.executable, "-m", "forensicviewer", "render", str(data), str(maps)]
    command += ["--trial", "1.jpg", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("threshold", [-0.1, 1.5])
def test_a_threshold_outside_of_the_scale_is_refused(threshold: float) -> None:
    with pytest.raises(fv.ForensicViewerError, match="not a valid threshold"):
        ImdlSettings(threshold=threshold)


def test_small_maps_are_measured_with_few_questions(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only numbers leave a decoder, and the way there is taken for several maps at once."""
    asked: list[str] = []
    ask = DecoderPool.ask

    def note(pool: DecoderPool, call: Call[Any]) -> Any:
        asked.append(call.function.__name__)
        return ask(pool, call)

    task = fv.open_dataset(data).task()
    submission = task.open_submission(_maps(tmp_path / "run"))
    monkeypatch.setattr(DecoderPool, "ask", note)

    fv.score(task, submission, kind="imdl", workers=1)

    assert set(asked) == {"_measure_some"}
    assert len(asked) <= 4  # at most one for each map


def test_a_run_of_heat_maps_alone_says_why_nothing_was_scored(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("0", "1"):
        levels = np.floor(_floats(ord(name)) * 255).astype(np.uint8)
        jet = np.asarray(cv2.applyColorMap(levels, cv2.COLORMAP_JET))
        build.write(tmp_path / "maps" / "output_pred" / f"{name}.png", jet)

    asked = ["score", "imdl", str(data), str(tmp_path / "maps"), "--out", str(tmp_path / "out")]
    code = main([*asked, "--workers", "1"])

    assert code == 3
    assert "a colour image, not a map of probabilities" in capsys.readouterr().err

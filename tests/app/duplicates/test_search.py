"""Near-duplicates of a dataset on disk: found, reported, split, and the kept ones scored."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.duplicates.search import DuplicateSearch, search_duplicates
from forensicviewer.cli import main
from tests.build import Built, a_dataset, box, exact, inverted


def paint(path: Path, scene: int, copy: int) -> None:
    coarse = np.random.default_rng(scene).integers(0, 256, (6, 8, 3))
    pixels = np.kron(coarse, np.ones((8, 8, 1)))
    pixels += np.random.default_rng(100 + copy).integers(-4, 5, pixels.shape)
    cv2.imwrite(str(path), np.clip(pixels, 0, 255).astype(np.uint8))


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """Six probes: a, b, c are alike, d and e are alike, f is like no other."""
    dataset = a_dataset(tmp_path / "data").nist("NC2017")
    for name in "abcdef":
        dataset = dataset.with_trial(name, manipulated=box(10, 10, 40, 40))
        dataset = dataset.with_answer(name, exact() if name in "adf" else inverted())
    made = dataset.write()
    for number, (name, scene) in enumerate(zip("abcdef", (1, 1, 1, 2, 2, 3), strict=True)):
        file = next(f for f in (made.root / "probe").iterdir() if f.stem == name)
        paint(file, scene, number)
    return made


def searched(built: Built) -> DuplicateSearch:
    task = open_dataset(built.root).tasks[0]
    return search_duplicates(task, reading=lambda *_: None, comparing=lambda *_: None)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="|"))


def test_groups_and_one_kept_of_each(built: Built) -> None:
    search = searched(built)

    names = [[search.probes[n].trials[0] for n in group] for group in search.found.groups]
    assert names == [["a", "b", "c"], ["d", "e"]]
    assert search.trials_of(search.first_of_each()) == ("a", "d", "f")


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_split_never_parts_a_group(built: Built, seed: int, share: float) -> None:
    search = searched(built)

    training, validation = search.split(share, seed=seed)

    assert training | validation == frozenset(range(6))
    assert not training & validation
    for group in search.found.groups:
        assert {*group} <= training or {*group} <= validation
    assert len(training) <= round(share * 6)


def test_the_command_writes_groups_pairs_lists_and_a_split(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "out"

    code = main(["duplicates", str(built.root), "--out", str(out), "--split", "0.5", "--quiet"])

    assert code == 0
    groups = {
        row["TrialID"]: (row["Group"], row["GroupSize"]) for row in rows(out / "duplicates.csv")
    }
    assert groups["c"] == ("1", "3")
    assert groups["f"] == ("", "1")
    assert (out / "kept_trials.txt").read_text() == "a\nd\nf\n"
    assert len(rows(out / "similar_pairs.csv")) == 4
    assert all(float(row["SSIM"]) >= 0.9 for row in rows(out / "similar_pairs.csv"))
    parts = {row["TrialID"]: row["Part"] for row in rows(out / "split.csv")}
    assert parts["a"] == parts["b"] == parts["c"]
    assert cv2.imread(str(out / "similarity.png")).shape == (6, 6, 3)  # type: ignore[union-attr]


def test_only_the_kept_trials_are_scored(built: Built, tmp_path: Path) -> None:
    out, scores = tmp_path / "out", tmp_path / "scores"
    main(["duplicates", str(built.root), "--out", str(out), "--quiet"])

    code = main(
        [
            *("score", "mask", str(built.root), str(built.submission), "--out", str(scores)),
            *("--trials", str(out / "kept_trials.txt"), "--quiet"),
        ]
    )

    assert code == 0
    (row,) = rows(scores / "mask_scores_0.csv")
    # The inverted answers are those of the duplicates.
    assert row["Query"] == "ProbeFileID in ['a', 'd', 'f']"
    assert (row["ScoreableTrials"], float(row["OptimumMCC"])) == ("3", 1.0)


@pytest.mark.parametrize("content", ["", "# nothing\n", "it's\n"])
def test_a_list_without_ids_is_refused(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text(content)

    code = main(
        [
            *("score", "mask", str(built.root), str(built.submission)),
            *("--out", str(tmp_path / "o"), "--trials", str(listed)),
        ]
    )

    assert code == 2
    assert "list.txt" in capsys.readouterr().err


def test_an_image_that_cannot_be_read_is_a_problem_and_the_others_are_compared(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    next(f for f in (built.root / "probe").iterdir() if f.stem == "b").write_bytes(b"not an image")

    code = main(["duplicates", str(built.root), "--json"])

    assert code == 1
    document = json.loads(capsys.readouterr().out)
    assert document["images"] == 5
    assert len(document["groups"]) == 2


@pytest.mark.parametrize("options", [["--threshold", "2"], ["--split", "0.5"], ["--split", "7"]])
def test_what_makes_no_sense_is_refused(built: Built, options: list[str]) -> None:
    assert main(["duplicates", str(built.root), *options]) == 2

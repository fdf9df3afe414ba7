"""Planted faults are found, clean references are left alone."""

import random
import shutil
from pathlib import Path

import cv2
import pytest

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.quality.search import search_suspects, tasks_to_check
from forensicviewer.core.problem import Severity, UsageError
from tests.plant_faults import KINDS, alarms_in, measure, miniature
from tests.sources.imdl.build import area, mask

# What a folder of images and masks can have.
IMDL = ("emptied", "filled", "inverted", "resized", "turned_by_90", "file_cut_off", "file_missing")


def test_there_are_24_kinds_of_faults() -> None:
    assert len(KINDS) == 24


def test_faults_planted_in_images_and_masks_are_found(tmp_path: Path) -> None:
    result = measure(miniature(tmp_path / "imdl"), 7, IMDL)

    assert result.alarms == []
    assert result.found == dict.fromkeys(IMDL, 1)


def test_of_24_kinds_of_faults_in_the_sample_22_are_found(sample_folder: Path) -> None:
    result = measure(sample_folder / "MFC2019_Sample", 2)

    missed = {kind for kind in result.planted if not result.found[kind]}
    assert result.alarms == []
    assert len(result.planted) >= 20
    assert len(missed) <= 2, missed


@pytest.mark.parametrize(
    ("color", "is_suspect"),
    [((0, 0, 0), False), ((90, 160, 30), False), ((0, 0, 1), True), ((9, 0, 0), True)],
)
def test_a_splice_in_a_colour_of_its_own_is_right_and_nearly_black_is_not(
    sample_folder: Path, tmp_path: Path, color: tuple[int, int, int], *, is_suspect: bool
) -> None:
    root = tmp_path / "MFC2019_Sample"
    shutil.copytree(sample_folder / root.name, root)
    splices = next(t for t in tasks_to_check(open_dataset(root)) if t.kind.has_donor)
    trials = (splices.trials[row] for row in range(len(splices.trials)))
    trial = next(each for each in trials if each.is_target and each.reference)
    named = trial.reference
    assert named is not None
    path = Path(splices.root) / named
    pixels = cv2.imread(str(path))
    assert pixels is not None
    pixels[(pixels != 255).any(axis=2)] = color[::-1]
    cv2.imwrite(str(path), pixels)

    alarms, _ = alarms_in(root, splices.name)

    found = {rule for _, number, rule in alarms if number == str(trial.id)}
    assert ("mark-without-operation" in found) is is_suspect


def test_a_rule_that_is_off_finds_nothing(tmp_path: Path) -> None:
    root = miniature(tmp_path / "imdl")
    mask(root / "Gt" / "3.png", area((96, 128), (0, 0, 0, 0)), size=(96, 128))
    tasks = tasks_to_check(open_dataset(root))

    found = search_suspects(tasks, progress=_quiet)
    without = search_suspects(tasks, off=("empty",), progress=_quiet)

    assert [(one.trial, one.suspect.rule) for one in found.suspects] == [("3.png", "empty")]
    assert without.suspects == ()
    with pytest.raises(UsageError, match="'emtpy' is not a rule"):
        search_suspects(tasks, off=("emtpy",), progress=_quiet)


def test_systems_that_agree_contradict_a_mask_without_a_base(tmp_path: Path) -> None:
    root, box = miniature(tmp_path / "imdl"), (10, 10, 40, 50)
    for number in range(8):
        mask(root / "Gt" / f"{number}.png", area((96, 128), box), size=(96, 128))
    moved = area((96, 128), (50, 70, 80, 110))
    for system in ("one", "two"):
        for number in range(8):
            shown = moved if number == 5 else area((96, 128), box)
            mask(tmp_path / system / f"{number}.png", shown, size=(96, 128))
    tasks = tasks_to_check(open_dataset(root))
    submissions = [open_submission(tmp_path / name, task=tasks[0]) for name in ("one", "two")]

    found = search_suspects(tasks, submissions, off=("same-mask",), progress=_quiet)

    told = [(one.trial, one.suspect.rule) for one in found.suspects if _counts(one.suspect.level)]
    assert told == [("5.png", "transform")]
    assert "move it by +60, +40 pixels" in found.suspects[0].suspect.evidence


def test_systems_that_contradict_most_references_are_doubted_themselves(tmp_path: Path) -> None:
    root = miniature(tmp_path / "imdl")
    for number in range(8):
        stored = cv2.imread(str(root / "Gt" / f"{number}.png"), cv2.IMREAD_GRAYSCALE)
        assert stored is not None
        mask(tmp_path / "inverted" / f"{number}.png", stored == 0, size=(96, 128))
    tasks = tasks_to_check(open_dataset(root))
    submission = open_submission(tmp_path / "inverted", task=tasks[0])

    found = search_suspects(tasks, [submission], progress=_quiet)

    assert [one for one in found.suspects if _counts(one.suspect.level)] == []
    assert (
        "because 8 of 8 trials are affected, the systems are more likely wrong"
        in found.suspects[0].suspect.evidence
    )


def test_a_search_can_be_stopped(tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def stop() -> None:
        raise StopError

    tasks = tasks_to_check(open_dataset(miniature(tmp_path / "imdl")))

    with pytest.raises(StopError):
        search_suspects(tasks, progress=_quiet, check=stop)


def test_copies_of_a_dataset_get_the_same_findings(tmp_path: Path) -> None:
    root = miniature(tmp_path / "imdl")
    damaged = random.Random(4).randrange(8)
    (root / "Gt" / f"{damaged}.png").unlink()
    shutil.copytree(root, tmp_path / "copy")

    assert alarms_in(root)[0] == alarms_in(tmp_path / "copy")[0] != set()


def _counts(level: Severity) -> bool:
    return level is not Severity.NOTE


def _quiet(_done: int, _all: int) -> None:
    pass

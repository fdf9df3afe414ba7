from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.file_check import check_files
from forensicviewer.app.datasets.opening import choose_task, open_dataset
from forensicviewer.cli import main
from forensicviewer.core.problem import Problem
from tests.build import a_dataset, box, write_png


def _problems(root: Path) -> list[Problem]:
    task = choose_task(open_dataset(root), None)
    return list(check_files(task, progress=lambda *_: None))


def test_a_whole_dataset_has_no_problems(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(0, 0, 9, 9))

    assert _problems(built.with_trial("p2").write().root) == []


def test_a_whole_splice_dataset_has_no_problems(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", donor="d1", manipulated=box(0, 0, 9, 9))

    assert _problems(built.with_trial("p1", donor="d2").write().root) == []


def test_missing_and_wrong_files_are_told_with_their_row(tmp_path: Path) -> None:
    built = a_dataset(tmp_path)
    for name in ("gone", "large", "broken", "odd", "good"):
        built = built.with_trial(name, manipulated=box(0, 0, 9, 9))
    root = built.write().root
    (root / "probe" / "gone.png").unlink()
    write_png(root / "probe" / "large.png", np.zeros((9, 9), dtype=np.uint8))
    (root / "probe" / "broken.png").write_bytes(b"not a picture")
    write_png(
        root / "reference" / "manipulation" / "mask" / "odd.png",
        np.full((48, 64, 3), (1, 2, 3), dtype=np.uint8),
    )

    told = [(problem.rule, problem.where.split(":")[1]) for problem in _problems(root)]

    assert told == [
        ("file.missing", "2"),
        ("file.size", "3"),
        ("file.mask-size", "3"),
        ("file.unreadable", "4"),
        ("mask.unknown-color", "5"),
    ]


def test_a_name_that_leaves_the_dataset_is_never_opened(tmp_path: Path) -> None:
    root = a_dataset(tmp_path).with_trial("p1").write().root
    (root / "probe" / "p1.png").unlink()
    (root / "probe" / "p1.png").symlink_to(write_png(tmp_path / "out.png", np.zeros((9, 9), "u1")))

    assert [problem.rule for problem in _problems(root)] == ["path.link"]


def test_many_missing_files_are_summed_up(tmp_path: Path) -> None:
    built = a_dataset(tmp_path)
    for number in range(30):
        built = built.with_trial(f"p{number}")
    root = built.write().root
    for path in (root / "probe").iterdir():
        path.unlink()

    told = _problems(root)

    assert len(told) == 21
    assert told[-1].message == "10 more problems of this kind"


def test_the_bit_planes_of_nists_masks_all_belong_to_operations(nist_suite: Path) -> None:
    dataset = open_dataset(nist_suite / "maskScorerTests")
    task = next(task for task in dataset.tasks if task.name == "manipulation:MFC18-sub")

    rules = {problem.rule for problem in check_files(task, progress=lambda *_: None)}

    assert "mask.unknown-plane" not in rules
    assert "file.unreadable" not in rules


def test_info_looks_at_the_files_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = a_dataset(tmp_path).with_trial("p1").write().root
    (root / "probe" / "p1.png").unlink()

    assert main(["info", str(root)]) == 0
    assert main(["info", str(root), "--files"]) == 1
    assert "probe/p1.png is not there" in capsys.readouterr().err

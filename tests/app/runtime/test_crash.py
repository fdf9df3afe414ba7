import os
from pathlib import Path

import pytest

from forensicviewer.app.runtime.crash import NativeCrashFile, keep_report, report_folder, report_of


def test_a_report_names_versions_and_the_way_to_the_error() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        int("1") / int("0")

    text = report_of(caught.type, caught.value, caught.tb)

    assert "division by zero" in text
    assert "PySide6-Essentials" in text
    assert Path(__file__).name in text


def test_reports_are_kept_in_their_folder() -> None:
    path = keep_report("something")

    assert path is not None
    assert path.parent == report_folder()
    assert path.read_text() == "something"


def test_a_clean_end_leaves_nothing_behind(tmp_path: Path) -> None:
    crash_file = NativeCrashFile(tmp_path / "native.txt")

    crash_file.close()

    again = NativeCrashFile(tmp_path / "native.txt")
    again.close()
    assert again.last_crash == ""


def test_the_next_start_finds_what_a_crash_left(tmp_path: Path) -> None:
    (tmp_path / "native.txt").write_text("Fatal Python error: Segmentation fault\n")

    crash_file = NativeCrashFile(tmp_path / "native.txt")

    assert "Segmentation fault" in crash_file.last_crash
    assert len(list(report_folder().glob("crash-*.txt"))) == 1
    crash_file.close()


@pytest.mark.parametrize("number", ["999999999", "our own", "no number"])
def test_a_run_that_was_cut_off_is_noticed(tmp_path: Path, number: str) -> None:
    (tmp_path / f"running-{os.getpid() if number == 'our own' else number}").touch()

    after = NativeCrashFile(tmp_path / "native.txt")
    after.close()

    assert after.was_cut_off
    assert list(tmp_path.glob("running-*")) == []


def test_a_run_that_goes_on_beside_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / f"running-{os.getppid()}").touch()

    beside = NativeCrashFile(tmp_path / "native.txt")
    beside.close()

    assert not beside.was_cut_off
    assert (tmp_path / f"running-{os.getppid()}").exists()

"""A case from one window to another: the same numbers and view, and nothing hostile is believed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.cases.manifest import Manifest
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.recognise import as_meant, recognise, sort_out
from forensicviewer.cli import main
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.verdict import Ruling
from forensicviewer.sources.files.sealed_zip import unpack_sealed, write_sealed
from forensicviewer.ui.cases.case_dialog import CaseDialog
from forensicviewer.ui.cases.export_dialog import ExportCaseDialog
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, box, shifted
from tests.desk_work import ALT, CTRL, answer_dialog, press, start_program, write

pytestmark = pytest.mark.ui
Key = Qt.Key
HOSTILE = "<img src='file:///etc/passwd'><b>bold</b>=cmd|'/c calc'!A1"


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    made = made.with_trial("p1", manipulated=box(10, 10, 40, 40)).with_answer("p1", shifted(8))
    return made.with_trial("p2", manipulated=box(5, 5, 30, 30)).write()


def opened_window(qtbot: QtBot, *paths: Path) -> MainWindow:
    window = start_program(qtbot)
    window.desk.open_paths(paths)
    window.refresh()
    return window


def mcc_of(window: MainWindow) -> str:
    state = window.desk.workbench.state
    assert state.loaded is not None
    sweep = state.loaded.sweep(state.side, 0)
    assert sweep is not None
    return repr(sweep.at(state.thresholds.main).mcc)


def export(qtbot: QtBot, window: MainWindow, **ticked: bool) -> None:
    press(Key.Key_X, CTRL | ALT)
    (dialog,) = window.findChildren(ExportCaseDialog)
    qtbot.waitUntil(dialog.form.case.hasFocus)
    write("17/3")
    dialog.licence.setText("for the jury only")
    dialog.anonymous.setChecked(ticked.pop("anonymous", False))
    for role, box_of in dialog.withheld.items():
        box_of.setChecked(ticked.get(role.replace(" ", "_"), False))
    press(Key.Key_Return)


def case_dialog(window: MainWindow) -> CaseDialog:
    (dialog,) = [one for one in window.findChildren(CaseDialog) if one.isVisible()]
    return dialog


def cells(dialog: CaseDialog, column: int) -> list[str]:
    table = dialog.checked
    return [item.text() for row in range(table.rowCount()) if (item := table.item(row, column))]


def test_a_case_opens_as_it_was_looked_at_with_the_same_number(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened_window(qtbot, built.root, built.submission)
    bench = window.desk.workbench
    bench.set_kernels(Kernels(KernelShape.DISC, 3, 5, 15))
    bench.set_threshold(90)
    window.desk.judging.say(Ruling.SCORE_AGAIN, note=HOSTILE)
    claimed = mcc_of(window)
    case = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "c1.fvcase")
    export(qtbot, window)
    assert case.is_file()
    window.close()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "clean"))

    second = opened_window(qtbot, case)

    state = second.desk.workbench.state
    assert mcc_of(second) == claimed
    assert state.scoring.kernels == Kernels(KernelShape.DISC, 3, 5, 15)
    assert (state.trial_id, state.thresholds.main) == ("p1", 90)
    assert state.dataset is not None
    assert (tmp_path / "clean") in Path(state.dataset.root).parents
    dialog = case_dialog(second)
    assert set(cells(dialog, 1)) == {"Same"}
    assert "All files and numbers match the record" in dialog.summary.text()
    assert "for the jury only" in dialog.about.text()
    verdict = dialog.verdicts.item(0, 3)
    assert verdict is not None
    assert verdict.text() == HOSTILE
    assert dialog.custody.rowCount() == 1
    places = [place for place in second.desk.recent.places if "c1" in place.path]
    assert [place.kind for place in places] == [PlaceKind.CASE]
    assert not any("clean" in place.path for place in second.desk.recent.places)
    dialog.close()
    second.close()


def test_what_is_withheld_is_marked_and_named(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened_window(qtbot, built.root, built.submission)
    case = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "c1.fvcase")
    export(qtbot, window, system_mask=True, anonymous=True)
    window.close()
    assert built.submission.name not in json.dumps(manifest_of(case))
    with zipfile.ZipFile(case) as packed:
        assert built.submission.name not in packed.read("report.html").decode()
        assert "data:image/png" not in packed.read("report.html").decode().split("Images")[-1]

    second = opened_window(qtbot, case)

    dialog = case_dialog(second)
    assert cells(dialog, 1) == ["Recorded, not checked"] * 2
    assert "withheld" in cells(dialog, 2)[0]
    assert "Recorded, but not checked: 2" in dialog.summary.text()
    rules = {problem.rule for problem in second.desk.workbench.state.problems}
    assert "case.unchecked" in rules
    dialog.close()
    second.close()


def test_a_number_that_comes_out_otherwise_is_named(
    qtbot: QtBot, built: Built, tmp_path: Path
) -> None:
    case = tmp_path / "c1.fvcase"
    words = ["case", "write", str(built.root), str(built.submission), "--trial", "p1"]
    assert main([*words, "--out", str(case), "--who", "Ada", "--quiet"]) == 0
    forged = forge(case, tmp_path)

    window = opened_window(qtbot, forged)

    dialog = case_dialog(window)
    assert cells(dialog, 1) == ["Differs"]
    assert "MCC was 0.99 and is" in cells(dialog, 2)[0]
    assert "Different from the recorded values: 1" in dialog.summary.text()
    assert "case.differs" in {one.rule for one in window.desk.workbench.state.problems}
    dialog.close()
    window.close()


def test_a_refused_case_leaves_the_window_as_it_is(
    qtbot: QtBot, built: Built, tmp_path: Path
) -> None:
    window = opened_window(qtbot, built.root, built.submission)
    broken = tmp_path / "broken.fvcase"
    broken.write_bytes(b"PK\x03\x04 not a zip")

    window.desk.open_paths([broken])

    state = window.desk.workbench.state
    assert state.dataset is not None
    assert Path(state.dataset.root) == built.root
    assert "The case file cannot be read" in window.notice.text
    assert not window.findChildren(CaseDialog)
    window.close()


def test_a_case_is_recognised_dropped_and_named_first(
    qtbot: QtBot, built: Built, tmp_path: Path
) -> None:
    case = tmp_path / "c1.fvcase"
    words = ["case", "write", str(built.root), str(built.submission), "--trial", "p1"]
    assert main([*words, "--out", str(case), "--quiet"]) == 0
    intent = recognise(case)
    assert intent is not None
    assert intent.kind is PlaceKind.CASE
    assert sort_out([case, built.root]).refused
    assert as_meant(OpenRequest(case, (built.submission,))).refused
    window = start_program(qtbot)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(case))])

    window.dropEvent(
        QDropEvent(
            QPoint(9, 9),
            Qt.DropAction.CopyAction,
            dropped,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )

    assert window.desk.workbench.state.trial_id == "p1"
    case_dialog(window).close()
    QApplication.processEvents()
    window.close()


def test_the_view_of_a_hostile_case_names_no_places(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened_window(qtbot, built.root, built.submission)
    case = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "c1.fvcase")
    export(qtbot, window)
    window.close()
    with zipfile.ZipFile(case) as packed:
        view = packed.read("view.fvsession").decode()
    assert str(tmp_path) not in view
    other = a_dataset(tmp_path / "other").nist("NC2017")
    strange = other.with_trial("p1", manipulated=box(1, 1, 9, 9)).write()
    place = {"absolute": str(strange.root), "path": str(strange.root), "digest": ""}
    hostile = json.loads(view) | {"dataset": place, "others": [{"dataset": place}]}
    hostile |= {"view": {"thresholds": {"main": 10**9}}, "notes": {"p1": "planted"}}

    second = opened_window(qtbot, forge(case, tmp_path, view=json.dumps(hostile)))

    state = second.desk.workbench.state
    assert state.dataset is not None
    assert Path(state.dataset.root) != strange.root
    assert len(second.desk.dataset_names) == 1
    assert 0 <= state.thresholds.main <= 256
    assert not second.desk.judging.drafts
    case_dialog(second).close()
    second.close()


def manifest_of(case: Path) -> dict[str, Any]:
    with zipfile.ZipFile(case) as packed:
        content: dict[str, Any] = json.loads(packed.read("manifest.json"))
    return content


def forge(case: Path, tmp_path: Path, *, view: str = "") -> Path:
    """Somebody who knows the format writes another number or view, with digests that fit."""
    folder = tmp_path / "forging"
    folder.mkdir()
    content = unpack_sealed(case, folder)
    content.pop("custody")
    if view:
        (folder / "view.fvsession").write_text(view, encoding="utf-8")
        import hashlib

        sealed = next(one for one in content["files"] if one["path"] == "view.fvsession")
        sealed["size"] = len(view.encode())
        sealed["sha256"] = hashlib.sha256(view.encode()).hexdigest()
    else:
        content["measured"][0]["metrics"]["MCC"] = 0.99
    manifest = Manifest(content).handed_on("Mallory", "made")
    forged = tmp_path / "forged.fvcase"
    with forged.open("xb") as stream:
        files = [(one["path"], folder / one["path"]) for one in content["files"]]
        write_sealed(stream, manifest.content, files)
    return forged

"""Draws the images of README and manual again from the sample: every layout, light and dark.

``make pictures`` runs it; look at each image that has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from forensicviewer.app.cases.writing import write_case
from forensicviewer.app.datasets.sample import (
    GENAI,
    IMDL,
    paint_in_subprocess,
    sample_answers,
    sample_places,
)
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import FONT_SCALE, THEME, Settings
from forensicviewer.ui.cases.case_dialog import CaseDialog
from forensicviewer.ui.cases.export_dialog import ExportCaseDialog
from forensicviewer.ui.claims.dialog import ClaimDialog
from forensicviewer.ui.dialogs.selftest import SelftestDialog
from forensicviewer.ui.results.dialog import ResultsDialog
from forensicviewer.ui.rulings.dialog import RulingDialog
from forensicviewer.ui.shell.start import make_application
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.theme import apply_theme, theme_named

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
LAYOUTS = {
    "inspect": "image",
    "annotate": "image",
    "adjudicate": "image",
    "video": "video",
    "graph": "provenance",
}
THEMES = ("light", "dark")
_MANUAL_PX, _MANUAL_QUALITY = (1080, 675), 85


def main() -> None:
    dataset, _ = sample_places(paint=paint_in_subprocess)
    genai, systems = sample_places(GENAI, paint=paint_in_subprocess)
    imdl, models = sample_places(IMDL, paint=paint_in_subprocess)
    for layout, theme in product((*LAYOUTS, "detect", "imdl"), THEMES):
        drawn = RESOURCES / "screenshots" / f"{layout}-{theme}.png"
        if layout == "detect":
            draw(genai, systems, layout, theme, drawn)
        elif layout == "imdl":
            draw(imdl, models, "inspect", theme, drawn)
        else:
            draw(dataset, sample_answers(LAYOUTS[layout]), layout, theme, drawn)
        small = Image.open(drawn).resize(_MANUAL_PX, Image.Resampling.LANCZOS)
        small.save(RESOURCES / "manual" / "pictures" / f"{drawn.stem}.jpg", quality=_MANUAL_QUALITY)
    for theme in THEMES:
        command = [sys.executable, "-m", "tests.pictures", theme]
        offscreen = {"QT_QPA_PLATFORM": "offscreen", "LOGNAME": "judge", "LANGUAGE": "en"}
        subprocess.run(command, env={**os.environ, **offscreen}, check=True)


def draw_dialogs(theme: str) -> None:
    """The empty window and the dialogs, as the window opens them, on one trial of the sample."""
    application = make_application()
    with tempfile.TemporaryDirectory() as name:
        settings = Settings(Path(name) / "settings.json")
        settings.change(THEME, theme)
        apply_theme(application, theme_named(theme), font_scale=settings.of(FONT_SCALE))
        recent = RecentPlaces(Path(name) / "recent.json")
        window = MainWindow(Desk(inline_jobs(), settings, recent=recent))
        # On the small screen there is without a display it would fill the screen.
        window.showNormal()
        window.resize(1440, 900)
        _first_run(window, theme, Path(name))
        dataset, _ = sample_places(paint=paint_in_subprocess)
        answers = tuple(sample_answers("image"))
        window.desk.open(OpenRequest(dataset, answers, task="manipulation", trial="MFC2019_1002"))
        window.refresh()
        window.commands.run("trial.results")
        (results,) = window.findChildren(ResultsDialog)
        _grab(results, "results", theme, Path(name))
        _dispute(window, theme, Path(name))
        # What is left are Qt's objects, which Python would take apart in an order Qt does not know.
        os._exit(0)


def _first_run(window: MainWindow, theme: str, scratch: Path) -> None:
    _grab(window, "start", theme, scratch)
    window.commands.run("help.selftest")
    (selftest,) = window.findChildren(SelftestDialog)
    waiting = QEventLoop()
    selftest._process.finished.connect(waiting.quit)
    waiting.exec()
    _grab(selftest, "selftest", theme, scratch)


def _dispute(window: MainWindow, theme: str, scratch: Path) -> None:
    window.commands.run("trial.claim")
    (claim,) = window.findChildren(ClaimDialog)
    claim.claim.setText("MCC 0.57, F1 0.66")
    claim.search()
    _grab(claim, "claim", theme, scratch)
    window.commands.run("trial.ruling")
    (ruling,) = window.findChildren(RulingDialog)
    ruling.out.box.setChecked(True)
    ruling.show_effect()
    _grab(ruling, "ruling", theme, scratch)
    window.commands.run("file.export_case")
    (export,) = window.findChildren(ExportCaseDialog)
    export.form.case.setText("MFC19-017")
    export.licence.setText("For the jury only; not to be passed on")
    export.withheld["base"].setChecked(True)
    request = export.request()
    assert request is not None
    write_case(request, scratch / "MFC19-017.fvcase")
    _grab(export, "export-case", theme, scratch)
    window.desk.open_paths([scratch / "MFC19-017.fvcase"])
    (case,) = window.findChildren(CaseDialog)
    _grab(case, "case", theme, scratch)


def _grab(widget: QWidget, picture: str, theme: str, scratch: Path) -> None:
    for _ in range(20):
        QApplication.processEvents()
    drawn = scratch / f"{picture}.png"
    widget.grab().save(str(drawn))
    image = Image.open(drawn).convert("RGB")
    image.thumbnail(_MANUAL_PX, Image.Resampling.LANCZOS)
    out = RESOURCES / "manual" / "pictures" / f"{picture}-{theme}.jpg"
    image.save(out, quality=_MANUAL_QUALITY)
    if isinstance(widget, QDialog):
        widget.close()


def draw(dataset: Path, answers: Sequence[Path], layout: str, theme: str, out: Path) -> None:
    """One picture, as the command line draws it, by a judge who is nobody in particular."""
    subprocess.run(
        [
            *(sys.executable, "-m", "forensicviewer", "render", dataset),
            *answers,
            *("--layout", layout, "--theme", theme, "--window", "--scores", "--out", out),
        ],
        env={**os.environ, "LOGNAME": "judge", "LANGUAGE": "en"},
        check=True,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw_dialogs(sys.argv[1])
    else:
        main()

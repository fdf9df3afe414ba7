"""The large parts of the window, imported when they are first needed.

Each brings its own slow libraries. The imports stand in functions, where type checkers and
import-linter see them and the start of the program does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.scope import Scope

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from forensicviewer.ui.widgets.page import Page


def make_page(scope: Scope, workbench: Workbench, parent: QWidget) -> Page:
    """The page for tasks of one scope."""
    match scope:
        case Scope.VIDEO:
            from forensicviewer.ui.video.page import VideoPage

            return VideoPage(workbench, parent)
        case Scope.GRAPH:
            from forensicviewer.ui.graph.page import GraphPage

            return GraphPage(workbench, parent)
        case _:
            from forensicviewer.ui.panes.page import StillsPage

            return StillsPage(workbench, parent)


def import_reading() -> None:
    """Import what opens and reads files, in the background: the window is painted without it."""
    import cv2  # noqa: F401

    # np.unique wants it when first called, and its long source is read then without a pause.
    import numpy.ma  # noqa: F401

    from forensicviewer.app.runtime import decoders  # noqa: F401
    from forensicviewer.app.session import opening_job, recognise, resuming  # noqa: F401


def import_work() -> None:
    """Import what the panels ask and show, in the background: nothing of it knows Qt."""
    import_reading()
    from forensicviewer.app.commands import manual  # noqa: F401
    from forensicviewer.app.detection import curves, review  # noqa: F401 - used by panels
    from forensicviewer.app.genai import charts  # noqa: F401
    from forensicviewer.app.judging import agreement, measuring, review_book  # noqa: F401
    from forensicviewer.app.plugins.lenses import LENSES
    from forensicviewer.app.plugins.metrics import METRICS
    from forensicviewer.app.quality import report  # noqa: F401
    from forensicviewer.app.results import columns  # noqa: F401
    from forensicviewer.app.session import locate  # noqa: F401
    from forensicviewer.app.trials import column_choice, definitions, library, thumbnails  # noqa: F401
    from forensicviewer.app.workbench import explanation, inspection, score_command  # noqa: F401

    # Those of other packages are looked for among all that are installed.
    tuple(METRICS), tuple(LENSES)


def import_panels() -> Iterator[object]:
    """Import the image page and the panels around it, some milliseconds of work a step.

    It comes after the work they do, which is most of what they import.
    """
    from forensicviewer.ui.panes import grid

    yield grid
    from forensicviewer.ui.panes import page

    yield page
    from forensicviewer.ui.trials import browser

    yield browser
    from forensicviewer.ui.score import threshold

    yield threshold
    from forensicviewer.ui.score import metrics, operations

    yield metrics, operations
    from forensicviewer.ui.score import detection

    yield detection
    from forensicviewer.ui.judging import adjudicator
    from forensicviewer.ui.panes import inspector

    yield inspector, adjudicator
    from forensicviewer.ui.genai import panel as genai_panel
    from forensicviewer.ui.imdl import panel as imdl_panel

    yield genai_panel, imdl_panel
    from forensicviewer.ui.shell import docks

    yield docks


def import_ahead() -> Iterator[object]:
    """Import what opening a dataset needs, one slow library a step, and start a second decoder."""

    # A third of a second, which nobody should wait for at the first timeline.
    import pyqtgraph

    pyqtgraph.setConfigOptions(imageAxisOrder="row-major")
    yield pyqtgraph
    from forensicviewer.ui.graph import page as graph_page
    from forensicviewer.ui.video import page as video_page

    yield video_page, graph_page
    from forensicviewer.app.trials import scoreboard

    yield scoreboard
    from forensicviewer.app.runtime.decoders import start_decoder

    start_decoder()
    yield start_decoder
    import h5py

    yield h5py
    import av

    yield av

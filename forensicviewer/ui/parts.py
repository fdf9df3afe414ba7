"""The large parts of the window, imported when they are first needed.

Each brings its own slow libraries. The imports stand in functions, where type checkers and
import-linter see them and the start of the program does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from forensicviewer.app.scope import Scope
from forensicviewer.app.workbench import Workbench

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from forensicviewer.ui.pages import Page


def make_page(scope: Scope, workbench: Workbench, parent: QWidget) -> Page:
    """The page for tasks of one scope."""
    match scope:
        case Scope.VIDEO:
            from forensicviewer.ui.player import VideoPage

            return VideoPage(workbench, parent)
        case Scope.GRAPH:
            from forensicviewer.ui.graphview import GraphPage

            return GraphPage(workbench, parent)
        case _:
            from forensicviewer.ui.stills import StillsPage

            return StillsPage(workbench, parent)


def import_panels() -> Iterator[object]:
    """Import the image page and the panels around it, some milliseconds of work a step."""
    from forensicviewer.ui import panedrawing

    yield panedrawing
    from forensicviewer.ui import panes

    yield panes
    from forensicviewer.ui import stills

    yield stills
    from forensicviewer.ui import browser

    yield browser
    from forensicviewer.ui import curves

    yield curves
    from forensicviewer.ui import metrics

    yield metrics
    from forensicviewer.ui import operations

    yield operations
    from forensicviewer.ui import detection

    yield detection
    from forensicviewer.ui import inspector

    yield inspector
    from forensicviewer.ui import adjudicator

    yield adjudicator
    from forensicviewer.ui import docks

    yield docks


def import_ahead() -> Iterator[object]:
    """Import what opening a dataset needs, one slow library a step.

    Our own scorers come before the decoders: they are wanted as soon as a dataset is open.
    """
    # A third of a second, which nobody should wait for at the first timeline.
    import pyqtgraph

    pyqtgraph.setConfigOptions(imageAxisOrder="row-major")
    yield pyqtgraph
    from forensicviewer.ui import graphview, player

    yield player, graphview
    from forensicviewer.app import scoreboard

    yield scoreboard
    from PIL import TiffImagePlugin

    yield TiffImagePlugin
    import h5py

    yield h5py
    import av

    yield av
    import glymur

    yield glymur

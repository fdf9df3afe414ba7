"""What a page shows, in words above it, with a way into the manual."""

from __future__ import annotations

import html
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from forensicviewer.app.commands.manual import link_to, page_about
from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.explanation import PAGES
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import Change, ViewState


class ExplanationStrip(QLabel):
    """Shown while everything is explained; ``show_manual`` opens the manual's page about it."""

    def __init__(
        self,
        workbench: Workbench,
        scope: Scope,
        show_manual: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setProperty("role", "caption")
        self.setContentsMargins(8, 4, 8, 4)
        self.setTextFormat(Qt.TextFormat.RichText)
        more = link_to(page_about(scope), tr("More in the manual"))
        self.setText(f"{html.escape(tr(PAGES[scope]))} {more}")
        self.linkActivated.connect(show_manual)
        self.hide()
        self.let_go = workbench.subscribe(self._follow)
        self._follow(workbench.state, ~Change(0))

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & Change.LOOK and state.look.has_captions == self.isHidden():
            self.setVisible(state.look.has_captions)

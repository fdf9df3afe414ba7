"""Short messages over the window: what was opened, what went wrong. Errors stay until read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QToolButton,
)

from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.theme import current_theme, icon

_SHOWN_MS = 6_000
_ABOVE_STATUS_PX = 44
_WIDEST_PX = 560


@dataclass(frozen=True, slots=True)
class _Error:
    """An error that waits to be read."""

    text: str
    details: str
    button: str
    run: Callable[[], None] | None
    holds: Callable[[], bool]


def close_button(close: Callable[[], object]) -> QToolButton:
    """A cross that closes a message, as Escape does."""
    button = QToolButton()
    button.setIcon(icon("close"))
    button.setAccessibleName(tr("Close this message"))
    key = QKeySequence(Qt.Key.Key_Escape).toString(QKeySequence.SequenceFormat.NativeText)
    button.setToolTip(f"{tr('Close this message')} ({key})")
    button.clicked.connect(lambda: close())
    return button


class Notice(QFrame):
    """One message at the lower edge of the window; a newer one takes its place.

    Errors wait for each other, and what else is to be told goes into the status bar meanwhile.
    The window calls :meth:`follow` when it was resized and when a panel came to the front. (Not a
    filter on the window's events: thousands of them would pass through Python.)
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._picture, self._text = PlainLabel(), PlainLabel()
        self._text.setWordWrap(True)
        self._button, self._copy = QPushButton(), QPushButton(tr("Copy details"))
        self._more = PlainLabel()
        self._more.setProperty("role", "muted")
        self._run: Callable[[], None] = _nothing
        self._details = ""
        self._unread: deque[_Error] = deque()
        self._error: _Error | None = None
        self._is_error = False
        self._button.clicked.connect(self._do)
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._details))
        close = close_button(self._close)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(10)
        row.addWidget(self._picture, alignment=Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, stretch=1)
        row.addWidget(self._more)
        row.addWidget(self._button)
        row.addWidget(self._copy)
        row.addWidget(close, alignment=Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def tell(
        self,
        text: str,
        *,
        evidence: str = "",
        button: str = "",
        run: Callable[[], None] | None = None,
    ) -> None:
        """Say something that goes away by itself; ``evidence`` is what it rests on."""
        if self._shows_error:
            self._tell_below(text)
            return
        self._show(text, role="notice", picture="note", button=button, run=run)
        self.setToolTip(evidence)
        self._timer.start()

    def warn(
        self,
        text: str,
        *,
        details: str = "",
        button: str = "",
        run: Callable[[], None] | None = None,
        holds: Callable[[], bool] = lambda: True,
    ) -> None:
        """Say something that stays until it is closed, or :meth:`settle` finds it settled.

        ``details`` can be copied.
        """
        error = _Error(text, details, button, run, holds)
        if self._shows_error:
            self._unread.append(error)
            self._count_unread()
            return
        if not self.isHidden():
            self._tell_below(self.text)
        self._show_error(error)

    def _tell_below(self, text: str) -> None:
        """Let the status bar say what an error has taken the place of."""
        self._window.statusBar().showMessage(" · ".join(text.splitlines()), _SHOWN_MS)

    @property
    def _shows_error(self) -> bool:
        return self._is_error and not self.isHidden()

    def _show_error(self, error: _Error) -> None:
        self._timer.stop()
        self._error = error
        self._details = error.details
        self._show(
            error.text, role="notice-error", picture="warning", button=error.button, run=error.run
        )
        self.setToolTip("")
        self._count_unread()

    def _count_unread(self) -> None:
        self._more.setText(tr_many("{count} more", "{count} more", len(self._unread)))
        self._more.setVisible(bool(self._unread))
        self._place()

    def dismiss(self) -> bool:
        """Close the message; whether there was one."""
        is_there = self.isVisible()
        if is_there:
            self._close()
        return is_there

    def _close(self) -> None:
        """The message was read; the next error takes its place."""
        self.hide()
        if self._unread:
            self._show_error(self._unread.popleft())

    def settle(self) -> None:
        """Take back every error that does not hold any more."""
        self._unread = deque(error for error in self._unread if error.holds())
        if self._shows_error and self._error is not None and not self._error.holds():
            self._close()

    def follow(self) -> None:
        """Stay at the edge, and on top: Qt raises the middle whenever a panel comes to front."""
        if self.isVisible():
            self._place()
            self.raise_()

    def _show(
        self, text: str, *, role: str, picture: str, button: str, run: Callable[[], None] | None
    ) -> None:
        is_error = self._is_error = role == "notice-error"
        self._more.hide()
        color = current_theme().error if is_error else current_theme().accent
        self._picture.setPixmap(icon(picture, color=color).pixmap(20, 20))
        self._text.setText(text)
        self._text.setFixedWidth(_width_for(text, self._text.fontMetrics()))
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self._copy.setVisible(is_error and bool(self._details))
        self._run = run or _nothing
        self.setProperty("role", role)
        self.style().polish(self)
        self.setAccessibleName(text)
        self.show()
        self._place()
        self.raise_()

    def _place(self) -> None:
        self.adjustSize()
        self.move(
            (self._window.width() - self.width()) // 2,
            self._window.height() - self.height() - _ABOVE_STATUS_PX,
        )

    def _do(self) -> None:
        run = self._run
        self._close()
        run()


def _nothing() -> None:
    """A message that leads nowhere."""


def _width_for(text: str, metrics: QFontMetrics) -> int:
    """As wide as the longest line; Qt by itself would break a short line into three."""
    longest = max(metrics.horizontalAdvance(line) for line in text.splitlines() or [""])
    return min(_WIDEST_PX, longest + 4)

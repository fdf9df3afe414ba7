"""Short messages over the window: what was opened, what went wrong. Errors stay until read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from forensicviewer.ui.theme import current_theme, icon

_SHOWN_MS = 6_000
_ABOVE_STATUS_PX = 44


class Notice(QFrame):
    """One message at the lower edge of the window; a newer one takes its place."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._picture, self._text = QLabel(), QLabel()
        self._text.setWordWrap(True)
        self._text.setMaximumWidth(520)
        self._button = QPushButton()
        self._run: Callable[[], None] = self.hide
        self._button.clicked.connect(self._do)
        close = QToolButton()
        close.setIcon(icon("close"))
        close.setAccessibleName("Close message")
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(10)
        row.addWidget(self._picture, alignment=Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, stretch=1)
        row.addWidget(self._button)
        row.addWidget(close, alignment=Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        window.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def tell(self, text: str, *, button: str = "", run: Callable[[], None] | None = None) -> None:
        """Say something that goes away by itself."""
        self._show(text, role="notice", picture="note", button=button, run=run)
        self._timer.start()

    def warn(self, text: str, *, button: str = "", run: Callable[[], None] | None = None) -> None:
        """Say something that stays until it is closed."""
        self._timer.stop()
        self._show(text, role="notice-error", picture="warning", button=button, run=run)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() is QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _show(
        self, text: str, *, role: str, picture: str, button: str, run: Callable[[], None] | None
    ) -> None:
        color = current_theme().error if role == "notice-error" else current_theme().accent
        self._picture.setPixmap(icon(picture, color=color).pixmap(20, 20))
        self._text.setText(text)
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self._run = run or self.hide
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
        self.hide()
        self._run()

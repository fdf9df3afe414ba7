"""The colour of the second submission."""

from __future__ import annotations

from PySide6.QtGui import QColor

RIVAL_COLOR = QColor(214, 122, 0)

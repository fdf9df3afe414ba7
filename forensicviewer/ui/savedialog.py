"""Asks where to save a file, and gives its name the ending that was chosen."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def ask_where(parent: QWidget, title: str, proposed: str, kinds: str) -> Path | None:
    """The place the user names, with an ending of ``kinds``; ``None`` when they think better of it.

    ``kinds`` are Qt's: "Pictures (*.png);;Drawings (*.svg)". A name without one of these endings
    gets that of the chosen kind.
    """
    endings = re.findall(r"\*(\.[\w.]+)", kinds)
    while True:
        name, chosen = QFileDialog.getSaveFileName(parent, title, proposed, kinds)
        if not name or name.lower().endswith(tuple(endings)):
            return Path(name) if name else None
        path = Path(name + next(iter(re.findall(r"\*(\.[\w.]+)", chosen)), endings[0]))
        if not path.exists():
            return path
        # The dialog asked about the name without its ending; now it asks about the right one.
        proposed = str(path)

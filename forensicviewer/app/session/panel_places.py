"""Where the window and its panels stood, as bytes that only the window understands."""

from __future__ import annotations

import base64
import binascii
from functools import partial
from pathlib import Path

from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.runtime.json_file import JsonFile
from forensicviewer.app.runtime.late_writer import LateWriter


class Arrangements:
    """Named arrangements kept across runs; QSettings would write on the window's thread.

    ``problem`` is why those of earlier runs are not known.
    """

    def __init__(self, path: Path) -> None:
        self._file = JsonFile(path, "window")
        self.writer = LateWriter(Lane("window"))
        found = self._file.read()
        self.problem = found.problem
        kept = (found.document or {}).get("arrangements")
        self._kept = {
            str(name): text
            for name, text in (kept.items() if isinstance(kept, dict) else ())
            if isinstance(text, str)
        }

    def get(self, name: str) -> bytes | None:
        """What was put under the name; ``None`` where nothing was, or nobody can read it."""
        try:
            return base64.b64decode(self._kept[name], validate=True)
        except (KeyError, binascii.Error, ValueError):
            return None

    def put(self, name: str, content: bytes) -> None:
        self._keep({**self._kept, name: base64.b64encode(content).decode()})

    def remove(self, name: str) -> None:
        self._keep({known: text for known, text in self._kept.items() if known != name})

    def _keep(self, kept: dict[str, str]) -> None:
        if kept != self._kept:
            self._kept = kept
            self.writer.write(partial(self._file.keep, {"arrangements": kept}))

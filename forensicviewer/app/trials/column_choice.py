"""What a user changed about the columns of the trial list.

It is kept by kind of task, as differences from what the list shows by itself: columns that come
with a submission or a reference still come with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forensicviewer.sources.files.dataclass_json import from_json_value, to_json_value

_LEAST_PX, _MOST_PX = 24, 4_000


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Columns hidden, added, moved and made wider or narrower."""

    hidden: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    widths: Mapping[str, int] = field(default_factory=dict)

    def shows(self, name: str, *, usually: bool) -> bool:
        return name not in self.hidden if usually else name in self.added

    def toggled(self, name: str, *, shown: bool, usually: bool) -> ColumnChoice:
        if usually:
            return replace(self, hidden=self.hidden - {name} if shown else self.hidden | {name})
        return replace(self, added=self.added | {name} if shown else self.added - {name})

    def as_bytes(self) -> bytes:
        return json.dumps(to_json_value(self)).encode()

    @classmethod
    def from_bytes(cls, content: bytes | None) -> ColumnChoice:
        """What was kept; nothing changed where nobody can read it."""
        try:
            found = from_json_value(cls, json.loads(content or b"{}"))
        except ValueError:
            return cls()
        widths = {name: min(max(_LEAST_PX, px), _MOST_PX) for name, px in found.widths.items()}
        return replace(found, widths=widths)

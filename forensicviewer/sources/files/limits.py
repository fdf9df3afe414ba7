"""How large files may be that are read as a whole; a user can change it."""

from __future__ import annotations

import os
from dataclasses import dataclass

_UNPACKED, _DOCUMENT = "FORENSICVIEWER_UNPACKED_GB", "FORENSICVIEWER_DOCUMENT_MB"


@dataclass(frozen=True, slots=True)
class FileLimits:
    """``unpacked_gb`` is what one archive may unpack to, ``document_mb`` what a document may have.

    A process passes them on to those it starts.
    """

    unpacked_gb: int = 50
    document_mb: int = 512

    @property
    def document_values(self) -> int:
        """How many values a document may have: ten times as many as documents of that size do."""
        return self.document_mb * 20_000

    @classmethod
    def from_environment(cls) -> FileLimits:
        try:
            return cls(
                int(os.environ.get(_UNPACKED, cls().unpacked_gb)),
                int(os.environ.get(_DOCUMENT, cls().document_mb)),
            )
        except ValueError:
            return cls()

    def pass_on(self) -> None:
        """Use them from now on, also in the processes this one starts."""
        os.environ[_UNPACKED] = str(self.unpacked_gb)
        os.environ[_DOCUMENT] = str(self.document_mb)

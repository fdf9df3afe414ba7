"""What a dataset folder holds: which evaluation, which tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.model import Dataset, Edition
from forensicviewer.core.progress import Progress

__all__ = ["DatasetLayout", "Detection"]


@dataclass(frozen=True, slots=True)
class Detection:
    """What a path was recognised as; ``evidence`` names the files that show it."""

    layout: str
    editions: tuple[Edition, ...]
    tasks: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatasetLayout:
    """How datasets of one kind are stored in folders. ``detect`` looks at names and headers only.

    ``read`` gets a path that ``detect`` recognised, and how to report progress.
    """

    name: str
    detect: Callable[[Path], Detection | None]
    read: Callable[[Path, Progress | None], Dataset]

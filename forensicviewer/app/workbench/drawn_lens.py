"""What a lens shows of an image, ready to be drawn at any size."""

from __future__ import annotations

from dataclasses import dataclass

from forensicviewer.core.lens.lens import Lens
from forensicviewer.core.pyramid import Pyramid


@dataclass(frozen=True, slots=True)
class LensView:
    """An image through a lens with certain values; equal for the same image."""

    picture: Pyramid
    lens: Lens
    values: tuple[tuple[str, int], ...]

    def is_like(self, other: LensView) -> bool:
        """Whether both show the same image through the same lens, with any values."""
        return self.picture is other.picture and self.lens.name == other.lens.name


@dataclass(frozen=True, slots=True, eq=False)
class DrawnLens:
    """What a lens shows, or why it shows nothing."""

    view: LensView
    pixels: Pyramid | None = None
    reason: str = ""

"""The far view of a graph: thousands of nodes as one image, made in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.core.array import Size
from forensicviewer.core.graph.raster import Inks, Strokes, raster
from forensicviewer.core.overlay import Packed
from forensicviewer.ui.graph.geometry import GraphGeometry
from forensicviewer.ui.graph.tile_buffer import draw_pixels, image_of

_FAR_LANE = Lane("graph-far")

_SWEEP = 0.25  # of the view on each side is drawn with it: room to pan in
_AT_ONCE = 400  # nodes and links that are drawn on the spot


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a far view was made for."""

    area: tuple[float, float, float, float]
    scale: float
    version: int

    def covers(self, area: QRectF, scale: float, version: int) -> bool:
        return (self.scale, self.version) == (scale, version) and QRectF(*self.area).contains(area)


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    asked: _Asked
    image: QImage
    pixels: Packed  # the image draws from them without a copy


class FarView:
    """Boxes and lines by outcome. Until they are made, those there were stay, in their place."""

    def __init__(self, jobs: Jobs, update: Callable[[], None]) -> None:
        self._jobs = jobs
        self._update = update
        self._made: _Made | None = None
        self._asked: _Asked | None = None
        self._version = 0

    def forget(self) -> None:
        """Something looks different now."""
        self._version += 1

    def draw(
        self, painter: QPainter, picture: GraphGeometry, inks: Inks, area: QRectF, scale: float
    ) -> None:
        """Draw what lies in ``area`` (``scale`` device pixels per unit of the scene)."""
        made = self._made
        if made is None or not made.asked.covers(area, scale, self._version):
            self._ask(picture, inks, area, scale)
        made = self._made
        if made is None:
            return
        target = QRectF(*made.asked.area)
        if made.asked.scale == scale:
            draw_pixels(painter, target.topLeft(), made.image)
        else:
            painter.drawImage(target, made.image, QRectF(made.image.rect()))

    def _ask(self, picture: GraphGeometry, inks: Inks, area: QRectF, scale: float) -> None:
        if self._asked is not None and self._asked.covers(area, scale, self._version):
            return
        across, down = area.width() * _SWEEP, area.height() * _SWEEP
        wide = area.adjusted(-across, -down, across, down)
        size = Size(max(1, round(wide.width() * scale)), max(1, round(wide.height() * scale)))
        corner = wide.left(), wide.top()
        asked = _Asked((*corner, size.width / scale, size.height / scale), scale, self._version)
        self._asked = asked
        if len(picture.links) + len(picture.nodes) <= _AT_ONCE:
            self._made = _make(asked, picture.strokes(), inks, size)
            return
        self._jobs.submit(
            _FAR_LANE,
            # What the image is made of is replaced, never changed: another thread may read it.
            lambda: _make(asked, picture.strokes(), inks, size),
            self._take,
            title=tr("Drawing the graph"),
        )

    def _take(self, made: _Made) -> None:
        self._made = made
        self._update()


def _make(asked: _Asked, strokes: Strokes, inks: Inks, size: Size) -> _Made:
    corner = asked.area[0], asked.area[1]
    pixels = raster(strokes, inks, size=size, scale=asked.scale, corner=corner)
    return _Made(asked, image_of(pixels), pixels)

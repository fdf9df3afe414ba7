"""Keeps the drawn graph as tiles of pixels and draws a few at a time, so that nobody waits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, QTimer
from PySide6.QtGui import QImage, QPainter, QPixmap, QRegion

from forensicviewer.core.graph.ports import Boxes
from forensicviewer.core.overlay import Packed

_SETTLE_MS = 90
_BUDGET_S = 0.004  # for drawing in one turn; the rest of the turn is needed for showing it
_TILE_PX = 240  # of the screen; every usual scale of a screen divides it
_MOST_TILES = 280
_MANY_BOXES = 500  # where so much is different, all is drawn anew

Draw = Callable[[QPainter, QRectF], None]
DrawInSteps = Callable[[QPainter, QRectF], Iterator[None]]
TileIndex = tuple[int, int]  # column and row of a tile, counted from the middle of the scene


@dataclass(slots=True)
class _Tile:
    pixmap: QPixmap
    is_stale: bool = False


@dataclass(slots=True)
class _Unfinished:
    """A tile that is being drawn: it goes on where it was left."""

    place: TileIndex
    pixmap: QPixmap
    painter: QPainter
    steps: Iterator[None]


class _Tiles(dict[TileIndex, _Tile]):
    """Tiles of one scale: device pixels per unit of the scene."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.side = _TILE_PX / scale  # in the scene

    def area(self, place: TileIndex) -> QRectF:
        return QRectF(place[0] * self.side, place[1] * self.side, self.side, self.side)

    def meeting(self, area: QRectF) -> list[TileIndex]:
        """Positions in an area, from its middle outwards: that is where one looks."""
        columns = range(math.floor(area.left() / self.side), math.ceil(area.right() / self.side))
        rows = range(math.floor(area.top() / self.side), math.ceil(area.bottom() / self.side))
        x, y = area.center().x() / self.side - 0.5, area.center().y() / self.side - 0.5
        return sorted(
            product(columns, rows), key=lambda place: math.hypot(place[0] - x, place[1] - y)
        )


class GraphBuffer(QObject):
    """What is seen of a graph, as pixels.

    Moving the view shows the tiles there are and draws those that come into sight. What takes
    longer than a part of a frame goes on in the next turn of the event loop; until then what was
    seen before stays. While the view is zoomed the tiles there are stay on the screen, scaled;
    once it rests, they are sharp.
    """

    def __init__(self, update: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._tiles = _Tiles(1.0)
        self._before = _Tiles(1.0)
        self._unfinished: _Unfinished | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_SETTLE_MS)
        self._rest.timeout.connect(update)
        self._go_on = QTimer(self)
        self._go_on.setSingleShot(True)
        self._go_on.setInterval(0)
        self._go_on.timeout.connect(update)

    def forget(self, boxes: Boxes | None = None) -> None:
        """Something looks different now: what lies in the boxes, or everything."""
        self._drop_unfinished()
        if boxes is None or len(boxes) > _MANY_BOXES:
            for tile in self._tiles.values():
                tile.is_stale = True
            return
        side = self._tiles.side
        for place, tile in self._tiles.items():
            low = np.array(place) * side
            meets = (boxes[:, 2:] >= low) & (boxes[:, :2] <= low + side)
            tile.is_stale |= bool(np.any(np.all(meets, axis=1)))

    def clear(self) -> None:
        """Another graph: nothing that was drawn is of use."""
        self._drop_unfinished()
        self._tiles.clear()
        self._before.clear()

    def zoom(self) -> None:
        """The view is being zoomed: speed matters more than sharpness for a moment."""
        self._rest.start()

    def let_go(self) -> None:
        self._rest.stop()
        self._go_on.stop()
        self._drop_unfinished()

    def draw(
        self,
        painter: QPainter,
        area: QRectF,
        scale: float,
        *,
        sharply: DrawInSteps,
        roughly: Draw,
        at_once: bool,
    ) -> None:
        """Draw what lies in ``area`` (``scale`` device pixels per unit of the scene).

        ``roughly`` draws what was never drawn before, quickly; ``at_once`` is for little work.
        """
        if scale != self._tiles.scale:
            if self._tiles and self._rest.isActive():
                roughly(painter, area)
                _show_scaled(painter, self._tiles, area)
                return
            self._drop_unfinished()
            if self._tiles:
                self._before = self._tiles
            self._tiles = _Tiles(scale)
        tiles = self._tiles
        seen = tiles.meeting(area)
        self._work(seen, sharply, at_once=at_once)
        missing = [place for place in seen if place not in tiles]
        if missing:
            region = _region(tiles, missing)
            painter.save()
            painter.setClipRegion(region)
            roughly(painter, area)
            _show_scaled(painter, self._before, QRectF(region.boundingRect()))
            painter.restore()
        if missing or any(tiles[place].is_stale for place in seen):
            self._go_on.start()
        for place in seen:
            if place in tiles:
                draw_pixels(painter, tiles.area(place).topLeft(), tiles[place].pixmap)

    def _work(self, seen: list[TileIndex], sharply: DrawInSteps, *, at_once: bool) -> None:
        """Draw what is missing, then what is stale, as far as there is time for it."""
        tiles = self._tiles
        if len(tiles) > _MOST_TILES:
            for place in tiles.keys() - set(seen):
                del tiles[place]
        due = [place for place in seen if place not in tiles]
        due += [place for place in seen if place in tiles and tiles[place].is_stale]
        if self._unfinished is not None:
            due.sort(key=self._unfinished.place.__ne__)
        ends_s = time.perf_counter() + _BUDGET_S
        for place in due:
            for _ in self._begun(place, sharply).steps:
                if not at_once and time.perf_counter() >= ends_s:
                    return
            self._finish()

    def _begun(self, place: TileIndex, sharply: DrawInSteps) -> _Unfinished:
        """The tile that is being drawn there, or a new one."""
        if self._unfinished is not None and self._unfinished.place == place:
            return self._unfinished
        self._drop_unfinished()
        pixmap = QPixmap(_TILE_PX, _TILE_PX)
        area = self._tiles.area(place)
        painter = QPainter(pixmap)
        painter.scale(self._tiles.scale, self._tiles.scale)
        painter.translate(-area.topLeft())
        self._unfinished = _Unfinished(place, pixmap, painter, sharply(painter, area))
        return self._unfinished

    def _finish(self) -> None:
        done = self._drop_unfinished()
        assert done is not None
        self._tiles[done.place] = _Tile(done.pixmap)

    def _drop_unfinished(self) -> _Unfinished | None:
        dropped, self._unfinished = self._unfinished, None
        if dropped is not None:
            dropped.painter.end()
        return dropped


def image_of(pixels: Packed) -> QImage:
    """Pixels as the screen has them; they must live as long as the image."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)


def draw_pixels(painter: QPainter, corner: QPointF, pixels: QPixmap | QImage) -> None:
    """Put pixels of the screen's own size on it, at a point of the scene."""
    transform = painter.worldTransform()
    density = painter.device().devicePixelRatioF()
    at = transform.map(corner) * density
    painter.resetTransform()
    painter.scale(1 / density, 1 / density)
    point = QPointF(round(at.x()), round(at.y()))
    if isinstance(pixels, QPixmap):
        painter.drawPixmap(point, pixels)
    else:
        painter.drawImage(point, pixels)
    painter.setWorldTransform(transform)


def _show_scaled(painter: QPainter, tiles: _Tiles, area: QRectF) -> None:
    for place, tile in tiles.items():
        target = tiles.area(place)
        if target.intersects(area):
            painter.drawPixmap(target, tile.pixmap, QRectF(tile.pixmap.rect()))


def _region(tiles: _Tiles, places: list[TileIndex]) -> QRegion:
    """Where tiles lie, in the scene; clips are whole numbers there, so a little more."""
    region = QRegion()
    for place in places:
        region += tiles.area(place).toAlignedRect()
    return region

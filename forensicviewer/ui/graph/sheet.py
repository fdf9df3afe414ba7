"""A provenance graph on paper: all of it, in full detail and on white, for files and print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFont, QPainter, QPixmap

from forensicviewer.app.graph.export import comparison_table, graphml
from forensicviewer.app.graph.media import node_thumbnail
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import GraphState
from forensicviewer.app.language.words import in_english
from forensicviewer.core.graph.provenance import FileName
from forensicviewer.ui.graph.geometry import GraphGeometry
from forensicviewer.ui.graph.painter import GraphPainter
from forensicviewer.ui.graph.style import LIGHT, THUMBNAIL_PX
from forensicviewer.ui.graph.thumbnails import pixmap_of

_LEGEND = QPointF(30, -28)  # from the lower left corner
_LEGEND_HEIGHT = 34


@dataclass(frozen=True, slots=True, eq=False)
class GraphSheet:
    """A graph as it was when somebody asked for it; any thread may draw it.

    It makes an image of its own: the one on the screen goes on following the mouse.
    """

    state: GraphState
    bright: frozenset[FileName] | None
    font: QFont
    thumbnails: Mapping[FileName, QPixmap | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls, review: GraphReview, font: QFont, thumbnails: Mapping[FileName, QPixmap | None]
    ) -> GraphSheet:
        return cls(review.state, review.bright(), QFont(font), dict(thumbnails))

    def drawn(self) -> DrawnSheet:
        """The geometry of the sheet, ready to be painted as often as need be."""
        document = self.state.document
        assert document is not None
        picture = GraphGeometry(document)
        picture.place(self.state.moved)
        picture.match(self.state, self.bright)
        return DrawnSheet(self, picture)

    def graphml(self) -> str:
        drawn = self.drawn()
        return graphml(self.state, {node.file: node.place for node in drawn.picture.nodes})

    def table(self) -> str:
        return comparison_table(self.state)


class DrawnSheet:
    """The sheet laid out: its size, and how to paint it."""

    def __init__(self, sheet: GraphSheet, picture: GraphGeometry) -> None:
        self._sheet = sheet
        self._kept = dict(sheet.thumbnails)
        self.picture = picture
        bounds = picture.bounds()
        # As large as can be read where the whole graph fills a page.
        self._large = max(1.0, bounds.width() / 1500)
        self._bounds = bounds.adjusted(0, 0, 0, _LEGEND_HEIGHT * self._large)

    @property
    def size(self) -> QSize:
        """The size of the whole graph at 100 %."""
        return self._bounds.size().toSize()

    @in_english()
    def paint(self, painter: QPainter, target: QRectF) -> None:
        """Draw the whole graph with its legend below, for everybody to read."""
        bounds = self._bounds
        scale = min(target.width() / bounds.width(), target.height() / bounds.height())
        painter.save()
        painter.translate(target.center())
        painter.scale(scale, scale)
        painter.translate(-bounds.center())
        paper = GraphPainter(LIGHT, self._sheet.font)
        paper.draw(
            painter,
            self.picture,
            area=bounds,
            thumbnails=self._thumbnail,
        )
        painter.translate(bounds.bottomLeft() + _LEGEND * self._large)
        painter.scale(self._large, self._large)
        paper.legend.draw(painter, QPointF(), has_unscored=self.picture.has_unscored)
        painter.restore()

    def _thumbnail(self, file: FileName) -> QPixmap | None:
        document = self._sheet.state.document
        if file not in self._kept and document is not None:
            pixels = node_thumbnail(document.request.task, file, edge_px=THUMBNAIL_PX)
            self._kept[file] = None if pixels is None else pixmap_of(pixels)
        return self._kept.get(file)

"""Writes the graph to files: SVG, PNG and PDF as pictures, GraphML and CSV as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from forensicviewer.app.graph_export import comparison_table, graphml
from forensicviewer.app.outputs import write_atomically
from forensicviewer.core.problem import UsageError
from forensicviewer.ui.graphcanvas import GraphCanvas

_PIXELS_PER_UNIT = 2  # sharp enough for print at a width of a page
_MOST_PIXELS = 60_000_000
_POINTS_PER_UNIT = 0.5

FILTERS = "Pictures (*.svg *.png *.pdf);;GraphML (*.graphml);;Table (*.csv)"


def export_graph(canvas: GraphCanvas, path: Path) -> None:
    """Write the graph as the file's ending says; all of it, whatever is on the screen."""
    writers: dict[str, Callable[[GraphCanvas, Path], None]] = {
        ".svg": _write_svg,
        ".png": _write_png,
        ".pdf": _write_pdf,
        ".graphml": _write_graphml,
        ".csv": _write_table,
    }
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise UsageError(
            f"A graph cannot be written as {path.suffix or 'a file without an ending'}",
            where=path,
            hint="endings are " + ", ".join(writers),
        )
    try:
        writer(canvas, path)
    except OSError as error:
        raise UsageError(
            f"The graph could not be written ({error.strerror})", where=path
        ) from error


def picture_of(canvas: GraphCanvas, size: QSize | None = None) -> QImage:
    """The whole graph on white, as large as asked for or as is sharp in print."""
    whole = canvas.export_size()
    wanted = size or whole * _PIXELS_PER_UNIT
    shrink = min(1.0, (_MOST_PIXELS / max(1, wanted.width() * wanted.height())) ** 0.5)
    wanted = QSize(max(1, int(wanted.width() * shrink)), max(1, int(wanted.height() * shrink)))
    image = QImage(wanted, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    canvas.render_to(painter, QRectF(image.rect()))
    painter.end()
    return image


def svg_of(canvas: GraphCanvas) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    size = canvas.export_size()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle("Provenance graph")
    painter = QPainter(generator)
    canvas.render_to(painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    return bytes(buffer.data().data())


def _write_svg(canvas: GraphCanvas, path: Path) -> None:
    write_atomically(path, svg_of(canvas).decode("utf-8"))


def _write_png(canvas: GraphCanvas, path: Path) -> None:
    if not picture_of(canvas).save(str(path)):
        raise OSError(0, "the picture was refused")


def _write_pdf(canvas: GraphCanvas, path: Path) -> None:
    size = canvas.export_size()
    writer = QPdfWriter(str(path))
    page = QSizeF(size.width() * _POINTS_PER_UNIT, size.height() * _POINTS_PER_UNIT)
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF())
    writer.setTitle("Provenance graph")
    painter = QPainter(writer)
    if not painter.isActive():
        raise OSError(0, "the file cannot be opened")
    canvas.render_to(painter, QRectF(0, 0, writer.width(), writer.height()))
    painter.end()


def _write_graphml(canvas: GraphCanvas, path: Path) -> None:
    state = canvas.review.state
    places = {name: canvas.review.place_of(name) for name in state.nodes}
    write_atomically(path, graphml(state, places))


def _write_table(canvas: GraphCanvas, path: Path) -> None:
    write_atomically(path, comparison_table(canvas.review.state))

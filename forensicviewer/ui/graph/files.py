"""Writes the graph to files: SVG, PNG and PDF as images, GraphML and CSV as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from forensicviewer.app.graph.export import TITLE
from forensicviewer.app.language.words import to_translate
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.core.problem import UsageError
from forensicviewer.ui.graph.sheet import GraphSheet
from forensicviewer.ui.panes.export import save_picture

_PIXELS_PER_UNIT = 2  # sharp enough for print at a width of a page
_MOST_PIXELS = 60_000_000
_POINTS_PER_UNIT = 0.5
_LONGEST_PAGE = 14_400  # points; what readers of PDF show at most

KINDS = to_translate(
    "Vector drawing for print (*.svg);;PDF page (*.pdf);;Image (*.png);;Graph for other "
    "programs (*.graphml);;Comparison table (*.csv)"
)


def export_graph(sheet: GraphSheet, path: Path) -> None:
    """Write the graph as the file's ending says; all of it, whatever is on the screen.

    Whole or not at all: a file that was there before stays as it is when writing fails. Safe on
    any thread.
    """
    ending = path.suffix.lower()
    content = content_of(sheet, ending)
    if content is not None:
        write_bytes(path, content)
    elif ending == ".png":
        save_picture(picture_of(sheet), path)
    else:
        raise UsageError(
            f"A graph cannot be written as {path.suffix or 'a file without an extension'}",
            where=path,
            hint="use one of " + ", ".join([*_CONTENTS, ".png"]),
        )


def content_of(sheet: GraphSheet, ending: str) -> bytes | None:
    """The graph as a file of that ending, where it is not one of pixels."""
    make = _CONTENTS.get(ending)
    return None if make is None else make(sheet)


def picture_of(sheet: GraphSheet, size: QSize | None = None) -> QImage:
    """The whole graph on white, as large as asked for or as is sharp in print."""
    drawn = sheet.drawn()
    wanted = size or drawn.size * _PIXELS_PER_UNIT
    shrink = min(1.0, (_MOST_PIXELS / max(1, wanted.width() * wanted.height())) ** 0.5)
    wanted = QSize(max(1, int(wanted.width() * shrink)), max(1, int(wanted.height() * shrink)))
    image = QImage(wanted, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    drawn.paint(painter, QRectF(image.rect()))
    painter.end()
    return image


def svg_of(sheet: GraphSheet) -> bytes:
    """The whole graph as lines and words; only the thumbnails are pixels."""
    drawn = sheet.drawn()
    area = QRectF(0, 0, drawn.size.width(), drawn.size.height())
    buffer = _open_buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(drawn.size)
    generator.setViewBox(area)
    generator.setTitle(TITLE)
    painter = QPainter(generator)
    drawn.paint(painter, area)
    painter.end()
    return bytes(buffer.data().data())


def pdf_of(sheet: GraphSheet) -> bytes:
    """The whole graph on one page of its own size."""
    drawn = sheet.drawn()
    longest = max(drawn.size.width(), drawn.size.height(), 1)
    scale = min(_POINTS_PER_UNIT, _LONGEST_PAGE / longest)
    buffer = _open_buffer()
    writer = QPdfWriter(buffer)
    page = QSizeF(drawn.size.width() * scale, drawn.size.height() * scale)
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF())
    writer.setTitle(TITLE)
    painter = QPainter(writer)
    drawn.paint(painter, QRectF(0, 0, writer.width(), writer.height()))
    painter.end()
    return bytes(buffer.data().data())


def _open_buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def _encoded(text: str) -> bytes:
    # File names that are not valid text are escaped, not refused.
    return text.encode("utf-8", errors="backslashreplace")


_CONTENTS: Mapping[str, Callable[[GraphSheet], bytes]] = {
    ".svg": svg_of,
    ".pdf": pdf_of,
    ".graphml": lambda sheet: _encoded(sheet.graphml()),
    ".csv": lambda sheet: _encoded(sheet.table()),
}

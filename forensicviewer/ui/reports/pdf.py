"""Paints a report as PDF: the same model as the page, line by line, all of it plain text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextLayout,
    QTextOption,
)

from forensicviewer.app.reports.model import Grid, LegendLine, Picture, Report, Section, plain
from forensicviewer.app.runtime.atomic import write_bytes

_DPI = 150
_MARGIN_MM = 16.0
_TITLE_PT, _HEAD_PT, _BODY_PT, _SMALL_PT = 18, 13, 10, 8
_PICTURE_SHARE = 0.72  # of the width of the page
_GAP_PT = 6


def write_pdf(report: Report, path: Path) -> None:
    """Write the report, whole or not at all; the file is new or was asked about before."""
    write_bytes(path, pdf_of(report))


def pdf_of(report: Report) -> bytes:
    """The report as PDF; may be called on any thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(plain(report.title))
    writer.setCreator("forensicviewer")
    writer.setResolution(_DPI)
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    size, upright = QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait
    writer.setPageLayout(QPageLayout(size, upright, margins, QPageLayout.Unit.Millimeter))
    pages = Pages(writer)
    pages.text(report.title, _font(_TITLE_PT, bold=True))
    pages.grid(Grid(("", ""), report.facts))
    for section in report.sections:
        _paint_section(pages, section)
    pages.end()
    del writer  # it ends the document
    return bytes(buffer.data().data())


def _paint_section(pages: Pages, section: Section) -> None:
    pages.gap(2)
    pages.keep_together(6 * _HEAD_PT)
    pages.text(section.title, _font(_HEAD_PT, bold=True))
    for text in section.paragraphs:
        pages.text(text, _font(_BODY_PT))
    for picture in section.pictures:
        pages.picture(picture)
    for grid in section.grids:
        pages.grid(grid)
    code = _font(_SMALL_PT)
    code.setFamilies(["DejaVu Sans Mono", "monospace"])
    for command in section.commands:
        pages.text(command, code)


class Pages:
    """What is painted goes below what was painted before, on the next page where it must."""

    def __init__(self, writer: QPdfWriter) -> None:
        self._writer = writer
        self._painter = QPainter(writer)
        self._y, self._number = 0.0, 1
        self._width, self._foot = float(writer.width()), _px(2 * _SMALL_PT)
        self._height = float(writer.height()) - self._foot

    def end(self) -> None:
        self._paint_number()
        self._painter.end()

    def gap(self, count: int = 1) -> None:
        self._y += count * _px(_GAP_PT)

    def keep_together(self, points: float) -> None:
        """Begin a page where less than this is left of the last one."""
        self._make_room(_px(points))

    def text(self, text: str, font: QFont) -> None:
        self._paint_row([plain(text)], [font], [self._width])
        self.gap()

    def grid(self, grid: Grid) -> None:
        """A table; a cell that is longer than a page goes on in the next one."""
        if not grid.rows or not grid.columns:
            return
        has_titles = any(grid.columns)
        widths = [self._width / len(grid.columns)] * len(grid.columns)
        bold, usual = _font(_SMALL_PT, bold=True), _font(_SMALL_PT)
        if has_titles:
            self._paint_row(list(map(plain, grid.columns)), [bold] * len(widths), widths)
        first = usual if has_titles else bold
        for row in grid.rows:
            self._paint_row(list(map(plain, row)), [first, *[usual] * (len(widths) - 1)], widths)
        self.gap()

    def picture(self, picture: Picture) -> None:
        image = QImage.fromData(picture.png)
        if image.isNull():
            return
        width = self._width * _PICTURE_SHARE
        height = min(width * image.height() / max(1, image.width()), self._height * 0.6)
        width = height * image.width() / max(1, image.height())
        self._make_room(height + _px(4 * _SMALL_PT))
        self._painter.drawImage(QRectF(0, self._y, width, height), image)
        self._y += height
        self.text(picture.caption, _font(_SMALL_PT))
        for line in picture.legend:
            self._paint_key(line)
        self.gap()

    def _paint_key(self, line: LegendLine) -> None:
        font, edge = _font(_SMALL_PT), _px(_SMALL_PT)
        self._make_room(2 * edge)
        box = QRectF(0, self._y + edge * 0.3, edge, edge)
        self._painter.fillRect(box, QColor(line.color))
        self._painter.drawRect(box)
        indent = 2 * edge
        self._paint_row([plain(line.text)], [font], [self._width - indent], left=indent)

    def _paint_row(
        self,
        cells: Sequence[str],
        fonts: Sequence[QFont],
        widths: Sequence[float],
        *,
        left: float = 0.0,
    ) -> None:
        layouts = [
            _laid_out(cell, font, width - _px(4), self._writer)
            for cell, font, width in zip(cells, fonts, widths, strict=False)
        ]
        counts = [range(layout.lineCount()) for layout in layouts]
        for numbers in zip_longest(*counts):
            lines = [
                None if number is None else layout.lineAt(number)
                for layout, number in zip(layouts, numbers, strict=True)
            ]
            height = max(line.height() for line in lines if line is not None)
            self._make_room(height)
            x = left
            for line, width in zip(lines, widths, strict=False):
                if line is not None:
                    line.draw(self._painter, QPointF(x, self._y))
                x += width
            self._y += height

    def _make_room(self, height: float) -> None:
        if self._y > 0 and self._y + height > self._height:
            self._paint_number()
            self._writer.newPage()
            self._number += 1
            self._y = 0.0

    def _paint_number(self) -> None:
        font = _font(_SMALL_PT)
        width = QFontMetricsF(font, self._writer).horizontalAdvance(str(self._number))
        self._painter.setFont(font)
        at = QPointF(self._width - width, self._height + self._foot)
        self._painter.drawText(at, str(self._number))


def _laid_out(text: str, font: QFont, width: float, writer: QPdfWriter) -> QTextLayout:
    """Lines of plain text; long digests and names go on in the next line."""
    layout = QTextLayout(text.replace("\n", "\u2028"), font, writer)
    wrapping = QTextOption()
    wrapping.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(wrapping)
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1.0, width))
        line.setPosition(QPointF(0, 0))
    layout.endLayout()
    return layout


def _px(points: float) -> float:
    return points * _DPI / 72


def _font(points: float, *, bold: bool = False) -> QFont:
    font = QFont("DejaVu Sans")
    font.setPointSizeF(points)
    font.setBold(bold)
    return font

"""Paints a report as PDF: the same model as the page, line by line, all of it plain text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, Qt
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

from forensicviewer.app.reports.model import (
    LegendLine,
    Report,
    ReportImage,
    ReportTable,
    Section,
    plain,
)
from forensicviewer.app.runtime.atomic import write_bytes

_DPI = 150
_MARGIN_MM = 16.0
_TITLE_PT, _HEAD_PT, _BODY_PT, _SMALL_PT = 18, 13, 10, 8
_ABREAST = 2  # images in a row
_MANY_ROWS, _SHORT_CELL = 16, 28
_LOOKED_AT, _LONGEST = 200, 400  # rows and letters that decide how wide columns are
_MUTED, _RULE = QColor(110, 110, 110), QColor(170, 170, 170)
_FAINT_RULE = QColor(228, 228, 228)
_GAP_PT, _COLUMN_GAP_PT = 6, 10


def write_pdf(report: Report, path: Path) -> None:
    """Write the report, whole or not at all; the file is new or was asked about before."""
    write_bytes(path, pdf_of(report))


def pdf_of(report: Report) -> bytes:
    """The report as PDF; may be called on any thread."""
    # The first time only to know how many pages there are.
    _, count = _painted(report, 0)
    return _painted(report, count)[0]


def _painted(report: Report, count: int) -> tuple[bytes, int]:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(plain(report.title))
    writer.setCreator("forensicviewer")
    writer.setResolution(_DPI)
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    size, upright = QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait
    writer.setPageLayout(QPageLayout(size, upright, margins, QPageLayout.Unit.Millimeter))
    foot = " \u00b7 ".join(plain(part) for part in (report.title, report.case) if part)
    pages = Pages(writer, foot, count)
    pages.text(report.title, _font(_TITLE_PT, bold=True))
    pages.grid(ReportTable(("", ""), report.facts))
    for section in report.sections:
        _paint_section(pages, section)
    pages.end()
    number = pages.number
    del pages, writer  # it ends the document
    return bytes(buffer.data().data()), number


def _paint_section(pages: Pages, section: Section) -> None:
    pages.gap(2)
    pages.keep_together(_HEAD_PT * (20 if section.pictures else 6))
    pages.text(section.title, _font(_HEAD_PT, bold=True))
    for text in section.paragraphs:
        pages.text(text, _font(_BODY_PT))
    for start in range(0, len(section.pictures), _ABREAST):
        pages.pictures(section.pictures[start : start + _ABREAST])
    for grid in section.grids:
        pages.grid(_abreast(grid))
    code = _font(_SMALL_PT)
    code.setFamilies(["DejaVu Sans Mono", "monospace"])
    for command in section.commands:
        pages.text(command, code)


def _abreast(grid: ReportTable) -> ReportTable:
    """Many short pairs in two columns: a list of switches would fill a page otherwise."""
    longest = max((len(cell) for row in grid.rows for cell in row), default=0)
    if len(grid.columns) != 2 or len(grid.rows) < _MANY_ROWS or longest > _SHORT_CELL:
        return grid
    half = (len(grid.rows) + 1) // 2
    pairs = zip_longest(grid.rows[:half], grid.rows[half:], fillvalue=("", ""))
    return ReportTable(
        grid.columns * 2, tuple((*one, *other) for one, other in pairs), grid.caption
    )


class Pages:
    """What is painted goes below what was painted before, on the next page where it must."""

    def __init__(self, writer: QPdfWriter, foot: str = "", count: int = 0) -> None:
        self._writer, self._foot_text, self._count = writer, foot, count
        self._painter = QPainter(writer)
        self._y, self.number = 0.0, 1
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

    def grid(self, grid: ReportTable) -> None:
        """A table; a cell that is longer than a page goes on in the next one."""
        if not grid.rows or not grid.columns:
            return
        has_titles = any(grid.columns)
        bold, usual = _font(_SMALL_PT, bold=True), _font(_SMALL_PT)
        widths = self._widths(grid, bold)
        titles = self._cells(list(map(plain, grid.columns)), [bold] * len(widths), widths)
        first = usual if has_titles else bold
        fonts = [first, *[usual] * (len(widths) - 1)]
        for number, row in enumerate(grid.rows):
            cells = self._cells(list(map(plain, row)), fonts, widths)
            is_next_page = self._begin_page_for(_height(cells) + (0 if number else _height(titles)))
            if has_titles and (number == 0 or is_next_page):
                self._paint_cells(titles, widths)
                self._rule(sum(widths), _RULE)
            self._paint_cells(cells, widths)
            if has_titles:
                self._rule(sum(widths), _FAINT_RULE)
        self.gap()

    def _begin_page_for(self, height: float) -> bool:
        """Begin a page where a row does not fit any more; one longer than half a page is split."""
        before = self.number
        if height < self._height / 2:
            self._make_room(height)
        return self.number != before

    def _widths(self, grid: ReportTable, font: QFont) -> list[float]:
        """As wide as the cells want; where that is too much, the widest share what is left."""
        measure, space = QFontMetricsF(font, self._writer), _px(_COLUMN_GAP_PT)
        lines = [grid.columns, *grid.rows[:_LOOKED_AT]]
        wanted = [
            max(
                measure.horizontalAdvance(plain(line[n])[:400]) if n < len(line) else 0.0
                for line in lines
            )
            + space
            for n in range(len(grid.columns))
        ]
        left, open_columns = self._width, set(range(len(wanted)))
        while open_columns and sum(wanted[n] for n in open_columns) > left:
            share = left / len(open_columns)
            narrow = {n for n in open_columns if wanted[n] <= share}
            if not narrow:
                for n in open_columns:
                    wanted[n] = share
                break
            left -= sum(wanted[n] for n in narrow)
            open_columns -= narrow
        return wanted

    def _rule(self, width: float, color: QColor) -> None:
        self._painter.setPen(color)
        self._painter.drawLine(QPointF(0, self._y), QPointF(width, self._y))
        self._painter.setPen(Qt.GlobalColor.black)
        self._y += _px(2)

    def pictures(self, pictures: Sequence[ReportImage]) -> None:
        """Images beside each other, each with its caption and legend below."""
        found = [(one, image) for one in pictures if not (image := _image(one)).isNull()]
        if not found:
            return
        share = self._width / _ABREAST - _px(_COLUMN_GAP_PT)
        heights = [share * image.height() / max(1, image.width()) for _, image in found]
        most = min(max(heights), self._height * 0.45)
        lines = max(len(one.legend) for one, _ in found)
        self._make_room(most + _px((lines + 4) * 1.6 * _SMALL_PT))
        top, lowest = self._y, self._y
        for place, (one, image) in enumerate(found):
            left = place * self._width / _ABREAST
            height = min(heights[place], most)
            width = height * image.width() / max(1, image.height())
            box = QRectF(left, top, width, height)
            self._painter.drawImage(box, image)
            self._painter.setPen(_RULE)
            self._painter.drawRect(box)
            self._painter.setPen(Qt.GlobalColor.black)
            self._y = top + height + _px(2)
            self._paint_row([plain(one.caption)], [_font(_SMALL_PT)], [share], left=left)
            for line in one.legend:
                self._paint_key(line, left, share)
            lowest = max(lowest, self._y)
        self._y = lowest
        self.gap(2)

    def _paint_key(self, line: LegendLine, left: float, width: float) -> None:
        font, edge = _font(_SMALL_PT), _px(_SMALL_PT)
        box = QRectF(left, self._y + edge * 0.3, edge, edge)
        self._painter.fillRect(box, QColor(line.color))
        self._painter.setPen(_RULE)
        self._painter.drawRect(box)
        self._painter.setPen(Qt.GlobalColor.black)
        indent = 2 * edge
        self._paint_row([plain(line.text)], [font], [width - indent], left=left + indent)

    def _paint_row(
        self,
        cells: Sequence[str],
        fonts: Sequence[QFont],
        widths: Sequence[float],
        *,
        left: float = 0.0,
    ) -> None:
        self._paint_cells(self._cells(cells, fonts, widths), widths, left=left)

    def _cells(
        self, cells: Sequence[str], fonts: Sequence[QFont], widths: Sequence[float]
    ) -> list[QTextLayout]:
        return [
            _laid_out(cell, font, width - _px(4), self._writer)
            for cell, font, width in zip(cells, fonts, widths, strict=False)
        ]

    def _paint_cells(
        self, layouts: Sequence[QTextLayout], widths: Sequence[float], *, left: float = 0.0
    ) -> None:
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
            self.number += 1
            self._y = 0.0

    def _paint_number(self) -> None:
        font = _font(_SMALL_PT)
        measure = QFontMetricsF(font, self._writer)
        text = f"{self.number} / {self._count}" if self._count else str(self.number)
        width = measure.horizontalAdvance(text)
        self._painter.setFont(font)
        self._painter.setPen(_MUTED)
        base = self._height + self._foot
        self._painter.drawText(QPointF(self._width - width, base), text)
        room = self._width - width - _px(_COLUMN_GAP_PT)
        foot = measure.elidedText(self._foot_text, Qt.TextElideMode.ElideRight, room)
        self._painter.drawText(QPointF(0, base), foot)
        self._painter.setPen(Qt.GlobalColor.black)


def _height(layouts: Sequence[QTextLayout]) -> float:
    heights = (
        sum(layout.lineAt(number).height() for number in range(layout.lineCount()))
        for layout in layouts
    )
    return max(heights, default=0.0)


def _image(picture: ReportImage) -> QImage:
    return QImage.fromData(picture.png)


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

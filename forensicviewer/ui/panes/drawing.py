"""Draws a whole pane: its layer or a comparison of two, and everything that helps to read it.

Painters work in device pixels here: one unit is one pixel of the screen, whatever its density.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPainterPath, QPen, QTextOption

from forensicviewer.app.language.words import labelled, to_translate, tr, whole
from forensicviewer.app.plugins.lenses import LENSES
from forensicviewer.app.workbench.lens_work import lens_of
from forensicviewer.app.workbench.loaded_trial import LoadedSide
from forensicviewer.app.workbench.request import examples_of
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane, Viewpoint, ViewState
from forensicviewer.core.array import Size
from forensicviewer.core.model import Side
from forensicviewer.core.pyramid import Window
from forensicviewer.ui.panes.layers import LayerDrawing, layer_facts, opaque_size
from forensicviewer.ui.panes.marks import draw_marks
from forensicviewer.ui.panes.pixel_values import draw_pixel_values

SMALLEST_SCALE, LARGEST_SCALE = 0.01, 64.0
GRID_FROM_SCALE = 8.0
LINES_BELOW_SCALE = 26.0
_TITLES = {
    Layer.REFERENCE: to_translate("Reference"),
    Layer.SYSTEM: to_translate("System"),
    Layer.COMPARISON: to_translate("Comparison"),
    Layer.BASE: to_translate("Base"),
    Layer.DIFFERENCE: to_translate("Difference from base, 4 times"),
    Layer.CONTROL: to_translate("Control"),
    Layer.EXAMPLE: to_translate("Known example"),
}
_SECOND_TITLES = {
    **_TITLES,
    Layer.SYSTEM: to_translate("Second system"),
    Layer.COMPARISON: to_translate("Second comparison"),
}
_SIDES = {Side.PROBE: to_translate("probe"), Side.DONOR: to_translate("donor")}


@dataclass(frozen=True, slots=True)
class PaneColors:
    """The colours of a pane that are not the image's."""

    paper: QColor
    text: QColor
    accent: QColor
    density: float = 1.0

    def font(self, size_px: float, *, bold: bool = False) -> QFont:
        font = QFont()
        font.setPixelSize(max(1, round(size_px * self.density)))
        font.setBold(bold)
        return font


def title_of(state: ViewState, pane: Pane, *, with_side: bool) -> str:
    """What a pane is called."""
    named = {} if state.loaded is None else state.loaded.on(pane.side).titles
    if pane.layer.value in named:
        return tr(named[pane.layer.value])
    if pane.layer is Layer.PICTURE:
        return tr("Donor") if pane.side is Side.DONOR else tr("Probe")
    if pane.layer is Layer.LENS:
        lens = lens_of(pane)
        name = pane.lens if lens is None else tr(lens.title)
    elif pane.layer is Layer.EXTRA:
        name = pane.extra
        system = state.submission_of(pane.system)
        if system is not None and state.rival is not None:
            return labelled(name, system.name)
    else:
        name = tr((_SECOND_TITLES if pane.system else _TITLES)[pane.layer])
    return f"{name} · {tr(_SIDES[pane.side])}" if with_side else name


def describe_further_image(state: ViewState, pane: Pane) -> str:
    """The file of a further image; of a gallery also which of how many it is."""
    if state.loaded is None:
        return ""
    image = state.loaded.on(pane.side).beside[pane.image_key]
    own = "" if image.file == pane.extra else image.file
    name = " · ".join(each for each in (own, image.note) if each)
    if pane.layer is not Layer.EXAMPLE:
        return name
    count = len(examples_of(state.loaded.trial))
    place = state.example % count + 1
    return tr("{name}, {place} of {count}", name=name, place=whole(place), count=whole(count))


def describe_rotation(side: LoadedSide) -> str:
    """How an image that is not stored upright is shown; blank for the others."""
    if side.facts is None or not side.facts.is_turned:
        return ""
    how = tr("as stored") if side.is_as_stored else tr("upright")
    return f"EXIF {side.facts.orientation}, {how}"


def _is_offered(state: ViewState, layer: Layer, side: Side) -> bool:
    """Whether a trial has such an image; what every trial may have is offered anyway."""
    trial = None if state.loaded is None else state.loaded.trial
    if layer is Layer.CONTROL:
        return side is Side.PROBE and trial is not None and trial.control is not None
    if layer is Layer.DIFFERENCE:
        facts = {} if trial is None else trial.facts
        return side is Side.PROBE and bool(facts.get("BaseFileName", "").strip())
    if layer is Layer.EXAMPLE:
        return side is Side.PROBE and trial is not None and trial.gallery is not None
    return True


def offered_panes(state: ViewState, layers: Collection[Layer]) -> list[list[Pane]]:
    """What a pane can be made to show now, in groups: each side, its second system, its lenses."""
    sides = (Side.PROBE, Side.DONOR) if has_donor(state) else (Side.PROBE,)
    plain = [layer for layer in layers if layer not in (Layer.LENS, Layer.EXTRA)]
    groups = []
    for side in sides:
        groups.append([Pane(layer, side) for layer in plain if _is_offered(state, layer, side)])
        if state.rival is not None:
            both = (Layer.SYSTEM, Layer.COMPARISON)
            groups.append([Pane(layer, side, system=1) for layer in both])
        if Layer.EXTRA in layers:
            groups += _extra_panes(state, side)
        if Layer.LENS in layers:
            groups.append([Pane(Layer.LENS, side, lens=lens.name) for lens in LENSES])
    return groups


def _extra_panes(state: ViewState, side: Side) -> list[list[Pane]]:
    """The further maps of each prediction, where it has any."""
    systems = () if state.loaded is None else state.loaded.on(side).systems
    found = [
        [Pane(Layer.EXTRA, side, system=number, extra=name) for name in system.layers]
        for number, system in enumerate(systems)
    ]
    return [group for group in found if group]


def has_donor(state: ViewState) -> bool:
    return state.loaded is not None and state.loaded.donor is not None


def side_size(state: ViewState, pane: Pane) -> Size:
    """The size everything of a pane's side fits into."""
    if state.loaded is None:
        return Size(640, 480)
    side = state.loaded.on(pane.side)
    # Another image than the probe, of a size of its own.
    example = side.image_of(pane.layer.value) if pane.layer is Layer.EXAMPLE else None
    return side.size if example is None else example.size


def fitted(size: Size, screen: Size) -> Viewpoint:
    """The viewpoint that shows all of an image, however small that makes it."""
    scale = min(screen.width / max(1, size.width), screen.height / max(1, size.height))
    return Viewpoint(size.width / 2, size.height / 2, min(LARGEST_SCALE, scale))


def window_at(viewpoint: Viewpoint, screen: Size) -> Window:
    """What a pane of ``screen`` device pixels shows, its corner on a whole device pixel."""
    scale = viewpoint.scale
    left = round(viewpoint.x * scale - screen.width / 2) / scale
    top = round(viewpoint.y * scale - screen.height / 2) / scale
    return Window(left, top, scale, screen)


class PaneDrawing:
    """Draws one pane and keeps what can be used again."""

    def __init__(self) -> None:
        self._first = LayerDrawing()
        self._second = LayerDrawing()

    def draw(
        self,
        painter: QPainter,
        state: ViewState,
        position: int,
        window: Window,
        colors: PaneColors,
        *,
        pointer: QPoint | None = None,
    ) -> None:
        """Draw the pane at ``position``; ``pointer`` is the mouse, in device pixels."""
        pane = state.arrangement.panes[position]
        is_compared = (
            state.compare.mode is not CompareMode.OFF and position == state.arrangement.active
        )
        covered = None if is_compared else opaque_size(state, pane)
        fill_around(painter, window, covered, colors.paper)
        if is_compared:
            self._draw_comparison(painter, state, pane, window, colors, pointer)
        else:
            reason = self._draw_layer(self._first, painter, state, pane, window, colors)
            if reason:
                draw_banner(painter, window.size, reason, colors)
        font = colors.font(11, bold=True)
        draw_marks(painter, state, pane, window, font, colors.density)
        points_here = state.look.has_crosshair and state.cursor_side is pane.side
        if points_here and state.loaded is not None and state.cursor is not None:
            draw_crosshair(painter, state.cursor, window, colors, has_lines=pointer is None)

    def _draw_comparison(
        self,
        painter: QPainter,
        state: ViewState,
        pane: Pane,
        window: Window,
        colors: PaneColors,
        pointer: QPoint | None,
    ) -> None:
        compare = state.compare
        first, second = compare.in_pane(pane)
        with_side = first.side is not second.side
        if compare.mode is CompareMode.BLINK:
            shown = second if compare.shows_second else first
            drawing = self._second if compare.shows_second else self._first
            self._draw_layer(drawing, painter, state, shown, window, colors)
            draw_badge(painter, window.size, title_of(state, shown, with_side=with_side), colors)
            return
        self._draw_layer(self._first, painter, state, first, window, colors)
        painter.save()
        edge = _compare_clip(painter, state, window, colors, pointer)
        if compare.mode is not CompareMode.FADE:
            # A layer that is not there, or smaller, must not let the first one show through.
            fill_around(painter, window, None, colors.paper)
        self._draw_layer(self._second, painter, state, second, window, colors)
        painter.restore()
        if edge is not None:
            painter.setPen(QPen(colors.accent, 2 * colors.density))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(edge)
        names = (title_of(state, each, with_side=with_side) for each in (first, second))
        draw_badge(painter, window.size, " | ".join(names), colors)

    def _draw_layer(
        self,
        drawing: LayerDrawing,
        painter: QPainter,
        state: ViewState,
        pane: Pane,
        window: Window,
        colors: PaneColors,
    ) -> str:
        """A layer with its margins and values, or why it is not there.

        Returns what is to be said about a layer that is there.
        """
        facts = layer_facts(state, pane)
        if facts.size is None or state.loaded is None:
            title = title_of(state, pane, with_side=False)
            draw_placeholder(painter, window.size, title, facts.reason, colors)
            return ""
        drawing.draw(painter, state, pane, window)
        draw_margins(painter, state.loaded.on(pane.side), pane, state, window, colors)
        self._draw_values(painter, state, pane, window, colors)
        return facts.reason

    @staticmethod
    def _draw_values(
        painter: QPainter, state: ViewState, pane: Pane, window: Window, colors: PaneColors
    ) -> None:
        if state.look.has_pixel_grid and window.scale >= GRID_FROM_SCALE:
            draw_grid(painter, side_size(state, pane), window)
            draw_pixel_values(painter, state, pane, window, colors.font(10))


def fill_around(painter: QPainter, window: Window, covered: Size | None, paper: QColor) -> None:
    """Lay paper where no opaque image will lie: filling a large pane twice costs milliseconds."""
    width, height = window.size.width, window.size.height
    clip = None if covered is None else window.clipped(covered)
    if clip is None:
        painter.fillRect(QRect(0, 0, width, height), paper)
        return
    right, bottom = clip.x + clip.window.size.width, clip.y + clip.window.size.height
    margins = (
        QRect(0, 0, width, clip.y),
        QRect(0, bottom, width, height - bottom),
        QRect(0, clip.y, clip.x, bottom - clip.y),
        QRect(right, clip.y, width - right, bottom - clip.y),
    )
    for margin in margins:
        if not margin.isEmpty():
            painter.fillRect(margin, paper)


def _compare_clip(
    painter: QPainter,
    state: ViewState,
    window: Window,
    colors: PaneColors,
    pointer: QPoint | None,
) -> QPainterPath | None:
    """Restrict the painter to where the second layer shows; returns the edge to be drawn."""
    compare, edge = state.compare, QPainterPath()
    if compare.mode is CompareMode.FADE:
        painter.setOpacity(compare.amount)
        return None
    if compare.mode is CompareMode.SWIPE:
        x = round(compare.amount * window.size.width)
        painter.setClipRect(QRect(x, 0, window.size.width - x, window.size.height))
        edge.moveTo(x, 0)
        edge.lineTo(x, window.size.height)
        return edge
    centre = QPointF(pointer) if pointer is not None else _middle(window)
    radius = compare.lens_radius_px * colors.density
    edge.addEllipse(centre, radius, radius)
    painter.setClipPath(edge)
    return edge


def _middle(window: Window) -> QPointF:
    return QPointF(window.size.width / 2, window.size.height / 2)


def draw_grid(painter: QPainter, size: Size, window: Window) -> None:
    """Lines between the pixels of the image."""
    clip = window.clipped(size)
    if clip is None:
        return
    strength = min(110, int(30 + 4 * window.scale))
    painter.setPen(QPen(QColor(128, 128, 128, strength), 0))
    right, bottom = clip.x + clip.window.size.width, clip.y + clip.window.size.height
    first = int(clip.window.left) + 1
    last = int(clip.window.left + clip.window.size.width / window.scale) + 1
    for column in range(first, last):
        x = round((column - window.left) * window.scale)
        painter.drawLine(x, clip.y, x, bottom)
    first = int(clip.window.top) + 1
    last = int(clip.window.top + clip.window.size.height / window.scale) + 1
    for row in range(first, last):
        y = round((row - window.top) * window.scale)
        painter.drawLine(clip.x, y, right, y)


def draw_crosshair(
    painter: QPainter,
    cursor: tuple[int, int],
    window: Window,
    colors: PaneColors,
    *,
    has_lines: bool,
) -> None:
    """Two lines through the pixel pointed at, dark and light so that both show on anything.

    Where the mouse is, lines would only be in its way; large pixels are framed instead, so that
    nothing strikes through the values in them.
    """
    if window.scale >= GRID_FROM_SCALE:
        left, top = window.screen_point(*cursor)
        pixel = QRectF(left, top, window.scale, window.scale)
        draw_outline(painter, pixel, colors.accent, 2 * colors.density)
    if has_lines and window.scale < LINES_BELOW_SCALE:
        _draw_cross(painter, cursor, window, colors)


def _draw_cross(
    painter: QPainter, cursor: tuple[int, int], window: Window, colors: PaneColors
) -> None:
    x, y = window.screen_point(cursor[0] + 0.5, cursor[1] + 0.5)
    width, height, gap = window.size.width, window.size.height, 7 * colors.density
    gap = max(gap, window.scale / 2 + 2)
    lines = (
        (QPointF(0, y), QPointF(x - gap, y)),
        (QPointF(x + gap, y), QPointF(width, y)),
        (QPointF(x, 0), QPointF(x, y - gap)),
        (QPointF(x, y + gap), QPointF(x, height)),
    )
    for color, offset in ((QColor(0, 0, 0, 120), 1), (QColor(255, 255, 255, 170), 0)):
        painter.setPen(QPen(color, 0))
        for start, end in lines:
            shift = QPointF(offset, offset)
            painter.drawLine(start + shift, end + shift)


def draw_margins(
    painter: QPainter,
    side: LoadedSide,
    pane: Pane,
    state: ViewState,
    window: Window,
    colors: PaneColors,
) -> None:
    """Hatch what this layer does not cover of its side: it is not scored, and not stretched."""
    facts = layer_facts(state, pane)
    if facts.size is None or facts.size == side.size or pane.layer is Layer.EXAMPLE:
        return
    whole, covered = _on_screen(side.size, window), _on_screen(facts.size, window)
    path = QPainterPath()
    path.addRect(whole)
    inner = QPainterPath()
    inner.addRect(covered)
    margin = path.subtracted(inner)
    painter.setPen(QPen(colors.accent, colors.density, Qt.PenStyle.DashLine))
    painter.setBrush(QBrush(QColor(128, 128, 128, 140), Qt.BrushStyle.BDiagPattern))
    painter.drawPath(margin)


def _on_screen(size: Size, window: Window) -> QRectF:
    left, top = window.screen_point(0, 0)
    return QRectF(left, top, size.width * window.scale, size.height * window.scale)


def draw_outline(painter: QPainter, area: QRectF, color: QColor, width: float) -> None:
    """The boundary of a rectangle, inside it; filled bars are drawn much faster than a wide pen."""
    inner = area.height() - 2 * width
    painter.fillRect(QRectF(area.left(), area.top(), area.width(), width), color)
    painter.fillRect(QRectF(area.left(), area.bottom() - width, area.width(), width), color)
    painter.fillRect(QRectF(area.left(), area.top() + width, width, inner), color)
    painter.fillRect(QRectF(area.right() - width, area.top() + width, width, inner), color)


def draw_placeholder(
    painter: QPainter, size: Size, title: str, reason: str, colors: PaneColors
) -> None:
    """What stands where nothing can be drawn: the name of the layer and why.

    The name is above the middle, higher where the reason needs more room below it.
    """
    area = QRectF(0, 0, size.width, size.height).adjusted(24, 16, -24, -16)
    lines = _broken_lines(Qt.AlignmentFlag.AlignHCenter)
    painter.setFont(colors.font(12))
    needed = painter.boundingRect(area, reason, lines).height()
    painter.setPen(colors.text)
    painter.setFont(colors.font(15, bold=True))
    metrics = painter.fontMetrics()
    top = min(area.center().y() + 4, area.bottom() - needed)
    top = max(top, area.top() + metrics.height() + 8)
    upper = QRectF(area.left(), area.top(), area.width(), top - 8 - area.top())
    title = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, round(area.width()))
    painter.drawText(upper, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, title)
    painter.setFont(colors.font(12))
    faded = QColor(colors.text)
    faded.setAlphaF(0.75)
    painter.setPen(faded)
    painter.drawText(QRectF(area.left(), top, area.width(), area.bottom() - top), reason, lines)


def draw_banner(painter: QPainter, size: Size, text: str, colors: PaneColors) -> None:
    """A few lines along the upper edge, no more than a third of the pane."""
    painter.setFont(colors.font(12, bold=True))
    pad, gap = 10 * colors.density, 5 * colors.density
    line = painter.fontMetrics().lineSpacing()
    most = max(1, int(size.height / 3 // line)) * line
    room = QRectF(pad, gap, size.width - 2 * pad, most)
    lines = _broken_lines(Qt.AlignmentFlag.AlignLeft)
    needed = painter.boundingRect(room, text, lines)
    area = QRectF(room.topLeft(), QSizeF(room.width(), min(needed.height(), room.height())))
    painter.fillRect(QRectF(0, 0, size.width, area.height() + 2 * gap), QColor(255, 214, 102))
    painter.setPen(QColor(60, 40, 0))
    painter.drawText(area, text, lines)


def _broken_lines(alignment: Qt.AlignmentFlag) -> QTextOption:
    """Broken between words; only one that is longer than a line, such as a path, is broken."""
    lines = QTextOption(alignment | Qt.AlignmentFlag.AlignTop)
    lines.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return lines


def draw_badge(painter: QPainter, size: Size, text: str, colors: PaneColors) -> None:
    """A small label in the lower left corner."""
    painter.setFont(colors.font(11, bold=True))
    box = painter.fontMetrics().boundingRect(text)
    pad = round(7 * colors.density)
    height = box.height() + pad
    area = QRectF(pad, size.height - height - pad, box.width() + 2 * pad, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 170))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawRoundedRect(area, height / 2, height / 2)
    painter.setPen(QColor(255, 255, 255))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

"""Draws one layer of a trial into a viewport.

A :class:`LayerDrawing` samples its layer when the view or the trial changes. Colours are worked out
while drawing, some rows at a time: that is as fast as drawing a coloured copy, and needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QPainter

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.lens_work import drawn_lens, lens_of
from forensicviewer.app.workbench.loaded_trial import LoadedSide, LoadedSystem, LoadedTrial
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import (
    Layer,
    Look,
    OverlayStyle,
    Pane,
    SystemStyle,
    ViewState,
)
from forensicviewer.core.array import Size
from forensicviewer.core.layer_pixels import (
    IndexFrame,
    grey_table,
    heat_table,
    highlight_table,
    marks_table,
    new_buffer,
    operation_color,
    operations_table,
    paint_picture,
    threshold_table,
)
from forensicviewer.core.overlay import ColorTable, OutcomeView, Packed, outcome_table
from forensicviewer.core.palette import Outcome, Rgb
from forensicviewer.core.pyramid import Pyramid, Window

OPAQUE = QImage.Format.Format_RGB32
BLENDED = QImage.Format.Format_ARGB32_Premultiplied


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """Whether a layer can be drawn: its size, or the reason why there is nothing."""

    size: Size | None
    reason: str


# Why there is none.
_BESIDE = {
    Layer.CONTROL: to_translate("The reference does not name a control image"),
    Layer.DIFFERENCE: to_translate("The reference does not name a base image"),
    Layer.EXAMPLE: to_translate("The dataset has no images of this camera or event"),
}


def layer_facts(state: ViewState, pane: Pane) -> LayerFacts:
    """What a pane has to show at the moment."""
    if state.loaded is None:
        reading = tr("Reading {name}", name=state.trial_id or "")
        return LayerFacts(None, reading if state.is_loading else tr("No trial is open"))
    side = state.loaded.on(pane.side)
    if pane.layer is Layer.LENS and side.pictures is not None:
        return _lens_facts(state, pane)
    if pane.layer in (Layer.PICTURE, Layer.LENS):
        return _facts(side.pictures, tr(side.reason) or tr("The image cannot be read"))
    if pane.layer is Layer.REFERENCE:
        return _facts(side.operations, tr(side.reference_reason))
    if pane.layer is Layer.BASE:
        return _facts(side.base, tr(side.base_reason))
    if pane.layer in _BESIDE or pane.layer is Layer.EXTRA:
        return _beside_facts(side, pane)
    return _answer_facts(state.loaded, side, pane)


def _beside_facts(side: LoadedSide, pane: Pane) -> LayerFacts:
    image = side.beside.get(pane.image_key)
    if image is None and pane.layer is Layer.EXTRA:
        return LayerFacts(
            None, tr("This prediction does not contain the layer {name}", name=pane.extra)
        )
    if image is None:
        return LayerFacts(None, tr(_BESIDE[pane.layer]))
    return _facts(image.pixels, tr(image.reason))


def _answer_facts(loaded: LoadedTrial, side: LoadedSide, pane: Pane) -> LayerFacts:
    system = loaded.system(pane.side, pane.system)
    if system is None:
        if pane.system == 0:
            return LayerFacts(None, tr("Open a submission to see a system mask"))
        return LayerFacts(None, tr("Open a second submission to see a system mask"))
    if pane.layer is Layer.SYSTEM:
        return _facts(system.means, system.why or tr("The system did not give a mask"))
    if system.outcomes is None:
        return LayerFacts(None, system.why or tr(side.reference_reason))
    return LayerFacts(system.outcomes.present.size, system.why)


def _lens_facts(state: ViewState, pane: Pane) -> LayerFacts:
    if lens_of(pane) is None:
        return LayerFacts(None, tr("The lens {name} is not installed", name=pane.lens))
    drawn = drawn_lens(state, pane)
    if drawn is None:
        return LayerFacts(None, tr("Computing…"))
    return _facts(drawn.pixels, drawn.reason)


def describe_lens(state: ViewState, pane: Pane) -> list[str]:
    """The values a lens is shown with, and that it is computed from full-size pixels."""
    drawn = drawn_lens(state, pane)
    if drawn is None:
        return []
    titles = {each.name: each.title for each in drawn.view.lens.parameters}
    values = [f"{tr(titles[name])} {value}" for name, value in drawn.view.values]
    return [tr("computed from full-size pixels"), ", ".join(values)]


def opaque_size(state: ViewState, pane: Pane) -> Size | None:
    """How much of its pane a layer covers completely; ``None`` where paper may show through."""
    if state.loaded is None:
        return None
    if pane.layer is not Layer.COMPARISON:
        return layer_facts(state, pane).size
    greys = state.loaded.on(pane.side).greys
    size = layer_facts(state, pane).size
    return None if greys is None or size != greys.size else size


def _facts(pyramid: Pyramid | None, reason: str) -> LayerFacts:
    return LayerFacts(None, reason) if pyramid is None else LayerFacts(pyramid.size, "")


_HIGHLIGHT_OPACITY = 0.6


class LayerDrawing:
    """Draws what one pane shows, and remembers what it can."""

    def __init__(self) -> None:
        self._sampled: Hashable = None
        self._base: _Buffer | None = None
        self._frame: IndexFrame | OutcomeView | None = None

    def draw(self, painter: QPainter, state: ViewState, pane: Pane, window: Window) -> None:
        """Paint the layer, screen pixel by screen pixel, into a painter of the window's size."""
        facts = layer_facts(state, pane)
        clip = None if facts.size is None else window.clipped(facts.size)
        if state.loaded is None or clip is None:
            return
        side = state.loaded.on(pane.side)
        system = state.loaded.system(pane.side, pane.system)
        lensed = drawn_lens(state, pane) if pane.layer is Layer.LENS else None
        key = (state.loaded, pane, window, _sampling(state, pane), lensed)
        if key != self._sampled:
            below = (
                _BELOW[pane.layer](side) if pane.layer in _BELOW else side.image_of(pane.image_key)
            )
            below = below if lensed is None else lensed.pixels
            self._sample(below, side, system, pane, clip.window, state)
            self._sampled = key
        self._draw_sampled(painter, state, pane, QPoint(clip.x, clip.y))
        self._draw_marks(painter, state, side, pane, window)
        self._draw_highlight(painter, state, side, pane, window)

    def _sample(
        self,
        below: Pyramid | None,
        side: LoadedSide,
        system: LoadedSystem | None,
        pane: Pane,
        window: Window,
        state: ViewState,
    ) -> None:
        look = state.look
        before, self._base, self._frame = self._base, None, None
        if below is not None:
            # An image smaller than the mask over it shows its edge no further than it reaches.
            self._base = _Buffer.painted(below, window, before)
        if pane.layer is Layer.REFERENCE and side.operations is not None:
            self._frame = IndexFrame.exact(side.operations, window)
        elif pane.layer is Layer.SYSTEM and system is not None and system.means is not None:
            self._frame = _system_frame(system, window, look)
        elif pane.layer is Layer.COMPARISON and system is not None and system.outcomes is not None:
            self._frame = system.outcomes.view(
                window,
                hatched=look.has_hatching,
                crossed=state.colors.is_crossed,
                without_misses=Outcome.MISS in look.hidden,
            )

    def _draw_sampled(self, painter: QPainter, state: ViewState, pane: Pane, at: QPoint) -> None:
        if isinstance(self._frame, IndexFrame):
            _draw_bands(painter, at, self._frame.bands(_index_table(state, pane)), OPAQUE)
            return
        if not isinstance(self._frame, OutcomeView) or not state.look.has_overlays:
            if self._base is not None:
                self._base.draw(painter, at)
            return
        table = _outcome_table(state, has_picture=self._base is not None)
        contours = state.look.overlay is OverlayStyle.CONTOUR
        threshold = threshold_on(state, pane.side, system=pane.system)
        bands = self._frame.bands(threshold, table, contours=contours)
        _draw_bands(painter, at, bands, BLENDED, below=self._base)

    def _draw_marks(
        self, painter: QPainter, state: ViewState, side: LoadedSide, pane: Pane, window: Window
    ) -> None:
        """Lay the operations' areas, or their boundaries, over an image they were done to."""
        look, index = state.look, side.operations
        is_wanted = look.has_marks and look.has_overlays and pane.layer.value in side.marked
        clip = None if index is None or not is_wanted else window.clipped(index.size)
        if index is None or clip is None:
            return
        is_filled = look.overlay is OverlayStyle.FILL
        frame = IndexFrame.exact if is_filled else IndexFrame.outlined
        table = marks_table(operation_colors(side), opacity=look.opacity if is_filled else 1.0)
        bands = frame(index, clip.window).bands(table)
        _draw_bands(painter, QPoint(clip.x, clip.y), bands, BLENDED)

    def _draw_highlight(
        self, painter: QPainter, state: ViewState, side: LoadedSide, pane: Pane, window: Window
    ) -> None:
        found = None if state.highlighted is None else state.highlight
        if found is None or found.reference is not side.reference:
            return
        clip = window.clipped(found.reference.size)
        if clip is not None:
            operation = found.reference.operations[found.operation]
            color = operation_color(found.operation, operation.color)
            opacity = 1.0 if pane.layer is Layer.REFERENCE else _HIGHLIGHT_OPACITY
            table = highlight_table(found.indices, color, opacity=opacity)
            bands = IndexFrame.exact(found.index, clip.window).bands(table)
            _draw_bands(painter, QPoint(clip.x, clip.y), bands, BLENDED)


def _draw_bands(
    painter: QPainter,
    at: QPoint,
    bands: Iterator[tuple[int, Packed]],
    form: QImage.Format,
    *,
    below: _Buffer | None = None,
) -> None:
    """Draw rows as they are coloured, each time over the same rows of what is below."""
    for top, pixels in bands:
        if below is not None:
            below.draw_rows(painter, at, top, len(pixels))
        height, width = pixels.shape
        image = QImage(pixels.data, width, height, 4 * width, form)
        painter.drawImage(at.x(), at.y() + top, image)


_BELOW: dict[Layer, Callable[[LoadedSide], Pyramid | None]] = {
    Layer.PICTURE: lambda side: side.pictures,
    Layer.COMPARISON: lambda side: side.greys,
    Layer.BASE: lambda side: side.base,
}


class _Buffer:
    """Pixels and the Qt image that shares their memory."""

    def __init__(self, pixels: Packed, form: QImage.Format) -> None:
        self.pixels = pixels
        height, width = pixels.shape
        self._image = QImage(pixels.data, width, height, 4 * width, form)

    @classmethod
    def sized(cls, size: Size, form: QImage.Format, before: _Buffer | None) -> _Buffer:
        """The buffer from before if it fits, else a new one."""
        fits = before is not None and before.pixels.shape == (size.height, size.width)
        return before if before is not None and fits else cls(new_buffer(size), form)

    @classmethod
    def painted(cls, pyramid: Pyramid, window: Window, before: _Buffer | None) -> _Buffer | None:
        clip = window.clipped(pyramid.size)
        if clip is None:
            return None
        buffer = cls.sized(clip.window.size, OPAQUE, before)
        paint_picture(pyramid, clip.window, buffer.pixels)
        return buffer

    def draw(self, painter: QPainter, at: QPoint) -> None:
        painter.drawImage(at, self._image)

    def draw_rows(self, painter: QPainter, at: QPoint, top: int, rows: int) -> None:
        """Draw some rows where they belong in an image drawn at ``at``."""
        width = self._image.width()
        painter.drawImage(at.x(), at.y() + top, self._image, 0, top, width, rows)


def operation_colors(side: LoadedSide) -> tuple[Rgb, ...]:
    """The colour each operation of a side is drawn in."""
    reference = side.reference
    if reference is None:
        return ()
    if not reference.operations:
        return ((0, 0, 0),)
    return tuple(operation_color(i, op.color) for i, op in enumerate(reference.operations))


def plain_outcomes(*, has_picture: bool) -> tuple[Outcome, ...]:
    """Outcomes left without colour: over an image the correct background would only veil it."""
    return (Outcome.CORRECT_REJECTION,) if has_picture else ()


def _sampling(state: ViewState, pane: Pane) -> Hashable:
    """What, besides the view, decides which pixels are taken."""
    look = state.look
    if pane.layer is Layer.SYSTEM:
        return look.system is SystemStyle.THRESHOLDED
    if pane.layer is Layer.COMPARISON:
        return look.has_hatching, state.colors.is_crossed, Outcome.MISS in look.hidden
    return None


def _system_frame(system: LoadedSystem, window: Window, look: Look) -> IndexFrame:
    assert system.means is not None
    if look.system is SystemStyle.THRESHOLDED and system.peaks is not None:
        # An average would let a single called pixel vanish when minified; the peak does not.
        return IndexFrame.exact(system.peaks, window)
    return IndexFrame.averaged(system.means, window)


def _index_table(state: ViewState, pane: Pane) -> ColorTable:
    if pane.layer is Layer.REFERENCE and state.loaded is not None:
        return reference_table(state, state.loaded.on(pane.side))
    return system_table(state, pane)


def reference_table(state: ViewState, side: LoadedSide) -> ColorTable:
    """The colour of every operation's number; a mask in black and white as its dataset has it."""
    selected, highlighted = state.scoring.selected, state.highlighted
    if is_white_on_black(state, side):
        white, black = ((255, 255, 255),), (0, 0, 0)
        return operations_table(white, selected=selected, highlighted=highlighted, ground=black)
    colors = operation_colors(side)
    return operations_table(colors, selected=selected, highlighted=highlighted)


def is_white_on_black(state: ViewState, side: LoadedSide) -> bool:
    """Whether the reference is drawn white where manipulated, as only NIST's are not."""
    reference = side.reference
    return not state.speaks_nist and reference is not None and not reference.operations


def system_table(state: ViewState, pane: Pane) -> ColorTable:
    """The colour of every score of a system mask."""
    is_black = state.speaks_nist
    if state.look.system is SystemStyle.HEAT:
        return heat_table()
    if state.look.system is SystemStyle.THRESHOLDED:
        return threshold_table(
            threshold_on(state, pane.side, system=pane.system), manipulated_is_black=is_black
        )
    return grey_table(manipulated_is_black=is_black)


_TABLES: dict[Hashable, ColorTable] = {}


def _outcome_table(state: ViewState, *, has_picture: bool) -> ColorTable:
    look, colors = state.look, state.colors
    is_filled = look.overlay is OverlayStyle.FILL
    # A boundary hides little of the image, so it need not be seen through.
    opacity = look.opacity if has_picture and is_filled else 1.0
    key = (look.palette, colors.source, opacity, look.hidden, has_picture)
    if key not in _TABLES:
        if len(_TABLES) > 16:
            _TABLES.clear()
        _TABLES[key] = outcome_table(
            colors,
            opacity=opacity,
            hidden=look.hidden,
            plain=plain_outcomes(has_picture=has_picture),
        )
    return _TABLES[key]

"""The images of a report, drawn without a window: probe, masks, outcomes and curves."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product

import cv2
import numpy as np

from forensicviewer.app.reports.model import LegendLine, ReportImage
from forensicviewer.app.workbench.legend_counts import OUTCOME_NAMES, legend_counts
from forensicviewer.app.workbench.metric_values import ruled_curves
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.core.examination import Mark, MarkShape
from forensicviewer.core.mask import Region
from forensicviewer.core.overlay import outcome_of
from forensicviewer.core.palette import Outcome, Palette, Rgb
from forensicviewer.sources.media.png import encode_png

_MOST_PX = 900
_OPACITY = 0.7
_CURVE_PX = (720, 300)
_PLOT_X, _PLOT_Y = (48, _CURVE_PX[0] - 16), (16, _CURVE_PX[1] - 36)
_INK, _GRID = (40, 40, 40), (225, 225, 225)
_MARK, _MARK_EDGE = (255, 196, 0), (20, 20, 20)
_MCC, _NMM, _HERE = (31, 119, 180), (120, 120, 120), (214, 39, 40)


def trial_pictures(state: ViewState) -> tuple[ReportImage, ...]:
    """What a trial looks like as it was measured; of what is missing there is no image."""
    loaded = state.loaded
    if loaded is None:
        return ()
    side = loaded.on(state.side)
    system = loaded.system(state.side, 0)
    found: list[ReportImage] = []
    probe = None if side.pictures is None else _rgb(side.pictures.levels[0])
    if probe is not None:
        marks = [one for one in state.marks if one.side is state.side and one.points]
        shown, words = _marked(probe, marks), "with the marks of the judges" if marks else ""
        found.append(ReportImage(_png(shown), f"Probe {side.media.name} {words}".strip()))
    if side.regions is not None:
        codes = side.regions.codes
        found.append(
            ReportImage(
                _png(_reference(codes)),
                "Reference: scored and unscored pixels",
                _REFERENCE_LEGEND,
            )
        )
    if system is None or system.scores is None:
        return tuple(found)
    shown = 255 - system.scores if state.speaks_nist else system.scores
    found.append(ReportImage(_png(_rgb(shown)), f"System mask of {system.name}"))
    if system.regions is not None and system.sweep is not None:
        threshold = threshold_on(state, state.side, system=0)
        drawn = _outcomes(system.regions.codes, system.scores, threshold, probe, state.colors)
        found.append(
            ReportImage(_png(drawn), "Outcome of every pixel at the threshold", _legend(state))
        )
    return tuple(found)


def pixel_digest(png: bytes) -> str:
    """Of the pixels, not of their encoding, which may differ between versions of a library."""
    pixels = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None, "the images of a report are PNG"
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()


def curve_picture(state: ViewState) -> ReportImage | None:
    """MCC and NMM over all thresholds, in the dataset's terms, with the one in use."""
    curves = ruled_curves(state, 0)
    if curves is None:
        return None
    image = _grid()
    for t in (0, 64, 128, 192, 255):
        _write(image, str(t), (_place(t / 256, -1)[0] - 8, _CURVE_PX[1] - 18))
    shown = [state.shown_threshold(t) for t in range(257)]
    for values, color in ((curves.other, _NMM), (curves.main, _MCC)):
        if values is not None:
            pairs = zip(shown, values, strict=True)
            _curve(
                image, sorted(_place(max(0, t) / 256, float(v)) for t, v in pairs if v == v), color
            )
    here = state.shown_threshold(threshold_on(state, state.side, system=0))
    cv2.line(image, _place(here / 256, -1), _place(here / 256, 1), _HERE, 1)
    names = [LegendLine(_hex(_MCC), curves.names[0])]
    names += [] if curves.other is None else [LegendLine(_hex(_NMM), curves.names[1])]
    names.append(LegendLine(_hex(_HERE), f"threshold {here}"))
    return ReportImage(encode_png(image), "Score at every threshold", tuple(names))


def sorted_picture(numbers: Sequence[float], caption: str) -> ReportImage | None:
    """Numbers between -1 and 1 from the lowest to the highest; nothing of fewer than two."""
    if len(numbers) < 2:
        return None
    image, last = _grid(), len(numbers) - 1
    points = [_place(n / last, number) for n, number in enumerate(sorted(numbers))]
    _curve(image, points, _MCC)
    for point in points if len(points) <= 100 else ():
        cv2.circle(image, point, 3, _MCC, -1, cv2.LINE_AA)
    _write(image, "lowest", (_PLOT_X[0], _CURVE_PX[1] - 14))
    _write(image, "highest", (_PLOT_X[1] - 50, _CURVE_PX[1] - 14))
    return ReportImage(encode_png(image), caption, (LegendLine(_hex(_MCC), "one point per trial"),))


def _grid() -> RgbImage:
    """An empty plot of numbers between -1 and 1."""
    image = np.full((_CURVE_PX[1], _CURVE_PX[0], 3), 255, np.uint8)
    for value in (-1.0, -0.5, 0.0, 0.5, 1.0):
        cv2.line(image, _place(0, value), _place(1, value), _GRID, 1)
        _write(image, f"{value:g}", (6, _place(0, value)[1] + 4))
    return image


def _place(share: float, value: float) -> tuple[int, int]:
    """The position of a number in a plot, at this share of its width."""
    left, right = _PLOT_X
    top, bottom = _PLOT_Y
    return round(left + (right - left) * share), round(bottom - (bottom - top) * (value + 1) / 2)


def _curve(image: RgbImage, points: Sequence[tuple[int, int]], color: Rgb) -> None:
    cv2.polylines(image, [np.array(points, np.int32)], False, color, 2, cv2.LINE_AA)  # noqa: FBT003


def _write(image: RgbImage, text: str, at: tuple[int, int]) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK, 1, cv2.LINE_AA)


_ZONES = {
    Region.BACKGROUND: (255, 255, 255),
    Region.MANIPULATED: (0, 0, 0),
    Region.BOUNDARY: (255, 210, 90),
    Region.UNSELECTED: (205, 160, 225),
    Region.OPT_OUT: (150, 150, 150),
}
_REFERENCE_LEGEND = (
    LegendLine("#000000", "manipulated"),
    LegendLine("#ffffff", "background"),
    LegendLine("#ffd25a", "boundary no-score zone"),
    LegendLine("#cda0e1", "unselected no-score zone"),
)


def _reference(codes: U8Image) -> RgbImage:
    table = np.zeros((256, 3), np.uint8)
    for region, color in _ZONES.items():
        table[region] = color
    return np.asarray(table[codes])


def _outcomes(
    codes: U8Image, scores: U8Image, threshold: int, probe: RgbImage | None, colors: Palette
) -> RgbImage:
    called = scores.astype(np.int16) >= threshold
    ground = np.full((*codes.shape, 3), 255, np.uint8)
    if probe is not None and probe.shape[:2] == codes.shape:
        grey = cv2.cvtColor(probe, cv2.COLOR_RGB2GRAY)
        ground = _rgb(np.asarray(grey, np.uint8))
    drawn = ground.astype(np.float32)
    for region, is_called in product(Region, (False, True)):
        outcome = outcome_of(region, int(is_called), 1)
        if outcome is not Outcome.CORRECT_REJECTION:
            area = (codes == region) & (called == is_called)
            drawn[area] = (1 - _OPACITY) * drawn[area] + _OPACITY * np.array(colors[outcome])
    return drawn.round().astype(np.uint8)


def _marked(probe: RgbImage, marks: Sequence[Mark]) -> RgbImage:
    """The image with each mark and its number, thick enough to be seen in a report."""
    if not marks:
        return probe
    drawn, scale = probe.copy(), max(1.0, max(probe.shape[:2]) / _MOST_PX)
    for number, mark in enumerate(marks, start=1):
        (left, top, right, bottom), reach = mark.box or (0, 0, 0, 0), round(8 * scale)
        corners = np.array(mark.points, np.int32)
        at = (left, top - round(5 * scale)) if top > 20 * scale else (left, bottom + reach * 2)
        for color, width in ((_MARK_EDGE, 4), (_MARK, 2)):
            thick = max(1, round(width * scale))
            if mark.shape is MarkShape.PIN:
                cv2.circle(drawn, (left, top), reach, color, thick, cv2.LINE_AA)
            elif mark.shape is MarkShape.RECTANGLE:
                cv2.rectangle(drawn, (left, top), (right, bottom), color, thick)
            else:
                cv2.polylines(drawn, [corners], True, color, thick, cv2.LINE_AA)  # noqa: FBT003
            font = cv2.FONT_HERSHEY_SIMPLEX
            cv2.putText(drawn, str(number), at, font, 0.6 * scale, color, thick, cv2.LINE_AA)
    return drawn


def _legend(state: ViewState) -> tuple[LegendLine, ...]:
    return tuple(
        LegendLine(
            _hex(state.colors[count.outcome]),
            f"{OUTCOME_NAMES[count.outcome]}: {count.pixels} px",
        )
        for count in legend_counts(state)
        if count.outcome in OUTCOME_NAMES
    )


def _hex(color: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _rgb(pixels: U8Image) -> RgbImage:
    return np.dstack([pixels] * 3) if pixels.ndim == 2 else np.ascontiguousarray(pixels[:, :, :3])


def _png(rgb: RgbImage) -> bytes:
    """Encoded, no larger than a page shows; errors stay visible because areas are averaged."""
    height, width = rgb.shape[:2]
    scale = min(1.0, _MOST_PX / max(height, width))
    if scale < 1:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        rgb = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
    return encode_png(rgb)

"""How long a lens keeps a user waiting: the visible part at 100 % and the whole, 12 megapixels."""

from __future__ import annotations

import cv2
import numpy as np

from benchmarks.report import Figure, Report, best_of, busy_note
from forensicviewer.core.array import RgbImage, Size
from forensicviewer.core.lens.built_in import LENSES
from forensicviewer.core.lens.compression import standard_table
from forensicviewer.core.lens.lens import JpegTables, Lens, LensImage
from forensicviewer.core.pyramid import Pyramid, Reduce, Window

LARGE = Size(width=4000, height=3000)
SCREEN = Size(width=1600, height=900)
VISIBLE_S, WHOLE_S = 0.5, 1.5


def run() -> Report:
    image = LensImage(_paint(), JpegTables((standard_table(75),), (0, 0, 0)))
    figures = [figure for lens in LENSES for figure in _measured(lens, image)]
    return Report("lens", tuple(figures), notes=(f"  images: {LARGE}, shown {SCREEN}", busy_note()))


def _measured(lens: Lens, image: LensImage) -> list[Figure]:
    """The part at 100 % comes from the whole: both begin with the pixels of the decoded image."""

    def shown() -> None:
        pixels = lens.draw(image, {})
        Pyramid((pixels,), Reduce.MEAN).shown(Window(1200, 900, 1.0, SCREEN))

    def whole() -> None:
        Pyramid.of(lens.draw(image, {}), Reduce.MEAN)

    return [
        Figure(f"{lens.name}, visible part at 100 %", best_of(shown), "s", VISIBLE_S),
        Figure(f"{lens.name}, whole image", best_of(whole), "s", WHOLE_S),
    ]


def _paint() -> RgbImage:
    noise = np.random.default_rng(1).integers(0, 256, (LARGE.height, LARGE.width, 3))
    return np.asarray(cv2.GaussianBlur(noise.astype(np.uint8), (5, 5), 0), np.uint8)

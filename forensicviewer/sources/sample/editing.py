"""What a manipulator does to a photograph, with a record of every step and where it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, PlaneImage, RgbImage, Size
from forensicviewer.sources.sample.noise import Colours, Field
from forensicviewer.sources.sample.photo import Photo


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One operation of a journal; ``area`` is ``None`` where the whole image is concerned."""

    operation: str
    purpose: str = ""
    argument: str = ""
    area: BoolImage | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Edited:
    """A manipulated image and its steps, the first step first."""

    pixels: RgbImage
    steps: tuple[Step, ...]

    @property
    def size(self) -> Size:
        return Size.of(self.pixels)

    @property
    def localised(self) -> tuple[Step, ...]:
        """The steps that show somewhere, the latest first, as journals count them."""
        return tuple(step for step in reversed(self.steps) if step.area is not None)

    @property
    def area(self) -> BoolImage:
        """Where anything was done."""
        return union([step.area for step in self.localised if step.area is not None], self.size)


def union(areas: Sequence[BoolImage], size: Size) -> BoolImage:
    joined = np.zeros((size.height, size.width), dtype=np.bool_)
    for area in areas:
        joined |= area
    return joined


@dataclass(slots=True)
class EditingDesk:
    """An image being manipulated: owns its pixels and the steps so far."""

    pixels: RgbImage
    steps: list[Step] = field(default_factory=list)

    @classmethod
    def open(cls, photo: Photo) -> EditingDesk:
        return cls(photo.pixels.copy())

    @property
    def size(self) -> Size:
        return Size.of(self.pixels)

    def done(self) -> Edited:
        return Edited(self.pixels.copy(), tuple(self.steps))

    def splice(
        self,
        donor: Photo,
        *,
        at: tuple[float, float],
        scale: float = 1.0,
        argument: str = "man-made object",
        mirrored: bool = False,
    ) -> BoolImage:
        """Paste the first subject of a photograph; its lower edge comes to ``at`` (x, y shares)."""
        top, bottom, left, right = _frame(donor.subjects[0] > 0.02)
        cut = donor.pixels[top:bottom, left:right].astype(np.float32)
        opacity = donor.subjects[0][top:bottom, left:right]
        if mirrored:
            cut, opacity = cut[:, ::-1], opacity[:, ::-1]
        shape = (max(2, round(cut.shape[1] * scale)), max(2, round(cut.shape[0] * scale)))
        cut = np.asarray(cv2.resize(cut, shape, interpolation=cv2.INTER_AREA), np.float32)
        opacity = np.asarray(cv2.resize(opacity, shape, interpolation=cv2.INTER_AREA), np.float32)
        corner = self._corner(at, Size(*shape))
        area = self._paste(cut, opacity, corner)
        self.steps.append(Step("PasteSplice", "add", argument, area))
        return area

    def clone(
        self,
        opacity: Field,
        *,
        shift: tuple[float, float],
        argument: str = "natural object",
    ) -> BoolImage:
        """Copy what ``opacity`` covers within the image, moved by shares of width and height."""
        dx, dy = round(shift[0] * self.size.width), round(shift[1] * self.size.height)
        top, bottom, left, right = _frame(opacity > 0.02)
        cut = self.pixels[top:bottom, left:right].astype(np.float32)
        area = self._paste(cut, opacity[top:bottom, left:right], (left + dx, top + dy))
        self.steps.append(Step("PasteSampled", "clone", argument, area))
        return area

    def remove(
        self, opacity: Field, *, source_shift: tuple[float, float], argument: str = ""
    ) -> BoolImage:
        """Cover something with ground or sky from beside it."""
        grown = cv2.dilate(opacity, np.ones((9, 9), np.uint8))
        soft = np.asarray(cv2.GaussianBlur(grown, (0, 0), 4), np.float32)
        cover = np.clip(soft * 1.6, 0, 1)
        dx = round(source_shift[0] * self.size.width)
        dy = round(source_shift[1] * self.size.height)
        moved = cv2.warpAffine(
            self.pixels,
            np.array([[1, 0, -dx], [0, 1, -dy]], np.float32),
            (self.size.width, self.size.height),
            borderMode=cv2.BORDER_REFLECT,
        )
        area = self._mix(np.asarray(moved, np.float32), cover)
        self.steps.append(Step("FillContentAwareFill", "remove", argument, area))
        return area

    def blur(self, opacity: Field, *, radius: float = 3) -> BoolImage:
        smooth = cv2.GaussianBlur(self.pixels, (0, 0), radius).astype(np.float32)
        return self._record("BlurLocal", "heal", "", self._mix(smooth, opacity))

    def brighten(self, opacity: Field, *, factor: float) -> BoolImage:
        brighter = self.pixels.astype(np.float32) * factor
        return self._record(
            "IntensityBrightness", "", f"factor {factor:g}", self._mix(brighter, opacity)
        )

    def recolour(self, opacity: Field, *, turn: int) -> BoolImage:
        hue = cv2.cvtColor(self.pixels, cv2.COLOR_RGB2HSV)
        hue[:, :, 0] = (hue[:, :, 0].astype(np.int32) + turn) % 180
        changed = cv2.cvtColor(hue, cv2.COLOR_HSV2RGB).astype(np.float32)
        return self._record("ColorHue", "", f"turn {turn}", self._mix(changed, opacity))

    def add_noise(self, *, seed: int, strength: float = 2.5) -> None:
        """A step that concerns the whole image and therefore has no area."""
        random = np.random.default_rng([seed, 5])
        grain = random.standard_normal(self.pixels.shape, dtype=np.float32) * strength
        self.pixels = np.clip(self.pixels + grain, 0, 255).astype(np.uint8)
        self.steps.append(Step("AddNoise", "", f"strength {strength:g}"))

    def save_again(self, *, quality: int) -> None:
        """Through JPEG once more, as laundering does."""
        encoded = cv2.imencode(".jpg", self.pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        self.pixels = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)
        self.steps.append(Step("OutputJpg", "", f"quality {quality}"))

    def _record(self, operation: str, purpose: str, argument: str, area: BoolImage) -> BoolImage:
        self.steps.append(Step(operation, purpose, argument, area))
        return area

    def _corner(self, at: tuple[float, float], size: Size) -> tuple[int, int]:
        x, y = at[0] * self.size.width, at[1] * self.size.height
        return round(x - size.width / 2), round(y - size.height)

    def _paste(self, cut: Colours, opacity: Field, corner: tuple[int, int]) -> BoolImage:
        layer = self.pixels.astype(np.float32)
        share = np.zeros((self.size.height, self.size.width), dtype=np.float32)
        left, top = corner
        y0, x0 = max(top, 0), max(left, 0)
        y1 = min(top + cut.shape[0], share.shape[0])
        x1 = min(left + cut.shape[1], share.shape[1])
        part = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
        layer[y0:y1, x0:x1] = cut[part]
        share[y0:y1, x0:x1] = opacity[part]
        return self._mix(layer, share)

    def _mix(self, layer: Colours, share: Field) -> BoolImage:
        """Lay ``layer`` over the image; the area is every pixel that it shows through."""
        mixed = self.pixels + (layer - self.pixels) * share[..., np.newaxis]
        self.pixels = np.clip(np.rint(mixed), 0, 255).astype(np.uint8)
        return np.asarray(share > 0.05)


def ellipse(size: Size, *, x: float, y: float, across: float, tall: float) -> Field:
    """A soft ellipse; everything in shares of the image's width and height."""
    rows, columns = np.ogrid[0 : size.height, 0 : size.width]
    distance = np.hypot(
        (columns / size.width - x) / (across / 2), (rows / size.height - y) / (tall / 2)
    )
    return np.asarray(np.clip((1 - distance) / 0.15, 0, 1), np.float32)


def _frame(area: BoolImage) -> tuple[int, int, int, int]:
    """(top, bottom, left, right) of the smallest box around an area."""
    rows, columns = np.nonzero(area)
    return rows.min(), rows.max() + 1, columns.min(), columns.max() + 1


_COLOURS = (
    (0, 247, 250), (255, 0, 114), (244, 253, 0), (0, 255, 132), (188, 6, 161), (0, 48, 255),
    (255, 128, 0), (120, 0, 255), (0, 160, 60), (255, 0, 0), (90, 200, 255), (160, 120, 40),
    (255, 150, 200), (40, 90, 140), (200, 255, 120), (140, 40, 40), (60, 220, 200),
    (220, 180, 255), (100, 100, 0), (0, 0, 130), (255, 210, 120),
)  # fmt: skip


def step_colour(number: int) -> tuple[int, int, int]:
    """The colour of the ``number``-th localised step, counted from 0."""
    return _COLOURS[number]


def colour_mask(edited: Edited) -> RgbImage:
    """White, and each step's colour where no later step hides it."""
    mask = np.full((edited.size.height, edited.size.width, 3), 255, dtype=np.uint8)
    for number, step in reversed(list(enumerate(edited.localised))):
        mask[step.area] = _COLOURS[number]
    return mask


def bit_planes(edited: Edited) -> PlaneImage:
    """Plane 1 for the latest localised step, and so on, eight to a channel."""
    channels = max(1, -(-len(edited.localised) // 8))
    planes = np.zeros((edited.size.height, edited.size.width, channels), dtype=np.uint8)
    for number, step in enumerate(edited.localised):
        assert step.area is not None
        planes[:, :, number // 8] |= step.area.astype(np.uint8) << np.uint8(number % 8)
    return planes

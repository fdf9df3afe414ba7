"""Formats areas and times in the units of the user."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from forensicviewer.app.language.words import decimal, to_translate, whole

_SLACK = 1e-6  # what computing with times may be off


class AreaUnit(Enum):
    """The unit of areas; the value is its name in the settings."""

    BOTH = to_translate("Pixels and percent")
    PIXELS = to_translate("Pixels")
    PERCENT = to_translate("Percent of the probe")
    MEGAPIXELS = to_translate("Megapixels")


class TimeUnit(Enum):
    """The unit of times; the value is its name in the settings."""

    CLOCK = to_translate("Minutes and seconds")
    SECONDS = to_translate("Seconds")
    FRAMES = to_translate("Frames")
    TIMECODE = to_translate("Timecode")


@dataclass(frozen=True, slots=True)
class Units:
    """What the user likes to read."""

    areas: AreaUnit = AreaUnit.BOTH
    times: TimeUnit = TimeUnit.CLOCK

    @property
    def short_areas(self) -> AreaUnit:
        """For columns that have room for one number only."""
        return AreaUnit.PERCENT if self.areas is AreaUnit.BOTH else self.areas


def format_area(pixels: int, of_pixels: int, unit: AreaUnit, *, share: float | None = None) -> str:
    """An area of an image of ``of_pixels``; ``share`` is another part than that of the image."""
    part = pixels / max(1, of_pixels)
    match unit:
        case AreaUnit.BOTH:
            return f"{whole(pixels)} px · {percent(part if share is None else share)}"
        case AreaUnit.PIXELS:
            return f"{whole(pixels)} px"
        case AreaUnit.PERCENT:
            return percent(part)
        case AreaUnit.MEGAPIXELS:
            return _megapixels(pixels)


def percent(share: float) -> str:
    """A rounded share; a share above 0 is never shown as 0."""
    if 0 < share < 0.0005:
        return f"< {decimal(0.1, 1)} %"
    return f"{decimal(100 * share, 1)} %"


def _megapixels(pixels: int) -> str:
    if 0 < pixels < 500:
        return f"< {decimal(0.001, 3)} MP"
    return f"{decimal(pixels / 1e6, 3)} MP"


def format_time(seconds: float, *, step_s: float = 0.001) -> str:
    """Minutes and seconds with as many digits as steps need; hours where there are any."""
    digits = _digits(step_s)
    rounded = round(max(0.0, seconds), digits)
    minutes, rest = divmod(rounded, 60)
    hours, minutes = divmod(int(minutes), 60)
    said = decimal(rest, digits).zfill(3 + digits if digits else 2)
    return f"{hours}:{minutes:02d}:{said}" if hours else f"{minutes}:{said}"


def format_moment(
    seconds: float,
    unit: TimeUnit,
    frame_at: Callable[[float], float],
    *,
    step_s: float = 0.001,
) -> str:
    """A place in time; ``frame_at`` knows which frame is shown at a second, counted from 1."""
    match unit:
        case TimeUnit.CLOCK:
            return format_time(seconds, step_s=step_s)
        case TimeUnit.SECONDS:
            return f"{decimal(max(0.0, seconds), _digits(step_s))} s"
        case TimeUnit.FRAMES:
            return str(max(1, math.floor(frame_at(seconds) + _SLACK)))
        case TimeUnit.TIMECODE:
            return _timecode(max(0.0, seconds), frame_at)


def _timecode(seconds: float, frame_at: Callable[[float], float]) -> str:
    """Hours, minutes, seconds and the frames since that second began."""
    begun = math.floor(seconds + _SLACK)
    frames = math.floor(frame_at(seconds) + _SLACK) - math.ceil(frame_at(begun) - _SLACK)
    minutes, rest = divmod(begun, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest:02d}:{max(0, frames):02d}"


def _digits(step_s: float) -> int:
    return max(0, min(3, -math.floor(math.log10(step_s) + 1e-9)))

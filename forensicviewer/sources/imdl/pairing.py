"""Pairs images with masks: by stem, or by position as IMDL-BenCo does; and where these differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from forensicviewer.sources.imdl.pair import bare_stem, stem

PairingKey = Callable[[str], str]


class Pairing(Enum):
    """How images find their masks; the value is the word of ``--pairing``."""

    STEM = "stem"
    POSITION = "position"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Matches:
    """Each image with its mask (blank where none is), and the masks nobody asked for."""

    masks: dict[str, str]
    left_over: tuple[str, ...]
    doubles: tuple[str, ...] = ()

    @property
    def without_mask(self) -> list[str]:
        return [image for image, mask in self.masks.items() if not mask]

    @property
    def is_certain(self) -> bool:
        """Whether every mask found exactly one image."""
        return not self.left_over and not self.doubles and any(self.masks.values())


def by_stem(
    images: Sequence[str], masks: Sequence[str], *, key: PairingKey | None = None
) -> Matches:
    """Masks named like their image, with or without what makers of masks add."""
    named: dict[str, str] = {}
    doubles = []
    for mask in masks:
        for name in dict.fromkeys((stem(mask), bare_stem(mask)) if key is None else (key(mask),)):
            if name in named and named[name] != mask:
                doubles.append(mask)
            named.setdefault(name, mask)
    found = {image: named.get(stem(image) if key is None else key(image), "") for image in images}
    used = set(found.values())
    left = tuple(mask for mask in masks if mask not in used)
    return Matches(found, left, tuple(mask for mask in doubles if mask not in used))


def by_position(images: Sequence[str], masks: Sequence[str]) -> Matches:
    """The first image with the first mask and so on, both sorted by name; names do not count."""
    ordered = sorted(images, key=lambda name: name.rpartition("/")[2])
    behind = sorted(masks, key=lambda name: name.rpartition("/")[2])
    found = dict.fromkeys(images, "")
    found |= dict(zip(ordered, behind, strict=False))
    return Matches(found, tuple(behind[len(ordered) :]))


def differing(first: Matches, second: Matches) -> list[str]:
    """The images that get another mask."""
    return [image for image, mask in first.masks.items() if mask != second.masks[image]]

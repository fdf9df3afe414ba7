"""The sample's photographs and what was done to some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from forensicviewer.core.array import BoolImage, Size
from forensicviewer.sources.sample.editing import Edited, EditingDesk, ellipse
from forensicviewer.sources.sample.objects import Thing
from forensicviewer.sources.sample.photo import Photo, Shot, Subject, take
from forensicviewer.sources.sample.scenery import EVENING, MORNING, NOON, OVERCAST
from forensicviewer.sources.sample.terrain import Land

FULL = Size(960, 640)
SMALL = Size(660, 440)
THUMB = Size(480, 320)

_HILLS, _COAST, _MOUNTAINS, _DESERT = Land.HILLS, Land.COAST, Land.MOUNTAINS, Land.DESERT

SHOTS: Mapping[str, Shot] = {
    "farm": Shot(4, _HILLS, NOON, (Subject(Thing.HOUSE, 0.30, 0.76, 0.22),), 1),
    "festival": Shot(
        12,
        _HILLS,
        NOON,
        (Subject(Thing.BALLOON, 0.68, 0.42, 0.32), Subject(Thing.BALLOON, 0.30, 0.27, 0.17, 1)),
        2,
    ),
    "regatta": Shot(12, _COAST, NOON, (Subject(Thing.SAILBOAT, 0.62, 0.72, 0.30),), 1),
    "bay": Shot(9, _COAST, MORNING, (Subject(Thing.SAILBOAT, 0.35, 0.66, 0.20, 1),), 2),
    "sunset": Shot(18, _COAST, EVENING, (Subject(Thing.SAILBOAT, 0.55, 0.70, 0.24, 2),), 3),
    "cape": Shot(8, _COAST, NOON, (Subject(Thing.LIGHTHOUSE, 0.72, 0.80, 0.46),), 3),
    "alps": Shot(9, _MOUNTAINS, MORNING, (Subject(Thing.HOUSE, 0.28, 0.80, 0.20, 1),), 1),
    "lake": Shot(21, _MOUNTAINS, MORNING, (Subject(Thing.SAILBOAT, 0.42, 0.74, 0.22, 3),), 2),
    "peak": Shot(4, _MOUNTAINS, NOON, (Subject(Thing.BALLOON, 0.66, 0.34, 0.26, 2),), 3),
    "pass": Shot(12, _MOUNTAINS, NOON, (Subject(Thing.BOULDER, 0.30, 0.84, 0.14),), 1),
    "dunes": Shot(14, _DESERT, EVENING, (Subject(Thing.BOULDER, 0.60, 0.82, 0.16, 1),), 2),
    "caravan": Shot(9, _DESERT, MORNING, (Subject(Thing.BALLOON, 0.40, 0.36, 0.26, 3),), 3),
    "pasture": Shot(11, _HILLS, OVERCAST, (Subject(Thing.OAK, 0.66, 0.84, 0.42),), 1),
    "grove": Shot(18, _HILLS, EVENING, (Subject(Thing.HOUSE, 0.64, 0.80, 0.20, 2),), 2),
    "shore": Shot(3, _COAST, OVERCAST, (Subject(Thing.BIRD, 0.36, 0.30, 0.06),), 3),
    "fjord": Shot(18, _MOUNTAINS, EVENING, (Subject(Thing.SAILBOAT, 0.66, 0.76, 0.22),), 1),
    "valley": Shot(16, _MOUNTAINS, NOON, (Subject(Thing.PINE, 0.24, 0.90, 0.44),), 2),
    "meadow": Shot(24, _HILLS, NOON, (Subject(Thing.BIRD, 0.62, 0.24, 0.05, 1),), 3),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A manipulation: which photograph it starts from, whose parts it takes, what is done."""

    base: str
    apply: Callable[[EditingDesk, Album], None]
    donors: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Album:
    """All photographs in one size."""

    size: Size

    def photo(self, name: str) -> Photo:
        photo = take(SHOTS[name], FULL)
        return photo if self.size == FULL else _resized(name, self.size)

    def edited(self, recipe: str) -> Edited:
        return _edited(recipe, self.size)


@lru_cache(maxsize=64)
def _resized(name: str, size: Size) -> Photo:
    return take(SHOTS[name], FULL).resized(size)


@lru_cache(maxsize=64)
def _edited(recipe: str, size: Size) -> Edited:
    album = Album(size)
    desk = EditingDesk.open(album.photo(RECIPES[recipe].base))
    RECIPES[recipe].apply(desk, album)
    return desk.done()


def forget_photographs() -> None:
    """Give back the memory of everything painted so far."""
    for painted in (take, _resized, _edited):
        painted.cache_clear()


def donor_area(recipe: str, size: Size) -> BoolImage:
    """What a splice took from its (first) donor."""
    return np.asarray(Album(size).photo(RECIPES[recipe].donors[0]).subjects[0] > 0.05)


def _balloon_over_farm(desk: EditingDesk, album: Album) -> None:
    desk.splice(album.photo("festival"), at=(0.72, 0.40), scale=0.8)
    house = album.photo("farm").subjects[0]
    desk.clone(house, shift=(0.34, 0.03), argument="man-made object")
    desk.brighten(ellipse(desk.size, x=0.64, y=0.70, across=0.24, tall=0.3), factor=1.12)
    desk.add_noise(seed=1)


def _boat_becomes_lighthouse(desk: EditingDesk, album: Album) -> None:
    boat = album.photo("regatta").subjects[0]
    desk.remove(boat, source_shift=(-0.22, 0.0), argument="man-made object")
    desk.splice(album.photo("cape"), at=(0.24, 0.62), scale=0.5)
    desk.save_again(quality=85)


def _house_on_the_pass(desk: EditingDesk, album: Album) -> None:
    desk.splice(album.photo("alps"), at=(0.62, 0.82), scale=0.9, mirrored=True)
    desk.blur(ellipse(desk.size, x=0.62, y=0.82, across=0.2, tall=0.06))


def _two_boats(desk: EditingDesk, album: Album) -> None:
    boat = album.photo("sunset").subjects[0]
    desk.clone(boat, shift=(-0.30, -0.02), argument="man-made object")
    desk.clone(boat, shift=(0.24, 0.05), argument="man-made object")


def _balloon_changes_colour(desk: EditingDesk, album: Album) -> None:
    desk.recolour(album.photo("peak").subjects[0], turn=70)
    desk.blur(ellipse(desk.size, x=0.25, y=0.8, across=0.3, tall=0.12), radius=2)


def _empty_dunes(desk: EditingDesk, album: Album) -> None:
    stone = album.photo("dunes").subjects[0]
    desk.remove(stone, source_shift=(0.17, 0.0), argument="natural object")


def _empty_meadow(desk: EditingDesk, album: Album) -> None:
    desk.remove(album.photo("meadow").subjects[0], source_shift=(0.1, 0.02))
    desk.splice(album.photo("peak"), at=(0.30, 0.34), scale=0.8)


def _no_tree(desk: EditingDesk, album: Album) -> None:
    tree = album.photo("pasture").subjects[0]
    desk.remove(tree, source_shift=(-0.26, 0.0), argument="natural object")


def _no_house(desk: EditingDesk, album: Album) -> None:
    house = album.photo("grove").subjects[0]
    desk.remove(house, source_shift=(-0.2, 0.01), argument="man-made object")


def _boulder_in_the_valley(desk: EditingDesk, album: Album) -> None:
    desk.splice(album.photo("pass"), at=(0.66, 0.86), scale=1.3, argument="natural object")
    desk.brighten(ellipse(desk.size, x=0.66, y=0.8, across=0.25, tall=0.2), factor=0.9)


def _boat_on_the_fjord(desk: EditingDesk, album: Album) -> None:
    desk.splice(album.photo("lake"), at=(0.30, 0.72), scale=0.9)
    desk.save_again(quality=90)


def _gulls(desk: EditingDesk, album: Album) -> None:
    bird = album.photo("shore").subjects[0]
    for shift in ((0.12, -0.06), (0.24, 0.02), (-0.14, 0.05)):
        desk.clone(bird, shift=shift)
    desk.splice(album.photo("bay"), at=(0.62, 0.70))


def _festival(desk: EditingDesk, album: Album) -> None:
    """Many operations on one image, more than two bytes of planes can hold."""
    large, small = album.photo("festival").subjects
    for x, y in ((-0.52, 0.02), (-0.28, -0.06), (0.2, -0.1)):
        desk.clone(small, shift=(x * 0.6 + 0.05, y), argument="man-made object")
    desk.splice(album.photo("peak"), at=(0.50, 0.30), scale=0.55)
    desk.splice(album.photo("caravan"), at=(0.16, 0.50), scale=0.6)
    desk.splice(album.photo("farm"), at=(0.82, 0.74), scale=0.7)
    desk.splice(album.photo("pasture"), at=(0.12, 0.92), scale=0.7, argument="natural object")
    desk.recolour(large, turn=40)
    bird = album.photo("shore")
    for x, y in ((0.42, 0.12), (0.5, 0.16), (0.57, 0.11), (0.85, 0.2)):
        desk.splice(bird, at=(x, y), scale=0.7, argument="natural object")
    for x, y, factor in ((0.4, 0.8, 1.15), (0.55, 0.7, 0.88), (0.7, 0.88, 1.12), (0.3, 0.62, 0.9)):
        desk.brighten(ellipse(desk.size, x=x, y=y, across=0.18, tall=0.12), factor=factor)
    desk.blur(ellipse(desk.size, x=0.82, y=0.76, across=0.2, tall=0.08))
    desk.blur(ellipse(desk.size, x=0.12, y=0.92, across=0.2, tall=0.08))
    desk.clone(large, shift=(0.16, 0.12), argument="man-made object")
    desk.add_noise(seed=3)
    desk.save_again(quality=88)


def _harbour(desk: EditingDesk, album: Album) -> None:
    """Eleven localised operations: two channels of planes."""
    for x, y, scale in (
        (0.14, 0.58, 0.35),
        (0.30, 0.60, 0.4),
        (0.82, 0.66, 0.5),
        (0.47, 0.56, 0.3),
    ):
        desk.splice(album.photo("regatta"), at=(x, y), scale=scale, mirrored=x > 0.4)
    bird = album.photo("shore")
    for x, y in ((0.2, 0.2), (0.28, 0.15), (0.36, 0.19)):
        desk.splice(bird, at=(x, y), scale=0.8, argument="natural object")
    boat = album.photo("bay").subjects[0]
    desk.recolour(boat, turn=95)
    desk.clone(boat, shift=(0.28, 0.16), argument="man-made object")
    desk.brighten(ellipse(desk.size, x=0.6, y=0.85, across=0.4, tall=0.14), factor=1.2)
    desk.blur(ellipse(desk.size, x=0.2, y=0.8, across=0.3, tall=0.1))
    desk.save_again(quality=90)


RECIPES: Mapping[str, Recipe] = {
    "balloon-over-farm": Recipe(
        "farm", _balloon_over_farm, ("festival",), "balloon and second house added"
    ),
    "boat-becomes-lighthouse": Recipe(
        "regatta", _boat_becomes_lighthouse, ("cape",), "boat replaced by a lighthouse"
    ),
    "house-on-the-pass": Recipe("pass", _house_on_the_pass, ("alps",), "house added"),
    "two-boats": Recipe("sunset", _two_boats, (), "boat cloned twice"),
    "balloon-changes-colour": Recipe("peak", _balloon_changes_colour, (), "colours changed"),
    "empty-dunes": Recipe("dunes", _empty_dunes, (), "boulder removed"),
    "empty-meadow": Recipe("meadow", _empty_meadow, ("peak",), "bird replaced by a balloon"),
    "no-tree": Recipe("pasture", _no_tree, (), "tree removed"),
    "no-house": Recipe("grove", _no_house, (), "house removed"),
    "boulder-in-the-valley": Recipe("valley", _boulder_in_the_valley, ("pass",), "boulder added"),
    "boat-on-the-fjord": Recipe("fjord", _boat_on_the_fjord, ("lake",), "second boat added"),
    "gulls": Recipe("shore", _gulls, ("bay",), "gulls and boat added"),
    "festival": Recipe("festival", _festival, ("peak",), "many balloons added"),
    "harbour": Recipe("bay", _harbour, ("regatta",), "many boats added"),
}

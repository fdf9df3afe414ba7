"""Probes of the sample: an image, what was done to it, and the rows it gets in NIST's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import BoolImage, RgbImage, Size
from forensicviewer.sources.sample.album import RECIPES, SHOTS, Album, donor_area
from forensicviewer.sources.sample.editing import Edited, Step, step_colour
from forensicviewer.sources.sample.writing import Folder, Row, identity


@dataclass(frozen=True, slots=True)
class SampleMedia:
    """An image file of a dataset: its id, its name within the dataset, its upright size."""

    id: str
    name: str
    size: Size
    byte_count: int

    def cells(self, who: str) -> Row:
        return {
            f"{who}FileID": self.id,
            f"{who}FileName": self.name,
            f"{who}Width": str(self.size.width),
            f"{who}Height": str(self.size.height),
            f"{who}FileSize": str(self.byte_count),
        }


@dataclass(frozen=True, slots=True, eq=False)
class SampleProbe:
    """A probe; ``edited`` is ``None`` where nothing was done to it."""

    media: SampleMedia
    story: str
    camera: str
    edited: Edited | None = None
    base: str = ""

    @property
    def is_target(self) -> bool:
        return self.edited is not None

    @property
    def journal(self) -> str:
        return identity("journal", self.media.id) if self.is_target else ""

    @property
    def area(self) -> BoolImage:
        if self.edited is not None:
            return self.edited.area
        return np.zeros((self.media.size.height, self.media.size.width), dtype=np.bool_)

    def reference_cells(self) -> Row:
        """The cells every reference table has."""
        target = {"BaseFileName": self.base, "JournalName": self.journal} if self.is_target else {}
        return {
            "ProbeFileID": self.media.id,
            "ProbeFileName": self.media.name,
            "ProbeBrowserFileName": self.media.name.removeprefix("probe/"),
            "BaseBrowserFileName": self.base.removeprefix("world/"),
            "IsTarget": "Y" if self.is_target else "N",
            **target,
        }


CAMERAS = ("PIN-0", "PIN-1", "PIN-2", "PIN-3")


@dataclass(slots=True)
class Collection:
    """A dataset being made: where it is, how its images are called, how large they are."""

    folder: Folder
    name: str
    album: Album
    count: int = 0

    def media(
        self, pixels: RgbImage, *, place: str, suffix: str, camera: str, orientation: int = 1
    ) -> SampleMedia:
        """Write an image under the next free id."""
        self.count += 1
        media_id = f"{self.name}_{1000 + self.count}"
        name = f"{place}/{media_id}{suffix}"
        byte_count = self.folder.picture(name, pixels, camera=camera, orientation=orientation)
        return SampleMedia(media_id, name, Size.of(pixels), byte_count)

    def manipulated(
        self, recipe: str, *, suffix: str = ".jpg", orientation: int = 1
    ) -> SampleProbe:
        edited = self.album.edited(recipe)
        base = self.untouched(RECIPES[recipe].base, place="world")
        media = self.media(
            edited.pixels,
            place="probe",
            suffix=suffix,
            camera=base.camera,
            orientation=orientation,
        )
        return SampleProbe(media, recipe, base.camera, edited, base.media.name)

    def untouched(self, shot: str, *, place: str = "probe") -> SampleProbe:
        photo = self.album.photo(shot)
        camera = camera_of(shot)
        media = self.media(photo.pixels, place=place, suffix=".jpg", camera=camera)
        return SampleProbe(media, shot, camera)


def camera_of(shot: str) -> str:
    return CAMERAS[SHOTS[shot].camera]


@dataclass(frozen=True, slots=True, eq=False)
class SpliceProbe:
    """A splice trial: a probe and an image it may have taken something from."""

    probe: SampleProbe
    donor: SampleMedia
    is_target: bool

    @property
    def probe_area(self) -> BoolImage:
        """What came from the donor, if anything did."""
        splices = [step for step in self.steps if step.operation == "PasteSplice"]
        if not self.is_target or not splices or splices[0].area is None:
            return np.zeros_like(self.probe.area)
        return splices[0].area

    @property
    def donor_area(self) -> BoolImage:
        if not self.is_target:
            return np.zeros((self.donor.size.height, self.donor.size.width), dtype=np.bool_)
        return donor_area(self.probe.story, self.donor.size)

    @property
    def steps(self) -> Sequence[Step]:
        return self.probe.edited.steps if self.probe.edited else ()


def journal_steps(probe: SampleProbe) -> Iterator[tuple[Row, Step, int | None]]:
    """(cells that identify the step, the step, its number among the localised ones), latest first.

    ``Sequence`` counts from the finished image backwards.
    """
    if probe.edited is None:
        return
    localised = 0
    steps = probe.edited.steps
    for back, step in enumerate(reversed(steps)):
        order = len(steps) - back
        cells = {
            "JournalName": probe.journal,
            "StartNodeID": f"{probe.journal}-{order - 1:02d}",
            "EndNodeID": f"{probe.journal}-{order:02d}",
            "Sequence": str(back + 1),
        }
        yield cells, step, None if step.area is None else localised
        localised += step.area is not None


def join_rows(probes: Iterable[SampleProbe], *, with_planes: bool) -> Iterator[Row]:
    """probejournaljoin: which steps concern which probe."""
    for probe in probes:
        for cells, _, number in journal_steps(probe):
            plane = {"BitPlane": str(number + 1)} if with_planes and number is not None else {}
            yield {"ProbeFileID": probe.media.id, **cells, **plane}


def step_rows(probes: Iterable[SampleProbe]) -> Iterator[Row]:
    """journalmask: what each step was, and its colour or plane."""
    for probe in probes:
        for cells, step, number in journal_steps(probe):
            localised = (
                {"BitPlane": "None"}
                if number is None
                else {
                    "Color": " ".join(map(str, step_colour(number))),
                    "BitPlane": str(number + 1),
                }
            )
            yield {
                **cells,
                "Operation": step.operation,
                "Purpose": step.purpose,
                "OperationArgument": step.argument,
                "PlugInArguments": "{}",
                **localised,
            }


_YES = {True: "yes", False: "no"}


def kinds(probe: SampleProbe) -> Row:
    """What was done to a probe, in the words of the reference tables' extra columns."""
    purposes = {step.purpose for step in probe.edited.steps} if probe.edited else set()
    names = {step.operation for step in probe.edited.steps} if probe.edited else set()
    count = len(probe.edited.steps) if probe.edited else 0
    return {
        "ProjectDescription": RECIPES[probe.story].about if probe.is_target else "",
        "ProjectType": "image",
        "ManipulationCategory": f"{count}-Unit" if count else "",
        "Remove": _YES["remove" in purposes],
        "Splice": _YES["PasteSplice" in names],
        "Clone": _YES["PasteSampled" in names],
        "BlurLocal": _YES["BlurLocal" in names],
        "PostProcessing": "noise" if "AddNoise" in names else "none",
        "PostprocessCompression": _YES["OutputJpg" in names],
        "SpatialSplice": _YES["PasteSplice" in names],
        "SpatialClone": _YES["PasteSampled" in names],
        "SpatialRemove": _YES["remove" in purposes],
        "ImageCompression": "double" if "OutputJpg" in names else "single",
        "AntiforensicNoiseRestoration": _YES["AddNoise" in names],
        "Natural": _YES[not probe.is_target],
    }

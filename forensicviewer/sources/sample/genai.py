"""A small GenAI evaluation: photographs, images of three generators, and three systems' outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core import genai
from forensicviewer.core.array import Floats, RgbImage, Size
from forensicviewer.sources.sample.objects import Thing
from forensicviewer.sources.sample.photo import Shot, Subject, take
from forensicviewer.sources.sample.scenery import EVENING, MORNING, NOON, OVERCAST
from forensicviewer.sources.sample.terrain import Land
from forensicviewer.sources.sample.writing import Folder, Row

_SIZE = Size(384, 256)
_PER_SET = 10  # photographs, and as many generated images
_LIGHTS = (NOON, MORNING, EVENING, OVERCAST)
_LANDS = (Land.HILLS, Land.COAST, Land.MOUNTAINS, Land.DESERT)
_THINGS = (Thing.HOUSE, Thing.BALLOON, Thing.SAILBOAT, Thing.BOULDER, Thing.LIGHTHOUSE)
_INDEX, _REFERENCE = "genai25_Image-D_dryrun_index.csv", "genai25_Image-D_dryrun_ref.csv"
_GENERATOR, _LAND = "Generator", "Landscape"
_README = """# Sample of a GenAI image discriminator evaluation

Painted by forensicviewer from a fixed seed; no image is a real photograph or from a real
generator. Each of the three sets holds ten "photographs" and ten "generated" images.

* `genai25_Image-D_dryrun_index.csv`: the trials (plan of 2025, section 3.1)
* `genai25_Image-D_dryrun_ref.csv`: which of them are AI-generated, by IsTarget
* `files/`: the images
"""


@dataclass(frozen=True, slots=True)
class _Image:
    """One trial: its file, its set, and who made the image; nobody made a photograph."""

    file: str
    dataset: str
    generator: str
    shot: Shot

    @property
    def is_ai(self) -> bool:
        return bool(self.generator)


@dataclass(frozen=True, slots=True)
class _System:
    """A system output: who sent it, and its scores from how plainly each image shows its origin."""

    file: str
    site: str
    version: str
    score: Callable[[Floats], Floats]
    noise: float


def write_genai(dataset: Folder, submissions: Folder) -> None:
    """Write the dataset and the outputs of its systems."""
    images = list(_images())
    dataset.text("README.md", _README)
    dataset.table(_INDEX, genai.INDEX_COLUMNS, map(_index_row, images))
    columns = (*genai.INDEX_COLUMNS, genai.TARGET, _GENERATOR, _LAND)
    dataset.table(_REFERENCE, columns, map(_reference_row, images))
    for image in images:
        dataset.picture(f"files/{image.file}", _pixels(image))
    for number, system in enumerate(_SYSTEMS):
        scores = _scores(images, system, np.random.default_rng([2025, number]))
        submissions.table(system.file, genai.OUTPUT_COLUMNS, _answers(images, system, scores))


def _images() -> Iterator[_Image]:
    """Photographs and generated images in an order that tells nothing about them."""
    made = [
        (name, generator)
        for name in _GENERATORS
        for generator in (*("",) * _PER_SET, *(name,) * _PER_SET)
    ]
    order = np.random.default_rng(2025).permutation(len(made)).tolist()
    for number, place in enumerate(order, start=1):
        name, generator = made[place]
        yield _Image(
            f"file_{number:04d}.webp", f"GenAI25-{name}-Image-set1", generator, _shot(place)
        )


def _shot(number: int) -> Shot:
    land = _LANDS[number % len(_LANDS)]
    things = [thing for thing in _THINGS if land is Land.COAST or thing is not Thing.SAILBOAT]
    subject = Subject(
        things[number % len(things)], 0.25 + 0.5 * (number * 7 % 11) / 10, 0.74, 0.24, number % 3
    )
    return Shot(number + 3, land, _LIGHTS[number // 4 % len(_LIGHTS)], (subject,), number % 3)


def _pixels(image: _Image) -> RgbImage:
    photograph = take(image.shot, _SIZE).pixels
    if not image.is_ai:
        return photograph
    return _GENERATORS[image.generator](photograph, image.shot.seed)


def _smooth(pixels: RgbImage, _seed: int) -> RgbImage:
    """Brush-like surfaces in strong colours, without a sensor's noise: easy to tell."""
    flat = pixels
    for _ in range(3):
        flat = np.asarray(cv2.bilateralFilter(flat, 9, 42, 7), np.uint8)
    colours = np.asarray(cv2.cvtColor(flat, cv2.COLOR_RGB2HSV), np.float32)
    colours[..., 1] = np.clip(colours[..., 1] * 1.5, 0, 255)
    return np.asarray(cv2.cvtColor(colours.astype(np.uint8), cv2.COLOR_HSV2RGB), np.uint8)


def _upsampled(pixels: RgbImage, seed: int) -> RgbImage:
    """Few pixels made many, with the grid that leaves and a part that repeats."""
    small = cv2.resize(pixels, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    large = np.asarray(cv2.resize(small, (_SIZE.width, _SIZE.height)), np.float32)
    y, x = np.mgrid[0 : _SIZE.height, 0 : _SIZE.width]
    large += (5.0 * ((x + y) % 2) - 2.5)[..., np.newaxis]
    left = 20 + seed * 13 % 120
    large[150:230, left + 130 : left + 230] = large[150:230, left : left + 100]
    return _as_bytes(large)


def _denoised(pixels: RgbImage, seed: int) -> RgbImage:
    """The photograph with the noise of another sensor: hard to tell."""
    clean = np.asarray(cv2.GaussianBlur(pixels, (0, 0), 0.7), np.float32)
    noise = np.random.default_rng([seed, 5]).standard_normal(clean.shape[:2])
    return _as_bytes(clean + 2.0 * noise[..., np.newaxis])


def _as_bytes(values: NDArray[np.float64] | NDArray[np.float32]) -> RgbImage:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


_GENERATORS: Mapping[str, Callable[[RgbImage, int], RgbImage]] = {
    "G1": _smooth,
    "G2": _upsampled,
    "G3": _denoised,
}
# How plainly an image shows what it is, in standard deviations of a good system's noise.
_PLAINNESS = {"G1": 2.6, "G2": 1.9, "G3": -0.4, "": -1.7}


def _scores(images: list[_Image], system: _System, random: np.random.Generator) -> Floats:
    plainness = np.array([_PLAINNESS[image.generator] for image in images])
    # The same images are odd for every system, as they are in life.
    shared = np.random.default_rng(7).standard_normal(len(images))
    own = system.noise * random.standard_normal(len(images))
    scores = np.clip(system.score(plainness + 0.8 * shared + own), 0, 1)
    return np.asarray(np.round(scores, 4), np.float64)


def _logistic(evidence: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-1.6 * evidence)), np.float64)


_SYSTEMS = (
    _System("GenAI25_image_d_good_v1_cutoff-50.csv", "D-Good", "v1", _logistic, 1.6),
    _System("GenAI25_image_d_good_v2_cutoff-50.csv", "D-Good", "v2", _logistic, 0.5),
    _System(
        "GenAI25_image_d_miscalibrated_cutoff-85.csv",
        "D-Miscalibrated",
        "v1",
        # Ranks well, but is sure of everything: its scores are no probabilities.
        lambda evidence: np.asarray(0.7 + 0.3 * _logistic(evidence), np.float64),
        0.7,
    ),
    _System(
        "GenAI25_image_d_inverted_cutoff-50.csv",
        "D-Inverted",
        "v1",
        lambda evidence: np.asarray(1 - _logistic(evidence), np.float64),
        0.7,
    ),
)


def _index_row(image: _Image) -> Row:
    return {genai.DATASET: image.dataset, genai.TASK: "detection", genai.FILE: image.file}


def _reference_row(image: _Image) -> Row:
    facts = {
        genai.TARGET: "Y" if image.is_ai else "N",
        _GENERATOR: image.generator,
        _LAND: image.shot.land.name.lower(),
    }
    return {**_index_row(image), **facts}


def _answers(images: list[_Image], system: _System, scores: Floats) -> Iterator[Row]:
    for image, score in zip(images, scores.tolist(), strict=True):
        yield {
            **_index_row(image),
            genai.DISCRIMINATOR: system.site,
            genai.VERSION: system.version,
            genai.SCORE: repr(score),
        }

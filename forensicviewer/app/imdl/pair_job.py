"""Measures one prediction against its reference: the job a worker does, and how it is kept."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.app.masks.counting import (
    CountedAnswer,
    CountingJob,
    CountOutcome,
    count_in_bundles,
)
from forensicviewer.core.array import BoolImage, Counts, Size
from forensicviewer.core.imdl.geometry import Geometry, geometry_of
from forensicviewer.core.imdl.pixel_scores import measure
from forensicviewer.core.mask import Region
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.score import LEVELS, Confusion, LevelCounts
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.decoders.limits import is_out_of_memory
from forensicviewer.sources.imdl.checks import compare
from forensicviewer.sources.imdl.masks import ReadMap, read_area, read_map
from forensicviewer.sources.imdl.pair import MaskRule
from forensicviewer.sources.media.headers import read_header

_TABLE_SHAPE = (len(Region), LEVELS)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairAnswer(CountedAnswer):
    """What was measured; ``score`` is the image-level score of the archive, where it has one."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    confusion: Confusion = field(default_factory=lambda: Confusion(0, 0, 0, 0))
    geometry: str = ""
    score: float | None = None
    peak: float = math.nan
    mean: float = math.nan

    def packed(self) -> bytes:
        found = self.confusion
        head = {
            "outcome": self.outcome.value,
            "detail": self.detail,
            "hint": self.hint,
            "numbers": {
                key: None if math.isnan(value) else value for key, value in self.numbers.items()
            },
            "confusion": [found.tp, found.fp, found.fn, found.tn],
            "geometry": self.geometry,
            "score": self.score,
            "extent": [None if math.isnan(value) else value for value in (self.peak, self.mean)],
            "counted": self.counts is not None,
        }
        table = b"" if self.counts is None else self.counts.table.astype("<i8").tobytes()
        return zlib.compress(json.dumps(head).encode() + b"\n" + table, level=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJob(CountingJob[PairAnswer]):
    """One image: ``reference`` is its mask, or the authentic image itself where ``rule`` is none.

    ``image`` has the size the mask must have.
    """

    version: ClassVar[object] = "imdl 2"

    image: Path
    rule: MaskRule | None
    is_inverted: bool
    threshold: float
    squares_are: Geometry
    polygons: str = ""

    def options(self) -> list[object]:
        try:
            state = self.image.stat()
            stamp = [state.st_size, state.st_mtime_ns]
        except OSError:
            stamp = []
        rule = None if self.rule is None else self.rule.value
        own = [self.is_inverted, self.threshold, self.squares_are.value]
        return [rule, *own, self.polygons, *stamp]

    def count(self) -> PairAnswer:
        try:
            return _measure_some((self,))[0]
        except ForensicViewerError:
            # With one file after the other it is known which one a decoder fails at.
            return _measured(self)

    @classmethod
    def count_together(cls, jobs: Sequence[PairJob]) -> list[PairAnswer]:
        return count_in_bundles(jobs, _measure_some)

    def failed(self, why: str) -> PairAnswer:
        return PairAnswer(outcome=CountOutcome.DIED, detail=why)

    def unpacked(self, payload: bytes) -> PairAnswer | None:
        try:
            head, _, body = zlib.decompress(payload).partition(b"\n")
            facts = json.loads(head)
            counts = None
            if facts["counted"]:
                table: Counts = np.frombuffer(body, "<i8").reshape(_TABLE_SHAPE).astype(np.int64)
                counts = LevelCounts(table, 0, 0)
            peak, mean = (math.nan if value is None else value for value in facts["extent"])
            return PairAnswer(
                outcome=CountOutcome(facts["outcome"]),
                counts=counts,
                detail=facts["detail"],
                hint=facts["hint"],
                numbers={
                    key: math.nan if value is None else value
                    for key, value in facts["numbers"].items()
                },
                confusion=Confusion(*facts["confusion"]),
                geometry=facts["geometry"],
                score=facts["score"],
                peak=peak,
                mean=mean,
            )
        except (zlib.error, ValueError, KeyError, TypeError):
            return None


class UnfitError(ForensicViewerError):
    """A mask does not fit its image."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadPair:
    """The prediction and the reference at the size they are scored at.

    ``area`` is the whole reference; ``scored`` is the part or the size of it that is compared with
    ``values``, the prediction without what was padded.
    """

    prediction: ReadMap
    values: NDArray[Any]
    area: BoolImage
    scored: BoolImage
    geometry: Geometry

    @property
    def size(self) -> Size:
        """The size of the prediction as it was saved."""
        return Size.of(self.prediction.values)


def read_reference(job: PairJob) -> BoolImage:
    """The manipulated pixels at the size of the image; raises where the mask does not fit."""
    assert job.reference is not None
    size = read_header(job.image).size
    if job.rule is None:
        if size is None:
            raise UnfitError("The size of the image is unknown", where=job.image)
        return np.zeros((size.height, size.width), np.bool_)
    area = read_area(job.reference, job.rule, size=size, polygons=job.polygons)
    found = Size.of(area)
    if size is not None and found != size:
        raise UnfitError(
            f"The mask is {found}, but its image {size}: {compare(found, size)}",
            where=job.reference,
            hint="IMDL-BenCo stops here; correct the mask",
        )
    return area


def read_pair(job: PairJob, area: BoolImage) -> ReadPair:
    """The prediction, and the reference cut or resized to it as IMDL-BenCo scores."""
    assert job.system is not None
    prediction = read_map(job.system, is_inverted=job.is_inverted)
    own = Size.of(prediction.values)
    geometry = geometry_of(own, Size.of(area), squares_are=job.squares_are)
    values, scored = prediction.values, area
    if geometry is Geometry.PADDED:
        values = np.ascontiguousarray(values[: area.shape[0], : area.shape[1]])
        scored = area[: own.height, : own.width]
    elif geometry is Geometry.RESIZED:
        small = cv2.resize(
            area.view(np.uint8), (own.width, own.height), interpolation=cv2.INTER_NEAREST
        )
        scored = np.asarray(small) > 0
    return ReadPair(prediction, values, area, scored, geometry)


@decoded_apart
def _measure_some(jobs: tuple[PairJob, ...]) -> tuple[PairAnswer, ...]:
    """Read and measure where the files are decoded, so that only numbers travel."""
    return tuple(map(_measured, jobs))


def _measured(job: PairJob) -> PairAnswer:
    try:
        area = read_reference(job)
    except (ForensicViewerError, OSError) as error:
        is_unfit = isinstance(error, UnfitError)
        return _failure(
            CountOutcome.WRONG_SIZE if is_unfit else CountOutcome.BROKEN_REFERENCE, error
        )
    try:
        pair = read_pair(job, area)
    except (ForensicViewerError, OSError) as error:
        return _failure(CountOutcome.UNREADABLE, error)
    found = measure(pair.values, pair.scored, threshold=job.threshold)
    return PairAnswer(
        outcome=CountOutcome.COUNTED,
        counts=found.levels,
        numbers=found.numbers,
        confusion=found.confusion,
        geometry=pair.geometry.label(pair.size),
        score=pair.prediction.score,
        peak=found.peak,
        mean=found.mean,
    )


def _failure(outcome: CountOutcome, error: ForensicViewerError | OSError) -> PairAnswer:
    if is_out_of_memory(error):
        # Not the file's fault alone: whoever asked knows the limit.
        raise error
    if isinstance(error, ForensicViewerError):
        return PairAnswer(outcome=outcome, detail=error.message, hint=error.hint)
    return PairAnswer(outcome=outcome, detail=error.strerror or str(error))

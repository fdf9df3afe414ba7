"""Reads an image, its mask and predictions for it into what the panes show.

The questions are those of ``score imdl``. A prediction smaller than its image is shown anchored at
the upper left, the margin as a no-score zone; one of another shape is stretched for the eye alone,
and says so: its numbers are counted at its own size.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from forensicviewer.app.imdl.pair_job import PairJob, ReadPair, read_pair, read_reference
from forensicviewer.app.imdl.question import NO_PREDICTION, ask
from forensicviewer.app.imdl.settings import ImdlSettings
from forensicviewer.app.language.words import to_translate
from forensicviewer.app.masks.question import Question
from forensicviewer.app.workbench.drawn import Attempt, DrawnMask, DrawnPicture
from forensicviewer.app.workbench.imdl_layers import layer_names, read_layer, stretched
from forensicviewer.app.workbench.loaded_trial import (
    FileStamp,
    ImageBeside,
    LoadedSide,
    LoadedSystem,
    LoadedTrial,
    SystemRequest,
    TrialRequest,
)
from forensicviewer.core.array import BoolImage, Size, U8Image
from forensicviewer.core.imdl.geometry import Geometry
from forensicviewer.core.imdl.pixel_scores import NO_KERNELS, as_levels, band_counts, regions_of
from forensicviewer.core.mask import ReferenceMask
from forensicviewer.core.model import Side
from forensicviewer.core.overlay import OutcomePyramid
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.core.score import LevelCounts, ThresholdSweep
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import read_image

# Short, because they lie over the image; its size stands above it.
_ANCHORED = to_translate("Map of {prediction}, aligned at the upper left")
_STRETCHED = to_translate("Map of {prediction}, scored at its own size, stretched for display")
_NO_REFERENCE = to_translate("The dataset has no reference mask for this trial")
_AUTHENTIC = to_translate("Not manipulated, so there is no reference mask")


def load_imdl_trial(request: TrialRequest) -> LoadedTrial:
    """Read every file of a trial, two at a time, and score it."""
    log = ProblemLog(trial=request.trial.id)
    alone = ask(request.task, None, request.trial, ImdlSettings())
    systems = [_SystemReader(request, system) for system in request.systems]
    picture: Attempt[DrawnPicture] = Attempt()
    reference: Attempt[BoolImage] = Attempt()
    stamps = _stamps([alone, *(system.question for system in systems)])
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="fv-read") as pool:
        first = pool.submit(picture.make, lambda: _read_picture(request))
        if alone.job is not None:
            job = alone.job
            reference.make(lambda: read_reference(job))
        for system in systems:
            system.read(reference.found)
        first.result()
    errors = [picture.error, reference.error, *(system.attempt.error for system in systems)]
    log.extend(error.as_problem() for error in errors if error is not None)
    side = LoadedSide(
        Side.PROBE,
        request.trial.probe,
        reason=picture.reason,
        question=alone,
        reference_reason=reference.reason or _without_reference(request),
    )
    is_marked = request.trial.is_target is not False
    side = _with_reference(side, reference.found, is_marked=is_marked)
    side = replace(side, systems=tuple(system.loaded(reference.found) for system in systems))
    side = replace(side, beside=_layers(request, systems, side))
    if picture.found is not None:
        side = picture.found.under(side, None if side.regions is None else side.regions.size)
    return LoadedTrial(request, side, None, log.freeze(), stamps)


def _layers(
    request: TrialRequest, systems: list[_SystemReader], side: LoadedSide
) -> dict[str, ImageBeside]:
    """The further maps that panes show, where their prediction has them."""
    found = {}
    for key, name in request.beside:
        number = int(key.split(" ")[1])
        if number < len(systems) and systems[number].question.job is not None:
            image = side.regions.size if side.regions is not None else None
            read = read_layer(request.systems[number], systems[number].question, name, image)
            found.update({} if read is None else {key: read})
    return found


class _SystemReader:
    """Reads the prediction of one system."""

    def __init__(self, request: TrialRequest, system: SystemRequest) -> None:
        self._system = system
        self.question = ask(request.task, system.submission, request.trial, ImdlSettings())
        self.attempt: Attempt[ReadPair] = Attempt()

    def read(self, area: BoolImage | None) -> None:
        job = self.question.job
        if job is not None and job.system is not None and area is not None:
            self.attempt.make(lambda: read_pair(job, area))

    def loaded(self, area: BoolImage | None) -> LoadedSystem:
        question, name, answer = self.question, self._system.name, self._system.answer
        pair = self.attempt.found
        if pair is None or area is None:
            reason = self.attempt.reason or question.why or NO_PREDICTION
            return LoadedSystem(
                name,
                answer,
                question,
                failure=self.attempt.reason,
                reason=reason,
                reason_parts=question.why_parts,
            )
        shown = _over_image(pair)
        regions = regions_of(area, scored=_scored_part(pair), kernels=NO_KERNELS)
        levels = as_levels(pair.values)
        sweep = ThresholdSweep(
            LevelCounts.of(levels, regions_of(pair.scored, scored=None, kernels=NO_KERNELS))
        )
        # Worked out when first asked for, which must not be when the window draws its curve.
        _ = sweep.optimum, sweep.auc, sweep.eer
        # The margin is no score of the system's: it is hatched, not black.
        drawn = DrawnMask.of(levels if pair.geometry is Geometry.PADDED else shown)
        reason, parts = _describe_geometry(pair)
        return LoadedSystem(
            name,
            answer,
            question,
            scores=shown,
            means=drawn.means,
            peaks=drawn.peaks,
            regions=regions,
            sweep=sweep,
            outcomes=OutcomePyramid.of(regions.codes, shown),
            reason=reason,
            reason_parts=parts,
            layers=layer_names(self._system, pair.prediction),
            beyond_band=band_counts(levels, pair.scored) if pair.scored.any() else None,
        )


def _over_image(pair: ReadPair) -> U8Image:
    """The levels at the size of the image."""
    levels, image = as_levels(pair.values), Size.of(pair.area)
    if pair.geometry is Geometry.PADDED:
        whole = np.zeros(pair.area.shape, np.uint8)
        whole[: levels.shape[0], : levels.shape[1]] = levels
        return whole
    if pair.geometry is Geometry.RESIZED:
        return stretched(levels, image)
    return levels


def _scored_part(pair: ReadPair) -> BoolImage | None:
    if pair.geometry is not Geometry.PADDED:
        return None
    scored = np.zeros(pair.area.shape, np.bool_)
    scored[: pair.scored.shape[0], : pair.scored.shape[1]] = True
    return scored


def _describe_geometry(pair: ReadPair) -> tuple[str, dict[str, str]]:
    if pair.geometry is Geometry.OWN:
        return "", {}
    said = _ANCHORED if pair.geometry is Geometry.PADDED else _STRETCHED
    return said, {"prediction": str(pair.size)}


def _with_reference(side: LoadedSide, area: BoolImage | None, *, is_marked: bool) -> LoadedSide:
    if area is None:
        return side
    reference = ReferenceMask.from_area(area)
    return replace(
        side,
        reference=reference if is_marked else None,
        reference_reason="" if is_marked else side.reference_reason,
        scored=reference,
        operations=Pyramid.of(reference.operation_index(), Reduce.MAX) if is_marked else None,
        regions=regions_of(area, scored=None, kernels=NO_KERNELS),
    )


def _without_reference(request: TrialRequest) -> str:
    return _AUTHENTIC if request.trial.is_target is False else _NO_REFERENCE


def _read_picture(request: TrialRequest) -> DrawnPicture:
    picture = read_image(resolve(Path(request.task.root), request.trial.probe.name))
    return DrawnPicture.of(picture, picture.pixels)


def _stamps(questions: list[Question[PairJob]]) -> tuple[FileStamp, ...]:
    jobs = [question.job for question in questions if question.job is not None]
    files = dict.fromkeys(file for job in jobs for file in (*job.files, job.image))
    return tuple(FileStamp.of(file) for file in files)

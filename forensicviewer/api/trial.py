"""One trial as arrays and tables: its images, masks and regions, and its score at every threshold.

Everything is in the dataset's own terms. NIST's masks are black where manipulated, and a pixel is
called manipulated at the threshold ``t`` where ``system <= t``.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from forensicviewer.api.arguments import choices_of, make_settings, require, texts_of, whole
from forensicviewer.api.dataset import Submission, Task
from forensicviewer.api.frames import problem_table
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.plugins.lenses import LENSES, lens_named, look_through
from forensicviewer.app.video.frames import VideoMedia, load_frame, open_media
from forensicviewer.app.workbench.lens_work import lens_image
from forensicviewer.app.workbench.loaded_trial import (
    LoadedSide,
    LoadedSystem,
    LoadedTrial,
    TrialRequest,
    empty_mask,
)
from forensicviewer.app.workbench.trial_reader import load_trial as read_trial
from forensicviewer.core import model
from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.core.cached import cached_property
from forensicviewer.core.problem import ScoringError, UnsafePathError, UsageError
from forensicviewer.core.score import LEVELS, ThresholdSweep
from forensicviewer.sources.files.paths import resolve

if TYPE_CHECKING:
    import pandas as pd

    from forensicviewer.core.problem import Problem


def load_trial(
    task: Task,
    submission: Submission | None,
    trial_id: str,
    *,
    frame: int | None = None,
    operations: Collection[str] | None = None,
    rules: str = "mediscore",
    rule: str | Iterable[str] = (),
    kernel: str = "box",
    erode: int = 15,
    dilate: int = 11,
    distraction: int | None = None,
    bit_planes: bool = False,
    opt_out_pixels: bool = False,
) -> Trial:
    """Read the files of one trial and score it, exactly as ``score`` and the window do.

    A splice's id is ``"probe+donor"``; ``task.trial_ids`` lists all of them. Of a video one frame
    is loaded: ``frame`` counts from 0, as in ``fv.open_video(path)[frame]``. ``operations`` are the
    names of those that are scored, all others being a no-score zone. Everything else means what it
    means for :func:`score`, with the same defaults. Without a submission (``None``) there are only
    the images and the reference.

    ::

        trial = fv.load_trial(task, submission, "MFC2019_1002")
        called = trial.system <= 128
        hits = (called & (trial.regions == fv.Region.MANIPULATED)).sum()   # trial.sweep.TP[128]
    """
    options = {
        "rules": rules,
        "rule": choices_of(rule, scorer="mask"),
        "kernel": kernel,
        "erode": erode,
        "dilate": dilate,
        "distraction": distraction,
        "bit_planes": bit_planes,
        "opt_out_pixels": opt_out_pixels,
    }
    settings = make_settings(MaskSettings.from_options, options)
    trial = find_trial(task, trial_id)
    if submission is not None:
        require(submission, Submission, hint="task.open_submission(path) returns one")
    submissions = () if submission is None else (submission.model,)
    return _read(_requested(task.model, trial, submissions, settings, operations), frame)


def _requested(
    task: model.Task,
    trial: model.Trial,
    submissions: tuple[model.Submission, ...],
    settings: MaskSettings,
    operations: Collection[str] | None,
) -> TrialRequest:
    return TrialRequest.of(
        task,
        trial,
        submissions,
        kernels=settings.kernels(task.kind),
        selected=_selected(trial, operations),
        uses_bit_planes=settings.bit_planes,
        honours_opt_out=settings.opt_out_pixels,
        rules=settings.rules,
    )


def _read(request: TrialRequest, frame: int | None) -> Trial:
    if request.task.kind is model.TaskKind.VIDEO:
        return _load_frame(request, frame)
    if frame is not None:
        raise UsageError(f"The trial {request.trial.id} is not a video", hint="omit frame")
    loaded = read_trial(request)
    return Trial(loaded, loaded.problems)


def lenses() -> pd.DataFrame:
    """The lenses there are, one row a value that can be set: name, title, value, default, range.

    A lens without values has one row. ``trial.lens("ela", quality=85)`` looks through one.
    """
    import pandas as pd

    columns = ("Lens", "Title", "Value", "Default", "Least", "Most")
    rows = [
        (lens.name, lens.title, each.name, each.default, each.least, each.most)
        for lens in LENSES
        for each in lens.parameters
    ]
    rows += [(lens.name, lens.title, "", 0, 0, 0) for lens in LENSES if not lens.parameters]
    return pd.DataFrame(rows, columns=list(columns))


def find_trial(task: Task, trial_id: str) -> model.Trial:
    """The trial of a task with this id; one that is not there is refused with those like it."""
    require(task, Task, hint="dataset.task(name) returns one")
    wanted = model.TrialId(require(trial_id, str, hint="the id of a trial"))
    found = task.model.find_trial(wanted)
    if found is not None:
        return found
    near = difflib.get_close_matches(str(trial_id), task.trial_ids, n=3)
    raise UsageError(
        f"The task {task.name} does not contain the trial {trial_id!r}",
        where=task.model.root,
        hint=f"did you mean {' or '.join(near)}?"
        if near
        else f"its trials are {', '.join(task.trial_ids[:3])} …",
        rule="trial.unknown",
    )


def _selected(trial: model.Trial, names: Collection[str] | None) -> frozenset[int] | None:
    if names is None:
        return None
    wanted = set(texts_of("operations", names))
    known = [operation.name for operation in trial.operations]
    unknown = sorted(wanted - set(known))
    if unknown:
        raise UsageError(
            f"The trial {trial.id} has no operation {unknown[0]!r}",
            hint="it has " + (", ".join(dict.fromkeys(known)) or "none"),
        )
    return frozenset(number for number, name in enumerate(known) if name in wanted)


def _load_frame(request: TrialRequest, frame: int | None) -> Trial:
    number = None if frame is None else whole("frame", frame)
    media = open_media(request)
    try:
        if number is None:
            masked = [number - 1 for number in media.masked_frames()]
            raise UsageError(
                f"The trial {request.trial.id} is a video, of which one frame is loaded",
                hint=f"give a frame, as frame={masked[0] if masked else 0}",
            )
        loaded = load_frame(media, request, _counted_from_start(number, media, request.trial) + 1)
        return Trial(loaded, (*media.problems, *loaded.problems))
    finally:
        media.close()


def _counted_from_start(number: int, media: VideoMedia, trial: model.Trial) -> int:
    """A frame as lists count them: -1 is the last one."""
    if media.video is None:
        return number
    count = len(media.video.load_index())
    if -count <= number < count:
        return number % count
    raise UsageError(
        f"The video of {trial.id} has no frame {number}", hint=f"its frames are 0 to {count - 1}"
    )


def _read_only(pixels: U8Image) -> U8Image:
    """What the trial itself goes on using: changed, it would no longer be what was scored."""
    shown = pixels.view()
    shown.flags.writeable = False
    return shown


class TrialSide:
    """The probe or the donor of a trial: image, masks, regions, and the score at every threshold.

    What is not there raises a :class:`ForensicViewerError` that says why. In NIST's datasets black
    (0) is manipulated, and at the threshold ``t`` (-1 … 255) pixels with ``system <= t`` are called
    so; elsewhere white is, and those with ``system > t`` are. Arrays are read-only: draw on a
    ``copy()``.
    """

    def __init__(self, side: LoadedSide, request: TrialRequest) -> None:
        self._side = side
        self._request = request

    @property
    def is_scored(self) -> bool:
        """Whether there is a ``sweep``; ``note`` says why not."""
        return bool(self._side.systems) and self._system.sweep is not None

    @property
    def note(self) -> str:
        """Why the system mask is not scored, or is scored as an empty one; blank where it is."""
        if not self._side.systems:
            return _NO_SUBMISSION
        return self._system.why or ("" if self.is_scored else "The trial is not scored")

    @property
    def image(self) -> RgbImage:
        """The image as the panes show it: (height, width, 3), red first.

        It lies as the masks do: upright, or as stored where only that has their size.
        """
        if self._side.media.is_hidden:
            raise UsageError(
                "The images of this test set are hidden",
                where=self._request.task.root,
                hint="participants in the evaluation agree not to look at them",
            )
        if self._side.pictures is None:
            raise self._missing(self._side.reason or "There is no image")
        return _read_only(self._side.pictures.levels[0])

    def lens(self, name: str, **values: int) -> U8Image | RgbImage:
        """The image through a lens, as the panes show it: 8-bit pixels of the image's size.

        ``fv.lenses()`` lists the names and their values: ``trial.lens("ela", quality=85)``.
        """
        lens = lens_named(name)
        known = {each.name: each for each in lens.parameters}
        for key, value in values.items():
            if key not in known or known[key].nearest(whole(key, value)) != value:
                offered = ", ".join(f"{e.name}={e.least}…{e.most}" for e in known.values())
                raise UsageError(f"The lens {name} has no {key}={value}", hint=f"it has {offered}")
        _ = self.image  # raises where there is none to look at
        seen = lens_image(self._side)
        assert seen is not None
        return look_through(lens, seen, values)

    @cached_property
    def reference(self) -> U8Image:
        """Where the selected operations changed the image, before any erosion: 0 or 255."""
        side = self._side
        if side.scored is None:
            raise self._missing(side.reference_reason or side.broken)
        area, _ = side.scored.split(side.selected)
        return _read_only(np.where(area == self._is_white, np.uint8(255), np.uint8(0)))

    @cached_property
    def scores(self) -> U8Image:
        """The system mask as it is scored, 255 being surely manipulated in every dataset.

        All 0 where the answer has no mask, or one that counts as empty; then ``note`` says so.
        """
        system = self._system
        if system.is_scored_as_empty and system.regions is not None:
            return _read_only(empty_mask(system.regions.size))
        if system.scores is None:
            raise self._missing(system.why or "The answer has no mask")
        return _read_only(system.scores)

    @cached_property
    def system(self) -> U8Image:
        """The system mask as it is scored, in the dataset's terms: NIST's are black where sure."""
        return self.scores if self._is_white else _read_only(255 - self.scores)

    @property
    def regions(self) -> U8Image:
        """What each pixel counts as, by the codes of ``fv.Region``.

        ``MANIPULATED`` and ``BACKGROUND`` are scored; the others are no-score zones.
        """
        systems = self._side.systems
        regions = (systems[0].regions if systems else None) or self._side.regions
        if regions is None:
            raise self._missing(self._side.reference_reason or self.note)
        return regions.codes

    @property
    def optimum(self) -> int:
        """The threshold of the largest MCC, of equals the one that calls least.

        For NIST's datasets that is its OptimumThreshold.
        """
        best = self._swept.optimum
        if best is None:
            raise self._missing("No pixel of the trial is scored")
        return best - 1 if self._is_white else LEVELS - 1 - best

    @cached_property
    def sweep(self) -> pd.DataFrame:
        """The numbers at every threshold from -1 to 255, by NIST's names, beside those in use.

        In NIST's datasets nothing is called at -1 and everything at 255; elsewhere it is the other
        way round.
        """
        return self._numbers.copy()

    @cached_property
    def _numbers(self) -> pd.DataFrame:
        import pandas as pd

        sweep = self._swept
        thresholds = np.arange(-1, LEVELS)
        # Inside, a pixel is called where its score is at least t; either way ties are included.
        t = thresholds + 1 if self._is_white else LEVELS - 1 - thresholds
        by_threshold = {
            "NMM": sweep.nmm,
            "MCC": sweep.mcc,
            "BWL1": sweep.bwl1,
            "TP": sweep.tp,
            "TN": sweep.tn,
            "FP": sweep.fp,
            "FN": sweep.fn,
            "TPR": sweep.tpr,
            "FPR": sweep.fpr,
            "Precision": sweep.precision,
            "Recall": sweep.recall,
            "F1": sweep.f1,
            "IoU": sweep.iou,
        }
        zones = {
            "BNS": sweep.counts.boundary_px,
            "SNS": sweep.counts.unselected_px,
            "PNS": sweep.opt_out_px,
            "N": sweep.scored,
        }
        table = pd.DataFrame({name: values[t] for name, values in by_threshold.items()} | zones)
        return table.set_index(pd.Index(thresholds, name="Threshold"))

    def at(self, threshold: int) -> pd.Series[float]:
        """The numbers at one threshold, a row of ``sweep``."""
        t = whole("threshold", threshold)
        if not -1 <= t < LEVELS:
            raise UsageError(f"{t} is not a valid threshold (-1 to 255)")
        return self._numbers.iloc[t + 1]

    def _missing(self, message: str) -> ScoringError:
        trial, task = self._request.trial.id, self._request.task
        is_graph = task.kind.is_provenance
        hint = "its scores are those of fv.provenance_graph" if is_graph else "see trial.problems"
        return ScoringError(message, where=f"{trial} of {task.root}", hint=hint)

    @property
    def _is_white(self) -> bool:
        return not self._request.task.is_nist

    @property
    def _swept(self) -> ThresholdSweep:
        sweep = self._system.sweep
        if sweep is None:
            raise self._missing(self.note)
        return sweep

    @property
    def _system(self) -> LoadedSystem:
        if not self._side.systems:
            raise UsageError(_NO_SUBMISSION, hint="pass a submission to load_trial")
        return self._side.systems[0]


_NO_SUBMISSION = "The trial was loaded without a submission"


class Trial(TrialSide):
    """A loaded trial: everything about its probe, and for splices its ``donor``.

    ``id`` is its id, ``is_target`` whether something was manipulated (``None`` where the dataset
    does not say), ``operations`` the names of what was done to the probe in order, ``facts`` all
    cells of its rows in the index and the reference, and ``donor`` the other side of a splice.
    ``control`` is the file of NC2016's control image (``None`` without one), and ``gallery`` the
    files that show the camera or event the probe is compared with.
    """

    def __init__(self, loaded: LoadedTrial, problems: tuple[Problem, ...]) -> None:
        super().__init__(loaded.probe, loaded.request)
        trial = loaded.trial
        self.id: str = trial.id
        self.is_target = trial.is_target
        self.operations = tuple(operation.name for operation in trial.operations)
        self.facts = dict(trial.facts)
        self.control = None if trial.control is None else self._path_of(trial.control)
        files = () if trial.gallery is None else trial.gallery.files
        self.gallery = tuple(path for path in map(self._path_of, files) if path is not None)
        self.donor = None if loaded.donor is None else TrialSide(loaded.donor, loaded.request)
        self._problems = problems

    def __repr__(self) -> str:
        if not self.is_scored or self._swept.optimum is None:
            return f"<Trial {self.id}: {self.note or 'no pixel is scored'}>"
        return f"<Trial {self.id}: MCC {self.sweep.MCC.max():.4f} at threshold {self.optimum}>"

    def _path_of(self, name: str) -> Path | None:
        """Where a file lies; ``None`` for a name that leads outside the dataset."""
        try:
            return resolve(Path(self._request.task.root), name)
        except UnsafePathError:
            return None

    @property
    def probe(self) -> RgbImage:
        """The probe's image, or frame, as the panes show it: (height, width, 3), red first."""
        return self.image

    @cached_property
    def problems(self) -> pd.DataFrame:
        """What is wrong with the trial's files: severity, message, where, hint."""
        return problem_table(self._problems)

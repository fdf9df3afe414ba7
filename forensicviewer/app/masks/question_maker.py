"""What one side of one trial is scored by: the one place that decides it.

The batch scorer, the list of trials, the window and the Python API all ask here, so that they
cannot disagree about which reference, which system mask and which rule counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from forensicviewer.app.language.words import to_translate
from forensicviewer.app.masks.image_count import CountJob, ImageMark, ReferenceKind
from forensicviewer.app.masks.journal import Journal
from forensicviewer.app.masks.question import NO_REFERENCE, Question
from forensicviewer.app.masks.selection import Selection
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.status import Statuses
from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.app.masks.video_count import VideoJob, VideoMark
from forensicviewer.core.array import Size
from forensicviewer.core.model import Edition, Side, Submission, Task, Trial, trial_id
from forensicviewer.core.problem import LINKS, ForensicViewerError, ProblemLog, UnsafePathError
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.table.number_cell import whole_in
from forensicviewer.sources.files.paths import NamesInside, resolve, resolve_inside
from forensicviewer.sources.media.masks import Polarity, has_bit_planes

_OPTED_OUT = to_translate("Not scored: the system opted out of this trial")
_NOT_LISTED = to_translate("Not scored by the rule set {rules}: the index does not list {trial}")
_BROKEN_JOURNAL = to_translate(
    "Not scored by the rule set {rules}: the operation {step} has no usable mark"
)
_BAD_OPT_OUT = to_translate(
    "Not scored by the rule set {rules}: the opt-out pixel value {value} is not a whole number"
)
_BAD_NAME = to_translate("Not scored: {problem}")

_COLOURS = "ProbeMaskFileName"
_PLANES = "ProbeBitPlaneMaskFileName"
_BINARY = "BinaryProbeMaskFileName"
_ANY_MARK = (_COLOURS, ReferenceKind.MARKED)
_DONOR_KINDS = {
    switches.DonorReference.BLACK: ReferenceKind.BLACK,
    switches.DonorReference.BLACK_ELSE_ANY: ReferenceKind.BLACK_ELSE_MARKED,
    switches.DonorReference.ANY: ReferenceKind.MARKED,
}


class _Known:
    """What the questions of one run have in common, found once."""

    def __init__(self, task: Task, submission: Submission) -> None:
        self.references = NamesInside(Path(task.root))
        self.masks = NamesInside(Path(submission.root))
        self.last_reference: tuple[str, Path] | None = None
        self.jobs: dict[tuple[ReferenceKind, Size | None], CountJob] = {}
        self.marks: dict[tuple[ImageMark, ...], tuple[ImageMark, ...]] = {}


@dataclass(frozen=True, slots=True)
class QuestionMaker:
    """Knows what the trials of this task and submission are compared with, in one run."""

    task: Task
    submission: Submission
    settings: MaskSettings
    journal: Journal | None
    statuses: Statuses
    log: ProblemLog
    _known: _Known = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", _Known(self.task, self.submission))

    def ask(self, row: TrialRow, side: Side, selection: Selection) -> Question[CountJob]:
        """The question of an image."""
        asked: Question[CountJob] = self._admitted(row, side)
        column, kind = self._reference(row, side)
        marks: tuple[ImageMark, ...] = ()
        if kind.has_marks and self.journal is not None and not asked.why:
            planes = kind is ReferenceKind.BIT_PLANES
            asked, marks = self._marked(asked, row, selection, self.journal, planes=planes)
        asked, reference = self._with_reference(asked, row, column)
        asked, system = self._with_system(asked, row, side)
        job = self._job(kind, self._white_size(row, side))
        return replace(asked, job=replace(job, reference=reference, system=system, marks=marks))

    def _job(self, kind: ReferenceKind, stand_in: Size | None) -> CountJob:
        """A job without files and marks, which most trials share."""
        known = self._known.jobs.get((kind, stand_in))
        if known is None:
            known = self._known.jobs[kind, stand_in] = self._new_job(kind, stand_in)
        return known

    def _new_job(self, kind: ReferenceKind, stand_in: Size | None) -> CountJob:
        return CountJob(
            reference=None,
            kind=kind,
            marks=(),
            kernels=self.settings.kernels(self.task.kind),
            system=None,
            stand_in=stand_in,
            low_planes_only=self.settings.chooses(switches.SingleComponent.LOST),
            full_planes_fail=self.settings.chooses(switches.FullPlanes.UNSCORED),
            white_planes_are_empty=self.settings.chooses(switches.WhitePlanes.NO_REGION),
            black_is_changed=self.settings.chooses(switches.BlackAndWhite.BLACK),
            snaps_lossy_colours=self.settings.chooses(switches.LossyReference.NEAREST),
            grey_only=self.settings.chooses(switches.ColourMasks.REFUSED),
            manipulated_is=self._polarity,
        )

    def ask_video(self, row: TrialRow, side: Side, selection: Selection) -> Question[VideoJob]:
        """The question of a video; its marks are those of the trial's own operations."""
        asked: Question[VideoJob] = self._admitted(row, side)
        trial = self.task.find_trial(trial_id(row.key))
        if trial is None:
            return asked.unscored(NO_REFERENCE)
        name = trial.reference or trial.bit_planes
        job = VideoJob(
            reference=self._resolved(self._reference_path, name) if name else None,
            system=None,
            marks=self._video_marks(trial, row, selection),
            kernels=self.settings.kernels(self.task.kind),
            manipulated_is=self._polarity,
        )
        answer = self.submission.answers.get(trial.id)
        if answer is None or not answer.mask or self.statuses.has_failed(row.cells, side):
            return replace(asked, job=job, is_omitted=True)
        job = replace(job, system=self._resolved(self._system_path, answer.mask))
        return replace(asked, job=job)

    def _white_size(self, row: TrialRow, side: Side) -> Size | None:
        """The size of a white mask that stands in; ``None`` for the reference's own."""
        by_index = self.settings.chooses(switches.StandInSize.INDEX)
        return row.sizes.get(side) if by_index else None

    @property
    def _polarity(self) -> Polarity:
        """NIST's masks are black where manipulated; everybody else's are white."""
        return Polarity.BLACK if self.task.is_nist else Polarity.WHITE

    def _admitted(self, row: TrialRow, side: Side) -> Question[Any]:
        """Whether a side is to be scored at all, and by which pixels not."""
        level, bad_value = self._opt_out_score(row, side)
        asked: Question[Any] = Question(opt_out_score=level)
        rules = self.settings.rules.name
        if self.settings.opt_out and self.statuses.is_side_opted_out(row.cells, side):
            return asked.unscored(_OPTED_OUT)
        if side not in row.sizes and not self._tolerates_missing_index(row):
            return asked.unscored(_NOT_LISTED, rules=rules, trial=" and ".join(row.key))
        if bad_value is not None:
            return asked.unscored(_BAD_OPT_OUT, rules=rules, value=bad_value)
        return asked

    def _tolerates_missing_index(self, row: TrialRow) -> bool:
        if self.settings.chooses(switches.NotInIndex.UNSCORED):
            return False
        self.log.about(row.id).warn(
            f"The index does not list {' and '.join(row.key)}; it is scored anyway",
            where=row.where,
            rule=switches.NotInIndex.key,
        )
        return True

    def _reads_opt_out_value(self, row: TrialRow, side: Side) -> bool:
        if self.settings.opt_out_pixels:
            return True
        # A rule set that leaves them out has no say over years without such values.
        has_value = f"{side.value}OptOutPixelValue" in row.cells
        return has_value and self.settings.leaves_out_pixels

    def _opt_out_score(self, row: TrialRow, side: Side) -> tuple[int | None, str | None]:
        """(the score of opted-out pixels or ``None``, the value that leaves the side unscored)."""
        if not self._reads_opt_out_value(row, side):
            value = self.settings.no_score_value
            return (None if value is None else 255 - value), None
        cell = row.cells.get(f"{side.value}OptOutPixelValue", "")
        if not cell.strip():
            return None, None
        value = whole_in(cell)
        if value is not None:
            return 255 - value, None
        self.log.about(row.id).warn(
            f"The opt-out pixel value {cell!r} is not a whole number",
            where=row.answered_at,
            rule=switches.OptOutValue.key,
        )
        is_ignored = self.settings.chooses(switches.OptOutValue.IGNORED)
        return None, None if is_ignored else cell

    def _reference(self, row: TrialRow, side: Side) -> tuple[str, ReferenceKind]:
        """The column that names the reference mask, and how that mask says what was manipulated."""
        if not self.task.is_nist:
            return f"{side.value}MaskFileName", ReferenceKind.NOT_BLACK
        if side is Side.DONOR:
            kind = _DONOR_KINDS[self.settings.choice(switches.DonorReference)]
            is_layered = self._is_layered(row.cells.get("DonorMaskFileName", ""))
            return "DonorMaskFileName", ReferenceKind.ANY_PLANE if is_layered else kind
        column = self._marked_column(row)
        is_layered = column == _PLANES or self._is_layered(row.cells.get(column, ""))
        if self.task.kind.has_donor and not self._tells_splices(row, column, layers=is_layered):
            return self._splice_reference(row, column, layers=is_layered)
        if is_layered and self.journal is not None:
            return column, ReferenceKind.BIT_PLANES
        if self.task.kind.has_donor:
            return column, ReferenceKind.COLOURS_ELSE_BACKGROUND
        return _COLOURS, ReferenceKind.BLACK if self.journal is None else ReferenceKind.COLOURS

    def _marked_column(self, row: TrialRow) -> str:
        """Where the mask of all operations is named: MFC2019's plan has one column for either."""
        return _PLANES if self.settings.bit_planes and _PLANES in row.cells else _COLOURS

    def _is_layered(self, name: str) -> bool:
        try:
            return bool(name.strip()) and has_bit_planes(self._reference_path(name))
        except UnsafePathError:
            return False

    def _splice_reference(
        self, row: TrialRow, column: str, *, layers: bool
    ) -> tuple[str, ReferenceKind]:
        """Of the probe of a splice: NIST's binary mask, or the one of the plans."""
        if _BINARY not in row.cells:
            # The plans' mask is restricted to the splice, so whatever it marks was spliced.
            return (column, ReferenceKind.ANY_PLANE) if layers else _ANY_MARK
        no_kernels = self.settings.erode_px == self.settings.dilate_px == 0
        if no_kernels and self.settings.chooses(switches.ZeroKernels.MANIPULATED):
            return _BINARY, ReferenceKind.MARKED_WITH_BLACK
        return _BINARY, ReferenceKind.BLACK_ELSE_BACKGROUND

    def _tells_splices(self, row: TrialRow, column: str, *, layers: bool) -> bool:
        """Whether the operations of this very splice are asked for, and the mask tells them."""
        journal = self.journal
        if self.settings.chooses(switches.SpliceReference.BINARY) or journal is None:
            return False
        if self.task.edition is Edition.NC2016 or "DonorFileID" not in journal.keys:
            return False
        steps = [journal.rows[number] for number in journal.of_trial(row.key)]
        has_marks = any(step.bit_plane if layers else step.color for step in steps)
        return has_marks and bool(row.cells.get(column, "").strip())

    def _marked(
        self,
        asked: Question[CountJob],
        row: TrialRow,
        selection: Selection,
        journal: Journal,
        *,
        planes: bool,
    ) -> tuple[Question[CountJob], tuple[ImageMark, ...]]:
        """What marks the trial's operations; unscored when its journal is too broken."""
        marks: dict[ImageMark, None] = {}
        for number in journal.of_trial(row.key):
            step, is_asked = journal.rows[number], selection.asked[number]
            is_broken = not step.is_known and (is_asked or planes)
            if is_broken or (is_asked and step.has_unreadable_mark(planes=planes)):
                name = " ".join(step.step)
                if self.settings.chooses(switches.BrokenJournal.UNSCORED):
                    rules = self.settings.rules.name
                    return asked.unscored(_BROKEN_JOURNAL, rules=rules, step=name), ()
                self.log.about(row.id).warn(
                    f"The operation {name} of {row.key[0]} has no usable mark and is skipped",
                    where=row.where,
                    rule=switches.BrokenJournal.key,
                )
                continue
            mark = ImageMark(
                color=None if planes else step.color,
                bit_plane=step.bit_plane if planes else None,
                selected=is_asked,
            )
            marks[mark] = None
        found = tuple(marks)
        return asked, self._known.marks.setdefault(found, found)

    def _with_reference(
        self, asked: Question[CountJob], row: TrialRow, column: str
    ) -> tuple[Question[CountJob], Path | None]:
        name = row.cells.get(column, "")
        if not name.strip():
            return asked, None
        try:
            return asked, self._reference_path(name)
        except UnsafePathError as error:
            return self._refused(asked, error, row), None

    def _with_system(
        self, asked: Question[CountJob], row: TrialRow, side: Side
    ) -> tuple[Question[CountJob], Path | None]:
        """The system mask; a white one stands in when it is omitted or failed validation."""
        name = row.cells.get(f"Output{side.value}MaskFileName", "")
        if not name.strip() or self.statuses.has_failed(row.cells, side):
            return replace(asked, is_omitted=True), None
        try:
            return asked, self._system_path(name)
        except UnsafePathError as error:
            if self.settings.chooses(switches.UnusableMask.UNSCORED):
                return self._refused(asked, error, row), None
            if not asked.why:
                self.log.about(row.id).add(replace(error.as_problem(), where=row.answered_at))
            return replace(asked, is_omitted=True, failure=str(error)), None

    def _refused(
        self, asked: Question[CountJob], error: UnsafePathError, row: TrialRow
    ) -> Question[CountJob]:
        if not asked.why:
            problem = error.as_problem()
            where = problem.where if problem.rule == LINKS else row.where
            self.log.about(row.id).add(replace(problem, where=where))
        return asked.unscored(_BAD_NAME, problem=str(error))

    def _video_marks(
        self, trial: Trial, row: TrialRow, selection: Selection
    ) -> tuple[VideoMark, ...]:
        if self.journal is None:
            return tuple(VideoMark.of(step, selected=True) for step in trial.operations)
        numbers = self.journal.of_trial(row.key)
        asked = {self.journal.rows[number].step for number in numbers if selection.asked[number]}
        return tuple(VideoMark.of(step, selected=step.key in asked) for step in trial.operations)

    def _reference_path(self, name: str) -> Path:
        known = self._known.last_reference
        if known is not None and known[0] == name:
            return known[1]
        path = self._known.references.find(name) or resolve(Path(self.task.root), name)
        if self.task.corrected:
            path = Path(self.task.corrected.get(path, path))
        self._known.last_reference = name, path
        return path

    def _system_path(self, name: str) -> Path:
        path = self._known.masks.find(name) or resolve_inside(Path(self.submission.root), name)
        return (
            Path(self.submission.corrected.get(path, path)) if self.submission.corrected else path
        )

    def _resolved(self, path_of: Callable[[str], Path], name: str) -> Path | None:
        """The path of a mask; ``None`` when it must not be opened, which is a problem."""
        try:
            return path_of(name)
        except ForensicViewerError as error:
            self.log.add(error.as_problem())
            return None


def with_white_mask(asked: Question[CountJob]) -> Question[CountJob]:
    """The same question about a white mask, which stands in for the system's own."""
    assert asked.job is not None
    return replace(asked, job=replace(asked.job, system=None), is_omitted=True)

"""Datasets, tasks, trials, submissions and answers.

File names are kept as the tables spell them, relative to the folder that holds them; only
``sources`` turns them into paths, and only inside that folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from forensicviewer.core.problem import Problem, UsageError
from forensicviewer.core.problem import TrialId as TrialId

if TYPE_CHECKING:
    from forensicviewer.core.array import Rows, Size
    from forensicviewer.core.table.text_table import Table


# Between the parts of a trial's id: easy to read and to type in a shell, and no id of NIST's
# holds it.
SEPARATOR = "+"


class Edition(Enum):
    """The evaluation a dataset belongs to."""

    NC2016 = "NC2016"
    NC2017 = "NC2017"
    MFC2018 = "MFC2018"
    MFC2019 = "MFC2019"
    GENAI = "GenAI"
    IMDL = "IMDL"
    UNKNOWN = "unknown"


class TaskKind(Enum):
    """The question of each trial; the value is the word used on the command line."""

    MANIPULATION = "manipulation"
    VIDEO = "video"
    REMOVAL = "removal"
    SPLICE = "splice"
    PROVENANCE = "provenance"
    FILTERING = "filtering"
    EVENT = "event"
    CAMERA = "camera"
    GENAI = "genai"
    IMDL = "imdl"

    @property
    def has_donor(self) -> bool:
        return self is TaskKind.SPLICE

    @property
    def has_masks(self) -> bool:
        """Whether masks are scored."""
        return self not in (TaskKind.EVENT, TaskKind.GENAI)

    @property
    def is_provenance(self) -> bool:
        return self in (TaskKind.PROVENANCE, TaskKind.FILTERING)


_PROBE = ("ProbeFileID",)
_PROVENANCE = ("ProvenanceProbeFileID",)
_KEYS: dict[TaskKind, tuple[str, ...]] = {
    TaskKind.SPLICE: ("ProbeFileID", "DonorFileID"),
    TaskKind.EVENT: ("ProbeFileID", "EventName"),
    TaskKind.CAMERA: ("ProbeFileID", "TrainCamID"),
    TaskKind.PROVENANCE: _PROVENANCE,
    TaskKind.FILTERING: _PROVENANCE,
    TaskKind.GENAI: ("FileID",),
}


def key_columns(kind: TaskKind) -> tuple[str, ...]:
    """The columns whose cells together identify a trial, in every table of the task."""
    return _KEYS.get(kind, _PROBE)


def trial_id(parts: Iterable[str]) -> TrialId:
    """The trial's id: the cells of its key columns joined by ``+``."""
    return TrialId(SEPARATOR.join(parts))


class Side(Enum):
    """Which image of a trial a mask belongs to; only splices have a donor.

    The value begins NIST's column names.
    """

    PROBE = "Probe"
    DONOR = "Donor"

    @property
    def word(self) -> str:
        """The name of this side in our texts and files."""
        return self.value.lower()

    @property
    def prefix(self) -> str:
        """The prefix of splice columns of this side."""
        return self.word[0]


class Viewing(Enum):
    """Whether the media of a task may be looked at (section 2.2 of NIST's GenAI plan).

    Who takes part in an evaluation agrees not to look at its test media, so these stay hidden until
    the user says to be no participant.
    """

    FREE = "free"
    UNASKED = "unasked"
    REFUSED = "participant"
    CONFIRMED = "analyst"

    @property
    def hides_media(self) -> bool:
        return self in (Viewing.UNASKED, Viewing.REFUSED)


@dataclass(frozen=True, slots=True)
class Media:
    """An image or video of the dataset; ``size`` is what the index declares.

    Without a ``name`` there is nothing to look at: the media ``is_hidden``, or was never given,
    which is a mistake unless it ``may_be_missing``.
    """

    id: str
    name: str
    size: Size | None = None
    is_hidden: bool = False
    may_be_missing: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One manipulation step of a journal as far as it concerns one probe."""

    journal: str
    start_node: str
    end_node: str
    name: str
    purpose: str = ""
    color: tuple[int, int, int] | None = None
    bit_plane: int | None = None
    sequence: int | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str]:
        """The key of the step within a dataset."""
        return self.journal, self.start_node, self.end_node


@dataclass(frozen=True, slots=True)
class Gallery:
    """Known examples of a camera or an event that a probe is compared with.

    ``name`` is the camera's TrainCamID or the event's EventName; ``source`` says where the list of
    ``files`` comes from: a table or folder of the dataset, or its own probes.
    """

    name: str
    files: tuple[str, ...]
    source: str


class Medium(Enum):
    """The kind of a set of media (MFC2019 plan, 2.1.6)."""

    IMAGE = "image"
    VIDEO = "video"
    MULTIMEDIA = "multimedia"


@dataclass(frozen=True, slots=True)
class TrainTest:
    """The training-testing condition of a camera task (MFC2019 plan, 2.1.6 and 4.1.6)."""

    training: Medium
    testing: Medium

    def __str__(self) -> str:
        return f"{self.training.value}-{self.testing.value}"


@dataclass(frozen=True, slots=True)
class Trial:
    """One question of a task: a probe, for splices a donor, and what the reference says about it.

    ``is_target`` is ``None`` where the dataset holds no reference. ``control`` is the image that
    NC2016 keeps beside a manipulated one, ``gallery`` what shows the camera or event in question.
    ``facts`` are all cells of the index and reference rows.
    """

    id: TrialId
    row: int
    probe: Media
    donor: Media | None = None
    is_target: bool | None = None
    reference: str | None = None
    bit_planes: str | None = None
    donor_reference: str | None = None
    control: str | None = None
    gallery: Gallery | None = None
    operations: tuple[Operation, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


class Trials(Protocol):
    """The trials of a task, made one by one on demand: there may be a million."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int) -> Trial: ...

    def ids(self) -> Sequence[TrialId]: ...

    def row_of(self, trial_id: TrialId) -> int | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One task of a dataset with its tables as read.

    ``table`` holds one row per trial: the index's columns, then the reference's other columns.
    ``files`` says which file each table came from (role → name relative to the dataset).
    ``label`` tells tasks of one kind apart where a dataset has several; ``is_variant`` marks one
    over another version of a table (a sub-index) that lies beside the main one. ``training`` lists
    what shows each camera or event, ``pools`` the images each provenance probe is asked about where
    NIST filtered them (oracle), ``condition`` the training-testing condition of a camera task.
    ``corrected`` names the masks that a ruling puts in the place of others.
    """

    kind: TaskKind
    edition: Edition
    root: PurePath
    table: Table
    trials: Trials
    index: Table | None = None
    reference: Table | None = None
    journal_masks: Table | None = None
    probe_journals: Table | None = None
    nodes: Table | None = None
    world: Table | None = None
    training: Table | None = None
    pools: Table | None = None
    condition: TrainTest | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    is_variant: bool = False
    viewing: Viewing = Viewing.FREE
    corrected: Mapping[PurePath, PurePath] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The word a user chooses the task by."""
        return self.label or self.kind.value

    @property
    def has_reference(self) -> bool:
        return self.reference is not None

    @property
    def has_galleries(self) -> bool:
        """Whether the dataset has known examples of its cameras or events."""
        return len(self.trials) > 0 and self.trials[0].gallery is not None

    @property
    def is_nist(self) -> bool:
        """Whether masks are NIST's: only its datasets have reference tables, of whatever year."""
        if self.edition is Edition.IMDL:
            return False
        return self.edition is not Edition.UNKNOWN or self.has_reference

    def find_trial(self, trial_id: TrialId | None) -> Trial | None:
        """The trial with this id; ``None`` where the task has no such trial."""
        row = None if trial_id is None else self.trials.row_of(trial_id)
        return None if row is None else self.trials[row]

    def require_trial(self, trial_id: TrialId) -> Trial:
        """The trial with this id; one that the task does not have is refused."""
        trial = self.find_trial(trial_id)
        if trial is None:
            raise UsageError(
                f"{trial_id} is not a trial of {self.name}",
                hint="'forensicviewer trials' lists them",
            )
        return trial

    def scores_planes(self, *, wanted: bool) -> bool:
        """Whether JPEG 2000 references are scored: where they are wanted, or the only ones."""
        if self.reference is None or "ProbeBitPlaneMaskFileName" not in self.reference:
            return False
        return wanted or "ProbeMaskFileName" not in self.reference


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """An opened dataset directory; ``evidence`` says how it was recognised."""

    root: PurePath
    name: str
    edition: Edition
    tasks: tuple[Task, ...]
    evidence: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class Status(Enum):
    """The status of an answer, for the spellings of all years."""

    PROCESSED = "Processed"
    NON_PROCESSED = "NonProcessed"
    OPT_OUT_ALL = "OptOutAll"
    OPT_OUT_DETECTION = "OptOutDetection"
    OPT_OUT_LOCALIZATION = "OptOutLocalization"
    OPT_OUT_TEMPORAL = "OptOutTemporal"
    OPT_OUT_SPATIAL = "OptOutSpatial"
    FAILED_VALIDATION = "FailedValidation"


@dataclass(frozen=True, slots=True)
class Answer:
    """One row of a submission: the output of a system for one trial."""

    trial_id: TrialId
    row: int
    confidence: float | None = None
    status: Status | None = None
    mask: str | None = None
    donor_mask: str | None = None
    opt_out_value: int | None = None
    donor_opt_out_value: int | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


class Answers(Protocol):
    """The answers of a submission, found by trial."""

    def __len__(self) -> int: ...

    def get(self, trial_id: TrialId) -> Answer | None: ...

    def rows_for(self, trial_ids: Sequence[TrialId]) -> Rows:
        """The submission row of each trial; -1 where it has none."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """An opened submission. ``root`` is the folder its file names are relative to.

    For an archive that is a private cache folder; ``origin`` is always what the user named, or
    where in it the submission lies. ``description`` names the system description, where one lies
    beside the table. ``corrected`` is as in a task.
    """

    root: PurePath
    origin: PurePath
    name: str
    table: Table
    answers: Answers
    kind: TaskKind | None = None
    identity: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    problems: tuple[Problem, ...] = ()
    corrected: Mapping[PurePath, PurePath] = field(default_factory=dict)

"""What each year's rules require of a submission table, task by task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from forensicviewer.core.model import Edition, TaskKind, key_columns
from forensicviewer.core.table.text_table import Table


class RuleFamily(Enum):
    """Whose submission format applies; the value is the word used on the command line."""

    NC16 = "nc16"
    NC17 = "nc17"
    MFC = "mfc"
    GENAI = "genai"
    PLAN = "plan"  # as the evaluation plan of the dataset's year is written


@dataclass(frozen=True, slots=True)
class MaskColumns:
    """The columns that speak about one side's mask, and where the index declares its size."""

    side: str
    name: str
    status: str
    opt_out_value: str
    width: str
    height: str


@dataclass(frozen=True, slots=True)
class Profile:
    """The rules for one task in one family.

    ``keys`` identify a row; ``statuses`` maps each status column to its accepted words;
    ``lenient`` columns are asked for by NIST's program but by no scorer, so their absence is only
    reported. ``by_plan`` asks for what the evaluation plan says rather than for what NIST's program
    checks; columns that the plan calls ``optional`` may be absent then, and ``order`` is that of
    all columns where the optional ones do not come last.
    """

    family: RuleFamily
    kind: TaskKind
    keys: tuple[str, ...]
    required: tuple[str, ...]
    lenient: tuple[str, ...]
    statuses: Mapping[str, frozenset[str]]
    masks: tuple[MaskColumns, ...] = ()
    intervals: tuple[str, ...] = ()
    documents: str | None = None
    score: str = "ConfidenceScore"
    video_mask: MaskColumns | None = None
    by_plan: bool = False
    optional: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    @property
    def sides(self) -> tuple[MaskColumns, ...]:
        """The columns about masks of images or videos."""
        return self.masks if self.video_mask is None else (*self.masks, self.video_mask)


_OPT_OUT = frozenset({"Y", "N", "Detection", "Localization", "FailedValidation"})
_PROBE = frozenset(
    {
        "Processed",
        "NonProcessed",
        "OptOutAll",
        "OptOutDetection",
        "OptOutLocalization",
        "FailedValidation",
    }
)
_VIDEO = _PROBE | {"OptOutTemporal", "OptOutSpatial"}
_WHOLE = frozenset({"Processed", "NonProcessed", "OptOut", "FailedValidation"})
_DONOR = frozenset({"Processed", "NonProcessed", "OptOutLocalization", "FailedValidation"})

_SEGMENTS = ("VideoFrameSegments", "AudioSampleSegments", "VideoFrameOptOutSegments")


def detect_family(table: Table) -> RuleFamily:
    """The year's rules that a submission table follows, recognised by its columns."""
    if any(name.endswith("Status") for name in table.names):
        return RuleFamily.MFC
    if "IsOptOut" in table:
        return RuleFamily.NC17
    if {"ProbeOutputMaskFileName", "DonorOutputMaskFileName"} & set(table.names):
        return RuleFamily.NC16
    return RuleFamily.NC17


def family_of(edition: Edition, table: Table) -> RuleFamily:
    """The year whose plan applies; if the dataset does not say, recognised by the columns."""
    years = {
        Edition.NC2016: RuleFamily.NC16,
        Edition.NC2017: RuleFamily.NC17,
        # No plan of MFC2018 was available; its submissions look like those of MFC2019.
        Edition.MFC2018: RuleFamily.MFC,
        Edition.MFC2019: RuleFamily.MFC,
    }
    return years.get(edition) or detect_family(table)


def plan_profile(kind: TaskKind, family: RuleFamily) -> Profile:
    """The rules for one task as the plan of a year has them."""
    program = profile_for(kind, family)
    required, optional = _PLAN_COLUMNS.get((family, kind), (program.required, ()))
    statuses = {
        column: frozenset("YN") if column == "IsOptOut" else words
        for column, words in program.statuses.items()
        if column in required
    }
    is_old_video = (family, kind) == (RuleFamily.NC17, TaskKind.VIDEO)
    return replace(
        program,
        required=required,
        lenient=(),
        optional=optional,
        order=_PLAN_COLUMNS[family, TaskKind.MANIPULATION][0] if is_old_video else (),
        statuses=statuses,
        masks=() if is_old_video else program.masks,
        by_plan=True,
    )


def profile_for(kind: TaskKind, family: RuleFamily) -> Profile:
    """The rules for one task in one family."""
    if kind.is_provenance:
        return _provenance(kind, family)
    makers = {
        TaskKind.SPLICE: _splice,
        TaskKind.VIDEO: _video,
        TaskKind.EVENT: _event,
        TaskKind.CAMERA: _camera,
    }
    return makers.get(kind, _image)(kind, family)


def _image(kind: TaskKind, family: RuleFamily) -> Profile:
    mask = _probe_mask(family)
    return Profile(
        family=family,
        kind=kind,
        keys=key_columns(kind),
        required=("ProbeFileID", "ConfidenceScore", mask.name, *_status_columns(family, mask)),
        lenient=(),
        statuses={"IsOptOut": _OPT_OUT, "ProbeStatus": _PROBE},
        masks=(mask,),
    )


def _splice(kind: TaskKind, family: RuleFamily) -> Profile:
    probe, donor = _probe_mask(family), _donor_mask(family)
    return Profile(
        family=family,
        kind=kind,
        keys=key_columns(kind),
        required=("ProbeFileID", "DonorFileID", "ConfidenceScore", probe.name, donor.name),
        lenient={
            RuleFamily.NC16: (),
            RuleFamily.NC17: ("IsOptOut",),
            RuleFamily.MFC: ("ProbeStatus", "DonorStatus"),
        }[family],
        statuses={"IsOptOut": _OPT_OUT, "ProbeStatus": _PROBE, "DonorStatus": _DONOR},
        masks=(probe, donor),
    )


def _video(kind: TaskKind, family: RuleFamily) -> Profile:
    has_segments = family is RuleFamily.MFC
    status = "ProbeStatus" if has_segments else "IsOptOut"
    return Profile(
        family=family,
        kind=kind,
        keys=key_columns(kind),
        required=("ProbeFileID", "ConfidenceScore", status, *(_SEGMENTS if has_segments else ())),
        lenient=(),
        statuses={"IsOptOut": _OPT_OUT, "ProbeStatus": _VIDEO},
        intervals=_SEGMENTS,
        video_mask=_probe_mask(family) if has_segments else None,
    )


def _event(kind: TaskKind, family: RuleFamily) -> Profile:
    return Profile(
        family=family,
        kind=kind,
        keys=key_columns(kind),
        required=("ProbeFileID", "EventName", "ConfidenceScore", "ProbeStatus"),
        lenient=(),
        statuses={"ProbeStatus": _WHOLE},
    )


def _camera(kind: TaskKind, family: RuleFamily) -> Profile:
    mask = _probe_mask(RuleFamily.MFC)
    return Profile(
        family=family,
        kind=kind,
        keys=key_columns(kind),
        required=(
            "ProbeFileID",
            "TrainCamID",
            "ConfidenceScore",
            mask.name,
            "ProbeStatus",
            "ProbeOptOutPixelValue",
        ),
        lenient=(),
        statuses={"ProbeStatus": _PROBE},
        masks=(mask,),
    )


def _provenance(kind: TaskKind, family: RuleFamily) -> Profile:
    status = "ProvenanceProbeStatus" if family is RuleFamily.MFC else "IsOptOut"
    return Profile(
        family=family,
        kind=kind,
        keys=key_columns(kind),
        required=("ProvenanceProbeFileID", "ProvenanceOutputFileName"),
        lenient=("ConfidenceScore", status),
        statuses={"IsOptOut": _OPT_OUT | {"Y", "N"}, "ProvenanceProbeStatus": _WHOLE},
        documents="ProvenanceOutputFileName",
    )


def _status_columns(family: RuleFamily, mask: MaskColumns) -> tuple[str, ...]:
    return {
        RuleFamily.NC16: (),
        RuleFamily.NC17: ("IsOptOut",),
        RuleFamily.MFC: ("ProbeStatus", mask.opt_out_value),
    }[family]


def _probe_mask(family: RuleFamily) -> MaskColumns:
    is_old = family is RuleFamily.NC16
    return MaskColumns(
        side="probe",
        name="ProbeOutputMaskFileName" if is_old else "OutputProbeMaskFileName",
        status="ProbeStatus",
        opt_out_value="ProbeOptOutPixelValue",
        width="ProbeWidth",
        height="ProbeHeight",
    )


def _donor_mask(family: RuleFamily) -> MaskColumns:
    is_old = family is RuleFamily.NC16
    return MaskColumns(
        side="donor",
        name="DonorOutputMaskFileName" if is_old else "OutputDonorMaskFileName",
        status="DonorStatus",
        opt_out_value="DonorOptOutPixelValue",
        width="DonorWidth",
        height="DonorHeight",
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_IMAGE_16 = _words("ProbeFileID ConfidenceScore ProbeOutputMaskFileName")
_PROVENANCE_17 = _words("ProvenanceProbeFileID ConfidenceScore ProvenanceOutputFileName IsOptOut")
_PROVENANCE_19 = _words("ProvenanceProbeFileID ProvenanceOutputFileName ProvenanceProbeStatus")
# (year, task) → (columns the plan lists, those of them that it lets a system leave out).
_PLAN_COLUMNS: dict[tuple[RuleFamily, TaskKind], tuple[tuple[str, ...], tuple[str, ...]]] = {
    # NC2016, sections 5.3.1.1 and 5.3.1.2; Table 1 in 5.6 also lists IsTarget for splices.
    (RuleFamily.NC16, TaskKind.MANIPULATION): (_IMAGE_16, ()),
    (RuleFamily.NC16, TaskKind.REMOVAL): (_IMAGE_16, ()),
    (RuleFamily.NC16, TaskKind.SPLICE): (
        _words(
            "ProbeFileID DonorFileID ConfidenceScore ProbeOutputMaskFileName"
            " DonorOutputMaskFileName"
        ),
        ("IsTarget",),
    ),
    # NC2017, sections 5.1.1 and 5.2; a mask is not asked for where videos are.
    (RuleFamily.NC17, TaskKind.MANIPULATION): (
        _words("ProbeFileID ConfidenceScore OutputProbeMaskFileName IsOptOut"),
        (),
    ),
    (RuleFamily.NC17, TaskKind.VIDEO): (
        _words("ProbeFileID ConfidenceScore IsOptOut"),
        ("OutputProbeMaskFileName",),
    ),
    (RuleFamily.NC17, TaskKind.SPLICE): (
        _words(
            "ProbeFileID DonorFileID ConfidenceScore OutputProbeMaskFileName"
            " OutputDonorMaskFileName IsOptOut"
        ),
        (),
    ),
    (RuleFamily.NC17, TaskKind.PROVENANCE): (_PROVENANCE_17, ()),
    (RuleFamily.NC17, TaskKind.FILTERING): (_PROVENANCE_17, ()),
    # MFC2019, sections 5.1.1 to 5.4; masks of videos are optional.
    (RuleFamily.MFC, TaskKind.MANIPULATION): (
        _words(
            "ProbeFileID ConfidenceScore OutputProbeMaskFileName ProbeStatus ProbeOptOutPixelValue"
        ),
        (),
    ),
    (RuleFamily.MFC, TaskKind.VIDEO): (
        _words(
            "ProbeFileID ConfidenceScore ProbeStatus VideoFrameSegments AudioSampleSegments"
            " VideoFrameOptOutSegments"
        ),
        ("OutputProbeMaskFileName", "ProbeOptOutPixelValue"),
    ),
    (RuleFamily.MFC, TaskKind.SPLICE): (
        _words(
            "ProbeFileID DonorFileID ConfidenceScore OutputProbeMaskFileName"
            " OutputDonorMaskFileName ProbeStatus DonorStatus ProbeOptOutPixelValue"
            " DonorOptOutPixelValue"
        ),
        (),
    ),
    (RuleFamily.MFC, TaskKind.PROVENANCE): (_PROVENANCE_19, ()),
    (RuleFamily.MFC, TaskKind.FILTERING): (_PROVENANCE_19, ()),
    (RuleFamily.MFC, TaskKind.EVENT): (
        _words("ProbeFileID EventName ConfidenceScore ProbeStatus"),
        (),
    ),
    (RuleFamily.MFC, TaskKind.CAMERA): (
        _words(
            "ProbeFileID TrainCamID OutputProbeMaskFileName ConfidenceScore ProbeStatus"
            " ProbeOptOutPixelValue"
        ),
        (),
    ),
}

"""What each year's rules demand of a submission table, task by task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from forensicviewer.core.model import TaskKind, key_columns
from forensicviewer.core.table.text_table import Table


class RuleFamily(Enum):
    """Whose submission format applies; the value is the word used on the command line."""

    NC16 = "nc16"
    NC17 = "nc17"
    MFC = "mfc"
    GENAI = "genai"


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
    reported.
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
    """The year's rules a submission table follows, told by its columns."""
    if any(name.endswith("Status") for name in table.names):
        return RuleFamily.MFC
    if "IsOptOut" in table:
        return RuleFamily.NC17
    if {"ProbeOutputMaskFileName", "DonorOutputMaskFileName"} & set(table.names):
        return RuleFamily.NC16
    return RuleFamily.NC17


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

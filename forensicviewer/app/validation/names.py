"""Checks of a submission's name against the year's naming convention."""

from __future__ import annotations

import re
from pathlib import PurePath

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.profile import Profile, RuleFamily
from forensicviewer.core.model import TaskKind

_PATTERN = {
    RuleFamily.NC16: "TEAM_NCID_[DATA_]TASK_CONDITION_SYSTEM_VERSION",
    RuleFamily.NC17: "TEAM_NCID_DATA_TASK_CONDITION_SYSTEM_VERSION",
    RuleFamily.MFC: "SYSTEM_VERSION[_OPTIONAL]",
}

_TASK_WORDS = {
    TaskKind.MANIPULATION: ("manipulation",),
    TaskKind.REMOVAL: ("removal",),
    TaskKind.VIDEO: ("manipulation",),
    TaskKind.SPLICE: ("splice",),
    TaskKind.PROVENANCE: ("provenance",),
    TaskKind.FILTERING: ("provenancefiltering",),
    TaskKind.EVENT: ("eventverification", "event"),
    TaskKind.CAMERA: ("camera",),
}


def check_name(path: PurePath, profile: Profile, findings: Findings, *, ncid: str | None) -> None:
    """Whether the table is called ``<ID>/<ID>.csv`` with an ID of the right parts."""
    if path.suffix.lower() != ".csv":
        findings.error(
            "name.csv",
            f"The table is named {path.name}",
            expected="a name ending in .csv",
            hint="rename the file",
        )
    if path.stem != path.parent.name:
        findings.error(
            "name.folder",
            f"The table {path.name} is in a folder named {path.parent.name}",
            expected=f"{path.stem}/{path.stem}.csv",
            hint="give the folder and the table the same name",
        )
    _check_parts(path.stem, profile, findings, ncid=ncid)


def _counted(parts: list[str]) -> str:
    empty = parts.count("")
    said = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
    return f"{said}, {empty} of them empty" if empty else said


def _check_parts(name: str, profile: Profile, findings: Findings, *, ncid: str | None) -> None:
    parts = name.split("_")
    lengths = {RuleFamily.NC16: (6, 7), RuleFamily.NC17: (7,), RuleFamily.MFC: range(2, 100)}
    if profile.by_plan:
        lengths[RuleFamily.NC16] = (6,)
    expected = _PATTERN[profile.family]
    if len(parts) not in lengths[profile.family] or not all(parts):
        findings.error(
            "name.parts",
            f"The name {name} has {_counted(parts)}",
            expected=expected,
            hint="parts are joined by single underscores and do not contain any",
        )
        return
    if profile.by_plan:
        _check_by_plan(parts, profile, findings)
    if profile.family is RuleFamily.MFC:
        return
    if "+" in parts[0]:
        findings.error(
            "name.team",
            f"The team name {parts[0]} contains a +",
            expected="a team name without + and _",
            hint="rename the submission",
        )
    if ncid is not None and parts[1] != ncid:
        findings.error(
            "name.ncid",
            f"The name says {parts[1]}",
            expected=ncid,
            hint="rename the submission or give --ncid",
        )
    task = parts[3 if len(parts) == 7 else 2]
    if task.lower() not in _TASK_WORDS[profile.kind]:
        findings.error(
            "name.task",
            f"{task} is not a known task",
            expected=" or ".join(_TASK_WORDS[profile.kind]),
            hint="rename the submission or choose another --task",
        )


_YEAR_NAMES = {RuleFamily.NC16: ("NC2016",), RuleFamily.NC17: ("NC17", "NC2017")}
# NC2016 writes ImgMeta in section 2.2.2 and ImgMETA in B.1.
_CONDITIONS = {
    RuleFamily.NC16: ("ImgOnly", "ImgMeta", "ImgMETA"),
    RuleFamily.NC17: ("ImgOnly", "VidOnly", "ImgMeta", "VidMeta"),
}


def _check_by_plan(parts: list[str], profile: Profile, findings: Findings) -> None:
    """Check year, condition, system and version, which NIST's program does not check."""
    if profile.family is not RuleFamily.MFC:
        years, conditions = _YEAR_NAMES[profile.family], _CONDITIONS[profile.family]
        _check_word(parts[1], years, "name.year", "The year", findings)
        _check_word(parts[-3], conditions, "name.condition", "The condition", findings)
    at = 0 if profile.family is RuleFamily.MFC else -2
    system, version = parts[at], parts[at + 1]
    if re.fullmatch(r"[pc]-[A-Za-z0-9]+", system) is None:
        findings.error(
            "name.system",
            f"The system is named {system}",
            expected="p- or c-, then letters and digits",
            hint="name your best system p-… and all others c-…",
        )
    if re.fullmatch(r"[1-9][0-9]*", version) is None:
        findings.error(
            "name.version",
            f"The version is {version}",
            expected="a whole number from 1",
            hint="count the runs of the system from 1",
        )
    if profile.family is RuleFamily.NC16 and any("+" in part for part in parts[1:]):
        findings.error(
            "name.plus",
            "A part of the name contains a +",
            expected="parts without + and _",
            hint="rename the submission",
        )


def _check_word(
    word: str, known: tuple[str, ...], rule: str, what: str, findings: Findings
) -> None:
    if word not in known:
        expected = " or ".join(known)
        findings.error(rule, f"{what} is {word}", expected=expected, hint="rename the submission")

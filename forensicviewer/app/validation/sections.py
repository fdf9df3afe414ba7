"""Which section of a year's evaluation plan a rule of validation comes from."""

from __future__ import annotations

from collections.abc import Mapping

from forensicviewer.app.validation.profile import Profile, RuleFamily
from forensicviewer.core.model import TaskKind

_YEARS = {RuleFamily.NC16: "NC2016", RuleFamily.NC17: "NC2017", RuleFamily.MFC: "MFC2019"}
# Rule, or the beginning of several → sections of NC2016, NC2017 and MFC2019; blank: no such rule.
_SECTIONS: Mapping[str, tuple[str, str, str]] = {
    "name.folder": ("5.3.1", "5.1.1", "5.1.1"),
    "name.csv": ("5.3.1", "5.1.1", "5.1.1"),
    "name.": ("B.1", "Appendix A", "Appendix A"),
    "package.primary": ("B.1", "Appendix A", "Appendix A"),
    "package.name": ("5.5", "A-b", "A-b"),
    "description.": ("B.1", "A-a", "A-a"),
    "table.": ("Appendix C", "Appendix B", "Appendix B"),
    "rows.": ("5.3.2", "5.1.1.2", "5.1.1.2"),
    "score.opted-out": ("", "2.1.1.2", "5.1.1.3"),
    "score.range": ("", "", "5.1.1.2"),
    "score.": ("5.1", "5.1.1.1", "5.1.1.1"),
    "status.": ("", "5.1.1", "5.1.1.3"),
    "opt-out-value.": ("", "", "5.1.1.3"),
    "intervals.": ("", "", "5.1.1"),
    "mask.folder": ("5.4.1", "5.1.2", "5.1.2"),
    "mask.video": ("", "", "5.1.2.2"),
    "mask.exists": ("5.4.2", "5.1.2.2", "5.1.2.3"),
    "mask.readable": ("5.4.2", "5.1.2.2", "5.1.2.3"),
    "mask.size": ("5.4.2", "5.1.2.2", "5.1.2.3"),
    "mask.excused": ("", "", "5.1.1.3"),
    "mask.": ("5.2", "5.1.2.1", "5.1.2.1"),
    "document.results": ("", "Appendix C", "Appendix C"),
    "document.": ("", "Appendix C", "Appendix C"),
    "camera.condition": ("", "", "2.1.6"),
}
_COLUMNS = {
    RuleFamily.NC16: {TaskKind.SPLICE: "5.3.1.2"},
    RuleFamily.NC17: {TaskKind.PROVENANCE: "5.2", TaskKind.FILTERING: "5.2"},
    RuleFamily.MFC: {
        TaskKind.PROVENANCE: "5.2",
        TaskKind.FILTERING: "5.2",
        TaskKind.EVENT: "5.3",
        TaskKind.CAMERA: "5.4",
    },
}
_OTHER_COLUMNS = {RuleFamily.NC16: "5.3.1.1", RuleFamily.NC17: "5.1.1", RuleFamily.MFC: "5.1.1"}


def section_of(rule: str, profile: Profile) -> str:
    """The year and section that a rule is from, as ``NC2017, 5.1.2``; blank where it has none."""
    family = profile.family
    if family not in _YEARS:
        return ""
    if rule.startswith("columns."):
        section = _COLUMNS[family].get(profile.kind, _OTHER_COLUMNS[family])
    elif rule in ("status.known", "score.number") and profile.kind in _COLUMNS[family]:
        section = _COLUMNS[family][profile.kind]
    else:
        section = next(
            (of for start, of in _SECTIONS.items() if rule.startswith(start)), ("",) * 3
        )[list(_YEARS).index(family)]
    return f"{_YEARS[family]}, {section}" if section else ""

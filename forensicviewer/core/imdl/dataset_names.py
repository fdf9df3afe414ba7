"""The names of public datasets in their many spellings."""

from __future__ import annotations

import re

# How folders and test lists call them where nothing else tells: "CASIAv1", "IMD_20_1024".
_SPELLED = {
    "CASIA v1": r"casia[\s_-]*v?1(\.0)?",
    "CASIA v2": r"casia[\s_-]*v?2(\.0)?",
    "IMD2020": r"imd[\s_-]*(20)?20([\s_-]*1024)?",
    "NIST16": r"nist[\s_-]*(20)?16([\s_-]*1024)?",
    "COVERAGE": r"coverage",
    "Columbia": r"columbia([\s_-]*uncompressed)?",
    "Fantastic Reality": r"fantastic[\s_-]*reality",
    "tampCOCO": r"tamp(ered)?[\s_-]*coco",
    "compRAISE": r"(comp|jpeg)[\s_-]*raise",
}


def title_of(name: str) -> str:
    """The dataset of Table 10 that a folder or list entry is named after; otherwise blank."""
    found = (title for title, words in _SPELLED.items() if re.fullmatch(words, name.lower()))
    return next(found, "")


def dataset_key(name: str) -> str:
    """One key for all spellings of a dataset: CASIA1, CASIAv1 and "CASIA v1.0"."""
    return title_of(name) or "".join(sign for sign in name.casefold() if sign.isalnum())

"""The chosen values of a lens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LensSetting:
    """The values a user chose for one lens."""

    lens: str
    values: Mapping[str, int] = field(default_factory=dict)

"""How many images of which kind a public dataset has, by the IMDL-BenCo paper's Table 10."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forensicviewer.sources.imdl.pair import Pair


@dataclass(frozen=True, slots=True)
class Composition:
    """Authentic and manipulated images, and the manipulated ones by type where that is known."""

    authentic: int
    manipulated: int
    types: Mapping[str, int] | None = None

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Composition:
        targets, types = Counter[bool | None](), Counter[str]()
        for pair in pairs:
            targets[pair.is_target] += 1
            if pair.is_target and pair.manipulation:
                types[pair.manipulation] += 1
        return cls(targets[False], targets[True], types or None)

    def __str__(self) -> str:
        said = f"{self.manipulated} manipulated and {self.authentic} authentic images"
        if not self.types:
            return said
        return f"{said} ({', '.join(f'{count} {kind}' for kind, count in self.types.items())})"


def _types(copied: int, spliced: int, removed: int) -> dict[str, int]:
    named = {"copy-move": copied, "splice": spliced, "removal": removed}
    return {kind: count for kind, count in named.items() if count}


TABLE_10: Mapping[str, Composition] = {
    "CASIA v2": Composition(7491, 5123, _types(3274, 1849, 0)),
    "CASIA v1": Composition(0, 920, _types(459, 461, 0)),
    "IMD2020": Composition(414, 2010),
    "NIST16": Composition(0, 564, _types(236, 225, 103)),
    "COVERAGE": Composition(100, 100, _types(100, 0, 0)),
    "Columbia": Composition(183, 180, _types(0, 180, 0)),
    "Fantastic Reality": Composition(16592, 19423),
    "tampCOCO": Composition(0, 800_000),
    "compRAISE": Composition(24462, 0),
}


def differs(found: Composition, listed: Composition) -> bool:
    """Whether the counts differ; types only where both tell them."""
    if (found.authentic, found.manipulated) != (listed.authentic, listed.manipulated):
        return True
    return bool(found.types and listed.types and dict(found.types) != dict(listed.types))

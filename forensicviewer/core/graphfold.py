"""Which images disappear when the donors of an image are folded away."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from forensicviewer.core.provenance import Comparison, FileName


def donors_by_target(comparison: Comparison) -> dict[FileName, list[FileName]]:
    """The images pasted into each image, as far as the reference says."""
    donors: dict[FileName, list[FileName]] = {}
    for link in comparison.links:
        if link.reference is not None and link.reference.is_donor:
            donors.setdefault(link.target, []).append(link.source)
    return donors


def folded_away(comparison: Comparison, targets: Collection[FileName]) -> dict[FileName, FileName]:
    """Each image hidden when donors of ``targets`` are folded, with the image that hides it.

    A donor goes with everything that leads to it alone. What also leads elsewhere stays, and so
    does the probe.
    """
    before, after = _neighbours(link.ends for link in comparison.links)
    donors = donors_by_target(comparison)
    hidden: dict[FileName, FileName] = {}
    for target in targets:
        waiting = list(donors.get(target, ()))
        while waiting:
            name = waiting.pop()
            leads_only_here = after.get(name, set()) <= {target, *hidden}
            if name in hidden or name == comparison.probe or not leads_only_here:
                continue
            hidden[name] = target
            waiting.extend(before.get(name, ()))
    return hidden


def _neighbours(
    ends: Iterable[tuple[FileName, FileName]],
) -> tuple[Mapping[FileName, set[FileName]], Mapping[FileName, set[FileName]]]:
    before: dict[FileName, set[FileName]] = {}
    after: dict[FileName, set[FileName]] = {}
    for source, target in ends:
        before.setdefault(target, set()).add(source)
        after.setdefault(source, set()).add(target)
    return before, after

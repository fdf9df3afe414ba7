"""Finds the images that disappear when donors are folded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from forensicviewer.core.graph.provenance import Comparison, FileName
from forensicviewer.core.graph.unscored import Unscored


def donors_by_target(
    comparison: Comparison, unscored: Unscored | None = None
) -> dict[FileName, list[FileName]]:
    """The images pasted into each image, according to the reference and the journal."""
    donors: dict[FileName, list[FileName]] = {}
    for link in comparison.links:
        if link.reference is not None and link.reference.is_donor:
            donors.setdefault(link.target, []).append(link.source)
    for step in (unscored or Unscored()).links.values():
        if step.link.is_donor:
            donors.setdefault(step.target, []).append(step.source)
    return donors


def folded_away(
    comparison: Comparison, targets: Collection[FileName], unscored: Unscored | None = None
) -> dict[FileName, FileName]:
    """Each image hidden when donors of ``targets`` are folded, with the image that hides it.

    A donor goes with everything that leads to it alone. What also leads elsewhere stays, and so
    does the probe. For an image that counts, only links that count lead elsewhere: the journal's
    own steps between its images are the same way once more.
    """
    around = unscored or Unscored()
    counted = [link.ends for link in comparison.links]
    before, _ = _neighbours((*counted, *around.links))
    _, after = _neighbours((*counted, *(x for x in around.links if x[0] in around.nodes)))
    donors = donors_by_target(comparison, around)
    hidden: dict[FileName, FileName] = {}
    for target in targets:
        waiting = list(donors.get(target, ()))
        while waiting:
            name = waiting.pop()
            leads_only_here = all(
                other == target or other in hidden for other in after.get(name, ())
            )
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

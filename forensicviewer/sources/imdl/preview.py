"""What each way of pairing would make of a dataset, before anybody relies on one of them.

Reads names and a sample of masks; what a list names outside of the allowed folders is counted, and
nothing of it is read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forensicviewer.core.problem import DatasetError
from forensicviewer.sources.imdl.checks import SAMPLED, PairCheck, PolarityEvidence, sample
from forensicviewer.sources.imdl.dataset import (
    DatasetChoices,
    find_candidates,
    find_listed,
    tree_of,
)
from forensicviewer.sources.imdl.known import find_known
from forensicviewer.sources.imdl.lists import ListFile, read_list
from forensicviewer.sources.imdl.pair import MaskRule, Pair
from forensicviewer.sources.imdl.pairing import Matches, Pairing, by_position, by_stem
from forensicviewer.sources.imdl.places import Finder, Roots
from forensicviewer.sources.media import masks as media_masks


@dataclass(frozen=True, slots=True)
class Preview:
    """Each manipulated image with the mask every pairing gives it; names are below ``root``.

    ``usual`` is the pairing that is taken unless another is chosen. ``outside`` counts the files
    of a list by the folders nobody has allowed. ``title`` names a published dataset.
    """

    path: Path
    root: Path
    images: tuple[str, ...]
    masks: Mapping[Pairing, Mapping[str, str]]
    usual: Pairing
    title: str = ""
    evidence: str = ""
    outside: tuple[tuple[str, int], ...] = ()
    polarity: PolarityEvidence = field(default_factory=lambda: PolarityEvidence(0, 0))
    rule: MaskRule = MaskRule.WHITE
    differing: tuple[int, ...] = ()

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        return tuple(self.masks)

    def mask_of(self, image: str, pairing: Pairing) -> str:
        return self.masks.get(pairing, {}).get(image, "")

    def paired(self, pairing: Pairing) -> int:
        """How many images get a mask."""
        return sum(map(bool, self.masks.get(pairing, {}).values()))


def preview_dataset(path: Path, choices: DatasetChoices) -> Preview:
    """The pairings of a folder or list; raises DatasetError where nothing can be paired."""
    path = path.absolute()
    found = _of_folder(path, choices) if path.is_dir() else _of_list(path, choices)
    # The settled polarity says how masks are read, and so what share of an image they mark.
    rule = found.rule
    if choices.polarity is not None:
        is_black = choices.polarity is media_masks.Polarity.BLACK
        rule = MaskRule.BLACK if is_black else MaskRule.WHITE
    check = PairCheck(found.root, where=path.name)
    chosen = found.masks.get(choices.pairing or found.usual, {})
    pairs = [Pair(image, mask, rule=rule) for image, mask in chosen.items() if mask]
    for pair in sample(pairs, SAMPLED):
        check.look_at(pair)
    return replace(found, rule=rule, polarity=check.polarity, differing=_differing(found))


def _of_folder(path: Path, choices: DatasetChoices) -> Preview:
    tree = tree_of(path)
    known = find_known(tree)
    if known is not None:
        targets = [pair for pair in known.pairs if pair.is_target and pair.image]
        named = {pair.image: pair.mask for pair in targets}
        masks = sorted({pair.mask for pair in targets if pair.mask} | {*known.left_over})
        rule = next((pair.rule for pair in targets), MaskRule.WHITE)
        found = _preview(path, named, masks, title=known.title, evidence=known.evidence)
        found = replace(found, rule=rule)
    else:
        candidates = find_candidates(tree)
        if candidates is None:
            raise DatasetError(
                "The folder contains no images with masks", where=path, rule="imdl.nothing"
            )
        matches = by_stem(candidates.images, candidates.masks)
        found = _preview(path, matches.masks, candidates.masks, evidence=candidates.evidence)
    if choices.pairs is None:
        return found
    roots = replace(choices.roots, folders=(*choices.roots.folders, path))
    return _with_list(found, choices.pairs, read_list(choices.pairs), roots)


def _preview(
    path: Path, named: Mapping[str, str], masks: Sequence[str], *, title: str = "", evidence: str
) -> Preview:
    images = tuple(named)
    placed = by_position(images, masks)
    pairings = {Pairing.STEM: named, Pairing.POSITION: placed.masks}
    return Preview(path, path, images, pairings, Pairing.STEM, title, evidence)


def _with_list(found: Preview, path: Path, listed: ListFile, roots: Roots) -> Preview:
    pairs, outside = find_listed(listed, Finder(path.parent, roots), found.root)
    by_list = {pair.image: pair.mask for pair in pairs if pair.is_target is not False}
    images = tuple(dict.fromkeys((*found.images, *by_list)))
    masks = {**found.masks, Pairing.LIST: by_list}
    return replace(
        found, images=images, masks=masks, usual=Pairing.LIST, outside=tuple(outside.items())
    )


def _of_list(path: Path, choices: DatasetChoices) -> Preview:
    listed = read_list(path)
    if listed.members:
        return _of_members(path, listed, choices)
    root = Path(os.path.commonpath(choices.roots.allowed(path.parent)))
    empty = Preview(path, root, (), {}, Pairing.LIST, evidence=f"{listed.kind} {path.name}")
    found = _with_list(empty, path, listed, choices.roots)
    masks = [mask for mask in found.masks[Pairing.LIST].values() if mask]
    named, placed = by_stem(found.images, masks), by_position(found.images, masks)
    others: dict[Pairing, Matches] = {Pairing.STEM: named, Pairing.POSITION: placed}
    added = {pairing: matches.masks for pairing, matches in others.items()}
    return replace(found, masks={**found.masks, **added})


def _of_members(path: Path, listed: ListFile, choices: DatasetChoices) -> Preview:
    """The first dataset of a list of datasets that can be reached, and which cannot."""
    finder, outside = Finder(path.parent, choices.roots), Counter[str]()
    found: Preview | None = None
    for _, place in listed.members:
        where = finder.find(place)
        if where is None or not where.exists():
            outside[place] += 1
        elif found is None:
            found = preview_dataset(where, choices)
    if found is None:
        found = Preview(path, path.parent, (), {}, Pairing.LIST, evidence=listed.kind)
    return replace(found, path=path, outside=(*found.outside, *outside.items()))


def _differing(found: Preview) -> tuple[int, ...]:
    """The rows in which pairings disagree."""
    tables = list(found.masks.values())
    return tuple(
        number
        for number, image in enumerate(found.images)
        if len({table.get(image, "") for table in tables}) > 1
    )

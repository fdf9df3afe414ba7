"""What only several trials tell: masks of other trials, the same files, nearly the same probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.quality.image_check import CheckedTrial, similarity
from forensicviewer.core.array import U8Image
from forensicviewer.core.model import Task, TaskKind, Trial
from forensicviewer.core.problem import ForensicViewerError, Severity
from forensicviewer.core.quality.rule import Suspect
from forensicviewer.core.similarity import EDGE_PX, comparable, pairs_by_hash, perceptual_hash
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import digest, read_image, thumbnail

_ALIKE = 0.97
_FITS_OWN = 0.3
_FITS_OTHER = 0.6
_MOST_SHARING = 2


@dataclass(frozen=True, slots=True, eq=False)
class Prints:
    """What a trial's files are recognised by; empty where they cannot be read."""

    probe: str = ""
    mask: str = ""
    hash: int | None = None


def take_prints(task: Task, trial: Trial) -> Prints:
    """Digests of probe and mask, and how the probe looks."""
    mask = trial.reference or trial.bit_planes or ""
    probe = _digest(task, trial.probe.name)
    if not probe or task.kind is TaskKind.VIDEO:
        return Prints(probe, _digest(task, mask))
    try:
        path = resolve(Path(task.root), trial.probe.name)
        look = comparable(thumbnail(path, edge_px=EDGE_PX))
    except (ForensicViewerError, OSError):
        return Prints(probe, _digest(task, mask))
    return Prints(probe, _digest(task, mask), perceptual_hash(look))


def _digest(task: Task, name: str) -> str:
    if not name:
        return ""
    try:
        path = resolve(Path(task.root), name)
        if not path.is_file():
            return ""
        return digest(path)
    except (ForensicViewerError, OSError):
        return ""


def same_files(
    trials: Sequence[Trial], prints: Mapping[int, Prints]
) -> Iterator[tuple[int, Suspect]]:
    """Probes that are the same file under another id, and masks that several probes share."""
    for places in _groups({row: prints[row].probe for row in prints}):
        ids = {trials[row].probe.id for row in places}
        if len(ids) > 1:
            for row in places:
                other = next(t for t in places if trials[t].probe.id != trials[row].probe.id)
                text = f"{trials[row].probe.name} has the same bytes as the probe of"
                text = f"{text} {trials[other].id}"
                yield row, Suspect("duplicate", text, 0.9, other=other)
    shared = {row: prints[row].mask for row in prints}
    for places in _groups(shared):
        by_probe = {prints[row].probe or trials[row].probe.id: row for row in places}
        related = {trials[row].facts.get("BaseFileName", "") for row in places}
        has_one_base = len(related) == 1 and "" not in related
        if len(by_probe) < 2 or has_one_base:
            continue
        is_common = len(by_probe) > max(_MOST_SHARING, len(trials) // 20)
        severity = Severity.NOTE if is_common else None
        for row in by_probe.values():
            other = next(r for r in by_probe.values() if r != row)
            text = f"The mask has the same bytes as that of {trials[other].id}"
            yield row, Suspect("same-mask", text, 0.6, severity=severity, other=other)


def _groups(keys: Mapping[int, str]) -> Iterator[list[int]]:
    found: dict[str, list[int]] = {}
    for row, key in keys.items():
        if key:
            found.setdefault(key, []).append(row)
    yield from (rows for rows in found.values() if len(rows) > 1)


def near_duplicates(
    task: Task, trials: Sequence[Trial], prints: Mapping[int, Prints], check: Callable[[], None]
) -> Iterator[tuple[int, Suspect]]:
    """Probes that look the same: as ``forensicviewer duplicates`` finds them, hashes first.

    Versions made of one base are expected to be alike, which is a note.
    """
    # The same file again is a duplicate, told elsewhere; the same probe in two trials is none.
    first: dict[str, int] = {}
    for row, taken in prints.items():
        if taken.hash is not None:
            first.setdefault(taken.probe, row)
    rows = list({trials[row].probe.id: row for row in reversed(first.values())}.values())[::-1]

    def read(place: int) -> U8Image:
        check()
        path = resolve(Path(task.root), trials[rows[place]].probe.name)
        return comparable(read_image(path).pixels)

    hashes = [prints[row].hash or 0 for row in rows]
    pairs = pairs_by_hash(hashes, read, threshold=_ALIKE, progress=lambda _done, _all: None)
    for i, j, index in pairs:
        row, other = rows[i], rows[j]
        severity = Severity.NOTE if _are_related(trials[row], trials[other]) else None
        text = f"Structural similarity with {trials[row].id} {index:.3f}"
        yield other, Suspect("near-duplicate", text, index / 2, severity=severity, other=row)


def _are_related(one: Trial, other: Trial) -> bool:
    """Whether two probes are known to come from one image: then they look alike for a reason."""
    names = []
    for trial in (one, other):
        facts = trial.facts
        names_here = (
            facts.get("BaseFileName", ""),
            facts.get("JournalName", ""),
            trial.control or "",
        )
        names.append({trial.probe.name, *names_here} - {""})
    return bool(names[0] & names[1]) or one.is_target is not other.is_target


def masks_of_others(
    trials: Sequence[Trial], checked: Mapping[int, CheckedTrial]
) -> Iterator[tuple[int, Suspect]]:
    """Masks that fit the change of another trial, or whose change another's mask fits."""
    exact = {row: one for row, one in checked.items() if one.area is not None}
    for row, one in exact.items():
        if one.fits is None or one.fits >= _FITS_OWN or one.change is None:
            continue
        # Inverted, flipped or moved, it may fit its own trial better than any other.
        best, other = max(-one.fits, *(s.mended for s in one.suspects), 0.0), -1
        for number, candidate in exact.items():
            if number == row or trials[number].probe.id == trials[row].probe.id:
                continue
            assert candidate.area is not None
            fit = similarity(candidate.area, one.change)
            if candidate.change is not None and one.area is not None:
                fit = max(fit, similarity(one.area, candidate.change))
            if fit > best:
                best, other = fit, number
        if other >= 0 and best >= max(_FITS_OTHER, one.fits + 0.3):
            text = f"Correlation with its own change {one.fits:.2f},"
            text += f" with {trials[other].id} {best:.2f}"
            yield row, Suspect("other-trial", text, 0.95, other=other)

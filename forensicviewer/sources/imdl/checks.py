"""Looks at images and masks for what goes wrong with these datasets, and says what was seen.

Each check has a real victim: masks of 0 and 1 that read as black, colour masks, inverted ones, one
turned by 90 degrees. Masks are decoded, so large datasets are sampled evenly unless all are asked
for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from filecmp import cmp
from pathlib import Path

import numpy as np

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.core.problem import (
    ForensicViewerError,
    Problem,
    ProblemLog,
    Severity,
    UnsafePathError,
)
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.imdl.masks import area_of
from forensicviewer.sources.imdl.pair import MaskRule, Pair
from forensicviewer.sources.media.formats import Format
from forensicviewer.sources.media.headers import read_header
from forensicviewer.sources.media.masks import read_colour_reference
from forensicviewer.sources.media.npz import read_npz

POLARITY = "imdl.polarity-uncertain"
SAMPLED = 64
_NAMED = 20  # problems of one kind that are named one by one
_FEW_LEVELS = 3
_MOST_ALIKE = 8  # uncompressed images all have one length; more are not compared with each other


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one mask shows; ``share`` is the share of pixels called manipulated by its rule."""

    share: float
    highest: int
    levels: int
    is_coloured: bool


@dataclass(frozen=True, slots=True)
class PolarityEvidence:
    """What the masks looked at say about which colour means manipulated."""

    looked_at: int
    mostly_marked: int

    @property
    def looks_inverted(self) -> bool:
        """Whether most masks mark more than half of their image."""
        return self.looked_at > 0 and 2 * self.mostly_marked > self.looked_at

    @property
    def evidence(self) -> str:
        return (
            f"{self.mostly_marked} of the {self.looked_at} checked masks mark more than half "
            "of their image"
        )


class PairCheck:
    """Checks pairs one by one and tells what was found at the end."""

    def __init__(self, root: Path, *, where: str) -> None:
        self._root = root
        self._where = where
        self._found: dict[str, list[Problem]] = {}
        self._looked_at = 0
        self._mostly_marked = 0
        self._images: dict[int, list[str]] = {}  # by how many bytes they have

    def look_at(self, pair: Pair) -> None:
        """Measure both files, and look into the mask."""
        if self.measure(pair):
            self._look_into(pair)

    def measure(self, pair: Pair) -> bool:
        """Check that both files are there and of one size; whether the mask can be looked into."""
        size = self._size_of(pair, pair.image, "image")
        if size is not None:
            self._tell_twin(pair)
        if not pair.mask or pair.rule is MaskRule.POLYGONS:
            return False
        mask_size = self._size_of(pair, pair.mask, "mask")
        if mask_size is None:
            return False
        if size is not None and size != mask_size:
            self._tell(
                pair,
                f"The mask is {mask_size}, its image {size}: {compare(mask_size, size)}",
                "IMDL-BenCo stops here; the image is not scored until the sizes match",
                rule="imdl.mask-size",
            )
        return True

    @property
    def polarity(self) -> PolarityEvidence:
        return PolarityEvidence(self._looked_at, self._mostly_marked)

    def problems(self) -> tuple[Problem, ...]:
        log = ProblemLog()
        for found in self._found.values():
            log.extend(found[:_NAMED])
            left = len(found) - _NAMED
            if left > 0:
                more = replace(found[-1], message=f"{left} more problems of this kind", times=left)
                log.add(replace(more, where=self._where, trial=None))
        return log.freeze()

    def _size_of(self, pair: Pair, name: str, what: str) -> Size | None:
        try:
            path = resolve(self._root, name)
            if not path.is_file():
                self._tell(pair, f"The {what} does not exist", "", rule="imdl.missing", name=name)
                return None
            if path.stat().st_size == 0:
                message = f"The {what} is empty (0 bytes)"
                self._tell(pair, message, "download it again", rule="imdl.no-bytes", name=name)
                return None
            header = read_header(path)
        except (ForensicViewerError, OSError) as error:
            self._tell_error(pair, name, error)
            return None
        if header.format is Format.NPZ:
            return self._npz_size(pair, name, path)
        return header.size

    def _tell_twin(self, pair: Pair) -> None:
        """Tell where an image has the bytes of an earlier one; only equal lengths are compared."""
        try:
            path = resolve(self._root, pair.image)
            alike = self._images.setdefault(path.stat().st_size, [])
            twin = next(
                (
                    name
                    for name in alike
                    if name != pair.image and cmp(path, resolve(self._root, name), shallow=False)
                ),
                None,
            )
        except (ForensicViewerError, OSError) as error:
            self._tell_error(pair, pair.image, error)
            return
        if twin is None:
            if pair.image not in alike and len(alike) < _MOST_ALIKE:
                alike.append(pair.image)
            return
        self._tell(
            pair,
            f"The image has the same bytes as {twin}",
            "keep one; 'forensicviewer duplicates' also finds similar images",
            rule="imdl.same-image",
            name=pair.image,
        )

    def _npz_size(self, pair: Pair, name: str, path: Path) -> Size | None:
        try:
            return Size.of(read_npz(path).pixels)
        except ForensicViewerError as error:
            self._tell_error(pair, name, error)
            return None

    def _look_into(self, pair: Pair) -> None:
        try:
            path = resolve(self._root, pair.mask)
            if read_header(path).format is Format.NPZ:
                area = read_npz(path).pixels > 0
                seen = _Seen(float(area.mean()), 255, 2, is_coloured=False)
            else:
                seen = _seen(read_colour_reference(path), pair.rule)
        except (ForensicViewerError, OSError) as error:
            self._tell_error(pair, pair.mask, error)
            return
        self._looked_at += 1
        self._mostly_marked += seen.share > 0.5
        self._tell_values(pair, seen)

    def _tell_values(self, pair: Pair, seen: _Seen) -> None:
        if seen.highest == 1:
            message = "The mask holds 0 and 1, so IMDL-BenCo reads it as all black"
            is_read = pair.rule is MaskRule.ANY
            hint = "here 1 counts as manipulated" if is_read else "write 255 in place of 1"
            self._tell(pair, message, hint, rule="imdl.zero-one")
        elif seen.is_coloured and pair.rule is not MaskRule.GREEN:
            message = "The mask is coloured; IMDL-BenCo reads the mean of its colours"
            self._tell(pair, message, "convert it to black and white", rule="imdl.colour-mask")
        elif seen.share == 0 and pair.is_target:
            message = "The mask of a manipulated image marks nothing"
            self._tell(
                pair,
                message,
                "check whether the image is authentic or its mask inverted",
                rule="imdl.black-mask",
            )
        if seen.levels > _FEW_LEVELS and pair.rule is not MaskRule.GREEN and not seen.is_coloured:
            message = f"The mask has {seen.levels} grey levels"
            hint = "it may have been resized or stored as JPEG; it is cut at 127.5"
            if pair.rule is MaskRule.ANY:
                hint = "every level above 0 counts as manipulated"
            self._tell(pair, message, hint, rule="imdl.grey-levels", severity=Severity.NOTE)

    def _tell_error(self, pair: Pair, name: str, error: ForensicViewerError | OSError) -> None:
        message = error.message if isinstance(error, ForensicViewerError) else str(error.strerror)
        hint = error.hint if isinstance(error, ForensicViewerError) else ""
        rule = "imdl.unsafe" if isinstance(error, UnsafePathError) else "imdl.unreadable"
        self._tell(pair, message, hint, rule=rule, name=name)

    def _tell(
        self,
        pair: Pair,
        message: str,
        hint: str,
        *,
        rule: str,
        name: str = "",
        severity: Severity = Severity.WARNING,
    ) -> None:
        where = name or pair.mask
        self._found.setdefault(rule, []).append(Problem(severity, message, where, hint, rule))


def sample(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Pairs spread evenly over a dataset; those with masks first."""
    with_masks = [pair for pair in pairs if pair.mask] or list(pairs)
    if len(with_masks) <= most:
        others = [pair for pair in pairs if not pair.mask][: most - len(with_masks)]
        return [*with_masks, *(others if with_masks != list(pairs) else [])]
    step = len(with_masks) / most
    return [with_masks[int(step * number)] for number in range(most)]


def compare(mask: Size, image: Size) -> str:
    """What happened to a mask of another size than its image."""
    if (mask.width, mask.height) == (image.height, image.width):
        return "turned by 90°"
    across, down = mask.width / image.width, mask.height / image.height
    # A few pixels more on both edges are a slip of a crop, not a scale.
    if abs(across - down) < 0.02 * max(across, down) and abs(across - 1) > 0.05:
        return f"scaled by {across:.3g}"
    off = ((mask.width - image.width, "width"), (mask.height - image.height, "height"))
    return "off by " + " and ".join(f"{abs(each)} px in {edge}" for each, edge in off if each)


def _seen(colours: RgbImage, rule: MaskRule) -> _Seen:
    spread = colours.max(axis=2).astype(np.int16) - colours.min(axis=2)
    levels = np.bincount(colours[:, :, 1].ravel(), minlength=256)
    return _Seen(
        share=float(area_of(colours, rule).mean()),
        highest=int(colours.max()),
        levels=int(np.count_nonzero(levels)),
        is_coloured=bool((spread > 60).any()),
    )

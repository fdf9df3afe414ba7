"""What the user settled about one dataset of images and masks; kept with its session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.model import Submission, TaskKind

if TYPE_CHECKING:
    from forensicviewer.sources.imdl.dataset import DatasetChoices


@dataclass(frozen=True, slots=True)
class Settled:
    """The words of ``--pairing``, ``--reference-polarity``, ``--root`` and ``--map``.

    Blank where nothing was said.
    """

    pairing: str = ""
    polarity: str = ""
    roots: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()

    @property
    def is_said(self) -> bool:
        return self != Settled()

    def choices(self) -> DatasetChoices:
        """What they mean; raises UsageError where they mean nothing."""
        # The readers of every layout: not needed before a dataset is opened.
        from forensicviewer.app.imdl.choices import make_choices

        return make_choices(
            roots=[Path(root) for root in self.roots],
            maps=self.maps,
            pairing=self.pairing or None,
            reference_polarity=self.polarity or None,
        )


def inverted_among(submissions: Sequence[Submission]) -> tuple[int, ...]:
    """The positions of the submissions whose maps are read with black as manipulated."""
    if not any(one.kind is TaskKind.IMDL for one in submissions):
        return ()
    from forensicviewer.app.imdl.question import is_read_inverted

    return tuple(n for n, one in enumerate(submissions) if is_read_inverted(one))


def derived_among(submissions: Sequence[Submission]) -> tuple[tuple[int, str], ...]:
    """How image scores are derived from maps, by position, where the user chose it."""
    if not any(one.kind is TaskKind.IMDL for one in submissions):
        return ()
    from forensicviewer.app.imdl.question import derived_by
    from forensicviewer.app.imdl.settings import ImageScore

    chosen = [(n, derived_by(one)) for n, one in enumerate(submissions)]
    return tuple((n, how.value) for n, how in chosen if how is not ImageScore.MAX)


def read_as_before(
    workbench: Workbench, inverted: Iterable[int], derived: Iterable[tuple[int, str]]
) -> None:
    """Read the maps of these submissions so again, and derive image scores from them so again."""
    submissions = workbench.state.submissions
    is_black, how = set(inverted), dict(derived)
    at = [n for n in sorted(is_black | how.keys()) if submissions[n].kind is TaskKind.IMDL]
    if not at:
        return
    from forensicviewer.app.imdl.question import with_derived, with_polarity
    from forensicviewer.app.imdl.settings import ImageScore
    from forensicviewer.sources.media.masks import Polarity

    read = {n: submissions[n] for n in at}
    read |= {n: with_polarity(one, Polarity.BLACK) for n, one in read.items() if n in is_black}
    read |= {n: with_derived(one, ImageScore(how[n])) for n, one in read.items() if n in how}
    workbench.add_submissions(list(read.values()))

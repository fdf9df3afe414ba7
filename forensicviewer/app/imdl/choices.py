"""What options of the command line, the Python API and the window settle about a dataset."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from forensicviewer.app.imdl.settings import polarity_named
from forensicviewer.core.problem import UsageError
from forensicviewer.sources.imdl.dataset import DatasetChoices
from forensicviewer.sources.imdl.pairing import Pairing
from forensicviewer.sources.imdl.places import Roots


def make_choices(
    *,
    roots: Iterable[Path] = (),
    maps: Iterable[str] = (),
    pairing: str | None = None,
    reference_polarity: str | None = None,
) -> DatasetChoices:
    """``pairing`` is ``stem``, ``position`` or the name of a list of images and masks."""
    chosen, pairs = None, None
    if pairing in (Pairing.STEM.value, Pairing.POSITION.value):
        chosen = Pairing(pairing)
    elif pairing is not None:
        chosen, pairs = Pairing.LIST, Path(pairing).absolute()
        if not pairs.is_file():
            raise UsageError(
                f"{pairing!r} is not a valid way to pair",
                hint="use stem, position or the name of a list of images and masks",
            )
    return DatasetChoices(
        Roots.of(tuple(roots), tuple(maps)), chosen, pairs, polarity_named(reference_polarity)
    )

"""Options for datasets of images and masks: where the files are, and what they mean."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forensicviewer.app.session.settled import Settled
    from forensicviewer.sources.imdl.dataset import DatasetChoices


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the options for folders that a list may refer to besides its own."""
    parser.add_argument(
        "--root",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="folder in which files of a list may be, besides the list's own; may be repeated",
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="OLD=NEW",
        help="replace folder OLD in a list by folder NEW on this computer; may be repeated",
    )


def add_meaning(parser: argparse.ArgumentParser) -> None:
    """Add the options for pairing images with masks, and for their polarity."""
    parser.add_argument(
        "--reference-polarity",
        choices=["white", "black"],
        help="colour that means manipulated in the masks of the dataset (default: as in the "
        "layout)",
    )
    parser.add_argument(
        "--pairing",
        metavar="stem|position|FILE",
        help="how images and masks are paired: by name, by position, or by a list",
    )


def choices_of(options: argparse.Namespace) -> DatasetChoices:
    """The choices that the options make."""
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.imdl.choices import make_choices

    return make_choices(
        roots=options.root,
        maps=options.map,
        pairing=getattr(options, "pairing", None),
        reference_polarity=getattr(options, "reference_polarity", None),
    )


def settled_of(options: argparse.Namespace) -> Settled | None:
    """The same for what opens as the window does; ``None`` where nothing is said."""
    from forensicviewer.app.session.settled import Settled

    settled = Settled(
        pairing=options.pairing or "",
        polarity=options.reference_polarity or "",
        roots=tuple(map(str, options.root)),
        maps=tuple(options.map),
    )
    if not settled.is_said:
        return None
    settled.choices()  # what means nothing is refused before anything is opened
    return settled

"""``forensicviewer demo``: the sample in the window, or as pictures where there is no display."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import Command, ExitCode
from forensicviewer.cli.open import has_display, show_window

_TOUR = (
    ("1-inspect", "inspect", "light"),
    ("2-inspect-dark", "inspect", "dark"),
    ("3-annotate", "annotate", "light"),
    ("4-adjudicate-dark", "adjudicate", "dark"),
)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="where pictures go when there is no display (default: %(default)s)",
    )
    parser.add_argument(
        "--pictures", action="store_true", help="draw pictures even where there is a display"
    )


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.sample import sample_places

    with console.Progress("Painting the sample") as progress:
        dataset, submissions = sample_places(progress=progress)
    if has_display() and not options.pictures:
        return show_window(dataset, submissions, is_fresh=True)
    return _draw_tour(dataset, submissions, options.out)


def _draw_tour(dataset: Path, submissions: tuple[Path, ...], out: Path) -> int:
    # Before Qt is imported: it then needs neither a display nor its libraries.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from forensicviewer.app.desk import OpenRequest
    from forensicviewer.ui.rendering import Drawing, draw

    console.say("There is no display; drawing the tour into files instead")
    request = OpenRequest(dataset, submissions)
    written = []
    for name, layout, theme in _TOUR:
        path = out / f"{name}.png"
        drawing = Drawing(layout, 1440, 900, theme, has_window=True, has_scores=True)
        draw(request, drawing, path)
        written.append(path)
    sheet = out / "5-sheet.png"
    draw(request, Drawing(layout="inspect"), sheet)
    for path in (*written, sheet):
        console.say(str(path))
    return ExitCode.FINE


COMMAND = Command("demo", "Show the sample: a tour of the program", _add_options, _run)

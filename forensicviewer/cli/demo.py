"""``forensicviewer demo``: the sample in the window, or as files where there is no display."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand
from forensicviewer.cli.display import needing_qt, why_no_display
from forensicviewer.cli.open import show_window
from forensicviewer.cli.score import all_scorers


@dataclass(frozen=True, slots=True)
class _Stop:
    """One image of the tour; ``task`` names the submissions that answer it."""

    name: str
    layout: str
    theme: str
    task: str = "image"


_TOUR = (
    _Stop("1-inspect", "inspect", "light"),
    _Stop("2-inspect-dark", "inspect", "dark"),
    _Stop("3-annotate", "annotate", "light"),
    _Stop("4-adjudicate-dark", "adjudicate", "dark"),
    _Stop("5-video", "video", "light", "video"),
    _Stop("6-graph-dark", "graph", "dark", "provenance"),
)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="output folder if there is no display (default: %(default)s)",
    )
    parser.add_argument(
        "--files", action="store_true", help="write files even if there is a display"
    )


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.sample import (
        paint_in_subprocess,
        sample_answers,
        sample_places,
    )

    with console.ProgressLine("Painting the sample") as progress:
        # Apart: the window would keep what the painter needed, most of a gigabyte.
        dataset, submissions = sample_places(progress=progress, paint=paint_in_subprocess)
    why = why_no_display()
    if not (why or options.files):
        return show_window(dataset, submissions, is_fresh=True)
    console.say(f"{f'{why}, so the' if why else 'The'} tour of the sample is written to files:")
    _draw_tour(dataset, {stop.task: sample_answers(stop.task) for stop in _TOUR}, options.out)
    _score(dataset, submissions[0], options.out / "score")
    return ExitCode.FINE


def _draw_tour(dataset: Path, answers: dict[str, tuple[Path, ...]], out: Path) -> None:
    # Before Qt is imported: it then needs no display.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from forensicviewer.app.session.open_request import OpenRequest

    with needing_qt("Nothing can be drawn"):
        from forensicviewer.ui.shell.rendering import RenderOptions, draw
    for stop in _TOUR:
        path = out / f"{stop.name}.png"
        drawing = RenderOptions(
            stop.layout, 1440, 900, stop.theme, has_window=True, has_scores=True
        )
        draw(OpenRequest(dataset, answers[stop.task]), drawing, path)
        console.say(str(path))
    sheet = out / "7-sheet.png"
    draw(OpenRequest(dataset, answers["image"]), RenderOptions(), sheet)
    console.say(str(sheet))


def _score(dataset: Path, submission: Path, out: Path) -> None:
    parser = argparse.ArgumentParser()
    all_scorers.COMMAND.add_options(parser)
    given = [str(dataset), str(submission), "--out", str(out), "--html", "--quiet"]
    all_scorers.COMMAND.run(parser.parse_args(given))
    for page in sorted(out.rglob("*.html")):
        console.say(str(page))


COMMAND = Subcommand("demo", "Show the sample: a tour of the program", _add_options, _run)

"""``forensicviewer render``: draws what the window shows to a file, without a display."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand, add_dataset, add_submissions, exit_code
from forensicviewer.cli.display import needing_qt
from forensicviewer.cli.imdl_options import add_meaning, add_places, settled_of
from forensicviewer.core.problem import UsageError

_LAYOUTS = (
    "inspect, annotate, adjudicate, video, graph, detect, or up to six panes such as"
    " probe,comparison;"
    " panes are probe, reference, system, comparison, base, second-system, second-comparison,"
    " donor, donor-reference, donor-system, donor-comparison, layer:NAME or second-layer:NAME"
    " of a prediction, and lens:NAME or donor-lens:NAME"
    " with its values, as lens:ela:quality=85:gain=20"
)
_ENDINGS = (".png", ".jpg", ".jpeg", ".svg", ".pdf", ".graphml", ".csv")


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_dataset(parser)
    add_submissions(
        parser,
        help_="submission folders, tables or archives; a second one is drawn beside the first",
    )
    parser.add_argument("--trial", metavar="ID", help="trial to draw (default: the first)")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="PNG, JPEG or SVG file to write; a graph also as PDF, GraphML or CSV",
    )
    parser.add_argument(
        "--layout", default="inspect", metavar="LAYOUT", help=f"{_LAYOUTS} (default: %(default)s)"
    )
    parser.add_argument(
        "--size", default="1600x1000", metavar="WxH", help="size in pixels (default: %(default)s)"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="draw one pane with every pixel of the image, at the size this needs",
    )
    parser.add_argument(
        "--theme",
        default="light",
        choices=["light", "dark"],
        help="colours of the drawing or window (default: %(default)s)",
    )
    parser.add_argument(
        "--threshold",
        type=int,
        metavar="T",
        help="threshold on the dataset's own scale (default: the optimum)",
    )
    parser.add_argument(
        "--frame",
        type=int,
        metavar="N",
        help="frame of a video, from 1 (default: a manipulated one)",
    )
    _add_look(parser)
    _add_what_is_open(parser)


def _add_what_is_open(parser: argparse.ArgumentParser) -> None:
    add_places(parser)
    add_meaning(parser)
    parser.add_argument("--window", action="store_true", help="draw the whole window")
    parser.add_argument(
        "--scores", action="store_true", help="score every trial first, for the list in the window"
    )
    parser.add_argument("--quiet", action="store_true", help="print only errors")


def _add_look(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--palette",
        default="nist",
        choices=["nist", "okabe-ito", "high-contrast", "plan"],
        help="colours of the outcomes (default: %(default)s)",
    )
    parser.add_argument(
        "--overlay",
        default="fill",
        choices=["fill", "contour"],
        help="how outcomes are drawn over the image (default: %(default)s)",
    )
    parser.add_argument(
        "--opacity",
        type=int,
        default=70,
        metavar="PERCENT",
        help="opacity of filled outcomes (default: %(default)s)",
    )
    parser.add_argument(
        "--system-style",
        default="grey",
        choices=["grey", "heat", "thresholded"],
        help="how system masks are drawn (default: %(default)s)",
    )


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.report.overwrite import require_no_input

    width, height = _size(options.size)
    if not 0 <= options.opacity <= 100:
        raise UsageError(
            f"{options.opacity} is not a valid opacity (0 to 100)",
            hint="choose a value from 0 to 100",
        )
    _require_known_ending(options.out)
    require_no_input(options.out, inputs=(options.dataset, *options.submissions))
    # Before Qt is imported: it then needs no display.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from forensicviewer.app.session.open_request import OpenRequest
    from forensicviewer.app.workbench.state import Look, OverlayStyle, SystemStyle
    from forensicviewer.core.palette import PaletteName

    with needing_qt("Nothing can be drawn"):
        from forensicviewer.ui.shell.rendering import RenderOptions, draw
    request = OpenRequest(
        options.dataset,
        tuple(options.submissions),
        options.task,
        options.trial,
        settled=settled_of(options),
    )
    look = Look(
        palette=PaletteName[options.palette.replace("-", "_").upper()],
        overlay=OverlayStyle(options.overlay),
        opacity=options.opacity / 100,
        system=SystemStyle(options.system_style),
    )
    drawing = RenderOptions(
        layout=options.layout,
        width=width,
        height=height,
        theme=options.theme,
        threshold=options.threshold,
        has_window=options.window,
        has_scores=options.scores,
        frame=options.frame,
        is_full=options.full,
        look=look,
    )
    problems = draw(request, drawing, options.out)
    if not options.quiet:
        console.say(str(options.out))
        console.list_problems(problems)
    return exit_code(problems)


def _require_known_ending(path: Path) -> None:
    if path.suffix.lower() not in _ENDINGS:
        raise UsageError(
            "The file name does not end in a supported type",
            where=path,
            hint="use .png, .jpg, .jpeg or .svg; for graphs also .pdf, .graphml or .csv",
        )


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise UsageError(f"{text!r} is not a valid size", hint="write it as 1600x1000")
    found = int(width), int(height)
    if not all(240 <= edge <= 16_384 for edge in found):
        raise UsageError(
            f"{text!r} is too small or too large to draw",
            hint="each side must be 240 to 16384 pixels",
        )
    return found


COMMAND = Subcommand("render", "Draw a trial to a file, without a display", _add_options, _run)

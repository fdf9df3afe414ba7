"""``forensicviewer plugins``: the built-in and added parts, and failures."""

from __future__ import annotations

import argparse

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand, exit_code


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the parts as JSON")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.plugins.listing import list_parts, plugin_problems

    parts, problems = list_parts(), plugin_problems()
    if options.json:
        listed = [
            {"kind": part.kind, "name": part.name, "built_in": part.is_built_in} for part in parts
        ]
        console.say_json({"parts": listed, "problems": [str(problem) for problem in problems]})
        return exit_code(problems)
    for kind in dict.fromkeys(part.kind for part in parts):
        console.say(kind)
        for part in (each for each in parts if each.kind == kind):
            console.say(f"  {part.name}{'' if part.is_built_in else '  (added)'}")
    console.list_problems(problems)
    return exit_code(problems)


COMMAND = Subcommand("plugins", "List lenses, layouts, metrics and codecs", _add_options, _run)

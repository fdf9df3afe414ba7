"""A report as one HTML file: nothing in it is fetched, nothing in it runs."""

from __future__ import annotations

import base64
import re
from functools import cache
from typing import TYPE_CHECKING

from forensicviewer.app.reports.model import Report, plain
from forensicviewer.app.runtime.resources import resource

if TYPE_CHECKING:
    from jinja2 import Template

_COLOR = re.compile(r"#[0-9a-f]{6}\Z")


def html_of(report: Report) -> str:
    """The report as a page."""
    return _template().render(report=report)


@cache
def _template() -> Template:
    # Imported here: a report is rarely made, and Jinja takes a while.
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters |= {"plain": plain, "encoded": _encoded, "color": _color}
    text = resource("templates/report.html").read_text(encoding="utf-8")
    return environment.from_string(text)


def _encoded(png: bytes) -> str:
    return base64.b64encode(png).decode("ascii")


def _color(text: str) -> str:
    """A colour and nothing else: it stands in a style."""
    return text if _COLOR.match(text) else "#000000"

"""Draws the pictures of README and manual anew from the sample: every layout, light and dark.

``make pictures`` runs it; whoever changed how the window looks then looks at what has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from PIL import Image

from forensicviewer.app.datasets.sample import (
    GENAI,
    IMDL,
    paint_in_subprocess,
    sample_answers,
    sample_places,
)

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
LAYOUTS = {
    "inspect": "image",
    "annotate": "image",
    "adjudicate": "image",
    "video": "video",
    "graph": "provenance",
}
THEMES = ("light", "dark")
_MANUAL_PX, _MANUAL_QUALITY = (1080, 675), 85


def main() -> None:
    dataset, _ = sample_places(paint=paint_in_subprocess)
    genai, systems = sample_places(GENAI, paint=paint_in_subprocess)
    imdl, models = sample_places(IMDL, paint=paint_in_subprocess)
    for layout, theme in product((*LAYOUTS, "detect", "imdl"), THEMES):
        drawn = RESOURCES / "screenshots" / f"{layout}-{theme}.png"
        if layout == "detect":
            draw(genai, systems, layout, theme, drawn)
        elif layout == "imdl":
            draw(imdl, models, "inspect", theme, drawn)
        else:
            draw(dataset, sample_answers(LAYOUTS[layout]), layout, theme, drawn)
        small = Image.open(drawn).resize(_MANUAL_PX, Image.Resampling.LANCZOS)
        small.save(RESOURCES / "manual" / "pictures" / f"{drawn.stem}.jpg", quality=_MANUAL_QUALITY)


def draw(dataset: Path, answers: Sequence[Path], layout: str, theme: str, out: Path) -> None:
    """One picture, as the command line draws it, by a judge who is nobody in particular."""
    subprocess.run(
        [
            *(sys.executable, "-m", "forensicviewer", "render", dataset),
            *answers,
            *("--layout", layout, "--theme", theme, "--window", "--scores", "--out", out),
        ],
        env={**os.environ, "LOGNAME": "judge", "LANGUAGE": "en"},
        check=True,
    )


if __name__ == "__main__":
    main()

"""Where things are in a written sample."""

from __future__ import annotations

from pathlib import Path

MARKER = ".forensicviewer-sample.json"
_DEMO = "MFC2019"


def datasets(folder: Path) -> tuple[Path, ...]:
    """Every dataset of a sample, the earliest evaluation first."""
    years = ("NC2016", "NC2017", "MFC2018", "MFC2019", "GenAI")
    return tuple(folder / f"{year}_Sample" for year in years)


def submissions_for(dataset: Path, *, task: str = "") -> tuple[Path, ...]:
    """The submissions that answer a dataset of a sample, or one task of it.

    ``task`` is the last part of their names for MFC (``image``, ``video``, ``splice``, …).
    """
    year = dataset.name.removesuffix("_Sample").replace("NC2017", "NC17")
    found = sorted((dataset.parent / "submissions").glob(f"*{year}*"))
    return tuple(path for path in found if not task or path.name.endswith(f"-{task}"))


def genai_dataset(folder: Path) -> Path:
    """The dataset of AI-generated images."""
    return folder / "GenAI_Sample"


def demo_dataset(folder: Path) -> Path:
    """The dataset that shows most: stills with many operations, videos, provenance."""
    return folder / f"{_DEMO}_Sample"


def demo_submissions(folder: Path) -> tuple[Path, ...]:
    """The submissions to its stills: first one with errors worth looking at, then a better one."""
    found = submissions_for(demo_dataset(folder), task="image")
    order = ("noisy", "good")
    shown = [path for word in order for path in found if word in path.name]
    return (*shown, *(path for path in found if path not in shown))

"""Which datasets the sample has, and where things are in a written one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MARKER = ".forensicviewer-sample.json"
DEMO = "MFC2019_Sample"
_RICH, _PLAN = "_Sample", "_Plan"


@dataclass(frozen=True, slots=True)
class SampleDataset:
    """One dataset of the sample: what it shows, its size with its submissions, time to write it.

    The time is that of one processor, as measured once on a machine with two of them.
    """

    about: str
    megabytes: float
    seconds: int


# In the order they are written and listed.
SAMPLES: Mapping[str, SampleDataset] = {
    "NC2016_Sample": SampleDataset("images: manipulation, removal, splice", 3.1, 5),
    "NC2017_Sample": SampleDataset("images in colours: manipulation, splice", 3.5, 5),
    "MFC2018_Sample": SampleDataset("bit planes, events, cameras", 1.9, 5),
    "MFC2019_Sample": SampleDataset("images, videos, splices, provenance", 14.4, 10),
    "GenAI_Sample": SampleDataset("photographs and AI-generated images", 1.2, 6),
    "IMDL_Sample": SampleDataset(
        "images, masks and predictions in the style of IMDL-BenCo", 2.5, 6
    ),
    "NC2016_Plan": SampleDataset("only what the NC2016 plan describes", 3.1, 5),
    "NC2017_Plan": SampleDataset("only what the NC2017 plan describes", 4.3, 12),
    "MFC2019_Plan": SampleDataset("only what the MFC2019 plan describes", 11.2, 12),
}


def datasets(folder: Path) -> tuple[Path, ...]:
    """Every dataset of a sample with the columns of NIST's releases, the earliest first."""
    return tuple(folder / name for name in SAMPLES if name.endswith(_RICH))


def plan_datasets(folder: Path) -> tuple[Path, ...]:
    """Every dataset of a sample with only the columns of a plan, the earliest first."""
    return tuple(folder / name for name in SAMPLES if name.endswith(_PLAN))


def plan_submissions_folder(year: str) -> str:
    return f"plan-submissions/{year}"


def submissions_for(dataset: Path, *, task: str = "") -> tuple[Path, ...]:
    """The submissions that answer a dataset of a sample, or one task of it.

    ``task`` is the last part of their names for MFC (``image``, ``video``, ``splice``, …).
    """
    if dataset.name.endswith(_PLAN):
        year = dataset.name.removesuffix(_PLAN)
        found = sorted((dataset.parent / plan_submissions_folder(year)).glob("*"))
        return tuple(path for path in found if not task or path.name.endswith(f"_{task}"))
    year = dataset.name.removesuffix(_RICH).replace("NC2017", "NC17")
    found = sorted((dataset.parent / "submissions").glob(f"*{year}*"))
    return tuple(path for path in found if not task or path.name.endswith(f"-{task}"))


def owner_of(name: str) -> str:
    """The dataset that a file of a sample belongs to; blank for those of the whole sample."""
    first, _, rest = name.partition("/")
    if first in SAMPLES:
        return first
    if first == "plan-submissions":
        return f"{rest.partition('/')[0]}{_PLAN}"
    years = (name.removesuffix(_RICH) for name in SAMPLES if name.endswith(_RICH))
    spelled = rest.partition("/")[0].replace("NC17", "NC2017")
    return next(
        (f"{year}{_RICH}" for year in years if first == "submissions" and year in spelled), ""
    )


def genai_dataset(folder: Path) -> Path:
    """The dataset of AI-generated images."""
    return folder / "GenAI_Sample"


def imdl_dataset(folder: Path) -> Path:
    """The dataset of images and masks as IMDL-BenCo reads them."""
    return folder / "IMDL_Sample"


def demo_dataset(folder: Path) -> Path:
    """The dataset that shows most: stills with many operations, videos, provenance."""
    return folder / DEMO


def demo_submissions(folder: Path) -> tuple[Path, ...]:
    """The submissions to its stills: first one with errors worth looking at, then a better one."""
    found = submissions_for(demo_dataset(folder), task="image")
    order = ("noisy", "good")
    shown = [path for word in order for path in found if word in path.name]
    return (*shown, *(path for path in found if path not in shown))

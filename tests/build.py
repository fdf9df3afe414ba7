"""Builds true, tiny datasets and submissions for tests: real tables, real PNG files.

``a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(10, 10, 30, 30))
.with_answer("p1", blurred()).write()``
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, Size, U8Image

SMALL = Size(width=64, height=48)
COLORS = ((255, 0, 0), (0, 247, 250), (0, 48, 255), (188, 6, 161), (10, 200, 30))
Shape = Callable[[Size], BoolImage]
Painter = Callable[[BoolImage], U8Image]


def box(left: int, top: int, right: int, bottom: int) -> Shape:
    """A rectangle; right and bottom are not part of it."""

    def area(size: Size) -> BoolImage:
        flags = np.zeros((size.height, size.width), dtype=np.bool_)
        flags[top:bottom, left:right] = True
        return flags

    return area


def exact() -> Painter:
    """A system that finds everything; scores are 255 where manipulated."""
    return lambda area: np.where(area, 255, 0).astype(np.uint8)


def blurred(radius_px: int = 3) -> Painter:
    """A system that finds everything with soft edges."""
    width = 2 * radius_px + 1
    return lambda area: cv2.blur(exact()(area), (width, width)).astype(np.uint8)


def shifted(by_px: int = 5) -> Painter:
    """A system that finds everything, softly and beside the place: kernels change its score."""
    return lambda area: np.roll(blurred(2)(area), by_px, axis=1)


def nothing() -> Painter:
    """A system that finds nothing."""
    return lambda area: np.zeros(area.shape, dtype=np.uint8)


def inverted() -> Painter:
    """A system that mistook black for white."""
    return lambda area: 255 - exact()(area)


@dataclass(frozen=True)
class Built:
    """Where the files were written."""

    root: Path
    submission: Path

    def table(self, name: str) -> Path:
        return next(path for path in self.root.rglob("*.csv") if path.name.endswith(name))

    def copied_submission(self, folder: Path) -> Path:
        """The same answers once more, as a second system gives them."""
        return Path(shutil.copytree(self.submission, folder / self.submission.name))


@dataclass(frozen=True)
class _Trial:
    probe: str
    size: Size
    shapes: Mapping[str, Shape]
    donor: str
    facts: Mapping[str, str]

    @property
    def id(self) -> str:
        return f"{self.probe}+{self.donor}" if self.donor else self.probe

    @property
    def area(self) -> BoolImage:
        flags = np.zeros((self.size.height, self.size.width), dtype=np.bool_)
        for shape in self.shapes.values():
            flags |= shape(self.size)
        return flags


@dataclass(frozen=True)
class _Answer:
    trial: str
    painter: Painter | None
    confidence: str
    status: str


@dataclass
class DatasetBuilder:
    """Collects trials and answers; :meth:`write` makes the files."""

    folder: Path
    edition: str = "NC2017"
    has_reference: bool = True
    trials: list[_Trial] = field(default_factory=list)
    answers: list[_Answer] = field(default_factory=list)

    def nist(self, edition: str) -> DatasetBuilder:
        self.edition = edition
        return self

    def without_reference(self) -> DatasetBuilder:
        self.has_reference = False
        return self

    def with_trial(
        self,
        probe: str,
        *,
        manipulated: Shape | Mapping[str, Shape] | None = None,
        donor: str = "",
        size: Size = SMALL,
        facts: Mapping[str, str] | None = None,
    ) -> DatasetBuilder:
        """Add a probe; ``manipulated`` is one shape or one per operation, ``None`` a non-target."""
        named = {"PasteSplice": manipulated} if callable(manipulated) else dict(manipulated or {})
        self.trials.append(_Trial(probe, size, named, donor, facts or {}))
        return self

    def with_answer(
        self,
        trial: str,
        painter: Painter | None = None,
        *,
        confidence: str = "0.5",
        status: str = "",
    ) -> DatasetBuilder:
        """Add an answer; without a painter it names no mask. Splices are named ``probe+donor``."""
        self.answers.append(_Answer(trial, painter, confidence, status))
        return self

    def write(self) -> Built:
        root = self.folder / self.edition
        self._write_index(root)
        for trial in self.trials:
            self._write_media(root, trial)
        if self.has_reference:
            self._write_reference(root)
        return Built(root, self._write_submission())

    @property
    def _is_splice(self) -> bool:
        return any(trial.donor for trial in self.trials)

    @property
    def _task(self) -> str:
        return "splice" if self._is_splice else "manipulation"

    def _write_index(self, root: Path) -> None:
        columns = ["TaskID", *_media_columns("Probe")]
        columns += _media_columns("Donor") if self._is_splice else []
        rows = [
            [self._task, *_media_cells(trial.probe, trial.size), *_donor_cells(trial)]
            for trial in self.trials
        ]
        write_table(root / "indexes" / f"{self.edition}-{self._task}-index.csv", columns, rows)

    def _write_media(self, root: Path, trial: _Trial) -> None:
        for name in (trial.probe, trial.donor):
            if name:
                noise = np.random.default_rng(len(name)).integers(0, 255, size=3)
                pixels = np.full((trial.size.height, trial.size.width, 3), noise, dtype=np.uint8)
                write_png(root / "probe" / f"{name}.png", pixels)

    def _write_reference(self, root: Path) -> None:
        folder = root / "reference" / self._task
        stem = f"{self.edition}-{self._task}-ref"
        extra = sorted({name for trial in self.trials for name in trial.facts})
        columns = ["TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName"]
        columns += ["JournalName", *_SPLICE_COLUMNS[: 4 * self._is_splice], *extra]
        rows = [self._reference_row(root, trial, extra) for trial in self.trials]
        write_table(folder / f"{stem}.csv", columns, rows)
        steps = [(trial, *step) for trial in self.trials for step in enumerate(trial.shapes)]
        write_table(
            folder / f"{stem}-probejournaljoin.csv",
            ["ProbeFileID", "DonorFileID", "JournalName", "StartNodeID", "EndNodeID", "Sequence"]
            if self._is_splice
            else ["ProbeFileID", "JournalName", "StartNodeID", "EndNodeID", "Sequence"],
            [
                [t.probe, *([t.donor] if self._is_splice else []), *_step(t, i), str(i + 1)]
                for t, i, _ in steps
            ],
        )
        write_table(
            folder / f"{stem}-journalmask.csv",
            ["JournalName", "StartNodeID", "EndNodeID", "Operation", "Color", "Purpose"],
            [[*_step(t, i), name, " ".join(map(str, COLORS[i])), "add"] for t, i, name in steps],
        )

    def _reference_row(self, root: Path, trial: _Trial, extra: Sequence[str]) -> list[str]:
        name = f"reference/{self._task}/mask/{trial.id}.png" if trial.shapes else ""
        if name:
            write_png(root / name, _color_mask(trial))
        row = [self._task, trial.probe, f"probe/{trial.probe}.png", "Y" if name else "N", name]
        row.append(f"journal-{trial.probe}" if name else "")
        if self._is_splice:
            black = name.replace(".png", "-bin.png") if name else ""
            if black:
                write_png(root / black, np.where(trial.area, 0, 255).astype(np.uint8))
            row += [trial.donor, f"probe/{trial.donor}.png", black, black]
        return [*row, *(trial.facts.get(column, "") for column in extra)]

    def _write_submission(self) -> Path:
        name = f"Team_{self.edition}_Unit_{self._task.title()}_ImgOnly_p-sys_1"
        folder = self.folder / name
        status = "ProbeStatus" if self.edition.startswith("MFC") else "IsOptOut"
        keys = ["ProbeFileID", "DonorFileID"] if self._is_splice else ["ProbeFileID"]
        masks = ["OutputProbeMaskFileName", "OutputDonorMaskFileName"][: len(keys)]
        rows = [
            [
                *answer.trial.split("+"),
                answer.confidence,
                *[self._write_answer(folder, answer)] * len(masks),
                answer.status or ("Processed" if status == "ProbeStatus" else "N"),
            ]
            for answer in self.answers
        ]
        write_table(folder / f"{name}.csv", [*keys, "ConfidenceScore", *masks, status], rows)
        return folder

    def _write_answer(self, folder: Path, answer: _Answer) -> str:
        if answer.painter is None:
            return ""
        areas = {trial.id: trial.area for trial in self.trials}
        scores = answer.painter(areas.get(answer.trial, np.zeros((48, 64), dtype=np.bool_)))
        # NIST's masks are black where manipulated.
        write_png(folder / "mask" / f"{answer.trial}.png", 255 - scores)
        return f"mask/{answer.trial}.png"


def a_dataset(folder: Path) -> DatasetBuilder:
    """Begin a dataset below ``folder``."""
    return DatasetBuilder(folder)


def two_answered_trials(folder: Path) -> Built:
    """The smallest dataset worth a window: two manipulated probes, each with an answer."""
    return (
        a_dataset(folder)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 10, 40, 40))
        .with_trial("p2", manipulated=box(5, 5, 30, 30))
        .with_answer("p1", blurred())
        .with_answer("p2", blurred())
        .write()
    )


def write_table(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    """Write a pipe-separated table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["|".join(row) for row in (columns, *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_png(path: Path, pixels: U8Image) -> Path:
    """Write grey pixels, or colour pixels with red first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = pixels if pixels.ndim == 2 else pixels[:, :, ::-1]
    is_encoded, content = cv2.imencode(".png", stored)
    assert is_encoded
    path.write_bytes(content.tobytes())
    return path


_SPLICE_COLUMNS = ["DonorFileID", "DonorFileName", "BinaryProbeMaskFileName", "DonorMaskFileName"]


def _media_columns(who: str) -> list[str]:
    return [f"{who}FileID", f"{who}FileName", f"{who}Width", f"{who}Height"]


def _media_cells(name: str, size: Size) -> list[str]:
    return [name, f"probe/{name}.png", str(size.width), str(size.height)]


def _donor_cells(trial: _Trial) -> list[str]:
    return _media_cells(trial.donor, trial.size) if trial.donor else []


def _step(trial: _Trial, number: int) -> list[str]:
    return [f"journal-{trial.probe}", f"node{number}", f"node{number + 1}"]


def _color_mask(trial: _Trial) -> U8Image:
    pixels = np.full((trial.size.height, trial.size.width, 3), 255, dtype=np.uint8)
    for color, shape in zip(COLORS, trial.shapes.values(), strict=False):
        pixels[shape(trial.size)] = color
    return pixels

"""Writes datasets and submissions with exactly the files and columns of an evaluation plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, RgbImage, U8Image
from forensicviewer.sources.media.jpeg2000 import write_components
from forensicviewer.sources.video.masks import write_video_mask
from tests.build import write_png, write_table
from tests.plans.columns import YEARS, Year

WIDTH, HEIGHT = 120, 90


def box(left: int, top: int, right: int, bottom: int) -> BoolImage:
    """A rectangle of a probe; right and bottom are not part of it."""
    area = np.zeros((HEIGHT, WIDTH), np.bool_)
    area[top:bottom, left:right] = True
    return area


NOWHERE = box(0, 0, 0, 0)
LEFT = box(10, 10, 50, 50)
RIGHT = box(70, 40, 110, 80)


@dataclass
class PlanDataset:
    """The tables of one dataset, filled row by row; a column the plan does not name is refused."""

    folder: Path
    year: Year
    rows: dict[str, list[dict[str, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path, year: str) -> PlanDataset:
        return cls(folder, YEARS[year])

    @property
    def root(self) -> Path:
        return self.folder / ("NC2016-Test" if self.year.name == "NC2016" else self.year.name)

    def add(self, table: str, **cells: str) -> PlanDataset:
        unknown = cells.keys() - set(self.year.tables[table].columns)
        assert not unknown, f"section {self.year.tables[table].section} has no {unknown}"
        self.rows.setdefault(table, []).append(cells)
        return self

    def write(self) -> Path:
        for name, rows in self.rows.items():
            table = self.year.tables[name]
            cells = [[row.get(column, "") for column in table.columns] for row in rows]
            write_table(self.root / table.path, table.columns, cells)
        return self.root

    def photo(self, name: str, *, shade: int = 120) -> str:
        """An image of the dataset; its name as the tables write it."""
        pixels = np.full((HEIGHT, WIDTH, 3), shade, np.uint8)
        pixels[:, :, 1] += np.arange(WIDTH, dtype=np.uint8)[np.newaxis, :] // 2
        return self.picture(name, pixels)

    def picture(self, name: str, rgb: RgbImage) -> str:
        """Colours in the format the name asks for."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        is_encoded, content = cv2.imencode(path.suffix, rgb[:, :, ::-1])
        assert is_encoded
        path.write_bytes(content.tobytes())
        return name

    def colours(self, name: str, areas: Mapping[str, BoolImage]) -> str:
        """A colorized mask: white, and each area in the colour that names it ("R G B")."""
        pixels = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
        for color, area in areas.items():
            pixels[area] = [int(part) for part in color.split()]
        return self.picture(name, pixels)

    def grey(self, name: str, area: BoolImage) -> str:
        """A grey mask: 0 where manipulated, 255 elsewhere."""
        write_png(self.root / name, np.where(area, 0, 255).astype(np.uint8))
        return name

    def layers(self, name: str, areas: Mapping[int, BoolImage], *, components: int = 1) -> str:
        """A JPEG 2000 mask: bit BP - 1 is set where the manipulation of plane BP lies."""
        planes = np.zeros((HEIGHT, WIDTH, components), np.uint8)
        for plane, area in areas.items():
            component, bit = divmod(plane - 1, 8)
            planes[:, :, component] |= np.where(area, 1 << bit, 0).astype(np.uint8)
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_components(path, planes)
        return name

    def frames(self, name: str, blocks: Mapping[int, U8Image]) -> str:
        """An HDF5 mask: first frame (from 0) → levels of the frames from there on."""
        return _frames(self.root, name, blocks)


def _frames(root: Path, name: str, blocks: Mapping[int, U8Image]) -> str:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    write_video_mask(root / name, blocks)
    return name


@dataclass
class PlanSubmission:
    """One system's answers to one task, with exactly the columns of the plan."""

    folder: Path
    year: Year
    output: str
    name: str
    rows: list[dict[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path, year: str, output: str, name: str) -> PlanSubmission:
        return cls(folder, YEARS[year], output, name)

    @property
    def root(self) -> Path:
        return self.folder / self.name

    @property
    def columns(self) -> tuple[str, ...]:
        return self.year.outputs[self.output].columns

    def answer(self, **cells: str) -> PlanSubmission:
        unknown = cells.keys() - set(self.columns)
        assert not unknown, f"section {self.year.outputs[self.output].section} has no {unknown}"
        self.rows.append(cells)
        return self

    def mask(self, name: str, grey: U8Image) -> str:
        """A system mask, dark where the system finds something."""
        write_png(self.root / name, grey)
        return name

    def frames(self, name: str, blocks: Mapping[int, U8Image]) -> str:
        """An HDF5 mask, dark where the system finds something."""
        return _frames(self.root, name, blocks)

    def found(self, name: str, area: BoolImage) -> str:
        return self.mask(name, np.where(area, 0, 255).astype(np.uint8))

    def write(self) -> Path:
        cells = [[row.get(column, "") for column in self.columns] for row in self.rows]
        write_table(self.root / f"{self.name}.csv", self.columns, cells)
        return self.root

"""The provenance tasks of the sample: journals, the world's images, and graphs of systems."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import BoolImage, RgbImage, Size
from forensicviewer.sources.sample.album import SHOTS, THUMB, Album
from forensicviewer.sources.sample.editing import EditingDesk, ellipse
from forensicviewer.sources.sample.photo import Photo
from forensicviewer.sources.sample.probes import camera_of
from forensicviewer.sources.sample.systems import Quality
from forensicviewer.sources.sample.writing import Folder, Row, identity

_INDEX = [
    "TaskID", "ProvenanceProbeFileID", "ProvenanceProbeFileName", "ProvenanceProbeWidth",
    "ProvenanceProbeHeight",
]  # fmt: skip
_REF = [
    "TaskID", "ProvenanceProbeFileID", "ProvenanceProbeFileName", "BaseFileName",
    "BaseBrowserFileName", "JournalName", "JournalFileName", "JournalMD5",
]  # fmt: skip
_NODE = ["ProvenanceProbeFileID", "WorldFileID", "WorldFileName", "JournalNodeID"]
_WORLD = ["TaskID", "WorldFileID", "WorldFileName", "WorldWidth", "WorldHeight"]
_ANSWER = [
    "ProvenanceProbeFileID", "ConfidenceScore", "ProvenanceOutputFileName",
    "ProvenanceProbeStatus",
]  # fmt: skip
_TASKS = ("provenance", "provenancefiltering")


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """One image of a journal. What is not ``in_world`` was never published."""

    id: str
    kind: str
    pixels: RgbImage
    in_world: bool = True

    @property
    def is_final(self) -> bool:
        return self.kind == "final"


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """One step; ``area`` is where it shows, ``None`` where the whole image is concerned."""

    source: str
    target: str
    operation: str
    area: BoolImage | None = None

    @property
    def mask(self) -> str:
        """The file of its mask, beside the journal; none where there is no area."""
        return "" if self.area is None else f"{self.source}_{self.target}_mask.png"


@dataclass(frozen=True, slots=True, eq=False)
class _Journal:
    """How some images came about, as the manipulator wrote it down."""

    name: str
    nodes: tuple[_Node, ...]
    links: tuple[_Link, ...]

    def document(self) -> str:
        """The journal in the journaling tool's JSON."""
        place = {node.id: position for position, node in enumerate(self.nodes)}
        content = {
            "directed": True,
            "multigraph": False,
            "graph": {"projecttype": "image", "username": "Sample"},
            "nodes": [
                {
                    "id": node.id,
                    "file": f"{node.id}.jpg",
                    "nodetype": node.kind,
                    "xpos": 120 * position,
                    "ypos": 80 * (position % 3),
                }
                for position, node in enumerate(self.nodes)
            ],
            "links": [
                {
                    "source": place[link.source],
                    "target": place[link.target],
                    "op": link.operation,
                    "softwareName": "forensicviewer sample",
                    **({"maskname": link.mask} if link.mask else {}),
                }
                for link in self.links
            ],
        }
        return json.dumps(content, indent=1) + "\n"

    def published_links(self) -> Iterator[tuple[str, str]]:
        """Links between published images, across whatever was not published in between."""
        published = {node.id for node in self.nodes if node.in_world or node.is_final}
        following: dict[str, list[str]] = {}
        for link in self.links:
            following.setdefault(link.source, []).append(link.target)
        for start in sorted(published):
            waiting = list(following.get(start, ()))
            while waiting:
                target = waiting.pop()
                if target in published:
                    yield start, target
                else:
                    waiting += following.get(target, ())


@dataclass(slots=True)
class _Diary:
    """A journal being kept while an image is manipulated."""

    album: Album
    nodes: list[_Node]
    links: list[_Link]

    @classmethod
    def begin(cls, base: str, album: Album) -> _Diary:
        return cls(album, [_Node(base, "base", album.photo(base).pixels)], [])

    def donor(self, shot: str) -> Photo:
        photo = self.album.photo(shot)
        self.nodes.append(_Node(shot, "donor", photo.pixels))
        return photo

    def keep(
        self,
        desk: EditingDesk,
        node: str,
        *,
        source: str,
        operation: str,
        donor: str = "",
        kind: str = "interim",
        in_world: bool = True,
    ) -> None:
        """Write down what the desk shows now, and what it came from."""
        self.nodes.append(_Node(node, kind, desk.pixels.copy(), in_world))
        self.links.append(_Link(source, node, operation, desk.steps[-1].area))
        if donor:
            self.links.append(_Link(donor, node, "Donor"))

    def journal(self) -> _Journal:
        name = identity("provenance", self.nodes[0].id)
        return _Journal(name, tuple(self.nodes), tuple(self.links))


def _lake(album: Album) -> _Journal:
    """Two finished images from one beginning."""
    diary = _Diary.begin("lake", album)
    desk = EditingDesk.open(album.photo("lake"))
    boat = album.photo("lake").subjects[0]
    desk.splice(diary.donor("festival"), at=(0.74, 0.34), scale=0.6)
    diary.keep(desk, "lake-balloon", source="lake", operation="PasteSplice", donor="festival")
    desk.brighten(ellipse(desk.size, x=0.5, y=0.2, across=0.9, tall=0.5), factor=1.1)
    diary.keep(
        desk,
        "lake-bright",
        source="lake-balloon",
        operation="IntensityBrightness",
        in_world=False,
    )
    second = EditingDesk(desk.pixels.copy())
    desk.splice(diary.donor("cape"), at=(0.14, 0.62), scale=0.5)
    diary.keep(desk, "lake-tower", source="lake-bright", operation="PasteSplice", donor="cape")
    desk.save_again(quality=80)
    diary.keep(desk, "lake-final", source="lake-tower", operation="OutputJpg", kind="final")
    second.remove(boat, source_shift=(0.2, 0.0))
    diary.keep(second, "lake-empty", source="lake-bright", operation="FillContentAwareFill")
    second.add_noise(seed=12)
    diary.keep(second, "lake-empty-final", source="lake-empty", operation="AddNoise", kind="final")
    return diary.journal()


def _meadow(album: Album) -> _Journal:
    diary = _Diary.begin("meadow", album)
    desk = EditingDesk.open(album.photo("meadow"))
    for number, (donor, at, scale) in enumerate(
        (("peak", (0.3, 0.34), 0.7), ("farm", (0.74, 0.8), 0.7), ("pasture", (0.5, 0.9), 0.5))
    ):
        source = "meadow" if number == 0 else f"meadow-{number}"
        desk.splice(diary.donor(donor), at=at, scale=scale)
        diary.keep(
            desk,
            f"meadow-{number + 1}",
            source=source,
            operation="PasteSplice",
            donor=donor,
            in_world=number != 1,
        )
    desk.blur(ellipse(desk.size, x=0.74, y=0.82, across=0.3, tall=0.1))
    diary.keep(desk, "meadow-soft", source="meadow-3", operation="BlurLocal")
    desk.save_again(quality=85)
    diary.keep(desk, "meadow-final", source="meadow-soft", operation="OutputJpg", kind="final")
    return diary.journal()


@dataclass(frozen=True, slots=True)
class _World:
    """The images of the world: which file each journal node and each stranger became."""

    ids: dict[tuple[str, str], str]
    strangers: tuple[str, ...]

    @staticmethod
    def file(world_id: str) -> str:
        return f"world/{world_id}.jpg"


def write_mfc2019_provenance(folder: Folder, submissions: Folder) -> None:
    album = Album(THUMB)
    journals = (_lake(album), _meadow(album))
    world = _write_world(folder, journals, album)
    probes = [(journal, node) for journal in journals for node in journal.nodes if node.is_final]
    files = {journal.name: _write_journal(folder, journal) for journal in journals}
    for task in _TASKS:
        _write_tables(folder, task, probes, world, files)
    for quality in (Quality.GOOD, Quality.NOISY):
        for task in _TASKS:
            _answer(submissions, task, quality, probes, world)


def _write_world(folder: Folder, journals: Sequence[_Journal], album: Album) -> _World:
    ids: dict[tuple[str, str], str] = {}
    used = {node.id for journal in journals for node in journal.nodes}
    for journal in journals:
        for node in journal.nodes:
            if node.in_world or node.is_final:
                ids[journal.name, node.id] = f"MFC2019_W{2001 + len(ids)}"
                folder.picture(_World.file(ids[journal.name, node.id]), node.pixels)
    strangers: list[str] = []
    for shot in SHOTS:
        if shot not in used:
            strangers.append(f"MFC2019_W{2501 + len(strangers)}")
            camera = camera_of(shot)
            folder.picture(_World.file(strangers[-1]), album.photo(shot).pixels, camera=camera)
    return _World(ids, tuple(strangers))


def _write_journal(folder: Folder, journal: _Journal) -> tuple[str, str]:
    """(file, MD5) of the journal; the file is named by its content, as NIST's are."""
    content = journal.document()
    digest = hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()
    name = f"reference/provenance/journals/{digest}.json"
    folder.text(name, content)
    for link in journal.links:
        if link.area is not None:
            # Black where something was done, as everywhere in NIST's data.
            levels = np.where(link.area, 0, 255).astype(np.uint8)
            folder.grey(f"reference/provenance/journals/{link.mask}", levels)
    return name, digest


def _write_tables(
    folder: Folder,
    task: str,
    probes: Sequence[tuple[_Journal, _Node]],
    world: _World,
    files: dict[str, tuple[str, str]],
) -> None:
    index, references, nodes = [], [], []
    for journal, probe in probes:
        probe_id = world.ids[journal.name, probe.id]
        base_id = world.ids[journal.name, journal.nodes[0].id]
        cells = _probe_cells(task, probe_id, Size.of(probe.pixels))
        index.append(cells)
        file, digest = files[journal.name]
        references.append(
            {
                **cells,
                "BaseFileName": world.file(base_id),
                "BaseBrowserFileName": f"{base_id}.jpg",
                "JournalName": journal.name,
                "JournalFileName": file,
                "JournalMD5": digest,
            }
        )
        nodes += _node_rows(probe_id, journal, world)
    finals = {world.ids[journal.name, probe.id] for journal, probe in probes}
    folder.table(f"indexes/MFC2019-{task}-index.csv", _INDEX, index)
    folder.table(f"indexes/MFC2019-{task}-world.csv", _WORLD, _world_rows(task, world, finals))
    stem = f"reference/{task}/MFC2019-{task}-ref"
    folder.table(f"{stem}.csv", _REF, references)
    folder.table(f"{stem}-node.csv", _NODE, nodes)


def _probe_cells(task: str, probe_id: str, size: Size) -> Row:
    return {
        "TaskID": task,
        "ProvenanceProbeFileID": probe_id,
        "ProvenanceProbeFileName": _World.file(probe_id),
        "ProvenanceProbeWidth": str(size.width),
        "ProvenanceProbeHeight": str(size.height),
    }


def _node_rows(probe_id: str, journal: _Journal, world: _World) -> list[Row]:
    return [
        {
            "ProvenanceProbeFileID": probe_id,
            "WorldFileID": world_id,
            "WorldFileName": world.file(world_id),
            "JournalNodeID": node,
        }
        for (name, node), world_id in world.ids.items()
        if name == journal.name
    ]


def _world_rows(task: str, world: _World, finals: set[str]) -> list[Row]:
    """The probes themselves are asked about and therefore no part of the world."""
    listed = [each for each in (*world.ids.values(), *world.strangers) if each not in finals]
    return [
        {
            "TaskID": task,
            "WorldFileID": world_id,
            "WorldFileName": world.file(world_id),
            "WorldWidth": str(THUMB.width),
            "WorldHeight": str(THUMB.height),
        }
        for world_id in listed
    ]


def _answer(
    submissions: Folder,
    task: str,
    quality: Quality,
    probes: Sequence[tuple[_Journal, _Node]],
    world: _World,
) -> None:
    submission = f"p-{quality.value}_1_MFC2019-{task}"
    rows = []
    for number, (journal, probe) in enumerate(probes):
        probe_id = world.ids[journal.name, probe.id]
        name = f"jsons/{probe_id}.json"
        document = _graph(journal, world, quality, seed=number, has_links=task == _TASKS[0])
        submissions.text(f"{submission}/{name}", json.dumps(document, indent=1) + "\n")
        rows.append(
            {
                "ProvenanceProbeFileID": probe_id,
                "ConfidenceScore": "1",
                "ProvenanceOutputFileName": name,
                "ProvenanceProbeStatus": "Processed",
            }
        )
    submissions.table(f"{submission}/{submission}.csv", _ANSWER, rows)


def _graph(
    journal: _Journal, world: _World, quality: Quality, *, seed: int, has_links: bool
) -> dict[str, object]:
    """What a system found: the good one misses little, the noisy one much, and both invent."""
    random = np.random.default_rng([seed, 61])
    missed, invented = (0.12, 2) if quality is Quality.GOOD else (0.45, 7)
    true = [world_id for (name, _), world_id in world.ids.items() if name == journal.name]
    found = [each for each in true if random.random() > missed]
    strangers = [str(each) for each in random.choice(world.strangers, invented, replace=False)]
    listed = [*found, *strangers]
    scores = [round(float(random.uniform(0.55, 1.0)), 3) for _ in found]
    scores += [round(float(random.uniform(0.1, 0.7)), 3) for _ in strangers]
    place = {world_id: position for position, world_id in enumerate(listed)}
    ends = [
        (world.ids[journal.name, source], world.ids[journal.name, target])
        for source, target in journal.published_links()
    ]
    links = [ends_ for ends_ in ends if set(ends_) <= set(place) and random.random() > missed]
    links += [(found[0], stranger) for stranger in strangers[: invented // 2]]
    document: dict[str, object] = {
        "directed": True,
        "nodes": [
            {
                "id": str(position),
                "file": world.file(world_id),
                "fileid": world_id,
                "nodeConfidenceScore": score,
            }
            for position, (world_id, score) in enumerate(zip(listed, scores, strict=True))
        ],
    }
    if has_links:
        document["links"] = [
            {
                "source": place[source],
                "target": place[target],
                "relationshipConfidenceScore": round(float(random.uniform(0.4, 1.0)), 3),
            }
            for source, target in links
        ]
    return document

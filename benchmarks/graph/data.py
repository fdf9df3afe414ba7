"""Provenance datasets of any size, written for the benchmarks."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from forensicviewer.app.datasets.named_tables import open_provenance_task
from forensicviewer.app.datasets.opening import open_submission
from forensicviewer.app.report.score_output import pipe_separated
from forensicviewer.core.model import Submission, Task

_OPERATIONS = ("OutputPng", "TransformResize", "PasteSplice", "PasteSampled", "BlurGaussian")


@dataclass(frozen=True, slots=True)
class Written:
    """A dataset of one probe and a system's answer to it."""

    dataset: Path
    system: Path
    task: Task
    submission: Submission


def write_graph(folder: Path, *, images: int, seed: int = 1) -> Written:
    """A journal of manipulations with donors, and an answer that gets most of it right."""
    chance = random.Random(seed)
    names = [f"img{i:05}" for i in range(images)]
    links = _journal_links(images, chance)
    probe = names[-1]
    journal = {
        "nodes": [
            {"id": name, "file": f"{name}.png", "nodetype": kind}
            for name, kind in zip(names, _kinds(images, links), strict=True)
        ],
        "links": [{"source": a, "target": b, "op": op} for a, b, op in links],
    }
    _write(folder / "reference/journals/one.json", json.dumps(journal))
    _write(folder / "system/one.json", json.dumps(_answer(names, links, chance)))
    _write_tables(folder, names, probe)
    task = open_provenance_task(folder, name="provenance")
    system = folder / "system/system.csv"
    return Written(folder, system, task, open_submission(system, task=task))


def _journal_links(images: int, chance: random.Random) -> list[tuple[int, int, str]]:
    """Families of about sixty images grown from a base, with donors pasted in, some of them twice.

    As in real journals: a dozen steps deep, many side branches, donors of one to three images.
    """
    links: list[tuple[int, int, str]] = []
    donors: list[int] = []
    depth: dict[int, int] = {}
    family: list[int] = []
    i = 0
    while i < images:
        if not family or len(family) > 60:
            family = [i]
            depth[i] = 0
            if donors:
                links.append((chance.choice(donors), i, "Donor"))
            i += 1
            continue
        parent = _parent(family, depth, chance)
        links.append((parent, i, chance.choice(_OPERATIONS)))
        depth[i] = depth[parent] + 1
        family.append(i)
        pasted = i
        i += 1
        if chance.random() < 0.2:
            length = min(chance.randint(1, 3), images - i)
            chain = list(range(i, i + length))
            links += [(a, b, "OutputPng") for a, b in pairwise(chain)]
            donors += chain[-1:]
            i += length
            if donors:
                source = donors[-1] if chance.random() < 0.7 else chance.choice(donors)
                links.append((source, pasted, "Donor"))
    return list({(a, b): (a, b, operation) for a, b, operation in links}.values())


def _parent(family: list[int], depth: dict[int, int], chance: random.Random) -> int:
    """An image to go on from: mostly a recent one, unless that branch is long already."""
    recent = family[-8:] if chance.random() < 0.8 else family
    shallow = [node for node in recent if depth[node] < 10] or family[:8]
    return chance.choice(shallow)


def _kinds(images: int, links: list[tuple[int, int, str]]) -> list[str]:
    sources = {a for a, _, _ in links}
    targets = {b for _, b, _ in links}
    donors = {a for a, _, op in links if op == "Donor"}
    kinds = []
    for i in range(images):
        if i not in targets:
            kinds.append("base")
        elif i not in sources:
            kinds.append("final")
        else:
            kinds.append("donor" if i in donors else "interim")
    return kinds


def _answer(
    names: list[str], links: list[tuple[int, int, str]], chance: random.Random
) -> dict[str, object]:
    kept = [i for i in range(len(names)) if chance.random() < 0.85 or i == len(names) - 1]
    files = [f"world/{names[i]}.jpg" for i in kept]
    files += [f"world/stranger{i}.jpg" for i in range(len(names) // 20)]
    place = {i: at for at, i in enumerate(kept)}
    steps = []
    for a, b, _ in links:
        if a in place and b in place and chance.random() < 0.75:
            ends = (place[b], place[a]) if chance.random() < 0.08 else (place[a], place[b])
            steps.append(ends)
    for stranger in range(len(kept), len(files)):
        steps.append((chance.randrange(len(kept)), stranger))
    return {
        "nodes": [
            {"id": str(i), "file": file, "nodeConfidenceScore": round(chance.random(), 3)}
            for i, file in enumerate(files)
        ],
        "links": [
            {"source": a, "target": b, "relationshipConfidenceScore": round(chance.random(), 3)}
            for a, b in steps
        ],
    }


def _write_tables(folder: Path, names: list[str], probe: str) -> None:
    file = f"world/{probe}.jpg"
    tables: dict[str, tuple[tuple[str, ...], list[tuple[str, ...]]]] = {
        "MFC2019-provenance-index.csv": (
            ("TaskID", "ProvenanceProbeFileID", "ProvenanceProbeFileName", "ProvenanceProbeWidth"),
            [("provenance", probe, file, "640")],
        ),
        "MFC2019-provenance-ref.csv": (
            ("ProvenanceProbeFileID", "ProvenanceProbeFileName", "JournalName", "JournalFileName"),
            [(probe, file, "one", "reference/journals/one.json")],
        ),
        "MFC2019-provenance-ref-node.csv": (
            ("ProvenanceProbeFileID", "WorldFileID", "WorldFileName", "JournalNodeID"),
            [(probe, name, f"world/{name}.jpg", name) for name in names],
        ),
        "MFC2019-provenance-world.csv": (
            ("WorldFileID", "WorldFileName"),
            [(name, f"world/{name}.jpg") for name in names],
        ),
        "system/system.csv": (
            ("ProvenanceProbeFileID", "ProvenanceOutputFileName"),
            [(probe, "one.json")],
        ),
    }
    for name, (columns, rows) in tables.items():
        _write(folder / name, pipe_separated(columns, rows))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

"""Writes tiny provenance datasets: journals, node and world tables, and a system's answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forensicviewer.app.datasets.named_tables import open_provenance_task
from forensicviewer.app.datasets.opening import open_submission
from forensicviewer.core.model import Submission, Task
from tests.build import write_table

Ends = tuple[str, str]

# The provenance runs of NIST's own tests.
NIST_GRAPH_CASES = [
    "test_1_0",
    "test_1_0_undirect",
    "test_1_0_direct",
    "test_1_0and1_direct",
    "test_1_1_direct",
    "test_2_0",
    "test_2_1",
    "test_2_1_undirect",
    "test_3_1",
]
NIST_RANKING_CASES = ["filtering_test_0", "filtering_test_1", "filtering_test_2", "IsOptOut_test_0"]
# These ask the same lists for single types of images.
NIST_TYPE_CASES = ["filtering_test_0_b", "filtering_test_1_b", "filtering_test_2_b"]


def file_of(node: str) -> str:
    """The world file of a journal node."""
    return f"world/{node}.jpg"


@dataclass
class ProvenanceBuilder:
    """A dataset of probes over journals whose node ids are also the ids of their images."""

    folder: Path
    probes: list[list[str]] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)
    nodes: list[list[str]] = field(default_factory=list)
    world: dict[str, list[str]] = field(default_factory=dict)
    answers: list[list[str]] = field(default_factory=list)

    def with_probe(
        self,
        probe: str,
        *,
        links: Sequence[tuple[str, ...]],
        world: Sequence[str] | None = None,
        kinds: Mapping[str, str] | None = None,
        journal: str = "journal",
    ) -> ProvenanceBuilder:
        """A probe over a journal; ``world`` are its images in the world set (default: all)."""
        names = list(dict.fromkeys([*(name for link in links for name in link[:2]), probe]))
        self._write_journal(journal, names, links, kinds or {})
        self.probes.append(["provenance", probe, file_of(probe), "64", "48"])
        path = f"reference/provenance/journals/{journal}.json"
        self.references.append(["provenance", probe, file_of(probe), journal, path])
        for name in names:
            self.nodes.append([probe, name, file_of(name), name])
            if name in (names if world is None else world):
                self.world[name] = ["provenance", name, file_of(name), "64", "48"]
        return self

    def with_answer(
        self,
        probe: str,
        *,
        nodes: Mapping[str, object] | Sequence[str],
        links: Mapping[Ends, object] | Sequence[Ends] = (),
        status: str = "Processed",
    ) -> ProvenanceBuilder:
        """An answer by journal node ids; confidences are 1 where none are given."""
        weights = nodes if isinstance(nodes, Mapping) else dict.fromkeys(nodes, 1)
        steps = links if isinstance(links, Mapping) else dict.fromkeys(links, 1)
        place = {name: i for i, name in enumerate(weights)}
        document = {
            "directed": True,
            "nodes": [
                {"id": str(i), "file": file_of(name), "nodeConfidenceScore": weight}
                for i, (name, weight) in enumerate(weights.items())
            ],
            "links": [
                {"source": place[a], "target": place[b], "relationshipConfidenceScore": weight}
                for (a, b), weight in steps.items()
            ],
        }
        return self.with_document(probe, json.dumps(document), status=status)

    def with_document(
        self, probe: str, text: str, *, status: str = "Processed"
    ) -> ProvenanceBuilder:
        """An answer whose document is this text."""
        name = f"jsons/{probe}-{len(self.answers)}.json"
        path = self.folder / "system" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        self.answers.append([probe, name, status])
        return self

    def write(self) -> tuple[Path, Path]:
        """(dataset, submission) as paths."""
        root = self.folder / "MFC2019"
        probe = ["TaskID", "ProvenanceProbeFileID", "ProvenanceProbeFileName"]
        size = ["ProvenanceProbeWidth", "ProvenanceProbeHeight"]
        journal = ["JournalName", "JournalFileName"]
        node = ["ProvenanceProbeFileID", "WorldFileID", "WorldFileName", "JournalNodeID"]
        world = ["TaskID", "WorldFileID", "WorldFileName", "WorldWidth", "WorldHeight"]
        answer = ["ProvenanceProbeFileID", "ProvenanceOutputFileName", "ProvenanceProbeStatus"]
        stem = "MFC2019-provenance"
        folder = root / "reference" / "provenance"
        write_table(root / "indexes" / f"{stem}-index.csv", [*probe, *size], self.probes)
        write_table(folder / f"{stem}-ref.csv", [*probe, *journal], self.references)
        write_table(folder / f"{stem}-ref-node.csv", node, self.nodes)
        worlds = list(self.world.values())
        write_table(root / "indexes" / f"{stem}-world.csv", world, worlds)
        system = write_table(self.folder / "system" / "system.csv", answer, self.answers)
        return root, system

    def open(self, task: str = "provenance") -> tuple[Task, Submission]:
        dataset, system = self.write()
        opened = open_provenance_task(dataset, name=task)
        return opened, open_submission(system, task=opened)

    def _write_journal(
        self,
        journal: str,
        names: Sequence[str],
        links: Sequence[tuple[str, ...]],
        kinds: Mapping[str, str],
    ) -> None:
        path = self.folder / f"MFC2019/reference/provenance/journals/{journal}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {
            "directed": True,
            "nodes": [
                {"id": name, "file": f"{name}.png", "nodetype": kinds.get(name, "interim")}
                for name in names
            ],
            "links": [
                {
                    "source": names.index(link[0]),
                    "target": names.index(link[1]),
                    "op": link[2] if len(link) == 3 else "TransformResize",
                }
                for link in links
            ],
        }
        path.write_text(json.dumps(document), "utf-8")


def a_provenance_dataset(folder: Path) -> ProvenanceBuilder:
    return ProvenanceBuilder(folder)

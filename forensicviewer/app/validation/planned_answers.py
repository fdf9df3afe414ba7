"""What Appendix C of the plans asks of provenance documents beyond NIST's schemas."""

from __future__ import annotations

from collections.abc import Mapping

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.profile import Profile, RuleFamily
from forensicviewer.core.graph.provenance import SystemGraph
from forensicviewer.core.model import Task, TaskKind
from forensicviewer.core.table.text_table import Table

_RESULTS = {RuleFamily.NC17: 200, RuleFamily.MFC: 500}
_NAMED = 3


class PlannedAnswers:
    """Checks documents against the probes of the index and the images of the world table."""

    def __init__(self, task: Task, profile: Profile, findings: Findings) -> None:
        self._profile = profile
        self._findings = findings
        self._probes = _files(task.table, "ProvenanceProbe")
        self._world = {} if task.world is None else _files(task.world, "World")
        self._pools: dict[str, dict[str, str]] = {}
        if task.pools is not None:
            table = task.pools
            named = zip(
                *(
                    table[name]
                    for name in ("ProvenanceProbeFileID", "WorldFileID", "WorldFileName")
                ),
                strict=True,
            )
            for probe, world, file in named:
                self._pools.setdefault(probe, {})[world] = file
        if not self._world and not self._pools:
            findings.note(
                "document.no-world",
                "The dataset has no world table, so world images are not checked",
                hint="put NIST's world index into the folder indexes",
            )

    def miss_document(self, row: int) -> None:
        """Report a probe without a document."""
        self._findings.error(
            "document.missing",
            "The row does not name a document",
            row=row,
            expected="one JSON file per probe",
            hint="write the document, or opt out of the trial",
        )

    def check(self, graph: SystemGraph, *, probe: str, name: str, row: int) -> None:
        self._check_fields(graph, name, row)
        self._check_images(graph, probe, name, row)
        if self._profile.kind is TaskKind.FILTERING:
            self._check_results(graph, probe, name, row)

    def _check_fields(self, graph: SystemGraph, name: str, row: int) -> None:
        without = [place for place, node in enumerate(graph.nodes) if not node.file_id.strip()]
        if without:
            self._findings.error(
                "document.fileid",
                f"{name}: {len(without)} nodes have no fileid, the first is nodes[{without[0]}]",
                row=row,
                expected="id, file, fileid and nodeConfidenceScore for every node",
                hint="write the id that NIST's task or world index has for the image",
            )

    def _check_images(self, graph: SystemGraph, probe: str, name: str, row: int) -> None:
        """``file`` and ``fileid`` are those of NIST's indexes."""
        known = self._known_for(probe)
        for node in graph.nodes:
            named = self._probes.get(node.file_id) or known.get(node.file_id)
            if named is not None and named != node.file:
                self._findings.error(
                    "document.file",
                    f"{name}: {node.file_id} has the name {node.file}",
                    row=row,
                    expected=named,
                    hint="name images as NIST's task or world index does",
                )
        unknown = [
            node for node in graph.nodes if known and not self._is_known(node.file_id, known)
        ]
        for node in unknown[:_NAMED]:
            self._findings.error(
                "document.world",
                f"{name}: {node.file_id or node.file} is not an image that NIST offers for {probe}",
                row=row,
                expected="images of the task or world index",
                hint=f"and {len(unknown) - 1} more" if len(unknown) > 1 else "correct its fileid",
            )

    def _is_known(self, file_id: str, known: Mapping[str, str]) -> bool:
        return not known or not file_id.strip() or file_id in known or file_id in self._probes

    def _known_for(self, probe: str) -> Mapping[str, str]:
        return self._pools.get(probe) or self._world

    def _check_results(self, graph: SystemGraph, probe: str, name: str, row: int) -> None:
        wanted = _RESULTS[self._profile.family]
        found = len(graph.nodes)
        offered = len(self._known_for(probe).keys() | {probe})
        # A small world does not have so many; and 2.1.3 asks for "up to n".
        is_all = bool(self._known_for(probe)) and offered < wanted
        if found > wanted or (found < wanted and not is_all):
            self._findings.error(
                "document.results",
                f"{name} has {found} results",
                row=row,
                expected=f"{wanted} filtered results including the probe itself",
                hint=f"return the {wanted} images with the highest confidence",
            )
        is_there = any(
            node.file_id == probe or node.file == self._probes.get(probe) for node in graph.nodes
        )
        if not is_there:
            self._findings.error(
                "document.probe",
                f"{name} does not list the probe {probe}",
                row=row,
                expected="results including the probe itself",
                hint="add the probe to the nodes",
            )


def _files(table: Table, who: str) -> dict[str, str]:
    """The file name of each image, by its id."""
    names = f"{who}FileID", f"{who}FileName"
    if any(name not in table for name in names):
        return {}
    return dict(zip(table[names[0]], table[names[1]], strict=True))


def _pools(table: Table) -> dict[str, dict[str, str]]:
    """By probe, the images that NIST's oracle filter offers."""
    probes = table["ProvenanceProbeFileID"]
    found: dict[str, dict[str, str]] = {}
    for probe, world, file in zip(
        probes, table["WorldFileID"], table["WorldFileName"], strict=True
    ):
        found.setdefault(probe, {})[world] = file
    return found

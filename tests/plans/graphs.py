"""Provenance tasks as the plans of NC2017 and MFC2019 describe them, and answers to them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from tests.plans.build import HEIGHT, WIDTH, PlanDataset, PlanSubmission
from tests.plans.datasets import NAMES

# The journal of the only probe: base → interim → probe, with a donor.
NODES = {"0201": "base", "0202": "donor", "0203": "interim", "0204": "final"}
LINKS = (("0201", "0203"), ("0202", "0203"), ("0203", "0204"))
PROBE = "0204"
MOST_RESULTS = {"NC2017": 200, "MFC2019": 500}  # of filtering, Appendix C
JOURNAL = "reference/prov/oof7oxgiqjprd4ou4lq75wtnvdlmwhkk.json"


def add_provenance(plan: PlanDataset, task: str = "provenance") -> PlanDataset:
    """One probe, its journal and the world images of it."""
    year = plan.year.name
    for number in NODES:
        plan.photo(_file(year, number))
    _write_journal(plan)
    names = {
        "TaskID": "Provenance" if task == "provenance" else "ProvenanceFiltering",
        "ProvenanceProbeFileID": f"{year}_{PROBE}",
        "ProvenanceProbeFileName": _file(year, PROBE),
    }
    size = {"ProvenanceProbeWidth": str(WIDTH), "ProvenanceProbeHeight": str(HEIGHT)}
    plan.add(f"{task}-index", **names, **size)
    digest = hashlib.md5((plan.root / JOURNAL).read_bytes()).hexdigest()
    plan.add(
        f"{task}-ref",
        **names,
        BaseFileName=_file(year, "0201"),
        BaseBrowserFileName="base.jpg",
        JournalName=Path(JOURNAL).stem,
        JournalFileName=JOURNAL,
        JournalMD5=digest,
    )
    for number in NODES:
        plan.add(
            f"{task}-ref-node",
            ProvenanceProbeFileID=f"{year}_{PROBE}",
            WorldFileID=f"{year}_{number}",
            WorldFileName=_file(year, number),
            JournalNodeID=f"node-{number}",
        )
    return plan


def graph_answers(folder: Path, year: str) -> PlanSubmission:
    """A system that finds the whole graph."""
    answers = PlanSubmission.of(
        folder,
        year,
        "provenance",
        NAMES[year].format(task="Provenance").replace("p-box", "p-graph"),
    )
    places = {number: place for place, number in enumerate(NODES)}
    links = [
        {"source": places[a], "target": places[b], "relationshipConfidenceScore": 0.9}
        for a, b in LINKS
    ]
    document = {"directed": True, "nodes": nodes_of(year, tuple(NODES)), "links": links}
    return _answer(answers, document)


def filtering_answers(folder: Path, year: str) -> PlanSubmission:
    """As many results as the plan asks for, the images of the graph first."""
    name = NAMES[year].format(task="ProvenanceFiltering").replace("p-box", "p-rank")
    answers = PlanSubmission.of(folder, year, "provenance", name)
    others = [f"{number:04}" for number in range(3000, 3000 + MOST_RESULTS[year] - len(NODES))]
    document = {"directed": True, "nodes": nodes_of(year, (*NODES, *others)), "links": []}
    return _answer(answers, document)


def nodes_of(year: str, numbers: Sequence[str]) -> list[dict[str, object]]:
    return [
        {
            "id": f"id{place}",
            "file": _file(year, number),
            "fileid": f"{year}_{number}",
            "nodeConfidenceScore": round(1 - place / 1000, 3),
        }
        for place, number in enumerate(numbers)
    ]


def _answer(answers: PlanSubmission, document: dict[str, object]) -> PlanSubmission:
    year = answers.year.name
    name = f"jsons/{year}_{PROBE}.json"
    path = answers.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")
    processed = (
        {"ConfidenceScore": "0.5", "IsOptOut": "N"}
        if year == "NC2017"
        else {"ProvenanceProbeStatus": "Processed"}
    )
    return answers.answer(
        ProvenanceProbeFileID=f"{year}_{PROBE}", ProvenanceOutputFileName=name, **processed
    )


def _file(year: str, number: str) -> str:
    return f"world/{year}_{number}.jpg"


def _write_journal(plan: PlanDataset) -> None:
    places = {number: place for place, number in enumerate(NODES)}
    document = {
        "directed": True,
        "nodes": [
            {"id": f"node-{number}", "file": f"{number}.png", "nodetype": kind}
            for number, kind in NODES.items()
        ],
        "links": [
            {"source": places[a], "target": places[b], "op": "PasteSplice"} for a, b in LINKS
        ],
    }
    path = plan.root / JOURNAL
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")

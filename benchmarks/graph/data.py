"""Provenance graphs: how long placing, drawing and scoring them takes."""

from __future__ import annotations

import json
import os
import random
import tempfile
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.report import Figure, Report, best_of, timed
from forensicviewer.app.graph_document import GraphDocument, GraphRequest, load_graph
from forensicviewer.app.graph_drawing import LayoutKind
from forensicviewer.app.graph_drawing import place as place_graph
from forensicviewer.app.graph_review import GraphReview
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.opening import open_submission
from forensicviewer.app.outputs import pipe_separated
from forensicviewer.app.provenance_opening import open_provenance_task
from forensicviewer.app.provenance_settings import ProvenanceSettings
from forensicviewer.core.model import Submission, Task

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from forensicviewer.ui.graphcanvas import GraphCanvas
    from forensicviewer.ui.graphview import GraphDesk

_OPERATIONS = ("OutputPng", "TransformResize", "PasteSplice", "PasteSampled", "BlurGaussian")
_VIEW = (1600, 1000)
_CROWDED = "world/img02500.jpg"  # in the midst of the large graph


@dataclass(frozen=True, slots=True)
class Written:
    """A dataset of one probe and a system's answer to it."""

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
    return Written(task, open_submission(folder / "system/system.csv", task=task))


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


def _document(written: Written) -> GraphDocument:
    request = GraphRequest(
        written.task, written.submission, str(written.task.trials.ids()[0]), ProvenanceSettings()
    )
    return load_graph(request, _go_on)


def run() -> Report:
    """Layouts of 500 and 5,000 images, frames while panning and zooming, steps of the slider."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        small = write_graph(Path(folder) / "small", images=500)
        large = write_graph(Path(folder) / "large", images=5000)
        figures = (
            *_layout_figures("500", _document(small), limits=(0.5, None), times=5),
            *_layout_figures("5,000", _document(large), limits=(3.0, None), times=2),
            *_canvas_figures(small, large),
        )
    return Report("graph", figures, ("layouts run in the background; frames are of the window",))


def _layout_figures(
    count: str, document: GraphDocument, *, limits: tuple[float, float | None], times: int
) -> tuple[Figure, ...]:
    return tuple(
        Figure(
            f"{kind.value.lower()} layout of {count} images",
            best_of(partial(place_graph, document.merged, kind, _go_on), times=times),
            "s",
            limit=limit,
        )
        for kind, limit in zip(LayoutKind, limits, strict=True)
    )


def _go_on() -> None:
    """Nobody wants to stop the work."""


def _canvas_figures(small: Written, large: Written) -> tuple[Figure, ...]:
    # Imported here: only this part needs a window.
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    return (
        _frame_figure(application, large),
        _slider_figure(application, small),
    )


def _frame_figure(application: QApplication, written: Written) -> Figure:
    from PySide6.QtCore import QPointF

    from forensicviewer.ui.graphcanvas import GraphCanvas

    review = GraphReview(inline_jobs())
    canvas = GraphCanvas(review)
    canvas.resize(*_VIEW)
    canvas.show()
    review.show(written.task, written.submission)
    application.processEvents()
    slowest = 0.0
    for scale in (canvas.scale_now, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0):
        canvas.zoom_by(scale / canvas.scale_now)
        canvas.show_point(QPointF(*review.place_of(_CROWDED)))
        application.processEvents()
        frames = [timed(lambda: _pan(canvas))[1] for _ in range(15)]
        slowest = max(slowest, min(frames))
    canvas.let_go()
    canvas.close()
    return Figure("pan and zoom at 5,000 images, slowest view", slowest * 1000, "ms", limit=16)


def _pan(canvas: GraphCanvas) -> None:
    from PySide6.QtCore import QPointF

    middle = canvas.visible_area().center()
    canvas.show_point(middle + QPointF(40 / canvas.scale_now, 12 / canvas.scale_now))
    canvas.viewport().repaint()


def _slider_figure(application: QApplication, written: Written) -> Figure:
    from forensicviewer.ui.graphview import GraphDesk

    review = GraphReview(inline_jobs())
    desk = GraphDesk(review)
    desk.resize(*_VIEW)
    desk.show()
    review.show(written.task, written.submission)
    application.processEvents()
    steps = []
    for step in range(60):
        steps.append(timed(partial(_slide, desk, application, 100 + 12 * step))[1])
    desk.let_go()
    desk.close()
    quick = sorted(steps)[len(steps) // 4]
    return Figure("confidence slider step at 500 images", quick * 1000, "ms", limit=16)


def _slide(desk: GraphDesk, application: QApplication, value: int) -> None:
    desk.panel.node_cut.slider.setValue(value)
    application.processEvents()

"""How long placing the images of a graph takes; the window does it in the background."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.graph.data import Written
from benchmarks.report import Figure, best_of
from forensicviewer.app.graph.document import GraphDocument, GraphRequest, load_graph
from forensicviewer.app.graph.drawing import LayoutKind, place
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.ui.widgets.watch import WatchedApplication


def measure(_application: WatchedApplication, small: Written, large: Written) -> Iterator[Figure]:
    for count, written, limit, times in (("500", small, 0.5, 5), ("5,000", large, 3.0, 2)):
        document = _document(written)
        for kind in LayoutKind:
            work = partial(place, document.merged, kind, _go_on, unscored=document.unscored)
            yield Figure(
                f"{kind.value.lower()} layout of {count} images",
                best_of(work, times=times),
                "s",
                limit=limit,
            )


def _document(written: Written) -> GraphDocument:
    request = GraphRequest(
        written.task, written.submission, str(written.task.trials.ids()[0]), ProvenanceSettings()
    )
    return load_graph(request, _go_on)


def _go_on() -> None:
    """Never stop the work."""

"""What a graph says about the thing under the mouse, and what a right click on it offers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication

from forensicviewer.app.graph.facts import operation_label
from forensicviewer.app.graph.media import node_path
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.language.words import tr
from forensicviewer.core.graph.provenance import FileName
from forensicviewer.ui.graph.geometry import GraphGeometry
from forensicviewer.ui.widgets.file_manager import show_folder
from forensicviewer.ui.widgets.page import MenuChoices


def hint_at(review: GraphReview, picture: GraphGeometry, point: QPointF, reach: float) -> str:
    """Name, rank and confidence of an image, or the operation of a link."""
    document = review.state.document
    node = picture.node_at(point)
    if node is None or document is None:
        link = picture.link_at(point, reach)
        found = None if link is None else review.state.links.get(link.ends)
        return "" if found is None else operation_label(found)
    place = document.place_in_ranking(node.file)
    parts = (
        node.file,
        tr("rank {place}", place=place) if place else "",
        tr("confidence {value}", value=node.confidence) if node.confidence else "",
    )
    return "\n".join(part for part in parts if part)


def choices_of(review: GraphReview, file: FileName | None, fit: Callable[[], None]) -> MenuChoices:
    """What can be done with an image, or with the graph where there is none."""
    if file is None:
        return [
            (tr("Fit graph"), fit),
            (tr("Fold all donors"), lambda: review.fold_donors(on=True)),
            (tr("Unfold all donors"), lambda: review.fold_donors(on=False)),
        ]
    found: MenuChoices = [
        (tr("Compare with the probe"), lambda: review.select(file)),
        (tr("Compare with the selected image"), lambda: review.select_second(file)),
        (tr("Fold or unfold its donors"), lambda: review.toggle_fold(file)),
        (tr("Copy name of the image"), lambda: QGuiApplication.clipboard().setText(file)),
    ]
    path = None if review.task is None else node_path(review.task, file)
    if path is not None:
        found.append((tr("Show image in file manager"), partial(show_folder, path.parent)))
    return found

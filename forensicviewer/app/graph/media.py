"""The images of a provenance graph: small ones for its nodes, whole ones to compare."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.graph.facts import short_name, shortened
from forensicviewer.app.graph.step_masks import StepMask, step_masks, steps_between
from forensicviewer.app.language.words import tr
from forensicviewer.core.array import RgbImage
from forensicviewer.core.graph.provenance import FileName, LinkKey
from forensicviewer.core.graph.unscored import UNNAMED
from forensicviewer.core.model import Task
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import Picture, read_image, thumbnail


@dataclass(frozen=True, slots=True, eq=False)
class ComparedImage:
    """One image of a pair; without one, ``reason`` says why."""

    file: FileName
    title: str
    picture: Picture | None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPair:
    """Two images to compare, and the masks of the steps between them where there are any."""

    task: Task
    first: ComparedImage
    second: ComparedImage | None
    masks: tuple[StepMask, ...] = ()
    has_steps: bool = False  # the journal leads from one to the other


def node_thumbnail(task: Task, file: FileName, *, edge_px: int) -> RgbImage | None:
    """The thumbnail of an image; ``None`` where it is absent or unreadable."""
    try:
        return thumbnail(resolve(Path(task.root), file), edge_px=edge_px)
    except (ForensicViewerError, OSError):
        # World sets are often not at hand; the canvas shows a placeholder.
        return None


def node_path(task: Task, file: FileName) -> Path | None:
    """Where an image lies; ``None`` where it is absent."""
    try:
        path = resolve(Path(task.root), file)
    except ForensicViewerError:
        return None
    return path if path.is_file() else None


def read_pair(
    task: Task, document: GraphDocument, ends: LinkKey, *, related: tuple[Task, ...] = ()
) -> ComparedPair:
    """Both images of a link or of two nodes; ``related`` tasks may know masks of its steps."""
    first = _shot(task, document, ends[0])
    second = first if ends[0] == ends[1] else _shot(task, document, ends[1])
    steps = steps_between(document, ends)
    masks = step_masks(task, related, document, ends)
    return ComparedPair(task, first, second, masks, has_steps=bool(steps))


def read_alone(task: Task, document: GraphDocument, file: FileName) -> ComparedPair:
    """One image with nothing beside it."""
    return ComparedPair(task, _shot(task, document, file), None)


def _shot(task: Task, document: GraphDocument, file: FileName) -> ComparedImage:
    title = title_of_image(document, file)
    unscored = document.unscored.nodes.get(file)
    if unscored is not None and not unscored.is_named:
        return ComparedImage(
            file, title, None, tr("The node table lists no image for this step of the journal")
        )
    try:
        return ComparedImage(file, title, read_image(resolve(Path(task.root), file)))
    except ForensicViewerError as error:
        return ComparedImage(file, title, None, f"{error.message}: {file}")
    except OSError as error:
        return ComparedImage(
            file, title, None, tr("The image cannot be read ({why})", why=error.strerror)
        )


def title_of_image(document: GraphDocument, file: FileName) -> str:
    """The heading of an image: its name as on its card, and whether it is the probe."""
    node = document.journal_node(file)
    name = short_name(file)
    known = "" if node is None else shortened(node.id, longest=26)
    title = f"{known} · {name}" if known not in ("", name) else name
    if file.startswith(UNNAMED):
        title = known
    return tr("{name} (probe)", name=title) if file == document.merged.probe else title

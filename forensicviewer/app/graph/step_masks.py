"""Where the steps of a provenance link show: the masks that journal and reference keep of them.

A journal may name a mask file of its own for a step. More often only the reference of another task
of the dataset knows: the step's colour or bit plane in the mask of a probe that came of the same
journal. Both mark what was changed in black, as NIST does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

import cv2
import numpy as np

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.language.words import tr
from forensicviewer.app.masks.image_count import read_reference, reference_mask, selected_in
from forensicviewer.app.masks.one_trial import OneTrial
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.core.array import BoolImage, Size
from forensicviewer.core.graph.provenance import JournalLink, LinkKey, world_id
from forensicviewer.core.model import Operation, Side, Task, TaskKind, Trial, key_columns, trial_id
from forensicviewer.core.palette import Rgb
from forensicviewer.core.problem import ForensicViewerError, ProblemLog
from forensicviewer.core.rules import PLAN
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import read_image

_MASKED = (TaskKind.MANIPULATION, TaskKind.REMOVAL, TaskKind.SPLICE)
_STEP = ("JournalName", "StartNodeID", "EndNodeID")
_MOST_TRIED = 8  # masks of other probes that are read in search of a step
_HALF = 128


@dataclass(frozen=True, slots=True, eq=False)
class StepMask:
    """The area one step changed; ``origin`` says which file knows, in the user's words."""

    operation: str
    area: BoolImage
    origin: str
    color: Rgb | None = None

    @property
    def size(self) -> Size:
        return Size.of(self.area)


def step_masks(
    task: Task, related: Iterable[Task], document: GraphDocument, ends: LinkKey
) -> tuple[StepMask, ...]:
    """The masks of all steps between two images, in the journal's order."""
    tables = [each for each in related if each.kind in _MASKED]
    found = []
    for step in steps_between(document, ends):
        mask = _own_mask(task, document, step)
        if mask is None:
            mask = _reference_mask(tables, document, step, ends)
        if mask is not None:
            found.append(mask)
    return tuple(found)


def steps_between(document: GraphDocument, ends: LinkKey) -> list[JournalLink]:
    """The journal's steps from one image to the other, in whichever direction there are any."""
    links = document.journal.links
    for way in (ends, ends[::-1]):
        reference = document.whole.links.get(way)
        if reference is not None:
            return [links[i] for i in reference.steps]
        if way in document.unscored.links:
            return [document.unscored.links[way].link]
    return []


def _own_mask(task: Task, document: GraphDocument, step: JournalLink) -> StepMask | None:
    name = step.facts.get("maskname")
    if not isinstance(name, str) or not name:
        return None
    folder = PurePosixPath(document.trial.journal_file).parent
    try:
        pixels = read_image(resolve(Path(task.root), str(folder / name))).pixels
    except (ForensicViewerError, OSError):
        # Datasets are mostly given out without the masks of single steps.
        return None
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    area = np.asarray(grey < _HALF)
    origin = tr("mask {name} of the journal", name=name)
    return StepMask(step.operation, area, origin) if area.any() else None


def _reference_mask(
    tables: Sequence[Task], document: GraphDocument, step: JournalLink, ends: LinkKey
) -> StepMask | None:
    nodes = document.journal.nodes
    key = document.trial.journal_name, nodes[step.source].id, nodes[step.target].id
    # The mask of an image that is looked at fits it; that of another one may have to do.
    wanted = (world_id(ends[1]), world_id(ends[0]), document.trial.id)
    for task in tables:
        for trial in islice(_trials_with(task, key, wanted), _MOST_TRIED):
            operation = next((each for each in trial.operations if each.key == key), None)
            area = None if operation is None else _area(task, trial, operation)
            if operation is not None and area is not None and area.any():
                origin = tr(
                    "reference mask of probe {probe}, task {task}",
                    probe=trial.probe.id,
                    task=task.name,
                )
                return StepMask(operation.name, area, origin, operation.color)
    return None


def _trials_with(task: Task, key: tuple[str, str, str], wanted: Sequence[str]) -> Iterator[Trial]:
    """The trials whose journal holds a step, those of the ``wanted`` probes first."""
    joins = task.probe_journals
    names = key_columns(task.kind)
    if joins is None or any(name not in joins for name in (*names, *_STEP)):
        return
    rows = joins.rows_with(dict(zip(_STEP, key, strict=True)))
    found = [tuple(joins.cell(name, int(row)) for name in names) for row in rows]
    ranks = {probe: rank for rank, probe in reversed(list(enumerate(wanted)))}
    for ids in sorted(dict.fromkeys(found), key=lambda ids: ranks.get(ids[0], len(wanted))):
        place = task.trials.row_of(trial_id(ids))
        if place is not None:
            yield task.trials[place]


def _area(task: Task, trial: Trial, operation: Operation) -> BoolImage | None:
    """The step's bit plane or colour in the mask of one probe, as the plans say it is scored."""
    by_plane = operation.bit_plane is not None and bool(trial.bit_planes)
    settings = MaskSettings(bit_planes=by_plane, rules=PLAN)
    asked = OneTrial.of(
        task, trial, None, settings, selected={operation.key}, log=ProblemLog()
    ).images()
    job = asked[Side.PROBE].job
    if job is None or job.reference is None or not job.kind.has_marks:
        return None
    try:
        mask = reference_mask(job, read_reference(job))
    except (ForensicViewerError, OSError):
        # Scoring that task tells what is wrong with its masks; here there is just none.
        return None
    return mask.split(selected_in(mask.operations, job))[0]

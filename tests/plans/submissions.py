"""Whole submissions as the plans describe them: dataset, table, masks and system description."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.plans.build import PlanDataset, PlanSubmission
from tests.plans.datasets import (
    add_images,
    add_splices,
    add_videos,
    image_answers,
    splice_answers,
    video_answers,
)
from tests.plans.graphs import add_provenance, filtering_answers, graph_answers
from tests.plans.verification import add_cameras, add_events, camera_answers, event_answers

# NC2017 and MFC2019, Appendix A-a.
DESCRIPTION = """\
Section 1 {name} Identifier(s)
{id}

Section 2 System Description
Looks for boxes.

Section 3 OptOut Criteria
None

Section 4 System Hardware Description and Runtime Computation
2 CPU cores, no GPU; 1 s for the index file.

Section 5 Training Data and Knowledge Sources
None

Section 6 References
None
"""

Build = tuple[Callable[[PlanDataset], PlanDataset], Callable[[Path, str], PlanSubmission]]
BUILDERS: dict[str, Build] = {
    "manipulation": (add_images, image_answers),
    "removal": (
        lambda plan: add_images(plan, "removal"),
        lambda folder, year: image_answers(folder, year, "removal"),
    ),
    "splice": (add_splices, splice_answers),
    "video": (add_videos, video_answers),
    "provenance": (add_provenance, graph_answers),
    "filtering": (lambda plan: add_provenance(plan, "provenancefiltering"), filtering_answers),
    "event": (add_events, lambda folder, _: event_answers(folder)),
    "camera": (add_cameras, lambda folder, _: camera_answers(folder)),
}
TASKS = {
    "NC2016": ("manipulation", "removal", "splice"),
    "NC2017": ("manipulation", "video", "splice", "provenance", "filtering"),
    "MFC2019": (
        *("manipulation", "video", "splice", "provenance", "filtering"),
        *("event", "camera"),
    ),
}
EVERY_TASK = [(year, task) for year, tasks in TASKS.items() for task in tasks]


def answered(folder: Path, year: str, task: str) -> tuple[PlanDataset, PlanSubmission]:
    """A dataset of one task and a conforming answer to it, not yet written."""
    add, answer = BUILDERS[task]
    return add(PlanDataset.of(folder, year)), answer(folder, year)


def describe(answers: PlanSubmission) -> None:
    """Write the system description beside the table."""
    whose = "Experiment" if answers.year.name == "NC2017" else "Submission"
    path = answers.root / f"{answers.name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DESCRIPTION.format(name=whose, id=answers.name), "utf-8")

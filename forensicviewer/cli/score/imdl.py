"""``forensicviewer score imdl``: IMDL-BenCo's evaluators over a folder of predictions."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand
from forensicviewer.cli.imdl_options import add_meaning, add_places, choices_of
from forensicviewer.cli.score.mask import add_workers, crew_of
from forensicviewer.cli.score.options import add_reporting, finish, settings_from

if TYPE_CHECKING:
    from forensicviewer.core.model import Dataset, Submission, Task


def _listed_images(name: str) -> tuple[str, ...]:
    from forensicviewer.sources.tables.trial_file import images_listed

    return images_listed(Path(name))


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dataset",
        type=Path,
        metavar="DATASET",
        help="folder of images and masks, or a list of them",
    )
    parser.add_argument(
        "submission", type=Path, metavar="PREDICTIONS", help="folder or archive of predicted masks"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="output folder")
    parser.add_argument("--task", metavar="TASK", help="dataset to score if a list names several")
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="X",
        help="pixels with a higher score are called manipulated, 0 to 1 (default: %(default)s)",
    )
    parser.add_argument(
        "--trials",
        type=_listed_images,
        metavar="FILE",
        help="score only the images listed in FILE, one per line, as 'duplicates' writes them",
    )
    parser.add_argument(
        "--manipulated-only",
        action="store_true",
        help="exclude authentic images from the pixel metrics",
    )
    add_meaning(parser)
    parser.add_argument(
        "--prediction-polarity",
        choices=["white", "black"],
        help="colour that means manipulated in the predictions (default: white)",
    )
    parser.add_argument(
        "--image-score",
        choices=["max", "mean", "any"],
        default="max",
        help="how to derive an image-level score if the model gives none (default: %(default)s)",
    )
    add_places(parser)
    add_workers(parser)
    add_reporting(parser)


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.imdl.report import imdl_output
    from forensicviewer.app.imdl.run import score_imdl
    from forensicviewer.app.imdl.settings import ImdlSettings
    from forensicviewer.app.masks.result_store import ResultStore

    settings = settings_from(options, ImdlSettings.from_options)
    dataset, task, submission = _open(options)
    with (
        crew_of(options) as crew,
        ResultStore.of_user() as store,
        console.ProgressLine("Images", quiet=options.quiet) as progress,
    ):
        run = score_imdl(
            task,
            submission,
            settings,
            opening=dataset.problems,
            crew=crew,
            store=store,
            progress=progress,
        )
    output = imdl_output(run, opening=dataset.problems)
    lists = [Path(task.root) / name for name in task.files.values()]
    return finish(output, options, inputs=lists)


def _open(options: argparse.Namespace) -> tuple[Dataset, Task, Submission]:
    from forensicviewer.app.datasets.answered_task import task_answered_by
    from forensicviewer.app.datasets.opening import choose_task, open_dataset, open_submission

    dataset = open_dataset(options.dataset, choices=choices_of(options))
    name = options.task
    if name is None and len(dataset.tasks) > 1:
        answered = task_answered_by(dataset, [open_submission(options.submission)])
        name = None if answered is None else answered.name
    task = choose_task(dataset, name)
    return dataset, task, open_submission(options.submission, task=task)


COMMAND = Subcommand(
    "imdl", "Score predicted masks with IMDL-BenCo's evaluators", _add_options, _run
)

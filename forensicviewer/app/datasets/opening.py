"""Opens datasets and submissions, and chooses among the tasks of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from forensicviewer.app.datasets.genai_choices import as_allowed, read_choices
from forensicviewer.app.datasets.linked_files import link_problem
from forensicviewer.core.model import Dataset, Submission, Task, TaskKind
from forensicviewer.core.problem import DatasetError, ProblemLog, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.datasets import IMDL, detect, read_dataset
from forensicviewer.sources.files import archives
from forensicviewer.sources.files.links import trust_links
from forensicviewer.sources.imdl.dataset import DatasetChoices
from forensicviewer.sources.imdl.predictions import looks_like_predictions, read_predictions
from forensicviewer.sources.layouts import genai, nist, scan
from forensicviewer.sources.layouts.genai import NamedTables
from forensicviewer.sources.layouts.naming import TASK_WORDS, Role
from forensicviewer.sources.tables.packages import experiments_in, package_of
from forensicviewer.sources.tables.submissions import read_submission


def open_dataset(
    path: Path,
    *,
    index: Path | None = None,
    reference: Path | None = None,
    label_column: str | None = None,
    choices: DatasetChoices | None = None,
    follow_links: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    """Open a dataset directory, a single index or reference table, or an archive of GenAI.

    The tables and the label column that are named are those of a GenAI dataset, ``choices`` those
    of a dataset of images and masks. Links that lead outside are followed where the user trusts
    them; in archives and submissions never.
    """
    if not path.exists():
        raise DatasetError("The file or folder does not exist", where=path, rule="dataset.missing")
    if follow_links:
        trust_links(root_of(path))
    remembered = read_choices()

    def label_of(columns: Sequence[str]) -> str | None:
        return label_column or remembered.label_of(columns)

    named = NamedTables(index, reference, label_of)
    dataset = read_dataset(path, named=named, choices=choices, progress=progress)
    return _telling_links(as_allowed(dataset))


def root_of(path: Path) -> Path:
    """The folder of the dataset that a user names by it or by one of its tables."""
    return scan.root_of(path.absolute())


def _telling_links(dataset: Dataset) -> Dataset:
    """The dataset with one problem about links, where the first files of its tasks need them."""
    problem = link_problem(dataset.tasks)
    problems = ProblemLog(dataset.problems)
    problems.extend(() if problem is None else (problem,))
    return replace(dataset, problems=problems.freeze())


def is_genai(path: Path) -> bool:
    """Whether a dataset is one of NIST's GenAI evaluations, which alone may be packed."""
    return path.exists() and (archives.is_archive(path) or genai.find(path.absolute()) is not None)


def is_imdl(path: Path) -> bool:
    """Whether a dataset is images and masks: a published one, or IMDL-BenCo's folders and lists.

    Tables of NIST's come first: its own release of NIST16 has both.
    """
    if not path.exists() or archives.is_archive(path):
        return False
    found = detect(path)
    return found is not None and found.layout == IMDL


def open_submission(
    path: Path, *, task: Task | None = None, progress: Progress | None = None
) -> Submission:
    """Open a submission folder, table or archive, as an answer to ``task`` where given."""
    is_asked = task is not None and task.kind is TaskKind.IMDL
    if is_asked or (task is None and _holds_maps_only(path)):
        return read_predictions(path, task=task, progress=progress)
    return read_submission(path, kind=None if task is None else task.kind, progress=progress)


def _holds_maps_only(path: Path) -> bool:
    return looks_like_predictions(path) and not any(path.glob("*.csv"))


def tables_read(task: Task, submission: Submission) -> list[Path]:
    """The files of the tables that make up a task and a submission."""
    tables = [Path(task.root) / name for name in task.files.values()]
    return [*tables, Path(submission.root) / submission.table.name]


def experiments_of(path: Path, *, progress: Progress | None = None) -> tuple[Path, ...]:
    """The submissions that lie in one folder or archive, each to be opened by its path."""
    return experiments_in(path, progress=progress)


def megabytes_of(submission: Path) -> int:
    """How much of a submission is counted while it is opened; little where it is not packed."""
    package = package_of(submission)
    return archives.bytes_to_read(package) >> 20 if archives.is_archive(package) else 0


def choose_task(dataset: Dataset, name: str | None) -> Task:
    """The task of that name: ``splice``, or ``splice:NC2017`` where the dataset has several.

    A bare word means the main index where there are sub-indexes beside it; it is refused where
    tables of several evaluations lie in one dataset, because guessing would score the wrong one.
    """
    if name is None:
        return _only(dataset.tasks, dataset, "The dataset has several tasks")
    exact = [task for task in dataset.tasks if task.name.lower() == name.lower()]
    if exact:
        return exact[0]
    kind = kind_named(name)
    if ":" in name:
        raise _no_such_task(dataset, name)
    offered = [task for task in dataset.tasks if task.kind is kind]
    if not offered and kind is TaskKind.FILTERING:
        # Both provenance tasks are asked about the same probes; NIST often ships one index.
        graphs = [task for task in dataset.tasks if task.kind is TaskKind.PROVENANCE]
        offered = [replace(task, kind=TaskKind.FILTERING) for task in graphs]
    if not offered:
        raise _no_such_task(dataset, name)
    main = [task for task in offered if not task.is_variant]
    return _only(main or offered, dataset, f"The dataset has several tasks of type {kind.value}")


def tasks_called(dataset: Dataset, name: str | None) -> Sequence[Task]:
    """Every task a word may mean; all of them without a word."""
    if name is None:
        return dataset.tasks
    kind = kind_named(name)
    return [task for task in dataset.tasks if task.kind is kind]


def open_task(
    path: Path,
    *,
    name: str | None,
    index: Path | None = None,
    reference: Path | None = None,
    label_column: str | None = None,
    choices: DatasetChoices | None = None,
    follow_links: bool = False,
    progress: Progress | None = None,
) -> tuple[Dataset, Task]:
    """Open one task of the dataset at ``path``, with the tables the user names instead of its own.

    Named tables are looked for in the dataset first and then from the working directory; a named
    reference brings its companions (journals, nodes) from the folder it lies in.
    """
    if follow_links:
        trust_links(root_of(path))
    if (index is None and reference is None) or is_genai(path):
        dataset = open_dataset(
            path,
            index=None if index is None else find_named_table(index, path),
            reference=None if reference is None else find_named_table(reference, path),
            label_column=label_column,
            choices=choices,
            progress=progress,
        )
        return dataset, choose_task(dataset, name)
    return _open_named(path, name=name, index=index, reference=reference, progress=progress)


def find_named_table(table: Path, dataset: Path) -> Path:
    """Where a table lies that a user names: in the dataset, or seen from the working directory."""
    for folder in (dataset, scan.root_of(dataset.absolute()), Path.cwd()):
        if (folder / table).is_file():
            return folder / table
    raise UsageError(
        "The table does not exist",
        where=table,
        hint="name it relative to the dataset or to the working directory",
        rule="dataset.no-such-table",
    )


def _open_named(
    path: Path,
    *,
    name: str | None,
    index: Path | None,
    reference: Path | None,
    progress: Progress | None,
) -> tuple[Dataset, Task]:
    path = path.absolute()
    if not path.exists():
        raise DatasetError("The file or folder does not exist", where=path, rule="dataset.missing")
    root = scan.root_of(path)
    log = ProblemLog()
    tables = scan.find_tables(path, root=root, log=log) if path.is_dir() else []
    opened = scan.table_file(path, root=root) if path.is_file() else None
    index_file = _named_or_opened(index, opened, Role.INDEX, path=path, root=root)
    reference_file = _named_or_opened(reference, opened, Role.REFERENCE, path=path, root=root)
    plan = nist.plan_named(
        index_file,
        reference_file,
        kind=None if name is None else kind_named(name),
        tables=[*tables, *_beside(reference_file, root=root, log=log)],
    )
    reader = nist.TableReader([plan], log=log, progress=progress)
    task = nist.read_task(plan, reader, root=root)
    if task is None:
        raise DatasetError(
            "The named tables cannot be used", where=path, rule="dataset.not-a-table"
        )
    named = replace(task, label="")
    dataset = Dataset(
        root=root,
        name=path.resolve().name,
        edition=named.edition,
        tasks=(named,),
        evidence=tuple(nist.evidence_of(file) for file in plan.files),
        problems=log.freeze(),
    )
    return _telling_links(dataset), named


def _named_or_opened(
    table: Path | None, opened: scan.TableFile | None, role: Role, *, path: Path, root: Path
) -> scan.TableFile | None:
    """The table of this role that the user names, or else the one opened as a dataset."""
    if table is not None:
        return _named_table(table, path, root=root)
    return opened if opened is not None and opened.role is role else None


def _named_table(table: Path, dataset: Path, *, root: Path) -> scan.TableFile:
    found = find_named_table(table, dataset)
    described = scan.table_file(found, root=root)
    if described is None:
        raise DatasetError(
            "This table is neither an index nor a reference",
            where=found,
            rule="dataset.not-a-table",
        )
    return described


def _beside(
    reference: scan.TableFile | None, *, root: Path, log: ProblemLog
) -> list[scan.TableFile]:
    if reference is None:
        return []
    found = scan.find_tables(reference.path.parent, root=root, log=log)
    return [table for table in found if table.role not in (Role.INDEX, Role.REFERENCE)]


def kind_named(name: str) -> TaskKind:
    """The kind of task a user's word means."""
    word = name.strip().lower().partition(":")[0]
    others = {kind.value: kind for kind in (TaskKind.GENAI, TaskKind.IMDL)}
    kind = others.get(word) or TASK_WORDS.get(word)
    if kind is None:
        raise UsageError(
            f"{name!r} is not a task of this dataset",
            hint="the tasks are " + ", ".join(kind.value for kind in TaskKind),
            rule="task.unknown",
        )
    return kind


def _only(tasks: Sequence[Task], dataset: Dataset, message: str) -> Task:
    if len(tasks) == 1:
        return tasks[0]
    raise UsageError(
        message,
        where=dataset.root,
        hint="choose a task: " + ", ".join(task.name for task in tasks),
        rule="task.several",
    )


def _no_such_task(dataset: Dataset, name: str) -> UsageError:
    return UsageError(
        f"The dataset has no task {name}",
        where=dataset.root,
        hint="it has " + ", ".join(task.name for task in dataset.tasks),
        rule="task.absent",
    )

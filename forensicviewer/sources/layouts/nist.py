"""NIST's datasets: which tables belong together, and the tasks they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from forensicviewer.core.model import Dataset, Edition, Task, TaskKind, key_columns
from forensicviewer.core.problem import CodecError, DatasetError, Problem, ProblemLog
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files.meter import MEGABYTE, Meter
from forensicviewer.sources.layouts import checks, naming, scan
from forensicviewer.sources.layouts.conditions import condition_of, with_conditions
from forensicviewer.sources.layouts.galleries import Galleries
from forensicviewer.sources.layouts.joining import canonical_table, join
from forensicviewer.sources.layouts.naming import Role
from forensicviewer.sources.layouts.scan import TableFile
from forensicviewer.sources.layouts.trials import TableTrials
from forensicviewer.sources.tables.separated_text import read_table

_TABLES_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """The files of one task, before they are read."""

    kind: TaskKind
    index: TableFile | None
    reference: TableFile | None
    others: tuple[TableFile, ...] = ()

    @property
    def main(self) -> TableFile:
        found = self.index or self.reference
        assert found is not None
        return found

    @property
    def files(self) -> tuple[TableFile, ...]:
        return tuple(self.by_role.values())

    @property
    def by_role(self) -> dict[Role, TableFile]:
        """The files by their role, which the user may override."""
        chosen = {Role.INDEX: self.index, Role.REFERENCE: self.reference}
        chosen |= {other.role: other for other in self.others}
        return {role: file for role, file in chosen.items() if file is not None}


def plan_tasks(tables: Sequence[TableFile]) -> list[Plan]:
    """Group the tables of a dataset into tasks: one per index, and one per reference left over."""
    indexes = [table for table in tables if table.role is Role.INDEX]
    references = [table for table in tables if table.role is Role.REFERENCE]
    plans = [Plan(kind_of(index), index, _partner(index, references, indexes)) for index in indexes]
    used = {plan.reference.name for plan in plans if plan.reference is not None}
    plans += [
        Plan(kind_of(reference), _partner(reference, indexes, references), reference)
        for reference in references
        if reference.name not in used
    ]
    return [replace(plan, others=_companions(plan, tables)) for plan in plans]


def plan_named(
    index: TableFile | None,
    reference: TableFile | None,
    *,
    kind: TaskKind | None,
    tables: Sequence[TableFile],
) -> Plan:
    """The task of tables the user chose; a missing partner is searched among ``tables``."""
    main = index or reference
    assert main is not None
    wanted = kind or kind_of(main)
    if index is None and reference is not None:
        index = _partner(reference, [table for table in tables if table.role is Role.INDEX], ())
    if reference is None and index is not None:
        offered = [table for table in tables if table.role is Role.REFERENCE]
        reference = _partner(index, offered, ())
    plan = Plan(wanted, index, reference)
    return replace(plan, others=_companions(plan, tables))


def read_dataset(path: Path, *, progress: Progress | None = None) -> Dataset:
    """Open a dataset directory or a single table of one."""
    log = ProblemLog()
    # A folder named "." has no name and no parents to tell where the dataset begins.
    path = path.absolute()
    root = scan.root_of(path)
    tables = tables_at(path, root=root, log=log)
    plans = plan_tasks(tables)
    reader = TableReader(plans, log=log, progress=progress)
    tasks = [task for task in (read_task(plan, reader, root=root) for plan in plans) if task]
    if not tasks:
        raise DatasetError(
            "The folder contains no index and no reference table",
            where=path,
            hint=_where_else(path, log),
            rule="dataset.no-tables",
        )
    labelled = _with_labels(tasks)
    return Dataset(
        root=root,
        name=root.resolve().name,
        edition=_edition_of_all(labelled),
        tasks=tuple(labelled),
        evidence=tuple(evidence_of(table) for table in tables),
        problems=log.freeze(),
    )


def _where_else(path: Path, log: ProblemLog) -> str:
    fault = next((problem for problem in log if problem.rule.startswith("table.")), None)
    if fault is not None:
        return f"{fault.where}: {fault.message}; {fault.hint}"
    inner = [folder.name for folder in scan.datasets_in(path)]
    if inner:
        return "it contains the datasets " + ", ".join(inner[:8])
    answers = [folder.name for folder in scan.submissions_in(path)]
    if answers:
        named = ", ".join(answers[:3]) + (", …" if len(answers) > 3 else "")
        return f"it contains submissions ({named}): open their dataset first, then the submissions"
    return "a dataset contains indexes/…-index.csv or reference/<task>/…-ref.csv"


class TableReader:
    """Reads each table once, even if several tasks use it, and reports progress."""

    def __init__(
        self, plans: Sequence[Plan], *, log: ProblemLog, progress: Progress | None
    ) -> None:
        self.log = log
        self._sizes = {file.path: _size(file) for plan in plans for file in plan.files}
        checked = [self._sizes[file.path] for plan in plans for file in _trial_files(plan)]
        self._meter = Meter(progress, sum(self._sizes.values()) + sum(checked))
        self._read: dict[Path, Table | None] = {}

    def read_all(self, files: Iterable[TableFile]) -> None:
        """Read what was not read yet, two tables at a time: most of it runs side by side."""
        unread = {file.path: file for file in files if file.path not in self._read}
        with ThreadPoolExecutor(_TABLES_AT_ONCE, thread_name_prefix="tables") as pool:
            reading = pool.map(partial(_read, meter=self._meter), unread.values())
            for file, found in zip(unread.values(), reading, strict=True):
                table, problems = found
                self._read[file.path] = table
                self.log.extend(problems)

    def count_checked(self, files: Iterable[TableFile], *, parts: int) -> None:
        """Report that one of several parts of the work on these tables is done."""
        size = sum(self._sizes[file.path] for file in files)
        self._meter.add(-(-size // parts))

    def read(self, file: TableFile) -> Table | None:
        """The table; ``None``, and a problem, where it cannot be read."""
        if file.path not in self._read:
            self.read_all([file])
        return self._read[file.path]


def _read(file: TableFile, *, meter: Meter) -> tuple[Table | None, tuple[Problem, ...]]:
    log = ProblemLog()
    try:
        table = read_table(file.path, name=file.name, log=log, count=meter.add)
    except CodecError as error:
        return None, (*log, error.as_problem())
    meter.add(MEGABYTE)
    return table, log.freeze()


def _size(file: TableFile) -> int:
    """The weight of a table in the progress: its bytes, plus a constant."""
    try:
        return file.path.stat().st_size + MEGABYTE
    except OSError:
        return MEGABYTE


def _trial_files(plan: Plan) -> list[TableFile]:
    return [file for file in (plan.index, plan.reference) if file is not None]


def kind_of(table: TableFile) -> TaskKind:
    """The task a table belongs to: by characteristic columns, name, TaskID."""
    by_columns = naming.kind_of_columns(table.header, task_id="", media="")
    if table.kind is not None and by_columns is TaskKind.MANIPULATION:
        return table.kind
    if table.kind is TaskKind.FILTERING and by_columns is TaskKind.PROVENANCE:
        return TaskKind.FILTERING
    if by_columns is not TaskKind.MANIPULATION:
        return by_columns
    task_id, media = scan.first_cells(table)
    return naming.kind_of_columns(table.header, task_id=task_id, media=media)


def evidence_of(table: TableFile) -> str:
    """One line that says how a table was recognised, and why."""
    edition, why = _edition_and_why(table)
    year = f", {edition.value} by {why}" if edition is not Edition.UNKNOWN else ""
    task = f" of task {kind_of(table).value}" if table.role in _TRIAL_ROLES else ""
    return f"{table.name}: {table.role.value}{task}{year}"


def read_task(plan: Plan, reader: TableReader, *, root: Path) -> Task | None:
    """Read the tables of a task; ``None`` where neither index nor reference can be used."""
    log = reader.log
    reader.read_all(plan.by_role.values())
    tables = {role: reader.read(file) for role, file in plan.by_role.items()}
    index = _usable(tables.get(Role.INDEX), plan.kind, log=log)
    reference = _usable(tables.get(Role.REFERENCE), plan.kind, log=log)
    if index is None and reference is None:
        return None
    for each in (index, reference):
        if each is not None:
            checks.check_trials(each, kind=plan.kind, log=log)
        reader.count_checked(_trial_files(plan), parts=3)
    table = with_conditions(join(index, reference, kind=plan.kind, log=log))
    reader.count_checked(_trial_files(plan), parts=3)
    probe_journals = _with_columns(tables.get(Role.PROBE_JOURNALS), ("ProbeFileID",), log=log)
    journal_masks = tables.get(Role.JOURNAL_MASKS)
    checks.check_journals(probe_journals, journal_masks, log=log)
    return Task(
        kind=plan.kind,
        edition=edition_of(plan),
        root=root,
        table=table,
        trials=TableTrials(
            plan.kind,
            table,
            journal_masks=journal_masks,
            probe_journals=probe_journals,
            galleries=Galleries(plan.kind, table, tables.get(Role.TRAINING), root=root),
        ),
        # The scorers know the later spellings only.
        index=_canonical(tables.get(Role.INDEX)),
        reference=_canonical(tables.get(Role.REFERENCE)),
        journal_masks=journal_masks,
        probe_journals=probe_journals,
        nodes=tables.get(Role.NODES),
        world=tables.get(Role.WORLD),
        training=tables.get(Role.TRAINING),
        pools=tables.get(Role.POOLS),
        condition=condition_of(plan.kind, table),
        files={role.value: file.name for role, file in plan.by_role.items()},
        label=_wish(plan),
        is_variant=any(file.variant for file in (plan.index, plan.reference) if file is not None),
    )


def _canonical(table: Table | None) -> Table | None:
    return None if table is None else canonical_table(table)


def edition_of(plan: Plan) -> Edition:
    """The evaluation a task belongs to: by file names, else by its columns."""
    return _edition_of_files(plan.files)


_TRIAL_ROLES = (Role.INDEX, Role.REFERENCE)


def tables_at(path: Path, *, root: Path, log: ProblemLog) -> list[TableFile]:
    if path.is_dir():
        return scan.find_tables(path, root=root, log=log)
    if not path.is_file():
        raise DatasetError("The file or folder does not exist", where=path, rule="dataset.missing")
    table = scan.table_file(path, root=root)
    if table is None or table.role not in _TRIAL_ROLES:
        raise DatasetError(
            "This table is neither an index nor a reference",
            where=path,
            hint="it needs ProbeFileID or ProvenanceProbeFileID, and sizes or IsTarget",
            rule="dataset.not-a-table",
        )
    if table.role is Role.INDEX:
        return [table]
    beside = scan.find_tables(path.parent, root=root, log=log)
    return [table, *(other for other in beside if other.role not in _TRIAL_ROLES)]


def _partner(
    table: TableFile, offered: Sequence[TableFile], rivals: Sequence[TableFile]
) -> TableFile | None:
    kind = kind_of(table)
    same_kind = [other for other in offered if kind_of(other) is kind]
    same_name = [other for other in same_kind if other.prefix.lower() == table.prefix.lower()]
    if not same_name and len(same_kind) == 1:
        alone = [rival for rival in rivals if kind_of(rival) is kind]
        return same_kind[0] if len(alone) == 1 else None
    by_variant = {other.variant: other for other in reversed(same_name)}
    return by_variant.get(table.variant) or by_variant.get("")


def _companions(plan: Plan, tables: Sequence[TableFile]) -> tuple[TableFile, ...]:
    roles = [role for role in Role if role not in _TRIAL_ROLES]
    found = (_companion(plan, [t for t in tables if t.role is role]) for role in roles)
    return tuple(table for table in found if table is not None)


def _companion(plan: Plan, offered: Sequence[TableFile]) -> TableFile | None:
    """The table that belongs to a task: with a similar name, or the only one without a name."""
    if not offered:
        return None
    by_reference = offered[0].role not in (Role.WORLD, Role.TRAINING, Role.POOLS)
    owner = plan.reference if by_reference else plan.main
    if owner is None:
        return None
    alike = [table for table in offered if _is_named_alike(table, owner, plan.kind)]
    if alike:
        # Both provenance tasks have tables named alike; their own ones go before the other's.
        return max(
            alike,
            key=lambda table: (table.kind is plan.kind, table.path.parent == owner.path.parent),
        )
    if offered[0].role is Role.TRAINING:
        # One table may serve the indexes of all train-test conditions.
        own = [table for table in offered if table.kind is plan.kind]
        return own[0] if len(own) == 1 else None
    beside = [table for table in offered if table.path.parent == owner.path.parent]
    return beside[0] if len(beside) == 1 and not beside[0].prefix else None


def _is_named_alike(table: TableFile, owner: TableFile, kind: TaskKind) -> bool:
    both_provenance = table.kind is not None and table.kind.is_provenance and kind.is_provenance
    # The word "manipulation" alone names the images or, beside a video reference, the videos.
    is_same_task = table.kind in (kind, owner.kind) or both_provenance
    has_same_name = table.prefix.lower() == owner.prefix.lower()
    return is_same_task and has_same_name and table.variant == owner.variant


def _usable(table: Table | None, kind: TaskKind, *, log: ProblemLog) -> Table | None:
    return _with_columns(
        None if table is None else canonical_table(table), key_columns(kind), log=log
    )


def _with_columns(table: Table | None, needed: Sequence[str], *, log: ProblemLog) -> Table | None:
    missing = [name for name in needed if table is not None and name not in table]
    if table is None or not missing:
        return table
    log.error(
        f"The table has no column {' and no column '.join(missing)}",
        where=f"{table.name}:1",
        hint="the table is ignored",
        rule="table.column-missing",
    )
    return None


def _edition_and_why(table: TableFile) -> tuple[Edition, str]:
    if table.edition is not Edition.UNKNOWN:
        return table.edition, "its name"
    edition, column = naming.edition_of_columns(table.header)
    return edition, f"its column {column}"


def _edition_of_files(files: Iterable[TableFile]) -> Edition:
    listed = list(files)
    named = [file.edition for file in listed if file.edition is not Edition.UNKNOWN]
    if named:
        return named[0]
    columns = {column for file in listed for column in file.header}
    return naming.edition_of_columns(columns)[0]


def _edition_of_all(tasks: Sequence[Task]) -> Edition:
    counted = Counter(task.edition for task in tasks)
    newest_first = sorted(counted, key=lambda edition: edition.value, reverse=True)
    return max(newest_first, key=lambda edition: counted[edition])


def _wish(plan: Plan) -> str:
    """The longest name of a task; shortened later if less is enough."""
    named_by = plan.main
    variant = named_by.variant or (plan.reference.variant if plan.reference is not None else "")
    parts = [part for part in (named_by.prefix, variant) if part]
    return ":".join([plan.kind.value, *(["-".join(parts)] if parts else [])])


def _with_labels(tasks: Sequence[Task]) -> list[Task]:
    """Give tasks the shortest distinct names: ``splice`` or ``splice:NC2017``."""
    kinds = Counter(task.kind for task in tasks)
    wishes = Counter(task.label for task in tasks)
    labelled = []
    for task in tasks:
        if kinds[task.kind] == 1:
            label = ""
        elif wishes[task.label] == 1:
            label = task.label
        else:
            label = f"{task.kind.value}:{next(iter(task.files.values()))}"
        labelled.append(replace(task, label=label))
    return labelled

"""Says what dropped or named files are before they are opened: from names and first lines only.

What is said before and what is then done come from here, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from forensicviewer.app.cases.manifest import SUFFIX as CASE_SUFFIX
from forensicviewer.app.language.words import to_translate, tr, tr_many
from forensicviewer.app.session.locate import trial_of_files
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.session_file import SUFFIX
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.problem import Problem, ProblemLog, UsageError
from forensicviewer.sources.files.archives import first_names
from forensicviewer.sources.tables.packages import package_of

_SENTENCES = {
    PlaceKind.DATASET: to_translate("Open {name} as dataset"),
    PlaceKind.SUBMISSION: to_translate("Open {name} as submission"),
    PlaceKind.SESSION: to_translate("Open {name} as session"),
    PlaceKind.CASE: to_translate("Open {name} as case"),
}
_ARCHIVES = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
# GenAI's folder of images, and how many entries of an archive show whether it has one.
_FILES, _ENTRIES = "files", 50
_ANSWER_COLUMNS = (
    "ConfScore",
    "ConfidenceScore",
    "OutputProbeMaskFileName",
    "ProvenanceOutputFileName",
    "VideoFrameSegments",
)
_BY_ITSELF = {
    PlaceKind.SESSION: "Open a session on its own",
    PlaceKind.CASE: "Open a case on its own",
}
_ENDINGS = {SUFFIX: PlaceKind.SESSION, CASE_SUFFIX: PlaceKind.CASE}
_OPENS = "datasets are folders or index tables; submissions are folders, tables or archives"
_TABLES = (".csv", ".tsv", ".psv")
_DATASET_FOLDERS = {"indexes", "reference", "probe", "world"}
_ROOT_FOLDERS = ("indexes", "reference")
_DEEPEST = 4  # reference/<task>/mask/<file>
# Enough to see what a folder is; a drop must be answered while the mouse moves.
_LOOKED_AT = 500
_MOST_SAID = 8


@dataclass(frozen=True, slots=True)
class Intent:
    """What opening a path would do. ``file`` is one of a dataset, whose trial is to be shown."""

    path: Path
    kind: PlaceKind
    file: Path | None = None

    @property
    def sentence(self) -> str:
        if self.file is not None:
            return tr("Open {name} and show {file}", name=self.path.name, file=self.file.name)
        return tr(_SENTENCES[self.kind], name=self.path.name)


@dataclass(frozen=True, slots=True)
class Meant:
    """What paths that are given together mean: what is opened, and what is not."""

    intents: tuple[Intent, ...]
    refused: tuple[Problem, ...]

    @property
    def request(self) -> OpenRequest | None:
        """The request that opens it; ``None`` where there is nothing to open."""
        if not self.intents:
            return None
        datasets = [one for one in self.intents if one.kind is not PlaceKind.SUBMISSION]
        main = next(iter(datasets), None)
        answers = [one.path for one in self.intents if one.kind is PlaceKind.SUBMISSION]
        return OpenRequest(
            None if main is None else main.path,
            tuple(answers),
            file=None if main is None else main.file,
            refused=self.refused,
            others=tuple(one.path for one in datasets[1:]),
        )


def recognise(path: Path) -> Intent | None:
    """What the path is; ``None`` when it is nothing that can be opened."""
    kind = _kind_of_folder(path) if path.is_dir() else _kind_of_file(package_of(path))
    if kind is not None:
        return Intent(path, kind)
    root = _dataset_around(path)
    return None if root is None else Intent(root, PlaceKind.DATASET, path)


def sort_out(paths: Sequence[Path]) -> Meant:
    """What paths mean together: one session or case, or datasets and any number of submissions."""
    log = ProblemLog()
    intents = [intent for intent in (_recognised(path, log) for path in paths) if intent]
    session = next((one for one in intents if one.kind in _BY_ITSELF), None)
    if session is not None:
        for other in intents:
            if other is not session:
                _refuse(other.file or other.path, _BY_ITSELF[session.kind], log)
        return Meant((session,), log.freeze())
    datasets = [one for one in intents if one.kind is PlaceKind.DATASET]
    answers = [one for one in intents if one.kind is PlaceKind.SUBMISSION]
    # A file of the dataset beside it says which trial is meant.
    files = [one for one in datasets if one.file and one.path == datasets[0].path]
    others = {one.path: one for one in datasets if one.path != datasets[0].path}
    return Meant((*(files or datasets)[:1], *others.values(), *answers), log.freeze())


def what_will_happen(paths: list[Path], state: ViewState) -> str:
    """The sentence for a drop."""
    trial = trial_of_files(paths, state)
    if trial is not None:
        return tr("Go to trial {trial}", trial=trial)
    meant = sort_out(paths)
    kinds = {intent.kind for intent in meant.intents}
    if not meant.intents:
        return tr("forensicviewer cannot open this")
    if kinds == {PlaceKind.SUBMISSION} and state.dataset is None:
        return tr("A submission needs its dataset: drop both together, or open the dataset first")
    refused = [Path(problem.where).name for problem in meant.refused]
    lines = [intent.sentence for intent in meant.intents]
    lines += [tr("{name} was not opened", name=name) for name in refused]
    more = len(lines) - _MOST_SAID
    if more > 0:
        lines[_MOST_SAID:] = [tr_many("… and {count} more", "… and {count} more", more)]
    return "\n".join(lines)


def as_meant(request: OpenRequest) -> OpenRequest:
    """What a command line names, also where it names a submission first or a file of a trial."""
    named = request.dataset
    intent = None if named is None else recognise(named)
    if named is None or intent is None:
        if named is not None and _is_binary(named):
            raise UsageError("forensicviewer cannot open this", where=named, hint=_OPENS)
        return request
    if intent.kind in _BY_ITSELF:
        return _without(request, request.submissions, _BY_ITSELF[intent.kind])
    if intent.kind is PlaceKind.DATASET:
        return _with_others(replace(request, dataset=intent.path, file=intent.file))
    dataset = next((path for path in request.submissions if _is_dataset(path)), None)
    answers = tuple(path for path in (named, *request.submissions) if path != dataset)
    return _with_others(replace(request, dataset=dataset, submissions=answers))


def _with_others(request: OpenRequest) -> OpenRequest:
    """The request with the further datasets among what is named as submissions."""
    for ending, kind in _ENDINGS.items():
        found = [path for path in request.submissions if path.suffix.lower() == ending]
        request = _without(request, found, _BY_ITSELF[kind])
    if request.dataset is None:
        return request
    own = request.dataset.absolute()
    others = [path for path in request.submissions if _is_certain_dataset(path)]
    answers = tuple(path for path in request.submissions if path not in others)
    others = [path for path in others if path.absolute() != own]
    return replace(request, submissions=answers, others=tuple(others))


def _is_certain_dataset(path: Path) -> bool:
    """Whether something is a dataset beyond doubt: an odd folder or table may well be answers."""
    if not _is_dataset(path):
        return False
    if path.is_file():
        return not path.name.lower().endswith(_TABLES) or _is_named_as_dataset(path)
    # The readers of every layout: not needed before something is named.
    from forensicviewer.sources.imdl.dataset import looks_like_dataset

    entries = list(_entries(path))
    return _has_dataset_names(entries) or looks_like_dataset(path)


def _without(request: OpenRequest, others: Sequence[Path], why: str) -> OpenRequest:
    log = ProblemLog(request.refused)
    for path in others:
        if request.dataset is None or path.absolute() != request.dataset.absolute():
            _refuse(path, why, log)
    answers = tuple(path for path in request.submissions if path not in others)
    return replace(request, submissions=answers, refused=log.freeze())


def _is_dataset(path: Path) -> bool:
    intent = recognise(path)
    return intent is not None and intent.kind is PlaceKind.DATASET and intent.file is None


def _recognised(path: Path, log: ProblemLog) -> Intent | None:
    intent = recognise(path)
    if intent is None:
        log.error(
            "forensicviewer cannot open this",
            where=str(path),
            hint=_OPENS,
            rule="open-unknown",
        )
    return intent


def _refuse(path: Path, why: str, log: ProblemLog) -> None:
    hint = "open it afterwards, or in a separate window with --new-window"
    log.error(why, where=str(path), hint=hint, rule="open-one")


def _dataset_around(file: Path) -> Path | None:
    """The dataset that contains a file."""
    if not file.is_file():
        return None
    return next((folder for folder in file.absolute().parents[:_DEEPEST] if _is_root(folder)), None)


def _is_root(folder: Path) -> bool:
    return any((folder / name).is_dir() for name in _ROOT_FOLDERS)


def _kind_of_file(path: Path) -> PlaceKind | None:
    name = path.name.lower()
    if not path.is_file():
        return None
    if name.endswith(SUFFIX):
        return PlaceKind.SESSION
    if name.endswith(CASE_SUFFIX):
        return PlaceKind.CASE
    if name.endswith(_ARCHIVES):
        return PlaceKind.DATASET if _holds_dataset(path) else PlaceKind.SUBMISSION
    if name.endswith(_TABLES):
        return PlaceKind.SUBMISSION if _holds_answers(path) else PlaceKind.DATASET
    if name.endswith(".json"):
        # A list of images and masks; the readers of every layout are not needed before.
        from forensicviewer.sources.imdl.lists import looks_like_list

        return PlaceKind.DATASET if looks_like_list(path) else None
    return None


def _holds_dataset(archive: Path) -> bool:
    """Whether an archive is a set of a GenAI evaluation, which is delivered packed."""
    names = [PurePosixPath(name) for name in first_names(archive, _ENTRIES)]
    return any(
        _FILES in name.parts[:-1] or (name.suffix in _TABLES and name.stem.endswith("_index"))
        for name in names
    )


def _kind_of_folder(path: Path) -> PlaceKind:
    entries = list(_entries(path))
    if _has_dataset_names(entries):
        return PlaceKind.DATASET
    tables = [entry for entry in entries if entry.name.lower().endswith(_TABLES)]
    # A package holds a folder for every experiment, each with a table of its name.
    tables += [entry / f"{entry.name}.csv" for entry in entries[:5] if entry.is_dir()]
    # A link may lead anywhere; what it leads to says nothing about the folder.
    own = [table for table in tables if not table.is_symlink()]
    has_answers = any(_holds_answers(table) for table in own[:5]) or _holds_maps(path, entries)
    return PlaceKind.SUBMISSION if has_answers else PlaceKind.DATASET


def _has_dataset_names(entries: Sequence[Path]) -> bool:
    """Whether a folder holds what NIST's datasets hold, by its names."""
    return any(
        entry.name.lower() in _DATASET_FOLDERS
        or (entry.name.lower().endswith(_TABLES) and _is_named_as_dataset(entry))
        for entry in entries
    )


def _is_named_as_dataset(table: Path) -> bool:
    return "index" in table.stem.lower() or "-ref" in table.stem.lower()


def _holds_maps(path: Path, entries: Sequence[Path]) -> bool:
    """Whether a folder is predictions and not a dataset of images and masks."""
    # The readers of every layout: not needed before something is dropped.
    from forensicviewer.sources.imdl.dataset import has_dataset_folders
    from forensicviewer.sources.imdl.predictions import looks_like_predictions

    return looks_like_predictions(path) and not has_dataset_folders(entries)


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from islice(folder.iterdir(), _LOOKED_AT)
    except OSError:
        # A folder nobody may list is told when it is opened.
        return


def _is_binary(path: Path) -> bool:
    """Whether it is a file, and no text: an image, say, that lies in no dataset."""
    return b"\0" in _first_bytes(path, _LOOKED_AT)


def _holds_answers(table: Path) -> bool:
    header = _first_bytes(table, 8192).split(b"\n", 1)[0].decode(errors="replace")
    return any(column in header for column in _ANSWER_COLUMNS)


def _first_bytes(path: Path, count: int) -> bytes:
    """How an ordinary file begins; a pipe has no beginning and would be waited for."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(count)
    except OSError:
        return b""

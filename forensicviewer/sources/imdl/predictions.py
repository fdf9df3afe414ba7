"""Predictions for images: folders of maps as IMDL-BenCo and its peers save them.

A prediction is found by the name of its image, however much of it the program kept: the relative
path (TruFor), the full name (SAFIRE), the stem (IMDL-BenCo, CAT-Net), the name up to its first dot
(MVSS-Net), or the name of a folder (PhotoHolmes).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forensicviewer.core.array import Rows, Size
from forensicviewer.core.imdl.geometry import Geometry, squares_among
from forensicviewer.core.model import Answer, Submission, Task, TaskKind, TrialId
from forensicviewer.core.problem import ForensicViewerError, ProblemLog, SubmissionError
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.number_cell import number_of
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files import archives
from forensicviewer.sources.files.paths import resolve, resolve_inside
from forensicviewer.sources.imdl.folder_tree import FolderTree
from forensicviewer.sources.imdl.known import read_document
from forensicviewer.sources.imdl.masks import read_map
from forensicviewer.sources.imdl.pair import IMAGE_SUFFIXES, bare_stem, base, stem
from forensicviewer.sources.media.formats import Format
from forensicviewer.sources.media.headers import read_header
from forensicviewer.sources.media.npz import read_npz
from forensicviewer.sources.tables.genai_output import parse_confidence

_SUFFIXES = (*IMAGE_SUFFIXES, ".npz")
_FOLDERS = ("pred", "outputs_binary", "output_pred", "outputs", "predictions", "maps")
_LABELS = "pred_label"
_SAMPLED = 64
_READ = 8  # maps whose values tell whether they were padded
_TELLING = 3  # of these at least so many must show something
_NAMED = 20


def looks_like_predictions(path: Path) -> bool:
    """Whether a folder may hold predictions, from names alone."""
    if not path.is_dir() or path.is_symlink():
        return False
    if any((path / name).is_dir() for name in _FOLDERS) or any(path.glob(f"{_LABELS}*.json")):
        return True
    try:
        entries = [entry.name.lower() for entry in path.iterdir()][:500]
    except OSError:
        return False
    maps = sum(name.endswith(_SUFFIXES) for name in entries)
    return maps > 0 and 2 * maps >= len(entries)


def read_predictions(
    path: Path, *, task: Task | None, progress: Progress | None = None
) -> Submission:
    """Open a folder or archive of predictions, as answers to the images of ``task`` where given."""
    log = ProblemLog()
    folder = path
    if archives.is_archive(path):
        folder, problems = archives.unpack(path, progress=progress)
        log.extend(problems)
    if not folder.is_dir():
        raise SubmissionError(
            "Predictions are a folder of maps",
            where=path,
            hint="name the folder that contains them, or the one above pred",
            rule="imdl.no-predictions",
        )
    tree = FolderTree.of(folder)
    files, layers, tool = _maps(tree)
    if not files:
        raise SubmissionError(
            "The folder contains no maps",
            where=path,
            hint="maps are PNG, TIFF or NPZ files named like their images",
            rule="imdl.no-predictions",
        )
    labels = _labels(tree, log)
    table = _table(path, files, labels)
    taken = set() if task is None else _ambiguous(task, log)
    answers = PredictionAnswers(table, labels, layers, taken)
    identity = {"tool": tool}
    if task is not None:
        _tell_missing(task, answers, log)
        identity["squares"] = _squares(task, folder, answers, log).value
    name = path.parent.name if path.name.lower() in _FOLDERS else path.name.split(".")[0]
    return Submission(
        root=folder,
        origin=path,
        name=name or path.name,
        table=table,
        answers=answers,
        kind=TaskKind.IMDL,
        identity=identity,
        problems=log.freeze(),
    )


def squares_of(submission: Submission) -> Geometry:
    """What maps are that are smaller squares than their images."""
    return Geometry(submission.identity.get("squares", Geometry.RESIZED.value))


@dataclass(frozen=True)
class _Names:
    """Rows of files by every name an image may be asked for."""

    paths: Mapping[str, int]
    full: Mapping[str, int]
    stems: Mapping[str, int]

    @classmethod
    def of(cls, files: Sequence[str]) -> _Names:
        paths: dict[str, int] = {}
        full: dict[str, int] = {}
        stems: dict[str, int] = {}
        for row, name in enumerate(files):
            kept = posixpath.splitext(name)[0]
            if base(name).lower() == "output.npz":
                kept = posixpath.dirname(name)
            last = base(kept)
            paths.setdefault(kept, row)
            if last.lower().endswith(IMAGE_SUFFIXES):
                full.setdefault(last, row)
                stems.setdefault(stem(last), row)
            else:
                stems.setdefault(last, row)
                stems.setdefault(bare_stem(base(name)), row)
        return cls(paths, full, stems)

    def row_of(self, image: str, *, is_shared: bool) -> int | None:
        """The row of an image's prediction; names that several images have find nothing."""
        folders = image.split("/")[:-1]
        keys = [(self.paths, image)]
        keys += [(self.paths, posixpath.splitext(image)[0])] if folders else []
        keys += [(self.stems, f"{folder}_{stem(image)}") for folder in reversed(folders)]
        if not folders:
            keys.append((self.full, base(image)))
        if not is_shared:
            keys += [(self.full, base(image)), (self.stems, stem(image))]
            keys.append((self.stems, base(image).partition(".")[0]))
        found = (names.get(key) for names, key in keys)
        return next((row for row in found if row is not None), None)


class PredictionAnswers:
    """Answers found by image name (an :class:`~forensicviewer.core.model.Answers`)."""

    def __init__(
        self,
        table: Table,
        labels: Mapping[str, float],
        layers: Mapping[str, Sequence[str]],
        shared: set[str],
    ) -> None:
        self._table = table
        self._labels = labels
        self._stems = {stem(name): score for name, score in labels.items()}
        self._names = _Names.of(list(table["OutputProbeMaskFileName"]))
        self._layers = {folder: (_Names.of(files), files) for folder, files in layers.items()}
        self._shared = shared

    def __len__(self) -> int:
        return len(self._table)

    def get(self, trial_id: TrialId) -> Answer | None:
        row = self._names.row_of(trial_id, is_shared=self._is_shared(trial_id))
        if row is None:
            return None
        return Answer(
            trial_id=trial_id,
            row=row,
            confidence=self.score_of(trial_id),
            mask=self._table.cell("OutputProbeMaskFileName", row),
            facts=self._table.row(row),
        )

    def rows_for(self, trial_ids: Sequence[TrialId]) -> Rows:
        found = (self._names.row_of(one, is_shared=self._is_shared(one)) for one in trial_ids)
        return np.array([-1 if row is None else row for row in found], dtype=np.intp)

    @property
    def has_scores(self) -> bool:
        return bool(self._labels)

    def score_of(self, trial_id: str) -> float | None:
        """What the model's own head says of the whole image."""
        found = self._labels.get(base(trial_id))
        return self._stems.get(stem(trial_id)) if found is None else found

    def layers_of(self, trial_id: str) -> dict[str, str]:
        """Other maps of the same image, by the folder they lie in."""
        shared = self._is_shared(trial_id)
        rows = {
            folder: (names.row_of(trial_id, is_shared=shared), files)
            for folder, (names, files) in self._layers.items()
        }
        return {folder: files[row] for folder, (row, files) in rows.items() if row is not None}

    def _is_shared(self, trial_id: str) -> bool:
        return stem(trial_id) in self._shared


def _maps(tree: FolderTree) -> tuple[list[str], dict[str, list[str]], str]:
    """(the files that are predictions, other maps by folder, who wrote them)."""
    files = [name for name in tree.files if name.lower().endswith(_SUFFIXES)]
    main = next((each for each in map(tree.named, _FOLDERS) if each is not None), None)
    if main is not None and base(main).lower() != "outputs":
        chosen = [name for name in files if name.startswith(f"{main}/")]
        layers: dict[str, list[str]] = {}
        for name in files:
            if not name.startswith(f"{main}/") and "/" in name:
                layers.setdefault(name.rpartition("/")[0], []).append(name)
        tools = {"pred": "IMDL-BenCo or MVSS-Net", "outputs_binary": "SAFIRE"}
        return chosen, layers, tools.get(base(main).lower(), "CAT-Net")
    # Floats say more than the levels beside them.
    ordered = sorted(files, key=lambda name: not name.lower().endswith(".npz"))
    is_npz = bool(ordered) and ordered[0].lower().endswith(".npz")
    if is_npz and any(base(name).lower() == "output.npz" for name in ordered):
        return ordered, {}, "PhotoHolmes"
    return ordered, {}, "TruFor" if is_npz else "maps"


def _labels(tree: FolderTree, log: ProblemLog) -> dict[str, float]:
    """Image-level scores by image name; the combined file, or those of all ranks merged."""
    documents = [
        name for name in tree.files if base(name).startswith(_LABELS) and name.endswith(".json")
    ]
    combined = [name for name in documents if "combined" in base(name)] or sorted(documents)
    found: dict[str, float] = {}
    for name in combined:
        content = read_document(tree.root / name)
        if not isinstance(content, dict):
            log.warn(
                "The image-level scores cannot be read",
                where=name,
                hint='the expected form is {"image.jpg": 0.97, …}',
                rule="imdl.labels",
            )
            continue
        for image, score in content.items():
            number = parse_confidence(score) if isinstance(score, str) else number_of(score)
            if number is not None and np.isfinite(number):
                found[base(str(image))] = float(number)
    return found


def _table(path: Path, files: Sequence[str], labels: Mapping[str, float]) -> Table:
    scores = {stem(name): score for name, score in labels.items()}
    cells = [scores.get(stem(name)) for name in files]
    columns = {
        "OutputProbeMaskFileName": list(files),
        "ConfidenceScore": ["" if score is None else repr(score) for score in cells],
    }
    return Table.of(path.name, columns)


def _ambiguous(task: Task, log: ProblemLog) -> set[str]:
    """Stems several images have: a map that kept only the stem belongs to nobody knows which."""
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for name in task.trials.ids():
        own = stem(name)
        if own in seen:
            twice[own] = None
        seen.add(own)
    if twice:
        log.warn(
            f"{len(twice)} names belong to several images ({next(iter(twice))}), so "
            "predictions with only these names are not used",
            where=task.table.name,
            hint="programs overwrite such predictions; keep the extension or the folder in "
            "the name",
            rule="imdl.shared-name",
        )
    return set(twice)


def _tell_missing(task: Task, answers: PredictionAnswers, log: ProblemLog) -> None:
    ids = task.trials.ids()
    missing = np.flatnonzero(answers.rows_for(ids) < 0)
    if not len(missing):
        return
    names = ", ".join(ids[int(row)] for row in missing[:_NAMED])
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    log.warn(
        f"{len(missing)} of {len(ids)} images have no prediction and are not scored: {names}{more}",
        where=task.table.name,
        hint="IMDL-BenCo's test_save_images leaves out the last incomplete batch",
        rule="imdl.no-prediction",
    )


def _squares(task: Task, root: Path, answers: PredictionAnswers, log: ProblemLog) -> Geometry:
    looked_at = list(_sizes(task, root, answers))
    found = squares_among((one, image) for one, image, _ in looked_at)
    if found is Geometry.RESIZED and _has_empty_margins(looked_at):
        log.note(
            f"The maps are squares of {looked_at[0][0].width} px, and empty beyond the size of"
            " their image",
            where=root.name,
            hint="they are read as padded: the image is at the upper left, the rest not scored",
            rule="imdl.padded",
        )
        return Geometry.PADDED
    return found


def _has_empty_margins(looked_at: Sequence[tuple[Size, Size, Path]]) -> bool:
    """Whether maps were padded and never cropped: one value fills what the image does not reach.

    A resized map is as empty only by chance, so several must say so.
    """
    edges = {edge for one, _, _ in looked_at for edge in (one.width, one.height)}
    if len(edges) != 1:
        return False
    (edge,) = edges
    padded = [
        (image, path) for _, image, path in looked_at if min(image.width, image.height) < edge
    ]
    telling = 0
    for image, path in padded[:: max(1, len(padded) // _READ)]:
        try:
            values = read_map(path, is_inverted=False).values
        except ForensicViewerError:
            continue
        inside = values[: image.height, : image.width]
        margins = (values[image.height :], values[: image.height, image.width :])
        seen = [margin for margin in margins if margin.size]
        low, high = min(each.min() for each in seen), max(each.max() for each in seen)
        if low != high:
            return False
        telling += bool(inside.min() < low or inside.max() > high)
    return telling >= _TELLING


def _sizes(task: Task, root: Path, answers: PredictionAnswers) -> Iterable[tuple[Size, Size, Path]]:
    """Of some answers: the size of the map, that of the image, and where the map lies."""
    step = max(1, len(task.trials) // _SAMPLED)
    for row in range(0, len(task.trials), step):
        trial = task.trials[row]
        answer = answers.get(trial.id)
        if answer is None or answer.mask is None:
            continue
        try:
            path = resolve_inside(root, answer.mask)
            prediction = map_size(path)
            image = read_header(resolve(Path(task.root), trial.probe.name)).size
        except ForensicViewerError:
            continue
        if prediction is not None and image is not None:
            yield prediction, image, path


def map_size(path: Path) -> Size | None:
    """The size of a prediction."""
    header = read_header(path)
    return Size.of(read_npz(path).pixels) if header.format is Format.NPZ else header.size

"""Writes a case file: the trial's rows and files, numbers, verdicts and report, checked first."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from forensicviewer.app.cases.manifest import Gap, Manifest, new_manifest
from forensicviewer.app.cases.opening import REPORT, VIEW, check_folder
from forensicviewer.app.claims.search import ExplainedClaim, texts_of
from forensicviewer.app.judging.measuring import measure, with_digests
from forensicviewer.app.masks.one_trial import narrowed
from forensicviewer.app.report.overwrite import require_free
from forensicviewer.app.report.separated_text import joined
from forensicviewer.app.reports.html import html_of
from forensicviewer.app.reports.making import ReportHeading, evaluated_state, trial_report
from forensicviewer.app.reports.pictures import pixel_digest, trial_pictures
from forensicviewer.app.runtime.atomic import file_digest
from forensicviewer.core.measurement import DONOR, PROBE, REFERENCE, SYSTEM_MASK, Measurement
from forensicviewer.core.model import Submission, Task, Trial, TrialId, key_columns
from forensicviewer.core.problem import ForensicViewerError, ScoringError, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.text_table import Table
from forensicviewer.core.verdict import Verdict
from forensicviewer.sources.files.atomic import sync_folder
from forensicviewer.sources.files.paths import resolve, resolve_inside
from forensicviewer.sources.files.sealed_zip import Sealed, check_path, write_sealed

BASE = "base"
_MOST_EXPLAINED = 20
_TABLES = {
    "index": "index",
    "reference": "reference",
    "journalmask": "journal_masks",
    "probejournaljoin": "probe_journals",
}


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """What goes into a case. ``withheld`` are the roles of files one may not pass on.

    ``put_view`` writes how the trial is looked at; ``explained`` is a claim about the first
    submission.
    """

    task: Task
    trial_id: TrialId
    submissions: tuple[Submission, ...]
    dataset: str
    verdicts: tuple[Verdict, ...] = ()
    heading: ReportHeading = field(default_factory=ReportHeading)
    licence: str = ""
    who: str = ""
    withheld: frozenset[str] = frozenset()
    is_anonymous: bool = False
    put_view: Callable[[Path], None] | None = None
    explained: ExplainedClaim | None = None

    @property
    def trial(self) -> Trial:
        return self.task.require_trial(self.trial_id)


def write_case(
    request: CaseRequest, path: Path, *, progress: Progress = lambda _done, _total: None
) -> Manifest:
    """Write a new case file. One that would not give the same numbers is not written."""
    require_free(path)
    if not request.submissions:
        raise UsageError("A case needs a submission")
    task = request.task
    if task.reference is None or not task.is_nist or not task.kind.has_masks:
        raise ScoringError(
            f"Cases need masks with NIST's tables, which {task.name} does not have",
            where=request.task.root,
        )
    with tempfile.TemporaryDirectory(prefix="forensicviewer-case-") as name:
        packing = _Packing(request, Path(name), progress)
        manifest = packing.manifest()
        _require_same(manifest, Path(name), path)
        files = [(one["path"], Path(name) / one["path"]) for one in manifest.content["files"]]
        for place, _ in files:
            _require_place(place, request.task)
        _write_new(path, manifest, files)
    return manifest


def _require_place(place: str, task: Task) -> None:
    """A name that other systems cannot have would be refused where the case is opened."""
    try:
        check_path(place, Path(place))
    except ForensicViewerError as error:
        raise ScoringError(
            error.message,
            where=task.root,
            hint="exclude these files, or rename them in the dataset or submission",
            rule="case.name",
        ) from error


def _require_same(manifest: Manifest, folder: Path, path: Path) -> None:
    """Check first what another machine will see."""
    wrong = next((one for one in check_folder(manifest, folder) if one.is_different), None)
    if wrong is not None:
        raise ForensicViewerError(
            f"The case would not reproduce the same numbers: {wrong.words}",
            where=path,
            hint="nothing was written; report this with the dataset",
            rule="case.unlike",
        )


def _write_new(path: Path, manifest: Manifest, files: Iterable[tuple[str, Path]]) -> None:
    """Write beside the place, then take it, never that of another file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fvcase-") as name:
        staged = Path(name) / "case"
        with staged.open("xb") as stream:
            write_sealed(stream, manifest.content, files)
            stream.flush()
            os.fsync(stream.fileno())
        require_free(path)
        _move(staged, path)
    sync_folder(path.parent)


def _move(staged: Path, path: Path) -> None:
    try:
        # Unlike a rename, a second name never takes the place of a file that came meanwhile.
        os.link(staged, path)
    except FileExistsError:
        require_free(path)
    except OSError:
        # Not every disk has second names.
        staged.rename(path)


def hand_on(
    source: Path, path: Path, *, who: str, what: str, manifest: Manifest, folder: Path
) -> None:
    """Write a case that was opened into ``folder`` once more, with another line of custody."""
    require_free(path)
    if not who.strip():
        raise UsageError("A custody entry needs a name", where=source)
    files = [(one["path"], folder / one["path"]) for one in manifest.content["files"]]
    _write_new(path, manifest.handed_on(who, what), files)


class _Packing:
    """One case on its way into a folder."""

    def __init__(self, request: CaseRequest, folder: Path, progress: Progress) -> None:
        self._request, self._folder = request, folder
        self._progress = progress
        self._gaps: list[Gap] = []
        self._dataset = _plain(request.dataset, "dataset")
        self._root = f"dataset/{self._dataset}"
        self._judges: dict[str, str] = {}
        self._names = {
            one.name: f"Submission {number}" if request.is_anonymous else one.name
            for number, one in enumerate(request.submissions, start=1)
        }

    def manifest(self) -> Manifest:
        request, count = self._request, len(self._request.submissions) + 2
        self._progress(0, count)
        self._put_tables()
        self._put_media()
        measured: list[Measurement] = []
        pictures: list[dict[str, str]] = []
        places = []
        for number, one in enumerate(request.submissions, start=1):
            self._progress(number, count)
            places.append(self._put_submission(number, one))
            found, shown = self._measured(one)
            measured.append(found)
            pictures += shown
        self._put_report(str(places[0]["path"]))
        if request.put_view is not None:
            request.put_view(self._folder / VIEW)
        content = {
            "case": request.heading.case,
            "licence": request.licence,
            "note": request.heading.note,
            "dataset": self._dataset,
            "task": request.task.name,
            "trial": str(request.trial_id),
            "submissions": places,
            "measured": [one.as_json() for one in measured],
            "pictures": pictures,
            "verdicts": [self._verdict(one) for one in request.verdicts],
            "claim": self._claim(),
            "gaps": [one.as_json() for one in self._gaps],
            "files": [one.as_json() for one in self._sealed()],
        }
        made = new_manifest(content)
        return made.handed_on(request.who or request.heading.judge or "unknown", "made")

    def _sealed(self) -> list[Sealed]:
        paths = sorted(path for path in self._folder.rglob("*") if path.is_file())
        return [
            Sealed(
                path.relative_to(self._folder).as_posix(), path.stat().st_size, file_digest(path)
            )
            for path in paths
        ]

    # Tables

    def _put_tables(self) -> None:
        task, trial = self._request.task, self._request.trial
        few = replace(narrowed(task, trial), index=_rows_of(task.index, task, trial))
        for role, name in task.files.items():
            table: Table | None = getattr(few, _TABLES.get(role, ""), None)
            if table is not None:
                self._put_table(f"{self._root}/{name}", table)

    def _put_table(self, place: str, table: Table) -> None:
        lines = [list(table.columns), *zip(*table.columns.values(), strict=True)]
        target = resolve_inside(self._folder, place)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(joined(lines, separator="|"), encoding="utf-8")

    # Files

    def _put_media(self) -> None:
        trial, root = self._request.trial, Path(self._request.task.root)
        named = [(PROBE, trial.probe.name), (DONOR, trial.donor.name if trial.donor else "")]
        named.append((BASE, trial.facts.get("BaseFileName", "").strip()))
        for column, cell in trial.facts.items():
            if column.endswith("MaskFileName") and cell.strip():
                named.append((REFERENCE, cell))
        for role, name in dict.fromkeys(named):
            if name:
                self._put_file(role, f"{self._root}/{name}", _found(resolve, root, name))

    def _put_file(self, role: str, place: str, source: Path | None) -> None:
        if source is None:
            self._gaps.append(Gap(place, role, "", "missing from the dataset"))
        elif role in self._request.withheld:
            self._gaps.append(Gap(place, role, file_digest(source), "withheld"))
        else:
            target = resolve_inside(self._folder, place)
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                shutil.copyfile(source, target)

    def _put_submission(self, number: int, one: Submission) -> dict[str, str]:
        name = (
            f"submission-{number}"
            if self._request.is_anonymous
            else _plain(one.name, f"submission-{number}")
        )
        place = f"submissions/{number}/{name}"
        answer = one.answers.get(self._request.trial_id)
        rows = () if answer is None else (answer.row,)
        self._put_table(f"{place}/{name}.csv", one.table.cut(rows))
        masks = () if answer is None else (answer.mask, answer.donor_mask)
        for mask in dict.fromkeys(filter(None, masks)):
            source = _found(resolve_inside, Path(one.root), mask)
            self._put_file(SYSTEM_MASK, f"{place}/{mask}", source)
        return {"name": self._names[one.name], "path": place}

    # Numbers

    def _measured(self, one: Submission) -> tuple[Measurement, list[dict[str, str]]]:
        state = evaluated_state(self._request.task, one, self._request.trial_id)
        found = measure(state)
        assert found is not None, "the state holds the trial it was made with"
        taken = with_digests(found, self._request.task, one)
        pictures = [
            {"submission": self._names[one.name], "sha256": pixel_digest(picture.png)}
            for picture in trial_pictures(state)
        ]
        return replace(taken, submission=self._names[one.name]), pictures

    def _put_report(self, place: str) -> None:
        """The report of the first submission, without what is withheld."""
        request, first = self._request, self._request.submissions[0]
        named = replace(first, name=self._names[first.name])
        state = evaluated_state(request.task, named, request.trial_id)
        heading = request.heading
        if request.is_anonymous:
            heading = replace(heading, judge="", checker="")
        report = trial_report(
            state,
            heading,
            verdicts=[replace(one, judge=self._judge(one.judge)) for one in request.verdicts],
            places=(self._root, place),
            explained=self._explained(place),
            has_pictures=request.withheld <= {BASE},
        )
        (self._folder / REPORT).write_text(html_of(report), encoding="utf-8")

    def _explained(self, place: str) -> ExplainedClaim | None:
        """The claim with the places of the case, not those of this machine."""
        explained = self._request.explained
        if explained is None:
            return None
        there = replace(explained.dispute.submission, origin=PurePosixPath(place))
        return replace(explained, dispute=replace(explained.dispute, submission=there))

    def _claim(self) -> dict[str, Any]:
        """The claim, what the evaluation gives, and what explains it; empty without one."""
        explained = self._request.explained
        if explained is None:
            return {}
        return {
            "claimed": {one.metric: one.text for one in explained.dispute.claims},
            "recomputed": {side.word: dict(n) for side, n in explained.recomputed.items()},
            "explained": [texts_of(one) for one in explained.found[:_MOST_EXPLAINED]],
            "found": len(explained.found),
            "tried": explained.tried,
        }

    def _judge(self, judge: str) -> str:
        if not self._request.is_anonymous:
            return judge
        return self._judges.setdefault(judge, f"Judge {len(self._judges) + 1}")

    def _verdict(self, one: Verdict) -> dict[str, Any]:
        facts = dict(one.facts)
        if self._request.is_anonymous and "Submission" in facts:
            facts["Submission"] = self._names.get(facts["Submission"], "withheld")
        measured = [
            replace(each, submission=self._names.get(each.submission, "withheld"))
            if self._request.is_anonymous
            else each
            for each in one.measured
        ]
        return {
            "judge": self._judge(one.judge),
            "ruling": one.ruling.value,
            "note": one.note,
            "said_at": one.said_at,
            "line": one.id,
            "facts": facts,
            "measured": [each.as_json() for each in measured],
            "reason": one.reason,
            "examined": one.examined.as_json(),
        }


def _rows_of(table: Table | None, task: Task, trial: Trial) -> Table | None:
    if table is None:
        return None
    cells: Mapping[str, str] = {name: trial.facts.get(name, "") for name in key_columns(task.kind)}
    return table.cut(table.rows_with(cells)[:1])


def _found(resolved: Any, root: Path, name: str) -> Path | None:
    try:
        path = Path(resolved(root, name))
    except ForensicViewerError:
        return None
    return path if path.is_file() else None


def _plain(name: str, otherwise: str) -> str:
    """A name where it can be a folder on every system."""
    is_plain = bool(name) and name.isprintable() and not set(name) & set('/*?"<>|')
    if not is_plain:
        return otherwise
    try:
        check_path(name, Path(name))
    except ForensicViewerError:
        return otherwise
    return name

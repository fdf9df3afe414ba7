"""Opens case files into a separate folder, and checks whether the same numbers come out."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.app.cases.manifest import Manifest
from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.judging.measuring import NOT_CHECKED, measured_in, state_of
from forensicviewer.app.reports.pictures import pixel_digest, trial_pictures
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.measurement import REFERENCE, SYSTEM_MASK, Measurement, differences
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.problem import ForensicViewerError, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files.paths import cases_folder
from forensicviewer.sources.files.sealed_zip import unpack_sealed

VIEW, REPORT = "view.fvsession", "report.html"


@dataclass(frozen=True, slots=True)
class CaseFinding:
    """One thing that was checked, in words."""

    what: str
    words: str
    is_same: bool = False
    is_different: bool = False

    @property
    def status(self) -> str:
        """Same, different, or recorded and not checked."""
        if self.is_different:
            return "Differs"
        return "Same" if self.is_same else NOT_CHECKED


@dataclass(frozen=True, slots=True)
class OpenedCase:
    """A case that was unpacked, and what checking it found."""

    manifest: Manifest
    folder: Path
    findings: tuple[CaseFinding, ...]
    origin: Path = Path()

    @property
    def view(self) -> Path | None:
        """The session that shows the case as it was shown; ``None`` where none was kept."""
        path = self.folder / VIEW
        return path if path.is_file() else None

    @property
    def report(self) -> Path | None:
        path = self.folder / REPORT
        return path if path.is_file() else None

    @property
    def dataset(self) -> Path:
        return self.folder / "dataset" / self.manifest.dataset

    @property
    def submissions(self) -> tuple[Path, ...]:
        return tuple(self.folder / place for place in self.manifest.submissions.values())

    @property
    def is_different(self) -> bool:
        return any(one.is_different for one in self.findings)


def open_case(
    path: Path, folder: Path | None = None, *, progress: Progress = lambda _done, _total: None
) -> OpenedCase:
    """Unpack a case into a new folder, or one in the private cache, and check it.

    Files that are not the ones of the manifest refuse the whole case; numbers that come out
    otherwise are findings.
    """
    if folder is not None and folder.exists():
        raise UsageError(
            "The folder already exists", where=folder, hint="name a new folder", rule="case.into"
        )
    parent = cases_folder() if folder is None else folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=parent, prefix=".opening-"))
    try:
        manifest = Manifest.read(unpack_sealed(path, staging, progress=progress), path)
        if folder is None:
            folder = Path(tempfile.mkdtemp(dir=parent, prefix=f"{manifest.digest[:12]}-"))
            folder.rmdir()
        staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return OpenedCase(manifest, folder, tuple(check_folder(manifest, folder)), path)


@contextmanager
def opened_for_a_while(path: Path) -> Iterator[OpenedCase]:
    """A case in a folder that goes away again."""
    with tempfile.TemporaryDirectory(prefix="forensicviewer-case-") as name:
        yield open_case(path, Path(name) / "case")


def check_folder(manifest: Manifest, folder: Path) -> Iterator[CaseFinding]:
    """Compute every recorded number again from the files of the case."""
    for gap in manifest.gaps:
        yield CaseFinding(gap.role, f"Not in the case ({gap.why}): {gap.path}")
    try:
        _, task = open_task(folder / "dataset" / manifest.dataset, name=manifest.task)
        submissions = {
            name: open_submission(folder / place, task=task)
            for name, place in manifest.submissions.items()
        }
    except (ForensicViewerError, OSError) as error:
        # A name may be longer than any file's.
        yield CaseFinding("dataset", f"{NOT_CHECKED}: {error}", is_different=True)
        return
    if task.trials.row_of(TrialId(manifest.trial)) is None:
        words = f"The case does not contain the trial {manifest.trial}"
        yield CaseFinding("trial", words, is_different=True)
        return
    checking = _Checking(manifest, task, submissions)
    for number, recorded in enumerate(manifest.measured):
        yield checking.check(recorded, with_pictures=number < len(submissions))


@dataclass(frozen=True, slots=True)
class _Checking:
    manifest: Manifest
    task: Task
    submissions: dict[str, Submission]

    def check(self, recorded: Measurement, *, with_pictures: bool) -> CaseFinding:
        what = f"{recorded.submission or 'no submission'}, {recorded.trial}"
        submission = self.submissions.get(recorded.submission)
        if recorded.submission and submission is None:
            return CaseFinding(what, f"{NOT_CHECKED}: the submission is not in the case")
        if recorded.trial != self.manifest.trial:
            return CaseFinding(what, f"{NOT_CHECKED}: the trial is not in the case")
        missing = {gap.role for gap in self.manifest.gaps}
        if withheld := sorted(missing & {REFERENCE, SYSTEM_MASK}):
            needed = " and ".join(withheld)
            return CaseFinding(what, f"{NOT_CHECKED}: the {needed} is not in the case")
        try:
            state = state_of(recorded, self.task, submission)
        except ForensicViewerError as error:
            return CaseFinding(what, f"{NOT_CHECKED}: {error}", is_different=True)
        kept = tuple(file for file in recorded.files if file.role not in missing)
        found = differences(replace(recorded, files=kept), measured_in(state, recorded))
        if not found and with_pictures and not missing:
            found = self._other_pictures(recorded, state)
        if found:
            words = "Differs from the recorded numbers: " + "; ".join(found)
            return CaseFinding(what, words, is_different=True)
        if recorded.frame is not None:
            return CaseFinding(what, f"{NOT_CHECKED}: the number belongs to a single frame")
        return CaseFinding(what, _same_words(recorded), is_same=True)

    def _other_pictures(self, recorded: Measurement, state: ViewState) -> tuple[str, ...]:
        listed = self.manifest.pictures
        before = [digest for submission, digest in listed if submission == recorded.submission]
        now = [pixel_digest(picture.png) for picture in trial_pictures(state)]
        return () if before == now else ("the images have different pixels",)


def _same_words(recorded: Measurement) -> str:
    if not recorded.metrics:
        return "The files are identical; no number was recorded"
    mcc = recorded.metrics.get("MCC")
    shown = "" if mcc is None else f" (MCC {mcc!r})"
    return f"Recomputed: the same numbers{shown}"

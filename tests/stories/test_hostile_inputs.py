"""Files made to harm: each gives the right problem, the rest loads, nothing outside is touched."""

import io
import os
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import LINKS, ForensicViewerError, Problem, SubmissionError
from forensicviewer.sources.files.archives import ArchiveLimits, unpack
from forensicviewer.sources.files.paths import resolve

INDEX = "TaskID|ProbeFileID|ProbeFileName|ProbeWidth|ProbeHeight\n"
GOOD = "manipulation|good|probe/good.png|64|48\n"
REFERENCE = "TaskID|ProbeFileID|ProbeFileName|IsTarget|ProbeMaskFileName\n"
SYSTEM = "ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|ProbeStatus\n"
ANSWER = "good|0.5||Processed\n"

_opened_files: list[str] = []


def _note_opened(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        _opened_files.append(str(arguments[0]))


sys.addaudithook(_note_opened)


@dataclass(frozen=True)
class Place:
    """Where a hostile file lives, beside a secret it must not reach."""

    inside: Path
    outside: Path

    @property
    def secret(self) -> Path:
        return self.outside / "secret.csv"

    def index(self, *rows: str, header: str = INDEX) -> Path:
        return self.write("indexes/NC2017-manipulation-index.csv", header + "".join(rows))

    def reference(self, *rows: str) -> Path:
        self.index(GOOD)
        return self.write(
            "reference/manipulation/NC2017-manipulation-ref.csv", REFERENCE + "".join(rows)
        )

    def system(self, *rows: str, header: str = SYSTEM) -> Path:
        return self.write("sys/sys.csv", header + "".join(rows)).parent

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.inside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path / "inside", tmp_path / "outside")
    found.inside.mkdir()
    found.outside.mkdir()
    found.secret.write_text(INDEX + "manipulation|secret|probe/s.png|1|1\n", encoding="utf-8")
    _opened_files.clear()
    yield found
    assert {path.name for path in tmp_path.iterdir()} == {"inside", "outside"}
    assert [path.name for path in found.outside.iterdir()] == ["secret.csv"]
    assert not [name for name in _opened_files if "secret" in name or "passwd" in name]


def _row(name: str = "probe/p.png", *, width: str = "64", identifier: str = "bad") -> str:
    return f"manipulation|{identifier}|{name}|{width}|48\n"


INDEX_AT = "indexes/NC2017-manipulation-index.csv"
REFERENCE_AT = "reference/manipulation/NC2017-manipulation-ref.csv"
MASKS_AT = REFERENCE_AT.replace(".csv", "-journalmask.csv")

Make = Callable[[Place], object]

HOSTILE_DATASETS: dict[str, tuple[Make, str, str]] = {
    "an absolute probe name": (
        lambda p: p.index(_row("/etc/passwd"), GOOD),
        "path.absolute",
        f"{INDEX_AT}:2",
    ),
    "a probe name that climbs": (
        lambda p: p.index(GOOD, _row("probe/../../outside/secret.csv")),
        "path.climbs",
        f"{INDEX_AT}:3",
    ),
    "a probe name that climbs by backslashes": (
        lambda p: p.index(GOOD, _row("probe\\..\\..\\secret.csv")),
        "path.climbs",
        f"{INDEX_AT}:3",
    ),
    "a probe name with a drive": (
        lambda p: p.index(GOOD, _row("C:\\secret.csv")),
        "path.absolute",
        f"{INDEX_AT}:3",
    ),
    "a network name": (
        lambda p: p.index(GOOD, _row("\\\\server\\secret.csv")),
        "path.absolute",
        f"{INDEX_AT}:3",
    ),
    "a probe name with a zero byte": (
        lambda p: p.index(GOOD, _row("probe/p.png\0.jpg")),
        "path.control",
        f"{INDEX_AT}:3",
    ),
    "a mask name that climbs": (
        lambda p: p.reference("manipulation|good|probe/good.png|Y|../outside/secret.csv\n"),
        "path.climbs",
        f"{REFERENCE_AT}:2",
    ),
    "a width that is not a number": (
        lambda p: p.index(GOOD, _row(width="wide")),
        "trial.size",
        f"{INDEX_AT}:3",
    ),
    "a negative width": (
        lambda p: p.index(GOOD, _row(width="-64")),
        "trial.size",
        f"{INDEX_AT}:3",
    ),
    "a width of forty digits": (
        lambda p: p.index(GOOD, _row(width="9" * 40)),
        "trial.size",
        f"{INDEX_AT}:3",
    ),
    "a size that would fill all memory": (
        lambda p: p.index(GOOD, _row(width="99999999")),
        "trial.size-limit",
        f"{INDEX_AT}:3",
    ),
    "an id listed twice": (
        lambda p: p.index(GOOD, GOOD),
        "trial.id-twice",
        f"{INDEX_AT}:3",
    ),
    "a row without id": (
        lambda p: p.index(GOOD, _row(identifier="  ")),
        "trial.no-id",
        f"{INDEX_AT}:3",
    ),
    "a row that is too short": (
        lambda p: p.index(GOOD, "manipulation|bad\n"),
        "table.short-row",
        f"{INDEX_AT}:3",
    ),
    "a row that is too long": (
        lambda p: p.index(GOOD, _row().strip() + "|and|more\n"),
        "table.long-row",
        f"{INDEX_AT}:3",
    ),
    "a header that repeats a column": (
        lambda p: p.index(
            "manipulation|good|probe/good.png|64|48|evil\n",
            header=INDEX.strip() + "|ProbeFileID\n",
        ),
        "table.column-twice",
        f"{INDEX_AT}:1",
    ),
    "bytes that are no UTF-8": (
        lambda p: p.write(INDEX_AT, (INDEX + GOOD).encode() + b"m|caf\xe9|probe/x.png|1|1\n"),
        "table.encoding",
        f"{INDEX_AT}:3",
    ),
    "a quote that is never closed": (
        lambda p: p.index(GOOD, 'manipulation|"bad|probe/p.png|64|48\n', _row(identifier="c")),
        "table.quote",
        f"{INDEX_AT}:3",
    ),
    "an empty table beside a good one": (
        lambda p: (p.index(GOOD), p.write("indexes/NC2017-splice-index.csv", "")),
        "table.unrecognised",
        "indexes/NC2017-splice-index.csv",
    ),
    "noise that is called a table": (
        lambda p: (p.index(GOOD), p.write("indexes/noise.csv", os.urandom(5000))),
        "table.unrecognised",
        "indexes/noise.csv",
    ),
    "a splice index without donors": (
        lambda p: (p.index(GOOD), p.write("indexes/NC2017-splice-index.csv", INDEX + GOOD)),
        "table.column-missing",
        "indexes/NC2017-splice-index.csv:1",
    ),
    "a target that is neither yes nor no": (
        lambda p: p.reference("manipulation|good|probe/good.png|perhaps|\n"),
        "trial.target",
        f"{REFERENCE_AT}:2",
    ),
    "a colour out of range": (
        lambda p: (
            p.reference("manipulation|good|probe/good.png|Y|\n"),
            p.write(MASKS_AT, "JournalName|StartNodeID|EndNodeID|Color\nj|a|b|300 0 0\n"),
        ),
        "operation.color",
        f"{MASKS_AT}:2",
    ),
    "a bit plane that is not a number": (
        lambda p: (
            p.reference("manipulation|good|probe/good.png|Y|\n"),
            p.write(MASKS_AT, "JournalName|StartNodeID|EndNodeID|BitPlane\nj|a|b|0x7\n"),
        ),
        "operation.bit-plane",
        f"{MASKS_AT}:2",
    ),
    "a table that is a link to outside": (
        lambda p: (p.index(GOOD), _link(p, p.secret, name="indexes/linked.csv")),
        LINKS,
        "",
    ),
    "a folder that is a link to outside": (
        lambda p: (p.index(GOOD), _link(p, p.outside, name="reference")),
        LINKS,
        "reference",
    ),
    "a folder that is called a table": (
        lambda p: (p.index(GOOD), p.write("indexes/folder-index.csv/inside.txt", "")),
        "table.folder",
        "indexes/folder-index.csv",
    ),
    "a pipe that is called a table": (
        lambda p: (p.index(GOOD), _pipe(p, name="indexes/pipe.csv")),
        "path.special",
        "indexes/pipe.csv",
    ),
}


@pytest.mark.parametrize("name", HOSTILE_DATASETS)
def test_a_hostile_dataset_gives_its_problem_and_the_rest_loads(place: Place, name: str) -> None:
    make, rule, where = HOSTILE_DATASETS[name]
    if rule == LINKS:
        # One problem for all links, so it is about the dataset.
        where = str(place.inside)
    make(place)

    dataset = open_dataset(place.inside)

    assert (rule, where) in _told(dataset.problems)
    trials = dataset.tasks[0].trials
    assert "good" in [trials[row].id for row in range(len(trials))]


HOSTILE_NAMES: dict[str, tuple[Callable[[Place], str], str]] = {
    "a link to a file outside": (lambda p: _link(p, p.secret), "dataset.links"),
    "a link to a folder outside": (lambda p: _link(p, p.outside) + "/secret.csv", "dataset.links"),
    "a pipe": (lambda p: _pipe(p), "path.special"),
    "a name of 10,000 letters": (lambda _: "x" * 10_000, "path.unusable"),
    "a blank name": (lambda _: "  ", "path.blank"),
    "a line end in a name": (lambda _: "probe/a\n.png", "path.control"),
    "the root": (lambda _: "/", "path.absolute"),
    "dots behind a folder": (lambda _: "a/b/../../..", "path.climbs"),
}


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_is_refused_before_anything_is_opened(place: Place, name: str) -> None:
    make, rule = HOSTILE_NAMES[name]
    hostile = make(place)

    with pytest.raises(ForensicViewerError) as refused:
        resolve(place.inside, hostile)

    assert refused.value.rule == rule


HOSTILE_SUBMISSIONS: dict[str, tuple[Make, str, str]] = {
    "an absolute mask name": (
        lambda p: p.system(ANSWER, "bad|0.5|/etc/passwd|Processed\n"),
        "path.absolute",
        "sys.csv:3",
    ),
    "a mask name that climbs": (
        lambda p: p.system(ANSWER, "bad|0.5|mask/../../../outside/secret.csv|Processed\n"),
        "path.climbs",
        "sys.csv:3",
    ),
    "a score that is not a number": (
        lambda p: p.system(ANSWER, "bad|__import__('os')||Processed\n"),
        "submission.confidence",
        "sys.csv:3",
    ),
    "a score that is NaN": (
        lambda p: p.system(ANSWER, "bad|NaN||Processed\n"),
        "submission.confidence",
        "sys.csv:3",
    ),
    "a status nobody knows": (
        lambda p: p.system(ANSWER, "bad|1||Perfect\n"),
        "submission.status",
        "sys.csv:3",
    ),
    "an opt-out value beyond white": (
        lambda p: p.system(
            ANSWER.strip() + "|256\n", header=SYSTEM.strip() + "|ProbeOptOutPixelValue\n"
        ),
        "submission.opt-out-pixel",
        "sys.csv:2",
    ),
    "an answer given twice": (
        lambda p: p.system(ANSWER, ANSWER),
        "submission.id-twice",
        "sys.csv:3",
    ),
}


@pytest.mark.parametrize("name", HOSTILE_SUBMISSIONS)
def test_a_hostile_submission_gives_its_problem_and_the_rest_loads(place: Place, name: str) -> None:
    make, rule, where = HOSTILE_SUBMISSIONS[name]
    make(place)

    submission = open_submission(place.inside / "sys")

    assert _told(submission.problems) == [(rule, where)]
    assert submission.answers.rows_for([TrialId("good")]).tolist() == [0]


Entry = tuple[tarfile.TarInfo, bytes]


def _file(name: str, content: bytes = b"evil") -> Entry:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    return entry, content


def _special(name: str, kind: bytes, target: str = "") -> Entry:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry, b""


HOSTILE_ENTRIES: dict[str, tuple[list[Entry], str]] = {
    "an absolute entry": ([_file("/tmp/evil.csv")], "archive.entry-path"),
    "an entry that climbs": ([_file("../../outside/evil.csv")], "archive.entry-path"),
    "an entry with a drive": ([_file("C:/evil.csv")], "archive.entry-path"),
    "an entry that climbs by backslashes": ([_file("..\\evil.csv")], "archive.entry-path"),
    "a link to a secret": (
        [_special("sys/mask", tarfile.SYMTYPE, "../../outside")],
        "archive.entry-kind",
    ),
    "a link and a file behind it": (
        [_special("sys/out", tarfile.SYMTYPE, "/tmp"), _file("sys/out/a.txt")],
        "archive.entry-kind",
    ),
    "a hard link": ([_special("sys/h", tarfile.LNKTYPE, "/etc/passwd")], "archive.entry-kind"),
    "a device": ([_special("sys/null", tarfile.CHRTYPE)], "archive.entry-kind"),
    "a pipe": ([_special("sys/pipe", tarfile.FIFOTYPE)], "archive.entry-kind"),
    "a name used twice": ([_file("sys/sys.csv")], "archive.entry-twice"),
    "a file where a folder is": ([_file("sys")], "archive.entry-twice"),
    "a folder where a file is": ([_file("sys/sys.csv/evil.png")], "archive.entry-twice"),
}


@pytest.mark.parametrize("name", HOSTILE_ENTRIES)
def test_a_hostile_entry_of_a_tar_file_is_left_out(place: Place, name: str) -> None:
    entries, rule = HOSTILE_ENTRIES[name]
    archive = place.inside / "sys.tgz"
    with tarfile.open(archive, "w:gz") as tape:
        for entry, content in [_file("sys/sys.csv", (SYSTEM + ANSWER).encode()), *entries]:
            tape.addfile(entry, io.BytesIO(content))

    submission = open_submission(archive)

    assert rule in [problem.rule for problem in submission.problems]
    assert submission.problems[0].where.startswith("sys.tgz:")
    assert len(submission.answers) == 1
    _assert_plain_files_below(Path(submission.root))


HOSTILE_ZIP_NAMES = {
    "an absolute entry": "/evil.csv",
    "an entry that climbs": "../../outside/evil.csv",
    "an entry with a drive": "C:\\evil.csv",
    "an entry with a zero byte": "sys/a\0.csv",
}


@pytest.mark.parametrize("name", HOSTILE_ZIP_NAMES)
def test_a_hostile_entry_of_a_zip_file_is_left_out(place: Place, name: str) -> None:
    archive = _zip(place, {"sys/sys.csv": SYSTEM + ANSWER})
    with zipfile.ZipFile(archive, "a") as packed:
        entry = zipfile.ZipInfo("placeholder")
        entry.filename = HOSTILE_ZIP_NAMES[name]
        packed.writestr(entry, "evil")

    submission = open_submission(archive)

    assert [problem.rule for problem in submission.problems] == ["archive.entry-path"]
    assert len(submission.answers) == 1
    _assert_plain_files_below(Path(submission.root))


def test_a_link_in_a_zip_file_is_left_out(place: Place) -> None:
    archive = _zip(place, {"sys/sys.csv": SYSTEM + ANSWER})
    entry = zipfile.ZipInfo("sys/mask")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(archive, "a") as packed:
        packed.writestr(entry, "../../../outside")

    submission = open_submission(archive)

    assert [problem.rule for problem in submission.problems] == ["archive.entry-kind"]
    _assert_plain_files_below(Path(submission.root))


def test_an_encrypted_entry_is_left_out(place: Place) -> None:
    archive = _zip(place, {"sys/a.png": "x", "sys/sys.csv": SYSTEM + ANSWER})
    content = bytearray(archive.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(content)

    submission = open_submission(archive)

    assert [problem.rule for problem in submission.problems] == ["archive.entry-kind"]
    assert len(submission.answers) == 1


@pytest.mark.parametrize(
    "limits",
    [
        ArchiveLimits(entries=3),
        ArchiveLimits(entry_bytes=1000),
        ArchiveLimits(total_bytes=1000),
        ArchiveLimits(ratio=5, ratio_from_bytes=1000),
    ],
    ids=["many entries", "a large entry", "a large sum", "a large ratio"],
)
def test_a_bomb_is_refused_and_nothing_of_it_is_kept(place: Place, limits: ArchiveLimits) -> None:
    archive = _zip(place, {f"sys/{i}.csv": "0" * 20_000 for i in range(9)})

    with pytest.raises(ForensicViewerError) as refused:
        unpack(archive, limits=limits)

    assert refused.value.rule == "archive.bomb"
    cache = Path(os.environ["XDG_CACHE_HOME"]) / "forensicviewer" / "archives"
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("name", ["sys.zip", "sys.tgz", "sys.tar"])
@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b\x08\0broken", b"PK\x03\x04broken"])
def test_a_file_that_only_claims_to_be_an_archive_is_refused(
    place: Place, name: str, content: bytes
) -> None:
    with pytest.raises(ForensicViewerError) as refused:
        open_submission(place.write(name, content))

    assert refused.value.rule == "archive.broken"


def test_of_a_cut_archive_what_came_before_is_used(place: Place) -> None:
    archive = place.inside / "sys.tgz"
    with tarfile.open(archive, "w:gz") as tape:
        for entry, content in (
            _file("sys/sys.csv", (SYSTEM + ANSWER).encode()),
            _file("sys/mask/a.png", os.urandom(300_000)),
        ):
            tape.addfile(entry, io.BytesIO(content))
    archive.write_bytes(archive.read_bytes()[:200_000])

    submission = open_submission(archive)

    assert {problem.rule for problem in submission.problems} <= {
        "archive.entry-broken",
        "archive.damaged",
    }
    assert submission.problems
    assert len(submission.answers) == 1
    assert not (Path(submission.root) / "mask" / "a.png").exists()


def test_a_submission_table_that_is_a_link_is_not_read(place: Place) -> None:
    (place.inside / "sys").mkdir()
    (place.inside / "sys" / "sys.csv").symlink_to(place.secret)

    with pytest.raises(ForensicViewerError) as refused:
        open_submission(place.inside / "sys")

    assert refused.value.rule == "submission.no-table"


def _told(problems: tuple[Problem, ...]) -> list[tuple[str, str]]:
    return [(problem.rule, problem.where) for problem in problems]


def _link(place: Place, target: Path, *, name: str = "linked") -> str:
    (place.inside / name).symlink_to(target)
    return name


def _pipe(place: Place, *, name: str = "pipe") -> str:
    os.mkfifo(place.inside / name)
    return name


def _zip(place: Place, files: dict[str, str]) -> Path:
    archive = place.inside / "sys.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return archive


def _assert_plain_files_below(root: Path) -> None:
    for path in root.rglob("*"):
        assert stat.S_ISREG(path.lstat().st_mode) or stat.S_ISDIR(path.lstat().st_mode)
        assert "evil" not in path.name


def test_an_archive_without_its_ending_is_opened_all_the_same(place: Place) -> None:
    place.system(ANSWER)
    packed = place.inside / "sys.csv"
    with tarfile.open(packed, "w:gz") as tape:
        tape.add(place.inside / "sys", arcname="sys")

    submission = open_submission(packed)

    assert submission.answers.rows_for([TrialId("good")]).tolist() == [0]


def test_an_archive_in_an_archive_is_named(place: Place) -> None:
    place.system(ANSWER)
    inner, outer = place.inside / "inner.tgz", place.inside / "outer.zip"
    with tarfile.open(inner, "w:gz") as tape:
        tape.add(place.inside / "sys", arcname="sys")
    with zipfile.ZipFile(outer, "w") as packed:
        packed.write(inner, "inner.tgz")

    with pytest.raises(SubmissionError) as refused:
        open_submission(outer)

    assert refused.value.hint == "it contains the archive inner.tgz; open that one"


def test_a_table_of_one_endless_cell_is_no_table(place: Place) -> None:
    table = place.write("endless.csv", "x" * 200_000)

    with pytest.raises(SubmissionError) as refused:
        open_submission(table)

    assert refused.value.rule == "table.header"

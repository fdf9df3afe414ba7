"""Every changed byte, cut, swap, foreign line and missing file of a review is found and located.

What cannot be found stands in the last tests: a consistent forgery by somebody who can write every
file that tells of the others, in lines nobody has signed or seen.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.judging.anchor import anchor_path, write_anchor
from forensicviewer.app.judging.review import Honeypot, ReviewPlan, begin_review, open_review
from forensicviewer.app.judging.review_book import ReviewBook, decide
from forensicviewer.app.judging.signing import make_key
from forensicviewer.core.examination import Examination, Mark, MarkShape
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Ruling
from tests.build import a_dataset, box


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A review of two judges and a chair, with a conflict closed and heads countersigned."""
    folder = tmp_path_factory.mktemp("review")
    made = a_dataset(folder / "data").nist("NC2017")
    for number in (1, 2):
        made = made.with_trial(f"p{number}", manipulated=box(4 * number, 4, 30, 30))
    dataset = open_dataset(made.write().root)
    honeypots = (Honeypot("p2", Ruling.REFERENCE_WRONG),)
    plan = ReviewPlan(
        ("Ada", "Grace"), chair="Carol", is_blind=True, second_share=1.0, honeypots=honeypots
    )
    review = begin_review(folder / "review", dataset, "manipulation", plan)
    marked = Examination(marks=(Mark(MarkShape.PIN, ((3, 4),), text="here"),))
    ada = ReviewBook(review, judge="Ada")
    for trial in ("p1", "p2"):
        ada.say(TrialId(trial), Ruling.SOUND, facts={}, task="manipulation", examined=marked)
    grace = ReviewBook(review, judge="Grace")
    grace.say(TrialId("p1"), Ruling.LEAVE_OUT, facts={}, task="manipulation")
    decide(review, "p1", Ruling.SOUND, reason="the base shows it")
    ReviewBook(review, judge="Ada").countersign()
    assert found(review.folder) == []
    return review.folder


def found(folder: Path) -> list[tuple[str, str]]:
    """(place, rule) of everything that is wrong with a review."""
    try:
        book = open_review(folder).book()
    except ForensicViewerError as error:
        return [(Path(str(error.where)).name, error.rule)]
    return [(one.where, one.rule) for one in book.problems]


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def forged(original: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "forged"
    shutil.copytree(original, folder)
    return folder


def names_file(places: list[tuple[str, str]], path: Path) -> bool:
    """Whether a problem names the file; the settings and their digest stand for each other."""
    name = path.name.removesuffix(".anchor")
    settings = ("review.json", "review.sha256")
    wanted = settings if path.name in settings else (name,)
    return any(place.startswith(wanted) for place, _ in places)


def each_file(
    original: Path, tmp_path: Path, change: Callable[[bytes], list[bytes]]
) -> tuple[int, list[str]]:
    """Put each change in the place of each file: how many there were, and those not found."""
    folder, tried, missed = forged(original, tmp_path), 0, []
    for path in files(folder):
        kept = {one: one.read_bytes() for one in files(folder)}
        for number, changed in enumerate(change(kept[path])):
            path.write_bytes(changed)
            tried += 1
            if not names_file(found(folder), path):
                missed.append(f"{path.name}, change {number}")
            path.write_bytes(kept[path])
            for aside in folder.rglob("*.torn"):
                aside.unlink()
    return tried, missed


def test_every_changed_byte_of_every_file_is_found(original: Path, tmp_path: Path) -> None:
    def change(written: bytes) -> list[bytes]:
        places = range(len(written))
        return [written[:at] + bytes([written[at] ^ 1]) + written[at + 1 :] for at in places]

    tried, missed = each_file(original, tmp_path, change)

    assert missed == []
    assert tried == sum(len(path.read_bytes()) for path in files(original)) > 4000


def test_every_cut_of_every_file_is_found(original: Path, tmp_path: Path) -> None:
    tried, missed = each_file(
        original, tmp_path, lambda written: [written[:end] for end in range(len(written))]
    )

    assert missed == []
    assert tried > 4000


def test_every_swap_of_two_lines_is_found(original: Path, tmp_path: Path) -> None:
    def change(written: bytes) -> list[bytes]:
        lines = written.splitlines(keepends=True)
        pairs = [(a, b) for b in range(len(lines)) for a in range(b) if lines[a] != lines[b]]
        swapped = []
        for a, b in pairs:
            other = list(lines)
            other[a], other[b] = lines[b], lines[a]
            swapped.append(b"".join(other))
        return swapped

    _, missed = each_file(original, tmp_path, change)

    assert missed == []


def test_every_foreign_and_every_missing_line_is_found(original: Path, tmp_path: Path) -> None:
    foreign = b'{"kind": "verdict", "judge": "Eve", "trial": "p1", "ruling": "sound"}\n'

    def change(written: bytes) -> list[bytes]:
        lines = written.splitlines(keepends=True)
        places = range(len(lines))
        added = [b"".join([*lines[:at], foreign, *lines[at:]]) for at in range(len(lines) + 1)]
        removed = [b"".join([*lines[:at], *lines[at + 1 :]]) for at in places]
        doubled = [b"".join([*lines[:at], lines[at], *lines[at:]]) for at in places]
        return [*added, *removed, *doubled]

    _, missed = each_file(original, tmp_path, change)

    assert missed == []


def test_every_missing_file_is_found(original: Path, tmp_path: Path) -> None:
    folder = forged(original, tmp_path)
    for path in files(folder):
        kept = path.read_bytes()
        path.unlink()
        assert found(folder), path.name
        path.write_bytes(kept)
    assert found(folder) == []


def test_a_log_that_goes_with_its_anchor_is_missed_by_who_saw_it(
    original: Path, tmp_path: Path
) -> None:
    folder = forged(original, tmp_path)
    logs = sorted((folder / "logs").glob("*.jsonl"))
    for log in logs:
        kept = [(one, one.read_bytes()) for one in (log, anchor_path(log))]
        for one, _ in kept:
            one.unlink()
        assert any(rule == "verdict.head" for _, rule in found(folder)), log.name
        for one, content in kept:
            one.write_bytes(content)


def test_settings_rewritten_with_their_digest_are_found_by_every_verdict(
    original: Path, tmp_path: Path
) -> None:
    folder = forged(original, tmp_path)
    rewrite_settings(folder)

    assert ("review.json", "verdict.head") in found(folder)


def rewrite_settings(folder: Path) -> None:
    """Another chair, written as the program would."""
    content = json.loads((folder / "review.json").read_bytes())
    written = json.dumps({**content, "chair": "Grace"}).encode()
    (folder / "review.json").write_bytes(written)
    (folder / "review.sha256").write_text(hashlib.sha256(written).hexdigest())


def cut_last_line(log: Path) -> None:
    """Cut a log and its anchor alike, so that they agree."""
    lines = log.read_bytes().splitlines(keepends=True)[:-1]
    log.write_bytes(b"".join(lines))
    write_anchor(log, [hashlib.sha256(line.rstrip(b"\n")).hexdigest() for line in lines])


def test_what_nobody_saw_can_be_cut_unnoticed(original: Path, tmp_path: Path) -> None:
    folder = forged(original, tmp_path)
    logs = sorted((folder / "logs").glob("*.jsonl"))
    last = next(log for log in logs if b'"heads"' in log.read_bytes())

    # The last line of all: no other log names it.
    cut_last_line(last)

    assert found(folder) == []


def test_all_files_forged_together_are_not_found_unless_signed(
    original: Path, tmp_path: Path
) -> None:
    folder = forged(original, tmp_path)
    rewrite_settings(folder)
    for path in (folder / "logs").iterdir():
        path.unlink()

    # Whoever writes all of it anew writes another review.
    assert found(folder) == []

    folder = forged(original, tmp_path / "signed")
    review = open_review(folder)
    for judge in review.judges:
        make_key(judge.id)
        ReviewBook(review, judge=judge.name).countersign()
    # Each machine writes a log of its own: the one whose last line is signed.
    logs = sorted((folder / "logs").glob("*.jsonl"))
    log = next(one for one in logs if b'"signature"' in one.read_bytes().splitlines()[-1])
    lines = log.read_bytes().splitlines()
    content = {**json.loads(lines[-1]), "said_at": "1999-01-01T00:00:00.000+00:00"}
    lines[-1] = json.dumps(content, ensure_ascii=False).encode()
    log.write_bytes(b"\n".join(lines) + b"\n")
    write_anchor(log, [hashlib.sha256(line).hexdigest() for line in lines])

    assert "verdict.signature" in {rule for _, rule in found(folder)}

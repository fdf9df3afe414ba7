"""Every change in a log is found, at its own line, and does not count."""

import hashlib
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from forensicviewer.app.judging import signing
from forensicviewer.app.judging.anchor import anchor_path
from forensicviewer.app.judging.log_file import read_log
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError, ProblemLog
from forensicviewer.core.verdict import Ruling, Verdict


def written(folder: Path, judge: str = "Ada", count: int = 3) -> Path:
    book = VerdictBook(folder, judge=judge)
    for number in range(1, count + 1):
        book.say(TrialId(f"p{number}"), Ruling.SOUND, facts={})
    return book.log_path


def problems(folder: Path) -> set[tuple[str, str]]:
    return {(one.rule, one.where) for one in VerdictBook(folder, judge="Ada").problems}


def lines_named(book: VerdictBook, log: Path) -> set[int]:
    """The numbers of lines that problems of a log name."""
    places = (one.where for one in book.problems)
    return {int(one.rpartition(":")[2]) for one in places if one.startswith(f"{log.name}:")}


def counted(book: VerdictBook) -> list[str]:
    return [one.trial_id for one in book.entries if isinstance(one, Verdict)]


def forged_after(lines: list[bytes], position: int) -> bytes:
    """A line that follows the one before its position, of a trial that was never judged."""
    content = json.loads(lines[0])
    before = lines[position - 1].rstrip(b"\n") if position else None
    previous = "" if before is None else hashlib.sha256(before).hexdigest()
    return json.dumps({**content, "trial": "forged", "previous": previous}).encode() + b"\n"


COUNT = 5
PLACES = range(COUNT)


def test_every_changed_byte_is_found_at_its_line_and_not_counted(tmp_path: Path) -> None:
    log = written(tmp_path)
    original = log.read_bytes()

    for place, byte in enumerate(original):
        changed = original[:place] + bytes([byte ^ 1]) + original[place + 1 :]
        log.write_bytes(changed)
        line = original[:place].count(b"\n") + 1
        book = VerdictBook(tmp_path, judge="Ada")
        assert line in lines_named(book, log), place
        assert f"p{line}" not in counted(book), place
        assert log.read_bytes() == changed, place

    log.write_bytes(original)
    assert problems(tmp_path) == set()


def test_every_changed_byte_of_an_anchor_is_found_and_costs_no_line(tmp_path: Path) -> None:
    log = written(tmp_path)
    kept, original = log.read_bytes(), anchor_path(log).read_bytes()

    for place, byte in enumerate(original):
        changed = original[:place] + bytes([byte ^ 1]) + original[place + 1 :]
        anchor_path(log).write_bytes(changed)
        assert problems(tmp_path), place
        assert log.read_bytes() == kept, place


@pytest.mark.parametrize("gone", PLACES)
def test_every_removed_line_is_found_at_its_place_and_the_others_count(
    tmp_path: Path, gone: int
) -> None:
    log = written(tmp_path, count=COUNT)
    lines = log.read_bytes().splitlines(keepends=True)

    log.write_bytes(b"".join(lines[:gone] + lines[gone + 1 :]))
    book = VerdictBook(tmp_path, judge="Ada")

    assert [(one.rule, one.where) for one in book.problems] == [
        ("verdict.cut", f"{log.name}:{gone + 1}")
    ]
    assert counted(book) == [f"p{number + 1}" for number in PLACES if number != gone]


@pytest.mark.parametrize("kept", PLACES)
def test_every_cut_end_is_found_at_its_place_with_how_much_is_missing(
    tmp_path: Path, kept: int
) -> None:
    log = written(tmp_path, count=COUNT)
    lines = log.read_bytes().splitlines(keepends=True)

    log.write_bytes(b"".join(lines[:kept]))
    (problem,) = VerdictBook(tmp_path, judge="Ada").problems

    assert (problem.rule, problem.where) == ("verdict.cut", f"{log.name}:{kept + 1}")
    assert problem.message.startswith(f"{COUNT - kept} line")


@pytest.mark.parametrize(("one", "other"), [(a, b) for a in PLACES for b in PLACES if a < b])
def test_every_swap_of_two_lines_is_found_at_their_places(
    tmp_path: Path, one: int, other: int
) -> None:
    log = written(tmp_path, count=COUNT)
    lines = log.read_bytes().splitlines(keepends=True)

    lines[one], lines[other] = lines[other], lines[one]
    log.write_bytes(b"".join(lines))
    book = VerdictBook(tmp_path, judge="Ada")

    # A moved line shows where it was put, or where it is missing: before the line after it.
    found = lines_named(book, log)
    assert found & {one + 1, one + 2}
    assert found & {other + 1, other + 2}
    assert min(found) == one + 1
    assert not book.is_untouched


@pytest.mark.parametrize("line", PLACES)
def test_every_edited_line_is_found_at_its_place_alone(tmp_path: Path, line: int) -> None:
    log = written(tmp_path, count=COUNT)
    lines = log.read_bytes().splitlines(keepends=True)

    lines[line] = lines[line].replace(b'"sound"', b'"leave-out"')
    log.write_bytes(b"".join(lines))
    book = VerdictBook(tmp_path, judge="Ada")

    assert lines_named(book, log) == {line + 1}
    assert f"p{line + 1}" not in counted(book)
    assert len(counted(book)) == COUNT - 1


@pytest.mark.parametrize("place", PLACES)
def test_every_inserted_line_is_found_at_its_place_and_not_counted(
    tmp_path: Path, place: int
) -> None:
    log = written(tmp_path, count=COUNT)
    lines = log.read_bytes().splitlines(keepends=True)

    for added in (forged_after(lines, place), lines[place], b"{}\n"):
        log.write_bytes(b"".join([*lines[:place], added, *lines[place:]]))
        book = VerdictBook(tmp_path, judge="Ada")
        assert lines_named(book, log) <= {place + 1, place + 2}
        assert lines_named(book, log)
        assert counted(book) == [f"p{number + 1}" for number in PLACES]


def test_lines_added_at_the_end_are_found_and_count_only_where_they_follow(
    tmp_path: Path,
) -> None:
    log = written(tmp_path, count=COUNT)
    lines = log.read_bytes().splitlines(keepends=True)
    one = forged_after(lines, COUNT)
    two = forged_after([*lines, one], COUNT + 1)

    log.write_bytes(b"".join([*lines, lines[-1]]))
    repeated = VerdictBook(tmp_path, judge="Ada")
    log.write_bytes(b"".join([*lines, one]))
    single = VerdictBook(tmp_path, judge="Ada")
    log.write_bytes(b"".join([*lines, one, two]))
    both = VerdictBook(tmp_path, judge="Ada")

    assert lines_named(repeated, log) == {COUNT + 1}
    assert len(counted(repeated)) == COUNT
    # As after an end in the middle of writing: the line is named, and proven by nothing.
    assert [one.rule for one in single.problems] == ["verdict.anchor-end"]
    assert lines_named(single, log) == {COUNT + 1}
    assert any("added later" in line for line in single.proof)
    assert lines_named(both, log) == {COUNT + 1}
    assert not both.is_untouched


@pytest.mark.parametrize("kept", PLACES)
def test_no_cut_of_an_anchor_makes_a_verdict_disappear(tmp_path: Path, kept: int) -> None:
    log = written(tmp_path, count=COUNT)
    original, anchors = log.read_bytes(), anchor_path(log).read_bytes().splitlines(keepends=True)

    anchor_path(log).write_bytes(b"".join(anchors[:kept]) + anchors[kept][:10])
    book = VerdictBook(tmp_path, judge="Ada")

    assert log.read_bytes() == original
    assert len(counted(book)) == COUNT
    assert lines_named(book, log) == {kept + 1}
    assert book.is_untouched == (kept == COUNT - 1)
    book.say(TrialId("p9"), Ruling.SOUND, facts={})
    after = VerdictBook(tmp_path, judge="Ada")
    assert len(counted(after)) == COUNT + 1
    assert after.is_untouched == (kept == COUNT - 1)
    assert any("not anchored when written" in one for one in after.proof) == after.is_untouched


def test_a_line_whose_end_was_cut_off_stays_and_is_told(tmp_path: Path) -> None:
    log = written(tmp_path)
    log.write_bytes(log.read_bytes().removesuffix(b"\n"))

    book = VerdictBook(tmp_path, judge="Ada")
    book.say(TrialId("p4"), Ruling.SOUND, facts={})

    assert [(one.rule, one.where) for one in book.problems] == [("verdict.end", f"{log.name}:3")]
    assert problems(tmp_path) == set()
    assert counted(VerdictBook(tmp_path, judge="Ada")) == ["p1", "p2", "p3", "p4"]


def test_a_line_of_another_judge_in_a_log_is_rejected(tmp_path: Path) -> None:
    log = written(tmp_path, count=1)
    grace = VerdictBook(tmp_path, judge="Grace", log_name=log.name)

    grace.say(TrialId("p1"), Ruling.LEAVE_OUT, facts={})
    book = VerdictBook(tmp_path, judge="Ada")

    assert ("verdict.foreign-line", f"{log.name}:2") in problems(tmp_path)
    assert [entry.judge for entry in book.entries] == ["Ada"]


def test_a_deleted_log_is_missed_by_its_anchor_and_by_other_judges(tmp_path: Path) -> None:
    log = written(tmp_path, "Ada")
    written(tmp_path, "Grace", count=1)
    log.unlink()

    assert ("verdict.missing", log.name) in problems(tmp_path)

    anchor_path(log).unlink()
    assert ("verdict.head", f"{log.name}:3") in problems(tmp_path)


def test_a_log_and_anchor_rewritten_together_differ_from_what_another_saw(tmp_path: Path) -> None:
    log = written(tmp_path, "Ada")
    VerdictBook(tmp_path, judge="Grace").countersign()
    log.unlink()
    anchor_path(log).unlink()
    written(tmp_path, "Ada", count=4)

    assert ("verdict.head", f"{log.name}:3") in problems(tmp_path)


def test_a_lost_anchor_is_told_even_after_the_next_verdict(tmp_path: Path) -> None:
    log = written(tmp_path)
    anchor_path(log).unlink()

    before = problems(tmp_path)
    VerdictBook(tmp_path, judge="Ada").say(TrialId("p9"), Ruling.SOUND, facts={})

    assert before == problems(tmp_path) == {("verdict.anchor", anchor_path(log).name)}


def test_an_old_log_without_anchor_is_read_and_anchored_by_the_next_verdict(
    tmp_path: Path,
) -> None:
    old = {"kind": "verdict", "trial": "p1", "ruling": "sound", "judge": "Ada", "said_at": "2020"}
    (tmp_path / "Ada.verdicts.jsonl").write_text(json.dumps({**old, "previous": ""}) + "\n")

    book = VerdictBook(tmp_path, judge="Ada")
    book.say(TrialId("p2"), Ruling.UNCLEAR, facts={})

    assert problems(tmp_path) == set()
    assert len(VerdictBook(tmp_path, judge="Ada").entries) == 2


def test_signed_lines_are_checked_and_the_key_is_private(tmp_path: Path) -> None:
    signer = signing.make_key("ada", passphrase="open sesame")
    book = VerdictBook(tmp_path, judge="Ada", signer=signer)
    book.say(TrialId("p1"), Ruling.SOUND, facts={})

    key = signing.key_folder() / "ada.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert signing.read_key("ada", passphrase="open sesame").public == signer.public
    with pytest.raises(ForensicViewerError, match="passphrase"):
        signing.read_key("ada", passphrase="wrong")
    assert problems(tmp_path) == set()
    assert any("Signed: Ada" in line for line in VerdictBook(tmp_path, judge="Ada").proof)

    with pytest.raises(ForensicViewerError, match="not on this machine"):
        VerdictBook(tmp_path, judge="Ada").say(TrialId("p2"), Ruling.SOUND, facts={})
    unsigned = {"kind": "heads", "judge": "Ada", "said_at": "2026-01-01T00:00:00", "seen": []}
    replace(read_log(book.log_path, ProblemLog()), key="").appended(unsigned)
    assert problems(tmp_path) == {("verdict.signature", f"{book.log_path.name}:2")}

"""``forensicviewer review``: from an empty folder to exported decisions, with real logs."""

import csv
import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.judging.anchor import anchor_path
from forensicviewer.app.judging.evidence import digests
from forensicviewer.app.judging.identity import row_digest
from forensicviewer.app.judging.review import open_review, visible_to
from forensicviewer.app.judging.signing import key_folder
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Ruling
from tests.build import Built, a_dataset, box

TRIALS = [f"p{number}" for number in range(1, 9)]
SOUND, WRONG = Ruling.SOUND, Ruling.REFERENCE_WRONG


@pytest.fixture
def built(tmp_path: Path) -> Built:
    builder = a_dataset(tmp_path / "data").nist("NC2017")
    for trial in TRIALS:
        builder.with_trial(trial, manipulated=box(10, 10, 30, 30))
    return builder.write()


@pytest.fixture
def review(built: Built, tmp_path: Path) -> Path:
    folder = tmp_path / "review"
    words = ["review", "init", str(folder), str(built.root), "--judge", "Ada", "--judge", "Grace"]
    words += ["--chair", "Chair", "--blind", "--second", "1", "--honeypot", "p8=reference-wrong"]
    assert main(words) == 0
    return folder


def judged(
    folder: Path, built: Built, judge: str, rulings: dict[str, Ruling], note: str = ""
) -> Path:
    """A judge's log, as the window writes it."""
    task = open_dataset(built.root).tasks[0]
    book = VerdictBook(folder, judge=judge)
    for trial, ruling in rulings.items():
        known = TrialId(trial)
        book.say(
            *(known, ruling),
            note=note,
            facts=digests(task, known),
            task=task.name,
            row=row_digest(task, known),
        )
    return book.log_path


def asked(capsys: pytest.CaptureFixture[str], words: Sequence[object]) -> tuple[int, Any]:
    capsys.readouterr()
    code = main(["review", *map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.fixture
def merged(review: Path, built: Built, tmp_path: Path) -> Path:
    ada = dict.fromkeys(TRIALS, SOUND) | {"p2": WRONG, "p8": WRONG}
    grace = dict.fromkeys(TRIALS, SOUND) | {"p2": WRONG, "p3": Ruling.LEAVE_OUT}
    logs = [
        judged(tmp_path / "a", built, "Ada", ada, note="=1+1"),
        judged(tmp_path / "g", built, "Grace", grace),
    ]
    assert main(["review", "merge", str(review), *map(str, logs)]) == 0
    return review


def test_every_trial_is_dealt_out_and_judges_have_random_ids(review: Path) -> None:
    found = open_review(review)

    ids = {one.name: one.id for one in found.judges}
    assert len(set(ids.values())) == 3
    assert sorted(found.assigned[ids["Ada"]]) == sorted(found.assigned[ids["Grace"]]) == TRIALS
    assert ids["Chair"] not in found.assigned


def test_without_second_judges_trials_are_split(built: Built, tmp_path: Path) -> None:
    words = ["review", "init", str(tmp_path / "r"), str(built.root), "--judge", "A", "--judge", "B"]
    assert main(words) == 0

    one, other = open_review(tmp_path / "r").assigned.values()

    assert (len(one), len(other)) == (4, 4)
    assert sorted(one + other) == TRIALS


def test_a_review_is_never_inside_the_dataset_nor_over_something(
    built: Built, review: Path
) -> None:
    for folder in (built.root / "review", review):
        words = ["review", "init", str(folder), str(built.root), "--judge", "Ada"]
        assert main(words) == 2
    assert not (built.root / "review").exists()


def test_status_tells_progress_hits_agreement_and_conflicts(
    merged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = asked(capsys, ["status", merged])

    assert code == 0
    by_name = {one["judge"]: one for one in found["judges"]}
    assert (by_name["Ada"]["judged"], by_name["Ada"]["assigned"]) == (8, 8)
    assert (by_name["Ada"]["caught"], by_name["Grace"]["caught"]) == (1, 0)
    assert found["conflicts"] == ["p3"]
    # Seven trials without the honeypot, six of them alike.
    assert found["agreement"]["trials"] == 7
    assert found["agreement"]["raw"] == pytest.approx(6 / 7)
    # By hand: sound 6 and 5 times, wrong once each; (7 * 6 - 31) / (49 - 31).
    assert found["agreement"]["kappa"] == [["Ada", "Grace", pytest.approx(11 / 18)]]


def test_blind_judges_see_others_only_after_their_own_verdict(
    review: Path, built: Built, tmp_path: Path
) -> None:
    log = judged(tmp_path / "a", built, "Ada", {"p1": SOUND})
    main(["review", "merge", str(review), str(log)])
    found = open_review(review)
    standing = found.book().standings(found.task.name)[TrialId("p1")]

    assert visible_to(found, "Grace", standing) == ()
    assert [one.judge for one in visible_to(found, "Ada", standing)] == ["Ada"]
    assert [one.judge for one in visible_to(found, "Chair", standing)] == ["Ada"]


def test_the_chair_closes_a_conflict_with_a_reason_and_nobody_else_does(
    merged: Path, built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = open_dataset(built.root).tasks[0].name
    usurper = VerdictBook(tmp_path / "u", judge="Grace")
    usurper.say(TrialId("p3"), SOUND, facts={}, task=task, reason="mine", is_decision=True)
    main(["review", "merge", str(merged), str(usurper.log_path)])
    assert asked(capsys, ["status", merged])[1]["conflicts"] == ["p3"]

    reason = "the leaf was never touched"
    assert main(["review", "decide", str(merged), "p3", "leave-out", "--reason", reason]) == 0

    found = asked(capsys, ["status", merged])[1]
    assert (found["conflicts"], found["decided"]) == ([], 1)
    assert main(["review", "decide", str(merged), "p3", "sound", "--reason", " "]) == 2


def test_the_longer_of_two_logs_is_taken_and_a_shorter_brings_nothing(
    merged: Path, built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = (tmp_path / "a" / "Ada.verdicts.jsonl").read_bytes()
    longer = judged(tmp_path / "a", built, "Ada", {"p1": Ruling.UNCLEAR})
    code, found = asked(capsys, ["merge", merged, longer])
    assert (code, found["merged"][0]["came"], found["merged"][0]["lines"]) == (0, "longer", 1)

    (tmp_path / "old").mkdir()
    old = tmp_path / "old" / "renamed.verdicts.jsonl"
    old.write_bytes(short)
    assert asked(capsys, ["merge", merged, old])[1]["merged"][0]["came"] == "known"
    assert len(open_review(merged).book().entries) == 17


def test_a_fork_is_told_with_both_branches_kept(
    merged: Path, built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "a" / "Ada.verdicts.jsonl"
    (tmp_path / "b").mkdir()
    for kept_file in (log, anchor_path(log)):
        begun = kept_file.read_bytes().splitlines(keepends=True)[:2]
        (tmp_path / "b" / kept_file.name).write_bytes(b"".join(begun))
    other = judged(tmp_path / "b", built, "Ada", {"p3": Ruling.UNCLEAR})
    kept = {path.read_bytes() for path in (merged / "logs").glob("*.jsonl")}

    code = main(["review", "merge", str(merged), str(other)])
    said = capsys.readouterr()

    assert code == 1
    assert ":3" in said.err
    now = {path.read_bytes() for path in (merged / "logs").iterdir()}
    assert kept <= now
    assert other.read_bytes() in now
    assert main(["review", "verify", str(merged)]) == 1


def test_logs_of_two_machines_of_one_judge_both_count(
    review: Path, built: Built, tmp_path: Path
) -> None:
    one = judged(tmp_path / "a", built, "Ada", {"p1": SOUND})
    other = judged(tmp_path / "b", built, "Ada", {"p2": SOUND})

    assert main(["review", "merge", str(review), str(one), str(other)]) == 0

    assert len(open_review(review).book().entries) == 2


def test_logs_of_strangers_and_changed_logs_are_not_taken(
    review: Path, built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = judged(tmp_path / "m", built, "Mallory", {"p1": SOUND})
    changed = judged(tmp_path / "a", built, "Ada", {"p1": SOUND})
    changed.write_text(changed.read_text().replace('"sound"', '"unclear"'))

    for log in (stranger, changed):
        code, found = asked(capsys, ["merge", review, log])
        assert (code, found["merged"][0]["came"]) == (1, "rejected")
    assert open_review(review).book().entries == ()


def test_verify_names_the_line_that_was_changed(
    merged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(capsys, ["verify", merged])[0] == 0
    log = next((merged / "logs").glob("*.jsonl"))
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join([*lines[:4], lines[4].replace("p5", "p1"), *lines[5:]]))

    code, found = asked(capsys, ["verify", merged])

    assert code == 1
    assert [one["where"] for one in found["problems"]] == [f"{log.name}:5"]


def test_a_changed_reference_or_row_makes_its_trials_stale_and_no_other(
    merged: Path, built: Built, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # Elsewhere under another name: the review belongs to the dataset, not to its place.
    moved = built.root.rename(tmp_path / "renamed")
    assert asked(capsys, ["status", merged, "--dataset", moved])[1]["stale"] == {}

    task = open_dataset(moved).tasks[0]
    row = task.trials.row_of(TrialId("p4"))
    assert row is not None
    reference = task.trials[row].reference
    assert reference is not None
    (moved / reference).write_bytes((moved / reference).read_bytes() + b"x")
    table = next((moved / "reference").rglob("*-ref.csv"))
    rows = table.read_text().splitlines(keepends=True)
    table.write_text("".join(one.replace("|Y|", "|N|") if "p6" in one else one for one in rows))
    code, found = asked(capsys, ["status", merged, "--dataset", moved])

    assert code == 1
    assert set(found["stale"]) == {"p4", "p6"}
    assert reference in found["stale"]["p4"]
    assert "rows of p6" in found["stale"]["p6"]


def test_an_export_has_no_honeypots_and_harmless_notes(merged: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["review", "export", str(merged), "--out", str(out)]) == 0

    with (out / "verdicts.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    text = "".join(path.read_text() for path in out.iterdir())
    assert {row["Trial"] for row in rows} == set(TRIALS) - {"p8"}
    assert {row["Note"] for row in rows if row["Judge"] == "Ada"} == {"'=1+1"}
    assert "p8" not in text
    assert "Not signed: Ada, Grace" in (out / "proof.txt").read_text()
    assert main(["review", "export", str(merged), "--out", str(out)]) == 2


def test_every_changed_byte_of_the_settings_is_found_and_named(
    review: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("review.json", "review.sha256"):
        original = (review / name).read_bytes()
        for place, byte in enumerate(original):
            changed = original[:place] + bytes([byte ^ 1]) + original[place + 1 :]
            (review / name).write_bytes(changed)
            with pytest.raises(ForensicViewerError, match="was changed"):
                open_review(review)
        (review / name).write_bytes(original[:-1])
        assert main(["review", "verify", str(review)]) == 3
        assert "was changed" in capsys.readouterr().err
        (review / name).write_bytes(original)
    assert main(["review", "verify", str(review)]) == 0


def test_a_moved_and_renamed_dataset_keeps_its_verdicts_and_has_nothing_stale(
    merged: Path, built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = built.root.rename(built.root.parent / "elsewhere")

    code, found = asked(capsys, ["status", merged, "--dataset", moved])

    assert code == 0
    assert found["stale"] == {}
    assert [one["judged"] for one in found["judges"][:2]] == [8, 8]


def test_a_judge_signs_and_countersigns_with_a_key_only_the_user_can_read(
    review: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, made = asked(capsys, ["key", review, "--judge", "Ada"])
    assert code == 0
    (key,) = key_folder().glob("*.pem")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert not [path for path in review.rglob("*.*") if b"PRIVATE" in path.read_bytes()]

    code, seen = asked(capsys, ["countersign", review, "--judge", "Ada"])
    assert (code, seen) == (0, {"logs": 0})
    assert asked(capsys, ["countersign", review, "--judge", "Grace"]) == (0, {"logs": 1})
    code, verified = asked(capsys, ["verify", review])
    assert code == 0
    proof = " ".join(verified["proof"])
    assert f"Signed: Ada (key {made['fingerprint']})" in proof
    assert "Not signed: Grace." in proof
    assert main(["review", "key", str(review), "--judge", "Eve"]) == 2

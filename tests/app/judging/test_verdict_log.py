from pathlib import Path

import pytest

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.judging.verdict_table import write_verdicts
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Fate, Ruling

TRIAL = TrialId("p1")


def say(folder: Path, judge: str, ruling: Ruling, trial: TrialId = TRIAL) -> VerdictBook:
    book = VerdictBook(folder, judge=judge)
    book.say(trial, ruling, facts={"MCC": "0.5"})
    return book


def the_log(folder: Path) -> Path:
    return next(folder.glob("*.jsonl"))


def test_a_verdict_is_there_when_the_book_is_opened_again(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.REFERENCE_WRONG)

    standing = VerdictBook(tmp_path, judge="Ada").standings()[TRIAL]

    assert standing.label == "Reference is wrong"
    assert standing.verdicts[0].facts == {"MCC": "0.5"}


def test_judges_who_differ_contest_a_trial(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)

    book = say(tmp_path, "Grace", Ruling.LEAVE_OUT)

    assert book.standings()[TRIAL].is_contested
    assert book.standings()[TRIAL].label == "Contested"


def test_a_judges_newer_verdict_replaces_the_older(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)

    book = say(tmp_path, "Ada", Ruling.UNCLEAR)

    assert book.standings()[TRIAL].label == "Unclear"


def test_taking_back_brings_the_older_verdict_back_and_keeps_every_line(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)
    book = say(tmp_path, "Ada", Ruling.UNCLEAR)

    assert book.retract(TRIAL)

    assert book.standings()[TRIAL].label == "Reference is correct"
    assert len(the_log(tmp_path).read_text().splitlines()) == 3


def test_there_is_nothing_to_take_back_of_another_judge(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)

    assert not VerdictBook(tmp_path, judge="Grace").retract(TRIAL)


def test_a_torn_last_line_is_set_aside_and_nothing_else_is_lost(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)
    log = the_log(tmp_path)
    log.write_bytes(log.read_bytes() + b'{"kind": "verd')

    book = VerdictBook(tmp_path, judge="Ada")
    book.say(TrialId("p2"), Ruling.UNCLEAR, facts={})
    again = VerdictBook(tmp_path, judge="Ada")

    assert [problem.rule for problem in book.problems] == ["verdict.torn"]
    assert again.problems == ()
    assert {trial: standing.label for trial, standing in again.standings().items()} == {
        "p1": "Reference is correct",
        "p2": "Unclear",
    }
    assert '{"kind": "verd' in (tmp_path / f"{log.name}.torn").read_text()


def test_a_changed_line_breaks_the_chain(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)
    say(tmp_path, "Ada", Ruling.UNCLEAR, TrialId("p2"))
    log = the_log(tmp_path)
    log.write_text(log.read_text().replace("sound", "leave-out", 1))

    problems = VerdictBook(tmp_path, judge="Ada").problems

    assert [(problem.rule, problem.where) for problem in problems] == [
        ("verdict.chain", f"{log.name}:1")
    ]


def test_a_line_that_is_no_verdict_costs_only_itself(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)
    log = the_log(tmp_path)
    log.write_text("[1, 2]\n" + log.read_text())

    book = VerdictBook(tmp_path, judge="Ada")

    assert "verdict.line" in {problem.rule for problem in book.problems}
    assert book.standings()[TRIAL].label == "Reference is correct"


def test_judges_with_like_names_have_logs_of_their_own(tmp_path: Path) -> None:
    for judge in ("a/b", "a b", "a-b", "../a-b"):
        say(tmp_path / "log", judge, Ruling.SOUND)

    assert len(list((tmp_path / "log").glob("*.jsonl"))) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_a_verdict_needs_a_judge(tmp_path: Path) -> None:
    with pytest.raises(ForensicViewerError, match="name of a judge"):
        VerdictBook(tmp_path, judge="  ")


def test_two_windows_of_one_judge_write_one_unbroken_log(tmp_path: Path) -> None:
    first, second = VerdictBook(tmp_path, judge="Ada"), VerdictBook(tmp_path, judge="Ada")

    first.say(TRIAL, Ruling.SOUND, facts={})
    second.say(TrialId("p2"), Ruling.UNCLEAR, facts={})
    first.say(TrialId("p3"), Ruling.LEAVE_OUT, facts={})
    again = VerdictBook(tmp_path, judge="Ada")

    assert again.problems == ()
    assert set(again.standings()) == set(first.standings()) == {"p1", "p2", "p3"}


def test_nobody_takes_back_what_another_said(tmp_path: Path) -> None:
    ada = say(tmp_path, "Ada", Ruling.SOUND)
    grace = say(tmp_path, "Grace", Ruling.SOUND, TrialId("p2"))
    forged = {"kind": "retraction", "retracts": ada.standings()[TRIAL].verdicts[0].id}

    grace._append(forged)

    assert VerdictBook(tmp_path, judge="Ada").standings()[TRIAL].label == "Reference is correct"


def test_a_log_nobody_can_read_costs_only_itself(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)
    (tmp_path / "Grace.verdicts.jsonl").mkdir()

    book = VerdictBook(tmp_path, judge="Ada")

    assert [problem.rule for problem in book.problems] == ["verdict.unreadable"]
    assert book.standings()[TRIAL].label == "Reference is correct"


def test_everything_ever_said_is_kept_with_what_became_of_it(tmp_path: Path) -> None:
    say(tmp_path, "Ada", Ruling.SOUND)
    say(tmp_path, "Ada", Ruling.UNCLEAR)
    say(tmp_path, "Ada", Ruling.LEAVE_OUT).retract(TRIAL)
    book = say(tmp_path, "Grace", Ruling.SOUND, TrialId("p2"))

    said = [(verdict.ruling, fate) for verdict, fate in book.history(TRIAL)]

    assert said == [
        (Ruling.SOUND, Fate.REPLACED),
        (Ruling.UNCLEAR, Fate.STANDS),
        (Ruling.LEAVE_OUT, Fate.TAKEN_BACK),
    ]


def test_verdicts_are_written_as_a_table_for_people(tmp_path: Path) -> None:
    say(tmp_path / "book", "Ada", Ruling.SOUND)
    book = say(tmp_path / "book", "Ada", Ruling.UNCLEAR)

    write_verdicts(book, tmp_path / "verdicts.tsv")

    header, first, second = (tmp_path / "verdicts.tsv").read_text().splitlines()
    assert header == "Trial\tTask\tJudge\tVerdict\tFate\tNote\tWhen\tMCC"
    assert first.startswith("p1\t\tAda\tReference is correct\treplaced\t")
    assert second.startswith("p1\t\tAda\tUnclear\tstands\t")


def test_the_log_of_another_judge_makes_a_trial_contested(tmp_path: Path) -> None:
    grace = say(tmp_path / "hers", "Grace", Ruling.LEAVE_OUT)
    write_verdicts(grace, tmp_path / "sent.verdicts.jsonl")
    ada = say(tmp_path / "mine", "Ada", Ruling.SOUND)

    assert ada.add_log(tmp_path / "sent.verdicts.jsonl") == 1
    assert ada.add_log(tmp_path / "sent.verdicts.jsonl") == 0

    assert VerdictBook(tmp_path / "mine", judge="Ada").standings()[TRIAL].is_contested


def test_a_longer_copy_of_a_log_brings_what_is_new(tmp_path: Path) -> None:
    grace = say(tmp_path / "hers", "Grace", Ruling.LEAVE_OUT)
    ada = say(tmp_path / "mine", "Ada", Ruling.SOUND)
    ada.add_log(grace.log_path)
    grace.say(TrialId("p2"), Ruling.UNCLEAR, facts={})

    assert ada.add_log(grace.log_path) == 1
    assert ada.standings()[TrialId("p2")].label == "Unclear"


@pytest.mark.parametrize("content", ["", "no verdicts\n", "{}\n"])
def test_a_file_without_verdicts_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "sent.verdicts.jsonl").write_text(content)
    book = VerdictBook(tmp_path / "mine", judge="Ada")

    with pytest.raises(ForensicViewerError):
        book.add_log(tmp_path / "sent.verdicts.jsonl")

    assert book.entries == ()


def test_two_logs_of_one_judge_that_differ_are_not_mixed(tmp_path: Path) -> None:
    other = say(tmp_path / "elsewhere", "Ada", Ruling.LEAVE_OUT)
    mine = say(tmp_path / "mine", "Ada", Ruling.SOUND)

    with pytest.raises(ForensicViewerError, match="A different log of Ada"):
        mine.add_log(other.log_path)

    assert mine.standings()[TRIAL].label == "Reference is correct"


def test_a_line_nested_too_deeply_is_no_verdict(tmp_path: Path) -> None:
    log = tmp_path / "Ada.verdicts.jsonl"
    log.write_text("[" * 100_000 + "]" * 100_000 + "\n")

    book = VerdictBook(tmp_path, judge="Ada")

    assert [problem.rule for problem in book.problems] == ["verdict.line"]

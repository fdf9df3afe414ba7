"""Reports say what was measured, and hostile text in them stays text."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.app.datasets.answered_task import open_answered_task
from forensicviewer.app.judging.measuring import measure
from forensicviewer.app.judging.review_book import ReviewBook
from forensicviewer.app.reports.html import html_of
from forensicviewer.app.reports.making import ReportHeading, evaluated_state, state_at, trial_report
from forensicviewer.app.reports.model import (
    LegendLine,
    Report,
    ReportImage,
    ReportTable,
    Section,
    plain,
)
from forensicviewer.app.reports.reviews import project_report
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from tests.build import Built, a_dataset, box, shifted

HOSTILE = "<script>alert(1)</script>\u202e\"'><img src=x onerror=alert(2)>{{7*7}}"


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    return (
        made.with_trial("p1", manipulated=box(10, 10, 40, 40)).with_answer("p1", shifted(8)).write()
    )


def test_a_trial_report_has_the_number_of_the_score_files_and_the_digests(
    built: Built, tmp_path: Path
) -> None:
    task, submission = open_answered_task(built.root, built.submission, name=None)

    report = trial_report(
        evaluated_state(task, submission, TrialId("p1")), ReportHeading(case="C 1")
    )

    out = tmp_path / "scores"
    main(["score", "mask", str(built.root), str(built.submission), "--out", str(out), "--quiet"])
    (table,) = out.glob("*perimage.csv")
    head, row = (line.split("|") for line in table.read_text("utf-8").splitlines()[:2])
    page = html_of(report)
    assert dict(zip(head, row, strict=True))["OptimumMCC"] in page
    assert len(re.findall(r"\b[0-9a-f]{64}\b", page)) >= 3
    assert page.count("data:image/png;base64,") == 5
    assert "C 1" in page
    assert re.search(r"<td>PixelTP</td><td>\d+</td>", page)


def test_hostile_text_is_only_text_in_a_page() -> None:
    picture = ReportImage(b"png", HOSTILE, (LegendLine("red;background:url(//x)", HOSTILE),))
    section = Section(
        HOSTILE, (HOSTILE,), (picture,), (ReportTable((HOSTILE,), ((HOSTILE,),)),), (HOSTILE,)
    )

    page = html_of(Report(HOSTILE, ((HOSTILE, HOSTILE),), (section,)))

    assert "<script" not in page
    assert "<img src=x" not in page
    assert "url(" not in page
    assert "\u202e" not in page
    assert "{{7*7}}" in page
    assert "http://" not in page.replace("http-equiv", "")
    assert plain("a\u202eb\x00") == "a\\u202eb\\x00"


@pytest.mark.parametrize("kind", ["trial", "dispute", "submission", "set", "review"])
def test_the_command_writes_every_kind_and_replaces_nothing(
    built: Built, tmp_path: Path, kind: str
) -> None:
    out = tmp_path / "report.html"
    words = ["report", kind, str(built.root), str(built.submission), "--out", str(out), "--quiet"]
    words += ["--trial", "p1", "--metric", "MCC", "--value", "0.5", "--case", HOSTILE]

    assert main(words) == 0
    assert "<script>alert" not in out.read_text("utf-8")
    assert main(words) == 2


def commands_in(page: str) -> list[list[str]]:
    return [shlex.split(html.unescape(one)) for one in re.findall(r"<pre>(.*?)</pre>", page, re.S)]


def numbers_in(page: str) -> dict[str, str]:
    found = re.findall(r"<tr><td>([A-Z]\w*)</td><td>(-?[\d.e-]+)</td></tr>", page)
    return dict(found)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"kernel": "disc", "erode_px": 3, "dilate_px": 5, "threshold": 90},
        {"rules": "plan", "opt_out_pixels": True},
    ],
    ids=["evaluation", "kernel and threshold", "plan"],
)
def test_the_printed_command_prints_every_number_of_the_report(
    built: Built, capsys: pytest.CaptureFixture[str], changes: dict[str, object]
) -> None:
    task, submission = open_answered_task(built.root, built.submission, name=None)
    usual = measure(evaluated_state(task, submission, TrialId("p1")))
    assert usual is not None
    told: dict[str, Any] = {"threshold": None, "choices": {}, **changes}
    asked = replace(usual, **told)
    page = html_of(trial_report(state_at(asked, task, submission), ReportHeading()))

    first, second = commands_in(page)
    capsys.readouterr()
    assert main([*first[1:], "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["metrics"]
    shown = numbers_in(page)

    assert shown.keys() >= {"MCC", "F1", "AUC", "PixelTP"}
    assert {name: float(text) for name, text in shown.items()} == {
        name: pytest.approx(number, rel=1e-15) for name, number in printed.items()
    }
    assert ("Different from the evaluation" in page) == bool(changes)
    assert second[1:3] == ["score", "mask"]


def test_the_commands_of_a_set_give_its_averages(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "set.html"
    words = ["report", "set", str(built.root), str(built.submission), "--out", str(out)]
    assert main([*words, "--quiet"]) == 0
    page = out.read_text("utf-8")
    (command,) = commands_in(page)
    command[command.index("--out") + 1] = str(tmp_path / "scores")

    assert main([*command[1:], "--quiet"]) == 0

    table = next(p for p in (tmp_path / "scores").glob("mask_score*.csv") if "per" not in p.name)
    head, row = (line.split("|") for line in table.read_text("utf-8").splitlines()[:2])
    averages = dict(zip(head, row, strict=True))
    for name in ("OptimumMCC", "OptimumNMM", "AUC"):
        assert f"<td>{name}</td><td>{averages[name]}</td>" in page


def test_a_dispute_carries_claim_explanation_and_verdict(built: Built, tmp_path: Path) -> None:
    from forensicviewer.app.datasets.opening import open_dataset
    from forensicviewer.app.judging.verdict_log import VerdictBook, verdict_folder
    from forensicviewer.core.verdict import Ruling

    book = VerdictBook(verdict_folder(open_dataset(built.root)), judge="Grace")
    book.say(TrialId("p1"), Ruling.SOUND, note=HOSTILE, facts={}, task="manipulation")
    out = tmp_path / "dispute.html"
    words = ["report", "dispute", str(built.root), str(built.submission), "--trial", "p1"]
    words += ["--metric", "MCC", "--value", "0.5", "--out", str(out), "--quiet"]
    assert main(words) == 0

    page = out.read_text("utf-8")

    assert "Claimed: MCC 0.5." in page
    assert "Recomputed at the evaluation&#39;s settings" in page
    assert "Grace" in page
    assert "<script>alert" not in page


def test_the_report_of_a_review_leaves_honeypots_out(built: Built, tmp_path: Path) -> None:
    from forensicviewer.app.judging.review import open_review
    from forensicviewer.core.verdict import Ruling

    folder, out = tmp_path / "review", tmp_path / "review.html"
    words = ["review", "init", str(folder), str(built.root), "--judge", "Ada", "--judge", "Bo"]
    assert main([*words, "--honeypot", "p1=sound", "--quiet"]) == 0
    book = open_review(folder).book("Ada")
    book.say(TrialId("p1"), Ruling.SOUND, note="planted", facts={}, task="manipulation")
    book.say(TrialId("p2"), Ruling.SOUND, note=HOSTILE, facts={}, task="manipulation")

    assert main(["report", "review", str(folder), "--out", str(out), "--quiet"]) == 0

    page = out.read_text("utf-8")
    assert "planted" not in page
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "Krippendorff" in page


def test_a_review_lists_verdicts_by_trial_with_times_to_the_second(
    tmp_path: Path,
) -> None:
    from forensicviewer.app.judging.review import open_review
    from forensicviewer.core.verdict import Ruling

    made = a_dataset(tmp_path / "data").nist("NC2017")
    built = made.with_trial("p1").with_trial("p2").write()
    folder = tmp_path / "review"
    words = ["review", "init", str(folder), str(built.root), "--judge", "Ada", "--judge", "Grace"]
    assert main([*words, "--second", "1"]) == 0
    review = open_review(folder)
    for judge in ("Grace", "Ada"):
        book = ReviewBook(review, judge=judge)
        for trial in ("p2", "p1"):
            book.say(TrialId(trial), Ruling.SOUND, facts={}, task=review.task.name)

    (said,) = [
        one for one in project_report(review, ReportHeading()).sections if one.title == "Verdicts"
    ]
    (table,) = said.grids

    assert table.columns == ("Trial", "Judge", "Verdict", "Status", "When (UTC)")
    assert [row[:2] for row in table.rows] == [
        ("p1", "Grace"),
        ("p1", "Ada"),
        ("p2", "Grace"),
        ("p2", "Ada"),
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", table.rows[0][-1])


def test_without_qt_there_is_html_and_pdf_says_why(built: Built, tmp_path: Path) -> None:
    told = (
        "import sys; sys.modules['PySide6'] = None\n"
        "from forensicviewer.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ["report", "trial", str(built.root), str(built.submission), "--trial", "p1", "--out"]

    def run(name: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", told, *words, str(tmp_path / name)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("r.html").returncode == 0
    refused = run("r.pdf")
    assert refused.returncode == 3
    assert "PDF needs Qt" in refused.stderr
    assert ".html" in refused.stderr
    assert not (tmp_path / "r.pdf").exists()

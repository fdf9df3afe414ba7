"""Checks that rules of the plans are shown by: each runs the program on data of the plan's text."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.cli import main
from forensicviewer.core.model import Edition
from forensicviewer.core.palette import Outcome, PaletteName, palette
from forensicviewer.core.rules import PLAN
from forensicviewer.ui.shell.window import MainWindow
from tests.mask_build import Grey, MaskCase
from tests.plans import test_validation
from tests.plans.build import PlanDataset, PlanSubmission
from tests.plans.columns import YEARS
from tests.plans.datasets import SIZE
from tests.plans.whole import Whole, assert_opened, is_perfect

README = Path(__file__).parents[3] / "README.md"
EXACT = MaskSettings(erode_px=0, dilate_px=0, distraction_px=0, rules=PLAN)


@dataclass
class Bench:
    """What a check works with: the year's whole dataset, and a folder of its own."""

    whole: Whole
    folder: Path
    capsys: pytest.CaptureFixture[str]
    make_window: Callable[..., MainWindow] | None = None

    def window(self, root: Path, *submissions: Path, task: str | None = None) -> MainWindow:
        """The real window with a dataset and submissions."""
        assert self.make_window is not None
        return self.make_window(root, *submissions, task=task)

    def said(self, *words: object) -> str:
        """What a command prints; it must end well."""
        code = main([str(word) for word in words])
        said = self.capsys.readouterr()
        assert code == 0, said.out + said.err
        return said.out


Check = Callable[[Bench], object]


@dataclass(frozen=True)
class Rule:
    """A rule sentence of a plan: numbers in the audit, section, our words for it, the check."""

    rows: tuple[int, ...]
    section: str
    words: str
    check: Check

    def __str__(self) -> str:
        return f"{self.section}: {self.words}"


def rule(rows: int | Sequence[int], section: str, words: str, *checks: Check) -> Rule:
    """A rule; several checks must all hold."""

    def all_hold(bench: Bench) -> None:
        for number, check in enumerate(checks):
            own = replace(bench, folder=bench.folder / f"check{number}")
            own.folder.mkdir()
            assert check(own) in (None, True)

    return Rule((rows,) if isinstance(rows, int) else tuple(rows), section, words, all_hold)


def perfect(task: str, *names: str) -> Check:
    """Right answers get 1 by NIST's conventions and by the plan."""
    return lambda bench: is_perfect(task, *names)(bench.whole)


def scored(task: str, *options: str, **expected: str) -> Check:
    """``score all`` of the right answers prints these numbers; ``_`` stands for a blank."""

    def check(bench: Bench) -> None:
        found = bench.whole.score(task, *options)
        named = {name.replace("_", " "): value for name, value in expected.items()}
        assert {name: found.get(name) for name in named} == named

    return check


def opens(table: str, *columns: str) -> Check:
    """These columns of a table, or all, are opened as they are written."""

    def check(bench: Bench) -> None:
        listed = columns or YEARS[bench.whole.year].tables[table].columns
        for column in listed:
            assert_opened(bench.whole, table, column)

    return check


def asks(output: str, *columns: str) -> Check:
    """The plan's output table has these columns; a test of each shows that it is asked for."""

    def check(bench: Bench) -> None:
        assert YEARS[bench.whole.year].outputs[output].columns == columns

    return check


def refused(*violations: str) -> Check:
    """``validate --rules plan`` refuses each with section, row and remedy."""

    def check(bench: Bench) -> None:
        for what in violations:
            folder = bench.folder / what.replace(" ", "-")
            test_validation.test_every_violation_is_refused_with_section_row_and_remedy(
                what, folder, bench.capsys
            )

    return check


def accepted(*forms: str) -> Check:
    """``validate --rules plan`` accepts each."""

    def check(bench: Bench) -> None:
        for what in forms:
            test_validation.test_every_conforming_form_is_accepted(
                what, bench.folder / what.replace(" ", "-"), bench.capsys
            )

    return check


def runs(test: Callable[..., object], **given: object) -> Check:
    """A test of this folder, run on a folder of its own."""

    def check(bench: Bench) -> None:
        wanted = inspect.signature(test).parameters
        offered = {"tmp_path": bench.folder, "capsys": bench.capsys, **given}
        test(**{name: offered[name] for name in wanted})

    return check


def decided(phrase: str) -> Check:
    """README answers it under Decisions, with a reason."""

    def check(_: Bench) -> None:
        decisions = README.read_text("utf-8").partition("### Decisions")[2]
        entries = [entry.replace("\n", " ") for entry in decisions.split("\n* ")]
        (entry,) = [entry for entry in entries if phrase in " ".join(entry.split())]
        assert len(entry) > len(phrase) + 40, "a reason is given"

    return check


def by_hand(
    rows: Sequence[str], mask: Grey | str, *, options: MaskSettings = EXACT, **expected: float
) -> Check:
    """A mask painted by letters (``a`` and ``b`` are manipulated) scores what the plan says."""

    def check(bench: Bench) -> None:
        case = MaskCase(bench.folder, edition=bench.whole.year)
        case.trial("p", *rows).answer("p", mask)
        found = case.score(options).tables[0].records()[0]
        numbers = {name: float(found[name]) for name in expected}
        assert numbers == pytest.approx(expected)

    return check


def detected(scores: Mapping[float, bool], *options: str, **expected: str) -> Check:
    """Probes with these scores (whether each is a target) give these numbers."""

    def check(bench: Bench) -> None:
        root, submission = detection(bench, scores)
        out = bench.folder / "out"
        bench.said("score", "detection", root, submission, *options, "--out", out)
        headline = json.loads((out / "summary.json").read_text("utf-8"))["headline"]
        named = {name.replace("_", " "): value for name, value in expected.items()}
        assert {name: headline.get(name) for name in named} == named

    return check


def detection(bench: Bench, scores: Mapping[float, bool]) -> tuple[Path, Path]:
    """Probes of the year with no masks, and answers to them."""
    year = bench.whole.year
    task = "manipulation" if year == "NC2016" else "manipulation-image"
    plan = PlanDataset.of(bench.folder, year)
    name = {"NC2016": "T_NC2016_Manipulation_ImgOnly_p-x_1"}.get(year, "p-x_1")
    answers = PlanSubmission.of(bench.folder, year, "manipulation", name)
    for number, (score, is_target) in enumerate(scores.items()):
        probe = f"{year}_{number}"
        cells = {"ProbeFileID": probe, "ProbeFileName": plan.photo(f"probe/{probe}.jpg")}
        plan.add(f"{task}-index", TaskID="Manipulation", **cells, **SIZE)
        target = "Y" if is_target else "N"
        plan.add(f"{task}-ref", TaskID="manipulation", **cells, IsTarget=target)
        status = {"NC2017": {"IsOptOut": "N"}, "MFC2019": {"ProbeStatus": "Processed"}}
        answers.answer(ProbeFileID=probe, ConfidenceScore=str(score), **status.get(year, {}))
    return plan.write(), answers.write()


def colours(**expected: str) -> Check:
    """The palette of the plan paints outcomes in the colours of its figure."""

    def check(bench: Bench) -> None:
        painted = palette(PaletteName.PLAN, Edition(bench.whole.year))
        found = {name: _word(painted[Outcome[name]]) for name in expected}
        assert found == expected

    return check


def _word(rgb: tuple[int, int, int]) -> str:
    known = {
        "green": (0, 128, 0),
        "red": (255, 0, 0),
        "blue": (0, 0, 255),
        "orange": (255, 165, 0),
        "white": (255, 255, 255),
        "beige": (245, 222, 179),
        "purple": (128, 0, 128),
    }

    def distance(word: str) -> int:
        return sum(abs(a - b) for a, b in zip(known[word], rgb, strict=True))

    return min(known, key=distance)


def whole_mask(level: int) -> list[list[int]]:
    """A mask of one level in the size of a letter case of 2 by 4."""
    return [[level] * 4] * 2


def says(*parts: str, command: tuple[object, ...]) -> Check:
    """A command over the whole dataset prints these parts."""

    def check(bench: Bench) -> None:
        words = [bench.whole.dataset.root if word == "DATASET" else word for word in command]
        said = bench.said(*words)
        for part in parts:
            assert part in said, said

    return check


def shown(path: str, test: str) -> Check:
    """A test of the real window shows it; it runs with the tests of its own folder."""

    def check(_: Bench) -> None:
        text = (README.parent / "tests" / path).read_text("utf-8")
        assert f"\ndef {test}(" in text

    return check

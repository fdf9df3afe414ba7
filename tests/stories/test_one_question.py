"""Window, trial list, score files and Python API give every trial the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forensicviewer as fv
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.numbers import printed
from forensicviewer.app.report.score_output import ScoreOutput, pipe_separated
from forensicviewer.app.runtime.jobs import Ticket, inline_jobs
from forensicviewer.app.trials.score_columns import DONOR_MCC, MCC
from forensicviewer.app.trials.score_plans import MaskPlan
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.metric_values import metric_values
from forensicviewer.cli import main
from forensicviewer.core.kernel import KernelShape
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.model import Dataset, Side, Submission, Task, TrialId
from forensicviewer.core.rules import RULE_SETS, VERBATIM, RuleSet, Switch
from forensicviewer.core.rules import mask as switches
from forensicviewer.sources.media.jpeg2000 import write_components
from tests.app.masks.test_rules import DIFFERENCES, IMAGES
from tests.mask_build import MaskCase, records

COLUMNS = (
    *("OptimumMCC", "OptimumNMM", "OptimumBWL1", "GWL1", "AUC", "EER"),
    *("PixelN", "PixelBNS", "PixelSNS", "PixelPNS"),
)
UNSCORED = dict.fromkeys(COLUMNS, "")
Numbers = dict[tuple[TrialId, Side], dict[str, str]]


def rule_sets(switch: type[Switch]) -> Iterator[RuleSet]:
    """The three rule sets, and each of them with only this switch turned."""
    for rules in RULE_SETS:
        yield rules
        yield from (rules.with_choice(choice) for choice in switch if not rules.chooses(choice))


CASES = [
    pytest.param(switch, rules, id=f"{switch.key}-{rules.name}-{rules.choice(switch).value}")
    for switch, difference in DIFFERENCES.items()
    if not difference.settings.manipulation_queries
    for rules in dict.fromkeys(rule_sets(switch))
]


@pytest.mark.parametrize(("switch", "rules"), CASES)
def test_a_switch_turned_alone_changes_window_and_list_as_it_changes_the_files(
    switch: type[Switch], rules: RuleSet, tmp_path: Path
) -> None:
    difference = DIFFERENCES[switch]
    case = MaskCase(tmp_path, is_splice=difference.is_splice, edition=difference.edition)
    task, submission = difference.build(case).open()
    # What leaves whole trials out, or averages them, is not about a single trial's numbers.
    asked = replace(difference.settings, rules=rules, queries=(), partition=None, opt_out=False)

    assert_all_agree(task, submission, asked)


@pytest.mark.parametrize(("switch", "rules"), CASES)
def test_the_command_line_and_python_give_the_numbers_of_the_batch(
    switch: type[Switch], rules: RuleSet, tmp_path: Path
) -> None:
    difference = DIFFERENCES[switch]
    case = MaskCase(tmp_path, is_splice=difference.is_splice, edition=difference.edition)
    task, submission = difference.build(case).open()
    asked = replace(difference.settings, rules=rules, queries=(), partition=None)
    options = options_of(asked)
    flags = [f"--{name}".replace("_", "-") for name, value in options.items() if value is True]
    valued = [f"--{name}={value}" for name, value in options.items() if value is not True]
    turned = [str(choice) for choice in rules.turned]

    given = [str(case.root), str(case.system / "system.csv"), "--task", task.name]
    asking = ["--rules", rules.name, *(f"--rule={choice}" for choice in turned), *flags, *valued]
    out = tmp_path / "out"
    code = main(["score", "mask", *given, *asking, "--out", str(out), "--workers=1", "--quiet"])
    answers = fv.Task(task), fv.Submission(submission)
    in_python = fv.score(*answers, kind="mask", rules=rules.name, rule=turned, **options)

    expected = texts_of(score_masks(task, submission, asked))
    assert code in (0, 1)  # 1 where the case is a problem that is told
    assert {name: (out / name).read_text("utf-8") for name in expected} == expected
    assert texts_of(in_python.model) == expected


def texts_of(output: ScoreOutput) -> dict[str, str]:
    return {table.name: pipe_separated(table.columns, table.rows) for table in output.tables}


def options_of(asked: MaskSettings) -> Any:
    """The options of the command line and the API that mean these settings."""
    options = {
        "kernel": asked.shape.value,
        "erode": asked.erode_px,
        "dilate": asked.dilate_px,
        "distraction": asked.distraction_px,
        "threshold": asked.threshold,
        "opt_out_pixels": asked.opt_out_pixels,
        "bit_planes": asked.bit_planes,
        "opt_out": asked.opt_out,
    }
    return {name: value for name, value in options.items() if value not in (None, False)} | {
        name: 0 for name in ("erode", "dilate", "distraction") if options[name] == 0
    }


def grey_masks(height: int, width: int) -> st.SearchStrategy[list[list[int]]]:
    level = st.sampled_from([0, 0, 51, 128, 200, 255, 255])
    return st.lists(
        st.lists(level, min_size=width, max_size=width), min_size=height, max_size=height
    )


def letters(height: int, width: int, alphabet: str) -> st.SearchStrategy[list[str]]:
    row = st.text(alphabet=alphabet, min_size=width, max_size=width)
    return st.lists(row, min_size=height, max_size=height)


kernels = st.sampled_from([0, 0, 1, 2, 3, 4, 5])  # even ones are made odd by all alike
turned = st.lists(
    st.sampled_from([choice for switch in switches.SWITCHES for choice in switch]), max_size=3
)


@st.composite
def mask_settings(draw: st.DrawFn) -> MaskSettings:
    rules = draw(st.sampled_from(RULE_SETS))
    for choice in draw(turned):
        rules = rules.with_choice(choice)
    return MaskSettings(
        shape=draw(st.sampled_from(KernelShape)),
        erode_px=draw(kernels),
        dilate_px=draw(kernels),
        distraction_px=draw(kernels),
        opt_out_pixels=draw(st.booleans()),
        bit_planes=draw(st.booleans()),
        rules=rules,
    )


ANSWERED = st.sampled_from(["mask", "mask", "mask", "other size", "omitted", "lost", "unanswered"])
OPT_OUT = st.sampled_from(["", "", "51", "255", "0", "200.0", "grey", "300"])
STATUS = st.sampled_from(["Processed", "NonProcessed", "OptOutAll", "FailedValidation"])


@dataclass(frozen=True)
class Drawn:
    """One side of a trial as it was drawn, cell by cell."""

    rows: list[str]
    mask: list[list[int]]
    answered: str
    opt_out: str

    @property
    def given(self) -> list[list[int]] | str:
        others: dict[str, list[list[int]] | str] = {
            "mask": self.mask,
            "other size": [[0] * 9],
            "lost": "lost.png",
        }
        return others.get(self.answered, "")


@st.composite
def sides(draw: st.DrawFn, alphabet: str) -> Drawn:
    height, width = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    rows = draw(letters(height, width, alphabet))
    return Drawn(rows, draw(grey_masks(height, width)), draw(ANSWERED), draw(OPT_OUT))


INDEX_SIZES = st.sampled_from([None, None, (3, 3)])


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    asked=mask_settings(),
    edition=st.sampled_from(["NC2016", "MFC2018", "MFC2019"]),
    is_plan_exact=st.booleans(),
)
def test_random_images_have_one_score(
    data: st.DataObject, asked: MaskSettings, edition: str, *, is_plan_exact: bool
) -> None:
    with TemporaryDirectory() as folder:
        case = MaskCase(Path(folder), edition=edition)
        for number in range(data.draw(st.integers(1, 3))):
            one, probe = data.draw(sides("..kab?")), f"p{number}"
            planes = f"reference/{probe}.jp2"
            # MFC2019's plan names the planes in the column of the colours, and no other.
            named = {"ProbeMaskFileName" if is_plan_exact else "ProbeBitPlaneMaskFileName": planes}
            case.trial(
                probe,
                *one.rows,
                index_size=data.draw(INDEX_SIZES),
                IsTarget=data.draw(st.sampled_from("YYYN")),
                **named,
            )
            _write_planes(case.root / planes, one, data)
            if data.draw(st.integers(0, 3)) == 0:
                case.steps.pop((f"J{probe}", "a"), None)
            if one.answered != "unanswered":
                status = data.draw(STATUS)
                case.answer(probe, one.given, ProbeStatus=status, ProbeOptOutPixelValue=one.opt_out)
        for (_, letter), step in case.steps.items():
            step["BitPlane"] = {"a": "1", "b": "3"}[letter]
        case.answer("stranger", ProbeStatus="Processed", ProbeOptOutPixelValue="")
        case.trial("target", "ka").trial("clean", "..", IsTarget="N")

        assert_all_agree(*case.open(), asked)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), asked=mask_settings(), letter=st.sampled_from("ab"))
def test_operations_chosen_in_the_window_score_as_a_query_of_manipulations(
    data: st.DataObject, asked: MaskSettings, letter: str
) -> None:
    with TemporaryDirectory() as folder:
        case = MaskCase(Path(folder))
        for number in range(data.draw(st.integers(1, 3))):
            one, probe = data.draw(sides("..aabb?")), f"p{number}"
            case.trial(probe, *one.rows)
            if one.answered != "unanswered":
                case.answer(probe, one.given, ProbeStatus="Processed")
        case.trial("target", "ab").answer("target", [[0, 255]], ProbeStatus="Processed")
        task, submission = case.open()
        asked = replace(asked, bit_planes=False)
        queried = replace(asked, manipulation_queries=(f"Operation=='{letter}'",))

        batch = numbers_of_files(task, submission, queried)
        live = numbers_of_window(task, submission, asked, operation=letter)

        # Trials without such an operation are not selected by the query.
        assert (TrialId("target"), Side.PROBE) in batch
        assert {key: live[key] for key in batch} == batch


def _write_planes(path: Path, one: Drawn, data: st.DataObject) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = len(one.rows), len(one.rows[0]), 1
    count = shape[0] * shape[1]
    drawn = data.draw(st.binary(min_size=count, max_size=count))
    write_components(path, np.frombuffer(drawn, np.uint8).reshape(shape) & np.uint8(7))


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    asked=mask_settings(),
    edition=st.sampled_from(["NC2016", "NC2017", "MFC2019"]),
    is_plan_exact=st.booleans(),
)
def test_random_splices_have_one_score_on_either_side(
    data: st.DataObject, asked: MaskSettings, edition: str, *, is_plan_exact: bool
) -> None:
    with TemporaryDirectory() as folder:
        case = MaskCase(Path(folder), is_splice=True, edition=edition, is_plan_exact=is_plan_exact)
        for number in range(data.draw(st.integers(1, 3))):
            probe, donor = f"p{number % 2}", f"d{number}"
            one, other = data.draw(sides("..kka?")), data.draw(sides("..kk?"))
            is_blank = not is_plan_exact and data.draw(st.integers(0, 2)) == 0
            named = {"BinaryProbeMaskFileName": ""} if is_blank else {}
            case.trial(
                probe,
                *one.rows,
                donor=donor,
                donor_rows=other.rows,
                index_size=data.draw(INDEX_SIZES),
                **named,
            )
            if one.answered != "unanswered":
                case.answer(
                    probe,
                    one.given,
                    donor_mask=other.mask,
                    donor=donor,
                    ProbeStatus=data.draw(STATUS),
                    DonorStatus=data.draw(STATUS),
                    ProbeOptOutPixelValue=one.opt_out,
                    DonorOptOutPixelValue=other.opt_out,
                )
        words = dict.fromkeys(("ProbeStatus", "DonorStatus"), "Processed")
        words |= dict.fromkeys(("ProbeOptOutPixelValue", "DonorOptOutPixelValue"), "")
        case.answers.append({"ProbeFileID": "stranger", "DonorFileID": "stranger", **words})

        assert_all_agree(*case.open(), replace(asked, bit_planes=False))


@pytest.mark.parametrize("rules", RULE_SETS, ids=[rules.name for rules in RULE_SETS])
def test_of_a_trial_listed_several_times_the_first_target_counts(
    rules: RuleSet, tmp_path: Path
) -> None:
    case = MaskCase(tmp_path)
    case.trial("p", "....", IsTarget="N").trial("p", "aa..").trial("p", "..aa")
    case.answer("p", [[0, 255, 255, 255]]).answer("p", [[255, 255, 255, 0]])
    asked = MaskSettings(erode_px=0, dilate_px=0, rules=rules)

    assert_all_agree(*case.open(), asked)

    assert numbers_of_window(*case.open(), asked)[TrialId("p"), Side.PROBE]["OptimumMCC"]


def test_a_first_answer_without_a_score_leaves_the_list_blank_too(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, edition="MFC2019").trial("p", "aa..").trial("q", "aa..")
    case.answer("p", [[0, 0, 0, 0]], ProbeStatus="Processed", ProbeOptOutPixelValue="0")
    case.answer("p", [[0, 0, 255, 255]], ProbeStatus="Processed", ProbeOptOutPixelValue="")
    case.answer("q", [[0, 0, 255, 255]], ProbeStatus="Processed", ProbeOptOutPixelValue="")
    asked = MaskSettings(erode_px=0, dilate_px=0, rules=VERBATIM, opt_out_pixels=True)

    assert_all_agree(*case.open(), asked)


def assert_all_agree(task: Task, submission: Submission, asked: MaskSettings) -> None:
    batch = numbers_of_files(task, submission, asked)
    live = numbers_of_window(task, submission, asked)
    listed = mcc_of_list(task, submission, asked)
    in_python = numbers_of_api(task, submission, asked)

    # The index decides which trials the window lists; the files have those of the reference too.
    batch = {key: row for key, row in batch.items() if key in live}

    assert {key: live[key] for key in batch} == batch
    assert all(live[key] == UNSCORED for key in live.keys() - batch.keys())
    assert listed == {key: row["OptimumMCC"] for key, row in batch.items() if row["OptimumMCC"]}
    assert in_python == {
        key: {name: row[name] for name in in_python[key]}
        for key, row in batch.items()
        if key in in_python or row["OptimumMCC"]
    }


def numbers_of_files(task: Task, submission: Submission, asked: MaskSettings) -> Numbers:
    found: Numbers = {}
    for row in records(score_masks(task, submission, asked), IMAGES):
        trial = TrialId("+".join(row[f"{side.value}FileID"] for side in sides_of(task)))
        for side in sides_of(task):
            prefix = side.prefix if task.kind.has_donor else ""
            # Of a trial that is answered twice the window shows the first answer.
            found.setdefault((trial, side), {name: row[f"{prefix}{name}"] for name in COLUMNS})
    return found


def numbers_of_window(
    task: Task, submission: Submission, asked: MaskSettings, *, operation: str | None = None
) -> Numbers:
    """What the metrics panel shows of every trial; with an ``operation``, of those alone."""
    bench = bench_on(task, submission, asked)
    found: Numbers = {}
    for row, trial in enumerate(task.trials.ids()):
        bench.select_trial(trial)
        if operation is not None:
            names = [each.name for each in task.trials[row].operations]
            bench.set_selected_operations(
                place for place, name in enumerate(names) if name == operation
            )
        for side in sides_of(task):
            bench.choose_side(side)
            values = zip(METRIC_NOTES, metric_values(bench.state, 0, None), strict=True)
            full = {note.name: value.full for note, value in values}
            numbers = {name: full[name.removeprefix("Optimum")] for name in COLUMNS}
            found[trial, side] = numbers
    return found


def numbers_of_api(task: Task, submission: Submission, asked: MaskSettings) -> Numbers:
    """What ``fv.load_trial`` counts, and finds best, of every side that is scored."""
    found: Numbers = {}
    for trial_id in task.trials.ids():
        trial = fv.load_trial(
            fv.Task(task),
            fv.Submission(submission),
            trial_id,
            rules=asked.rules.name,
            rule=[str(choice) for choice in asked.rules.turned],
            kernel=asked.shape.value,
            erode=asked.erode_px,
            dilate=asked.dilate_px,
            distraction=asked.distraction_px,
            bit_planes=asked.bit_planes,
            opt_out_pixels=asked.opt_out_pixels,
        )
        for side, loaded in ((Side.PROBE, trial), (Side.DONOR, trial.donor)):
            if loaded is not None and loaded.is_scored and loaded.sweep.N.iloc[0]:
                found[trial_id, side] = _counted_in_python(loaded)
    return found


def _counted_in_python(side: fv.TrialSide) -> dict[str, str]:
    threshold = int(str(side.sweep.MCC.idxmax()))
    best = side.at(threshold)
    numbers = {f"Pixel{name}": str(int(best[name])) for name in ("N", "BNS", "SNS", "PNS")}
    # What stands in for a mask that is missing or of no use has a number of its own in the rules.
    if (side.scores > 0).any():
        numbers["OptimumMCC"] = printed(float(best.MCC))
    called, manipulated = side.system <= threshold, side.regions == fv.Region.MANIPULATED
    assert int((called & manipulated).sum()) == best.TP
    return numbers


def mcc_of_list(
    task: Task, submission: Submission, asked: MaskSettings
) -> dict[tuple[TrialId, Side], str]:
    scored, _ = MaskPlan.of(task, submission, asked, 1).score(0, lambda: False, Ticket())
    ids = task.trials.ids()
    names = {Side.PROBE: MCC, Side.DONOR: DONOR_MCC}
    found: dict[tuple[TrialId, Side], str] = {}
    for trial in scored:
        for side in sides_of(task):
            number = trial.numbers.get(names[side])
            if number is not None and not np.isnan(number):
                found.setdefault((ids[trial.row], side), repr(number))
    return found


def bench_on(task: Task, submission: Submission, asked: MaskSettings) -> Workbench:
    bench = Workbench(inline_jobs())
    bench.show_dataset(Dataset(task.root, "dataset", task.edition, (task,)), task)
    bench.add_submissions([submission])
    bench.set_rules(asked.rules)
    bench.set_kernels(asked.kernels(task.kind))
    bench.set_scoring(uses_bit_planes=asked.bit_planes, honours_opt_out=asked.opt_out_pixels)
    return bench


def sides_of(task: Task) -> tuple[Side, ...]:
    return tuple(Side) if task.kind.has_donor else (Side.PROBE,)

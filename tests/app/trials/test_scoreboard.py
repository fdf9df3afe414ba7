"""The numbers in the trial list: those of the command line, whatever the task."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import SCORE_IN_BACKGROUND, Settings
from forensicviewer.app.trials.library import Library
from forensicviewer.app.trials.score_columns import MCC
from forensicviewer.app.trials.trial_filter import Sort
from forensicviewer.app.workbench.state import Snap
from forensicviewer.cli import main
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.model import Side, TrialId, key_columns, trial_id
from tests.build import a_dataset, blurred, box, two_answered_trials, write_png


def scored(folder: Path, submission: str, out: Path, scorer: str) -> Desk:
    """The sample opened on a desk, and scored by the command line."""
    dataset, system = folder / "MFC2019_Sample", folder / "submissions" / submission
    main(["score", scorer, str(dataset), str(system), "--out", str(out)])
    desk = Desk(inline_jobs(), Settings())
    desk.open(OpenRequest(dataset, (system,)))
    return desk


def listed(desk: Desk) -> Library:
    assert desk.trials.library is not None
    return desk.trials.library


@pytest.mark.parametrize(
    ("submission", "scorer", "file", "columns"),
    [
        (
            "p-noisy_1_MFC2019-provenance",
            "provenance",
            "trial_scores.csv",
            {"SimNLO": "SimNLO", "SimNO": "SimNO", "SimLO": "SimLO"},
        ),
        (
            "p-noisy_1_MFC2019-provenancefiltering",
            "filtering",
            "trial_scores.csv",
            {"Recall@50": "NodeRecallAt50"},
        ),
        (
            "p-careful_1_MFC2019-splice",
            "mask",
            "*perimage.csv",
            {
                "MCC": "pOptimumMCC",
                "NMM": "pOptimumNMM",
                "Threshold": "pOptimumThreshold",
                "Donor MCC": "dOptimumMCC",
                "Donor NMM": "dOptimumNMM",
                "Donor threshold": "dOptimumThreshold",
            },
        ),
    ],
)
def test_every_task_is_listed_with_the_numbers_of_the_command_line(
    sample_folder: Path,
    tmp_path: Path,
    submission: str,
    scorer: str,
    file: str,
    columns: dict[str, str],
) -> None:
    library = listed(scored(sample_folder, submission, tmp_path, scorer))

    written = next(tmp_path.glob(file)).read_text().splitlines()
    rows = list(csv.DictReader(written, delimiter="|"))
    assert rows
    for row in rows:
        place = library.task.trials.row_of(
            trial_id(row[name] for name in key_columns(library.task.kind))
        )
        assert place is not None
        for shown, name in columns.items():
            number = library.scores[shown][place]
            assert f"{number:.9g}" == f"{float(row[name]):.9g}", (shown, row)


def test_graphs_are_walked_worst_first(sample_folder: Path, tmp_path: Path) -> None:
    desk = scored(sample_folder, "p-noisy_1_MFC2019-provenance", tmp_path, "provenance")
    library = listed(desk)
    desk.trials.set_sort(Sort("SimNLO"))
    order = [desk.trials.id_at(place) for place in range(len(desk.trials))]

    walked = []
    for _ in order:
        assert desk.trials.next_worst()
        walked.append(desk.workbench.state.trial_id)

    assert library.worst_first == "SimNLO"
    assert library.leading_names[1] == "SimNLO"
    assert walked == order


def test_tables_of_the_kick_off_data_are_scored_under_their_old_names(tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path)
    old = {"ProbeFileID": "FileID", "ProbeFileName": "ImgFName", "ProbeMaskFileName": "MaskFName"}
    for table in (built.table("-index.csv"), built.table("-ref.csv")):
        head, *rows = table.read_text(encoding="utf-8").splitlines()
        names = [old.get(name, name) for name in head.split("|")]
        table.write_text("\n".join(["|".join(names), *rows]), encoding="utf-8")
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))

    desk.open(OpenRequest(built.root, (built.submission,)))

    assert not np.isnan(listed(desk).scores[MCC]).any()


def two_systems(folder: Path) -> OpenRequest:
    """Two submissions of one name; the second is so blurred that its best threshold is another."""
    first = two_answered_trials(folder)
    second = (
        a_dataset(folder / "second")
        .with_trial("p1", manipulated=box(10, 10, 40, 40))
        .with_trial("p2", manipulated=box(5, 5, 30, 30))
        .with_answer("p1", blurred(9))
        .with_answer("p2", blurred(11))
        .write()
    )
    return OpenRequest(first.root, (first.submission, second.submission))


def maxima(desk: Desk) -> list[int | None]:
    return [desk.workbench.snaps(system=system).get(Snap.MAXIMUM) for system in (0, 1)]


def test_both_submissions_have_their_own_maximum(tmp_path: Path) -> None:
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    desk.open(two_systems(tmp_path))

    found = maxima(desk)

    assert None not in found
    assert found[0] != found[1]
    desk.workbench.choose_systems(1, 0)
    assert maxima(desk) == found[::-1]
    assert listed(desk).submission is desk.workbench.state.submissions[1]


def test_a_second_submission_chosen_later_is_scored_then(tmp_path: Path) -> None:
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    desk.open(two_systems(tmp_path))
    both = maxima(desk)
    desk.workbench.choose_systems(0, None)
    desk.workbench.forget_maxima()

    desk.workbench.choose_systems(0, 1)

    assert maxima(desk) == both


def test_other_kernels_give_both_submissions_other_maxima(tmp_path: Path) -> None:
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    desk.open(two_systems(tmp_path))
    before = maxima(desk)

    desk.workbench.set_kernels(Kernels(erode_px=1, dilate_px=1, distraction_px=1))

    after = maxima(desk)
    assert None not in after
    assert after[1] != before[1]


def test_who_does_not_want_trials_scored_gets_no_maximum(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "settings.json")
    settings.change(SCORE_IN_BACKGROUND, False)  # noqa: FBT003 - a setting's value
    desk = Desk(inline_jobs(), settings)

    desk.open(two_systems(tmp_path))

    assert maxima(desk) == [None, None]


def test_a_maximum_found_meanwhile_outlives_undo(tmp_path: Path) -> None:
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    desk.open(two_systems(tmp_path))
    found = maxima(desk)
    desk.workbench.forget_maxima()
    desk.workbench.set_threshold(3)
    for system, maximum in enumerate(found):
        desk.workbench.set_maximum(maximum, system=system)

    desk.workbench.undo()

    assert desk.workbench.state.thresholds.main != 3
    assert maxima(desk) == found


def test_masks_that_cannot_be_scored_are_told_before_anybody_looks_at_them(tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path)
    masks = built.submission / "mask"
    (masks / "p1.png").unlink()
    write_png(masks / "p2.png", np.zeros((9, 7), np.uint8))
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))

    desk.open(OpenRequest(built.root, (built.submission,)))

    told = [str(problem) for problem in desk.workbench.state.problems]
    assert len(told) == 2
    assert "p1.png cannot be scored: The file does not exist" in told[0]
    assert "p2.png cannot be scored: the system mask is 7\u00d79" in told[1]
    for trial in ("p1", "p2"):
        desk.workbench.select_trial(TrialId(trial))
    assert len(desk.workbench.state.problems) == 2


def test_very_many_masks_that_cannot_be_scored_are_not_all_named(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(103)]
    builder = a_dataset(tmp_path).nist("NC2017")
    for name in names:
        builder = builder.with_trial(name, manipulated=box(10, 10, 40, 40))
        builder = builder.with_answer(name, blurred())
    built = builder.write()
    shutil.rmtree(built.submission / "mask")
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))

    desk.open(OpenRequest(built.root, (built.submission,)))

    told = [problem.message for problem in desk.workbench.state.problems]
    assert len(told) == 101
    assert told[-1] == "More than 100 masks cannot be scored"


def test_probe_and_donor_have_the_maxima_of_the_command_line(
    sample_folder: Path, tmp_path: Path
) -> None:
    dataset = sample_folder / "MFC2019_Sample"
    system = sample_folder / "submissions" / "p-careful_1_MFC2019-splice"
    options = ["--threshold", "100", "--out", str(tmp_path)]
    main(["score", "mask", str(dataset), str(system), *options])
    (row,) = csv.DictReader((tmp_path / "mask_score.csv").read_text().splitlines(), delimiter="|")
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    desk.open(OpenRequest(dataset, (system,)))
    bench, found = desk.workbench, []

    for side in Side:
        bench.choose_side(side)
        bench.snap_threshold(Snap.MAXIMUM)
        found.append(bench.state.shown_threshold(bench.state.thresholds.main))

    assert found == [int(row[f"{side}MaximumThreshold"]) for side in "pd"]
    assert found[0] != found[1]
    bench.choose_side(Side.PROBE)
    assert bench.state.shown_threshold(bench.state.thresholds.main) == found[0]

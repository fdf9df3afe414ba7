"""Switch by switch: a tiny trial where the rule sets score masks differently, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.core.rules import MEDISCORE, PLAN, Switch
from forensicviewer.core.rules import mask as switches
from forensicviewer.sources.media.jpeg2000 import write_components
from forensicviewer.sources.media.masks import write_colour_reference
from tests.mask_build import PALETTE, MaskCase, records

PLAIN = MaskSettings(erode_px=0, dilate_px=0, distraction_px=0)
HALF = ("aa..", "aa..")
FOUND = [[0, 0, 255, 255]] * 2
FIRST_ROW = [[0, 0, 255, 255], [255, 255, 255, 255]]
IMAGES = "mask_scores_perimage.csv"
AVERAGES = "mask_score.csv"


@dataclass(frozen=True)
class Difference:
    """A case, and what shows the difference: the printed cell under each choice."""

    build: Callable[[MaskCase], MaskCase]
    look: Callable[[ScoreOutput], str]
    shown: Mapping[str, str]
    settings: MaskSettings = PLAIN
    is_splice: bool = False
    edition: str = "NC2017"


def image(column: str, row: int = 0) -> Callable[[ScoreOutput], str]:
    return lambda output: records(output, IMAGES)[row][column]


def average(column: str, row: int = 0) -> Callable[[ScoreOutput], str]:
    return lambda output: records(output, AVERAGES)[row][column]


def image_rows(output: ScoreOutput) -> str:
    return str(len(records(output, IMAGES)))


def without_step(case: MaskCase) -> MaskCase:
    case.trial("p", "aabb", "aa..").answer("p", FOUND)
    del case.steps["Jp", "b"]
    return case


def without_index_row(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF).answer("q", FOUND)
    case.index.pop()
    return case


def two_sets(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF, Set="x").answer("p", FOUND)
    return case.trial("q", *HALF, Set="y").answer("q", FIRST_ROW)


def lacking_an_answer(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF, Set="x").answer("p", FOUND, Lead="1")
    case.trial("q", *HALF, Set="y").answer("q", FIRST_ROW, Lead="2")
    return case.trial("r", *HALF, Set="y")


def two_probes_of_one_journal(case: MaskCase) -> MaskCase:
    for probe in ("p", "q"):
        case.trial(probe, "aab.", "aab.", journal="J").answer(probe, FOUND)
    return case


def probe_in_two_splices(case: MaskCase) -> MaskCase:
    case.trial("p", "kk..", donor="d", donor_rows=["k..."])
    case.answer("p", [[0, 0, 255, 255]], donor_mask=[[0, 255, 255, 255]], donor="d")
    case.trial("p", "kk..", donor="e", donor_rows=["k..."])
    return case.answer("p", [[0, 255, 0, 255]], donor_mask=[[0, 255, 255, 255]], donor="e")


def one_donor_side_only(case: MaskCase) -> MaskCase:
    case.trial("p", "kk..", donor="d", donor_rows=["k..."])
    case.answer("p", [[0, 0, 255, 255]], donor_mask=[[0, 255, 255, 255]], donor="d")
    case.trial("q", "....", donor="e", donor_rows=["k..."])
    return case.answer("q", [[0, 0, 255, 255]], donor_mask=[[0, 255, 255, 255]], donor="e")


def plane_nine_of_one_component(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF, ProbeBitPlaneMaskFileName="reference/p.jp2").answer("p", FOUND)
    planes = np.zeros((2, 4, 1), np.uint16)
    planes[:, :2] = 1 << 8
    write_components(case.root / "reference/p.jp2", planes)
    case.steps["Jp", "a"]["BitPlane"] = "9"
    return case


def white_planes(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF, ProbeBitPlaneMaskFileName="reference/p.jp2").answer("p", FOUND)
    write_components(case.root / "reference/p.jp2", np.full((2, 4, 1), 255, np.uint8))
    case.steps["Jp", "a"]["BitPlane"] = "1"
    return case


def black_and_white(case: MaskCase) -> MaskCase:
    case.trial("p", "aa..", "aa..").answer("p", FOUND)
    black = np.full((2, 4, 3), 255, np.uint8)
    black[:, :2] = 0
    write_colour_reference(next(case.root.glob("reference/p*.png")), black)
    return case


def reference_as_jpeg(case: MaskCase) -> MaskCase:
    rows = ["a" * 8 + "." * 8] * 16
    case.trial("p", *rows, ProbeMaskFileName="reference/p.jpg")
    colours = [[PALETTE[letter][::-1] for letter in row] for row in rows]
    encoded = cv2.imencode(".jpg", np.array(colours, np.uint8))[1]
    (case.root / "reference/p.jpg").write_bytes(encoded.tobytes())
    return case.answer("p", [[0] * 8 + [255] * 8] * 16)


def donors_with_and_without_black(case: MaskCase) -> MaskCase:
    for donor, rows in (("d", "k?.."), ("e", "??..")):
        case.trial("p", "kk..", donor=donor, donor_rows=[rows])
        case.answer("p", [[0, 0, 255, 255]], donor_mask=[[0, 0, 255, 255]], donor=donor)
    return case


def all_planes_of_six_components(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF, ProbeBitPlaneMaskFileName="reference/p.jp2").answer("p", FOUND)
    planes = np.zeros((2, 4, 6), np.uint8)
    planes[:, :2] = 255
    write_components(case.root / "reference/p.jp2", planes)
    join, step = case.joins.pop(), case.steps.pop(("Jp", "a"))
    for plane in map(str, range(1, 49)):
        case.joins.append(join | {"StartNodeID": plane})
        case.steps["Jp", plane] = step | {"StartNodeID": plane, "BitPlane": plane}
    return case


def coloured_answer(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF).answer("p", "m.png")
    case.system.mkdir(exist_ok=True)
    grey = np.array(FOUND, np.uint8)
    write_colour_reference(case.system / "m.png", np.dstack([grey, grey, grey]))
    return case


def splice_in_two_colours(case: MaskCase) -> MaskCase:
    case.trial("p", "kka.", donor="d", donor_rows=["k..."])
    return case.answer("p", [[0, 0, 255, 255]], donor_mask=[[0, 255, 255, 255]], donor="d")


def sets_with_spaces(case: MaskCase) -> MaskCase:
    case.trial("p", *HALF, Set="x y").answer("p", FOUND)
    return case.trial("q", *HALF, Set="z").answer("q", FIRST_ROW)


def numbers_under_quoted_names(case: MaskCase) -> MaskCase:
    case.has_quoted_names = True
    return case.trial("p", *HALF, Camera="007").answer("p", FOUND)


def every_status(case: MaskCase) -> MaskCase:
    words = ("Processed", "NonProcessed", "OptOutAll", "OptOutDetection", "OptOutLocalization")
    for status in (*words, "FailedValidation"):
        case.trial(status, *HALF).answer(status, FOUND, ProbeStatus=status)
    return case


def wide_distraction(case: MaskCase) -> MaskCase:
    case.trial("p", "a" + "." * 18 + "b").answer("p", [[0] * 20])
    return case


DIFFERENCES: dict[type[Switch], Difference] = {
    switches.UnusableMask: Difference(
        lambda case: (
            case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF).answer("q", "lost.png")
        ),
        average("ScoreableTrials"),
        {"white": "2", "unscored": "1"},
    ),
    switches.StandInSize: Difference(
        lambda case: case.trial("p", *HALF, index_size=(7, 7)).answer("p"),
        image("Scored"),
        {"reference": "Y", "index": "N"},
    ),
    switches.BrokenJournal: Difference(
        without_step, image("Scored"), {"skipped": "Y", "unscored": "N"}
    ),
    switches.OptOutValue: Difference(
        lambda case: case.trial("p", *HALF).answer("p", FOUND, ProbeOptOutPixelValue="grey"),
        image("Scored"),
        {"ignored": "Y", "unscored": "N"},
        replace(PLAIN, opt_out_pixels=True),
    ),
    switches.NotInIndex: Difference(
        without_index_row, image("Scored", 1), {"scored": "Y", "unscored": "N"}
    ),
    switches.BothStatusColumns: Difference(
        lambda case: (
            case.trial("p", *HALF)
            .answer("p", FOUND, ProbeStatus="Processed", IsOptOut="N")
            .trial("q", *HALF)
            .answer("q", FOUND, ProbeStatus="OptOutAll", IsOptOut="N")
        ),
        average("totalOptOut"),
        {"probe-status": "1", "confused": "0"},
    ),
    switches.MissingAnswers: Difference(
        lambda case: case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF),
        image_rows,
        {"scored": "2", "dropped": "1"},
        replace(PLAIN, opt_out=True),
    ),
    switches.MissingConfidence: Difference(
        lambda case: (
            case.trial("p", *HALF)
            .answer("p", FOUND, confidence="9")
            .trial("q", *HALF)
            .answer("q", FOUND, confidence="10")
            .trial("r", *HALF)
        ),
        image("ConfidenceScore", 2),
        {"smallest": "9.0", "first-as-text": "10.0"},
    ),
    switches.PartitionText: Difference(
        sets_with_spaces,
        lambda output: str(len(records(output, AVERAGES))),
        {"words": "2", "letters": "1"},
        replace(PLAIN, partition="Set==['x y','z']"),
    ),
    switches.PartitionRows: Difference(
        two_sets,
        average("Set"),
        {"each": "'x'", "last-repeated": "'y'"},
        replace(PLAIN, partition="Set==['x','y']"),
    ),
    switches.SelectionAverages: Difference(
        two_sets,
        lambda output: records(output, "mask_scores_0.csv")[0]["PixelAverageAUC"],
        {"selection": "1.0", "whole-run": "0.875"},
        replace(PLAIN, queries=("Set=='x'",)),
    ),
    switches.QueryCells: Difference(
        lacking_an_answer,
        lambda output: records(output, "mask_scores_0.csv")[0]["OptimumNMM"],
        {"apart": "0.5", "python2": "1.0"},
        replace(PLAIN, queries=("Set=='x' or Lead=='2'",)),
    ),
    switches.QuotedNames: Difference(
        numbers_under_quoted_names,
        image("Camera"),
        {"texts": "007", "guessed": "7"},
    ),
    switches.QueryNumbers: Difference(
        two_sets,
        lambda output: output.tables[1].name,
        {"as-given": "mask_scores_1.csv", "non-empty": "mask_scores_0.csv"},
        replace(PLAIN, queries=("Set=='z'", "Set=='x'")),
    ),
    switches.AverageNeedsAll: Difference(
        lambda case: case.trial("p", *HALF, "....", "....").answer("p", [[0, 0, 255, 255]] * 4),
        lambda output: ",".join(row["OptimumMCC"] for row in records(output, AVERAGES)),
        {"no": "0.0", "yes": ""},
        replace(PLAIN, erode_px=5),
    ),
    switches.ActualThresholdCell: Difference(
        lambda case: (
            case.trial("p", "....", "....").answer("p", FOUND).trial("q", *HALF).answer("q", FOUND)
        ),
        average("ActualThreshold"),
        {"as-given": "100", "first-row": ""},
        replace(PLAIN, threshold=100),
    ),
    switches.SpliceTables: Difference(
        probe_in_two_splices,
        average("pPixelAverageAUC"),
        {"by-trial": "0.75", "by-file": "0.5"},
        is_splice=True,
    ),
    switches.RepeatedTrials: Difference(
        lambda case: case.trial("p", *HALF).answer("p", FOUND).answer("p", FIRST_ROW),
        image_rows,
        {"once": "1", "squared": "4"},
    ),
    switches.ScoreableSplices: Difference(
        one_donor_side_only,
        average("ScoreableProbeTrials"),
        {"scored": "1", "all": "2"},
        is_splice=True,
    ),
    switches.ZeroKernels: Difference(
        lambda case: case.trial("p", "k?..", donor="d", donor_rows=["k..."]).answer(
            "p", [[0, 0, 255, 255]], donor_mask=[[0, 255, 255, 255]], donor="d"
        ),
        image("pOptimumPixelTP"),
        {"background": "1", "manipulated": "2"},
        is_splice=True,
    ),
    switches.SingleComponent: Difference(
        plane_nine_of_one_component,
        image("Scored"),
        {"kept": "Y", "lost": "N"},
        replace(PLAIN, bit_planes=True),
    ),
    switches.FullPlanes: Difference(
        all_planes_of_six_components,
        image("Scored"),
        {"scored": "Y", "unscored": "N"},
        replace(PLAIN, bit_planes=True),
    ),
    switches.WhitePlanes: Difference(
        white_planes,
        image("Scored"),
        {"no-region": "N", "all-planes": "Y"},
        replace(PLAIN, bit_planes=True),
    ),
    switches.BlackAndWhite: Difference(
        black_and_white,
        image("Scored"),
        {"black": "Y", "marks": "N"},
    ),
    switches.LossyReference: Difference(
        reference_as_jpeg,
        image("Scored"),
        {"nearest": "Y", "exact": "N"},
        replace(PLAIN, erode_px=3, dilate_px=3),
    ),
    switches.DonorReference: Difference(
        donors_with_and_without_black,
        lambda output: " ".join(row["dPixelN"] for row in records(output, IMAGES)),
        {"black": "3 ", "black-else-any": "3 4", "any": "4 4"},
        is_splice=True,
    ),
    switches.MarkedOperations: Difference(
        two_probes_of_one_journal,
        image("PixelSNS"),
        {"journal": "0", "probe": "2"},
        replace(
            PLAIN,
            manipulation_queries=(
                "(ProbeFileID=='p' and Operation=='a') or (ProbeFileID=='q' and Operation=='b')",
            ),
        ),
    ),
    switches.Distraction: Difference(
        wide_distraction,
        image("PixelSNS"),
        {"15": "8", "11": "6"},
        replace(PLAIN, distraction_px=None, manipulation_queries=("Operation=='a'",)),
    ),
    switches.Optimum: Difference(
        lambda case: case.trial("p", "aaaa" + "." * 12).answer("p", [[0, *[9] * 7, *[255] * 8]]),
        image("OptimumBWL1"),
        {"at-best-mcc": "0.25", "own": "0.1875"},
    ),
    switches.Maximum: Difference(
        lambda case: case.trial("p", "aaaa" + "." * 12).answer("p", [[0, *[9] * 7, *[255] * 8]]),
        average("MaximumBWL1"),
        {"at-best-mcc": "", "own": "0.1875"},
    ),
    switches.GreyNmm: Difference(
        lambda case: case.trial("p", "aa..").answer("p", [[51, 51, 255, 255]]),
        image("OptimumNMM"),
        {"thresholded": "1.0", "soft": "0.6"},
    ),
    switches.Wl1Denominator: Difference(
        lambda case: case.trial("p", "aa..").answer("p", [[51, 51, 255, 255]]),
        image("GWL1"),
        {"scored": "0.1", "positives-in-2016": "0.2"},
        edition="NC2016",
    ),
    switches.OmittedMask: Difference(
        lambda case: case.trial("p", *HALF).answer("p"),
        image("OptimumMCC"),
        {"white": "0.0", "lowest": "-1.0"},
    ),
    switches.OptOutPixels: Difference(
        lambda case: case.trial("p", *HALF).answer("p", FOUND, ProbeOptOutPixelValue="255"),
        image("PixelPNS"),
        {"if-asked": "0", "left-out": "4"},
    ),
    switches.OptOutTrials: Difference(
        every_status,
        lambda output: " ".join(row["ProbeFileID"] for row in records(output, IMAGES)),
        {
            "opted-in": "Processed NonProcessed OptOutDetection FailedValidation",
            "processed": "Processed OptOutDetection",
        },
        replace(PLAIN, opt_out=True),
    ),
    switches.SpliceReference: Difference(
        splice_in_two_colours,
        image("pOptimumNMM"),
        {"binary": "1.0", "colour": "-1.0"},
        replace(PLAIN, erode_px=1, dilate_px=1),
        is_splice=True,
    ),
    switches.ColourMasks: Difference(
        coloured_answer, image("OptimumNMM"), {"grey": "1.0", "refused": "-1.0"}
    ),
    switches.ResponseRate: Difference(
        lambda case: (
            case.trial("p", *HALF)
            .answer("p", FOUND, ProbeStatus="Processed")
            .trial("q", *HALF)
            .answer("q", ProbeStatus="NonProcessed")
        ),
        average("TRR"),
        {"not-opted-out": "1.0", "answered": "0.5"},
    ),
}


@pytest.mark.parametrize("choice", [each for switch in DIFFERENCES for each in switch], ids=str)
def test_a_switch_turned_alone_changes_exactly_the_number_it_says(
    choice: Switch, tmp_path: Path
) -> None:
    difference = DIFFERENCES[type(choice)]
    case = MaskCase(tmp_path, is_splice=difference.is_splice, edition=difference.edition)
    settings = replace(difference.settings, rules=MEDISCORE.with_choice(choice))

    output = difference.build(case).score(settings)

    assert difference.look(output) == difference.shown[choice.value]


def test_every_switch_has_a_case_that_shows_it() -> None:
    assert set(DIFFERENCES) == set(switches.SWITCHES)
    for switch, difference in DIFFERENCES.items():
        assert set(difference.shown) == {choice.value for choice in switch}
        assert len(set(difference.shown.values())) == len(switch) > 1


def test_what_the_rules_correct_is_reported(tmp_path: Path) -> None:
    case = DIFFERENCES[switches.UnusableMask].build(MaskCase(tmp_path))

    output = case.score(PLAIN)

    assert [problem.rule for problem in output.problems] == [switches.UnusableMask.key]
    assert [problem.trial for problem in output.problems] == ["q"]
    assert "lost.png" in output.problems[0].message


def test_a_coloured_splice_is_restricted_to_its_planes_too(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, is_splice=True)
    case.trial("p", "kka.", donor="d", donor_rows=["k..."], ProbeBitPlaneMaskFileName="p.jp2")
    case.answer("p", [[255, 255, 0, 0]], donor_mask=[[0, 255, 255, 255]], donor="d")
    write_components(case.root / "p.jp2", np.array([[[0], [0], [1], [1]]], np.uint8))
    case.steps["Jp", "a"]["BitPlane"] = "1"

    output = case.score(replace(PLAIN, rules=PLAN, bit_planes=True))

    assert image("pOptimumMCC")(output) == "1.0"


def test_the_plan_of_2016_knows_no_coloured_splices(tmp_path: Path) -> None:
    case = splice_in_two_colours(MaskCase(tmp_path, is_splice=True, edition="NC2016"))

    assert image("pOptimumMCC")(case.score(replace(PLAIN, rules=PLAN))) == "1.0"


def test_a_splice_whose_journal_has_no_colour_is_scored_by_its_binary_mask(
    tmp_path: Path,
) -> None:
    case = splice_in_two_colours(MaskCase(tmp_path, is_splice=True))
    case.steps["Jp", "a"]["Color"] = ""

    assert image("pOptimumMCC")(case.score(replace(PLAIN, rules=PLAN))) == "1.0"

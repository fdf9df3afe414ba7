"""Submissions that conform to the plans in odd ways, and submissions that break one rule each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.cli import main
from tests.build import write_table
from tests.plans.build import PlanDataset, PlanSubmission
from tests.plans.datasets import black_frames
from tests.plans.graphs import nodes_of
from tests.plans.submissions import answered, describe

Found = list[dict[str, object]]


Edit = Callable[["Case"], object]


@dataclass
class Case:
    """A conforming submission to be spoilt; tables are written when it is checked."""

    plan: PlanDataset
    answers: PlanSubmission
    is_described: bool = True

    @property
    def first(self) -> dict[str, str]:
        return self.answers.rows[0]

    @property
    def document(self) -> Path:
        return self.answers.root / self.first["ProvenanceOutputFileName"]

    def write(self) -> tuple[Path, Path]:
        if self.is_described:
            describe(self.answers)
        return self.plan.write(), self.answers.write()


def case_of(folder: Path, year: str, task: str) -> Case:
    return Case(*answered(folder, year, task))


def check(
    case: Case, task: str, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[bool, Found]:
    root, submission = case.write()
    arguments = ["validate", str(root), str(submission), "--task", task, "--json", *options]
    code = main(arguments)
    return code == 0, json.loads(capsys.readouterr().out)["findings"]


def named(name: str) -> Edit:
    """Another name of the submission."""

    def rename(case: Case) -> None:
        old = case.answers.root
        case.answers.name = name
        if old.exists():
            shutil.move(old, case.answers.root)

    return rename


def opted_out_17(case: Case) -> None:
    for cells in case.answers.rows[-2:]:
        cells |= {"IsOptOut": "Y", "ConfidenceScore": "-5", "OutputProbeMaskFileName": ""}


def opted_out_19(case: Case) -> None:
    for cells, word in zip(case.answers.rows, STATUSES, strict=False):
        cells |= {"ProbeStatus": word}
        if word not in ("Processed", "OptOutLocalization", "FailedValidation"):
            cells["ConfidenceScore"] = "0"


def opted_out_videos(case: Case) -> None:
    for cells, word in zip(
        case.answers.rows, ("OptOutTemporal", "OptOutSpatial", "OptOutLocalization"), strict=True
    ):
        cells |= {"ProbeStatus": word}


STATUSES = ("OptOutDetection", "FailedValidation", "OptOutAll", "NonProcessed")


CONFORMING: dict[str, tuple[str, str, Edit]] = {
    "scores of any size": (
        "NC2017",
        "manipulation",
        lambda c: c.first.update(ConfidenceScore="39"),
    ),
    "negative scores": ("NC2016", "splice", lambda c: c.first.update(ConfidenceScore="-3")),
    "opted-out trials of 2017": ("NC2017", "manipulation", opted_out_17),
    "all statuses of 2019": ("MFC2019", "manipulation", opted_out_19),
    "scores of 0 and 1": (
        *("MFC2019", "event"),
        lambda c: [
            row.update(ConfidenceScore=score)
            for row, score in zip(c.answers.rows, ("0", "1"), strict=False)
        ],
    ),
    "all statuses of videos": ("MFC2019", "video", opted_out_videos),
    "all statuses of donors": (
        *("MFC2019", "splice"),
        lambda c: [
            row.update(DonorStatus=word)
            for row, word in zip(
                c.answers.rows,
                ("Processed", "NonProcessed", "OptOutLocalization", "FailedValidation"),
                strict=True,
            )
        ],
    ),
    "an event opted out of": (
        "MFC2019",
        "event",
        lambda c: c.first.update(ProbeStatus="OptOut", ConfidenceScore="0"),
    ),
    "rows in another order": ("MFC2019", "event", lambda c: c.answers.rows.reverse()),
    "an omitted mask": (
        "MFC2019",
        "manipulation",
        lambda c: c.first.update(OutputProbeMaskFileName=""),
    ),
    "an opt-out value": (
        "MFC2019",
        "manipulation",
        lambda c: c.first.update(ProbeOptOutPixelValue="245"),
    ),
    "no masks of videos": (
        "MFC2019",
        "video",
        lambda c: [row.update(OutputProbeMaskFileName="") for row in c.answers.rows],
    ),
    "segments that touch": (
        "MFC2019",
        "video",
        lambda c: c.first.update(VideoFrameSegments="[[1,20],[40,50],[37,40]]"),
    ),
    "a contrastive system of version 12": (
        "MFC2019",
        "event",
        named("c-contrast_12"),
    ),
    "videos of 2017": ("NC2017", "video", lambda _: None),
    "2016 without a description": (
        "NC2016",
        "manipulation",
        lambda c: setattr(c, "is_described", False),
    ),
    "ImgMETA, as 2016 writes it once": (
        "NC2016",
        "manipulation",
        named("Team_NC2016_Manipulation_ImgMETA_p-box_1"),
    ),
    "an opted-out probe without a document": (
        "MFC2019",
        "provenance",
        lambda c: c.first.update(ProvenanceProbeStatus="OptOut", ProvenanceOutputFileName=""),
    ),
}


def cell(**cells: str) -> Edit:
    """Other cells in the first row."""
    return lambda case: case.first.update(cells)


def without_column(column: str) -> Edit:
    def leave_out(case: Case) -> None:
        outputs = dict(case.answers.year.outputs)
        own = outputs[case.answers.output]
        columns = tuple(name for name in own.columns if name != column)
        outputs[case.answers.output] = type(own)(own.section, columns)
        case.answers.year = type(case.answers.year)(
            case.answers.year.name, case.answers.year.tables, outputs
        )

    return leave_out


def opted_out_score(*scores: str) -> Edit:
    def edit(case: Case) -> None:
        for cells, score in zip(case.answers.rows, scores, strict=False):
            cells |= {"IsOptOut": "Y", "ConfidenceScore": score}

    return edit


def mask_elsewhere(case: Case) -> None:
    name = case.first["OutputProbeMaskFileName"]
    (case.answers.root / "found").mkdir()
    shutil.move(case.answers.root / name, case.answers.root / "found" / "a.png")
    case.first["OutputProbeMaskFileName"] = "found/a.png"


def frames(start: int, levels: NDArray[Any]) -> Edit:
    """Another HDF5 mask for the first video."""

    def write(case: Case) -> None:
        path = case.answers.root / case.first["OutputProbeMaskFileName"]
        with h5py.File(path, "w") as file:
            file.create_dataset(f"{start}/masks", data=levels)

    return write


def broken_frames(case: Case) -> None:
    (case.answers.root / case.first["OutputProbeMaskFileName"]).write_bytes(b"not HDF5")


def document(edit: Callable[[dict[str, list[dict[str, object]]]], object]) -> Edit:
    """Another document of the first probe."""

    def write(case: Case) -> None:
        content = json.loads(case.document.read_text("utf-8"))
        edit(content)
        case.document.write_text(json.dumps(content), "utf-8")

    return write


def world(case: Case) -> None:
    """A world table with the images of the graph alone, and an answer with one more."""
    columns = ["TaskID", "WorldFileID", "WorldFileName", "WorldWidth", "WorldHeight"]
    ids = ["0201", "0202", "0203", "0204"]
    year = case.plan.year.name
    rows = [["world", f"{year}_{n}", f"world/{year}_{n}.jpg", "120", "90"] for n in ids]
    write_table(case.plan.root / f"indexes/{year}-provenance-world.csv", columns, rows)
    document(lambda it: it["nodes"].append(nodes_of(year, ["0999"])[0] | {"id": "more"}))(case)


def described(*lines: str) -> Edit:
    def write(case: Case) -> None:
        case.is_described = False
        case.answers.root.mkdir(parents=True, exist_ok=True)
        (case.answers.root / f"{case.answers.name}.txt").write_text("\n".join(lines), "utf-8")

    return write


OUT = {"ProbeStatus": "OptOutAll", "ConfidenceScore": "0.9"}


# What is wrong → (year, task, how, rule, row of the table)
def painted(case: Case, pixels: NDArray[np.uint8]) -> None:
    """The first mask in other pixels."""
    assert cv2.imwrite(str(case.answers.root / case.first["OutputProbeMaskFileName"]), pixels)


def broken_mask(case: Case) -> None:
    (case.answers.root / case.first["OutputProbeMaskFileName"]).write_bytes(b"no image")


VIOLATIONS: dict[str, tuple[str, str, Edit, str, int | None]] = {
    # names
    "system without p- or c-": ("MFC2019", "event", named("good_1"), "name.system", None),
    "system with a dot": ("MFC2019", "event", named("p-base.line_1"), "name.system", None),
    "version in words": ("MFC2019", "event", named("p-baseline_three"), "name.version", None),
    "version 0": ("MFC2019", "event", named("p-baseline_0"), "name.version", None),
    "condition unknown": (
        *("NC2017", "manipulation"),
        *(named("Team_NC17_TEST_Manipulation_Everything_p-box_1"), "name.condition", None),
    ),
    "year unknown": (
        *("NC2017", "manipulation"),
        *(named("Team_NC99_TEST_Manipulation_ImgOnly_p-box_1"), "name.year", None),
    ),
    "year of 2016 cut short": (
        *("NC2016", "splice"),
        *(named("Team_NC16_Splice_ImgOnly_p-box_1"), "name.year", None),
    ),
    "system of 2017": (
        *("NC2017", "splice"),
        *(named("Team_NC17_TEST_Splice_ImgOnly_good_1"), "name.system", None),
    ),
    "version of 2017": (
        *("NC2017", "splice"),
        *(named("Team_NC17_TEST_Splice_ImgOnly_p-good_x"), "name.version", None),
    ),
    "version of 2016": (
        *("NC2016", "splice"),
        *(named("Team_NC2016_Splice_ImgOnly_p-good_x"), "name.version", None),
    ),
    "seven parts in 2016": (
        *("NC2016", "splice"),
        *(named("Team_NC2016_Data_Splice_ImgOnly_p-good_1"), "name.parts", None),
    ),
    "another task": (
        *("NC2017", "splice"),
        *(named("Team_NC17_TEST_Removal_ImgOnly_p-good_1"), "name.task", None),
    ),
    # columns
    "no status": ("MFC2019", "manipulation", without_column("ProbeStatus"), "columns.required", 1),
    "no opt-out value of the donor": (
        *("MFC2019", "splice", without_column("DonorOptOutPixelValue")),
        *("columns.required", 1),
    ),
    "no IsOptOut": ("NC2017", "splice", without_column("IsOptOut"), "columns.required", 1),
    "no score of a graph": (
        *("NC2017", "provenance", without_column("ConfidenceScore")),
        *("columns.required", 1),
    ),
    "no mask of a camera": (
        *("MFC2019", "camera", without_column("OutputProbeMaskFileName")),
        *("columns.required", 1),
    ),
    "no segments": (
        "MFC2019",
        "video",
        without_column("VideoFrameSegments"),
        "columns.required",
        1,
    ),
    # rows
    "an unknown probe": ("NC2016", "removal", cell(ProbeFileID="x"), "rows.unknown", 2),
    "a row of 2017 too few": (
        *("NC2017", "manipulation", lambda c: c.answers.rows.pop()),
        *("rows.count", None),
    ),
    "a mask of 2017 elsewhere": ("NC2017", "manipulation", mask_elsewhere, "mask.folder", 2),
    "an image of no world in 2017": ("NC2017", "provenance", world, "document.world", 2),
    "results of 2017 without the probe": (
        *("NC2017", "filtering"),
        *(
            document(lambda it: it["nodes"][3].update(fileid="y", file="world/y.jpg")),
            "document.probe",
        ),
        2,
    ),
    "a row too few": ("MFC2019", "event", lambda c: c.answers.rows.pop(), "rows.count", None),
    # scores and statuses
    "a score above 1": ("MFC2019", "event", cell(ConfidenceScore="1.7"), "score.range", 2),
    "a score below 0": ("MFC2019", "event", cell(ConfidenceScore="-0.1"), "score.range", 2),
    "a status unknown": ("MFC2019", "video", cell(ProbeStatus="Skipped"), "status.known", 2),
    "a score that is not a number": (
        "NC2016",
        "splice",
        cell(ConfidenceScore="high"),
        "score.number",
        2,
    ),
    "an infinite score": ("NC2017", "manipulation", cell(ConfidenceScore="inf"), "score.finite", 2),
    "an opted-out score of 0.9": ("MFC2019", "manipulation", cell(**OUT), "score.opted-out", 2),
    "a score of what was not processed": (
        *("MFC2019", "event", cell(ProbeStatus="NonProcessed")),
        *("score.opted-out", 2),
    ),
    "a score of an event opted out of": (
        *("MFC2019", "event", cell(ProbeStatus="OptOut")),
        *("score.opted-out", 2),
    ),
    "an opted-out score above others": (
        *("NC2017", "manipulation", opted_out_score("0.99")),
        *("score.opted-out", 2),
    ),
    "two scores of opted-out trials": (
        *("NC2017", "manipulation", opted_out_score("-1", "-2")),
        *("score.opted-out", 3),
    ),
    "OptOutDetection of an event": (
        *("MFC2019", "event", cell(ProbeStatus="OptOutDetection", ConfidenceScore="0")),
        *("status.known", 2),
    ),
    "IsOptOut Detection": ("NC2017", "splice", cell(IsOptOut="Detection"), "status.known", 2),
    "a donor opted out of all": (
        *("MFC2019", "splice", cell(DonorStatus="OptOutAll")),
        *("status.known", 2),
    ),
    "a graph without status": (
        *("MFC2019", "provenance", cell(ProvenanceProbeStatus="")),
        *("status.known", 2),
    ),
    "an opt-out value above 255": (
        *("MFC2019", "manipulation", cell(ProbeOptOutPixelValue="300")),
        *("opt-out-value.range", 2),
    ),
    "an opt-out value of a video": (
        *("MFC2019", "video", cell(ProbeOptOutPixelValue="x")),
        *("opt-out-value.integer", 2),
    ),
    # masks
    "a mask elsewhere": ("MFC2019", "manipulation", mask_elsewhere, "mask.folder", 2),
    "a mask that does not exist": (
        *("NC2017", "manipulation", cell(OutputProbeMaskFileName="mask/none.png")),
        *("mask.exists", 2),
    ),
    "a mask of 2016 that does not exist": (
        *("NC2016", "manipulation", cell(ProbeOutputMaskFileName="mask/none.png")),
        *("mask.exists", 2),
    ),
    "a mask of another size": (
        *("NC2017", "manipulation", lambda c: painted(c, np.zeros((9, 9), np.uint8))),
        *("mask.size", 2),
    ),
    "a mask in colours": (
        *("NC2017", "manipulation", lambda c: painted(c, np.zeros((90, 120, 3), np.uint8))),
        *("mask.channels", 2),
    ),
    "a mask that is no PNG": (
        *("NC2017", "manipulation", lambda c: broken_mask(c)),
        *("mask.readable", 2),
    ),
    "a mask of 2019 that does not exist": (
        *("MFC2019", "manipulation", cell(OutputProbeMaskFileName="mask/none.png")),
        *("mask.exists", 2),
    ),
    "a mask of 2019 in another size": (
        *("MFC2019", "manipulation", lambda c: painted(c, np.zeros((9, 9), np.uint8))),
        *("mask.size", 2),
    ),
    "a mask of 2019 in colours": (
        *("MFC2019", "manipulation", lambda c: painted(c, np.zeros((90, 120, 3), np.uint8))),
        *("mask.channels", 2),
    ),
    "an HDF5 mask that does not exist": (
        *("MFC2019", "video", cell(OutputProbeMaskFileName="mask/none.hdf5")),
        *("mask.exists", 2),
    ),
    "a broken HDF5 mask": ("MFC2019", "video", broken_frames, "mask.readable", 2),
    "a small HDF5 mask": (
        "MFC2019",
        "video",
        frames(40, np.zeros((9, 10, 10), "u1")),
        "mask.size",
        2,
    ),
    "an HDF5 mask beyond the video": (
        *("MFC2019", "video", frames(55, black_frames(10))),
        *("mask.video-frames", 2),
    ),
    "an HDF5 mask of two bytes": (
        *("MFC2019", "video", frames(40, black_frames(10).astype("u2"))),
        *("mask.readable", 2),
    ),
    "an HDF5 mask of shares": (
        *("MFC2019", "video", frames(40, black_frames(10) / 255)),
        *("mask.video-range", 2),
    ),
    "an HDF5 mask in colours": (
        *("MFC2019", "video", frames(40, np.repeat(black_frames(10)[..., None], 3, axis=3))),
        *("mask.video-channels", 2),
    ),
    "a video mask as PNG": (
        *("MFC2019", "video", cell(OutputProbeMaskFileName="mask/a.png")),
        *("mask.video-type", 2),
    ),
    # intervals
    "an interval backwards": (
        *("MFC2019", "video", cell(VideoFrameSegments="[[9,3]]")),
        *("intervals.readable", 2),
    ),
    "a frame after the last": (
        *("MFC2019", "video", cell(VideoFrameSegments="[[3,61]]")),
        *("intervals.bounds", 2),
    ),
    "a sample after the last": (
        *("MFC2019", "video", cell(AudioSampleSegments="[[3,99999]]")),
        *("intervals.bounds", 2),
    ),
    # documents
    "no document": (
        *("NC2017", "provenance", cell(ProvenanceOutputFileName="")),
        *("document.missing", 2),
    ),
    "a node without fileid": (
        *("NC2017", "provenance", document(lambda it: it["nodes"][0].pop("fileid"))),
        *("document.fileid", 2),
    ),
    "the probe under another name": (
        *("MFC2019", "provenance", document(lambda it: it["nodes"][3].update(file="world/x.jpg"))),
        *("document.file", 2),
    ),
    "an image of no world": ("MFC2019", "provenance", world, "document.world", 2),
    "8 results": (
        *("NC2017", "filtering", document(lambda it: it["nodes"].__delitem__(slice(8, None)))),
        *("document.results", 2),
    ),
    "201 results": (
        *("NC2017", "filtering"),
        *(
            document(lambda it: it["nodes"].extend(nodes_of("NC2017", ["9999"]))),
            "document.results",
        ),
        2,
    ),
    "501 results": (
        *("MFC2019", "filtering"),
        *(
            document(lambda it: it["nodes"].extend(nodes_of("MFC2019", ["9999"]))),
            "document.results",
        ),
        2,
    ),
    "499 results": (
        *("MFC2019", "filtering", document(lambda it: it["nodes"].pop())),
        *("document.results", 2),
    ),
    "a node of 2019 without fileid": (
        *("MFC2019", "provenance", document(lambda it: it["nodes"][0].pop("fileid"))),
        *("document.fileid", 2),
    ),
    "a node without confidence": (
        *("MFC2019", "provenance", document(lambda it: it["nodes"][0].pop("nodeConfidenceScore"))),
        *("document.schema", 2),
    ),
    "a link without confidence": (
        *("MFC2019", "provenance"),
        *(
            document(lambda it: it["links"][0].pop("relationshipConfidenceScore")),
            "document.schema",
        ),
        2,
    ),
    "a link to nowhere": (
        *("MFC2019", "provenance", document(lambda it: it["links"][0].update(target=99))),
        *("document.schema", 2),
    ),
    "results without the probe": (
        *("MFC2019", "filtering"),
        *(
            document(lambda it: it["nodes"][3].update(fileid="y", file="world/y.jpg")),
            "document.probe",
        ),
        2,
    ),
    # description
    "no description": (
        *("MFC2019", "event", lambda c: setattr(c, "is_described", False)),
        *("description.missing", None),
    ),
    "a description of 2019 without criteria": (
        *("MFC2019", "event"),
        *(
            described(
                "Section 1 Submission Identifier(s)", "x", "Section 2 System Description", "y"
            ),
        ),
        *("description.section", None),
    ),
    "a description of one section": (
        *("NC2017", "manipulation", described("Section 1 Experiment Identifier(s)", "x")),
        *("description.section", None),
    ),
}

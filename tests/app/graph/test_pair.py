"""Two images on one canvas, and the masks of the steps between them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.graph.media import read_alone, read_pair
from forensicviewer.app.graph.pair import PairBench, laid_out
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.step_masks import step_masks
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.inspection import inspect
from forensicviewer.app.workbench.loaded_trial import LoadedTrial
from forensicviewer.app.workbench.state import CompareMode
from forensicviewer.core.array import Size
from forensicviewer.core.graph.provenance import LinkKey
from forensicviewer.sources.media.masks import write_bit_planes
from tests.build import write_table
from tests.provenance_build import ProvenanceBuilder, a_provenance_dataset, file_of

LINKS = [("base", "middle", "PasteSplice"), ("middle", "probe", "FillContentAwareFill")]
LINK, DONE = (file_of("base"), file_of("middle")), (file_of("middle"), file_of("probe"))
STEP = ["JournalName", "StartNodeID", "EndNodeID"]


def picture(path: Path, width: int, height: int, level: int = 90) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((height, width, 3), level, dtype=np.uint8)).save(path)


def built(folder: Path) -> ProvenanceBuilder:
    made = a_provenance_dataset(folder).with_probe("probe", links=LINKS)
    made.with_answer("probe", nodes=["base"])
    for name, level in (("base", 10), ("middle", 120), ("probe", 200)):
        picture(folder / "MFC2019/world" / f"{name}.png", 40, 30, level)
        # Lossless, so that values can be read exactly.
        (folder / "MFC2019/world" / f"{name}.png").rename(folder / f"MFC2019/{file_of(name)}")
    return made


def with_manipulation(folder: Path, *, probe: str = "probe") -> None:
    """A manipulation task over the same journal, its steps marked by colour and by bit plane."""
    root = folder / "MFC2019"
    reference = root / "reference/manipulation-image"
    stem = "MFC2019-manipulation-image"
    mask = f"reference/manipulation-image/mask/{probe}"
    write_table(
        root / "indexes" / f"{stem}-index.csv",
        ["TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight"],
        [["manipulation", probe, file_of(probe), "40", "30"]],
    )
    write_table(
        reference / f"{stem}-ref.csv",
        [
            *("TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "JournalName"),
            *("ProbeMaskFileName", "ProbeBitPlaneMaskFileName"),
        ],
        [["manipulation", probe, file_of(probe), "Y", "journal", f"{mask}.png", f"{mask}.jp2"]],
    )
    write_table(
        reference / f"{stem}-ref-journalmask.csv",
        [*STEP, "Operation", "Color"],
        [
            ["journal", "base", "middle", "PasteSplice", "200 0 0"],
            ["journal", "middle", "probe", "FillContentAwareFill", ""],
        ],
    )
    write_table(
        reference / f"{stem}-ref-probejournaljoin.csv",
        ["ProbeFileID", *STEP, "Sequence", "BitPlane"],
        [
            [probe, "journal", "base", "middle", "2", ""],
            [probe, "journal", "middle", "probe", "1", "3"],
        ],
    )
    colours = np.full((30, 40, 3), 255, np.uint8)
    colours[5:10, 5:15] = (200, 0, 0)
    planes = np.zeros((30, 40, 1), np.uint8)
    planes[20:25, 20:30, 0] = 1 << 2
    (root / mask).parent.mkdir(parents=True)
    Image.fromarray(colours).save(root / f"{mask}.png")
    write_bit_planes(root / f"{mask}.jp2", planes)


def opened(made: ProvenanceBuilder) -> GraphReview:
    review = GraphReview(inline_jobs())
    task, submission = made.open()
    review.show(task, submission, related=open_dataset(made.folder / "MFC2019").tasks)
    return review


def laid(review: GraphReview, ends: LinkKey, *, is_scaled: bool = True) -> LoadedTrial:
    assert review.task is not None
    assert review.state.document is not None
    pair = read_pair(review.task, review.state.document, ends, related=review.related)
    return laid_out(pair, is_scaled=is_scaled)


@pytest.mark.parametrize(
    ("ends", "operation", "box"),
    [
        (LINK, "PasteSplice", (slice(5, 10), slice(5, 15))),
        (DONE, "FillContentAwareFill", (slice(20, 25), slice(20, 30))),
    ],
)
def test_a_step_is_found_in_the_reference_mask_of_another_task(
    tmp_path: Path, ends: LinkKey, operation: str, box: tuple[slice, slice]
) -> None:
    with_manipulation(tmp_path)
    review = opened(built(tmp_path))
    assert review.task is not None
    assert review.state.document is not None

    [mask] = step_masks(review.task, review.related, review.state.document, ends)

    expected = np.zeros((30, 40), np.bool_)
    expected[box] = True
    assert (mask.area == expected).all()
    assert mask.origin == "reference mask of probe probe, task manipulation"
    assert mask.operation == operation


def test_the_step_of_a_reversed_link_is_found_too(tmp_path: Path) -> None:
    with_manipulation(tmp_path)
    review = opened(built(tmp_path))

    assert laid(review, LINK[::-1]).probe.reference is not None


def test_a_mask_of_another_journal_or_of_no_readable_file_is_none(tmp_path: Path) -> None:
    with_manipulation(tmp_path)
    (tmp_path / "MFC2019/reference/manipulation-image/mask/probe.png").write_bytes(b"broken")
    review = opened(built(tmp_path))

    shown = laid(review, LINK).probe
    assert shown.reference is None
    assert shown.reference_reason == "There is no mask for this step"


def test_a_mask_of_neither_size_is_told_instead_of_stretched(tmp_path: Path) -> None:
    with_manipulation(tmp_path)
    made = built(tmp_path)
    for name in ("base", "middle"):
        picture(tmp_path / "MFC2019" / file_of(name), 20, 15)

    shown = laid(opened(made), LINK).probe

    assert shown.reference is None
    assert shown.reference_reason.endswith("has 40×30, which matches neither image")  # noqa: RUF001


def test_images_of_different_size_lie_on_each_other_as_is_asked(tmp_path: Path) -> None:
    made = built(tmp_path)
    picture(tmp_path / "MFC2019" / file_of("base"), 20, 15)
    review = opened(made)

    scaled, exact = laid(review, LINK).probe, laid(review, LINK, is_scaled=False).probe

    assert scaled.base is not None
    assert exact.base is not None
    assert scaled.base.size == Size(40, 30)
    assert "20×15, enlarged to 200 %" in scaled.titles["base"]  # noqa: RUF001
    assert exact.base.size == Size(20, 15)
    assert exact.titles["base"] == "base"


def test_a_mask_of_the_journal_lies_on_the_image_it_has_the_size_of(tmp_path: Path) -> None:
    made = built(tmp_path)
    picture(tmp_path / "MFC2019" / file_of("base"), 20, 15)
    path = tmp_path / "MFC2019/reference/provenance/journals/journal.json"
    journal = json.loads(path.read_text("utf-8"))
    journal["links"][0]["maskname"] = "mask.png"
    path.write_text(json.dumps(journal), "utf-8")
    picture(path.parent / "mask.png", 20, 15, level=0)

    shown = laid(opened(made), LINK).probe

    assert shown.marked == {"base"}
    assert shown.reference is not None
    assert shown.reference.area(0).all()
    assert shown.reference.size == Size(40, 30)


def test_both_values_of_a_pixel_are_told_with_the_operation_there(tmp_path: Path) -> None:
    with_manipulation(tmp_path)
    bench = PairBench(inline_jobs())
    bench.show_pair(laid(opened(built(tmp_path)), LINK))

    bench.set_cursor((7, 7))
    report = inspect(bench.state)

    assert report is not None
    assert report.rgb == (120, 120, 120)
    assert report.base == (10, 10, 10)
    assert [operation.name for operation in report.operations] == ["PasteSplice"]
    assert "base RGB 10 10 10" in report.as_text()


def test_the_probe_alone_invites_to_select(tmp_path: Path) -> None:
    review = opened(built(tmp_path))
    assert review.task is not None
    assert review.state.document is not None

    alone = read_alone(review.task, review.state.document, file_of("probe"))
    shown = laid_out(alone, is_scaled=True).probe

    assert shown.titles["base"] == "probe (probe)"
    assert shown.pictures is None
    assert shown.reason.startswith("Select an image")


def test_comparing_uses_one_large_pane_and_ends_with_both(tmp_path: Path) -> None:
    bench = PairBench(inline_jobs())
    bench.show_pair(laid(opened(built(tmp_path)), LINK))

    bench.compare_by(CompareMode.SWIPE)
    assert bench.state.arrangement.maximised == 1
    bench.compare_by(CompareMode.OFF)
    assert bench.state.arrangement.maximised is None

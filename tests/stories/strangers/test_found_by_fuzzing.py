"""Small files of the kinds the fuzzer found: each is refused for its reason, and at once."""

from __future__ import annotations

import json
import os
import shutil
import struct
import time
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from PIL import Image

from forensicviewer.app.cases.opening import open_case
from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.imdl.preview import preview_of
from forensicviewer.app.judging.merging import Came, merge
from forensicviewer.app.judging.review import open_review
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.trials import read_trials
from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.intervals import frame_counts
from forensicviewer.app.validation.masks import declared_sizes
from forensicviewer.app.validation.profile import RuleFamily, profile_for
from forensicviewer.cli import main
from forensicviewer.core.array import Size
from forensicviewer.core.model import TaskKind, TrialId
from forensicviewer.core.problem import (
    CodecError,
    DatasetError,
    ForensicViewerError,
    ProblemLog,
    ScoringError,
    UsageError,
)
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.core.verdict import Ruling
from forensicviewer.sources.files.media_file import _opened
from forensicviewer.sources.imdl.dataset import DatasetChoices, read_dataset
from forensicviewer.sources.imdl.known import polygons_of
from forensicviewer.sources.imdl.lists import read_list
from forensicviewer.sources.media.formats import jpeg_segments
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.masks import write_bit_planes
from forensicviewer.sources.media.npz import read_npz, read_score_map
from forensicviewer.sources.tables.benchmark_runs import read_run
from forensicviewer.sources.tables.robustness_logs import read_robustness
from forensicviewer.sources.video.masks import open_video_mask
from tests.build import a_dataset, box, exact
from tests.fuzz import asking
from tests.fuzz.imports import a_case, resealed, zipped
from tests.fuzz.worlds import collected
from tests.mediafiles import tiff, write_heic
from tests.sources.imdl import build
from tests.video_build import a_video_dataset


def test_a_shape_of_many_edges_is_refused_at_once(tmp_path: Path) -> None:
    shape = ", ".join(["4096"] * 40)
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({shape}), }}".encode()
    path = tmp_path / "m.npz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("m.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text)

    with pytest.raises(CodecError) as caught:
        read_score_map(path)

    assert caught.value.rule == "codec.unreadable"


def test_an_hdf5_file_whose_root_is_a_mask_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.hdf5"
    with h5py.File(path, "w", libver="earliest") as file:
        mask = file.create_dataset("masks", data=np.zeros((3, 4, 5), np.uint8))
        place = h5py.h5o.get_info(mask.id).addr
    content = bytearray(path.read_bytes())
    # The root entry of the superblock: behind the offset of its name, the object it is.
    struct.pack_into("<Q", content, 64, place)
    path.write_bytes(content)

    with pytest.raises(CodecError) as caught:
        open_video_mask(path)

    assert caught.value.rule == "codec.unreadable"


def test_an_heic_file_that_declares_other_colours_than_it_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.heic"
    write_heic(path, np.zeros((64, 64, 3), np.uint8))
    content = path.read_bytes()
    # chromaFormat of the decoder configuration: 4:2:0 becomes 4:0:0.
    assert content.count(b"\xf0\x00\xfc\xfd\xf8\xf8") == 1
    path.write_bytes(content.replace(b"\xf0\x00\xfc\xfd\xf8", b"\xf0\x00\xfc\x14\xf8"))

    with pytest.raises(CodecError) as caught:
        read_image(path)

    assert caught.value.rule == "codec.unreadable"


def test_a_reference_of_splices_without_donors_is_told(tmp_path: Path) -> None:
    builder = a_dataset(tmp_path).with_trial("p1", manipulated=box(5, 5, 30, 30), donor="d1")
    built = builder.with_answer("p1+d1", exact()).write()
    reference = built.table("splice-ref.csv")
    reference.write_text(reference.read_text().replace("DonorFileID", "Donor"))
    _, task = open_task(built.root, name="splice")
    submission = open_submission(built.submission, task=task)

    with pytest.raises(ScoringError, match="The reference has no column DonorFileID"):
        read_trials(task, submission, MaskSettings(), journal=None, log=ProblemLog())


def test_an_infinite_width_in_an_index_declares_no_size() -> None:
    columns = {"ProbeFileID": ["a", "b"], "ProbeWidth": ["inf", "4"], "ProbeHeight": ["3", "3"]}
    index = Table("index.csv", {name: Column.of(cells) for name, cells in columns.items()})
    mask = profile_for(TaskKind.MANIPULATION, RuleFamily.MFC).masks[0]

    assert dict(declared_sizes(index, ("ProbeFileID",), mask)) == {("b",): Size(4, 3)}


def test_a_tiny_jpeg_that_declares_a_huge_image_is_truncated(tmp_path: Path) -> None:
    """Decoders fill what is missing with grey: it took 1.7 GB to show nothing."""
    path = tmp_path / "a.jpg"
    Image.new("L", (40, 24), 200).save(path)
    content = path.read_bytes()
    at = content.index(b"\xff\xc0") + 5
    path.write_bytes(content[:at] + struct.pack(">HH", 16705, 16705) + content[at + 4 :])

    with pytest.raises(CodecError) as caught:
        read_image(path)

    assert caught.value.rule == "codec.truncated"


@pytest.mark.parametrize("options", [{}, {"optimize": True}, {"progressive": True}])
def test_the_shortest_jpeg_of_one_colour_is_whole(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "a.jpg"
    Image.new("RGB", (2048, 1536), (128, 128, 128)).save(path, quality=1, **options)

    assert read_image(path).pixels.mean() == pytest.approx(128, abs=2)


def test_a_jpeg_2000_box_that_declares_a_huge_height_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jp2"
    write_bit_planes(path, np.zeros((24, 40, 3), np.uint8))
    content = bytearray(path.read_bytes())
    struct.pack_into(">I", content, content.index(b"ihdr") + 4, 0xC5C4D618)
    # The second component has a sample for every other pixel, as only Pillow reads it.
    components = content.index(b"\xff\x51") + 40
    assert content[components : components + 3] == b"\x07\x01\x01"
    content[components + 4 : components + 6] = b"\x02\x02"
    path.write_bytes(content)

    with pytest.raises(CodecError) as caught:
        read_image(path)

    assert caught.value.rule == "codec.unreadable"


def test_a_jpeg_of_nothing_but_fill_bytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "p.jpg"
    path.write_bytes(b"\xff\xd8" + b"\xff" * (30 << 20))

    started_s = time.process_time()
    with pytest.raises(ValueError, match="fill"):
        for _ in jpeg_segments(BytesIO(path.read_bytes())):
            pass
    with pytest.raises(CodecError):
        read_image(path)

    assert time.process_time() - started_s < 2


@pytest.mark.parametrize("fill", [0, 1, 2, 3, 70_000])
def test_fill_bytes_before_a_marker_are_passed_over(tmp_path: Path, fill: int) -> None:
    path = tmp_path / "p.jpg"
    Image.new("RGB", (6, 4), (200, 10, 10)).save(path)
    content = path.read_bytes()
    path.write_bytes(content[:2] + b"\xff" * fill + content[2:])

    assert read_image(path).pixels.shape == (4, 6, 3)


def test_a_video_mask_of_a_billion_frames_in_no_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.hdf5"
    with h5py.File(path, "w") as file:
        shape, chunk = (10**9, 400, 400), (1, 400, 400)
        file.create_dataset("0/masks", shape, np.uint8, chunks=chunk, compression="gzip")

    with pytest.raises(CodecError) as caught:
        open_video_mask(path)

    assert caught.value.rule == "codec.too-many-frames"
    assert path.stat().st_size < 10_000


def test_an_endless_frame_count_in_an_index_is_none(tmp_path: Path) -> None:
    columns = {"ProbeFileID": ["a", "b"], "FrameCount": ["inf", "7"]}
    table = Table.of("index.csv", columns)
    _, task = open_task(a_dataset(tmp_path).with_trial("a").write().root, name="manipulation")

    assert frame_counts(replace(task, table=table), Findings("index.csv")) == {"b": 7}


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "m.png"
    os.mkfifo(path)

    with pytest.raises(OSError, match="ordinary"):
        _opened(path)


_HUGE = "1" + "0" * 400


def test_numbers_beyond_all_floats_in_logs_of_runs_are_none(tmp_path: Path) -> None:
    (tmp_path / "GaussianBlur_3").mkdir()
    line = f'{{"epoch": {_HUGE}, "test_pixel-level F1": {_HUGE}, "test_pixel-level IOU": 0.5}}\n'
    for folder in (tmp_path, tmp_path / "GaussianBlur_3"):
        (folder / "log.txt").write_text(line)
    (tmp_path / "model.json").write_text('{"test_sets": ["CASIA"], "model": "Net"}')

    assert read_run(tmp_path, ProblemLog()).numbers == {"CASIA": {"IoU": 0.5}}
    assert read_robustness(tmp_path, ProblemLog()) == ()


def test_a_row_of_a_summary_that_names_no_dataset_is_a_problem(tmp_path: Path) -> None:
    rows = ["Images|Dataset|F1", "3", "3|CASIA|0.5"]
    (tmp_path / "imdl_summary.csv").write_text("\n".join(rows))
    log = ProblemLog()

    assert read_run(tmp_path, log).numbers["CASIA"]["F1"] == 0.5
    assert [problem.message for problem in log] == ["Row 2 is too short to name a dataset"]


@pytest.mark.parametrize("name", ["imdl_summary.csv", "log.txt"])
def test_links_and_pipes_among_the_files_of_a_run_are_not_read(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "secret.csv"
    outside.write_text("Dataset|F1\nsecret|0.5\n")
    for kind in ("pipe", "link"):
        run = tmp_path / kind / "GaussianBlur"
        run.mkdir(parents=True)
        if kind == "pipe":
            os.mkfifo(run / name)
        else:
            (run / name).symlink_to(outside)
        if name == "log.txt":
            log = ProblemLog()
            assert read_robustness(run, log) == ()
            assert "not read" in "".join(problem.message for problem in log)
        else:
            with pytest.raises(UsageError, match="not read"):
                read_run(run, ProblemLog())


def test_polygons_and_scores_of_any_kind_of_value_are_passed_over(tmp_path: Path) -> None:
    document = tmp_path / "d.json"
    polygon = f"[[1, 2, {_HUGE}, 4, 5, 6, 7], 3, [1], [1, 2, 4, 5, 6, 7]]"
    document.write_text(
        '{"categories": [{"id": [1], "name": "fake"}, {"id": 1, "name": "Fake"}],'
        f'"annotations": [{{"category_id": [1], "image_id": 1, "segmentation": {polygon}}},'
        f'{{"category_id": 1, "image_id": {{}}, "segmentation": {polygon}}},'
        f'{{"category_id": 1, "image_id": 1, "segmentation": {polygon}}}],'
        '"images": [{"id": [2], "file_name": "x.jpg"}, {"id": 1, "file_name": "a.jpg"}]}'
    )

    found = dict(polygons_of(tmp_path, "d.json"))

    assert json.loads(found["a.jpg"].polygons) == [[1, 2, 4, 5, 6, 7]]


def test_a_dataset_that_a_list_names_again_is_read_once(tmp_path: Path) -> None:
    build.mani(tmp_path / "one")
    path = tmp_path / "balanced.json"
    path.write_text(json.dumps([["ManiDataset", "one"]] * 2000))

    assert len(read_dataset(path, DatasetChoices()).tasks) == 1

    path.write_text(json.dumps({str(number): "one" for number in range(2000)}))
    with pytest.raises(DatasetError, match="more than 200 datasets"):
        read_dataset(path, DatasetChoices())


def test_a_list_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "casia.json")
    os.mkfifo(tmp_path / "casia.txt")

    for name in ("casia.json", "casia.txt"):
        with pytest.raises(DatasetError, match="ordinary"):
            read_list(tmp_path / name)


def test_a_foreign_log_of_verdicts_larger_than_any_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "Eve.verdicts.jsonl"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)

    with pytest.raises(ForensicViewerError, match="256 MB"):
        VerdictBook(tmp_path / "mine", judge="Ada").add_log(path)


def _case(tmp_path: Path) -> dict[str, bytes]:
    built = a_dataset(tmp_path / "w").with_trial("p1", manipulated=box(5, 5, 30, 30))
    made = built.with_answer("p1", exact()).write()
    return a_case(
        collected(lambda folder: _copied(tmp_path / "w", folder, made.root, made.submission))
    )


def _copied(made: Path, folder: Path, *places: Path) -> tuple[Path, Path]:
    shutil.copytree(made, folder, dirs_exist_ok=True)
    root, submission = (folder / place.relative_to(made) for place in places)
    return root, submission


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("files", [{"path": "a", "size": 1e400, "sha256": ""}]),
        ("pictures", [3]),
        ("pictures", [{"submission": []}]),
        ("measured", [{"task": "", "trial": "", "side": "", "metrics": {"MCC": 10**400}}]),
        ("measured", [{"task": "", "trial": "", "side": "", "erode_px": 1e400}]),
        ("note", "\ud800"),
        ("dataset", "\ud800"),
        ("trial", "\ud800"),
    ],
)
def test_a_case_whose_manifest_says_anything_is_refused_in_words(
    tmp_path: Path, name: str, value: object
) -> None:
    entries = _case(tmp_path)
    manifest = json.loads(entries["manifest.json"]) | {name: value}
    sealed = resealed({**entries, "manifest.json": json.dumps(manifest).encode()})
    (tmp_path / "c.fvcase").write_bytes(zipped(sealed))

    asking.ask(lambda: open_case(tmp_path / "c.fvcase", tmp_path / "opened"))
    asking.command(["case", "verify", str(tmp_path / "c.fvcase")])


def test_a_case_whose_entry_lies_before_its_beginning_is_refused(tmp_path: Path) -> None:
    content = bytearray(zipped(_case(tmp_path)))
    end = content.rfind(b"PK\x05\x06")
    (start,) = struct.unpack_from("<I", content, end + 16)
    struct.pack_into("<I", content, end + 16, start + 0x7FFFFFF0)
    (tmp_path / "c.fvcase").write_bytes(content)
    os.mkfifo(tmp_path / "pipe.fvcase")

    for name in ("c.fvcase", "pipe.fvcase"):
        with pytest.raises(ForensicViewerError) as caught:
            open_case(tmp_path / name, tmp_path / "opened")
        assert caught.value.rule == "case.refused"


@pytest.mark.parametrize("name", ["a\0b.jpg", "\ud800/a.jpg", "x" * 300 + ".jpg", "a/" * 3000])
@pytest.mark.parametrize("shape", ["pairs", "test sets", "rows"])
def test_names_that_no_file_can_have_are_found_nowhere(
    tmp_path: Path, name: str, shape: str
) -> None:
    build.mani(tmp_path / "data")
    path = tmp_path / "data" / ("list.txt" if shape == "rows" else "list.json")
    if shape == "pairs":
        document: object = [["Tp/0.jpg", "Gt/0.png"], [name, "Gt/1.png"], ["Tp/1.jpg", name]]
        path.write_text(json.dumps(document))
    elif shape == "test sets":
        path.write_text(json.dumps({"one": ".", "two": name}))
    else:
        rows = f"Tp/0.jpg,Gt/0.png\n{name},Gt/1.png\nTp/1.jpg,{name}\n"
        path.write_bytes(rows.encode("utf-8", "surrogatepass"))

    for words in (["info", path], ["trials", path, "--task", "imdl:one"]):
        asking.command(list(map(str, words)))
    asking.ask(lambda: preview_of(path, DatasetChoices()))


def test_an_index_of_videos_without_names_of_files_is_validated(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path, sound=False)
    index = next((built.root / "indexes").glob("*.csv"))
    _, cells = index.read_text("utf-8").splitlines()[:2]
    index.write_text(cells + "\n", "utf-8")

    asking.command(["validate", str(built.root), str(built.submission)])


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_case_packed_in_another_way_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "c.fvcase"
    with zipfile.ZipFile(path, "w", method) as packed:
        for name, entry in _case(tmp_path).items():
            packed.writestr(name, entry)
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)  # within the first entry
    path.write_bytes(content)

    with pytest.raises(ForensicViewerError) as caught:
        open_case(path, tmp_path / "opened")

    assert caught.value.rule == "case.refused"
    assert "uses an unsupported compression method" in caught.value.message


def test_a_tiff_file_of_signed_64_bit_samples_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.tif"
    edge = 1 << 63
    samples = np.array([[-edge, 0, edge - 1]], "<i8")
    path.write_bytes(tiff(samples.tobytes(), width=3, height=1, bits=64, sample_format=2))

    assert read_image(path).pixels[0, :, 0].tolist() == [0, 128, 255]


@pytest.mark.parametrize("kind", ["M8[s]", "m8[s]", "S3", "U2", "V5", "c8"])
def test_a_map_of_what_are_no_plain_numbers_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "m.npz"
    np.savez(path, map=np.zeros((24, 40), kind))

    for read in (read_npz, read_score_map):
        with pytest.raises(CodecError) as caught:
            read(path)
        assert caught.value.rule == "codec.wrong-type"


def test_an_npz_archive_of_damaged_lzma_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    stream = BytesIO()
    np.save(stream, np.tile(np.arange(40, dtype=np.uint8), (24, 1)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as packed:
        packed.writestr("mask.npy", stream.getvalue())
    content = bytearray(path.read_bytes())
    content[52:80] = b"\xff" * 28  # behind its properties
    path.write_bytes(content)

    with pytest.raises(CodecError) as caught:
        read_score_map(path)

    assert caught.value.rule == "codec.unreadable"


def _review(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    made = a_dataset(tmp_path / "w").with_trial("p1", manipulated=box(5, 5, 30, 30)).write()
    words = ["review", "init", str(tmp_path / "review"), str(made.root), "--judge", "Ada"]
    assert main([*words, "--quiet"]) == 0
    document: dict[str, Any] = json.loads((tmp_path / "review" / "review.json").read_bytes())
    return tmp_path / "review", document


@pytest.mark.parametrize("judge", ["../../elsewhere", "/tmp/x", "a/b", "", 3, "x" * 300])
def test_a_review_whose_judges_lead_elsewhere_is_refused(tmp_path: Path, judge: object) -> None:
    folder, document = _review(tmp_path)
    log = VerdictBook(tmp_path / "sent", judge="Ada")
    log.say(TrialId("p1"), Ruling.SOUND, note="", facts={}, task="manipulation")
    document["judges"][0]["id"] = judge
    (folder / "review.json").write_text(json.dumps(document))
    before = set(tmp_path.rglob("*"))

    assert main(["review", "merge", str(folder), str(log.log_path), "--quiet"]) == 3

    assert set(tmp_path.rglob("*")) == before


def test_pipes_and_depth_in_place_of_reviews_and_logs_are_refused(tmp_path: Path) -> None:
    folder, _ = _review(tmp_path)
    os.mkfifo(tmp_path / "Ada.verdicts.jsonl")
    (folder / "copy").mkdir()
    os.mkfifo(folder / "copy" / "Ada.verdicts.jsonl")
    problems = ProblemLog()
    (merged,) = merge(open_review(folder), [folder / "copy"], problems)
    assert (merged.came, problems.freeze()[0].rule) == (Came.REJECTED, "verdict.foreign")

    (folder / "review.json").write_text("[" * 100_000)
    with pytest.raises(ForensicViewerError, match="changed"):
        open_review(folder)
    (folder / "review.json").unlink()
    os.mkfifo(folder / "review.json")
    with pytest.raises(ForensicViewerError, match="not a file"):
        open_review(folder)

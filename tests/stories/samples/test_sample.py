"""The sample is a true dataset of every kind, small, always the same, and scored as expected."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.cli import main
from forensicviewer.core.array import Size
from forensicviewer.core.model import Dataset, Edition, Task, TaskKind
from forensicviewer.sources.media.images import image_size, read_image
from forensicviewer.sources.media.masks import read_bit_planes, read_colour_reference
from forensicviewer.sources.sample.album import FULL, SHOTS
from forensicviewer.sources.sample.film import Script, play, write_film
from forensicviewer.sources.sample.locations import (
    MARKER,
    SAMPLES,
    datasets,
    demo_dataset,
    demo_submissions,
    genai_dataset,
    imdl_dataset,
    submissions_for,
)
from forensicviewer.sources.sample.ownership import claim, clear
from forensicviewer.sources.sample.photo import take
from forensicviewer.sources.sample.writing import Folder
from forensicviewer.sources.video.masks import open_video_mask
from forensicviewer.sources.video.video_file import VideoFile

TASKS = {
    Edition.NC2016: {TaskKind.MANIPULATION: 6, TaskKind.REMOVAL: 4, TaskKind.SPLICE: 4},
    Edition.NC2017: {TaskKind.MANIPULATION: 9, TaskKind.SPLICE: 4},
    Edition.MFC2018: {TaskKind.MANIPULATION: 8, TaskKind.EVENT: 14, TaskKind.CAMERA: 24},
    Edition.MFC2019: {
        TaskKind.MANIPULATION: 12,
        TaskKind.VIDEO: 3,
        TaskKind.SPLICE: 4,
        TaskKind.PROVENANCE: 3,
        TaskKind.FILTERING: 3,
    },
    Edition.GENAI: {TaskKind.GENAI: 60},
    Edition.IMDL: {TaskKind.IMDL: 13},
}


def task_of(dataset: Dataset, kind: TaskKind) -> Task:
    return next(task for task in dataset.tasks if task.kind is kind)


def trials_of(task: Task) -> list[str]:
    return [str(trial_id) for trial_id in task.trials.ids()]


def test_every_dataset_opens_without_a_problem(sample_folder: Path) -> None:
    opened = [open_dataset(path) for path in datasets(sample_folder)]

    found = {each.edition: {task.kind: len(task.trials) for task in each.tasks} for each in opened}
    assert found == TASKS
    assert [problem for each in opened for problem in each.problems] == []


def test_every_submission_opens_and_answers_its_dataset(sample_folder: Path) -> None:
    answered: Counter[str] = Counter()
    for path in datasets(sample_folder):
        dataset = open_dataset(path)
        for folder in submissions_for(path):
            submission = open_submission(folder)
            assert submission.problems == ()
            assert submission.kind is not None
            trials = task_of(dataset, submission.kind).trials
            rows = submission.answers.rows_for(trials.ids())
            assert (rows >= 0).sum() == len(submission.answers)
            assert ("partial" in folder.name) == bool((rows < 0).any())
            answered[dataset.edition.value] += 1

    assert answered == {
        "NC2016": 5,
        "NC2017": 5,
        "MFC2018": 5,
        "MFC2019": 12,
        "GenAI": 4,
        "IMDL": 5,
    }


def test_every_picture_has_the_size_the_index_declares(sample_folder: Path) -> None:
    for path in datasets(sample_folder):
        for task in open_dataset(path).tasks:
            is_declared = task.kind not in (TaskKind.VIDEO, TaskKind.GENAI, TaskKind.IMDL)
            for row in range(len(task.trials) if is_declared else 0):
                for media in (task.trials[row].probe, task.trials[row].donor):
                    if media is not None:
                        assert image_size(path / media.name) == media.size, media


def test_the_systems_of_the_genai_sample_are_good_miscalibrated_and_inverted(
    sample_folder: Path, tmp_path: Path
) -> None:
    dataset = genai_dataset(sample_folder)
    outputs = [str(path) for path in submissions_for(dataset)]

    assert main(["score", "genai", str(dataset), *outputs, "--out", str(tmp_path), "--quiet"]) == 0

    with (tmp_path / "genai_summary.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="|"))
    whole = {row["System"]: row for row in rows if row["DatasetID"] == "all"}
    auc = {name: float(row["AUC"]) for name, row in whole.items()}
    first, good, inverted, miscalibrated = sorted(whole)
    assert auc[first] < 0.85 < 0.9 < auc[good]  # the second version is better
    assert auc[inverted] < 0.1
    assert auc[miscalibrated] > 0.9
    assert float(whole[miscalibrated]["ECE"]) > 2 * float(whole[good]["ECE"])
    generators = {row["DatasetID"] for row in rows} - {"all"}
    assert len(generators) == 3
    for trial in open_dataset(dataset).tasks[0].trials.ids():
        assert image_size(dataset / "files" / trial) == Size(384, 256)


def test_the_models_of_the_imdl_sample_are_good_noisy_inverted_and_partial(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = imdl_dataset(sample_folder)
    summaries, codes = {}, {}
    for path in submissions_for(dataset):
        name, out = path.name.removeprefix("IMDL_"), tmp_path / path.name
        asked = ["score", "imdl", str(dataset), str(path), "--out", str(out), "--workers", "1"]
        codes[name] = main([*asked, "--quiet", "--manipulated-only"])
        if codes[name] != 3:
            with (out / "imdl_summary.csv").open(encoding="utf-8") as stream:
                (summaries[name],) = csv.DictReader(stream, delimiter="|")

    assert codes == {"floats": 0, "good": 0, "inverted": 3, "noisy": 0, "partial": 1}
    assert "--prediction-polarity black" in capsys.readouterr().err
    assert float(summaries["good"]["F1"]) > 0.7 > 0.5 > float(summaries["noisy"]["F1"])
    assert float(summaries["floats"]["F1"]) > 0.7
    assert {name: row["ImageScoreKind"] for name, row in summaries.items()} == {
        "floats": "head",
        "good": "head",
        "noisy": "derived: max",
        "partial": "derived: max",
    }
    assert (summaries["partial"]["Images"], summaries["partial"]["Scored"]) == ("9", "7")
    rows = (tmp_path / "IMDL_partial" / "imdl_perimage.csv").read_text().splitlines()
    (cropped,) = (row.split("|")[-1] for row in rows if row.startswith("harbour.jpg"))
    assert cropped == "padded 512x440"


def test_one_probe_lies_on_its_side_and_its_mask_is_upright(sample_folder: Path) -> None:
    dataset = demo_dataset(sample_folder)
    task = task_of(open_dataset(dataset), TaskKind.MANIPULATION)

    turned = [
        trial
        for trial in map(task.trials.__getitem__, range(len(task.trials)))
        if read_image(dataset / trial.probe.name).facts.is_turned
    ]

    assert len(turned) == 1
    assert turned[0].reference is not None
    mask = read_colour_reference(dataset / turned[0].reference)
    assert Size.of(mask) == turned[0].probe.size


def test_some_probe_has_more_operations_than_two_channels_hold(sample_folder: Path) -> None:
    channels: dict[str, list[int]] = {}
    for name in ("MFC2018", "MFC2019"):
        task = task_of(open_dataset(sample_folder / f"{name}_Sample"), TaskKind.MANIPULATION)
        planes = [task.trials[row].bit_planes for row in range(len(task.trials))]
        channels[name] = sorted(
            read_bit_planes(Path(task.root) / plane).shape[2] for plane in planes if plane
        )

    assert channels["MFC2018"][-1] == 2
    assert channels["MFC2019"][-1] == 3


@pytest.mark.parametrize("name", ["MFC2018", "MFC2019"])
def test_planes_and_colours_of_the_sample_tell_the_same_story(
    sample_folder: Path, name: str
) -> None:
    task = task_of(open_dataset(sample_folder / f"{name}_Sample"), TaskKind.MANIPULATION)
    for row in range(len(task.trials)):
        trial = task.trials[row]
        if not (trial.reference and trial.bit_planes):
            continue
        colours = read_colour_reference(Path(task.root) / trial.reference)
        planes = read_bit_planes(Path(task.root) / trial.bit_planes)
        later = np.zeros(colours.shape[:2], dtype=np.bool_)
        for operation in sorted(trial.operations, key=lambda each: each.sequence or 0):
            if operation.color is None or operation.bit_plane is None:
                continue
            channel, bit = divmod(operation.bit_plane - 1, 8)
            area = (planes[:, :, channel] >> bit & 1).astype(np.bool_)
            np.testing.assert_array_equal((colours == operation.color).all(axis=2), area & ~later)
            later |= area
        np.testing.assert_array_equal((colours != 255).any(axis=2), later)


def test_the_film_is_ten_seconds_of_h264_with_sound_and_masks(sample_folder: Path) -> None:
    import av

    dataset = demo_dataset(sample_folder)
    task = task_of(open_dataset(dataset), TaskKind.VIDEO)
    trial = task.trials[0]
    with av.open(str(dataset / trial.probe.name)) as film:
        assert film.streams.video[0].codec_context.name == "h264"
        assert film.streams.video[0].frames == 300
        assert film.streams.audio[0].codec_context.name == "aac"
        assert float(film.duration or 0) / av.time_base == pytest.approx(10, abs=0.1)

    assert trial.reference is not None
    with open_video_mask(dataset / trial.reference) as mask:
        assert [(block.start, block.frame_count) for block in mask.blocks] == [(90, 90)]
        assert mask.size == trial.probe.size
        levels = mask.levels_at(100)
        assert levels is not None
        assert set(np.unique(levels)) == {0, 255}
    frames = {operation.facts["VideoFrame"] for operation in trial.operations}
    assert frames == {"[[91, 180]]", "[[211, 240]]", "[]"}


def test_the_pasted_boat_is_where_the_mask_says(sample_folder: Path) -> None:
    dataset = demo_dataset(sample_folder)
    trial = task_of(open_dataset(dataset), TaskKind.VIDEO).trials[0]
    assert trial.reference is not None
    film = VideoFile(dataset / trial.probe.name)
    film.load_index()
    before, after = (film.picture(number).pixels.astype(int) for number in (90, 91))
    film.close()

    with open_video_mask(dataset / trial.reference) as mask:
        area = mask.levels_at(90) == np.uint8(0)

    change = np.abs(after - before).sum(axis=2)
    assert change[area].mean() > 3 * change[~area].mean()


def test_the_sample_is_small(sample_folder: Path) -> None:
    total = sum(path.stat().st_size for path in sample_folder.rglob("*") if path.is_file())

    assert total < 50_000_000


def test_the_demo_opens_what_shows_most(sample_folder: Path) -> None:
    assert (sample_folder / MARKER).is_file()
    assert demo_dataset(sample_folder).name == "MFC2019_Sample"
    names = [path.name for path in demo_submissions(sample_folder)]
    assert names[:2] == ["p-noisy_1_MFC2019-image", "p-good_1_MFC2019-image"]
    assert len(names) == 5
    assert all(path.is_dir() for path in demo_submissions(sample_folder))


def mean_mcc(folder: Path, submission: str, out: Path) -> float:
    arguments = ["score", "mask", str(folder / "MFC2019_Sample")]
    arguments += [str(folder / "submissions" / submission), "--task", "manipulation"]
    main([*arguments, "--out", str(out), "--quiet"])
    with (out / "mask_score.csv").open(newline="") as stream:
        return float(next(csv.DictReader(stream, delimiter="|"))["OptimumMCC"])


def test_the_systems_do_as_well_as_their_names_say(sample_folder: Path, tmp_path: Path) -> None:
    mcc = {
        name: mean_mcc(sample_folder, f"p-{name}_1_MFC2019-image", tmp_path / name)
        for name in ("good", "noisy", "inverted")
    }

    assert 0.7 < mcc["good"] < 1
    assert 0.05 < mcc["noisy"] < mcc["good"] - 0.1
    assert mcc["inverted"] < 0.2


SCORERS = {
    TaskKind.MANIPULATION: ("mask", ("OptimumMCC",)),
    TaskKind.REMOVAL: ("mask", ("OptimumMCC",)),
    TaskKind.SPLICE: ("mask", ("pOptimumMCC", "dOptimumMCC")),
    TaskKind.VIDEO: ("temporal", ("MCC",)),
    TaskKind.PROVENANCE: ("provenance", ("MeanSimNO",)),
    TaskKind.FILTERING: ("filtering", ("NodeRecallAt100",)),
    TaskKind.EVENT: ("detection", ("AUC",)),
    TaskKind.CAMERA: ("detection", ("AUC",)),
}


@pytest.mark.parametrize("edition", TASKS, ids=lambda edition: edition.value)
def test_every_good_submission_is_scored_by_its_scorer_and_does_well(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], edition: Edition
) -> None:
    dataset = sample_folder / f"{edition.value}_Sample"
    scored, apart = set(), (TaskKind.GENAI, TaskKind.IMDL)
    for folder in submissions_for(dataset):
        kind = open_submission(folder).kind
        if kind is None or "good" not in folder.name or kind in apart:
            continue  # these have a test of their own
        scorer, names = SCORERS[kind]
        arguments = ["score", scorer, str(dataset), str(folder), "--task", kind.value]

        code = main([*arguments, "--out", str(tmp_path / folder.name)])

        printed = capsys.readouterr().out
        assert code == 0
        for name in names:
            line = next(line for line in printed.splitlines() if line.split()[0] == name)
            assert float(line.split()[1]) > 0.6, printed
        scored.add(kind)
    without = {TaskKind.SPLICE} if edition is Edition.MFC2019 else {*apart}
    expected = set(TASKS[edition]) - without
    assert scored == expected


def test_painting_twice_gives_the_same_picture() -> None:
    shot, size = SHOTS["lake"], Size(96, 64)
    first = take(shot, size).pixels
    take.cache_clear()

    np.testing.assert_array_equal(take(shot, size).pixels, first)
    assert first.std() > 20
    assert FULL.width > size.width


def test_filming_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    script = Script(SHOTS["bay"], Size(96, 64), 12, repeat=(6, 3, 0))
    sound = np.zeros(12 * 1470, dtype=np.float32)
    for name in ("a.mp4", "b.mp4"):
        write_film(tmp_path / name, play(script), sound)

    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_the_picture_on_disk_is_the_one_that_was_painted(sample_folder: Path) -> None:
    """A digest over everything would break with each release of a codec; a look does not."""
    dataset = demo_dataset(sample_folder)
    trial = task_of(open_dataset(dataset), TaskKind.MANIPULATION).trials[0]
    pixels = read_image(dataset / trial.probe.name).pixels

    small = cv2.resize(pixels, (3, 2), interpolation=cv2.INTER_AREA)

    sky, ground = small[0].mean(axis=0), small[1].mean(axis=0)
    assert sky[2] > sky[0], "the sky is blue"
    assert ground[1] > ground[2], "the grass is green"


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("ten years of work")

    code = main(["sample", str(tmp_path), "--quiet"])

    assert code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")

    assert main(["sample", str(tmp_path / "file"), "--quiet"]) == 2


def test_only_the_files_of_an_earlier_sample_are_taken_away(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    earlier = Folder(folder)
    claim(folder, earlier, [])
    earlier.text("NC2016_Sample/old.txt", "from an earlier release")
    claim(folder, earlier, [])
    (folder / "notes.txt").write_text("a user's notes")

    clear(folder, SAMPLES)

    left = [path.name for path in folder.rglob("*") if path.is_file()]
    assert sorted(left) == [MARKER, "notes.txt"]


def test_a_list_of_files_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("not ours")
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / MARKER).write_text(json.dumps({"files": ["../outside.txt", 7]}))

    clear(folder, SAMPLES)

    assert (tmp_path / "outside.txt").read_text() == "not ours"


def test_a_damaged_list_of_files_takes_nothing_away(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_text("{")
    (tmp_path / "notes.txt").write_text("a user's notes")

    clear(tmp_path, SAMPLES)

    assert (tmp_path / "notes.txt").exists()

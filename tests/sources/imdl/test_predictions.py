"""Predictions as IMDL-BenCo and its peers save them: found, told apart, refused where unusable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.core.array import Size
from forensicviewer.core.imdl.geometry import Geometry, geometry_of, squares_among
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.problem import CodecError, SubmissionError
from forensicviewer.sources.imdl.dataset import DatasetChoices, read_dataset
from forensicviewer.sources.imdl.masks import COLOUR_MAPPED, read_layer, read_map
from forensicviewer.sources.imdl.predictions import (
    PredictionAnswers,
    read_predictions,
    squares_of,
)
from tests.sources.imdl import build

MAP = np.where(build.area(), 0.9, 0.1).astype(np.float32)
LEVELS = np.floor(MAP * 255 + 0.5).astype(np.uint8)


def _task(path: Path) -> Task:
    return read_dataset(path, DatasetChoices()).tasks[0]


def _npz(path: Path, **arrays: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)


def _found(submission: Submission, task: Task) -> dict[str, str]:
    answers = {name: submission.answers.get(name) for name in task.trials.ids()}
    return {name: answer.mask or "" for name, answer in answers.items() if answer is not None}


def _benco(folder: Path) -> Path:
    for number in range(3):
        build.write(folder / "pred" / f"{number}.png", LEVELS)
    (folder / "pred_label_rank0.json").write_text(json.dumps({"0.jpg": 0.1}))
    combined = {"0.jpg": 0.75, "1.jpg": 0.5, "2.jpg": 1}
    (folder / "pred_label_combined.json").write_text(json.dumps(combined))
    return folder


def test_imdl_bencos_folder_is_found_with_its_scores(tmp_path: Path) -> None:
    task = _task(build.mani(tmp_path / "data"))

    submission = read_predictions(_benco(tmp_path / "run"), task=task)

    assert _found(submission, task) == {f"{n}.jpg": f"pred/{n}.png" for n in range(3)}
    answer = submission.answers.get(TrialId("0.jpg"))
    assert answer is not None
    assert answer.confidence == 0.75
    assert submission.name == "run"
    assert read_predictions(tmp_path / "run" / "pred", task=task).name == "run"


def test_images_left_out_of_the_last_batch_are_listed(tmp_path: Path) -> None:
    task = _task(build.mani(tmp_path / "data", 5))

    submission = read_predictions(_benco(tmp_path / "run"), task=task)

    (told,) = [p for p in submission.problems if p.rule == "imdl.no-prediction"]
    assert told.message == "2 of 5 images have no prediction and are not scored: 3.jpg, 4.jpg"


def test_trufors_archives_are_found_by_relative_path(tmp_path: Path) -> None:
    task = _task(build.korus(tmp_path / "korus"))
    for camera in ("Canon_60D", "Sony_A57"):
        name = tmp_path / "out" / camera / "tampered-realistic" / "DPP0012.TIF.npz"
        _npz(name, map=MAP, conf=MAP, score=np.float32(0.93), imgsize=np.array([48, 64]))

    submission = read_predictions(tmp_path / "out", task=task)

    wanted = TrialId("Sony_A57/tampered-realistic/DPP0012.TIF")
    assert _found(submission, task)[wanted] == "Sony_A57/tampered-realistic/DPP0012.TIF.npz"
    found = read_map(tmp_path / "out" / _found(submission, task)[wanted], is_inverted=False)
    assert found.values.dtype == np.float32
    assert found.score == pytest.approx(0.93)
    assert found.layers == ("map", "conf")


def test_photoholmes_folders_are_found_by_the_name_of_the_folder(tmp_path: Path) -> None:
    task = _task(build.mani(tmp_path / "data"))
    for number in range(3):
        folder = tmp_path / "out" / "trufor" / "columbiadataset" / "outputs" / str(number)
        # The mask is what PhotoHolmes cut from the heat map: only the map has every threshold.
        cut = np.asarray(MAP) > 0.5
        _npz(folder / "output.npz", mask=cut, heatmap=MAP, detection=np.array([0.4]))

    submission = read_predictions(tmp_path / "out", task=task)

    assert len(_found(submission, task)) == 3
    found = read_map(tmp_path / "out" / _found(submission, task)["1.jpg"], is_inverted=False)
    assert found.score == pytest.approx(0.4)
    assert (found.name, found.layers) == ("heatmap", ("mask", "heatmap"))
    assert np.array_equal(found.values, MAP)


@pytest.mark.parametrize(
    "name",
    [
        "CASIAv1/mvss/pred/85_000000415798.png",  # MVSS-Net: up to the first dot
        "outputs_binary/85_000000415798.jpg_RT-31.5.jpg.png",  # SAFIRE: the full name
        "85_000000415798.jpg_RT-31.5.png",  # the stem
        "85_000000415798.jpg_RT-31.5_pred.png",
    ],
)
def test_a_map_is_found_however_much_of_the_name_was_kept(name: str, tmp_path: Path) -> None:
    image = "85_000000415798.jpg_RT-31.5.jpg"
    build.image(tmp_path / "data" / "Tp" / image)
    build.mask(tmp_path / "data" / "Gt" / "85_000000415798.jpg_RT-31.5.png")
    build.write(tmp_path / "out" / name, LEVELS)
    task = _task(tmp_path / "data")

    assert _found(read_predictions(tmp_path / "out", task=task), task) == {image: name}


def test_a_map_whose_name_two_images_share_is_not_used(tmp_path: Path) -> None:
    build.mani(tmp_path / "data", 1)
    build.image(tmp_path / "data" / "Tp" / "0.png")
    build.write(tmp_path / "out" / "0.png", LEVELS)
    task = _task(tmp_path / "data")

    submission = read_predictions(tmp_path / "out", task=task)

    assert {p.rule for p in submission.problems} == {"imdl.shared-name", "imdl.no-prediction"}
    assert _found(submission, task) == {}


def test_other_folders_are_layers_of_their_images(tmp_path: Path) -> None:
    task = _task(build.mani(tmp_path / "data"))
    _benco(tmp_path / "run")
    build.write(tmp_path / "run" / "gradcam" / "layer4" / "1.png", LEVELS)

    answers = read_predictions(tmp_path / "run", task=task).answers

    assert isinstance(answers, PredictionAnswers)
    assert answers.layers_of("1.jpg") == {"gradcam/layer4": "gradcam/layer4/1.png"}
    assert answers.layers_of("0.jpg") == {}


def test_colour_mapped_pictures_are_refused(tmp_path: Path) -> None:
    jet = np.asarray(cv2.applyColorMap(LEVELS, cv2.COLORMAP_JET))
    path = build.write(tmp_path / "0.png", jet)

    with pytest.raises(CodecError) as raised:
        read_map(path, is_inverted=False)
    assert raised.value.rule == COLOUR_MAPPED


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_grey_saved_in_three_channels_is_grey(suffix: str, tmp_path: Path) -> None:
    path = build.write(tmp_path / f"0{suffix}", np.dstack([LEVELS] * 3))

    found = read_map(path, is_inverted=False).values
    assert np.abs(found.astype(int) - LEVELS).max() <= 8


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (MAP.astype(np.float64), MAP.astype(np.float64)),
        (MAP.astype(np.float16), MAP.astype(np.float16).astype(np.float32)),
        (build.area(), build.area().astype(np.uint8) * 255),
        (LEVELS, LEVELS),
        (MAP[np.newaxis], MAP),
    ],
)
def test_arrays_keep_their_values(
    stored: NDArray[Any], expected: NDArray[Any], tmp_path: Path
) -> None:
    _npz(tmp_path / "0.npz", map=stored)

    found = read_map(tmp_path / "0.npz", is_inverted=False).values
    assert found.dtype == expected.dtype
    assert (found == expected).all()


def test_inverted_maps_are_turned(tmp_path: Path) -> None:
    _npz(tmp_path / "0.npz", map=MAP)

    assert np.allclose(read_map(tmp_path / "0.npz", is_inverted=True).values, 1 - MAP)


def test_logits_are_refused(tmp_path: Path) -> None:
    _npz(tmp_path / "0.npz", map=10 * MAP - 5)

    with pytest.raises(CodecError, match="not all between 0 and 1"):
        read_map(tmp_path / "0.npz", is_inverted=False)


def test_an_empty_folder_is_no_submission(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="contains no maps"):
        read_predictions(tmp_path, task=None)


def test_geometry_is_told_from_sizes() -> None:
    def of(prediction: Size, image: Size) -> Geometry:
        return geometry_of(prediction, image, squares_are=Geometry.PADDED)

    assert of(Size(64, 48), Size(64, 48)) is Geometry.OWN
    # min(W, S) x min(H, S) for S = 512
    assert of(Size(512, 400), Size(800, 400)) is Geometry.PADDED
    assert of(Size(400, 512), Size(400, 800)) is Geometry.PADDED
    assert of(Size(512, 512), Size(800, 600)) is Geometry.PADDED
    # no S explains it
    assert of(Size(800, 512), Size(800, 600)) is Geometry.RESIZED
    # a padded square that was never cropped
    assert of(Size(512, 512), Size(300, 200)) is Geometry.PADDED
    assert of(Size(512, 512), Size(800, 300)) is Geometry.PADDED


@pytest.mark.parametrize(
    ("sizes", "squares"),
    [
        ([(Size(512, 512), Size(800, 600))], Geometry.RESIZED),
        (
            [(Size(512, 512), Size(800, 600)), (Size(300, 200), Size(300, 200))],
            Geometry.PADDED,
        ),
        ([(Size(512, 512), Size(800, 600)), (Size(512, 400), Size(800, 400))], Geometry.PADDED),
        ([(Size(512, 512), Size(800, 600)), (Size(512, 512), Size(300, 200))], Geometry.RESIZED),
    ],
)
def test_the_other_maps_say_what_a_square_is(
    sizes: list[tuple[Size, Size]], squares: Geometry
) -> None:
    assert squares_among(sizes) is squares


def test_a_submission_knows_what_its_squares_are(tmp_path: Path) -> None:
    root = tmp_path / "data"
    build.image(root / "Tp" / "large.jpg", size=(50, 60))
    build.mask(root / "Gt" / "large.png", size=(50, 60))
    build.image(root / "Tp" / "small.jpg", size=(20, 30))
    build.mask(root / "Gt" / "small.png", np.ones((20, 30), np.bool_))
    build.write(tmp_path / "out" / "large.png", np.zeros((40, 40), np.uint8))
    build.write(tmp_path / "out" / "small.png", np.zeros((20, 30), np.uint8))

    submission = read_predictions(tmp_path / "out", task=_task(root))

    assert squares_of(submission) is Geometry.PADDED


@pytest.mark.parametrize("squares", [Geometry.PADDED, Geometry.RESIZED])
def test_squares_that_are_empty_beyond_their_images_were_padded(
    squares: Geometry, tmp_path: Path
) -> None:
    is_padded = squares is Geometry.PADDED
    root = tmp_path / "data"
    for number, (height, width) in enumerate([(20, 30), (30, 20), (28, 36), (50, 30)]):
        build.image(root / "Tp" / f"{number}.jpg", size=(height, width), seed=number)
        build.mask(root / "Gt" / f"{number}.png", np.ones((height, width), np.bool_))
        levels = np.zeros((40, 40), np.uint8)
        if is_padded:
            levels[: min(height, 40), : min(width, 40)] = 200
        else:
            levels[10:38, 10:38] = 200
        build.write(tmp_path / "out" / f"{number}.png", levels)

    submission = read_predictions(tmp_path / "out", task=_task(root))

    assert squares_of(submission) is squares
    told = [problem for problem in submission.problems if problem.rule == "imdl.padded"]
    assert [bool(told)] == [is_padded]


@pytest.mark.parametrize("kind", ["16 bits", "float TIFF", "16-bit TIFF"])
def test_maps_finer_than_8_bits_keep_all_their_bits(kind: str, tmp_path: Path) -> None:
    fine = np.random.default_rng(4).random((20, 30)).astype(np.float32)
    samples = np.rint(fine * 65535).astype(np.uint16)
    file = tmp_path / ("map.png" if kind == "16 bits" else "map.tif")
    written = fine if kind == "float TIFF" else samples
    assert cv2.imwrite(str(file), written)

    found = read_map(file, is_inverted=False).values

    wanted = fine if kind == "float TIFF" else (samples / np.float32(65535)).astype(np.float32)
    assert found.dtype == np.float32
    assert np.array_equal(found, wanted)
    assert np.allclose(read_map(file, is_inverted=True).values, 1 - wanted)


def test_a_float_map_of_levels_is_read_from_0_to_255(tmp_path: Path) -> None:
    file = tmp_path / "map.tif"
    assert cv2.imwrite(str(file), np.array([[0, 51], [127.5, 255]], np.float32))

    assert read_map(file, is_inverted=False).values.tolist() == [[0, pytest.approx(0.2)], [0.5, 1]]


@pytest.mark.parametrize("stands", ["first", "last"])
def test_each_channel_of_an_array_is_a_layer_of_its_own(stands: str, tmp_path: Path) -> None:
    features = np.random.default_rng(2).random((3, 20, 30)).astype(np.float32)
    stored = features if stands == "first" else np.moveaxis(features, 0, 2)
    _npz(tmp_path / "a.npz", map=MAP, features=stored, odd=np.zeros((2, 2, 2, 2)))

    found = read_map(tmp_path / "a.npz", is_inverted=False)

    assert (found.name, found.layers[0]) == ("map", "map")
    assert found.layers[1:] == ("features[0]", "features[1]", "features[2]")
    for number in range(3):
        layer = read_layer(tmp_path / "a.npz", layer=f"features[{number}]")
        assert np.array_equal(layer.pixels, np.rint(features[number] * 255).astype(np.uint8))
    with pytest.raises(CodecError, match="no image 'features\\[3\\]'"):
        read_layer(tmp_path / "a.npz", layer="features[3]")

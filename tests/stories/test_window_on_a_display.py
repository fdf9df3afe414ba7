"""The program on a real (virtual) display: what its user would see there."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from forensicviewer.cli import main
from forensicviewer.cli.display import why_no_display
from forensicviewer.core.array import U8Image
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.xvfb


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "2048x1536x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


@dataclass(frozen=True)
class Played:
    """What a story left behind."""

    folder: Path
    told: dict[str, Any]

    def screen(self, name: str = "screen") -> U8Image:
        """A photograph, red first."""
        pixels = cv2.imread(str(self.folder / f"{name}.png"))
        assert pixels is not None
        assert pixels.shape == (1536, 2048, 3)
        return np.asarray(pixels[:, :, ::-1], dtype=np.uint8)

    def part(self, place: str, name: str = "screen") -> U8Image:
        x, y, width, height = self.told[place]
        return self.screen(name)[y : y + height, x : x + width]


def played(story: str, display: str, built: Built, *, size: str, scale: str = "1") -> Played:
    """Tell a story in a process of its own, on the display."""
    folder = built.root.parent / story
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.ui.on_display", story, size]
        + [str(path) for path in (built.root, built.submission, folder)],
        env={
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "QT_SCALE_FACTOR": scale,
        },
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return Played(folder, json.loads((folder / "told.json").read_text(encoding="utf-8")))


def greens(pixels: U8Image) -> int:
    """How many pixels are as green as hits are; nothing else in the window is."""
    red, green, blue = (pixels[:, :, channel].astype(int) for channel in range(3))
    return int(np.count_nonzero((green > red + 60) & (green > blue + 60)))


def test_a_display_that_answers_is_one(display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.setenv("DISPLAY", display)

    assert why_no_display() is None


def test_the_window_appears_on_the_screen_and_answers_keys(display: str, built: Built) -> None:
    seen = played("walk", display, built, size="1300x820").screen()

    assert greens(seen) > 200
    assert seen[:820, :1300].mean() > 120


def test_a_picked_trial_shows_the_score_of_a_dragged_threshold(
    display: str, built: Built, tmp_path: Path
) -> None:
    found = played("pick_and_drag", display, built, size="1300x820")

    out = tmp_path / "out"
    options = ["--threshold", str(found.told["threshold"]), "--out", str(out), "--quiet"]
    assert main(["score", "mask", str(built.root), str(built.submission), *options]) in (0, 1)
    (path,) = out.rglob("*perimage.csv")
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="|")
    row = next(row for row in rows if row["ProbeFileID"] == "p2")
    assert found.told["trial"] == "p2"
    assert 190 < found.told["threshold"] < 210
    assert float(found.told["mcc"]) == pytest.approx(float(row["ActualMCC"]), rel=1e-12)
    assert greens(found.part("comparison")) > 200


def test_nothing_of_earlier_panes_stays_between_panes(display: str, built: Built) -> None:
    gap = played("fewer_panes", display, built, size="1300x820").part("gap")

    assert gap.shape[0] > 3
    assert len(np.unique(gap.reshape(-1, 3), axis=0)) == 1


def test_a_drag_over_the_window_says_what_dropping_does_and_does_it(
    display: str, built: Built
) -> None:
    found = played("drop", display, built, size="1200x760")

    sheet, before = found.part("sheet", "over"), found.part("sheet", "dropped")
    # The sheet veils all of the window, which barely shows through; words and rim are others.
    middle = sheet[100:-100, 100:-100].reshape(-1, 3).astype(int)
    common, counts = np.unique(middle, axis=0, return_counts=True)
    veil = common[counts.argmax()]
    assert (np.abs(middle - veil).max(axis=1) < 12).mean() > 0.8
    assert np.abs(veil - before[5, 600]).max() > 12
    assert found.told["title"].startswith(f"{built.root.name} ")
    assert built.root.name in found.told["notice"]
    assert greens(found.screen("dropped")) > 200


def test_swipe_shows_both_layers_and_blink_one_after_the_other(display: str, built: Built) -> None:
    found = played("swipe_and_blink", display, built, size="1200x760")

    swiped, first, second = (found.part("pane", name) for name in ("swipe", "first", "second"))
    half = swiped.shape[1] // 2
    rows = slice(40, -40)
    for side, same, other in (
        (slice(20, half - 20), first, second),
        (slice(half + 20, -20), second, first),
    ):
        unlike_same = np.count_nonzero(np.any(swiped[rows, side] != same[rows, side], axis=2))
        unlike_other = np.count_nonzero(np.any(swiped[rows, side] != other[rows, side], axis=2))
        assert unlike_same < 0.05 * unlike_other


def test_a_small_screen_of_double_density_shows_everything_and_hits_what_is_pointed_at(
    display: str, built: Built
) -> None:
    found = played("small_and_dense", display, built, size="1024x768", scale="2")

    assert found.told["density"] == 2
    assert found.told["window"] == [1024, 768]
    assert found.told["cut off"] == []
    assert greens(found.screen()) > 200
    # Sixteen device pixels for one of the picture: its rim is sharp, so no pixel is in between.
    x, y = found.told["pixel"]
    pane = found.part("reference").astype(int)
    inside = pane[y + 4 : y + 12, x + 4 : x + 12]
    assert np.ptp(inside.reshape(-1, 3), axis=0).max() == 0


@pytest.mark.parametrize("scale", ["1.25", "1.5"])
def test_at_100_per_cent_a_picture_pixel_is_a_screen_pixel_on_any_density(
    display: str, built: Built, scale: str
) -> None:
    found = played("pixel_for_pixel", display, built, size="1201x801", scale=scale)

    probe, screen = np.load(found.folder / "probe.npy"), found.screen()
    height, width = probe.shape[:2]
    assert len(found.told["corners"]) == 4
    for across, down in found.told["corners"]:
        # Panes may begin between two pixels of the screen: which of them is nobody's business.
        shifts = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)]
        parts = [screen[round(down) + y :, round(across) + x :][:height, :width] for x, y in shifts]
        assert any(np.array_equal(part, probe) for part in parts)

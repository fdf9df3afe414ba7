"""``render`` with lenses, against the Python API over the same files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

import forensicviewer as fv
from forensicviewer.cli import main
from tests.build import Built, a_dataset, box, exact

_PROGRAM = (sys.executable, "-m", "forensicviewer")


@pytest.fixture
def built(tmp_path: Path) -> Built:
    dataset = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(10, 10, 30, 30))
    return dataset.with_answer("p1", exact()).write()


@pytest.mark.ui
@pytest.mark.parametrize("name", ["srm", "fft"])
def test_a_lens_in_full_is_that_of_the_api(built: Built, tmp_path: Path, name: str) -> None:
    out = tmp_path / "drawn" / "lens.png"

    layout = f"lens:{name}:gain=7"
    done = subprocess.run(
        [*_PROGRAM, "render", built.root, "--layout", layout, "--full", "--out", out],
        capture_output=True,
        check=False,
    )

    task = fv.open_dataset(built.root).task("manipulation")
    lens = fv.load_trial(task, None, task.trial_ids[0]).lens(name, gain=7)
    drawn = np.asarray(Image.open(out).convert("RGB"))
    expected = np.dstack([lens] * 3) if lens.ndim == 2 else lens
    _, _, (left, top), _ = cv2.minMaxLoc(cv2.matchTemplate(drawn, expected, cv2.TM_SQDIFF))
    height, width = lens.shape[:2]
    assert done.returncode == 0
    assert (drawn[top : top + height, left : left + width] == expected).all()


@pytest.mark.ui
@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("lens:nothing", "'nothing' is not a known lens"),
        ("lens:ela:speed=3", "no parameter 'speed=3'"),
        ("lens:ela:quality=300", "300 is not a valid quality"),
        ("world-lens:ela", "'world-lens:ela' is not a pane"),
    ],
)
def test_a_lens_that_makes_no_sense_is_refused(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str, said: str
) -> None:
    out = tmp_path / "lens.png"

    code = main(["render", str(built.root), "--layout", layout, "--out", str(out)])

    assert code == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_values_the_api_does_not_know_are_refused(built: Built) -> None:
    task = fv.open_dataset(built.root).task("manipulation")
    trial = fv.load_trial(task, None, task.trial_ids[0])

    with pytest.raises(fv.ForensicViewerError, match="has no quality=0"):
        trial.lens("ela", quality=0)
    with pytest.raises(fv.ForensicViewerError, match="'none' is not a known lens"):
        trial.lens("none")
    with pytest.raises(fv.ForensicViewerError, match="not a JPEG"):
        trial.lens("jpeg")

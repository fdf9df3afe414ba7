"""Lists of images and masks written on another computer, in the commands that open datasets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.sources.imdl import build

_PROGRAM = (sys.executable, "-m", "forensicviewer")


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A list whose files lie below a folder that no list may open by itself."""
    data = build.mani(tmp_path / "data")
    images = sorted((data / "Tp").iterdir())
    rows = [[f"/mnt/data0/IML/{image.parent.name}/{image.name}", ""] for image in images]
    for row, mask in zip(rows, sorted((data / "Gt").iterdir()), strict=True):
        row[1] = f"/mnt/data0/IML/Gt/{mask.name}"
    (tmp_path / "lists").mkdir()
    path = tmp_path / "lists" / "set.json"
    path.write_text(json.dumps(rows))
    return path


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def _asked(command: str, listed: Path, out: Path) -> tuple[object, ...]:
    results = out / "drawn.png" if command == "render" else out / command
    return (command, listed, *(() if command in ("info", "validate") else ("--out", results)))


@pytest.mark.ui
@pytest.mark.parametrize("command", ["render", "duplicates", "info"])
def test_a_list_opens_once_its_folder_is_named(command: str, listed: Path, tmp_path: Path) -> None:
    asked = _asked(command, listed, tmp_path / "out")
    (tmp_path / "out").mkdir()

    refused = _run(*asked)
    opened = _run(*asked, "--map", f"/mnt/data0/IML={tmp_path / 'data'}")

    assert refused.returncode == 3, refused.stderr
    assert "--map /mnt/data0/IML" in refused.stderr
    assert opened.returncode in (0, 1), opened.stderr
    assert "error" not in opened.stderr


@pytest.mark.ui
def test_render_draws_the_pairing_and_polarity_it_is_told(tmp_path: Path) -> None:
    data = build.mani(tmp_path / "data", 1)
    marked = int(build.area().sum())
    unmarked = {"white": build.area().size - marked, "black": marked}
    for polarity, black_px in unmarked.items():
        out = tmp_path / f"{polarity}.png"
        done = _run(
            *("render", data, "--layout", "reference", "--full", "--out", out),
            *("--pairing", "position", "--reference-polarity", polarity),
        )
        assert done.returncode in (0, 1), done.stderr
        assert Image.open(out).convert("L").histogram()[0] == black_px

    assert _run("render", data, "--out", tmp_path / "x.png", "--pairing", "age").returncode == 2

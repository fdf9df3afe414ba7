"""open, render and demo from the command line, as processes where Qt must start afresh."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import cv2
import networkx
import numpy as np
import pytest

from forensicviewer import cli
from forensicviewer.app.session.session_file import autosave_path
from forensicviewer.cli import main
from tests.build import Built, two_answered_trials
from tests.provenance_build import a_provenance_dataset, file_of


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def run(*arguments: object, platform: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "forensicviewer", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": platform},
        check=False,
    )


def test_render_draws_a_trial_without_a_display(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "drawn" / "p2.png"

    done = run(
        *("render", built.root, built.submission, "--trial", "p2", "--out", out),
        *("--layout", "probe,comparison", "--size", "640x400", "--theme", "dark"),
    )

    assert (done.returncode, done.stdout.strip()) == (0, str(out))
    header = out.read_bytes()[:24]
    assert header[:4] == b"\x89PNG"
    assert (int.from_bytes(header[16:20]), int.from_bytes(header[20:24])) == (640, 400)


def test_render_draws_the_whole_window(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "window.png"

    done = run(
        *("render", built.root, built.submission, "--out", out, "--window"),
        *("--layout", "adjudicate", "--size", "1280x800"),
    )

    assert done.returncode == 0, done.stderr
    assert int.from_bytes(out.read_bytes()[16:20]) == 1280


def test_render_draws_a_second_submission_beside_the_first(built: Built, tmp_path: Path) -> None:
    rival = tmp_path / "rival_NC2017_Manipulation_ImgOnly_p-rival_1"
    shutil.copytree(built.submission, rival)
    table = rival / f"{rival.name}.csv"
    next(rival.glob("*.csv")).rename(table)
    out = tmp_path / "both.svg"

    done = run("render", built.root, built.submission, rival, "--out", out, "--size", "2400x900")

    drawn = out.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert f"Second comparison · {rival.name} · threshold" in drawn


@pytest.mark.parametrize("width", [1000, 1300, 1600, 1900])
def test_render_cuts_no_number_above_a_pane(built: Built, tmp_path: Path, width: int) -> None:
    rival = tmp_path / "rival_NC2017_Manipulation_ImgOnly_p-rival_1"
    shutil.copytree(built.submission, rival)
    next(rival.glob("*.csv")).rename(rival / f"{rival.name}.csv")
    out = tmp_path / "both.svg"

    run("render", built.root, built.submission, rival, "--out", out, "--size", f"{width}x900")

    drawn = out.read_text(encoding="utf-8")
    assert "Second comparison" in drawn
    assert "…" not in drawn
    assert f"{rival.name} · threshold" in drawn


def test_render_without_a_submission_draws_what_there_is(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "alone.svg"

    done = run("render", built.root, "--out", out, "--size", "900x500")

    drawn = out.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "Reference" in drawn
    assert "System" not in drawn
    assert "kernels" not in drawn


def test_render_writes_no_boxes_where_there_is_no_font(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = tmp_path / "fonts.conf"
    nothing.write_text('<?xml version="1.0"?><fontconfig></fontconfig>')
    monkeypatch.setenv("FONTCONFIG_FILE", str(nothing))
    out = tmp_path / "picture.png"

    done = run("render", built.root, built.submission, "--out", out)

    assert (done.returncode, out.exists()) == (3, False)
    assert "No font is installed" in done.stderr


def test_render_refuses_a_kind_of_file_it_cannot_write(built: Built, tmp_path: Path) -> None:
    done = run("render", built.root, built.submission, "--out", tmp_path / "picture.doc")

    assert done.returncode == 2
    assert "use .png, .jpg, .jpeg or .svg" in done.stderr


def test_render_writes_a_graph_for_other_programs(tmp_path: Path) -> None:
    links = [("base", "crop"), ("donor", "probe", "Donor"), ("crop", "probe")]
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=links)
    answer = {"base": 0.9, "crop": 0.8, "probe": 1, "stranger": 0.2}
    root, submission = built.with_answer("probe", nodes=answer, links={}).write()
    (root / "world").mkdir(exist_ok=True)
    cv2.imwrite(str(root / file_of("probe")), np.zeros((8, 8, 3), np.uint8))
    out = {ending: tmp_path / f"graph.{ending}" for ending in ("graphml", "csv", "pdf")}

    for path in out.values():
        done = run("render", root, submission, "--layout", "graph", "--out", path)
        assert done.returncode == 0, done.stderr

    graph = networkx.read_graphml(out["graphml"])
    outcomes = Counter(facts["outcome"] for _, facts in graph.nodes(data=True))
    assert outcomes == {"Correct": 3, "Missing": 1, "FalseAlarm": 1}
    assert out["csv"].read_text("utf-8").startswith("Kind|WorldFileID|")
    assert out["pdf"].read_bytes().startswith(b"%PDF")


def test_render_writes_nothing_else_as_graphml(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "picture.graphml"

    done = run("render", built.root, built.submission, "--out", out)

    assert (done.returncode, out.exists()) == (2, False)
    assert "Only provenance graphs can be written as .graphml" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--layout", "donor,probe"), "have no donor"),
        (("--layout", "graph"), "have no graph layout"),
        (("--layout", "second-comparison"), "no second submission"),
        (("--layout", "probe,probe,probe,probe,probe,probe,probe"), "7 panes exceed the limit"),
        (("--threshold", "300"), "choose a value from -1 to 255"),
        (("--frame", "3"), "have no frames"),
        (("--full",), "Only one pane"),
        (("--full", "--window", "--layout", "probe"), "Only images"),
        (("--scores",), "Scores are shown only in the window"),
        (("--opacity", "170"), "not a valid opacity"),
        (("--task", "nope"), "'nope' is not a task of this dataset"),
    ],
)
def test_render_never_draws_something_else_instead(
    built: Built, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    out = tmp_path / "picture.png"

    done = run("render", built.root, built.submission, "--out", out, *options)

    assert done.returncode == 2
    assert told in done.stderr
    assert not out.exists()


def test_render_refuses_pixels_in_a_file_of_lines(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "window.svg"

    done = run("render", built.root, built.submission, "--out", out, "--window")

    assert (done.returncode, out.exists()) == (2, False)
    assert "only as PNG" in done.stderr


def test_render_needs_a_submission_for_a_threshold(built: Built, tmp_path: Path) -> None:
    done = run("render", built.root, "--out", tmp_path / "x.png", "--threshold", "30")

    assert done.returncode == 2
    assert "no system mask" in done.stderr


def test_render_says_why_a_dataset_cannot_be_opened(tmp_path: Path) -> None:
    done = run("render", tmp_path / "nowhere", "--out", tmp_path / "x.png")

    assert done.returncode == 3
    assert "The file or folder does not exist" in done.stderr


def test_render_draws_every_pixel_in_the_colours_asked_for(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "full.png"

    done = run(
        *("render", built.root, built.submission, "--trial", "p1", "--out", out, "--full"),
        *("--layout", "comparison", "--palette", "okabe-ito", "--opacity", "100"),
    )

    drawn = cv2.imread(str(out))
    assert done.returncode == 0, done.stderr
    assert drawn is not None
    hits = np.argwhere((drawn == (115, 158, 0)).all(axis=2))
    # The legend has a swatch of the colour as well, below the picture.
    left = hits[:, 1].min()
    picture = hits[hits[:, 1] > left + 40]
    assert np.ptp(picture, axis=0).tolist() == [15, 15]


def test_render_says_what_it_does_not_know(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "x.png")

    codes = [
        main(["render", str(built.root), "--out", out, "--size", "big"]),
        main(["render", str(built.root), "--out", out, "--size", "20x99999"]),
    ]

    assert codes == [2, 2]
    assert "not a valid size" in capsys.readouterr().err


def test_an_unknown_trial_or_layout_is_refused(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "x.png"

    trial = run("render", built.root, "--trial", "p9", "--out", out)
    layout = run("render", built.root, "--layout", "sideways", "--out", out)

    assert (trial.returncode, layout.returncode) == (2, 2)
    assert "'p9' is not a trial of this task" in trial.stderr
    assert "sideways" in layout.stderr
    assert not out.exists()


def test_without_a_display_the_window_is_refused_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")

    assert main([]) == 3

    told = capsys.readouterr().err
    assert "no display" in told
    assert "render" in told


def test_a_display_that_cannot_be_reached_is_told_instead_of_a_crash(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISPLAY", ":9876")
    monkeypatch.setenv("WAYLAND_DISPLAY", str(tmp_path / "nobody"))

    opened, shown = run(), run("demo", "--out", tmp_path / "tour")

    assert opened.returncode == 3
    assert "The display :9876 cannot be reached" in opened.stderr
    assert (shown.returncode, shown.stderr.count("qt.")) == (0, 0)
    assert shown.stdout.startswith("The display :9876 cannot be reached, so the tour")


@pytest.mark.parametrize("command", ["open", "render", "demo"])
def test_a_library_qt_misses_is_told_by_whatever_draws(
    built: Built, tmp_path: Path, command: str
) -> None:
    given = {
        "open": ["open", str(built.root)],
        "render": ["render", str(built.root), "--out", str(tmp_path / "x.png")],
        "demo": ["demo", "--files", "--out", str(tmp_path / "tour")],
    }
    # As where a system has no libEGL: Qt is there and cannot be imported.
    program = f"""import sys
sys.modules["PySide6.QtGui"] = None
from forensicviewer.cli import main
sys.exit(main({given[command]!r}))"""

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )

    assert done.returncode == 3, done.stderr
    assert "on Debian libegl1" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ([], ["open"]),
        (["DATA"], ["open", "DATA"]),
        (["DATA", "SYSTEM"], ["open", "DATA", "SYSTEM"]),
        (["--fresh"], ["open", "--fresh"]),
        (["--new-window", "."], ["open", "--new-window", "."]),
        (["info", "DATA"], ["info", "DATA"]),
        (["--version"], ["--version"]),
        (["./nowhere"], ["open", "./nowhere"]),
    ],
)
def test_a_path_in_place_of_a_command_opens_the_window(
    arguments: list[str], meant: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "DATA").mkdir()

    assert cli._with_command(arguments) == meant


def test_a_word_that_is_neither_command_nor_file_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["scor", "mask"]) == 2

    told = capsys.readouterr().err
    assert "'scor' is neither a command nor a file or folder here" in told
    assert "info, trials, score" in told


def test_the_window_opens_a_dataset_scores_it_and_closes(built: Built) -> None:
    done = run(built.root, built.submission, "--smoke", platform="offscreen")

    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr
    assert autosave_path().is_file()


def test_a_path_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", "nowhere"]) == 3
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--task", "--trial"])
def test_what_to_show_needs_something_to_show_it_of(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert main(["open", option, "p1"]) == 2

    assert "need a dataset" in capsys.readouterr().err


def test_a_desktop_starter_passes_files_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["forensicviewer-gui", "nowhere"])

    assert cli.open_window() == 3
    assert "nowhere" in capsys.readouterr().err


def test_submissions_may_come_after_options(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "drawn.svg"

    done = run("render", built.root, "--out", out, built.submission, "--size", "900x500")

    assert done.returncode == 0, done.stderr
    assert "System" in out.read_text(encoding="utf-8")


def test_an_unknown_option_is_told_with_those_of_its_command(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["info", str(built.root), "--colour", "red"])

    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert "usage: forensicviewer info" in told
    assert "unrecognized arguments: --colour" in told


def test_an_option_of_the_window_may_come_before_its_files(built: Built) -> None:
    done = run("--new-window", built.root, built.submission, "--smoke", platform="offscreen")

    assert done.returncode == 0, done.stderr


def test_the_demo_draws_its_tour_and_scores_into_files(tmp_path: Path) -> None:
    out = tmp_path / "tour"

    done = run("demo", "--files", "--out", out)

    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    told = [Path(line) for line in done.stdout.splitlines()[1:]]
    assert [path.suffix for path in told] == [".png"] * 7 + [".html"] * 3
    assert all(path.is_relative_to(out) and path.stat().st_size > 1_000 for path in told)

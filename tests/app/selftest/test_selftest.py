"""The self-test passes on a whole installation and finds what is wrong with a broken one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from forensicviewer.app.runtime.crash import keep_report
from forensicviewer.app.selftest import decoding, installation, program, run
from forensicviewer.app.selftest.check import CheckFailedError, InstallationCheck, run_checks
from forensicviewer.app.selftest.decoding import decoding_checks, expected_image
from tests.conftest import ROOT


def run_selftest(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "forensicviewer", "--selftest", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_a_whole_installation_passes_every_check() -> None:
    done = run_selftest("--json")

    found = json.loads(done.stdout)
    failed = {check["name"]: check["detail"] for check in found["checks"] if not check["passed"]}
    assert failed == {}
    assert (done.returncode, found["passed"]) == (0, True)
    names = [check["name"] for check in found["checks"]]
    assert {"write the sample", "draw the graph window", "stay offline"} <= set(names)


def test_a_failed_check_is_named_and_the_others_still_run() -> None:
    def fail() -> str:
        raise CheckFailedError("The disk is made of cheese")

    results = list(
        run_checks(
            iter([InstallationCheck("first", fail), InstallationCheck("second", lambda: "fine")])
        )
    )

    assert [(result.name, result.passed, result.detail) for result in results] == [
        ("first", False, "The disk is made of cheese"),
        ("second", True, "fine"),
    ]


def test_every_kind_of_file_has_a_stored_file_of_its_own() -> None:
    names = {check.name.removeprefix("decode ") for check in decoding_checks()}

    stored = {path.name for path in (ROOT / "resources" / "selftest").iterdir()}
    assert stored == names | {"scores.json"}


@pytest.mark.parametrize("damage", ["missing", "cut", "other colours"])
def test_a_damaged_installation_fails_the_check_of_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    content = (ROOT / "resources" / "selftest" / "image.bmp").read_bytes()
    spoilt = {"cut": content[:900], "other colours": content[:54] + bytes(len(content) - 54)}
    (tmp_path / "selftest").mkdir()
    if damage != "missing":
        (tmp_path / "selftest" / "image.bmp").write_bytes(spoilt[damage])
    monkeypatch.setattr(decoding, "resource", tmp_path.joinpath)

    check = next(check for check in decoding_checks() if check.name == "decode image.bmp")
    (result,) = run_checks(iter([check]))

    assert not result.passed
    assert "image.bmp" in result.detail
    assert expected_image().shape == (48, 64, 3)


def test_scores_that_differ_from_the_stored_ones_fail(
    tmp_path: Path, sample_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sample").symlink_to(sample_folder)
    submission = program.SCORED[0]
    scores = {name: dict(found) for name, found in program.expected_scores().items()}
    scores[submission]["mask OptimumMCC"] = "0.5"
    monkeypatch.setattr(program, "expected_scores", lambda: scores)

    check = next(found for found in program.program_checks(tmp_path) if submission in found.name)
    (result,) = run_checks(iter([check]))

    assert not result.passed
    assert "mask OptimumMCC" in result.detail


def test_a_report_of_a_crash_during_the_self_test_fails_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    check = next(found for found in run._checks(tmp_path) if found.name == "find no crash report")
    (before,) = run_checks(iter([check]))

    keep_report("ZeroDivisionError: in the middle of the night")
    (after,) = run_checks(iter([check]))

    assert (before.passed, after.passed) == (True, False)
    assert "1 crash reports were written, the first: ZeroDivisionError" in after.detail


@pytest.mark.skipif(sys.platform != "linux", reason="Names of Linux")
@pytest.mark.parametrize("damage", ["missing", "overwritten"])
def test_a_plug_in_of_qt_that_is_missing_or_damaged_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    name = "platforms/libqoffscreen.so"
    qt = pytest.importorskip("PySide6")
    real, damaged = Path(qt.__path__[0], "Qt"), tmp_path / "plugins"
    for kind in ("platforms", "imageformats"):
        shutil.copytree(real / "plugins" / kind, damaged / kind, copy_function=os.symlink)
    (tmp_path / "lib").symlink_to(real / "lib")
    (damaged / name).unlink()
    if damage == "overwritten":
        (damaged / name).write_text("this was a library once")
    monkeypatch.setattr(installation, "_plugin_folders", lambda _: (damaged,))

    checks = installation.installation_checks()
    (result,) = run_checks(check for check in checks if "plug-ins" in check.name)

    assert not result.passed
    assert name in result.detail


def test_a_network_call_whose_refusal_nobody_minds_fails_the_self_test(tmp_path: Path) -> None:
    notes = tmp_path / "network.txt"
    code = "import contextlib, socket\nwith contextlib.suppress(OSError): "
    code += "socket.getaddrinfo('example.org', 443)"

    silent = python(code, FORENSICVIEWER_OFFLINE=str(notes))
    (result,) = run_checks(check for check in run._checks(tmp_path) if check.name == "stay offline")

    assert (silent.returncode, silent.stderr) == (0, "")
    assert not result.passed
    assert "1 network calls were made, the first: socket.getaddrinfo" in result.detail


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    start = "from forensicviewer.app.runtime.offline import refuse_network; refuse_network()\n"
    return subprocess.run(
        [sys.executable, "-c", start + code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize(
    "call",
    [
        "socket.socket(socket.AF_INET)",
        "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.getaddrinfo('localhost', 80)",
        "socket.gethostbyname('localhost')",
    ],
)
def test_offline_python_code_is_refused_the_network(call: str) -> None:
    done = python(f"import socket\n{call}")

    assert "NetworkRefusedError" in done.stderr
    assert done.returncode == 1


def test_offline_local_sockets_still_work() -> None:
    assert python("import socket\nsocket.socketpair()\nsocket.socket(socket.AF_UNIX)").stderr == ""


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux can refuse native calls")
@pytest.mark.parametrize("family", [2, 10])
@pytest.mark.parametrize("where", ["here", "in a child"])
def test_offline_native_code_that_makes_an_internet_socket_is_ended(
    family: int, where: str
) -> None:
    call = f"import ctypes; ctypes.CDLL(None).socket({family}, 1, 0)"
    child = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {call!r}]))"

    done = python(call if where == "here" else child)

    # A child's end by a signal is a negative number, of which the shell keeps eight bits.
    expected = -signal.SIGSYS if where == "here" else 256 - signal.SIGSYS
    assert done.returncode == expected


def test_the_command_line_stays_offline_where_the_environment_asks_for_it() -> None:
    code = "import sys; from forensicviewer.cli import main; main(['rules'])\n"
    code += "import socket; socket.socket()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "FORENSICVIEWER_OFFLINE": "1"},
        check=False,
    )

    assert "NetworkRefusedError" in done.stderr

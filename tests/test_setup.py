"""packaging/setup.sh makes .venv work, whatever it finds in its place."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parent.parent / "packaging" / "setup.sh"
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# The least that pip installs without a network.
BACKEND = """
from pathlib import Path
from zipfile import ZipFile

def build_editable(folder, config_settings=None, metadata_directory=None):
    info = "tiny-1.dist-info"
    with ZipFile(Path(folder, "tiny-1-py3-none-any.whl"), "w") as wheel:
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return "tiny-1-py3-none-any.whl"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "Prüf Ordner"
    (project / "packaging").mkdir(parents=True)
    shutil.copy(SETUP, project / "packaging")
    (project / "pyproject.toml").write_text(PROJECT)
    (project / "backend.py").write_text(BACKEND)
    (project / "constraints.txt").write_text("")
    return project


def set_up(project: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "packaging/setup.sh"],
        cwd=project,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def _broken_off(project: Path) -> None:
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").symlink_to("/nowhere/python3.11")


def _a_link_to_nowhere(project: Path) -> None:
    (project / ".venv").symlink_to("/nowhere")


def _moved(project: Path) -> None:
    old = project.with_name("old place")
    shutil.copytree(project, old)
    set_up(old)
    (old / ".venv").rename(project / ".venv")


@pytest.mark.parametrize("spoil", [_broken_off, _a_link_to_nowhere, _moved])
def test_a_venv_that_does_not_work_is_made_anew(
    project: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(project)

    done, again = set_up(project), set_up(project)

    assert (done.returncode, again.returncode) == (0, 0), done.stderr
    assert "Installing Python packages" in done.stdout
    assert "Unpacking them" in done.stdout
    assert again.stdout == ""
    # Its scripts name the place they were made for.
    listed = subprocess.run(
        [project / ".venv" / "bin" / "pip", "list"], capture_output=True, text=True, check=True
    )
    assert "tiny" in listed.stdout


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="dpkg-query is not installed")
def test_without_the_right_to_install_the_command_to_do_so_is_told(
    project: Path, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("dirname", "cat", "cksum", "head", "grep", "id", "dpkg-query"):
        (tools / name).symlink_to(shutil.which(name) or name)
    (tools / "python3").symlink_to(Path(sys.executable).resolve())
    nothing = tmp_path / "dpkg"
    nothing.mkdir()

    done = set_up(project, PATH=str(tools), DPKG_ADMINDIR=str(nothing))

    told = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    assert "as root" in told[0]
    # A bare Debian has neither sudo nor lists of packages.
    assert told[1].startswith("    apt-get update && apt-get install --no-install-recommends lib")
    assert not (project / ".venv").exists()

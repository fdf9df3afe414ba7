"""What the desktop is told about the program: its entry in menus and its kind of file."""

import configparser
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from forensicviewer.app.cases.manifest import SUFFIX as CASE_SUFFIX
from forensicviewer.app.session.session_file import SUFFIX

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def desktop_entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(LINUX / "forensicviewer.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


def test_sessions_and_cases_are_kinds_of_files_that_open_with_the_program() -> None:
    kinds = ET.parse(LINUX / "forensicviewer.xml").getroot().findall(f"{MIME}mime-type")
    patterns = [kind.find(f"{MIME}glob") for kind in kinds]

    found = [None if pattern is None else pattern.get("pattern") for pattern in patterns]
    assert found == [f"*{SUFFIX}", f"*{CASE_SUFFIX}"]
    # Folders, tables and archives belong to other programs.
    assert desktop_entry()["MimeType"] == "".join(f"{kind.get('type')};" for kind in kinds)


def test_the_entry_starts_an_installed_command_with_what_is_opened() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    command, argument = desktop_entry()["Exec"].split()

    assert command in project["project"]["gui-scripts"]
    assert argument == "%F"


def test_an_installed_program_brings_entry_kind_and_icon_along() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]

    assert [name for name in shared if not (ROOT / name).is_file()] == []
    icon = desktop_entry()["Icon"]
    assert f"share/icons/hicolor/scalable/apps/{icon}.svg" in shared.values()


@pytest.mark.skipif(
    shutil.which("desktop-file-validate") is None, reason="desktop-file-utils is not installed"
)
def test_the_entry_is_one_by_the_rules_of_desktops() -> None:
    told = subprocess.run(
        ["desktop-file-validate", LINUX / "forensicviewer.desktop"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (told.returncode, told.stdout) == (0, "")

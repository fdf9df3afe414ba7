"""What the recipes of the packages do, as far as it shows without building a package."""

from __future__ import annotations

import configparser
import importlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"


@pytest.fixture
def payload(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PACKAGING))
    return importlib.import_module("windows.payload")


@pytest.fixture
def licences(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PACKAGING))
    return importlib.import_module("bundle.licences")


def wheel(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return path


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_wheel_is_unpacked_as_pip_would_without_scripts(
    payload: ModuleType, tmp_path: Path
) -> None:
    made = wheel(
        tmp_path / "some-1.0-py3-none-any.whl",
        "some/__init__.py",
        "some/tests/test_some.py",
        "some-1.0.data/purelib/more.py",
        "some-1.0.data/scripts/some.exe",
        "some-1.0.dist-info/METADATA",
    )

    payload.unpack_wheel(made, tmp_path / "packages")

    assert files_below(tmp_path / "packages") == {
        "some/__init__.py",
        "more.py",
        "some-1.0.dist-info/METADATA",
    }


def test_a_wheel_cannot_write_beside_its_folder(payload: ModuleType, tmp_path: Path) -> None:
    made = wheel(tmp_path / "some-1.0-py3-none-any.whl", "../outside.py", "some/__init__.py")

    payload.unpack_wheel(made, tmp_path / "packages")

    assert not (tmp_path / "outside.py").exists()


def test_of_qt_only_what_the_window_loads_is_shipped(payload: ModuleType, tmp_path: Path) -> None:
    made = wheel(
        tmp_path / "PySide6-1.0-py3-none-any.whl",
        *("PySide6/QtCore.pyd", "PySide6/Qt6Quick.dll", "PySide6/designer.exe"),
        *("PySide6/plugins/platforms/qwindows.dll", "PySide6/plugins/sqldrivers/qsqlite.dll"),
        *("PySide6/translations/qtbase_de.qm", "PySide6/translations/qtbase_pl.qm"),
    )

    payload.unpack_wheel(made, tmp_path / "packages")

    assert files_below(tmp_path / "packages") == {
        "PySide6/QtCore.pyd",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/translations/qtbase_de.qm",
    }


def test_a_zip_of_the_same_files_is_the_same_file(payload: ModuleType, tmp_path: Path) -> None:
    for name in ("first", "second"):
        folder = tmp_path / name / "program"
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("a")
        payload.write_zip(folder, tmp_path / f"{name}.zip", level=9)

    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()


def test_cases_and_sessions_open_with_the_program_on_every_desktop() -> None:
    listed = ElementTree.parse(PACKAGING / "linux" / "forensicviewer.xml").getroot()
    types = {element.attrib["type"]: element[-1].attrib["pattern"] for element in listed}
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(PACKAGING / "linux" / "forensicviewer.desktop", encoding="utf-8")

    assert sorted(types.values()) == ["*.fvcase", "*.fvsession"]
    assert set(entry["Desktop Entry"]["MimeType"].strip(";").split(";")) == set(types)
    script = (PACKAGING / "windows" / "forensicviewer.nsi").read_text(encoding="utf-8")
    for suffix in (".fvcase", ".fvsession"):
        assert f'RegisterType "{suffix}"' in script
        assert f'UnregisterType "{suffix}"' in script


@pytest.mark.parametrize("script", sorted(PACKAGING.rglob("*.sh")), ids=lambda path: path.name)
def test_a_shell_script_can_be_read_by_any_shell(script: Path) -> None:
    done = subprocess.run(["sh", "-n", str(script)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_part_that_does_not_exist_is_named() -> None:
    done = subprocess.run(
        [sys.executable, str(PACKAGING / "build.py"), "nothing"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert done.returncode == 2
    assert "nothing is not a part" in done.stderr
    assert "windows" in done.stderr


def test_missing_tools_are_named_before_anything_is_built(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(PACKAGING / "build.py"), "bundle", "run", "windows"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path)},
    )

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "Tools are missing. On Debian: apt-get install binutils gcc makeself nsis zstd\n"
    )


def test_packages_carry_the_gnu_licences(licences: ModuleType, tmp_path: Path) -> None:
    licences.write_gnu_texts(tmp_path)

    heads = {
        path.name: " ".join(path.read_text(encoding="utf-8").split())[:70]
        for path in (tmp_path / "GNU").iterdir()
    }
    assert heads.keys() == {"GPL-2.txt", "GPL-3.txt", "LGPL-2.1.txt", "LGPL-3.txt"}
    for name, head in heads.items():
        kind, version = name.removesuffix(".txt").split("-")
        assert ("LESSER GENERAL" if kind == "LGPL" else "GNU GENERAL") in head
        assert f"Version {version}" in head


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_libraries_of_a_part_that_was_left_out_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(PACKAGING))
    libraries = importlib.import_module("bundle.libraries")
    system = tmp_path / "system"
    system.mkdir()
    # "kept" needs "near", which needs "far"; "theme" was left out, and only it needs "other".
    for name, needed in {"far": (), "near": ("far",), "other": (), "kept": ("near",)}.items():
        folder = tmp_path if name == "kept" else system
        command = ["gcc", "-shared", "-Wl,--no-as-needed", "-o", str(folder / f"lib{name}.so")]
        links = [f"-l{link}" for link in needed]
        subprocess.run([*command, f"-L{system}", *links], check=True)
    binaries = [
        ("package/libkept.so", str(tmp_path / "libkept.so"), "EXTENSION"),
        *((f"lib{name}.so", str(system / f"lib{name}.so"), "BINARY") for name in ("far", "near")),
        ("libother.so", str(system / "libother.so"), "BINARY"),
        ("liblinked.so", "package/libkept.so", "SYMLINK"),
    ]

    unneeded = libraries.unneeded_libraries(binaries, (f"{system}/",))

    assert unneeded == {"libother.so"}

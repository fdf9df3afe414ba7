"""Builds what is handed to users: ``python packaging/build.py PART…`` into dist/.

Parts: bundle, deb, portable, run, wheelhouse, windows, macos, notes, sums; without a part, all that
this platform can build. Only when asked for: ``licences`` (of the bundle), ``windows-wine``,
``sizes``.
Two builds of one commit are the same to the byte (``packaging/build-again.sh``).
With ``FORENSICVIEWER_BUILD=quick`` packages are larger and made sooner: to try them, not to ship.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from bundle.licences import bundled_distributions, system_packages, write_licences
from bundle.opencv_ffmpeg import replace_ffmpeg
from bundle.parts_list import write_parts_list
from linux.deb import build_deb
from linux.manual_page import manual_page
from windows.payload import WINE_PINS, build_installer, build_payload, write_zip

from forensicviewer import __version__

ROOT = Path(__file__).resolve().parent.parent
BUILD, DIST = ROOT / "build", ROOT / "dist"
BUNDLE = BUILD / "bundle" / "forensicviewer"
_QUICK = os.environ.get("FORENSICVIEWER_BUILD") == "quick"
_LEVEL = "1" if _QUICK else "12"


def main(parts: list[str]) -> None:
    unknown = [part for part in parts if part not in _PARTS]
    if unknown:
        print(f"{unknown[0]} is not a part; choose from {', '.join(_PARTS)}", file=sys.stderr)
        raise SystemExit(2)
    parts = parts or list(_BY_DEFAULT.get(sys.platform, _BY_DEFAULT["linux"]))
    _find_tools(parts)
    os.environ.setdefault("SOURCE_DATE_EPOCH", _epoch_of_commit())
    # Sets and hashes come out in one order, whoever builds.
    os.environ["PYTHONHASHSEED"] = "0"
    DIST.mkdir(exist_ok=True)
    for part in parts:
        print(f"Building {part}", flush=True)
        _PARTS[part]()


def _find_tools(parts: list[str]) -> None:
    """Name all that is missing before the first minute of work."""
    tools = {tool: package for part in parts for tool, package in _TOOLS.get(part, {}).items()}
    missing = sorted({package for tool, package in tools.items() if shutil.which(tool) is None})
    if missing:
        print(f"Tools are missing. On Debian: apt-get install {' '.join(missing)}", file=sys.stderr)
        raise SystemExit(3)


def _epoch_of_commit() -> str:
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _bundle() -> None:
    shutil.rmtree(BUNDLE, ignore_errors=True)
    subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "PyInstaller",
                "--noconfirm",
                "--clean",
                "--log-level",
                "ERROR",
            ),
            *("--distpath", str(BUNDLE.parent), "--workpath", str(BUILD / "work")),
            str(ROOT / "packaging" / "bundle" / "forensicviewer.spec"),
        ],
        check=True,
        cwd=ROOT,
    )
    internal = BUNDLE / "_internal"
    replace_ffmpeg(internal)
    for library in internal.glob("libpython3*.so*"):
        subprocess.run(["strip", "--strip-unneeded", str(library)], check=True)
    _licences()
    _settle(BUNDLE)


def _licences() -> None:
    """What the parts of the bundle are, and the licence of each."""
    internal = BUNDLE / "_internal"
    write_licences(internal, BUNDLE / "licences")
    shutil.copyfile(ROOT / "resources" / "licences.txt", BUNDLE / "licences" / "README.txt")
    shutil.copyfile(ROOT / "LICENSE", BUNDLE / "licences" / "forensicviewer.txt")
    write_parts_list(
        internal,
        BUNDLE / "licences" / "parts.cdx.json",
        packages=bundled_distributions(internal),
        system=system_packages(internal),
        python=platform.python_version(),
        version=__version__,
        epoch=os.environ["SOURCE_DATE_EPOCH"],
    )


def _settle(folder: Path) -> None:
    """Give every file one time and plain rights: they go into the packages."""
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    for path in [folder, *sorted(folder.rglob("*"))]:
        if not path.is_symlink():
            is_program = path.is_dir() or path.parent == folder or ".so" in path.name
            path.chmod(0o755 if is_program else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def _deb() -> None:
    build_deb(BUNDLE, ROOT, DIST, work=BUILD / "deb", version=__version__, level=_LEVEL)


def _portable() -> None:
    name = f"forensicviewer-{__version__}-linux-x86_64"
    archive = DIST / f"{name}.tar.zst"
    folder = _staged(name)
    with archive.open("wb") as target:
        packed = subprocess.Popen(
            [*_TAR, f"--mtime=@{os.environ['SOURCE_DATE_EPOCH']}", "-C", str(folder.parent), name],
            stdout=subprocess.PIPE,
        )
        subprocess.run(
            ["zstd", f"-{_LEVEL}", "-T2", "-q"], stdin=packed.stdout, stdout=target, check=True
        )
        if packed.wait():
            raise SystemExit("tar failed")


_TAR = (
    "tar",
    "--create",
    "--sort=name",
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--format=gnu",
)


def _run() -> None:
    """One file that unpacks itself and starts, for machines without root."""
    name = f"forensicviewer-{__version__}-linux-x86_64"
    folder = _staged(name)
    epoch = os.environ["SOURCE_DATE_EPOCH"]
    when = subprocess.run(
        ["date", "-u", "-d", f"@{epoch}"],
        capture_output=True,
        text=True,
        check=True,
        env={"LC_ALL": "C"},
    ).stdout.strip()
    extra = f"--sort=name --mtime=@{epoch} --owner=0 --group=0 --numeric-owner --format=gnu"
    subprocess.run(
        [
            *(
                "makeself",
                "--quiet",
                "--zstd",
                "--complevel",
                _LEVEL,
                "--tar-quietly",
                "--tar-extra",
                extra,
            ),
            *("--packaging-date", when, "--target", name),
            # The file names the command that made it: no folders of this machine in it.
            *(name, os.path.relpath(DIST / f"{name}.run", folder.parent)),
            *(f"forensicviewer {__version__}", "./first-steps.sh"),
        ],
        check=True,
        cwd=folder.parent,
    )


def _staged(name: str) -> Path:
    """The bundle as it is unpacked by users, with a note on how to begin."""
    folder = BUILD / "portable" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(BUNDLE, folder, symlinks=True, copy_function=os.link)
    linux = ROOT / "packaging" / "linux"
    shutil.copyfile(linux / "first-steps.sh", folder / "first-steps.sh")
    shutil.copyfile(linux / "README.txt", folder / "README.txt")
    (folder / "forensicviewer.1").write_text(manual_page(__version__), encoding="utf-8")
    _settle(folder)
    return folder


def _wheelhouse() -> None:
    """Wheels of everything, and a script that installs from them alone."""
    name = f"forensicviewer-{__version__}-wheelhouse-py{sys.version_info[0]}{sys.version_info[1]}"
    folder = BUILD / "wheelhouse" / name
    shutil.rmtree(folder, ignore_errors=True)
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    constraints = ROOT / "constraints.txt"
    subprocess.run(
        [
            *pip,
            "--only-binary=:all:",
            "--no-binary=forensicviewer",
            "-c",
            str(constraints),
            "-w",
            str(wheels),
            str(ROOT),
        ],
        check=True,
    )
    shutil.copyfile(ROOT / "packaging" / "wheelhouse" / "install.sh", folder / "install.sh")
    sums = "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  wheels/{path.name}\n"
        for path in sorted(wheels.iterdir())
    )
    (folder / "SHA256SUMS").write_text(sums)
    _settle(folder)
    (folder / "install.sh").chmod(0o755)
    archive = DIST / f"{name}.tar"
    subprocess.run(
        [
            *_TAR,
            f"--mtime=@{os.environ['SOURCE_DATE_EPOCH']}",
            "-f",
            str(archive),
            "-C",
            str(folder.parent),
            name,
        ],
        check=True,
    )


def _windows() -> None:
    """The per-user installer and the portable folder for Windows, from wheels."""
    name = f"forensicviewer-{__version__}-windows-x64"
    folder = BUILD / "windows" / name
    build_payload(ROOT, folder, downloads=BUILD / "windows" / "downloads", pins={})
    write_zip(folder, DIST / f"{name}.zip", level=1 if _QUICK else 9)
    build_installer(ROOT, folder, DIST / f"{name}-setup.exe", version=__version__, quick=_QUICK)


def _macos() -> None:
    """The application and its disk image; only on macOS itself."""
    recipe = ROOT / "packaging" / "macos" / "build.sh"
    subprocess.run(["sh", str(recipe)], check=True, env={**os.environ, "PYTHON": sys.executable})


def _windows_wine() -> None:
    """The Windows program with the newest parts that Wine can load; for tests, not for users."""
    name = f"forensicviewer-{__version__}-wine"
    folder = BUILD / "windows" / name
    build_payload(ROOT, folder, downloads=BUILD / "windows" / "downloads", pins=WINE_PINS)
    # Packing it small takes minutes, and nobody downloads it.
    write_zip(folder, BUILD / "windows" / f"{name}.zip", level=1)
    installer = BUILD / "windows" / f"{name}-setup.exe"
    build_installer(ROOT, folder, installer, version=__version__, quick=True)


def _sizes() -> None:
    """Print what the parts of the bundle take, largest first."""
    internal = BUNDLE / "_internal"
    sizes = {path.name: _size_of(path) for path in [*internal.iterdir(), *BUNDLE.glob("forens*")]}
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size >= 1 << 20:
            print(f"| {name} | {size / 1e6:.1f} |")
    print(f"| all | {_size_of(BUNDLE) / 1e6:.1f} |")


def _size_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(one.lstat().st_size for one in files if not one.is_dir())


def _notes() -> None:
    """What is new in this version, from the changelog."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    notes = [part for part in text.split("\n## ") if part.startswith(f"{__version__} ")]
    if not notes:
        raise SystemExit(f"CHANGELOG.md says nothing about {__version__}")
    target = DIST / f"forensicviewer-{__version__}-release-notes.md"
    target.write_text(f"# forensicviewer {notes[0].strip()}\n", encoding="utf-8")


def _sums() -> None:
    """SHA-256 sums of all packages, signed where there is a key."""
    sums = DIST / "SHA256SUMS"
    packages = [path for path in sorted(DIST.iterdir()) if not path.name.startswith("SHA256SUMS")]
    sums.write_text(
        "".join(f"{_digest(path)}  {path.name}\n" for path in packages if path.is_file())
    )
    key = os.environ.get("FORENSICVIEWER_SIGNING_KEY")
    if key:
        subprocess.run(
            ["gpg", "--batch", "--yes", "--armor", "--detach-sign", "--local-user", key, str(sums)],
            check=True,
        )


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


_PARTS = {
    "bundle": _bundle,
    "licences": _licences,
    "deb": _deb,
    "portable": _portable,
    "run": _run,
    "wheelhouse": _wheelhouse,
    "windows": _windows,
    "windows-wine": _windows_wine,
    "macos": _macos,
    "notes": _notes,
    "sizes": _sizes,
    "sums": _sums,
}
_BY_DEFAULT = {
    "linux": ("bundle", "deb", "portable", "run", "wheelhouse", "windows", "notes", "sums"),
    "darwin": ("macos", "notes", "sums"),
    "win32": ("windows", "notes", "sums"),
}
# part → program it runs → Debian's package of that program
_TOOLS = {
    "bundle": {"gcc": "gcc", "readelf": "binutils", "strip": "binutils"},
    "deb": {"dpkg-deb": "dpkg"},
    "portable": {"zstd": "zstd"},
    "run": {"makeself": "makeself", "zstd": "zstd"},
    "windows": {"makensis": "nsis"},
    "windows-wine": {"makensis": "nsis"},
}

if __name__ == "__main__":
    main(sys.argv[1:])

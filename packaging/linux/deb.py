"""Builds the Debian package from the bundle."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from linux.manual_page import manual_page

# Everything else is inside: a machine without a network has these with its desktop and cannot
# fetch others. Found by starting the program in a root with Debian's essential packages alone.
_NEEDED = "libc6 (>= 2.36), libgl1, libegl1, libxcb1, fontconfig-config, xkb-data"


def build_deb(
    bundle: Path, root: Path, dist: Path, *, work: Path, version: str, level: str
) -> None:
    """Write ``dist/forensicviewer_VERSION_amd64.deb``."""
    shutil.rmtree(work, ignore_errors=True)
    _lay_out(bundle, root, work, version)
    control = work / "DEBIAN"
    control.mkdir()
    # What a folder itself takes depends on the disk.
    files = (path for path in work.rglob("*") if not path.is_dir())
    size_kb = sum(path.lstat().st_size for path in files) // 1024
    (control / "control").write_text(_control(version, size_kb), encoding="utf-8")
    _settle(work)
    subprocess.run(
        [
            # zstd cuts the data otherwise on one thread than on several.
            *("dpkg-deb", "--root-owner-group", "--threads-max=2", "-Zzstd", f"-z{level}"),
            *("--build", str(work)),
            str(dist / f"forensicviewer_{version}_amd64.deb"),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _control(version: str, size_kb: int) -> str:
    return (
        "Package: forensicviewer\n"
        f"Version: {version}\n"
        "Architecture: amd64\n"
        "Maintainer: The forensicviewer developers <forensicviewer@example.org>\n"
        f"Installed-Size: {size_kb}\n"
        f"Depends: {_NEEDED}\n"
        "Recommends: fonts-dejavu-core, shared-mime-info, desktop-file-utils\n"
        "Section: graphics\n"
        "Priority: optional\n"
        "Description: Inspect, score and judge media-forensics results\n"
        " Shows probe, reference mask and system mask side by side, scores masks, videos\n"
        " and provenance graphs as NIST's MediScore does, and keeps the judges' verdicts.\n"
        " Everything is included; the program uses no network.\n"
    )


def _lay_out(bundle: Path, root: Path, work: Path, version: str) -> None:
    program = work / "opt" / "forensicviewer"
    shutil.copytree(bundle, program, symlinks=True, copy_function=os.link)
    linux = root / "packaging" / "linux"
    share = work / "usr" / "share"
    copies = {
        linux / "forensicviewer.desktop": share / "applications" / "forensicviewer.desktop",
        linux / "forensicviewer.xml": share / "mime" / "packages" / "forensicviewer.xml",
        root / "resources" / "icons" / "app.svg": (
            share / "icons" / "hicolor" / "scalable" / "apps" / "forensicviewer.svg"
        ),
        root / "resources" / "licences.txt": share / "doc" / "forensicviewer" / "copyright",
    }
    for source, target in copies.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    page = share / "man" / "man1" / "forensicviewer.1.gz"
    page.parent.mkdir(parents=True)
    _gzip(manual_page(version).encode(), page)
    page.with_name("forensicviewer-gui.1.gz").symlink_to(page.name)
    _gzip((root / "CHANGELOG.md").read_bytes(), share / "doc" / "forensicviewer" / "changelog.gz")
    programs = work / "usr" / "bin"
    programs.mkdir(parents=True)
    for name in ("forensicviewer", "forensicviewer-gui"):
        (programs / name).symlink_to(f"/opt/forensicviewer/{name}")


def _gzip(content: bytes, target: Path) -> None:
    # -n leaves out name and time.
    packed = subprocess.run(["gzip", "-9", "-n"], input=content, capture_output=True, check=True)
    target.write_bytes(packed.stdout)


def _settle(work: Path) -> None:
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    for path in [work, *work.rglob("*")]:
        if not path.is_symlink() and "opt" not in path.relative_to(work).parts[:1]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)

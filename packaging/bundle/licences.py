"""Knows the Python packages of a bundle, and collects the licence texts of every part."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import Distribution, distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_WORDS = ("licen", "copying", "copyright", "notice", "authors")
_GNU = Path(__file__).resolve().parent.parent / "licences"
# Their wheels name a GNU licence and carry no text.
_WITHOUT_TEXT = ("PySide6_Essentials", "shiboken6")


def bundled_distributions(internal: Path) -> list[Distribution]:
    """The Python packages of which something lies in the bundle."""
    present = {path.name for path in internal.iterdir()} | _archived(internal)
    return sorted(
        (found for found in distributions() if _modules(found) & present),
        key=lambda found: found.name.lower(),
    )


def unneeded_modules() -> list[str]:
    """What is installed here and the program does not ask for: tools, tests, and what they need."""
    needed: set[str] = set()
    asked = ["forensicviewer"]
    while asked:
        name = canonicalize_name(asked.pop())
        if name in needed:
            continue
        needed.add(name)
        for text in requires(name) or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                asked.append(requirement.name)
    kept: set[str] = set()
    others: set[str] = set()
    for found in distributions():
        (kept if canonicalize_name(found.name) in needed else others).update(_modules(found))
    return sorted(name for name in others - kept if name.isidentifier() and name != "__pycache__")


def _modules(distribution: Distribution) -> set[str]:
    tops = {path.parts[0].removesuffix(".py") for path in distribution.files or ()}
    return {top for top in tops if not top.endswith((".dist-info", ".data")) and top != ".."}


def _archived(internal: Path) -> set[str]:
    """Packages inside the archive of pure modules, which PyInstaller appends to the programs."""
    from PyInstaller.archive.readers import CArchiveReader

    archive = CArchiveReader(str(internal.parent / "forensicviewer"))
    (name,) = (found for found in archive.toc if found.endswith(".pyz"))
    return {module.split(".")[0] for module in archive.open_embedded_archive(name).toc}


def write_licences(internal: Path, target: Path) -> None:
    """Write one folder per part with its licence texts."""
    for found in bundled_distributions(internal):
        texts = [path for path in found.files or () if is_licence(path.name)]
        for text in texts:
            source = Path(str(found.locate_file(text)))
            if source.is_file():
                _copy(source, target / found.name / "-".join(text.parts[1:]))
        if not ((target / found.name).is_dir() or found.name in _WITHOUT_TEXT):
            raise SystemExit(f"There is no licence text of {found.name}")
    write_gnu_texts(target)
    python = Path(sys.base_prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    _copy(python / "LICENSE.txt", target / "Python" / "LICENSE.txt")
    for package in sorted(set(system_packages(internal).values())):
        _copy(Path("/usr/share/doc") / package / "copyright", target / package / "copyright")


def write_gnu_texts(target: Path) -> None:
    """Write the GNU licences: parts under them refer to their texts, and so does the whole."""
    for text in _GNU.iterdir():
        _copy(text, target / "GNU" / text.name)


def is_licence(name: str) -> bool:
    return any(word in name.lower() for word in _WORDS) and not name.endswith((".py", ".pyc"))


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def system_packages(internal: Path) -> dict[str, str]:
    """Library at the top of the bundle → the Debian package it comes from."""
    if shutil.which("dpkg-query") is None:
        return {}
    # Python's own belongs to the Python that builds, which Debian knows by the same name.
    names = [path.name for path in internal.glob("lib*.so*") if not path.is_symlink()]
    names = [name for name in names if not name.startswith("libpython")]
    listed = subprocess.run(
        ["dpkg-query", "--search", *(f"*/{name}" for name in names)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    found: dict[str, str] = {}
    for line in sorted(listed.splitlines()):
        package, _, path = line.partition(": ")
        found.setdefault(path.rpartition("/")[2], package.split(":")[0])
    return found

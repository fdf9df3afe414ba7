"""Collects the licence texts of every part of a bundle, and lists the parts (CycloneDX)."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import uuid
from importlib.metadata import Distribution, distributions
from pathlib import Path

_WORDS = ("licen", "copying", "copyright", "notice", "authors")
_LIBRARY = re.compile(r"^(lib[\w+.-]*?)(?:-[0-9a-f]{8})?\.so(?:\.([\d.]+\w?))?$")


def bundled_distributions(internal: Path) -> list[Distribution]:
    """The Python packages of which something lies in the bundle."""
    present = {path.name for path in internal.iterdir()} | _archived(internal)
    return sorted(
        (found for found in distributions() if _modules(found) & present),
        key=lambda found: found.name.lower(),
    )


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
        texts = [path for path in found.files or () if _is_licence(path.name)]
        for text in texts:
            source = Path(str(found.locate_file(text)))
            if source.is_file():
                _copy(source, target / found.name / "-".join(text.parts[1:]))
    python = Path(sys.base_prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    _copy(python / "LICENSE.txt", target / "Python" / "LICENSE.txt")
    for package in sorted(set(_system_packages(internal).values())):
        _copy(Path("/usr/share/doc") / package / "copyright", target / package / "copyright")


def _is_licence(name: str) -> bool:
    return any(word in name.lower() for word in _WORDS) and not name.endswith((".py", ".pyc"))


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _system_packages(internal: Path) -> dict[str, str]:
    """Library at the top of the bundle → the Debian package it comes from."""
    found = {}
    for path in sorted(internal.glob("lib*.so*")):
        listed = subprocess.run(
            ["dpkg-query", "--search", f"*/{path.name}"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        if listed:
            found[path.name] = listed.split(":")[0]
    return found


def write_parts_list(internal: Path, target: Path, *, version: str, epoch: str) -> None:
    """Write a CycloneDX list of Python packages and of every library inside the wheels."""
    packages = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{found.name.lower()}@{found.version}",
            "name": found.name,
            "version": found.version,
            "purl": f"pkg:pypi/{found.name.lower()}@{found.version}",
            "licenses": [{"license": {"name": _licence_name(found)}}],
        }
        for found in bundled_distributions(internal)
    ]
    system = _system_packages(internal)
    libraries = [
        _library(path, internal, system)
        for path in sorted(internal.rglob("*.so*"))
        if _LIBRARY.match(path.name) and not path.is_symlink()
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"forensicviewer-{version}-{epoch}").urn,
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "forensicviewer", "version": version}
        },
        "components": [*packages, *libraries],
    }
    target.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _licence_name(found: Distribution) -> str:
    # Without this check a whole licence text in the field would become its name.
    stated = found.metadata.get("License-Expression") or found.metadata.get("License") or ""
    classified = [
        line.split(" :: ")[-1]
        for line in found.metadata.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    first = stated.strip().split("\n")[0]
    return first or ", ".join(classified) or "see its licence file"


def _library(path: Path, internal: Path, system: dict[str, str]) -> dict[str, object]:
    match = _LIBRARY.match(path.name)
    assert match is not None
    inside = path.relative_to(internal).as_posix()
    origin = system.get(path.name) or inside.split("/")[0]
    return {
        "type": "library",
        "bom-ref": inside,
        "name": match[1],
        "version": match[2] or "",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
        "properties": [
            {"name": "forensicviewer:file", "value": inside},
            {"name": "forensicviewer:origin", "value": origin},
        ],
    }

"""Lists the parts of a package (CycloneDX): Python packages and the libraries in their wheels."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution
from pathlib import Path

from bundle.opencv_ffmpeg import is_stand_in, is_taken_out

# A library, with the digest that auditwheel and delvewheel add to its name.
_LIBRARY = re.compile(
    r"^(lib(?!\.)[\w+.-]*?)(?:-[0-9a-f]{8})*(?:\.so(?:\.([\d.]+\w?))?|[\d.]*\.dylib)$"
)
_WINDOWS_LIBRARY = re.compile(r"^(.+?)(?:-[0-9a-f]{20,64})?()\.dll$", re.IGNORECASE)
_COPIED = ("type", "name", "version", "purl", "licenses", "hashes", "description")

Component = dict[str, object]


def write_parts_list(
    folder: Path,
    target: Path,
    *,
    packages: Iterable[Distribution],
    system: Mapping[str, str],
    python: str,
    version: str,
    epoch: str,
) -> None:
    """Write the list of what lies in ``folder``; ``system`` names the origin of its own libraries.

    What wheels say themselves of parts they were linked with is copied: no file would tell.
    """
    purl = f"pkg:generic/python@{python}"
    components: list[Component] = [
        {"type": "platform", "bom-ref": purl, "name": "Python", "version": python, "purl": purl}
    ]
    depends: dict[str, list[str]] = {}
    owners: dict[str, str] = {}
    for found in packages:
        own = f"pkg:pypi/{found.name.lower()}@{found.version}"
        components.append(_package(found, own))
        inner = _linked(found, own)
        components += inner
        depends[own] = [str(part["bom-ref"]) for part in inner]
        owners.update((path.as_posix(), own) for path in found.files or ())
    for path in sorted(folder.rglob("*")):
        match = _LIBRARY.match(path.name) or _WINDOWS_LIBRARY.match(path.name)
        if match and not path.is_symlink():
            inside = path.relative_to(folder).as_posix()
            owner = owners.get(inside.removeprefix("site-packages/"))
            if owner:
                depends[owner].append(inside)
            components.append(_library(path, inside, match, owner or system.get(path.name, "")))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"forensicviewer-{version}-{epoch}").urn,
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "forensicviewer", "version": version}
        },
        "components": components,
        "dependencies": [
            {"ref": own, "dependsOn": sorted(parts)} for own, parts in sorted(depends.items())
        ],
    }
    target.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _package(found: Distribution, own: str) -> Component:
    return {
        "type": "library",
        "bom-ref": own,
        "name": found.name,
        "version": found.version,
        "purl": own,
        "licenses": [{"license": {"name": _licence_name(found)}}],
    }


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


def _linked(found: Distribution, own: str) -> list[Component]:
    """The parts that the wheel's own lists name."""
    parts: dict[str, Component] = {}
    for path in found.files or ():
        if "sboms" not in path.parts or path.suffix != ".json":
            continue
        listed = json.loads(Path(str(found.locate_file(path))).read_text(encoding="utf-8"))
        for component in listed.get("components", ()):
            if str(component.get("purl", "")).lower().startswith(f"{own.split('@')[0]}@"):
                continue
            if is_taken_out(found.name, component["name"]):
                continue
            reference = f"{own}#{component['name']}@{component.get('version', '')}"
            copied = {name: component[name] for name in _COPIED if name in component}
            parts[reference] = {**copied, "bom-ref": reference}
    return [parts[reference] for reference in sorted(parts)]


def _library(path: Path, inside: str, match: re.Match[str], origin: str) -> Component:
    stand_in = is_stand_in(inside)
    return {
        "type": "library",
        "bom-ref": inside,
        "name": f"{match[1]}, empty stand-in" if stand_in else match[1],
        "version": "" if stand_in else match[2] or "",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
        "properties": [
            {"name": "forensicviewer:file", "value": inside},
            {"name": "forensicviewer:origin", "value": origin or inside.split("/")[0]},
        ],
    }

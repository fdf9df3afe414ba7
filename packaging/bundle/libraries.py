"""Finds libraries of the system that came into a bundle for a part that was left out of it.

Without this what is installed where the bundle is built would decide what is in it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable

_NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/")


def unneeded_libraries(
    binaries: Iterable[tuple[str, str, str]], system: tuple[str, ...] = _SYSTEM
) -> set[str]:
    """Names of libraries from the folders ``system`` that nothing else in the bundle leads to.

    Each of ``binaries`` is a name in the bundle, the file it comes from, and its kind.
    """
    libraries, asked = {}, []
    for name, source, kind in binaries:
        if kind == "SYMLINK":
            continue
        if "/" not in name and source.startswith(system):
            libraries[name] = source
        else:
            asked.append(source)
    unneeded = dict(libraries)
    while asked:
        found = [unneeded.pop(name) for name in _needed_by(asked) if name in unneeded]
        asked = found
    return set(unneeded)


def _needed_by(files: list[str]) -> set[str]:
    listed = subprocess.run(
        ["readelf", "--dynamic", "--wide", *files], capture_output=True, text=True, check=False
    ).stdout
    return set(_NEEDED.findall(listed))

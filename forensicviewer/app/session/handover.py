"""A second start hands its paths over to the window that is open: the message and the door.

The door is a local socket in a folder only its user may enter. Nothing but names of files,
a task and a trial go through it, and they are opened as if the user had dropped them.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

from forensicviewer.app.runtime.folders import NAME, state_folder
from forensicviewer.app.session.open_request import OpenRequest

LONGEST_MESSAGE = 64_000
# What a socket's address may be long on every system; the kernel's limit is 104 or 108 bytes.
_LONGEST_ADDRESS = 100


def door() -> str:
    """The address the open window listens at; one for each user, display and state folder."""
    place = (str(state_folder().absolute()), os.environ.get("DISPLAY", ""))
    key = hashlib.sha256("\0".join(place).encode()).hexdigest()[:16]
    name = f"{NAME}-{key}"
    if sys.platform == "win32":
        return name
    for folder in _private_folders():
        address = str(folder / name)
        if len(address.encode()) <= _LONGEST_ADDRESS:
            return address
    return ""


def is_door_there() -> bool:
    """Whether a window may be open; asking the door itself costs loading Qt."""
    address = door()
    return bool(address) and (sys.platform == "win32" or Path(address).exists())


def message_of(request: OpenRequest) -> bytes:
    """The request as one line of JSON, its paths absolute."""
    document = {
        "dataset": None if request.dataset is None else str(request.dataset.absolute()),
        "submissions": [str(path.absolute()) for path in request.submissions],
        "task": request.task,
        "trial": request.trial,
        "follow_links": request.follows_links,
    }
    return json.dumps(document).encode() + b"\n"


def request_of(message: bytes) -> OpenRequest | None:
    """The request of a message; ``None`` when it is none. One for nothing asks for the window."""
    try:
        document = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    dataset, task, trial = (_text(document.get(key)) for key in ("dataset", "task", "trial"))
    listed = document.get("submissions")
    named = [_text(path) for path in (listed if isinstance(listed, list) else ())]
    submissions = tuple(Path(path) for path in named if path is not None)
    is_bare = "dataset" in document and document["dataset"] is None and listed == []
    if dataset is None and not submissions and not is_bare:
        return None
    return OpenRequest(
        None if dataset is None else Path(dataset),
        submissions,
        task,
        trial,
        follows_links=document.get("follow_links") is True,
    )


def _private_folders() -> list[Path]:
    """Folders that nobody but this user can look into, best first."""
    named = os.environ.get("XDG_RUNTIME_DIR")
    candidates = [Path(named)] if named else []
    candidates.append(state_folder())
    user = os.getuid() if sys.platform != "win32" else 0
    candidates.append(Path(tempfile.gettempdir()) / f"{NAME}-{user}")
    return [folder for folder in candidates if _is_private(folder)]


def _is_private(folder: Path) -> bool:
    if sys.platform == "win32":
        return True
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    # Others may read the state folder: the socket itself lets only its user in. But nobody else
    # may put a socket of their own there.
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


def _text(found: object) -> str | None:
    return found if isinstance(found, str) and found else None

"""The stories themselves: each fails if the program or a child asks for the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from forensicviewer.app.runtime.offline import OFFLINE

ROOT = Path(__file__).resolve().parents[2]
CALLS = {
    "ipv4": "socket.socket(socket.AF_INET).close()",
    "ipv6": "socket.socket(socket.AF_INET6).close()",
    "name": "socket.getaddrinfo('localhost', 80)",
    "local": "socket.socket(socket.AF_UNIX).close()",
}
STORIES = """
import contextlib, socket, subprocess, sys
import pytest

@pytest.mark.parametrize("call", {calls})
def test_here(call):
    with contextlib.suppress(OSError):
        exec(call)

@pytest.mark.parametrize("call", {calls})
def test_in_a_child(call):
    code = "from forensicviewer.app.runtime.offline import refuse_network; refuse_network()\\n"
    code += "import socket, contextlib\\nwith contextlib.suppress(OSError): " + call
    subprocess.run([sys.executable, "-c", code], check=True)
"""


def test_a_story_that_asks_for_the_network_fails_even_if_the_refusal_is_ignored(
    tmp_path: Path,
) -> None:
    (tmp_path / "conftest.py").write_text("from tests.stories.conftest import _offline\n")
    (tmp_path / "test_some.py").write_text(STORIES.format(calls=list(CALLS.values())))

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0"),
            *("--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), str(tmp_path)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        # What this story itself must not do is noted elsewhere.
        env={name: value for name, value in os.environ.items() if name != OFFLINE},
    )

    errors = [line for line in done.stdout.splitlines() if line.startswith("ERROR ")]
    for name, call in CALLS.items():
        found = [line for line in errors if f"[{call}]" in line]
        assert len(found) == (0 if name == "local" else 2), done.stdout
    assert "8 passed, 6 errors" in done.stdout

"""No acknowledged verdict is lost when its writer is killed, nor when two processes write."""

import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9 and no fork")
@pytest.mark.parametrize("writers", [1, 2])
def test_killing_writers_loses_no_acknowledged_verdict(writers: int) -> None:
    # In a process of its own: the one of the tests has threads, which a fork does not survive.
    count = os.environ.get("FV_KILLS", "20")
    command = [sys.executable, "-m", "tests.app.judging.kill_writers", "--count", count]

    done = subprocess.run(
        [*command, "--writers", str(writers)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"killed {count}, " in done.stdout
    assert "lost 0, false alarms 0" in done.stdout

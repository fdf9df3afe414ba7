"""Settings every test needs before anything else is imported."""

import gc
import itertools
import logging
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are noisy: how long an example takes says nothing about whether it is right.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The window follows the system's language; tests read it in English on every machine.
os.environ["LC_ALL"] = "C.UTF-8"
os.environ.pop("LANGUAGE", None)

# Windows between two searches for garbage: a search takes as long as a small test.
_WINDOWS_KEPT = 10
_windows = itertools.count(1)

ROOT = Path(__file__).resolve().parent.parent
NIST_SUITE = Path(os.environ.get("FV_NIST_SUITE", ROOT.parent / "shared" / "nist-suite"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Without Qt there is no pytest-qt, whose settings pytest then refuses as unknown."""
    if find_spec("pytestqt") is None:
        for name in ("qt_api", "qt_log_level_fail", "qt_log_ignore"):
            parser.addini(name, "A setting of pytest-qt")


@pytest.fixture(scope="session")
def nist_suite() -> Path:
    """NIST's own test data; it is not part of the project, so tests without it are skipped."""
    if not (NIST_SUITE / "cases.json").is_file():
        pytest.skip(f"NIST's test data is not on this machine ({NIST_SUITE})")
    return NIST_SUITE


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, written once for all tests and processes; nobody writes into it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ and os.name == "posix" else base
    folder = shared / "sample"
    with (shared / "sample.lock").open("w") as lock:
        if os.name == "posix":
            import fcntl  # not on Windows, where every process writes its own

            fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            from forensicviewer.sources.sample import write_sample

            write_sample(folder)
            (folder / "complete").touch()
    return folder


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """The program's own application: a command that draws in a test's process needs no other."""
    from forensicviewer.ui.widgets.watch import WatchedApplication

    return WatchedApplication


@pytest.fixture(autouse=True)
def _private_user_folders(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test reads or writes the cache, settings or state of the person running it."""
    home = tmp_path_factory.mktemp("home")
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(home / variable.lower()))


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing of ours writes to Python's log: whatever a library warns of there is our mistake."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert [record.getMessage() for record in records if record.levelno >= logging.WARNING] == []


@pytest.fixture(autouse=True)
def _windows_are_freed() -> Iterator[None]:
    """Free the windows of earlier tests.

    A window takes everything that exists out of the search for garbage, closed windows included.
    Without this, a process that runs the whole suite grows to several gigabytes.
    """
    yield
    if gc.get_freeze_count() and next(_windows) % _WINDOWS_KEPT == 0:
        gc.unfreeze()
        gc.collect()

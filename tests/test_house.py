"""Rules of the house that no linter knows."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

MOST_MODULES = 25
ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(
    path
    for folder in ("forensicviewer", "tests", "benchmarks", "packaging")
    for path in (ROOT / folder).rglob("*.py")
)
SLOW_MODULES = {"PySide6", "pyqtgraph", "pandas", "h5py", "glymur", "av", "imagecodecs", "cv2"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_longer_than_600_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


def test_no_folder_holds_more_than_25_modules() -> None:
    modules = Counter(path.parent for path in SOURCES if path.name != "__init__.py")

    crowded = {
        str(folder.relative_to(ROOT)): n for folder, n in modules.items() if n > MOST_MODULES
    }

    assert crowded == {}


def test_the_command_line_imports_nothing_slow() -> None:
    program = "import sys, forensicviewer.cli; print(*{name.split('.')[0] for name in sys.modules})"

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert SLOW_MODULES.isdisjoint(printed.split())


def test_core_never_opens_a_file() -> None:
    opening = (
        "open(",
        ".read_bytes(",
        ".read_text(",
        ".write_bytes(",
        ".write_text(",
        "imread(",
        "imwrite(",
    )

    found = [
        f"{path.name}: {call}"
        for path in (ROOT / "forensicviewer" / "core").rglob("*.py")
        for call in opening
        if call in path.read_text(encoding="utf-8")
    ]

    assert found == []

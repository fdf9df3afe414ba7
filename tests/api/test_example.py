"""The example of README and manual runs exactly as it is printed there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def example_in(path: str) -> str:
    found = re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def test_the_example_runs_as_printed(
    sample_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "sample").symlink_to(sample_folder)
    monkeypatch.chdir(tmp_path)

    exec(compile(example_in("README.md"), "example", "exec"), {"__name__": "__main__"})

    printed = capsys.readouterr().out
    assert "PasteSplice" in printed
    assert "(360, 640, 3)" in printed
    assert "'nist' is not a rule set  choose one of mediscore" in printed


def test_the_manual_has_the_example_of_the_readme() -> None:
    assert example_in("resources/manual/python.md") == example_in("README.md")

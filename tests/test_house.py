"""Rules of the house that no linter knows."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

MOST_MODULES = 25
ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(
    path
    for folder in ("forensicviewer", "tests", "benchmarks", "packaging")
    for path in (ROOT / folder).rglob("*.py")
)
PACKAGE = [path for path in SOURCES if path.is_relative_to(ROOT / "forensicviewer")]
LATE_MODULES = {
    *("pyqtgraph", "pandas", "networkx", "h5py", "glymur", "av", "imagecodecs", "PIL"),
    *("rawpy", "pi_heif", "markdown_it", "distributed"),
}
# As texts name modules: `app/video/frames`, ``app.video.frames``, app/video/frames.py
MODULE = re.compile(
    r"(?:(?<=[`\s])|(?<=forensicviewer\.))"
    r"((?:api|app|cli|core|sources|ui)[./][a-z_./]+?)(?:\.py\b|`)"
)
SLOW_MODULES = {"PySide6", "cv2", *LATE_MODULES}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_longer_than_600_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


def test_no_function_is_longer_than_50_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in PACKAGE
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 50
    ]

    assert long == []


def test_a_class_has_its_name_to_itself() -> None:
    """Of the Python API, a class is called as the one it wraps; a switch, as in other scorers."""
    places: dict[str, list[str]] = {}
    for path in PACKAGE:
        for node in ast.parse(path.read_text("utf-8")).body:
            is_switch = isinstance(node, ast.ClassDef) and "Switch" in map(ast.unparse, node.bases)
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not is_switch:
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))

    shared = {name: found for name, found in places.items() if len(found) > 1}

    assert {name for name, found in shared.items() if "api" in found[0]} == {
        *("Dataset", "Submission", "Task", "Trial"),
    }
    assert {name for name, found in shared.items() if "api" not in found[0]} == set()


def test_no_folder_holds_more_than_25_modules() -> None:
    modules = Counter(path.parent for path in SOURCES if path.name != "__init__.py")

    crowded = {
        str(folder.relative_to(ROOT)): n for folder, n in modules.items() if n > MOST_MODULES
    }

    assert crowded == {}


def rooms_in(folder: Path) -> Iterator[str]:
    """The folders below, with what each is for, in the order of their contract."""
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    container = ".".join(folder.relative_to(ROOT).parts)
    order = [
        room.strip()
        for contract in setup["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == [container]
        for row in contract["layers"]
        for room in row.split("|")
    ]
    # Where no contract orders them, by name: folders list their entries in any order.
    rooms = sorted(path.parent for path in folder.glob("*/__init__.py"))
    for room in sorted(rooms, key=lambda room: (order.index(room.name) if order else 0, room)):
        says = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""
        purpose = says.split("\n")[0].rstrip(".").replace("`", "")
        indent = "  " * len(room.relative_to(ROOT / "forensicviewer").parts)
        yield f"{indent}{room.name}".ljust(17) + purpose
        yield from rooms_in(room)


def test_the_readme_shows_the_rooms_there_are() -> None:
    shown = (ROOT / "README.md").read_text("utf-8").split("```\nforensicviewer/\n")[1]

    assert shown.split("\n```")[0].split("\n") == list(rooms_in(ROOT / "forensicviewer"))


def test_tests_lie_in_the_folders_of_the_rooms_they_test() -> None:
    floors = [path.name for path in (ROOT / "forensicviewer").iterdir() if path.is_dir()]
    folders = {
        path.parent.relative_to(ROOT / "tests")
        for floor in floors
        for path in (ROOT / "tests" / floor).rglob("test_*.py")
    }

    strange = [each for each in folders if not (ROOT / "forensicviewer" / each).is_dir()]

    assert strange == []
    assert len(folders) > 40


# Each of them was several things once.
ONE_MEANING = {"Finding", "Outcome", "Place", "Progress", "Selection", "Side"}


def test_a_package_does_not_import_its_own_modules() -> None:
    """Else Python finds a deadlock when one thread imports the package, another such a module.

    Of these, only the main thread imports anything.
    """
    by_main_thread = {"forensicviewer.cli", "forensicviewer.cli.score", "forensicviewer.api"}
    by_main_thread |= {"forensicviewer.app.validation"}
    found = set()
    for path in PACKAGE:
        package = ".".join(path.parent.relative_to(ROOT).parts)
        if path.name == "__init__.py" and package not in by_main_thread:
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{package}."):
                    found.add(package)

    assert found == set()


def test_a_word_of_the_house_has_one_definition() -> None:
    defined = Counter(
        name
        for path in SOURCES
        if path.is_relative_to(ROOT / "forensicviewer")
        for name in re.findall(
            r"^(?:class )?([A-Z]\w+)(?:: TypeAlias)?(?:\(.*\)| = .*)?:?$",
            path.read_text("utf-8"),
            re.MULTILINE,
        )
    )

    assert {name: defined[name] for name in ONE_MEANING} == dict.fromkeys(ONE_MEANING, 1)


def has_module(path: Path) -> bool:
    return path.with_suffix(".py").is_file()


def test_modules_named_in_texts_exist() -> None:
    texts = [ROOT / "README.md", ROOT / "Makefile", ROOT / "resources" / "style.qss"]
    texts += [path for path in SOURCES if not path.is_relative_to(ROOT / "tests")]
    package = ROOT / "forensicviewer"

    named = [
        (path.name, package / module.replace(".", "/"))
        for path in texts
        for module in MODULE.findall(path.read_text("utf-8"))
    ]
    gone = [each for each in named if not each[1].is_dir() and not has_module(each[1])]

    assert gone == []
    assert len(named) > 5


def test_the_command_line_imports_nothing_slow() -> None:
    assert SLOW_MODULES.isdisjoint(modules_after("import forensicviewer.cli"))


def test_the_package_imports_nothing_but_itself() -> None:
    program = "import sys, forensicviewer\nassert 'forensicviewer.api' not in sys.modules"

    assert set(modules_after(program)) - set(modules_after("pass")) == {"forensicviewer"}


@pytest.mark.ui
def test_the_window_imports_nothing_slow_before_it_is_painted() -> None:
    found = modules_after(
        "from forensicviewer.ui.shell.start import *\n"
        "application = make_application()\n"
        "window = make_window(make_desk(Settings()), application)\n"
        "window.show()\n"
        "application.processEvents()"
    )

    assert "PySide6" in found
    assert (LATE_MODULES | {"numpy", "cv2"}).isdisjoint(found)


@pytest.mark.ui
def test_the_window_needs_no_scorer_before_something_is_open() -> None:
    rooms = {
        *("app.masks.counting", "app.trials.scoreboard", "app.judging.verdict_log"),
        *("sources.layouts", "sources.video", "sources.media", "ui.panes", "ui.dialogs.help"),
    }
    program = (
        "import sys\nfrom forensicviewer.ui.shell import start, window\n"
        f"assert not {{'forensicviewer.' + room for room in {rooms}}} & sys.modules.keys()"
    )

    assert "PySide6" in modules_after(program)


def modules_after(program: str) -> list[str]:
    """The top-level modules a fresh Python has imported once a program has run."""
    telling = "import os, sys; print(*{name.split('.')[0] for name in sys.modules}, flush=True)"
    printed = subprocess.run(
        # Left without ceremony: what a window's threads do at the end is not asked here.
        [sys.executable, "-c", f"{program}\n{telling}; os._exit(0)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return printed.split()


def test_licences_name_every_package_the_program_is_built_with() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    licences = (ROOT / "resources" / "licences.txt").read_text(encoding="utf-8").casefold()
    called = {"PySide6-Essentials": "PySide6", "opencv-python-headless": "OpenCV", "av": "PyAV"}

    names = {re.split("[<>=;]", each)[0] for each in project["dependencies"]}

    assert len(names) > 15
    assert {n for n in names if called.get(n, n).casefold() not in licences} == set()


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

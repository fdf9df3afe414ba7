"""The names of the Python API: all there, all explained, none loaded before it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib.resources import files

import pytest

import forensicviewer as fv


def test_the_names_are_listed_before_they_are_loaded() -> None:
    program = "import forensicviewer as fv; print(*dir(fv))"

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.split() == sorted(fv.__all__)


@pytest.mark.parametrize("name", [name for name in fv.__all__ if name != "__version__"])
def test_every_name_explains_itself(name: str) -> None:
    found = getattr(fv, name)

    assert len(inspect.getdoc(found) or "") > 30
    if inspect.isclass(found) and found.__module__.startswith("forensicviewer.api"):
        public = {key: each for key, each in vars(found).items() if not key.startswith("_")}
        members = [
            key for key, each in public.items() if callable(each) or hasattr(each, "__get__")
        ]
        assert [key for key in members if not inspect.getdoc(public[key])] == []


def test_a_misspelt_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'open_datset'"):
        _ = fv.open_datset  # type: ignore[attr-defined] # which type checkers see as well


def test_the_package_is_typed() -> None:
    assert files("forensicviewer").joinpath("py.typed").is_file()

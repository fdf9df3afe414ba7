"""Which problems are told, and how often."""

from dataclasses import replace

from forensicviewer.app.workbench.problems import drop_repeats
from forensicviewer.core.problem import Problem, Severity

NOTE = Problem(Severity.NOTE, "The file does not exist", "world/a.jpg", rule="codec.missing")
OTHER = replace(NOTE, where="world/b.jpg")


def test_what_is_a_note_here_and_an_error_there_is_drop_repeats_as_an_error() -> None:
    error = replace(NOTE, severity=Severity.ERROR)

    assert drop_repeats([NOTE, OTHER, error]) == (error, OTHER)
    assert drop_repeats([error, NOTE, error]) == (error,)

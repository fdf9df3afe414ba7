"""Which problems are told, and how often."""

from dataclasses import replace

from forensicviewer.app.workbench.problems import told_once
from forensicviewer.core.problem import Problem, Severity

NOTE = Problem(Severity.NOTE, "The file does not exist", "world/a.jpg", rule="codec.missing")
OTHER = replace(NOTE, where="world/b.jpg")


def test_what_is_a_note_here_and_an_error_there_is_told_once_as_an_error() -> None:
    error = replace(NOTE, severity=Severity.ERROR)

    assert told_once([NOTE, OTHER, error]) == (error, OTHER)
    assert told_once([error, NOTE, error]) == (error,)

"""Errors carry what a user is told, from one process to another as well."""

import pickle

from forensicviewer.core.problem import CodecError


def test_an_error_comes_home_from_a_worker_with_all_it_says() -> None:
    error = CodecError("The mask is broken", where="p1.png", hint="write it again", rule="codec")

    home = pickle.loads(pickle.dumps(error))

    assert type(home) is CodecError
    assert (str(home), home.as_problem()) == (str(error), error.as_problem())

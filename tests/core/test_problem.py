"""Errors carry what a user is told, from one process to another as well."""

import pickle

from forensicviewer.core.problem import CodecError, Problem, ProblemLog, Severity, Topic, TrialId


def test_an_error_comes_home_from_a_worker_with_all_it_says() -> None:
    error = CodecError("The mask is broken", where="p1.png", hint="write it again", rule="codec")

    home = pickle.loads(pickle.dumps(error))

    assert type(home) is CodecError
    assert (str(home), home.as_problem()) == (str(error), error.as_problem())


def test_a_log_about_a_trial_writes_into_the_whole_log_with_the_trial() -> None:
    log = ProblemLog()

    log.warn("The table is odd")
    log.about(TrialId("p1")).error("The mask is broken", where="p1.png")
    log.about(TrialId("p2")).add(Problem(Severity.NOTE, "of another", trial=TrialId("p3")))

    assert [problem.trial for problem in log] == [None, "p1", "p3"]


def test_what_several_trials_share_is_one_problem_of_the_first() -> None:
    log = ProblemLog()

    for trial in ("p1", "p2"):
        log.about(TrialId(trial)).error("There is no such file", where="donor.png")

    assert [problem.trial for problem in log] == ["p1"]


def test_a_log_of_the_programs_own_files_says_so() -> None:
    log = ProblemLog(topic=Topic.PROGRAM)

    log.note("The setting is not understood")
    log.about(TrialId("p1")).warn("The store is broken")

    assert {problem.topic for problem in log} == {Topic.PROGRAM}

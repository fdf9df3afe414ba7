"""Inspect, score and judge media-forensics results.

The Python API, for notebooks and scripts::

    import forensicviewer as fv

    dataset = fv.open_dataset("MFC2019")
    task = dataset.task("manipulation")
    submission = task.open_submission("p-good_1_MFC2019-image")
    result = fv.score(task, submission, kind="mask")
    trial = fv.load_trial(task, submission, "MFC2019_1002")

Everything is loaded when it is first used, so that importing the package costs nothing.
"""

__version__ = "0.1.0"

# As type checkers understand it; the module ``typing`` would be most of the time of this import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from forensicviewer.api import (
        Dataset,
        ForensicViewerError,
        Region,
        ScoreOptions,
        ScoreResult,
        Submission,
        Task,
        Trial,
        TrialSide,
        Video,
        lenses,
        load_trial,
        open_dataset,
        open_video,
        provenance_graph,
        read_image,
        results_grid,
        robustness,
        score,
    )
else:
    # Unknown to type checkers, which would take every misspelt name for one of these.
    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from forensicviewer import api

        return getattr(api, name)

    def __dir__() -> list[str]:
        return sorted(__all__)


__all__ = [
    "Dataset",
    "ForensicViewerError",
    "Region",
    "ScoreOptions",
    "ScoreResult",
    "Submission",
    "Task",
    "Trial",
    "TrialSide",
    "Video",
    "__version__",
    "lenses",
    "load_trial",
    "open_dataset",
    "open_video",
    "provenance_graph",
    "read_image",
    "results_grid",
    "robustness",
    "score",
]

"""The Python API: what ``import forensicviewer as fv`` offers.

A thin floor over ``app``: scores come from the functions of the command line, trials from those of
the window, and what they give is put into pandas tables, numpy arrays and networkx graphs.
"""

from forensicviewer.api.benchmark import results_grid, robustness
from forensicviewer.api.dataset import Dataset, Submission, Task, open_dataset
from forensicviewer.api.graph import provenance_graph
from forensicviewer.api.media import Video, open_video, read_image
from forensicviewer.api.scoring import ScoreOptions, ScoreResult, score
from forensicviewer.api.trial import Trial, TrialSide, lenses, load_trial
from forensicviewer.core.mask import Region
from forensicviewer.core.problem import ForensicViewerError

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

"""The command that computes what the window shows."""

import shlex
from pathlib import Path

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.score_command import score_command
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.model import Edition
from forensicviewer.core.rules import PLAN
from forensicviewer.sources.media.masks import read_colour_reference
from tests.bench_build import put_dataset, put_submission
from tests.build import Built, a_dataset, blurred, box, write_png, write_table

BOTH = {"PasteSplice": box(4, 4, 20, 20), "Heal": box(30, 10, 50, 40)}


def a_bench(folder: Path) -> tuple[Workbench, Built]:
    facts = {"ProbeBitPlaneMaskFileName": "planes.jp2"}
    built = a_dataset(folder).nist("NC2017").with_trial("p1", manipulated=BOTH, facts=facts)
    written = built.with_answer("p1", blurred()).write()
    bench = Workbench(inline_jobs())
    put_dataset(bench, written.root)
    return bench, written


def test_without_answers_there_is_nothing_to_compute(tmp_path: Path) -> None:
    assert score_command(a_bench(tmp_path)[0].state) == ""


def test_what_differs_from_the_usual_is_named(tmp_path: Path) -> None:
    bench, built = a_bench(tmp_path / "with a blank")
    put_submission(bench, built.submission)
    bench.set_threshold(200)
    plain = shlex.split(score_command(bench.state))
    bench.set_kernels(Kernels(KernelShape.DISC, erode_px=3, dilate_px=11, distraction_px=5))
    bench.set_scoring(uses_bit_planes=True, honours_opt_out=True)
    bench.set_selected_operations([0])

    words = shlex.split(score_command(bench.state))

    assert plain[3:5] == [str(built.root), str(built.submission)]
    assert plain[plain.index("--threshold") + 1] == "55"
    assert not {"--kernel", "--erode", "--query-manipulation", "--bit-planes"} & set(plain)
    for option, value in (("--kernel", "disc"), ("--erode", "3"), ("--distraction", "5")):
        assert words[words.index(option) + 1] == value
    assert "--dilate" not in words
    assert {"--bit-planes", "--opt-out-pixels"} <= set(words)
    assert words[words.index("--query-manipulation") + 1] == "Operation==['PasteSplice']"


def test_a_kernel_that_is_usual_elsewhere_is_named(tmp_path: Path) -> None:
    bench, built = a_bench(tmp_path)
    put_submission(bench, built.submission)

    bench.set_rules(PLAN)
    bench.set_kernels(Kernels(distraction_px=15))
    words = shlex.split(score_command(bench.state))

    assert words[words.index("--distraction") + 1] == "15"


def test_a_reference_of_unknown_year_has_nists_thresholds(tmp_path: Path) -> None:
    _, built = a_bench(tmp_path)
    mask = built.root / "reference" / "manipulation" / "mask" / "p1.png"
    write_png(tmp_path / "mine" / "mask.png", read_colour_reference(mask))
    index = [["manipulation", "p1", "p1.png", "64", "48"]]
    write_table(tmp_path / "mine" / "indexes" / "own-manipulation-index.csv", INDEX, index)
    rows = [["manipulation", "p1", "p1.png", "Y", "mask.png"]]
    write_table(tmp_path / "mine" / "reference" / "own-manipulation-ref.csv", REFERENCE, rows)
    bench = Workbench(inline_jobs())

    put_dataset(bench, tmp_path / "mine")
    put_submission(bench, built.submission)
    bench.set_threshold(200)

    assert bench.state.task is not None
    assert bench.state.task.edition is Edition.UNKNOWN
    assert "--threshold 55" in score_command(bench.state)


INDEX = ("TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight")
REFERENCE = ("TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName")

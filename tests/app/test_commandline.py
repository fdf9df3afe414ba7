"""The command that computes what the window shows."""

import shlex
from pathlib import Path

from forensicviewer.app.commandline import score_command
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.kernel import KernelShape
from forensicviewer.core.mask import Kernels
from tests.build import Built, a_dataset, blurred, box

BOTH = {"PasteSplice": box(4, 4, 20, 20), "Heal": box(30, 10, 50, 40)}


def a_bench(folder: Path) -> tuple[Workbench, Built]:
    built = a_dataset(folder).nist("NC2017").with_trial("p1", manipulated=BOTH)
    written = built.with_answer("p1", blurred()).write()
    bench = Workbench(inline_jobs())
    bench.open_dataset(written.root)
    return bench, written


def test_without_answers_there_is_nothing_to_compute(tmp_path: Path) -> None:
    assert score_command(a_bench(tmp_path)[0].state) == ""


def test_what_differs_from_the_usual_is_named(tmp_path: Path) -> None:
    bench, built = a_bench(tmp_path / "with a blank")
    bench.open_submission(built.submission)
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

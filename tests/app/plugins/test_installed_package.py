"""A package of somebody else, installed by pip, adds a lens, a layout, a metric and a codec."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.build import Built, a_dataset, box, exact

MODULE = """
import numpy as np
from pathlib import Path
from forensicviewer.core.lens.lens import Lens, Parameter
from forensicviewer.core.metric import MetricNote
from forensicviewer.sources.layouts import DatasetLayout, Detection
from forensicviewer.sources.media.codecs import Codec


def invert(image, values):
    return 255 - image.pixels // values["by"]


LENS = Lens("acme-invert", "Inverted", "Turned round", invert, (Parameter("by", "By", 1, 1, 4),), 0)
METRIC = MetricNote("Acme", "Hits", "TP", None, lambda sweep, t: float(sweep.tp[t]), is_count=True)
FAILING_METRIC = MetricNote("AcmeBad", "Fails", "-", None, lambda sweep, t: 1 / 0)


def decode(encoded):
    height, width = encoded[4], encoded[5]
    return np.frombuffer(encoded[6:], np.uint8).reshape(height, width)


CODEC = Codec("acme-raw", lambda start: start.startswith(b"ACME"), decode)


def detect(path):
    if (path / "acme.txt").exists():
        return Detection("acme", (), ("manipulation",), ("acme.txt",))


def read(path, progress):
    from forensicviewer.sources.layouts import nist
    return nist.read_dataset(path / (path / "acme.txt").read_text().strip(), progress=progress)


def layouts():
    return [DatasetLayout("acme", detect, read)]


def raises():
    raise RuntimeError("the licence has expired")


NOT_A_LENS = object()
TAKEN = Lens("ela", "Mine", "", invert)
"""
ENTRIES = """
[forensicviewer.lenses]
invert = acme_forensics:LENS
missing = acme_forensics:NOWHERE
raises = acme_forensics:raises
odd = acme_forensics:NOT_A_LENS
taken = acme_forensics:TAKEN

[forensicviewer.layouts]
acme = acme_forensics:layouts

[forensicviewer.metrics]
hits = acme_forensics:METRIC
bad = acme_forensics:FAILING_METRIC

[forensicviewer.codecs]
raw = acme_forensics:CODEC
"""
METADATA = "Metadata-Version: 2.1\nName: acme-forensics\nVersion: 1.5\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the wheel installed."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = folder / "acme_forensics-1.5-py3-none-any.whl"
    info = "acme_forensics-1.5.dist-info"
    files = {
        "acme_forensics.py": MODULE,
        f"{info}/METADATA": METADATA,
        f"{info}/WHEEL": WHEEL,
        f"{info}/entry_points.txt": ENTRIES,
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in files))
    target = folder / "site"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet"),
            *("--disable-pip-version-check", "--target", str(target), str(wheel)),
        ],
        check=True,
    )
    return target


@pytest.fixture
def built(tmp_path: Path) -> Built:
    dataset = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(10, 10, 30, 30))
    return dataset.with_answer("p1", exact()).write()


def run(site: Path, *arguments: object, program: str = "") -> subprocess.CompletedProcess[str]:
    started = ["-c", program] if program else ["-m", "forensicviewer"]
    return subprocess.run(
        [sys.executable, *started, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(site), "QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )


def test_the_command_lists_what_was_added_and_what_failed(site: Path) -> None:
    done = run(site, "plugins", "--json")

    document = json.loads(done.stdout)
    added = {(part["kind"], part["name"]) for part in document["parts"] if not part["built_in"]}
    assert added == {
        ("lenses", "acme-invert"),
        ("layouts", "acme"),
        ("metrics", "Acme"),
        ("metrics", "AcmeBad"),
        ("codecs", "acme-raw"),
    }
    assert len(document["problems"]) == 4
    said = " ".join(document["problems"])
    for part in ("NOWHERE", "the licence has expired", "not a forensicviewer.core", "name ela"):
        assert part in said
    assert "acme-forensics 1.5" in said
    assert done.returncode == 1


def test_the_built_in_parts_come_through_the_same_registries(tmp_path: Path) -> None:
    document = json.loads(run(tmp_path, "plugins", "--json").stdout)

    named = {(part["kind"], part["name"]) for part in document["parts"]}
    assert {("layouts", "nist"), ("layouts", "genai"), ("layouts", "imdl")} < named
    codecs = {name for kind, name in named if kind == "codecs"}
    assert {"png", "jpeg", "tiff", "jpeg-2000", "npz", "webp", "avif"} < codecs
    assert {("lenses", "ela"), ("metrics", "MCC")} < named


def test_without_the_package_there_are_only_the_built_in_ones(tmp_path: Path) -> None:
    document = json.loads(run(tmp_path, "plugins", "--json").stdout)

    assert all(part["built_in"] for part in document["parts"])
    assert document["problems"] == []


def test_an_added_lens_draws_like_a_built_in_one(site: Path, built: Built, tmp_path: Path) -> None:
    out = tmp_path / "drawn.png"

    done = run(site, "render", built.root, "--layout", "lens:acme-invert:by=2", "--out", out)

    assert (done.returncode, out.exists()) == (0, True), done.stderr


def test_an_added_layout_opens_what_it_knows(site: Path, built: Built) -> None:
    (built.root.parent / "acme.txt").write_text(built.root.name)

    done = run(site, "info", built.root.parent, "--json")

    assert done.returncode == 0, done.stderr
    assert "p1" in run(site, "trials", built.root.parent, "--task", "manipulation").stdout


def test_an_added_codec_reads_masks_and_images_where_all_are_read(
    site: Path, built: Built, tmp_path: Path
) -> None:
    probe = next((built.root / "probe").iterdir())
    grey = cv2.imread(str(probe), cv2.IMREAD_GRAYSCALE)
    assert grey is not None
    probe.write_bytes(b"ACME" + bytes(grey.shape) + np.asarray(grey).tobytes())
    program = (
        "import sys, forensicviewer as fv\n"
        "image = fv.read_image(sys.argv[1])\n"
        "print(image.shape, int(image.sum()))"
    )

    done = run(site, probe, program=program)

    assert done.stdout.strip() == f"{(*grey.shape, 3)} {3 * int(grey.astype(int).sum())}"
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"ACME\x09\x09\x01")
    assert (
        "The plug-in acme-raw (codecs) cannot read the file"
        in run(site, damaged, program=program).stderr
    )


def test_an_added_metric_has_its_row_and_a_failing_one_is_a_problem(
    site: Path, built: Built
) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from forensicviewer.app.session.plugin_check import watch_plugins\n"
        "from forensicviewer.app.workbench.bench import Workbench\n"
        "from forensicviewer.app.runtime.jobs import inline_jobs\n"
        "from forensicviewer.app.plugins.metrics import METRICS\n"
        "from forensicviewer.app.workbench.metric_values import metric_values\n"
        "from forensicviewer.app.datasets.opening import open_dataset, open_submission\n"
        "from forensicviewer.core.mask import Kernels\n"
        "bench = Workbench(inline_jobs())\n"
        "dataset = open_dataset(Path(sys.argv[1]))\n"
        "submission = open_submission(Path(sys.argv[2]), task=dataset.tasks[0])\n"
        "bench.show_dataset(dataset, dataset.tasks[0], submissions=(submission,))\n"
        "names = [note.name for note in METRICS]\n"
        "values = metric_values(bench.state, 0, 128)\n"
        "shown = dict(zip(names, values))\n"
        "print(shown['Acme'].short, repr(shown['AcmeBad'].short))\n"
        "watch_plugins(bench)\n"
        "bench.set_kernels(Kernels(erode_px=3))\n"
        "print([p.message for p in bench.state.problems if 'AcmeBad' in p.message])\n"
    )

    done = run(site, built.root, built.submission, program=program)

    lines = done.stdout.strip().split("\n")
    assert lines[0] == "36 ''", done.stderr  # 20 by 20 px eroded by 15 leaves 6 by 6
    assert "The plug-in AcmeBad (metrics) cannot be used: ZeroDivisionError" in lines[1]

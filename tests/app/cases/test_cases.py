"""A case opens elsewhere to the same numbers and pixels, and a hostile one is refused."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.app.cases.manifest import Manifest
from forensicviewer.app.cases.opening import open_case
from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.judging.verdict_log import VerdictBook, verdict_folder
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Ruling
from tests.build import Built, a_dataset, box, shifted

HOSTILE = "=cmd|'/c calc'!A1 <script>alert(1)</script>\u202e"


def build(folder: Path, *, donor: str = "") -> Built:
    made = a_dataset(folder).nist("NC2017")
    for name, by_px in (("p1", 8), ("p2", 3)):
        made = made.with_trial(name, manipulated=box(10, 10, 40, 40), donor=donor)
        made = made.with_answer(f"{name}+{donor}" if donor else name, shifted(by_px))
    return made.write()


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return build(tmp_path / "here")


def write(built: Built, out: Path, *words: str, trial: str = "p1") -> Path:
    command = ["case", "write", str(built.root), str(built.submission), "--trial", trial]
    assert main([*command, "--out", str(out), "--who", "Ada", "--quiet", *words]) == 0
    return out


def optimum(dataset: Path, submission: Path, out: Path, trial: str) -> str:
    main(["score", "mask", str(dataset), str(submission), "--out", str(out), "--quiet"])
    head, *rows = (
        line.split("|") for line in next(out.glob("*perimage.csv")).read_text("utf-8").splitlines()
    )
    records = [dict(zip(head, row, strict=True)) for row in rows]
    column = "pOptimumMCC" if "pOptimumMCC" in head else "OptimumMCC"
    return next(r[column] for r in records if r["ProbeFileID"] == trial)


@pytest.mark.parametrize("donor", ["", "d1"])
def test_a_case_gives_the_same_number_where_the_dataset_never_was(
    tmp_path: Path, donor: str
) -> None:
    built = build(tmp_path / "here", donor=donor)
    trial = "p1+d1" if donor else "p1"
    expected = optimum(built.root, built.submission, tmp_path / "scores", "p1")
    case = write(built, tmp_path / "c1.fvcase", trial=trial)
    away = tmp_path / "another machine" / "home"
    away.mkdir(parents=True)
    shutil.move(case, away / case.name)
    shutil.rmtree(built.root)
    shutil.rmtree(built.submission)

    opened = open_case(away / case.name, away / "opened")

    assert [one.is_same for one in opened.findings] == [True]
    assert expected in opened.findings[0].words
    assert optimum(opened.dataset, opened.submissions[0], away / "scores", "p1") == expected
    assert "p2" not in {path.stem for path in opened.folder.rglob("*")}
    assert str(tmp_path) not in json.dumps(opened.manifest.content)
    words = ["case", "verify", str(away / case.name), "--quiet"]
    assert main(words) == 0


def test_verdicts_go_along_and_nothing_is_replaced(built: Built, tmp_path: Path) -> None:
    book = VerdictBook(verdict_folder(open_dataset(built.root)), judge="Grace")
    book.say(TrialId("p1"), Ruling.LEAVE_OUT, note=HOSTILE, facts={}, task="manipulation")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    case = write(built, tmp_path / "c1.fvcase")

    assert all(path.read_bytes() == content for path, content in before.items())
    (verdict,) = Manifest(_manifest(case)).content["verdicts"]
    assert (verdict["judge"], verdict["ruling"], verdict["note"]) == ("Grace", "leave-out", HOSTILE)
    with zipfile.ZipFile(case) as packed:
        page = packed.read("report.html").decode()
    assert "Grace" in page
    assert "<script" not in page
    command = ["case", "write", str(built.root), str(built.submission), "--trial", "p1"]
    content = case.read_bytes()
    assert main([*command, "--out", str(case), "--quiet"]) == 2
    assert case.read_bytes() == content
    (tmp_path / "there").mkdir()
    assert main(["case", "open", str(case), "--into", str(tmp_path / "there"), "--quiet"]) == 2


def test_what_is_withheld_is_a_named_gap(built: Built, tmp_path: Path) -> None:
    case = write(built, tmp_path / "c1.fvcase", "--without", "probe", "--anonymise")

    opened = open_case(case, tmp_path / "opened")

    (gap,) = opened.manifest.gaps
    assert (gap.role, len(gap.sha256), gap.why) == ("probe", 64, "withheld")
    assert not list(opened.folder.rglob("probe/*.png"))
    assert built.submission.name not in json.dumps(opened.manifest.content)
    assert [one.is_same for one in opened.findings] == [False, True]


def test_a_number_whose_mask_is_withheld_is_recorded_and_not_checked(
    built: Built, tmp_path: Path
) -> None:
    case = write(built, tmp_path / "c1.fvcase", "--without", "system-mask")

    opened = open_case(case, tmp_path / "opened")

    assert "Recorded, not checked" in opened.findings[-1].words
    assert not opened.is_different
    assert opened.manifest.measured[0].metrics["MCC"]


@pytest.mark.parametrize("name", ["we:ird <b>", "nul", "trailing. "])
def test_a_dataset_of_an_odd_name_can_be_opened_elsewhere(
    built: Built, tmp_path: Path, name: str
) -> None:
    odd = built.root.rename(built.root.with_name(name))
    case = tmp_path / "c1.fvcase"
    words = ["case", "write", str(odd), str(built.submission), "--trial", "p1"]

    assert main([*words, "--out", str(case), "--quiet"]) == 0

    assert [one.is_same for one in open_case(case, tmp_path / "opened").findings] == [True]


def test_handing_on_adds_a_line_of_custody(built: Built, tmp_path: Path) -> None:
    case = write(built, tmp_path / "c1.fvcase")
    second = tmp_path / "c2.fvcase"

    words = ["case", "hand-on", str(case), "--who", "Grace", "--out", str(second), "--quiet"]
    assert main(words) == 0

    opened = open_case(second, tmp_path / "opened")
    assert [one.who for one in opened.manifest.custody] == ["Ada", "Grace"]
    assert len({one.content for one in opened.manifest.custody}) == 1
    assert opened.manifest.custody[0].content == opened.manifest.digest


def _manifest(case: Path) -> dict[str, Any]:
    with zipfile.ZipFile(case) as packed:
        content: dict[str, Any] = json.loads(packed.read("manifest.json"))
    return content


def repack(
    case: Path,
    change: Callable[[dict[str, Any], dict[str, bytes]], None],
    more: Callable[[zipfile.ZipFile], object] = lambda _packed: None,
) -> Path:
    """The case with its manifest and entries changed, and more entries added."""
    with zipfile.ZipFile(case) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    manifest = json.loads(entries.pop("manifest.json"))
    change(manifest, entries)
    out = case.with_name("hostile.fvcase")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("manifest.json", json.dumps(manifest))
        for name, content in entries.items():
            packed.writestr(name, content)
        more(packed)
    return out


def _link(packed: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("dataset/link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed.writestr(entry, "/etc/passwd")


def _listed(name: str, content: bytes = b"x") -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def change(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
        entries[name] = content
        manifest["files"].append({"path": name, "size": len(content), "sha256": "0" * 64})

    return change


def _other_pixels(_manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    name = next(name for name in entries if "/mask/" in name and name.startswith("submissions"))
    entries[name] += b"\0"


def _other_number(manifest: dict[str, Any], _entries: dict[str, bytes]) -> None:
    manifest["measured"][0]["metrics"]["MCC"] = 0.99


def _other_judge(manifest: dict[str, Any], _entries: dict[str, bytes]) -> None:
    manifest["custody"][0]["content"] = "0" * 64


def _large(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    _listed("dataset/bomb", b"\0" * (80 << 20))(manifest, entries)


def _less(_manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    entries.pop("report.html")


def _repeated(manifest: dict[str, Any], _entries: dict[str, bytes]) -> None:
    manifest["measured"] *= 201


def _odd(name: str, value: object) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    return lambda manifest, _entries: manifest.update({name: value})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_listed("../evil"), "leaves its folder"),
        (_listed("/tmp/evil"), "absolute"),
        (_listed("dataset/..\\evil"), "leaves its folder"),
        (_listed("C:/evil"), "absolute"),
        (_listed("dataset/nul.txt"), "every system"),
        (_listed("dataset/a//b"), "every system"),
        (_listed("REPORT.HTML"), "occurs twice"),
        (_listed("report.html/inner"), "report.html"),
        (_other_pixels, "differs from the manifest|larger than the manifest says"),
        (_other_number, "custody"),
        (_other_judge, "custody"),
        (_large, "grows to more than|differs from the manifest|larger"),
        (_less, "missing"),
        (_repeated, "more than 200 numbers"),
        (_odd("version", 99), "version"),
        (_odd("format", "x"), "not a case"),
        (_odd("files", 3), "list the files"),
        (_odd("measured", [{"threshold": "x"}]), "cannot be read"),
        (_odd("submissions", [{"name": "a", "path": "../../etc"}]), "leaves its folder"),
        (_odd("dataset", "../.."), "leaves its folder"),
    ],
)
def test_a_hostile_case_is_refused_and_leaves_nothing(
    built: Built,
    tmp_path: Path,
    change: Callable[[dict[str, Any], dict[str, bytes]], None],
    words: str,
) -> None:
    hostile = repack(write(built, tmp_path / "c1.fvcase"), change)
    before = set(tmp_path.rglob("*"))

    with pytest.raises(ForensicViewerError, match=words):
        open_case(hostile, tmp_path / "opened")

    assert set(tmp_path.rglob("*")) == before
    assert main(["case", "verify", str(hostile), "--quiet"]) == 3


def test_a_dataset_name_longer_than_any_file_name_is_a_finding(
    built: Built, tmp_path: Path
) -> None:
    def change(manifest: dict[str, Any], _entries: dict[str, bytes]) -> None:
        manifest["dataset"] = "x" * 300
        del manifest["custody"]
        manifest.update(Manifest(manifest).handed_on("Ada", "written").content)

    opened = open_case(repack(write(built, tmp_path / "c1.fvcase"), change), tmp_path / "opened")

    assert [one.is_different for one in opened.findings] == [True]
    assert "File name too long" in opened.findings[0].words


def test_links_strangers_and_twins_are_refused(built: Built, tmp_path: Path) -> None:
    case = write(built, tmp_path / "c1.fvcase")
    keep: Callable[[dict[str, Any], dict[str, bytes]], None] = lambda _m, _e: None  # noqa: E731

    with pytest.raises(ForensicViewerError, match="not a plain file"):
        open_case(repack(case, keep, _link), tmp_path / "opened")
    with pytest.raises(ForensicViewerError, match="not in the manifest"):
        open_case(repack(case, keep, lambda z: z.writestr("more", "x")), tmp_path / "opened")
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        pytest.raises(ForensicViewerError, match="occurs twice"),
    ):
        open_case(repack(case, keep, lambda z: z.writestr("report.html", "x")), tmp_path / "opened")


@pytest.mark.parametrize("at", [0.0, 0.3, 0.6, 0.99])
def test_a_cut_or_damaged_file_is_refused(built: Built, tmp_path: Path, at: float) -> None:
    case = write(built, tmp_path / "c1.fvcase")
    content = bytearray(case.read_bytes())
    cut, turned = tmp_path / "cut.fvcase", tmp_path / "turned.fvcase"
    cut.write_bytes(content[: int(at * len(content))])
    content[int(at * (len(content) - 1))] ^= 0xFF
    turned.write_bytes(content)

    for path in (cut, turned):
        assert main(["case", "verify", str(path), "--quiet"]) in (0, 3)
    assert main(["case", "verify", str(cut), "--quiet"]) == 3

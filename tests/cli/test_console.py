import contextlib
import io
import json
import sys
from pathlib import Path

import pytest

from forensicviewer.cli import main
from tests.build import a_dataset


class Narrow(io.TextIOWrapper):
    """Standard output of a terminal that knows few signs."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="ascii")

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("ascii")


def said(*arguments: str) -> str:
    with contextlib.redirect_stdout(Narrow()) as stream:
        assert main(arguments) == 0
    return stream.text()


def test_signs_the_terminal_lacks_are_escaped(tmp_path: Path) -> None:
    built = a_dataset(tmp_path / "é").with_trial("p1").write()

    assert r"\xe9" in said("info", str(built.root))


def test_json_stays_json_in_any_encoding(tmp_path: Path) -> None:
    built = a_dataset(tmp_path / "é→").with_trial("p1").write()

    told = json.loads(said("info", str(built.root), "--json"))

    assert told["dataset"]["root"] == str(built.root)


@pytest.mark.skipif(sys.platform != "linux", reason="only here may names be any bytes")
def test_a_name_that_is_no_text_is_written_and_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = a_dataset(tmp_path / "\udcff").with_trial("p1").with_answer("p1").write()

    out = tmp_path / "out"
    code = main(["score", "detection", str(built.root), str(built.submission), "--out", str(out)])
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))

    assert code in (0, 1)
    assert any("\udcff" in name for name in summary["inputs"])
    assert "bug" not in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="only here may names be any signs")
@pytest.mark.parametrize("sign", ["\x1b", "\x9b", "\u202e", "\u2066", "\x07"])
def test_signs_that_would_steer_the_terminal_are_escaped(
    sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = a_dataset(tmp_path / f"a{sign}b").with_trial("p1").write()

    assert main(["info", str(built.root)]) == 0
    assert main(["info", str(built.root), "--json"]) == 0
    assert main(["info", str(tmp_path / f"a{sign}b" / "nowhere")]) == 3
    with pytest.raises(SystemExit):
        main(["info", str(built.root), f"--odd{sign}"])

    printed = "".join(capsys.readouterr())
    assert sign not in printed
    assert f"a{sign}b".encode("unicode_escape").decode() in printed


def test_json_with_signs_that_steer_terminals_reads_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = a_dataset(tmp_path / "a\u202eb").with_trial("p1").write()

    main(["info", str(built.root), "--json"])

    assert json.loads(capsys.readouterr().out)["dataset"]["root"] == str(built.root)


def test_a_line_break_in_a_name_makes_no_line_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["info", str(tmp_path / "a\nerror: all is lost")])

    assert "\nerror: all" not in capsys.readouterr().err

"""What a decoder cannot do whatever a file makes of it; never skipped on Linux."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.lock import Lock
from forensicviewer.sources.decoders.pool import DecoderPool
from tests.sources.decoders import decoder_deeds as deeds

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux offers a lock to everyone"),
    pytest.mark.usefixtures("pool"),
]


def _refusal(caplog: pytest.LogCaptureFixture) -> str:
    """Why the decoder could not do what it was asked, which is a mistake of ours to it."""
    (record,) = caplog.records
    text = record.getMessage().strip().splitlines()[-1]
    caplog.clear()
    return text


def test_a_decoder_is_locked_by_all_this_system_offers(pool: DecoderPool) -> None:
    assert pool.lock() in (Lock.LANDLOCK_AND_SECCOMP, Lock.SECCOMP)


def test_a_locked_decoder_cannot_open_a_file(caplog: pytest.LogCaptureFixture) -> None:
    assert Path("/etc/hostname").read_text(encoding="utf-8")

    with pytest.raises(CodecError, match="Internal error"):
        deeds.open_by_name("/etc/hostname")

    assert _refusal(caplog).startswith("PermissionError")


def test_a_locked_decoder_cannot_read_the_folder_of_the_file_it_was_given(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "given").write_text("given", encoding="utf-8")
    (tmp_path / "beside").write_text("secret", encoding="utf-8")

    assert deeds.read_bytes(tmp_path / "given") == b"given"
    for name in ("given", "beside"):
        with pytest.raises(CodecError, match="Internal error"):
            deeds.open_by_name(str(tmp_path / name))
        assert _refusal(caplog).startswith("PermissionError")


def test_a_locked_decoder_cannot_create_or_remove_a_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "there").touch()

    for deed, name in ((deeds.create, "new"), (deeds.remove, "there")):
        with pytest.raises(CodecError, match="Internal error"):
            deed(str(tmp_path / name))
        assert _refusal(caplog).startswith("PermissionError")

    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_locked_decoder_cannot_connect_to_anybody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door,
    ):
        door.bind(str(tmp_path / "door"))
        door.listen()
        with pytest.raises(CodecError, match="Internal error"):
            deeds.connect(listening.getsockname()[1])
        assert _refusal(caplog).startswith("PermissionError")
        with pytest.raises(CodecError, match="Internal error"):
            deeds.send_to_door(str(tmp_path / "door"))
        assert _refusal(caplog).startswith("PermissionError")


def test_a_locked_decoder_cannot_run_programs_or_signal_the_asker(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for deed in (deeds.run_program, deeds.signal_asker):
        with pytest.raises(CodecError, match="Internal error"):
            deed()
        assert _refusal(caplog).startswith("PermissionError")


def test_seccomp_alone_keeps_files_and_sockets_shut(tmp_path: Path) -> None:
    program = (
        "import ctypes, socket, sys\n"
        "from pathlib import Path\n"
        "from forensicviewer.sources.decoders.system_calls import forbid\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.prctl(38, 1, 0, 0, 0)\n"
        "assert forbid(libc, opening=True)\n"
        "for attempt in (\n"
        "    lambda: Path('/etc/hostname').read_bytes(),\n"
        "    lambda: Path(sys.argv[1]).write_bytes(b''),\n"
        "    lambda: socket.socket(),\n"
        "):\n"
        "    try:\n"
        "        attempt()\n"
        "    except PermissionError:\n"
        "        print('refused')\n"
    )

    printed = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "new")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert printed.split() == ["refused"] * 3
    assert list(tmp_path.iterdir()) == []

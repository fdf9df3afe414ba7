"""Sound goes to a program of the system, or a reason says why not."""

import shutil
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.temporal.extents import extent_of, extents_in
from forensicviewer.app.temporal.trials import Extent
from forensicviewer.app.video.sound import Listening, Voice, find_voices
from tests.filmmaking import Film, make

FAILING = Voice(sys.executable, ("-c", "import sys; sys.exit('no sound server')"))


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Two seconds with a tone that is loud in the second one."""
    return make(Film("both.mp4", "libx264", frames=60), tmp_path, sound=True)


def copying(target: Path, *, reads_pipe: bool = True) -> Voice:
    """A program that keeps what it is given."""
    source = "sys.stdin.buffer" if reads_pipe else "open(sys.argv[1], 'rb')"
    code = f"import sys; open({str(target)!r}, 'wb').write({source}.read())"
    return Voice(sys.executable, ("-c", code), reads_pipe=reads_pipe)


def played(listening: Listening, film: Path, *, start_s: float = 0.0) -> None:
    """Play to the end."""
    listening.play(film, start_s=start_s)
    assert listening._playing is not None
    listening._playing.wait()


def test_every_program_there_is_may_play(monkeypatch: pytest.MonkeyPatch) -> None:
    there = ("aplay", "ffplay")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in there else None)

    assert [voice.program for voice in find_voices()] == ["/bin/aplay", "/bin/ffplay"]


def test_windows_plays_a_file_by_its_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr(shutil, "which", lambda name: name)

    (voice,) = find_voices()

    assert voice.program == "powershell"
    assert not voice.reads_pipe


def test_without_a_program_the_reason_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, film: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    listening = Listening(find_voices())

    listening.play(film, start_s=0)
    listening.close()

    assert "install pulseaudio-utils" in listening.reason


def test_the_sound_is_piped_from_where_the_picture_is(tmp_path: Path, film: Path) -> None:
    listening = Listening((copying(tmp_path / "heard.raw"),))

    played(listening, film, start_s=0.5)

    heard = np.fromfile(tmp_path / "heard.raw", np.int16).reshape(-1, 2)
    loud = int(np.argmax(np.abs(heard[:, 0]) > 15_000))
    # What the start of the program cost is left out, so that the rest is heard when it is due.
    missed_s = 1.5 - len(heard) / 44_100
    assert loud / 44_100 == pytest.approx(0.5 - missed_s, abs=0.1)
    assert listening.reason == ""


def test_programs_that_want_a_file_get_one(tmp_path: Path, film: Path) -> None:
    played(Listening((copying(tmp_path / "heard.wav", reads_pipe=False),)), film)

    with wave.open(str(tmp_path / "heard.wav")) as sound:
        assert (sound.getnchannels(), sound.getframerate()) == (2, 44_100)
        assert 0.5 < sound.getnframes() / 44_100 <= 2.1


def test_stopping_ends_the_program_at_once(film: Path) -> None:
    listening = Listening((Voice("sleep", ("60",)),))
    listening.play(film, start_s=0)

    listening.close()

    assert listening._playing is not None
    program = listening._playing._program
    assert program is None or program.returncode is not None
    assert listening.reason == ""


def test_a_program_that_fails_gives_way_to_the_next(tmp_path: Path, film: Path) -> None:
    missing = Voice(str(tmp_path / "absent"))
    listening = Listening((missing, FAILING, copying(tmp_path / "heard.raw")))

    played(listening, film)

    assert (tmp_path / "heard.raw").stat().st_size > 44_100
    assert listening.reason == ""


def test_where_every_program_fails_the_reason_says_what_they_say(film: Path) -> None:
    listening = Listening((FAILING,))

    played(listening, film)

    assert "no sound server" in listening.reason


def test_a_probes_extent_is_read_from_its_file(tmp_path: Path) -> None:
    with_sound = make(Film("both.mp4", "libx264", frames=30), tmp_path, sound=True)
    silent = make(Film("silent.mp4", "libx264", frames=30), tmp_path)
    (tmp_path / "broken.mp4").write_bytes(b"broken")
    ask = extents_in(tmp_path)

    found = extent_of(with_sound)

    assert found.frames == 30
    assert found.samples is not None
    assert found.samples_per_frame == pytest.approx(16_000 / 30, rel=0.01)
    assert extent_of(silent) == Extent(frames=30)
    assert ask("both.mp4") == found
    assert [ask(name) for name in ("broken.mp4", "absent.mp4", "../up.mp4")] == [Extent()] * 3

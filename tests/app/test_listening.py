"""Sound goes to a program of the system, or a reason says why not."""

import shutil
import wave
from io import BytesIO
from pathlib import Path

import pytest

from forensicviewer.app.listening import Listening, find_voice, samples_from, wav_of
from forensicviewer.app.media_extent import extent_of, extents_in
from forensicviewer.app.temporal_trials import Extent
from tests.filmmaking import Film, make


def test_the_first_program_there_is_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/aplay" if name == "aplay" else None)

    voice = find_voice()

    assert voice is not None
    assert (voice.program, voice.arguments) == ("/bin/aplay", ("-q",))


def test_windows_plays_by_its_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr(shutil, "which", lambda name: name)

    voice = find_voice()

    assert voice is not None
    assert voice.program == "powershell"


def test_without_a_program_nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    listening = Listening(find_voice())

    listening.play(b"")
    listening.stop()

    assert "cannot be played" in listening.reason


def test_the_sound_starts_where_the_picture_is(tmp_path: Path) -> None:
    path = make(Film("both.mp4", "libx264", frames=60), tmp_path, sound=True)

    content = wav_of(samples_from(path, start_s=0.5), skipped_s=0.5)

    with wave.open(BytesIO(content)) as sound:
        assert (sound.getnchannels(), sound.getframerate()) == (2, 44_100)
        assert sound.getnframes() / 44_100 == pytest.approx(1.0, abs=0.15)


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

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forensicviewer.app.settings import (
    FONT_SCALE,
    SETTINGS,
    THEME,
    THUMBNAILS,
    Choice,
    Setting,
    Settings,
    Text,
    Toggle,
    Whole,
)
from forensicviewer.core.problem import Problem

A_SETTING = st.sampled_from(SETTINGS)


def a_value(setting: Setting[Any]) -> st.SearchStrategy[Any]:
    match setting.kind:
        case Toggle():
            return st.booleans()
        case Choice(titles):
            return st.sampled_from(sorted(titles))
        case Whole(least, most):
            return st.integers(least, most)
        case Text():
            return st.text('añ😀\n\\" ', max_size=9)


@given(drawn=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_again(tmp_path: Path, drawn: st.DataObject) -> None:
    path = tmp_path / "settings.json"
    path.unlink(missing_ok=True)
    written = Settings(path)
    for setting in drawn.draw(st.lists(A_SETTING, unique_by=lambda setting: setting.key)):
        written.change(setting, drawn.draw(a_value(setting)))

    read = Settings(path)

    assert [read.of(setting) for setting in SETTINGS] == [written.of(s) for s in SETTINGS]
    assert read.problems == ()


def test_shortcuts_and_filters_are_kept(tmp_path: Path) -> None:
    written = Settings(tmp_path / "settings.json")

    written.change_shortcuts({"trial.next": ("J",)})
    written.save_filter("worst", {"text": "MCC < 0.2"})

    read = Settings(tmp_path / "settings.json")
    assert read.shortcuts == {"trial.next": ("J",)}
    assert read.filters == {"worst": {"text": "MCC < 0.2"}}


def test_a_value_out_of_bounds_is_refused(tmp_path: Path) -> None:
    kept = Settings(tmp_path / "settings.json")

    with pytest.raises(ValueError, match="5000 is not a valid value of Text size"):
        kept.change(FONT_SCALE, 5000)

    assert kept.of(FONT_SCALE) == 100


def test_an_unknown_value_in_the_file_becomes_a_note_and_the_default(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    values = {"appearance.theme": "purple", "appearance.font_scale": 120, "gone.away": 1}
    path.write_text(json.dumps({"kind": "settings", "version": 2, "values": values}))

    read = Settings(path)

    assert (read.of(THEME), read.of(FONT_SCALE)) == ("system", 120)
    assert len(read.problems) == 2


def test_values_and_keys_of_another_kind_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    document = {
        "kind": "settings",
        "version": 2,
        "values": {"appearance.theme": [], "appearance.palette": {}, "session.judge": 7},
        "shortcuts": {"trial.next": [1, None, "J"], "trial.previous": "P"},
    }
    path.write_text(json.dumps(document))

    read = Settings(path)

    assert read.of(THEME) == "system"
    assert read.shortcuts == {"trial.next": ("J",)}
    assert len(read.problems) == 3


def test_half_a_character_is_refused_because_nobody_could_write_it_again(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"kind": "settings", "version": 2, "filters": {"\\ud800": {"text": "x"}}}')

    read = Settings(path)
    read.change(THEME, "dark")

    assert "an incomplete character" in read.problems[0].message
    assert Settings(path).of(THEME) == "dark"


def test_a_character_of_two_codes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"kind": "settings", "version": 2, "filters": {"\\ud83d\\ude00": {}}}')

    assert list(Settings(path).filters) == ["😀"]


def test_a_file_of_the_first_version_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"kind": "settings", "version": 1, "values": {"theme": "dark"}}))

    assert Settings(path).of(THEME) == "dark"


@pytest.mark.parametrize("content", ["{", "[]", '{"kind": "other"}', '{"kind": "settings"}', "\0"])
def test_a_broken_file_is_set_aside_and_the_program_starts(tmp_path: Path, content: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(content)

    read = Settings(path)

    assert read.of(THUMBNAILS) is True
    assert "cannot be used" in read.problems[0].message
    assert (tmp_path / "settings.json.broken").read_text() == content
    assert not path.exists()


def test_of_a_file_of_a_newer_program_a_copy_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    newer = json.dumps({"kind": "settings", "version": 99})
    path.write_text(newer)

    read = Settings(path)
    read.change(THEME, "dark")

    assert "newer" in read.problems[0].message
    assert "settings.json.version-99" in read.problems[0].hint
    assert (tmp_path / "settings.json.version-99").read_text() == newer


def test_settings_of_another_version_are_written_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    values = {"appearance.theme": "purple", "appearance.font_scale": 120, "later.key": [1]}
    path.write_text(json.dumps({"kind": "settings", "version": 2, "values": values}))

    older = Settings(path)
    older.change(FONT_SCALE, 150)
    between = json.loads(path.read_text())["values"]
    older.change(THEME, "dark")

    assert between == {**values, "appearance.font_scale": 150}
    assert json.loads(path.read_text())["values"]["appearance.theme"] == "dark"


def test_two_versions_in_turns_keep_what_is_their_own(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    ours = {"kind": "settings", "version": 2, "values": {"appearance.theme": "dark"}}
    theirs = {"kind": "settings", "version": 1, "values": {"theme": "light"}}
    # An older version keeps the newer file under this name before it writes its own.
    path.with_name("settings.json.version-2").write_text(json.dumps(ours))
    path.write_text(json.dumps(theirs))

    read = Settings(path)
    again = Settings(path)
    read.change(FONT_SCALE, 120)
    path.with_name("settings.json.version-2").write_text("broken")

    assert (read.of(THEME), again.of(THEME)) == ("dark", "dark")
    assert Settings(path).of(FONT_SCALE) == 120


def test_a_change_that_cannot_be_kept_is_told_and_in_force(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    settings = Settings(taken / "settings.json")
    told: list[Problem] = []
    settings.writer.on_problem = told.append

    settings.change(THEME, "dark")

    assert settings.of(THEME) == "dark"
    assert [problem.rule for problem in told] == ["settings-unwritten"]


def test_resetting_a_page_leaves_the_others(tmp_path: Path) -> None:
    kept = Settings(tmp_path / "settings.json")
    kept.change(THEME, "dark")
    kept.change(THUMBNAILS, False)  # noqa: FBT003 - the value of a setting
    heard: list[str] = []
    kept.subscribe(heard.append)

    kept.reset([s for s in SETTINGS if s.page == "Appearance"])

    assert (kept.of(THEME), kept.of(THUMBNAILS)) == ("system", False)
    assert THEME.key in heard
    assert THUMBNAILS.key not in heard


def test_every_setting_has_its_own_key_and_a_valid_default() -> None:
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)
    assert all(setting.kind.accepts(setting.default) for setting in SETTINGS)

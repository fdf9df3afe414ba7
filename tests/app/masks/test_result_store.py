"""The store of counts: kept by content, bounded, and never in the way."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from forensicviewer.app.masks.result_store import ResultStore, content_digest


def test_what_was_put_is_found_again(tmp_path: Path) -> None:
    with ResultStore(tmp_path / "scores.sqlite") as store:
        store.put({"key": b"counts"})

    with ResultStore(tmp_path / "scores.sqlite") as store:
        assert store.get(["key"]) == {"key": b"counts"}
        assert store.get(["other"]) == {}


def test_a_digest_is_known_only_while_the_file_stays_the_same(tmp_path: Path) -> None:
    mask = tmp_path / "mask.png"
    mask.write_bytes(b"first")
    digest, stamp = content_digest(mask)
    with ResultStore(tmp_path / "scores.sqlite") as store:
        store.put({}, [(mask, stamp, digest)])
        before = store.known_digests([mask])

        mask.write_bytes(b"second, longer")

        assert before == {mask: digest}
        assert store.known_digests([mask]) == {}
        assert store.known_digests([tmp_path / "absent.png"]) == {}


def test_a_broken_store_is_set_aside_and_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    path.write_bytes(b"this is no database" * 100)

    with ResultStore(path) as store:
        store.put({"key": b"counts"})
        problems = list(store.problems)

    assert [problem.rule for problem in problems] == ["store-broken"]
    assert (tmp_path / "scores.sqlite.broken").read_bytes().startswith(b"this is no database")
    with ResultStore(path) as store:
        assert store.get(["key"]) == {"key": b"counts"}


def test_a_store_that_cannot_be_written_does_not_stop_the_work(tmp_path: Path) -> None:
    folder = tmp_path / "scores.sqlite"
    (folder / "in the way").mkdir(parents=True)
    (tmp_path / "scores.sqlite.broken" / "too").mkdir(parents=True)

    with ResultStore(folder) as store:
        store.put({"key": b"counts"})

        assert store.get(["key"]) == {"key": b"counts"}
        assert [problem.rule for problem in store.problems] == ["store-unusable"]


def test_the_oldest_results_go_when_the_store_is_full(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    with ResultStore(path) as store:
        for number in range(10):
            store.put({f"key{number}": bytes(1000)})
    with ResultStore(path) as store:
        store.get(["key0"])

    with ResultStore(path, max_bytes=4000):
        pass

    with ResultStore(path) as store:
        kept = [number for number in range(10) if store.get([f"key{number}"])]
    assert kept == [0, 8, 9]


def test_damage_found_late_is_set_aside_for_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    with ResultStore(path) as store:
        for number in range(200):
            store.put({f"key {number}": bytes(1000)})
    content = bytearray(path.read_bytes())
    last = len(content) * 3 // 4
    content[last:] = bytes(byte ^ 0x5A for byte in content[last:])
    path.write_bytes(content)

    with ResultStore(path) as damaged:
        found = [damaged.get([f"key {number}"]) for number in range(200)]
    with ResultStore(path) as fresh:
        fresh.put({"key": b"kept"})

    assert {} in found
    assert {problem.rule for problem in damaged.problems} == {"store-unusable"}
    assert path.with_name("scores.sqlite.broken").is_file()
    assert list(fresh.problems) == []


def test_a_store_of_other_columns_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as foreign:
        foreign.execute("CREATE TABLE results (key TEXT, answer BLOB)")

    with ResultStore(path) as store:
        store.put({"key": b"kept"})
        assert store.get(["key"]) == {"key": b"kept"}

    assert [problem.rule for problem in store.problems] == ["store-broken"]

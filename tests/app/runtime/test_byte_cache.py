"""The cache keeps what was used last, within its bytes."""

from __future__ import annotations

from forensicviewer.app.runtime.byte_cache import ByteBudgetCache


def test_the_least_recently_used_value_goes_first() -> None:
    cache: ByteBudgetCache[str, int] = ByteBudgetCache(100)
    cache.put("a", 1, size=40)
    cache.put("b", 2, size=40)

    assert cache.get("a") == 1
    cache.put("c", 3, size=40)

    assert ("a" in cache, "b" in cache, "c" in cache) == (True, False, True)
    assert cache.bytes_held == 80


def test_a_value_larger_than_the_budget_pushes_nothing_out() -> None:
    cache: ByteBudgetCache[str, int] = ByteBudgetCache(100)
    cache.put("a", 1, size=40)

    cache.put("huge", 2, size=101)

    assert cache.get("huge") is None
    assert cache.get("a") == 1


def test_replacing_a_value_counts_its_bytes_once() -> None:
    cache: ByteBudgetCache[str, int] = ByteBudgetCache(100)

    cache.put("a", 1, size=40)
    cache.put("a", 2, size=60)

    assert (cache.get("a"), cache.bytes_held, len(cache)) == (2, 60, 1)


def test_clearing_leaves_nothing() -> None:
    cache: ByteBudgetCache[str, int] = ByteBudgetCache(100)
    cache.put("a", 1, size=40)

    release = cache.clear()

    assert (len(cache), cache.bytes_held) == (0, 0)
    cache.put("b", 2, size=30)
    release()
    assert (cache.get("a"), cache.get("b"), cache.bytes_held) == (None, 2, 30)

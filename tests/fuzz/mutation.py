"""Changes a valid file a little, where it hurts: numbers, parts, bytes and ends."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.fuzz.structure import Number, Structure, repair, structure_of

MOST_BYTES = 4_000_000


def mutate(content: bytes, kind: str, chance: Random, others: Sequence[bytes]) -> bytes:
    """The file after a few changes; ``others`` are files of the same kind to take parts from."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 6))):
        if not content:
            break
        found = structure_of(content, kind)
        change = chance.choices(_CHANGES, _WEIGHTS)[0]
        content = change(content, found, chance, others)[:MOST_BYTES]
        if chance.random() < 0.85:
            content = repair(content, kind)
    return content


def _set_number(
    content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]
) -> bytes:
    number = chance.choice(found.numbers)
    stop = number.offset + number.size
    if stop > len(content):
        return content
    value = _value(content, number, chance)
    written = value.to_bytes(number.size, "big" if number.order == ">" else "little")
    return content[: number.offset] + written + content[stop:]


def _value(content: bytes, number: Number, chance: Random) -> int:
    bits = 8 * number.size
    order = "big" if number.order == ">" else "little"
    is_now = int.from_bytes(content[number.offset : number.offset + number.size], order)  # type: ignore[arg-type]  # one of two words
    telling = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 64, 100, 127, 128, 255, 256, 4096)
    large = (65_535, 65_536, 1 << 20, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, len(content))
    near = (is_now + 1, is_now - 1, is_now * 2, is_now // 2, is_now ^ (1 << chance.randrange(bits)))
    highest = ((1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, chance.getrandbits(bits))
    return chance.choice(chance.choice((telling, large, near, highest))) & ((1 << bits) - 1)


def _part(found: Structure, chance: Random, content: bytes) -> tuple[int, int]:
    start, stop = chance.choice(found.parts) if found.parts else (0, 0)
    stop = min(stop, len(content))
    if start < stop:
        return start, stop
    start = chance.randrange(len(content))
    return start, min(len(content), start + chance.randrange(1, 200))


def _drop_part(content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]) -> bytes:
    start, stop = _part(found, chance, content)
    return content[:start] + content[stop:]


def _repeat_part(
    content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]
) -> bytes:
    start, stop = _part(found, chance, content)
    most = max(2, MOST_BYTES // max(1, stop - start))
    times = min(chance.choice((2, 2, 3, 10, 200, 3000)), most)
    return content[:start] + content[start:stop] * times + content[stop:]


def _swap_parts(
    content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]
) -> bytes:
    first, second = sorted((_part(found, chance, content), _part(found, chance, content)))
    if first[1] > second[0]:
        return content
    return b"".join(
        (
            content[: first[0]],
            content[second[0] : second[1]],
            content[first[1] : second[0]],
            content[first[0] : first[1]],
            content[second[1] :],
        )
    )


def _borrow_part(
    content: bytes, found: Structure, chance: Random, others: Sequence[bytes]
) -> bytes:
    other = chance.choice(others)
    start = chance.randrange(len(other))
    piece = other[start : start + chance.choice((8, 64, 500, 5000))]
    at = _part(found, chance, content)[0]
    return content[:at] + piece + content[at:]


def _splice(content: bytes, found: Structure, chance: Random, others: Sequence[bytes]) -> bytes:
    other = chance.choice(others)
    return content[: _part(found, chance, content)[0]] + other[chance.randrange(len(other)) :]


def _flip_bytes(
    content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]
) -> bytes:
    start, stop = _part(found, chance, content)
    changed = bytearray(content)
    for _ in range(chance.choice((1, 2, 4, 16, 64))):
        changed[chance.randrange(start, stop)] = chance.randrange(256)
    return bytes(changed)


def _flood(content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]) -> bytes:
    start, stop = _part(found, chance, content)
    start = chance.randrange(start, stop)
    count = min(len(content) - start, chance.choice((4, 16, 200)))
    return content[:start] + bytes([chance.choice((0, 255, 65))]) * count + content[start + count :]


def _cut(content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]) -> bytes:
    start, stop = _part(found, chance, content)
    return content[: chance.choice((start, stop, chance.randrange(len(content)), stop - 1))]


def _insert(content: bytes, found: Structure, chance: Random, _others: Sequence[bytes]) -> bytes:
    at = chance.choice(_part(found, chance, content))
    return content[:at] + chance.randbytes(chance.choice((1, 2, 4, 100))) + content[at:]


_CHANGES = (
    _set_number,
    _drop_part,
    _repeat_part,
    _swap_parts,
    _borrow_part,
    _splice,
    _flip_bytes,
    _flood,
    _cut,
    _insert,
)
_WEIGHTS = (10, 2, 2, 1, 1, 1, 4, 2, 2, 1)

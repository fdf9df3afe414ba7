"""Answers arrive as they were given, and nothing but what was expected arrives."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.core.array import Size
from forensicviewer.sources.decoders.answer_values import read_answer, write_answer
from forensicviewer.sources.decoders.shared_buffer import ArraySlot, BufferReader, BufferWriter
from forensicviewer.sources.media.formats import Format, Header
from forensicviewer.sources.media.images import ImageFacts, Picture
from forensicviewer.sources.video.frame_index import FrameIndex


def test_everything_decoders_answer_survives_the_way() -> None:
    facts = ImageFacts("PNG", Size(4, 2), Size(2, 4), 6, exif={"Make": "Ünder"})
    picture = Picture(np.arange(24, dtype=np.uint8).reshape(2, 4, 3), facts)
    header = Header(Format.JPEG, Size(1, 2), 3, 8, b"\x00\xff")
    stamps = np.array([3, 5], np.int64)
    index = FrameIndex(stamps, stamps[:1], Fraction(1, 30), packets=np.zeros((0, 3), np.int64))

    for value in (picture, header, index, None, (b"x", 3, ("y", 4.5))):
        kind = type(value) if not isinstance(value, tuple) else tuple[bytes, int, tuple[str, float]]
        found = read_answer(kind, *write_answer(value))

        assert repr(found) == repr(value)


@pytest.mark.parametrize("plain", [0, "x", [1], {"width": 1}, {"width": 1, "height": "2"}])
def test_an_answer_of_another_kind_is_refused(plain: object) -> None:
    with pytest.raises(ValueError, match=r"is no|describe|needs"):
        read_answer(Size, plain, [])


@pytest.mark.parametrize("plain", [1, -1, True, None, "0"])
def test_an_array_that_was_not_given_is_refused(plain: object) -> None:
    with pytest.raises(ValueError, match="is not one of 1 arrays"):
        read_answer(NDArray[np.uint8], plain, [np.zeros(1, np.uint8)])


def test_an_array_of_other_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="float64"):
        read_answer(NDArray[np.uint8], 0, [np.zeros(1)])


@pytest.mark.parametrize(
    "place",
    [
        ArraySlot("|O", (1,), 0),
        ArraySlot("|V8", (1,), 0),
        ArraySlot("|u1", (1 << 20, 2), 0),
        ArraySlot("|u1", (1,), 1 << 20),
        ArraySlot("|u1", (-1, -1), 0),
        ArraySlot("|u1", (1,), -1),
        ArraySlot("<f8", (1 << 40, 1 << 40), 0),
    ],
)
def test_a_place_outside_the_buffer_is_never_read(place: ArraySlot) -> None:
    writer, reader = BufferWriter(), BufferReader()
    writer.write([np.zeros(8, np.uint8)])
    assert writer.handle is not None
    reader.open(writer.handle, writer.byte_count)
    writer.handle = None  # closed by the reader

    with pytest.raises(ValueError, match="array"):
        reader.read([place])

    reader.close()

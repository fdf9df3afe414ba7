"""Imported by the decoders of a story: gives them the faulty codec."""

from tests.stories import faulty_codec

faulty_codec.install()

"""Imported by the decoders of a story: gives them the faulty codec."""

from tests.stories.decoders import faulty_codec

faulty_codec.install()

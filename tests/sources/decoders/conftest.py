from collections.abc import Iterator

import pytest

from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.pool import DecoderPool


@pytest.fixture(scope="session")
def _deeds_pool() -> Iterator[DecoderPool]:
    pool = DecoderPool(
        limits=Limits(memory_mb=1024), modules=["tests.sources.decoders.decoder_deeds"]
    )
    yield pool
    pool.close()


@pytest.fixture
def pool(_deeds_pool: DecoderPool, monkeypatch: pytest.MonkeyPatch) -> DecoderPool:
    """Decoders that know the deeds, and do all decoding while the test runs."""
    monkeypatch.setattr("forensicviewer.sources.decoders.pool._pool", _deeds_pool)
    return _deeds_pool

"""The least that scoring large masks can take: decoding their files with plain processes.

``python -m benchmarks.scale.decoding PROCESSES FILE…``
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cv2


def decode(path: str) -> int:
    """Decode a file without anything around it, in one thread."""
    cv2.setNumThreads(1)
    pixels = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    assert pixels is not None, path
    return int(pixels.size)


def decode_all(processes: int, paths: Sequence[str]) -> int:
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
        return sum(executor.map(decode, paths))


if __name__ == "__main__":
    decode_all(int(sys.argv[1]), sys.argv[2:])

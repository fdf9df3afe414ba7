"""Turns the frame buffer file of Xvfb into a PNG: ``screenshot.py XVFB_FILE OUT.png``."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import cv2
import numpy as np


def main(source: str, target: str) -> None:
    content = Path(source).read_bytes()
    # The header of the X window dump format: 25 numbers, then a name, then the colour map.
    header = struct.unpack(">25I", content[:100])
    header_size, width, height, line_bytes, colours = (
        header[0],
        header[4],
        header[5],
        header[12],
        header[19],
    )
    start = header_size + 12 * colours
    pixels = np.frombuffer(content, np.uint8, height * line_bytes, start)
    image = pixels.reshape(height, line_bytes)[:, : 4 * width].reshape(height, width, 4)[..., :3]
    cv2.imwrite(target, image)


if __name__ == "__main__":
    main(*sys.argv[1:])

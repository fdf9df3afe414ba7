"""Files made from scratch to do harm: they declare what is not there, or lead elsewhere."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import h5py
import numpy as np
from PIL import Image

from tests.mediafiles import tiff

EDGES = (0, 1, 2, 7, 16, 255, 4096, 65_535, 65_536, 1 << 20, 0x7FFFFFFF, 0xFFFFFFFF)


def png(chance: Random, _trap: str) -> bytes:
    depth, colour = chance.choice((1, 2, 4, 8, 16, 3)), chance.choice((0, 2, 3, 4, 6, 5))
    width, height = chance.choice(EDGES), chance.choice(EDGES)
    rows = _zeros(chance.choice((0, 100, 1_000_000, 30_000_000)))
    bomb = _zeros(20_000_000, level=9)
    extra = (
        (b"iCCP", b"p\0\0" + bomb),
        (b"zTXt", b"k\0\0" + bomb),
        (b"iTXt", b"k\0\1\0\0\0" + bomb),
        (b"eXIf", b"II*\0" + struct.pack("<I", 8) + b"\xff\xff" * 40),
        (b"tEXt", b"x" * 70),
        (b"PLTE", bytes(chance.choice((0, 3, 768, 5000)))),
        (b"tRNS", bytes(chance.choice((0, 1, 256, 400)))),
        (b"acTL", struct.pack(">II", 0xFFFFFFFF, 0)),
    )
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))]
    chunks += [chance.choice(extra) for _ in range(chance.choice((0, 1, 3)))]
    chunks += [(b"tEXt", b"a\0b")] * chance.choice((0, 0, 5000))
    chunks += [(b"IDAT", rows), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


@cache
def _zeros(count: int, *, level: int = 6) -> bytes:
    return zlib.compress(bytes(count), level)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def jpeg(chance: Random, _trap: str) -> bytes:
    """Any size, process and number of scans around the coded data of a small image."""
    whole = _progressive()
    start = whole.index(b"\xff\xda")
    head = bytearray(whole[:start])
    at = head.index(b"\xff\xc2")
    head[at + 1] = chance.choice((0xC2, 0xC2, 0xC0, 0xC1, 0xC3, 0xC5, 0xC9, 0xCF, 0xF7))
    head[at + 4] = chance.choice((8, 8, 8, 12, 16, 0))
    if chance.random() < 0.6:
        edges = (chance.choice(EDGES) & 0xFFFF, chance.choice(EDGES) & 0xFFFF)
        struct.pack_into(">HH", head, at + 5, *edges)
    stray = chance.choice((b"", b"", b"\xff" * 100_000, b"\xff\xe5\0\2" * 5000, b"\xff\xe5\0\1"))
    scans = whole[start:-2] * chance.choice((1, 1, 2, 11, 3000))
    return bytes(head[:2]) + stray + bytes(head[2:]) + scans + chance.choice((b"\xff\xd9", b""))


@cache
def _progressive() -> bytes:
    stream = io.BytesIO()
    pixels = np.random.default_rng(2).integers(0, 256, (24, 40, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(stream, "JPEG", progressive=True)
    return stream.getvalue()


def jp2(chance: Random, _trap: str) -> bytes:
    """A codestream header that declares any size, tiling and number of components."""
    width, height = chance.choice(EDGES), chance.choice(EDGES)
    tile = chance.choice(EDGES), chance.choice(EDGES)
    origin = chance.choice((0, 0, 1, 0xFFFFFFFF))
    components = chance.choice((0, 1, 3, 5, 40, 16_384))
    sizes = struct.pack(">HIIIIIIIIH", 0, width, height, origin, 0, *tile, 0, 0, components)
    depth = chance.choice((0, 7, 15, 31, 37, 0x80, 255))
    sizes += bytes([depth, chance.choice((1, 1, 0, 255)), chance.choice((1, 1, 0, 255))])
    sizes += bytes([7, 1, 1]) * max(0, components - 1)
    siz = b"\xff\x51" + struct.pack(">H", (len(sizes) + 2) & 0xFFFF) + sizes
    levels = chance.choice((0, 5, 33))
    cod = b"\xff\x52\x00\x0c\x00\x00\x00\x01" + bytes([0, levels, 4, 4, 0, 1])
    qcd = b"\xff\x5c\x00\x05\x40\x40\x40"
    tail = b"\xff\x90\x00\x0a\x00\x00" + struct.pack(">I", chance.choice((0, 14, 99))) + b"\x00\x01"
    return b"\xff\x4f" + siz + cod + qcd + tail + b"\xff\x93" + chance.randbytes(60) + b"\xff\xd9"


def tiff_file(chance: Random, _trap: str) -> bytes:
    return tiff(
        [chance.randbytes(chance.choice((0, 1, 64, 4000)))] * chance.choice((1, 3)),
        width=chance.choice(EDGES),
        height=chance.choice(EDGES),
        bits=chance.choice((0, 1, 2, 4, 8, 12, 16, 24, 32, 64, 65_535)),
        samples=chance.choice((1, 2, 3, 4, 5, 40)),
        photometric=chance.choice((0, 1, 2, 3, 4, 5, 6, 8, 32_803)),
        compression=chance.choice((1, 2, 3, 4, 5, 6, 7, 8, 32_773, 32_946, 34_925, 50_000)),
        sample_format=chance.choice((1, 2, 3, 4, 5, 6)),
        order=chance.choice("<>"),
        big=chance.random() < 0.3,
        fields=[
            (
                chance.choice((266, 274, 317, 320, 330, 322, 323, 347, 530)),
                [chance.randrange(65536)],
            )
        ],
    )


def npz(chance: Random, _trap: str) -> bytes:
    """Headers that declare any shape and type, in archives that declare any size."""
    shape = tuple(chance.choice(EDGES) for _ in range(chance.choice((0, 1, 2, 2, 2, 3, 40))))
    kind = chance.choice(("|u1", "<f4", "<f8", "|O", "<U9", "V9", "<M8[ns]", "x", "|u1" * 500))
    texts = (
        f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape!r}, }}",
        f"{{'descr': {kind!r}, 'fortran_order': 9, 'shape': {shape!r}",
        "(" * chance.choice((10, 90, 5000)),
        "{'descr': __import__('os').system('true'), 'shape': (2,2), 'fortran_order': False}",
        "{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (4, 4)}",
        "-" * 9000 + "1",
    )
    text = chance.choice((texts[0], *texts)).encode()
    version = chance.choice((1, 1, 2, 3, 9))
    length = chance.choice((len(text), len(text), 0, 9, 65_535))
    head = struct.pack("<H" if version == 1 else "<I", length)
    pixels = bytes(chance.choice((0, 960, 5000, 40_000_000)))
    npy = b"\x93NUMPY" + bytes([version, 0]) + head + text + pixels
    stream = io.BytesIO()
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(stream, "w", method) as packed:
        for number in range(chance.choice((1, 1, 2, 300))):
            packed.writestr(chance.choice(("mask.npy", f"{number}.npy", "../x.npy", "a")), npy)
            npy = npy[:2000]
    return stream.getvalue()


def hdf5(chance: Random, trap: str) -> bytes:
    """Masks of odd types, shapes and links, some of which lead to another file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.hdf5"
        # The library refuses some of it, as a name that is taken; what was written is tried.
        with (
            h5py.File(path, "w") as file,
            suppress(OSError, ValueError, TypeError, RuntimeError, KeyError),
        ):
            _fill_hdf5(file, chance, trap)
        return path.read_bytes()


def _fill_hdf5(file: Any, chance: Random, trap: str) -> None:
    for start in itertools.islice(_starts(chance), chance.choice((1, 2, 300))):
        name = f"{start}/masks" if chance.random() < 0.8 else f"{start}"
        edges = (0, 1, 3, 24, 40)
        shape = tuple(chance.choice(edges) for _ in range(chance.choice((0, 1, 2, 3, 3, 3, 4, 9))))
        kinds = ("u1", "f4", "f8", "i8", "bool", "c8", "S5", "f2", "u8", [("a", "u1")])
        kind = np.dtype(chance.choice(kinds))
        way = chance.random()
        if way < 0.5:
            group = file.create_dataset(name, shape, kind)
            group.attrs["start_frame"] = chance.choice((0, -5, 3, 2**62, "x", 1.5, np.nan))
            group.attrs["end_frame"] = chance.choice((0, 3, 2**62, -1, [1, 2]))
        elif way < 0.6:
            large = (1 << 40, 1 << 20, 1 << 20)
            file.create_dataset(name, large, "u1", chunks=(1, 1024, 1024), compression="gzip")
        elif way < 0.75:
            file[name] = h5py.ExternalLink(trap, "/1/masks")
        elif way < 0.85:
            layout = h5py.VirtualLayout((3, 24, 40), "u1")
            layout[0:3] = h5py.VirtualSource(trap, "masks", (3, 24, 40))
            file.create_virtual_dataset(name, layout)
        elif way < 0.95:
            file.create_dataset(name, (3, 24, 40), "u1", external=[(trap, 0, 2880)])
        else:
            file[name] = h5py.SoftLink(f"/{start}")


def _starts(chance: Random) -> Any:
    while True:
        yield chance.choice(("1", "07", "-3", "x", "9" * 30, str(chance.randrange(10**6)), "masks"))
        yield str(chance.randrange(10**9))


def playlist(chance: Random, trap: str) -> bytes:
    """Texts FFmpeg takes for lists of other files to open."""
    place = chance.choice((trap, f"file://{trap}", "http://127.0.0.1:{port}/x.ts", "../secret.mp4"))
    texts = (
        f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{place}\n#EXT-X-ENDLIST\n",
        f"ffconcat version 1.0\nfile '{place}'\nduration 3\n",
        f"file '{place}'\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n",
        f"<?xml version='1.0'?><MPD><Period><BaseURL>{place}</BaseURL></Period></MPD>",
        f"[playlist]\nFile1={place}\n",
        f"<svg><image href='{place}'/></svg>",
        f"%!PS\n({place}) run\n",
    )
    return chance.choice(texts).encode()


def zip_file(chance: Random, trap: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in _entries(chance, trap):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = chance.choice((0o100644, 0o120777, 0o40755, 0o10644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content)
    return stream.getvalue()


def tar_file(chance: Random, trap: str) -> bytes:
    stream = io.BytesIO()
    kind = chance.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT))
    with tarfile.open(fileobj=stream, mode="w", format=kind) as tape:
        for name, content in _entries(chance, trap):
            entry = tarfile.TarInfo(name[:90])
            entry.type = chance.choice(_TAR_KINDS)
            entry.linkname = trap[:90]
            entry.size = len(content) if entry.type == tarfile.REGTYPE else 0
            entry.pax_headers = {"size": chance.choice(("9", "-1", "x"))} if entry.size == 7 else {}
            tape.addfile(entry, io.BytesIO(content))
    content = stream.getvalue()
    if chance.random() < 0.3:
        # Its end is two blocks of zeros, which a header takes the place of.
        content = content.rstrip(b"\0")
        content += bytes(-len(content) % 512) + _leading_back(chance) + bytes(1024)
    return gzip.compress(content) if chance.random() < 0.5 else content


def _leading_back(chance: Random) -> bytes:
    """A header of a negative size, or attributes that make nothing but digits of a length."""
    entry = tarfile.TarInfo("s/more")
    if chance.random() < 0.5:
        entry.type = chance.choice((*_TAR_KINDS, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME))
        entry.size = chance.choice((-512, -1024, -1536, -10_240))
        return entry.tobuf(tarfile.GNU_FORMAT)
    entry.type, entry.size = tarfile.XHDTYPE, 512 * chance.choice((1, 40, 1500))
    return entry.tobuf(tarfile.GNU_FORMAT) + chance.choice((b"7", b"0 a=b\n..")) * entry.size


_TAR_KINDS = (tarfile.REGTYPE,) * 4 + (
    *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE),
    *(tarfile.CHRTYPE, tarfile.GNUTYPE_SPARSE),
)


def _entries(chance: Random, trap: str) -> list[tuple[str, bytes]]:
    table = b"ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|IsOptOut\np1|0.5|mask/p1.png|N\n"
    names = (
        *("s/s.csv", "s/mask/p1.png", "../out.csv", trap, "s//s.csv", "s/./a", "", "a\0b", "C:\\x"),
        *("s/" * 300 + "x", "\u202e.png", "con", "x" * 300, "s/s.csv/below", "a\nb", "..", "/"),
    )
    found = [("s/s.csv", table)] if chance.random() < 0.8 else []
    for _ in range(chance.choice((0, 1, 3, 10))):
        content = chance.choice((b"", b"seven..", table, bytes(3_000_000), chance.randbytes(300)))
        found.append((chance.choice(names), content))
    return found


def json_value(chance: Random, depth: int = 0) -> Any:
    """A value nobody expects."""
    plain: tuple[Any, ...] = (
        *(None, True, 0, -1, 10**400, 1e308, float("nan"), float("inf"), "", "x" * 3000),
        *("\ud800", "\u202e", "../../x", "<b>x</b>", "=1+1", [], {}, "1e999", 2**63),
    )
    if depth > 2 or chance.random() < 0.7:
        return chance.choice(plain)
    if chance.random() < 0.5:
        return [json_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {str(json_value(chance, 3)): json_value(chance, depth + 1)}


def deep_json(chance: Random) -> bytes:
    depth = chance.choice((50, 1200, 200_000))
    texts = (
        b"[" * depth + b"]" * depth,
        b'{"nodes":' * depth + b"1" + b"}" * depth,
        b'{"nodes": [' + b"1," * depth + b"1]}",
        b'{"a": ' + b"9" * depth + b"}",
        json.dumps({"nodes": [{"id": "a"}] * min(depth, 50_000)}).encode(),
    )
    return chance.choice(texts)


BUILDERS: dict[str, tuple[str, Callable[[Random, str], bytes]]] = {
    "png": (".png", png),
    "jpeg": (".jpg", jpeg),
    "jp2": (".jp2", jp2),
    "tiff": (".tif", tiff_file),
    "npz": (".npz", npz),
    "hdf5": (".hdf5", hdf5),
    "video": (".mp4", playlist),
    "zip": (".zip", zip_file),
    "tar": (".tgz", tar_file),
}

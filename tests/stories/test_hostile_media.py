"""Media files that are damaged, lie or try to do harm: each is refused for its own reason."""

from __future__ import annotations

import io
import os
import pickle
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import h5py
import numpy as np
import pytest
from PIL import Image

from forensicviewer.core.problem import CodecError, Severity, UnsafePathError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import image_size, read_image
from forensicviewer.sources.media.masks import (
    Polarity,
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
    write_bit_planes,
    write_grey,
)
from forensicviewer.sources.video.masks import open_video_mask, write_video_mask
from tests.mediafiles import write_dng, write_heic

HUGE = 60_000  # a square of this edge has 3600 megapixels
NOISE = np.random.default_rng(9).integers(0, 256, (64, 80), dtype=np.uint8)


def as_mask(path: Path) -> None:
    read_system_mask(path, manipulated_is=Polarity.BLACK)


def as_picture(path: Path) -> None:
    read_image(path)


def as_reference(path: Path) -> None:
    read_colour_reference(path)


def as_planes(path: Path) -> None:
    read_bit_planes(path)


def as_video_mask(path: Path) -> None:
    with open_video_mask(path) as mask:
        mask.levels_at(mask.blocks[0].start)


def encoded(suffix: str) -> bytes:
    return cv2.imencode(suffix, NOISE)[1].tobytes()


def half_of(suffix: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        whole = encoded(suffix)
        path.write_bytes(whole[: len(whole) // 2])

    return write


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_declaring(width: int, height: int, rows: bytes) -> Callable[[Path], None]:
    head = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    content = head + png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    return lambda path: bytes_to(path, b"\x89PNG\r\n\x1a\n" + content)


def bytes_to(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def patched(suffix: str, magic: bytes, offset: int, values: bytes) -> Callable[[Path], None]:
    """A real file whose declared size is overwritten ``offset`` bytes after ``magic``."""

    def write(path: Path) -> None:
        content = bytearray(encoded(suffix))
        at = content.index(magic) + offset
        content[at : at + len(values)] = values
        path.write_bytes(content)

    return write


def gif(content: bytes) -> Callable[[Path], None]:
    return lambda path: bytes_to(path, b"GIF89a" + content)


def tiff_of_huge_size(path: Path) -> None:
    Image.fromarray(NOISE).save(path)
    content = path.read_bytes().replace(struct.pack("<HHII", 256, 4, 1, 80), huge_tag(256))
    path.write_bytes(content.replace(struct.pack("<HHII", 257, 4, 1, 64), huge_tag(257)))
    assert huge_tag(256) in path.read_bytes()


def huge_tag(tag: int) -> bytes:
    return struct.pack("<HHII", tag, 4, 1, HUGE)


def half_a_jp2(path: Path) -> None:
    write_bit_planes(path, NOISE[:, :, np.newaxis])
    path.write_bytes(path.read_bytes()[:-200])


def jp2_of(width: int, components: int) -> Callable[[Path], None]:
    """A codestream header (ISO/IEC 15444-1, A.5.1) without anything to decode behind it."""

    def write(path: Path) -> None:
        body = struct.pack(">HIIIIIIII", 0, width, width, 0, 0, width, width, 0, 0)
        body += struct.pack(">H", components) + b"\x07\x01\x01" * components
        size = b"\xff\x51" + struct.pack(">H", 2 + len(body)) + body
        path.write_bytes(b"\xff\x4f" + size + b"\xff\xd9")

    return write


def heic_of_huge_size(path: Path) -> None:
    write_heic(path, np.zeros((64, 64, 3), np.uint8))
    content = bytearray(path.read_bytes())
    at = content.index(b"ispe") + 8
    content[at : at + 8] = struct.pack(">II", HUGE, HUGE)
    path.write_bytes(content)


def half_a_raw(path: Path) -> None:
    write_dng(path, np.zeros((64, 64, 3), np.uint8))
    path.write_bytes(path.read_bytes()[:200])


def npz_with(content: bytes, name: str = "mask.npy") -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)

    return write


def npy(array: object, *, allow_pickle: bool = False) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=allow_pickle)
    return stream.getvalue()


def npy_declaring(shape: tuple[int, ...], dtype: str = "|u1") -> bytes:
    stream = io.BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue()


def zip_bomb(path: Path) -> None:
    """Declares a gigapixel and holds megabytes of zeros in a few kilobytes."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("mask.npy", "w", force_zip64=True) as member,
    ):
        member.write(npy_declaring((32768, 32768)))
        for _ in range(64):
            member.write(bytes(1 << 20))


class Explosive:
    """Makes a file when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("exploded",)


def pickled(path: Path) -> None:
    npz_with(npy(np.array([Explosive()], dtype=object), allow_pickle=True))(path)


def half_an_hdf5(path: Path) -> None:
    write_video_mask(path, {0: np.stack([NOISE] * 8)})
    path.write_bytes(path.read_bytes()[:2500])


def hdf5_with(write_into: Callable[[h5py.File, Path], None]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        other = path.with_name("secret.hdf5")
        write_video_mask(other, {0: np.stack([NOISE] * 2)})
        with h5py.File(path, "w") as file:
            write_into(file, other)

    return write


def external_link_to_group(file: h5py.File, other: Path) -> None:
    file["0"] = h5py.ExternalLink(str(other), "/0")


def external_link_to_masks(file: h5py.File, other: Path) -> None:
    file.create_group("0")["masks"] = h5py.ExternalLink(str(other), "/0/masks")


def soft_link(file: h5py.File, other: Path) -> None:
    file["hidden"] = h5py.ExternalLink(str(other), "/0")
    file["0"] = h5py.SoftLink("/hidden")
    del file["hidden"]


def external_storage(file: h5py.File, other: Path) -> None:
    file.create_dataset("0/masks", (1, 8, 8), "u1", external=[(str(other), 0, 64)])


def virtual_dataset(file: h5py.File, other: Path) -> None:
    layout = h5py.VirtualLayout(shape=(2, 64, 80), dtype="u1")
    layout[:] = h5py.VirtualSource(str(other), "0/masks", shape=(2, 64, 80))
    file.create_virtual_dataset("0/masks", layout)


HOSTILE: dict[str, tuple[str, Callable[[Path], None], Callable[[Path], None], str]] = {
    "an empty file": ("m.png", lambda p: p.touch(), as_mask, "codec.empty"),
    "no file": ("m.png", lambda p: p.unlink(missing_ok=True), as_mask, "codec.missing"),
    "a folder": ("m.png", lambda p: p.mkdir(), as_mask, "codec.not-a-file"),
    "a pipe": ("m.png", lambda p: os.mkfifo(p), as_mask, "codec.not-a-file"),
    "a folder as video mask": ("m.hdf5", lambda p: p.mkdir(), as_video_mask, "codec.not-a-file"),
    "an empty video mask": ("m.hdf5", lambda p: p.touch(), as_video_mask, "codec.empty"),
    "text named .png": (
        "m.png",
        lambda p: bytes_to(p, b"ProbeFileID|ConfidenceScore\n" * 9),
        as_mask,
        "codec.unknown-format",
    ),
    "text named .hdf5": (
        "m.hdf5",
        lambda p: bytes_to(p, b"ProbeFileID|ConfidenceScore\n" * 9),
        as_video_mask,
        "codec.unreadable",
    ),
    "a program": (
        "p.jpg",
        lambda p: bytes_to(p, b"MZ" + bytes(90)),
        as_picture,
        "codec.unknown-format",
    ),
    "half a PNG": ("m.png", half_of(".png"), as_mask, "codec.truncated"),
    "twenty bytes of a PNG": (
        "m.png",
        lambda p: bytes_to(p, encoded(".png")[:20]),
        as_mask,
        "codec.truncated",
    ),
    "half a JPEG": ("p.jpg", half_of(".jpg"), as_picture, "codec.truncated"),
    "half a TIFF": ("m.tif", half_of(".tif"), as_mask, "codec.truncated"),
    "half a BMP": ("m.bmp", half_of(".bmp"), as_mask, "codec.unreadable"),
    "a BMP that packs a JPEG": (
        "m.bmp",
        patched(".bmp", b"BM", 30, struct.pack("<I", 4)),
        as_mask,
        "codec.unsupported",
    ),
    "half a WebP": ("p.webp", half_of(".webp"), as_picture, "codec.unreadable"),
    "half a JPEG 2000": ("m.jp2", half_a_jp2, as_planes, "codec.truncated"),
    "half a RAW": ("p.dng", half_a_raw, as_picture, "codec.unreadable"),
    "half an HDF5": ("m.hdf5", half_an_hdf5, as_video_mask, "codec.unreadable"),
    "a PNG of 3600 megapixels": (
        "m.png",
        png_declaring(HUGE, HUGE, bytes(99)),
        as_mask,
        "codec.too-many-pixels",
    ),
    "a PNG without pixels": ("m.png", png_declaring(0, 9, b""), as_mask, "codec.no-pixels"),
    "a PNG with fewer rows than declared": (
        "m.png",
        png_declaring(100, 900, bytes(101 * 5)),
        as_mask,
        "codec.unreadable",
    ),
    "a JPEG of 3600 megapixels": (
        "p.jpg",
        patched(".jpg", b"\xff\xc0", 5, struct.pack(">HH", HUGE, HUGE)),
        as_picture,
        "codec.too-many-pixels",
    ),
    "a TIFF of 3600 megapixels": (
        "r.tif",
        tiff_of_huge_size,
        as_reference,
        "codec.too-many-pixels",
    ),
    "a BMP of 3600 megapixels": (
        "m.bmp",
        patched(".bmp", b"BM", 18, struct.pack("<ii", HUGE, -HUGE)),
        as_mask,
        "codec.too-many-pixels",
    ),
    "a GIF of 3600 megapixels": (
        "p.gif",
        gif(struct.pack("<HHBBB", HUGE, HUGE, 0, 0, 0) + b"\x3b"),
        as_picture,
        "codec.too-many-pixels",
    ),
    "a GIF without frames": (
        "p.gif",
        gif(struct.pack("<HHBBB", 9, 9, 0, 0, 0) + b"\x3b"),
        as_picture,
        "codec.unreadable",
    ),
    "a GIF whose frame is larger than its screen": (
        "p.gif",
        gif(
            struct.pack("<HHBBB", 9, 9, 0x80, 0, 0)
            + bytes(6)
            + struct.pack("<BHHHHB", 0x2C, 0, 0, HUGE, HUGE, 0)
            + b"\x02\x02\x44\x01\x00\x3b"
        ),
        as_picture,
        "codec.unreadable",
    ),
    "a WebP of 3600 megapixels": (
        "p.webp",
        lambda p: bytes_to(
            p,
            b"RIFF\x30\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"
            + struct.pack("<I", HUGE)[:3] * 2
            + bytes(20),
        ),
        as_picture,
        "codec.too-many-pixels",
    ),
    "an HEIC of 3600 megapixels": (
        "p.heic",
        heic_of_huge_size,
        as_picture,
        "codec.too-many-pixels",
    ),
    "a JPEG 2000 of 3600 megapixels": (
        "m.jp2",
        jp2_of(HUGE, 1),
        as_planes,
        "codec.too-many-pixels",
    ),
    "a JPEG 2000 of 16384 components": (
        "m.jp2",
        jp2_of(2000, 16384),
        as_planes,
        "codec.too-much-memory",
    ),
    "a JPEG 2000 header with nothing behind it": (
        "m.jp2",
        jp2_of(64, 1),
        as_planes,
        "codec.unreadable",
    ),
    "a PNG where bit planes should be": (
        "m.jp2",
        lambda p: write_grey(p, NOISE),
        as_planes,
        "codec.wrong-format",
    ),
    "bit planes where a colour mask should be": (
        "m.png",
        lambda p: write_bit_planes(p, NOISE[:, :, np.newaxis]),
        as_reference,
        "codec.wrong-format",
    ),
    "an NPZ that is a zip bomb": ("m.npz", zip_bomb, as_mask, "codec.too-many-pixels"),
    "an NPZ with a pickle in it": ("m.npz", pickled, as_mask, "codec.pickled"),
    "an NPZ that is a bare pickle": (
        "m.npz",
        npz_with(pickle.dumps(Explosive())),
        as_mask,
        "codec.unreadable",
    ),
    "an NPZ shorter than it says": (
        "m.npz",
        npz_with(npy_declaring((64, 64)) + bytes(9)),
        as_mask,
        "codec.truncated",
    ),
    "an NPZ of texts": (
        "m.npz",
        npz_with(npy(np.array([["a", "b"]]))),
        as_mask,
        "codec.wrong-type",
    ),
    "an NPZ of scores above 1": (
        "m.npz",
        npz_with(npy(np.full((4, 4), 1.5))),
        as_mask,
        "codec.wrong-type",
    ),
    "an NPZ of one dimension": (
        "m.npz",
        npz_with(npy(np.zeros(9, np.uint8))),
        as_mask,
        "codec.wrong-shape",
    ),
    "a zip of something else": (
        "m.npz",
        npz_with(b"text", "readme.txt"),
        as_mask,
        "codec.wrong-shape",
    ),
    "half an NPZ": (
        "m.npz",
        lambda p: bytes_to(p, b"PK\x03\x04" + bytes(60)),
        as_mask,
        "codec.unreadable",
    ),
    "a video mask as mask of a picture": (
        "m.png",
        lambda p: write_video_mask(p, {0: NOISE[np.newaxis]}),
        as_mask,
        "codec.wrong-format",
    ),
    "an HDF5 link to a group of another file": (
        "m.hdf5",
        hdf5_with(external_link_to_group),
        as_video_mask,
        "codec.linked",
    ),
    "an HDF5 link to masks of another file": (
        "m.hdf5",
        hdf5_with(external_link_to_masks),
        as_video_mask,
        "codec.linked",
    ),
    "an HDF5 soft link": ("m.hdf5", hdf5_with(soft_link), as_video_mask, "codec.linked"),
    "HDF5 masks stored in another file": (
        "m.hdf5",
        hdf5_with(external_storage),
        as_video_mask,
        "codec.linked",
    ),
    "a virtual HDF5 dataset": (
        "m.hdf5",
        hdf5_with(virtual_dataset),
        as_video_mask,
        "codec.linked",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_for_its_own_reason_and_nothing_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file_name, write, read, rule = HOSTILE[name]
    path = tmp_path / file_name
    write(path)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)

    tracemalloc.start()
    try:
        with pytest.raises(CodecError) as caught:
            read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    problem = caught.value.as_problem()
    assert problem.rule == rule, problem
    assert file_name in problem.where
    assert problem.severity is Severity.ERROR
    assert not problem.message.endswith(".")
    assert sorted(tmp_path.rglob("*")) == before
    assert peak < 100_000_000, "a refused file costs no memory worth speaking of"


def sound_files(folder: Path) -> dict[str, Callable[[Path], object]]:
    """One good file of every format, and what reads it."""
    colours = np.dstack((NOISE, 255 - NOISE, NOISE))
    exif = Image.Exif()
    exif[0x0112], exif[0x0110] = 6, "Pinhole 1"
    for name in ("p.png", "p.jpg", "p.tif", "p.webp"):
        Image.fromarray(colours).save(folder / name, exif=exif.tobytes())
    for name in ("p.bmp", "p.gif"):
        Image.fromarray(colours).save(folder / name)
    write_heic(folder / "p.heic", colours)
    write_dng(folder / "p.dng", colours)
    write_bit_planes(folder / "r.jp2", np.dstack((colours, colours)))
    npz_with(npy(NOISE))(folder / "m.npz")
    write_video_mask(folder / "v.hdf5", {0: np.stack([NOISE] * 2), 9: np.stack([NOISE] * 2)})
    readers = {"p": as_picture, "r": as_planes, "m": as_mask, "v": as_video_mask}
    return {path.name: readers[path.name[0]] for path in sorted(folder.iterdir())}


def damage(content: bytes, random: np.random.Generator) -> bytes:
    """Some bytes changed, left out or put in, most of them near the beginning."""
    damaged = bytearray(content)
    for _ in range(int(random.integers(1, 6))):
        reach = min(len(damaged), 400) if random.random() < 0.7 else len(damaged)
        at = int(random.integers(0, reach))
        match int(random.integers(0, 4)):
            case 0:
                del damaged[at : at + int(random.integers(1, 20))]
            case 1:
                damaged[at:at] = random.bytes(int(random.integers(1, 9)))
            case _:
                damaged[at : at + 1] = random.bytes(1)
    return bytes(damaged)


def test_a_damaged_file_is_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "sound").mkdir()
    outcomes = dict.fromkeys(("read", "refused"), 0)

    for name, read in sound_files(tmp_path / "sound").items():
        random = np.random.default_rng(len(name))
        content = (tmp_path / "sound" / name).read_bytes()
        read(tmp_path / "sound" / name)
        for _ in range(40):
            (tmp_path / name).write_bytes(damage(content, random))
            try:
                read(tmp_path / name)
                outcomes["read"] += 1
            except CodecError:
                outcomes["refused"] += 1

    assert outcomes["read"] + outcomes["refused"] == 11 * 40
    assert min(outcomes.values()) > 40


def test_a_size_is_not_taken_from_a_hostile_header_either(tmp_path: Path) -> None:
    (tmp_path / "p.jpg").write_bytes(b"\xff\xd8\xff\xe1\x00\x00" * 5)

    with pytest.raises(CodecError) as caught:
        image_size(tmp_path / "p.jpg")

    assert caught.value.rule == "codec.truncated"


def test_a_mask_that_is_a_link_out_of_the_folder_is_never_opened(tmp_path: Path) -> None:
    write_grey(tmp_path / "secret.png", NOISE)
    root = tmp_path / "submission"
    (root / "mask").mkdir(parents=True)
    (root / "mask" / "m.png").symlink_to(tmp_path / "secret.png")

    with pytest.raises(UnsafePathError) as caught:
        as_mask(resolve(root, "mask/m.png"))

    assert caught.value.rule == "dataset.links"

"""Writes small datasets as the public ones lie on disk: names, suffixes, polarities, defects.

The layouts, names and defects are those of the datasets' own releases and of the threads about
them; the images are small and made here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

SIZE = (48, 64)  # rows, columns
Box = tuple[int, int, int, int]
BOX: Box = (8, 10, 28, 34)


def area(size: tuple[int, int] = SIZE, box: Box = BOX) -> NDArray[np.bool_]:
    found = np.zeros(size, np.bool_)
    top, left, bottom, right = box
    found[top:bottom, left:right] = True
    return found


def write(path: Path, pixels: NDArray[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # OpenCV writes the suffixes it knows; .TIF and .PNG are the same files in capitals.
    done, encoded = cv2.imencode(path.suffix.lower(), pixels)
    assert done
    path.write_bytes(encoded.tobytes())
    return path


def image(path: Path, size: tuple[int, int] = SIZE, *, seed: int = 0) -> Path:
    rows, columns = np.mgrid[: size[0], : size[1]]
    shade = (3 * rows + 2 * columns + 17 * seed) % 200
    return write(path, np.dstack([shade, shade // 2 + 20, 220 - shade]).astype(np.uint8))


def mask(
    path: Path,
    marked: NDArray[np.bool_] | None = None,
    *,
    white: int = 255,
    black: int = 0,
    size: tuple[int, int] = SIZE,
) -> Path:
    marked = area(size) if marked is None else marked
    return write(path, np.where(marked, white, black).astype(np.uint8))


def casia1(root: Path) -> Path:
    """920 masks for 921 images: one has none. One mask is of another size."""
    names = [
        ("CM", "Sp_S_NND_A_ani0002_ani0002_0001"),
        ("CM", "Sp_S_NRN_A_nat0010_nat0010_0101"),
        ("Sp", "Sp_D_CNN_A_art0024_ani0032_0268"),
        ("Sp", "Sp_D_NRN_A_cha0011_sec0011_0542"),
        ("Sp", "Sp_D_NRN_A_sec0069_ani0081_0400"),
    ]
    for number, (kind, name) in enumerate(names):
        image(root / "Tp" / kind / f"{name}.jpg", seed=number)
        if name.endswith("0542"):
            continue
        size = (46, 64) if name.endswith("0400") else SIZE
        mask(root / "CASIA 1.0 groundtruth" / kind / f"{name}_gt.png", size=size)
    for number in range(2):
        image(root / "Au" / f"Au_ani_000{number}.jpg", seed=10 + number)
    return root


def casia2(root: Path) -> Path:
    """A mask turned by 90 degrees, one renamed D to S, one called _gt3."""
    names = [
        "Tp_D_CND_M_N_ani00018_sec00096_00138",
        "Tp_D_CRN_S_N_cha10122_nat00059_12034",
        "Tp_S_NNN_S_N_pla00029_pla00029_10820",
    ]
    image(root / "Tp" / f"{names[0]}.tif", seed=1)
    mask(root / "CASIA 2 Groundtruth" / f"{names[0]}_gt.png", size=(64, 48))
    image(root / "Tp" / f"{names[1]}.jpg", seed=2)
    renamed = names[1].replace("Tp_D", "Tp_S")
    mask(root / "CASIA 2 Groundtruth" / f"{renamed}_gt.png")
    image(root / "Tp" / f"{names[2]}.jpg", seed=3)
    mask(root / "CASIA 2 Groundtruth" / f"{names[2]}_gt3.png")
    image(root / "Au" / "Au_ani_00001.jpg", seed=4)
    image(root / "Au" / "Au_sec_30001.bmp", seed=5)
    return root


def columbia(root: Path) -> Path:
    """Colour masks in JPEG: bright and dark red, bright and dark green."""
    for number in range(2):
        name = f"canong3_nikond70_sub_0{number}"
        image(root / "4cam_splc" / f"{name}.tif", seed=number)
        marked = area()
        colours = np.zeros((*SIZE, 3), np.uint8)  # blue, green, red
        colours[marked] = (0, 255, 0)
        colours[~marked] = (0, 0, 255)
        edge = cv2.dilate(marked.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool) & ~marked
        colours[edge] = (0, 0, 200)
        write(root / "4cam_splc" / "edgemask" / f"{name}_edgemask.jpg", colours)
    image(root / "4cam_auth" / "canong3_02_sub_01.tif", seed=7)
    return root


def coverage(root: Path) -> Path:
    """Mask 41 has another size than its image."""
    for number in (1, 41):
        image(root / "image" / f"{number}.tif", seed=number)
        image(root / "image" / f"{number}t.tif", seed=number + 1)
        size = (40, 64) if number == 41 else SIZE
        for kind in ("copy", "paste", "forged"):
            mask(root / "mask" / f"{number}{kind}.tif", size=size)
    return root


def nist16_mvss(root: Path) -> Path:
    """MVSS-Net's conversion: names carry boxes, and black means manipulated."""
    for number in (1234, 5678, 7001):
        image(root / "probe_save" / f"NC2016_{number}_0_0_64_48.png", seed=number)
        mask(root / "mask" / f"NC2016_{number}_mask_0_0.png", white=0, black=255)
    return root


def nist16_pscc(root: Path) -> Path:
    for number in (1234, 5678):
        image(root / "probe" / f"NC2016_{number}.jpg", seed=number)
        mask(root / "mask" / f"mani_NC2016_{number}.png")
    return root


def nist16_1024(root: Path) -> Path:
    """The resized folders: masks were resized too, so their edges are grey."""
    for number in (1234, 5678):
        image(root / "Tp" / f"NC2016_{number}.jpg", seed=number)
        small = np.where(area((24, 32), (4, 5, 14, 17)), 255, 0).astype(np.uint8)
        grey = cv2.resize(small, (64, 48), interpolation=cv2.INTER_CUBIC)
        write(root / "Gt" / f"NC2016_{number}.png", np.asarray(grey))
    return root


def nist16_subset(root: Path) -> Path:
    """TruFor's and SPAN's subset: a list of rows with commas."""
    for number in (1234, 5678):
        image(root / "probe" / f"NC2016_{number}.jpg", seed=number)
        mask(root / "masks" / f"NC2016_{number}_gt.png")
    rows = [f"probe/NC2016_{n}.jpg,masks/NC2016_{n}_gt.png" for n in (1234, 5678)]
    image(root / "world" / "NC2016_0001.jpg")
    (root / "NIST16_list.txt").write_text("\n".join([*rows, "world/NC2016_0001.jpg,None"]) + "\n")
    return root / "NIST16_list.txt"


def imd2020(root: Path) -> Path:
    """One image has another size than its mask, and names repeat between folders."""
    for folder in ("1a1ogs", "1b3k9p"):
        image(root / folder / f"{folder}_orig.jpg", seed=1)
        image(root / folder / "c8tf5mq_0.png", seed=2)
        mask(root / folder / "c8tf5mq_0_mask.png")
    image(root / "z14" / "z14_orig.jpg")
    image(root / "z14" / "00030_fake.jpg", size=(50, 64))
    mask(root / "z14" / "00030_fake_mask.png")
    return root


def autosplice(root: Path) -> Path:
    """One authentic image, several forged ones; three JPEG versions share one mask of 0 and 1."""
    image(root / "Authentic" / "10024.jpg")
    for quality in (100, 90, 75):
        for number in range(2):
            image(root / f"Forged_JPEG{quality}" / f"10024_{number}.jpg", seed=quality + number)
    for number in range(2):
        mask(root / "Mask" / f"10024_{number}_mask.png", white=1)
    return root


def cocoglide(root: Path) -> Path:
    """Joined by the COCO id, short or padded: categories have blanks and stems differ."""
    for number, category in (("285", "bear"), ("1425", "hot dog")):
        image(root / "fake" / f"glide_inpainting_val2017_{number}_up.png", seed=3)
        mask(root / "mask" / f"{category}_{number:0>12}_mask.png")
        image(root / "real" / f"{category}_{number}.png", seed=4)
    (root / "table.csv").write_text("id,category\n285,bear\n")
    return root


def dso1(root: Path) -> Path:
    """Black means manipulated."""
    for number in ("01", "02"):
        image(root / "DSO-1" / f"splicing-{number}.png", seed=int(number))
        mask(root / "DSO-1-Fake-Images-Masks" / f"splicing-{number}.png", white=0, black=255)
        image(root / "DSO-1" / f"normal-{number}.png", seed=9)
    return root


def dso1_copies(root: Path) -> Path:
    """The copies of social networks are not inverted."""
    image(root / "DSO_Facebook" / "splicing-01.png")
    mask(root / "DSO_GT" / "splicing-01_gt.png")
    return root


def tampered_coco(root: Path) -> Path:
    """Names with several dots; an image without bytes; bcmc shares the masks of bcm."""
    name = "85_000000415798.jpg_000000415798.jpg_RT-31.5"
    image(root / "sp_images" / f"{name}.jpg")
    mask(root / "sp_masks" / f"{name}.png")
    (root / "sp_images" / "86_000000000001.jpg").write_bytes(b"")
    mask(root / "sp_masks" / "86_000000000001.png")
    image(root / "cm_images" / "1_000000000009.jpg")
    mask(root / "cm_masks" / "1_000000000009.png", white=1)
    image(root / "bcm_images" / "7_000000000025.jpg")
    mask(root / "bcm_masks" / "7_000000000025.png")
    image(root / "bcmc_images" / "7_000000000025_87.jpg")
    return root


def compraise(root: Path) -> Path:
    for name in ("r000da54ft_Q67", "r001d260dt_Q85_resize_1.15_Q90", "r0024b3f2t_Q90_aligned_Q87"):
        image(root / f"{name}.jpg")
    return root


def defacto(root: Path) -> Path:
    """JPEG masks with grey fringes; one is larger than its image."""
    for kind, name in (("splicing_1", "0_000000000081"), ("copymove", "0_000000000139_0")):
        image(root / f"{kind}_img" / "img" / f"{name}.tif")
        soft = cv2.GaussianBlur(area().astype(np.uint8) * 255, (5, 5), 0)
        write(root / f"{kind}_annotations" / "probe_mask" / f"{name}.jpg", np.asarray(soft))
    image(root / "inpainting_img" / "img" / "0_000000000285.tif")
    mask(
        root / "inpainting_annotations" / "probe_mask" / "0_000000000285.jpg",
        area((96, 128), (16, 20, 56, 68)),
    )
    return root


def fantastic_reality(root: Path) -> Path:
    """Masks in NPZ: class numbers, one axis too many."""
    for name in ("2018_05_11_0001", "2018_05_11_0002"):
        image(root / "dataset" / "ColorFakeImages" / f"{name}.jpg")
        path = root / "dataset" / "SegmentationFake" / f"{name}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, (area() * 7).astype(np.int64)[np.newaxis])
    image(root / "dataset" / "ColorRealImages" / "real_0001.jpg")
    return root


def openforensics(root: Path) -> Path:
    """Polygons in an MS-COCO document; one face has two."""
    for name in ("a1", "b2"):
        image(root / "Images" / "Test-Dev" / f"{name}.jpg")
    top, left, bottom, right = BOX
    whole = [left, top, right - 1, top, right - 1, bottom - 1, left, bottom - 1]
    document = {
        "categories": [{"id": 0, "name": "Real"}, {"id": 1, "name": "Fake"}],
        "images": [
            {"id": 5, "file_name": "Images/Test-Dev/a1.jpg", "width": 64, "height": 48},
            {"id": 6, "file_name": "Images/Test-Dev/b2.jpg", "width": 64, "height": 48},
        ],
        "annotations": [
            {"image_id": 5, "category_id": 1, "segmentation": [whole, [40, 30, 50, 30, 50, 40]]},
            {"image_id": 6, "category_id": 0, "segmentation": [whole]},
        ],
    }
    (root / "Test-Dev_poly.json").write_text(json.dumps(document))
    return root


def korus(root: Path) -> Path:
    """Three levels; the same names in every camera."""
    for camera in ("Canon_60D", "Sony_A57"):
        image(root / camera / "pristine" / "DPP0012.TIF", seed=1)
        image(root / camera / "tampered-realistic" / "DPP0012.TIF", seed=2)
        levels = area() * 255
        levels[30:35, 40:50] = 128
        write(root / camera / "ground-truth" / "DPP0012.PNG", levels.astype(np.uint8))
    return root


def mani(root: Path, count: int = 3) -> Path:
    """IMDL-BenCo's ManiDataset."""
    for number in range(count):
        image(root / "Tp" / f"{number}.jpg", seed=number)
        mask(root / "Gt" / f"{number}.png")
    return root


def json_list(root: Path) -> Path:
    """IMDL-BenCo's JsonDataset, written on another machine."""
    mani(root)
    image(root / "Au" / "n.jpg", seed=8)
    there = "/mnt/data0/public_datasets/IML/CASIA2.0"
    pairs = [[f"{there}/Tp/{n}.jpg", f"{there}/Gt/{n}.png"] for n in range(3)]
    path = root / "list.json"
    path.write_text(json.dumps([*pairs, [f"{there}/Au/n.jpg", "Negative"]]))
    return path


def casia1_modified(root: Path) -> Path:
    """Unpacked from the archive of modified images: one more folder above them."""
    name = "Sp_S_NND_A_ani0002_ani0002_0001"
    image(root / "Modified Tp" / "Tp" / "CM" / f"{name}.jpg")
    mask(root / "CASIA 1.0 groundtruth" / "CM" / f"{name}_gt.png")
    image(root / "Au" / "Au_ani_0001.jpg", seed=3)
    return root


def casia1_trufor(root: Path) -> Path:
    """CASIAv1+ of TruFor's list: authentic images are Corel's."""
    name = "Sp_D_CNN_A_art0024_ani0032_0268"
    image(root / "Sp" / f"{name}.jpg")
    mask(root / "groundtruth" / f"{name}_gt.png")
    image(root / "Au_corel" / "10001.jpg", seed=3)
    return root


def casia1_mvss(root: Path) -> Path:
    """MVSS-Net's list beside its folders, with labels."""
    name = "Sp_D_CNN_A_art0024_ani0032_0268"
    image(root / "CASIAv1" / "TP" / f"{name}.jpg")
    mask(root / "CASIAv1" / "mask" / f"{name}.png")
    image(root / "CASIAv1" / "Au" / "Au_ani_0001.jpg", seed=3)
    rows = [f"CASIAv1/TP/{name}.jpg CASIAv1/mask/{name}.png 1", "CASIAv1/Au/Au_ani_0001.jpg None 0"]
    (root / "CASIAv1.txt").write_text("\n".join(rows) + "\n")
    return root / "CASIAv1.txt"


def casia2_corrected(root: Path) -> Path:
    """The corrected release: Au, Tp and Gt."""
    name = "Tp_D_CND_M_N_ani00018_sec00096_00138"
    image(root / "Tp" / f"{name}.tif")
    mask(root / "Gt" / f"{name}_gt.png")
    image(root / "Au" / "Au_ani_00001.jpg", seed=4)
    return root


def dso1_beside(root: Path) -> Path:
    """The copies of one network, with the masks in their folder."""
    image(root / "DSO_Facebook" / "splicing-07.png")
    mask(root / "DSO_Facebook" / "DSO_GT" / "splicing-07_gt.png")
    return root


def autosplice_shared(root: Path) -> Path:
    """One mask for all forged images of an id, as PhotoHolmes reads them."""
    image(root / "Authentic" / "10024.jpg")
    for quality in (100, 90, 75):
        image(root / f"Forged_JPEG{quality}" / "10024_0.jpg", seed=quality)
        image(root / f"Forged_JPEG{quality}" / "10024_1.jpg", seed=quality + 1)
    mask(root / "Mask" / "10024_mask.png")
    return root


def openforensics_rendered(root: Path) -> Path:
    """TruFor's 2,000 rendered masks."""
    for name in ("a1", "b2"):
        image(root / "Images" / "Test-Dev" / f"{name}.jpg", seed=len(name))
        mask(root / "Annotations_GT" / "Images" / "Test-Dev" / f"{name}.png")
    return root


def tampered_coco_list(root: Path) -> Path:
    """CAT-Net's list, which names more images than there are, with a copy in the third column."""
    name = "85_000000415798.jpg_000000415798.jpg_RT-31.5"
    image(root / "sp_images" / f"{name}.jpg")
    mask(root / "sp_masks" / f"{name}.png")
    rows = [f"sp_images/{name}.jpg,sp_masks/{name}.png,sp_jpg/{name}.jpg"]
    rows += ["sp_images/gone.jpg,sp_masks/gone.png,sp_jpg/gone.jpg"]
    (root / "sp_COCO_list.txt").write_text("\n".join(rows) + "\n")
    return root / "sp_COCO_list.txt"


VARIANTS: dict[str, Callable[[Path], Path]] = {
    "CASIA v1, modified": casia1_modified,
    "CASIA v1+ of TruFor": casia1_trufor,
    "CASIA v1 of MVSS-Net": casia1_mvss,
    "CASIA v2, corrected": casia2_corrected,
    "DSO-1 copies beside": dso1_beside,
    "AutoSplice, shared masks": autosplice_shared,
    "OpenForensics, rendered": openforensics_rendered,
    "tampCOCO of CAT-Net": tampered_coco_list,
}


LAYOUTS: dict[str, Callable[[Path], Path]] = {
    "CASIA v1": casia1,
    "CASIA v2": casia2,
    "Columbia": columbia,
    "COVERAGE": coverage,
    "NIST16 of MVSS-Net": nist16_mvss,
    "NIST16 of PSCC-Net": nist16_pscc,
    "NIST16_1024": nist16_1024,
    "NIST16 subset": nist16_subset,
    "IMD2020": imd2020,
    "AutoSplice": autosplice,
    "CocoGlide": cocoglide,
    "DSO-1": dso1,
    "DSO-1 copies": dso1_copies,
    "tampCOCO": tampered_coco,
    "compRAISE": compraise,
    "DEFACTO": defacto,
    "Fantastic Reality": fantastic_reality,
    "OpenForensics": openforensics,
    "Korus": korus,
    "ManiDataset": mani,
    "JsonDataset": json_list,
}

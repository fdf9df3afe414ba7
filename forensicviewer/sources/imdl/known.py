"""The public datasets as they lie on disk: where images and masks are, and how masks are read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.core.table.number_cell import number_of
from forensicviewer.sources.files.json_parts import count_values
from forensicviewer.sources.files.limits import FileLimits
from forensicviewer.sources.imdl.folder_tree import FolderTree
from forensicviewer.sources.imdl.pair import MaskRule, Pair, bare_stem, base, is_image, stem
from forensicviewer.sources.imdl.pairing import Matches, by_stem


@dataclass(frozen=True, slots=True)
class Known:
    """A public dataset; ``title`` is its name in the paper's Table 10.

    ``notes`` tell what was mended on the way. ``guesses_polarity`` marks those that are converted
    in both polarities, so that the masks themselves must tell.
    """

    title: str
    pairs: tuple[Pair, ...]
    evidence: str
    left_over: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    guesses_polarity: bool = False


def find_known(tree: FolderTree) -> Known | None:
    """The published dataset that lies there; ``None`` where it is none of them."""
    return next((found for found in (finder(tree) for finder in _FINDERS) if found), None)


def _casia1(tree: FolderTree) -> Known | None:
    pattern = re.compile(r"Sp_[SD]_.*_\d{4}$")
    images = [name for name in _pictures(tree) if pattern.match(stem(name))]
    masks = [name for name in tree.files if re.search(r"_gt\d?\.png$", name, re.IGNORECASE)]
    if not images or not masks:
        return None
    matches = by_stem(images, masks)
    authentic = _authentic(tree, "Au", "Au_corel")
    pairs = [replace(pair, manipulation=_casia_type(pair.image)) for pair in _paired(matches)]
    return Known("CASIA v1", (*pairs, *authentic), "names like Sp_D_…_0001", matches.left_over)


def _casia2(tree: FolderTree) -> Known | None:
    named = [name for name in _pictures(tree) if re.match(r"Tp_[SD]_", base(name))]
    masks = [name for name in named if _is_mask(name)]
    images = [name for name in named if not _is_mask(name)]
    if not images:
        return None
    matches = by_stem(images, masks)
    swapped = {_letter_swapped(mask): mask for mask in matches.left_over}
    renamed = {
        image: swapped[stem(image)] for image in matches.without_mask if stem(image) in swapped
    }
    left = tuple(mask for mask in matches.left_over if mask not in set(renamed.values()))
    matches = Matches({**matches.masks, **renamed}, left, matches.doubles)
    pairs = [replace(pair, manipulation=_casia_type(pair.image)) for pair in _paired(matches)]
    notes = (
        (f"Masks with D in the name in place of S, or S in place of D: {len(renamed)}",)
        if renamed
        else ()
    )
    authentic = _authentic(tree, "Au")
    return Known("CASIA v2", (*pairs, *authentic), "names like Tp_D_…", left, notes)


def _is_mask(name: str) -> bool:
    folder = base(name.rpartition("/")[0]).lower()
    return bare_stem(name) != stem(name) or folder == "gt" or "groundtruth" in folder


def _letter_swapped(mask: str) -> str:
    name = bare_stem(mask)
    return {"Tp_D_": "Tp_S_", "Tp_S_": "Tp_D_"}.get(name[:5], name[:5]) + name[5:]


def _casia_type(image: str) -> str:
    return {"S": "copy-move", "D": "splice"}.get(base(image)[3:4], "")


_COLOURED = (
    "Masks are coloured: green is manipulated, red is not; converted to grey, as in "
    "IMDL-BenCo, they are all black"
)
_INVERTED = "Black means manipulated in these masks; IMDL-BenCo reads them inverted"
_ARRAYS = "Masks are NPZ arrays of class numbers; IMDL-BenCo needs them converted to PNG"
_DRAWN = "Masks are polygons in a document; they are drawn at the size of their image"
_THREE_LEVELS = "Masks have three levels: every level above 10 counts as manipulated"


def _columbia(tree: FolderTree) -> Known | None:
    spliced, authentic = tree.named("4cam_splc"), tree.named("4cam_auth")
    if spliced is None:
        return None
    images = [name for name in tree.directly_in(spliced) if is_image(name)]
    masks = [name for name in tree.below(tree.named("edgemask")) if name.startswith(spliced)]
    matches = by_stem(images, masks)
    pairs = _paired(matches, rule=MaskRule.GREEN, manipulation="splice")
    untouched = [name for name in tree.directly_in(authentic) if is_image(name)]
    return Known(
        "Columbia",
        (*pairs, *_all_authentic(untouched)),
        "4cam_splc/edgemask",
        matches.left_over,
        (_COLOURED,),
    )


def _coverage(tree: FolderTree) -> Known | None:
    images, masks = tree.named("image"), tree.named("mask")
    names = [name for name in tree.directly_in(images) if re.fullmatch(r"\d+t?", stem(name))]
    forged = [name for name in tree.directly_in(masks) if re.fullmatch(r"\d+forged", stem(name))]
    if not names or not forged:
        return None
    tampered = [name for name in names if stem(name).endswith("t")]
    matches = by_stem(
        tampered, forged, key=lambda name: stem(name).removesuffix("t").removesuffix("forged")
    )
    authentic = [name for name in names if not stem(name).endswith("t")]
    pairs = (*_paired(matches, manipulation="copy-move"), *_all_authentic(authentic))
    return Known("COVERAGE", pairs, "image/1t.tif and mask/1forged.tif", matches.left_over)


def _nist16(tree: FolderTree) -> Known | None:
    """The conversions of MVSS-Net, PSCC-Net and the resized folders; joined by NC2016_NNNN."""
    masks_in = tree.named("mask", "masks", "Gt")
    images_in = tree.named("probe_save", "probe", "Tp")
    images, masks = tree.below(images_in), tree.below(masks_in)
    probes = [name for name in images if _NIST_ID.search(base(name))]
    known = [name for name in masks if _NIST_ID.search(base(name)) or "mani_" in base(name)]
    if images_in is None or len(probes) < max(1, len(images) // 2) or not known:
        return None
    matches = by_stem(probes, masks)
    if len(matches.without_mask) > len(probes) // 2:
        matches = by_stem(probes, masks, key=_nist_id)
    evidence = f"{images_in}/NC2016_… with {masks_in}"
    return Known(
        "NIST16", tuple(_paired(matches)), evidence, matches.left_over, guesses_polarity=True
    )


_NIST_ID = re.compile(r"NC2016_(\d{4})")


def _nist_id(name: str) -> str:
    found = _NIST_ID.search(base(name)) or re.search(r"(\d{4})", stem(name))
    return found[1] if found else stem(name)


def _imd2020(tree: FolderTree) -> Known | None:
    originals = [name for name in tree.files if stem(name).lower().endswith("_orig")]
    masks = [name for name in tree.files if stem(name).endswith("_mask")]
    folders = {name.rpartition("/")[0] for name in originals}
    if not originals or not masks or not any("/" in name for name in originals):
        return None
    others = {*originals, *masks}
    images = [
        name
        for name in _pictures(tree)
        if name not in others and name.rpartition("/")[0] in folders
    ]
    # Names repeat between folders: the folder belongs to the key.
    matches = by_stem(images, masks, key=lambda name: _in_folder(name).removesuffix("_mask"))
    pairs = (*_paired(matches), *_all_authentic(originals))
    return Known("IMD2020", pairs, "<id>/<id>_orig and _mask.png", matches.left_over)


def _in_folder(name: str) -> str:
    return f"{name.rpartition('/')[0]}/{stem(name)}"


def _autosplice(tree: FolderTree) -> Known | None:
    forged = [each for each in tree.folders if re.search(r"(^|/)Forged_JPEG\d+$", each)]
    masks = tree.below(tree.named("Mask"))
    if not forged or not masks:
        return None
    by_name = {bare_stem(mask): mask for mask in masks}
    pairs = []
    for image in (name for folder in forged for name in tree.below(folder)):
        own = by_name.get(stem(image)) or by_name.get(stem(image).partition("_")[0], "")
        pairs.append(Pair(image, own, rule=MaskRule.ANY, manipulation="generated"))
    authentic = _authentic(tree, "Authentic")
    # Three JPEG versions share one mask, so only unused ones are left over.
    used = {pair.mask for pair in pairs}
    left = tuple(mask for mask in masks if mask not in used)
    return Known("AutoSplice", (*pairs, *authentic), "Forged_JPEG100 and Mask", left)


def _cocoglide(tree: FolderTree) -> Known | None:
    fakes = [name for name in tree.below(tree.named("fake")) if base(name).startswith("glide_")]
    masks = tree.below(tree.named("mask"))
    if not fakes or not masks:
        return None
    matches = by_stem(fakes, masks, key=_coco_id)
    pairs = (*_paired(matches, manipulation="generated"), *_authentic(tree, "real"))
    return Known(
        "CocoGlide", pairs, "fake/glide_inpainting_…, joined by COCO id", matches.left_over
    )


def _coco_id(name: str) -> str:
    """The number of the photograph, the last one in a name, with or without leading zeros."""
    found = re.findall(r"\d+", stem(name))
    return found[-1].lstrip("0") if found else stem(name)


def _dso1(tree: FolderTree) -> Known | None:
    images = [
        name for name in _pictures(tree) if re.fullmatch(r"(splicing|normal)-\d+", stem(name))
    ]
    masks = tree.below(tree.named("DSO-1-Fake-Images-Masks"))
    copies = tree.below(tree.named("DSO_GT"))
    if not masks and not copies:
        return None
    inside = {*masks, *copies}
    forged = [name for name in images if stem(name).startswith("splicing") and name not in inside]
    matches = by_stem(forged, masks or copies)
    # The copies that went through social networks are not inverted.
    rule = MaskRule.BLACK if masks else MaskRule.ANY
    authentic = [name for name in images if stem(name).startswith("normal")]
    pairs = (*_paired(matches, rule=rule, manipulation="splice"), *_all_authentic(authentic))
    notes = (_INVERTED,) if masks else ()
    return Known("DSO-1", pairs, "splicing-NN.png and normal-NN.png", matches.left_over, notes)


def _tampered_coco(tree: FolderTree) -> Known | None:
    kinds = {"sp": "splice", "cm": "copy-move", "bcm": "copy-move", "bcmc": "copy-move"}
    pairs: list[Pair] = []
    left: list[str] = []
    for kind, manipulation in kinds.items():
        images = tree.below(tree.named(f"{kind}_images"))
        masks = tree.below(tree.named(f"{'bcm' if kind == 'bcmc' else kind}_masks"))
        if not images:
            continue
        matches = by_stem(images, masks)
        if kind == "bcmc":
            matches = _without_quality(matches, masks)
        else:
            left += matches.left_over
        pairs += _paired(matches, rule=MaskRule.ANY, manipulation=manipulation)
    return (
        Known("tampCOCO", tuple(pairs), "sp_images, cm_images, bcm_images", tuple(left))
        if pairs
        else None
    )


def _without_quality(matches: Matches, masks: Sequence[str]) -> Matches:
    """Recompressed images share the mask of the one they were made from."""
    named = {stem(mask): mask for mask in masks}
    found = dict(matches.masks)
    for image in matches.without_mask:
        name = stem(image)
        while name and name not in named:
            name = name.rpartition("_")[0]
        found[image] = named.get(name, "")
    return Matches(found, ())


def _compraise(tree: FolderTree) -> Known | None:
    names = [name for name in _pictures(tree) if re.match(r"r[0-9a-f]{8}t_Q\d+", base(name))]
    if len(names) < max(1, len(_pictures(tree)) // 2):
        return None
    return Known("compRAISE", tuple(_all_authentic(names)), "names like r000da54ft_Q67.jpg")


def _defacto(tree: FolderTree) -> Known | None:
    pairs: list[Pair] = []
    left: list[str] = []
    for folder in tree.folders:
        found = re.fullmatch(r"(.*/)?((splicing(?:_\d)?|copymove|inpainting))_img", folder)
        if found is None:
            continue
        masks = tree.below(f"{found[1] or ''}{found[2]}_annotations/probe_mask")
        matches = by_stem(tree.below(folder), masks)
        words = {"copymove": "copy-move", "inpainting": "removal"}
        kind = words.get(found[3].partition("_")[0], "splice")
        pairs += _paired(matches, manipulation=kind)
        left += matches.left_over
    if not pairs:
        return None
    return Known("DEFACTO", tuple(pairs), "splicing_1_img and splicing_1_annotations", tuple(left))


def _fantastic_reality(tree: FolderTree) -> Known | None:
    fakes = tree.below(tree.named("ColorFakeImages"))
    arrays = list(tree.directly_in(tree.named("SegmentationFake")))
    if not fakes or not arrays:
        return None
    matches = by_stem(fakes, [name for name in arrays if name.endswith(".npz")])
    pairs = (*_paired(matches, rule=MaskRule.ANY), *_authentic(tree, "ColorRealImages"))
    evidence = "SegmentationFake/<stem>.npz"
    return Known("Fantastic Reality", pairs, evidence, matches.left_over, (_ARRAYS,))


def _openforensics(tree: FolderTree) -> Known | None:
    splits = re.compile(r"(Train|Val|Test-Dev|Test-Challenge)$")
    folders = [each for each in tree.folders if splits.search(each) and "Annotations" not in each]
    rendered = tree.below(tree.named("Annotations_GT"))
    documents = [name for name in tree.files if name.lower().endswith(".json")]
    images = [name for folder in folders for name in tree.below(folder)]
    if not images or not (rendered or documents):
        return None
    if rendered:
        matches = by_stem(images, rendered)
        return Known("OpenForensics", tuple(_paired(matches)), "Annotations_GT", matches.left_over)
    drawn = {
        name: pair for document in documents for name, pair in polygons_of(tree.root, document)
    }
    if not drawn:
        return None
    pairs = [
        replace(drawn[base(name)], image=name) if base(name) in drawn else Pair(name)
        for name in images
    ]
    evidence = f"polygons of {documents[0]}"
    return Known("OpenForensics", tuple(pairs), evidence, notes=(_DRAWN,))


def polygons_of(root: Path, document: str) -> Iterator[tuple[str, Pair]]:
    """The faces an MS-COCO document marks as fake, by image; one face may have several polygons."""
    coco = read_document(root / document)
    if not isinstance(coco, dict) or not isinstance(coco.get("annotations"), list):
        return
    fakes = {
        _key(each.get("id"))
        for each in _dicts(coco.get("categories"))
        if "fake" in str(each.get("name", "")).lower()
    }
    drawn: dict[str, list[list[float]]] = {}
    fakes.discard("")
    for each in _dicts(coco["annotations"]):
        segments = each.get("segmentation")
        if _key(each.get("category_id")) in fakes and isinstance(segments, list):
            drawn.setdefault(_key(each.get("image_id")), []).extend(map(_numbers, segments))
    for each in _dicts(coco.get("images")):
        name = base(str(each.get("file_name", "")))
        key = _key(each.get("id"))
        found = [polygon for polygon in drawn.get(key, []) if key and len(polygon) >= 6]
        text = json.dumps(found, separators=(",", ":"))
        mask = document if found else ""
        yield name, Pair("", mask, bool(found), MaskRule.POLYGONS, "face swap", text)


def _numbers(segment: object) -> list[float]:
    if not isinstance(segment, list):
        return []
    numbers = [number for each in segment if (number := number_of(each)) is not None]
    # Without one of its numbers the others would be other points.
    return numbers if len(numbers) == len(segment) else []


def _key(value: object) -> str:
    """A number or name as documents refer to one; nothing else is referred to."""
    return repr(value) if isinstance(value, int | float | str) else ""


def _dicts(value: object) -> list[dict[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def read_document(path: Path) -> object:
    """A JSON document within the limits of documents; ``None`` where it is none."""
    try:
        limits = FileLimits.from_environment()
        if not path.is_file() or path.stat().st_size > limits.document_mb << 20:
            return None
        content = path.read_bytes()
        return None if count_values(content) > limits.document_values else json.loads(content)
    except (OSError, ValueError, RecursionError):
        return None


def _korus(tree: FolderTree) -> Known | None:
    forged = [name for name in _pictures(tree) if "/tampered-realistic/" in f"/{name}"]
    masks = [name for name in _pictures(tree) if "/ground-truth/" in f"/{name}"]
    if not forged or not masks:
        return None
    # The same names occur for every camera.
    matches = by_stem(forged, masks, key=lambda name: f"{_camera(name)}/{stem(name)}")
    authentic = [name for name in _pictures(tree) if "/pristine/" in f"/{name}"]
    pairs = (*_paired(matches, rule=MaskRule.ABOVE_10), *_all_authentic(authentic))
    evidence = "<camera>/tampered-realistic and ground-truth"
    return Known("Korus", pairs, evidence, matches.left_over, (_THREE_LEVELS,))


def _camera(name: str) -> str:
    return name.rpartition("/")[0].rpartition("/")[0]


def _pictures(tree: FolderTree) -> list[str]:
    return [name for name in tree.files if is_image(name)]


def _paired(
    matches: Matches, *, rule: MaskRule = MaskRule.WHITE, manipulation: str = ""
) -> list[Pair]:
    return [
        Pair(image, mask, rule=rule, manipulation=manipulation)
        for image, mask in matches.masks.items()
    ]


def _authentic(tree: FolderTree, *folders: str) -> list[Pair]:
    return [pair for folder in folders for pair in _all_authentic(tree.below(tree.named(folder)))]


def _all_authentic(images: Iterable[str]) -> list[Pair]:
    return [Pair(image, is_target=False) for image in images]


_FINDERS: tuple[Callable[[FolderTree], Known | None], ...] = (
    *(_casia1, _casia2, _columbia, _coverage, _cocoglide, _autosplice, _dso1, _tampered_coco),
    *(_defacto, _fantastic_reality, _openforensics, _korus, _imd2020, _nist16, _compraise),
)

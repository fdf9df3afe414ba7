"""The public datasets as they lie on disk: opened, paired rightly, their defects reported."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.core.array import Size
from forensicviewer.core.model import Dataset, Edition, TaskKind
from forensicviewer.core.problem import DatasetError, UsageError
from forensicviewer.sources.datasets import LAYOUTS, detect
from forensicviewer.sources.imdl.checks import compare
from forensicviewer.sources.imdl.dataset import DatasetChoices, looks_like_dataset, read_dataset
from forensicviewer.sources.imdl.masks import read_area
from forensicviewer.sources.imdl.pair import MaskRule
from forensicviewer.sources.imdl.pairing import Pairing
from forensicviewer.sources.imdl.places import Roots
from forensicviewer.sources.media.masks import Polarity
from tests.sources.imdl import build


@dataclass(frozen=True)
class _Expected:
    """What a miniature holds; ``pair`` is one image with its mask, ``rules`` name its defects."""

    manipulated: int
    authentic: int
    pair: tuple[str, str]
    rules: tuple[str, ...] = ()


_EXPECTED = {
    "CASIA v1": _Expected(
        5,
        2,
        (
            "Sp_D_CNN_A_art0024_ani0032_0268.jpg",
            "CASIA 1.0 groundtruth/Sp/Sp_D_CNN_A_art0024_ani0032_0268_gt.png",
        ),
        ("imdl.no-mask", "imdl.mask-size", "imdl.composition"),
    ),
    "CASIA v2": _Expected(
        3,
        2,
        (
            "Tp_D_CRN_S_N_cha10122_nat00059_12034.jpg",
            "CASIA 2 Groundtruth/Tp_S_CRN_S_N_cha10122_nat00059_12034_gt.png",
        ),
        ("imdl.mended", "imdl.mask-size"),
    ),
    "Columbia": _Expected(
        2,
        1,
        (
            "canong3_nikond70_sub_01.tif",
            "4cam_splc/edgemask/canong3_nikond70_sub_01_edgemask.jpg",
        ),
        ("imdl.mended",),
    ),
    "COVERAGE": _Expected(2, 2, ("1t.tif", "mask/1forged.tif"), ("imdl.mask-size",)),
    "NIST16 of MVSS-Net": _Expected(
        3, 0, ("NC2016_5678_0_0_64_48.png", "mask/NC2016_5678_mask_0_0.png"), ("imdl.polarity",)
    ),
    "NIST16 of PSCC-Net": _Expected(2, 0, ("NC2016_1234.jpg", "mask/mani_NC2016_1234.png")),
    "NIST16_1024": _Expected(
        2, 0, ("NC2016_1234.jpg", "Gt/NC2016_1234.png"), ("imdl.grey-levels",)
    ),
    "NIST16 subset": _Expected(2, 1, ("NC2016_1234.jpg", "masks/NC2016_1234_gt.png")),
    "IMD2020": _Expected(
        3,
        3,
        ("1b3k9p/c8tf5mq_0.png", "1b3k9p/c8tf5mq_0_mask.png"),
        ("imdl.mask-size", "imdl.duplicate"),
    ),
    "AutoSplice": _Expected(
        6, 1, ("Forged_JPEG75/10024_1.jpg", "Mask/10024_1_mask.png"), ("imdl.zero-one",)
    ),
    "CocoGlide": _Expected(
        2,
        2,
        ("glide_inpainting_val2017_1425_up.png", "mask/hot dog_000000001425_mask.png"),
    ),
    "DSO-1": _Expected(
        2, 2, ("splicing-02.png", "DSO-1-Fake-Images-Masks/splicing-02.png"), ("imdl.mended",)
    ),
    "DSO-1 copies": _Expected(1, 0, ("splicing-01.png", "DSO_GT/splicing-01_gt.png")),
    "tampCOCO": _Expected(
        5,
        0,
        ("7_000000000025_87.jpg", "bcm_masks/7_000000000025.png"),
        ("imdl.no-bytes", "imdl.zero-one"),
    ),
    "compRAISE": _Expected(0, 3, ("r000da54ft_Q67.jpg", ""), ("imdl.composition",)),
    "DEFACTO": _Expected(
        3,
        0,
        ("0_000000000285.tif", "inpainting_annotations/probe_mask/0_000000000285.jpg"),
        ("imdl.mask-size", "imdl.grey-levels"),
    ),
    "Fantastic Reality": _Expected(
        2,
        1,
        ("2018_05_11_0002.jpg", "dataset/SegmentationFake/2018_05_11_0002.npz"),
        ("imdl.mended",),
    ),
    "OpenForensics": _Expected(1, 1, ("a1.jpg", "Test-Dev_poly.json"), ("imdl.mended",)),
    "Korus": _Expected(
        2,
        2,
        ("Sony_A57/tampered-realistic/DPP0012.TIF", "Sony_A57/ground-truth/DPP0012.PNG"),
        ("imdl.duplicate", "imdl.mended"),
    ),
    "ManiDataset": _Expected(3, 0, ("2.jpg", "Gt/2.png")),
    "JsonDataset": _Expected(3, 1, ("1.jpg", "Gt/1.png")),
}


def _opened(path: Path, **choices: object) -> Dataset:
    return read_dataset(path, DatasetChoices(**choices))  # type: ignore[arg-type]


def _masks(dataset: Dataset) -> dict[str, str]:
    rows = dataset.tasks[0].table.rows()
    return {row["ProbeFileID"]: row["ProbeMaskFileName"] for row in rows}


def _rules(dataset: Dataset) -> set[str]:
    return {problem.rule for problem in dataset.problems}


@pytest.mark.parametrize("layout", build.LAYOUTS)
def test_every_layout_is_recognised_by_a_part_of_the_registry(layout: str, tmp_path: Path) -> None:
    path = build.LAYOUTS[layout](tmp_path / layout)

    found = detect(path)
    part = LAYOUTS.get("imdl")

    assert part is not None
    assert found == part.detect(path)
    assert found is not None
    assert found.layout == "imdl"
    opened, own = part.read(path, None), read_dataset(path, DatasetChoices())
    assert opened.evidence == own.evidence
    assert [list(task.trials.ids()) for task in opened.tasks] == [
        list(task.trials.ids()) for task in own.tasks
    ]


@pytest.mark.parametrize("layout", build.LAYOUTS)
def test_a_layout_opens_pairs_and_reports_its_defects(layout: str, tmp_path: Path) -> None:
    path = build.LAYOUTS[layout](tmp_path / layout)
    expected = _EXPECTED[layout]

    assert looks_like_dataset(path)
    dataset = _opened(path)

    (task,) = dataset.tasks
    assert (task.kind, dataset.edition) == (TaskKind.IMDL, Edition.IMDL)
    counts = task.table["IsTarget"].counts()
    assert (counts.get("Y", 0), counts.get("N", 0)) == (expected.manipulated, expected.authentic)
    assert _masks(dataset)[expected.pair[0]] == expected.pair[1]
    assert {*expected.rules} <= _rules(dataset)


@pytest.mark.parametrize("layout", [name for name in build.LAYOUTS if name != "compRAISE"])
def test_masks_are_read_by_the_rule_of_their_dataset(layout: str, tmp_path: Path) -> None:
    dataset = _opened(build.LAYOUTS[layout](tmp_path / layout))
    task = dataset.tasks[0]
    image, mask = _EXPECTED[layout].pair
    row = next(row for row in task.table.rows() if row["ProbeFileID"] == image)

    found = read_area(
        Path(task.root) / mask,
        MaskRule(row["MaskRule"]),
        size=Size(64, 48),
        polygons=row.get("Polygons", ""),
    )

    expected = build.area()
    if layout == "DEFACTO":  # the mask twice as large as its image
        expected = build.area((96, 128), (16, 20, 56, 68))
    if layout == "Korus":
        expected[30:35, 40:50] = True
    if layout == "OpenForensics":
        expected[30:41, 40:51] |= np.tri(11, 11).T.astype(bool)
    apart = np.count_nonzero(found != expected)
    # Masks in JPEG or resized have ragged edges.
    assert apart <= (60 if layout in ("NIST16_1024", "Columbia", "DEFACTO") else 0)


def test_a_list_of_another_machine_opens_by_its_tail(tmp_path: Path) -> None:
    dataset = _opened(build.json_list(tmp_path / "CASIA2.0"))

    assert _masks(dataset) == {f"{n}.jpg": f"Gt/{n}.png" for n in range(3)} | {"n.jpg": ""}


def _elsewhere(tmp_path: Path) -> tuple[Path, Path]:
    """A list that names files beside its own folder, absolutely."""
    images = build.mani(tmp_path / "data" / "IML")
    path = tmp_path / "lists" / "list.json"
    path.parent.mkdir()
    pairs = [[str(images / "Tp" / f"{n}.jpg"), str(images / "Gt" / f"{n}.png")] for n in range(3)]
    path.write_text(json.dumps(pairs))
    return path, images


def test_a_list_reads_nothing_outside_its_folder_unless_told(tmp_path: Path) -> None:
    path, images = _elsewhere(tmp_path)

    with pytest.raises(DatasetError) as raised:
        _opened(path)
    assert raised.value.rule == "imdl.outside"
    assert f"--root {images}," in raised.value.hint

    dataset = _opened(path, roots=Roots.of((images,)))
    assert [*_masks(dataset)] == ["0.jpg", "1.jpg", "2.jpg"]


def test_a_prefix_can_be_mapped_to_where_files_lie_now(tmp_path: Path) -> None:
    images = build.mani(tmp_path / "here")
    path = tmp_path / "lists" / "list.json"
    path.parent.mkdir()
    path.write_text(json.dumps([["D:\\old\\Tp\\0.jpg", "D:\\old\\Gt\\0.png"]]))

    dataset = _opened(path, roots=Roots.of((), (f"D:\\old={images}",)))

    assert len(dataset.tasks[0].trials) == 1
    with pytest.raises(UsageError):
        Roots.of((), ("nothing",))


def test_a_link_out_of_an_allowed_folder_is_not_followed(tmp_path: Path) -> None:
    build.mani(tmp_path / "secret")
    root = tmp_path / "open"
    root.mkdir()
    (root / "inside").symlink_to(tmp_path / "secret")
    path = root / "list.json"
    path.write_text(json.dumps([["inside/Tp/0.jpg", "inside/Gt/0.png"]]))

    with pytest.raises(DatasetError, match="None of the listed files"):
        _opened(path)


def test_one_mask_too_few_makes_position_differ_from_names(tmp_path: Path) -> None:
    root = build.mani(tmp_path / "set", 5)
    (root / "Gt" / "1.png").unlink()

    dataset = _opened(root)

    assert _masks(dataset) == {"0.jpg": "Gt/0.png", "1.jpg": ""} | {
        f"{n}.jpg": f"Gt/{n}.png" for n in (2, 3, 4)
    }
    told = next(p for p in dataset.problems if p.rule == "imdl.position-differs")
    assert told.message.startswith(
        "Pairing by position gives 4 of 5 images a different mask than pairing by name"
    )
    assert {"imdl.counts", "imdl.no-mask"} <= _rules(dataset)
    assert "imdl.pairing-uncertain" not in _rules(dataset)


def _unlike(root: Path) -> Path:
    for number in range(3):
        build.image(root / "Tp" / f"photo{number}.jpg", seed=number)
        build.mask(root / "Gt" / f"m{number + 7}.png")
    return root


def test_masks_named_like_no_image_leave_the_pairing_uncertain(tmp_path: Path) -> None:
    root = _unlike(tmp_path / "set")

    told = next(p for p in _opened(root).problems if p.rule == "imdl.pairing-uncertain")
    assert "--pairing position" in told.hint

    placed = _opened(root, pairing=Pairing.POSITION)
    assert _masks(placed) == {f"photo{n}.jpg": f"Gt/m{n + 7}.png" for n in range(3)}
    assert "imdl.pairing-uncertain" not in _rules(placed)


def test_a_list_can_settle_the_pairing_of_a_folder(tmp_path: Path) -> None:
    root = _unlike(tmp_path / "set")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("Tp/photo0.jpg|Gt/m9.png\nTp/photo1.jpg|None\n")

    found = _opened(root, pairs=pairs, pairing=Pairing.LIST)

    # Names are relative to the folder that holds both: the list and the dataset.
    assert _masks(found) == {"photo0.jpg": "set/Gt/m9.png", "photo1.jpg": ""}


def test_masks_that_mark_most_of_their_images_leave_the_polarity_uncertain(tmp_path: Path) -> None:
    for number in range(3):
        build.image(tmp_path / "images" / f"{number}.jpg")
        build.mask(tmp_path / "masks" / f"{number}.png", white=0, black=255)

    told = next(p for p in _opened(tmp_path).problems if p.rule == "imdl.polarity-uncertain")
    assert "3 of the 3 checked masks mark more than half" in told.message

    settled = _opened(tmp_path, polarity=Polarity.BLACK)
    assert settled.tasks[0].table["MaskRule"].counts() == {"black": 3}
    assert "imdl.polarity-uncertain" not in _rules(settled)


def test_a_test_list_opens_each_of_its_datasets_as_a_task(tmp_path: Path) -> None:
    build.mani(tmp_path / "CASIA1.0")
    build.json_list(tmp_path / "Columbia")
    (tmp_path / "tests.json").write_text(
        json.dumps({"CASIAv1": "CASIA1.0", "Columbia": "Columbia/list.json", "gone": "/mnt/x"})
    )

    dataset = _opened(tmp_path / "tests.json")

    assert [task.name for task in dataset.tasks] == ["imdl:CASIAv1", "imdl:Columbia"]
    assert [len(task.trials) for task in dataset.tasks] == [3, 4]
    assert "imdl.outside" in _rules(dataset)


def test_a_balanced_list_opens_its_members(tmp_path: Path) -> None:
    build.mani(tmp_path / "CASIA2.0")
    build.json_list(tmp_path / "FR")
    members = [["ManiDataset", "CASIA2.0"], ["JsonDataset", "FR/list.json"]]
    (tmp_path / "balanced.json").write_text(json.dumps(members))

    dataset = _opened(tmp_path / "balanced.json")

    assert [task.name for task in dataset.tasks] == ["imdl:CASIA2.0", "imdl:list"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("space.txt", "Tp/0.jpg Gt/0.png 1\nAu/n.jpg None 0\nTp/1.jpg Gt/1.png -1\n"),
        ("bar.csv", "image|mask\nTp/0.jpg|Gt/0.png|1\nAu/n.jpg|Negative|0\nTp/1.jpg|Gt/1.png|-1\n"),
        ("tab.tsv", "Tp/0.jpg\tGt/0.png\t1\nAu/n.jpg\tN\t0\nTp/1.jpg\tGt/1.png\t-1\n"),
    ],
)
def test_rows_of_text_are_read_with_any_separator(name: str, content: str, tmp_path: Path) -> None:
    build.json_list(tmp_path)
    (tmp_path / name).write_text(content)

    task = _opened(tmp_path / name).tasks[0]

    assert list(task.table["IsTarget"]) == ["Y", "N", ""]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", "[1, 2]", '[["a.jpg"]]', '[["a.jpg", 3]]', "[" * 100_000]
)
def test_a_broken_list_is_refused_with_its_name(content: str, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(content)

    with pytest.raises(DatasetError) as raised:
        _opened(tmp_path / "list.json")
    assert "list.json" in raised.value.where


@pytest.mark.parametrize(
    ("mask", "image", "said"),
    [
        (Size(48, 64), Size(64, 48), "turned by 90°"),
        (Size(800, 600), Size(600, 450), "scaled by 1.33"),
        (Size(64, 47), Size(64, 48), "off by 1 px in height"),
        (Size(70, 47), Size(64, 48), "off by 6 px in width and 1 px in height"),
        (Size(82, 61), Size(80, 60), "off by 2 px in width and 1 px in height"),
        (Size(72, 54), Size(80, 60), "scaled by 0.9"),
    ],
)
def test_another_size_is_explained(mask: Size, image: Size, said: str) -> None:
    assert compare(mask, image) == said


def test_black_and_coloured_masks_of_manipulated_images_are_reported(tmp_path: Path) -> None:
    root = build.mani(tmp_path, 2)
    build.mask(root / "Gt" / "0.png", np.zeros(build.SIZE, np.bool_))
    colours = np.zeros((*build.SIZE, 3), np.uint8)
    colours[build.area()] = (0, 0, 255)
    build.write(root / "Gt" / "1.png", colours)

    assert {"imdl.black-mask", "imdl.colour-mask"} <= _rules(_opened(root))


@pytest.mark.parametrize(
    ("variant", "manipulated", "authentic", "pair", "rules"),
    [
        (
            "CASIA v1, modified",
            *(1, 1),
            (
                "Sp_S_NND_A_ani0002_ani0002_0001.jpg",
                "CASIA 1.0 groundtruth/CM/Sp_S_NND_A_ani0002_ani0002_0001_gt.png",
            ),
            {"imdl.composition"},
        ),
        (
            "CASIA v1+ of TruFor",
            *(1, 1),
            (
                "Sp_D_CNN_A_art0024_ani0032_0268.jpg",
                "groundtruth/Sp_D_CNN_A_art0024_ani0032_0268_gt.png",
            ),
            {"imdl.composition"},
        ),
        (
            "CASIA v1 of MVSS-Net",
            *(1, 1),
            (
                "Sp_D_CNN_A_art0024_ani0032_0268.jpg",
                "CASIAv1/mask/Sp_D_CNN_A_art0024_ani0032_0268.png",
            ),
            {"imdl.composition"},
        ),
        (
            "CASIA v2, corrected",
            *(1, 1),
            (
                "Tp_D_CND_M_N_ani00018_sec00096_00138.tif",
                "Gt/Tp_D_CND_M_N_ani00018_sec00096_00138_gt.png",
            ),
            {"imdl.composition"},
        ),
        (
            "DSO-1 copies beside",
            *(1, 0),
            ("splicing-07.png", "DSO_Facebook/DSO_GT/splicing-07_gt.png"),
            set(),
        ),
        (
            "AutoSplice, shared masks",
            *(6, 1),
            ("Forged_JPEG90/10024_1.jpg", "Mask/10024_mask.png"),
            set(),
        ),
        (
            "OpenForensics, rendered",
            *(2, 0),
            ("b2.jpg", "Annotations_GT/Images/Test-Dev/b2.png"),
            set(),
        ),
        (
            "tampCOCO of CAT-Net",
            *(2, 0),
            (
                "85_000000415798.jpg_000000415798.jpg_RT-31.5.jpg",
                "sp_masks/85_000000415798.jpg_000000415798.jpg_RT-31.5.png",
            ),
            {"imdl.missing"},
        ),
    ],
)
def test_other_forms_of_a_dataset_open_too(
    variant: str,
    manipulated: int,
    authentic: int,
    pair: tuple[str, str],
    rules: set[str],
    tmp_path: Path,
) -> None:
    path = build.VARIANTS[variant](tmp_path / "set")

    assert looks_like_dataset(path)
    dataset = _opened(path)

    (task,) = dataset.tasks
    counts = task.table["IsTarget"].counts()
    assert (counts.get("Y", 0), counts.get("N", 0)) == (manipulated, authentic)
    assert _masks(dataset)[pair[0]] == pair[1]
    assert rules <= _rules(dataset)
    row = next(row for row in task.table.rows() if row["ProbeFileID"] == pair[0])
    found = read_area(Path(task.root) / pair[1], MaskRule(row["MaskRule"]))
    assert np.array_equal(found, build.area())


def _told(dataset: Dataset, rule: str) -> str:
    (problem,) = (problem for problem in dataset.problems if problem.rule == rule)
    return f"{problem.where}: {problem.message}"


def test_counts_are_compared_with_the_papers_table(tmp_path: Path) -> None:
    for number in range(1, 101):
        build.image(tmp_path / "image" / f"{number}.tif", (8, 8), seed=number)
        build.image(tmp_path / "image" / f"{number}t.tif", (8, 8), seed=number + 200)
        marked = build.area((8, 8), (1, 1, 4, 4))
        build.mask(tmp_path / "mask" / f"{number}forged.tif", marked)

    whole = _opened(tmp_path)
    (tmp_path / "image" / "7t.tif").unlink()
    less = _opened(tmp_path)

    assert "the image count matches Table 10 of the paper for COVERAGE" in whole.evidence[0]
    assert "imdl.composition" not in _rules(whole)
    assert "Table 10" not in less.evidence[0]
    assert (
        "99 manipulated and 100 authentic images (99 copy-move); Table 10 of the paper lists "
        "100 manipulated and 100 authentic images (100 copy-move) for COVERAGE"
    ) in _told(less, "imdl.composition")


@pytest.mark.parametrize(
    ("folder", "title"),
    [("CASIA1.0", "CASIA v1"), ("IMD_20_1024", "IMD2020"), ("columbia", "Columbia"), ("mine", "")],
)
def test_a_converted_dataset_is_compared_by_its_name(
    folder: str, title: str, tmp_path: Path
) -> None:
    dataset = _opened(build.mani(tmp_path / folder))

    told = [each.message for each in dataset.problems if each.rule == "imdl.composition"]
    assert [message.endswith(f"for {title}") for message in told] == ([True] if title else [])


def test_every_pair_is_measured_although_some_masks_are_looked_into(tmp_path: Path) -> None:
    root = build.mani(tmp_path / "set", 100)
    build.mask(root / "Gt" / "97.png", size=(64, 48))
    (root / "Tp" / "98.jpg").write_bytes(b"")

    dataset = _opened(root)

    told = _told(dataset, "imdl.mask-size")
    assert told.startswith("Gt/97.png: ")
    assert told.endswith("turned by 90°")
    assert _told(dataset, "imdl.no-bytes").startswith("Tp/98.jpg")
    assert "64 of 100 pairs were checked" in _told(dataset, "imdl.sampled")


@pytest.mark.parametrize(
    ("size", "said"),
    [((48, 63), "off by 1 px in width"), ((24, 32), "scaled by 0.5"), ((64, 48), "turned by 90°")],
)
def test_a_mask_of_another_size_is_explained_with_both_sizes(
    size: tuple[int, int], said: str, tmp_path: Path
) -> None:
    root = build.mani(tmp_path / "set")
    build.mask(root / "Gt" / "1.png", size=size)

    told = _told(_opened(root), "imdl.mask-size")

    assert told.startswith("Gt/1.png: ")
    assert told.endswith(said)
    assert f"The mask is {Size(size[1], size[0])}, its image {Size(64, 48)}" in told


def test_masks_of_zero_and_one_and_grey_ones_are_told_with_their_levels(tmp_path: Path) -> None:
    root = build.mani(tmp_path / "set")
    build.mask(root / "Gt" / "0.png", white=1)
    ramp = np.tile(np.arange(64, dtype=np.uint8), (48, 1))
    build.write(root / "Gt" / "1.png", ramp)

    dataset = _opened(root)

    assert "holds 0 and 1" in _told(dataset, "imdl.zero-one")
    assert _told(dataset, "imdl.grey-levels") == "Gt/1.png: The mask has 64 grey levels"


def test_images_with_the_same_bytes_are_told(tmp_path: Path) -> None:
    root = build.mani(tmp_path / "set")
    (root / "Tp" / "2.jpg").write_bytes((root / "Tp" / "0.jpg").read_bytes())

    told = _told(_opened(root), "imdl.same-image")

    assert told == "Tp/2.jpg: The image has the same bytes as Tp/0.jpg"


def test_an_image_listed_twice_counts_once(tmp_path: Path) -> None:
    build.mani(tmp_path)
    rows = [("0", "0"), ("1", "1"), ("0", "2"), ("0", "0")]
    path = tmp_path / "list.json"
    path.write_text(json.dumps([[f"Tp/{image}.jpg", f"Gt/{mask}.png"] for image, mask in rows]))

    dataset = _opened(path)

    assert _masks(dataset) == {"0.jpg": "Gt/0.png", "1.jpg": "Gt/1.png"}
    assert "2 rows repeat the image of an earlier row, 1 of them with a different mask" in _told(
        dataset, "imdl.listed-twice"
    )


def test_a_file_that_is_missing_is_told_by_its_name(tmp_path: Path) -> None:
    build.mani(tmp_path)
    (tmp_path / "list.csv").write_text("Tp/0.jpg,Gt/0.png\nTp/1.jpg,Gt/gone.png\n")

    assert _told(_opened(tmp_path / "list.csv"), "imdl.missing").startswith("Gt/gone.png")


def test_problems_of_several_datasets_say_which_one_a_file_is_of(tmp_path: Path) -> None:
    for name in ("first", "second"):
        mask = next((build.mani(tmp_path / name) / "Gt").iterdir())
        mask.write_bytes(b"")
    (tmp_path / "tests.json").write_text(json.dumps({"A": "first", "B": "second"}))

    told = [problem.where for problem in _opened(tmp_path / "tests.json").problems]

    assert told == ["A/Gt/0.png", "B/Gt/0.png"]
